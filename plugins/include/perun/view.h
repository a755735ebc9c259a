/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `view`: show profiles in a terminal, as SVG, HTML or JSON.
 * Threads: the host makes all calls of an instance on one thread, and perun_show_profiles() draws on the caller's.
 */
#ifndef PERUN_VIEW_H
#define PERUN_VIEW_H

#include <perun/plugin.h>
#include <perun/profile.h>
#include <perun/format.h>

#ifdef __cplusplus
extern "C" {
#endif

enum perun_form {
	PERUN_FORM_TERMINAL = 1,
	PERUN_FORM_SVG = 2,
	PERUN_FORM_HTML = 4,
	PERUN_FORM_JSON = 8,
	PERUN_FORM_CSV = 16,
	PERUN_FORM_MARKDOWN = 32
};

/* Where a view is drawn. */
struct perun_canvas {
	uint32_t struct_size;
	enum perun_form form;
	bool color;     /* terminal: colours wanted */
	unsigned width; /* terminal: columns */
	struct perun_output *output;
	bool ascii; /* terminal: it cannot show other characters than those of ASCII */
	/*
	 * Terminal: somebody sits before it, and a view that says it is `interactive` may take it over (it
	 * opens /dev/tty, and leaves the terminal as it was) instead of writing to `output`. The host has set the locale
	 * of the process for characters (LC_CTYPE).
	 */
	bool interactive;
	bool screen; /* terminal: `output` is seen in one, not kept in a file nor read by a program */
};

struct perun_view_ops {
	PERUN_INSTANCE_OPS;
	unsigned forms;             /* bits of enum perun_form it can draw */
	unsigned minimum, maximum;  /* how many profiles it takes; maximum 0, fallback: any */
	/*
	 * Draw. Fails with PERUN_INPUT and says why when a profile is not of a kind it can show.
	 * `names` are what the user called the profiles.
	 */
	int (*show)(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		    const char *const *names, size_t count, const struct perun_canvas *canvas);
	bool interactive; /* it may take over a terminal, without a pager. Fallback: it writes to output */
};

/* ---- any view -------------------------------------------------------------------------------- */

/*
 * Draw profiles in the view of a name, on a canvas that is like the one a host gives. `words` are its
 * arguments as on a command line, ended by NULL (NULL = none); `names` are borrowed like the profiles.
 * Fails with PERUN_USAGE when there is no such view, it does not draw the form, takes another number of
 * profiles, or the words are wrong; else as the view does.
 */
PERUN_EXPORT int perun_show_profiles(struct perun_ctx *ctx, const char *view,
				     const char *const *words,
				     struct perun_profile *const *profiles,
				     const char *const *names, size_t count,
				     const struct perun_canvas *canvas);

#ifdef __cplusplus
}
#endif
#endif
