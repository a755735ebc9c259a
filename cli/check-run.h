/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun check of one version and of all have in common. */
#ifndef PERUN_CLI_CHECK_RUN_H
#define PERUN_CLI_CHECK_RUN_H

#include "cli/baselines.h"
#include "cli/compare.h"
#include "cli/facts.h"
#include "cli/history.h"
#include "cli/hooks.h"
#include "cli/listing.h"

/* What was found of a version and is not stored yet. */
struct cli_unsaved {
	char *minor;
	struct cli_findings findings; /* the texts */
	struct perun_stored_change *changes;
	size_t count;
};
/* So many versions are stored in one step. */
#define CLI_MOST_UNSAVED 100

struct cli_check_run {
	struct cli_unsaved unsaved[CLI_MOST_UNSAVED];
	size_t unsaved_count;
	struct cli_checker checker;
	struct cli *cli;
	struct perun_vcs *vcs;
	const struct cli_call *call;
	json_t *facts; /* --json */
	struct cli_roots roots;
	size_t better, worse, changes;
	size_t compared;               /* pairs */
	size_t strands;                /* that were compared in these */
	char *nothing;                 /* why nothing was compared; NULL = something was */
	struct cli_machines elsewhere; /* profiles left out for those before are of others */
	bool fails;
	json_t *degradations; /* for the hook */
	struct perun_acknowledgements *known;
	struct perun_between *between; /* what was compared last and is worse */
	size_t unmeasured; /* versions of which something should have been measured, and could not */
};

/*
 * Begin, with the revision that the call names, as a checksum, which the caller frees, too, where this
 * fails. cli_check_end() ends it in any case.
 */
int cli_check_start(struct cli *cli, const struct cli_call *call, struct cli_check_run *run,
		    char **minor);
/* Store and tell what is left, and free all. `status` is that of the run; returns the command's. */
int cli_check_end(struct cli_check_run *run, int status);
/* Whether versions are measured before they are compared. */
bool cli_check_measures(const struct cli_check_run *run);
/*
 * Measure what the matrix of the configuration has, and the version has not. Where that fails, as that of a
 * version which does not build, what there is is checked, and the exit status says so.
 */
int cli_check_missing(struct cli_check_run *run, const char *minor);
/* Find out which degradations of a version are known, once all of it is found. */
int cli_check_know(struct cli_check_run *run, const char *minor, struct cli_findings *findings);
/* Append why they are known, a line for each, and which commits may be a change when several may. */
void cli_check_list_notes(struct cli_check_run *run, const char *minor,
			  const struct cli_findings *findings, struct perun_buffer *text);
/* Keep what was found of a version, and count it. The findings are the run's then. */
int cli_check_take(struct cli_check_run *run, const char *minor, struct cli_findings *findings);
/* Append the findings as the user sees them. */
void cli_check_list(const struct cli_check_run *run, const struct cli_findings *findings,
		    struct perun_buffer *text);
/* After a search: the profiles that have baselines, but on other classes of machines alone. */
void cli_check_note_elsewhere(struct cli_check_run *run, const struct cli_baselines *search);
/* Say what was not compared for it was measured elsewhere; fail when that is all there was. */
int cli_check_tell_elsewhere(struct cli_check_run *run);

#endif
