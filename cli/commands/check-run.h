/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun check of one version and of all have in common. */
#ifndef PERUN_CLI_COMMANDS_CHECK_RUN_H
#define PERUN_CLI_COMMANDS_CHECK_RUN_H

#include "cli/print/findings.h"
#include "cli/print/commits.h"
#include "cli/commands/hooks.h"
#include "cli/print/listing.h"

struct cli_check_run {
	struct cli *cli;
	struct perun_checker *checker;
	struct perun_vcs *vcs;
	const struct cli_call *call;
	struct perun_json *facts; /* --json */
	struct cli_change_counts changes;
	size_t strands; /* that were compared */
	size_t not_compared; /* profiles without one of the same kind before, or on other machines alone */
	bool fails;
	struct perun_json *degradations; /* for the hook */
	struct perun_between *between;   /* what was compared last and is worse */
	size_t unmeasured; /* versions of which something should have been measured, and could not */
};

/*
 * Begin, with the revision that the call names, as a checksum, which the caller frees, too, where this
 * fails. cli_check_end() ends it in any case.
 */
int cli_check_start(struct cli *cli, const struct cli_call *call, struct cli_check_run *run,
		    char **minor);
/* Print the document of --json, run the hook, and free all. `status` is that of the run; returns the command's. */
int cli_check_end(struct cli_check_run *run, int status);
/* Append the findings of a version, and which commits may be a change when several may. */
void cli_check_list(struct cli_check_run *run, const char *minor, const char *subject,
		    const struct perun_findings *findings, struct perun_buffer *text);
/* Count what was found of a version, and note it for --json and the hook. */
void cli_check_count(struct cli_check_run *run, const char *minor,
		     const struct perun_findings *findings);

/* ---- check-missing.c -------------------------------------------------------------------------- */

/* Whether versions are measured before they are compared. */
bool cli_check_measures(struct cli *cli, const struct cli_call *call);
/*
 * Measure what the matrix of the configuration has, and the version has not. Where that fails, as that of a
 * version which does not build, what there is is checked, and the exit status says so.
 */
int cli_check_missing(struct cli *cli, const char *minor, size_t *unmeasured);

#endif
