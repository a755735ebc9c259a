/* SPDX-License-Identifier: BSD-3-Clause */
/* perun history and blame: a metric over the versions of a branch, its changes, and what explains them. */
#ifndef PERUN_COMMANDS_HISTORY_H
#define PERUN_COMMANDS_HISTORY_H

#include "commands/common/history.h"

/* What a command looks at; free it with history_found_free() also after a failure. */
struct history_found {
	struct perun_store *store; /* borrowed */
	struct perun_history *history;
	struct perun_acknowledgements *known;
};
/* The history that the options ask for. */
int history_find(struct perun_ctx *ctx, const struct perun_command_call *call, const char *location,
		 struct history_found *found);
/* Find the changes of all strands, as the options say. */
int history_find_changes(struct perun_ctx *ctx, const struct perun_command_call *call,
			 struct perun_history *history);
/* Whether a strand is of interest: totals of functions are, where they changed. */
bool history_is_shown(const struct perun_strand *strand);
/* With --explain: how a change was found, below its line. */
void history_print_explanation(const struct perun_command_call *call,
			       const struct perun_strand *strand,
			       const struct perun_change_point *point);
/* "judged by shift", at the end. */
void history_print_method(const struct perun_command_call *call);
void history_found_free(struct history_found *found);

/* show.c, blame.c */
extern const struct perun_option history_options[], blame_options[];
int history_show(struct perun_ctx *ctx, const struct perun_command_call *call);
int history_blame(struct perun_ctx *ctx, const struct perun_command_call *call);

/* draw.c: a panel for each strand, whose changes are known; the titles of values name versions and subjects. */
void history_svg(const struct perun_history *history, struct perun_buffer *out);
void history_html(const struct perun_history *history, struct perun_buffer *out);

#endif
