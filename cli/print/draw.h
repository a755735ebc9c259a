/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing profiles in a view: which form, where to, with what options. */
#ifndef PERUN_CLI_PRINT_DRAW_H
#define PERUN_CLI_PRINT_DRAW_H

#include <perun/view.h>

#include "cli/base/module.h"

struct cli_drawing {
	struct cli *cli;
	struct cli_module
		module; /* its options are also `output`, `form` and `json` if `after_view` */
	struct perun_view_ops ops;
	bool after_view;
	struct perun_canvas canvas;
	const char *path; /* NULL = standard output */
};

/* What commands that draw have: `output` (with these aliases or NULL), `form` and `json`. */
#define CLI_DRAWING_OPTIONS(output_aliases)                                      \
	{.name = "output",                                                       \
	 .aliases = (output_aliases),                                            \
	 .metavar = "FILE",                                                      \
	 .type = PERUN_OPTION_PATH,                                              \
	 .help = "write there and not to standard output"},                      \
		{.name = "form",                                                 \
		 .type = PERUN_OPTION_CHOICE,                                    \
		 .choices = "terminal svg html json csv markdown",               \
		 .help = "what is drawn, by default by the name of the output"}, \
	{                                                                        \
		.name = "json", .help = "the same as the form json"              \
	}

/*
 * words[0] is the view's name, then its options; `options` are those of the command. Free with
 * cli_drawing_free() also after a failure.
 */
int cli_drawing_start(struct cli *cli, const char *const *words,
		      const struct perun_options *options, struct cli_drawing *drawing);
void cli_drawing_free(struct cli_drawing *drawing);
/* Fail unless the view takes this many profiles. */
int cli_drawing_takes(const struct cli_drawing *drawing, size_t count);
/* Open the output, through a pager if there is one for this command. */
int cli_drawing_open(struct cli_drawing *drawing, const char *command);
/* Draw into the output that is open. */
int cli_drawing_add(struct cli_drawing *drawing, struct perun_profile *const *profiles,
		    const char *const *names, size_t count);
/* Put the output in place if all went well (`status`), and close it. */
int cli_drawing_end(struct cli_drawing *drawing, int status);

#endif
