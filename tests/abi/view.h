/* SPDX-License-Identifier: BSD-3-Clause */
/* What the views here begin with. Their tables are written out, as each is another one. */
#include <perun/view.h>

/* The head of show(), which hardly uses its parameters. */
#define UNUSED __attribute__((unused))
#define SHOW                                                                  \
	static int show(UNUSED void *instance, UNUSED struct perun_ctx *ctx,  \
			UNUSED struct perun_profile *const *profiles,         \
			UNUSED const char *const *names, UNUSED size_t count, \
			UNUSED const struct perun_canvas *canvas)
/* One that shows nothing. */
#define SHOW_NOTHING             \
	SHOW                     \
	{                        \
		return PERUN_OK; \
	}

/* For those with the tables of today; `more` are other members of the plugin. */
#define DEFINE_VIEW(id, text, opening, more)                                                    \
	static const struct perun_view_ops ops = {                                              \
		.open = opening, .forms = PERUN_FORM_TERMINAL | PERUN_FORM_HTML, .show = show}; \
	PERUN_PLUGIN(view, id) = {PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, #id, text),                \
				  PERUN_PLUGIN_OPS(ops), more}
