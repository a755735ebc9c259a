/* SPDX-License-Identifier: BSD-3-Clause */
/* perun history and blame: a metric over the versions of a branch, its changes, and what explains them. */
#ifndef PERUN_COMMANDS_HISTORY_H
#define PERUN_COMMANDS_HISTORY_H

#include "commands/common/history.h"

/* What a command looks at; free it with history_found_free() also after a failure. */
struct history_found {
	struct perun_ctx *ctx; /* borrowed, as the store is */
	struct perun_store *store;
	struct perun_history *history;
	struct perun_acknowledgements *known;
	char *leading; /* the metric that is shown whole; of others only what changed; NULL = all are */
};
/* The history that the options ask for; `notes`: name the metrics that are not shown whole. */
int history_find(struct perun_ctx *ctx, const struct perun_command_call *call, const char *location,
		 bool notes, struct history_found *found);
/* Find the changes of all strands, as the options say. */
int history_find_changes(struct perun_ctx *ctx, const struct perun_command_call *call,
			 struct perun_history *history);
/*
 * The strands of interest, whose changes are known: those of the leading metric, and others where they changed. The list
 * is the caller's.
 */
const struct perun_strand **history_shown(const struct history_found *found, size_t *count);
/* With --explain: how a change was found, below its line. */
void history_print_explanation(const struct perun_command_call *call,
			       const struct perun_strand *strand,
			       const struct perun_change_point *point);
/* "judged by shift", at the end. */
void history_print_method(const struct perun_command_call *call);
void history_found_free(struct history_found *found);

/* ---- what the real time says already (said.c) ------------------------------------------------ */

/* The real times of a history, which is borrowed. */
struct history_times *history_times_new(const struct perun_history *history);
void history_times_free(struct history_times *times);
/* Whether a change of another metric follows from one of the real time: of another clock, or a rate made from it. */
bool history_times_say(const struct history_times *times, const struct perun_strand *strand,
		       const struct perun_change_point *point);

/* show.c, blame.c */
extern const struct perun_option history_options[], blame_options[];
int history_show(struct perun_ctx *ctx, const struct perun_command_call *call);
int history_blame(struct perun_ctx *ctx, const struct perun_command_call *call);

/* draw.c: a panel for each strand of interest; the titles of values name versions and subjects. */
void history_svg(const struct history_found *found, struct perun_buffer *out);
void history_html(const struct history_found *found, struct perun_buffer *out);

#endif
