/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored histories as commands show them: perun/lib/history.h with the options of the command line. */
#ifndef PERUN_CLI_HISTORY_H
#define PERUN_CLI_HISTORY_H

#include <perun/lib/compare.h>

#include "cli/checking.h"
#include "cli/facts.h"
#include "cli/listing.h"
#include "cli/series.h"

/* What CLI_RANGE_OPTIONS, CLI_BETTER_OPTION and the options of machines say. */
struct perun_history_options cli_history_options_of(const struct cli_call *call, const char *range);
/*
 * Load a history; a note says what was measured on other machines, and a direction that was given is kept.
 * Free it with perun_history_free() also after a failure.
 */
int cli_history_load(struct cli *cli, const struct perun_history_options *options,
		     struct perun_history **history);
/* Find the changes of all strands, as the options say, without those that so many show by chance. */
int cli_history_changes(struct cli *cli, const struct cli_call *call,
			struct perun_history *history);
/* Version i of a history, and its subject, which is the caller's. */
const struct perun_minor_version *cli_history_version(const struct perun_history *history,
						      size_t i);
char *cli_history_subject(const struct perun_history *history, size_t i);

/* ---- candidates (commits.c) ------------------------------------------------------------------- */

/* The commits that may be a change: those after the last measured version, with versions and subjects. */
json_t *cli_fact_commits(const struct perun_history *history, const struct perun_strand *strand,
			 size_t index);
json_t *cli_fact_between(const struct perun_between *between);
/* The same as lines of text, if there are several: one was measured, the others were not. */
void cli_list_between(const struct perun_between *between, struct perun_buffer *text);

/* ---- pictures (history-draw.c) --------------------------------------------------------------- */

/* A panel for each strand, whose changes are known; the titles of values name versions and subjects. */
void cli_history_svg(const struct perun_history *history, struct perun_buffer *out);
void cli_history_html(const struct perun_history *history, struct perun_buffer *out);

/* ---- plugins that look at whole histories (series-plugin.c) ----------------------------------- */

/* The check plugin that --method names; NULL when that is one of the methods of perun itself. */
const char *cli_series_plugin(const struct cli_call *call);
/* Print what that plugin finds in these strands, those of a command together. */
int cli_series_by_plugin(struct cli *cli, const struct cli_call *call,
			 const struct perun_strand *const *strands, size_t count, bool *worse);

#endif
