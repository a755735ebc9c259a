/* SPDX-License-Identifier: BSD-3-Clause */
/* What the histories of all metrics say of each version: the same as perun history and perun blame. */
#ifndef PERUN_CLI_CHECK_STRANDS_H
#define PERUN_CLI_CHECK_STRANDS_H

#include "cli/compare.h"
#include "cli/history.h"

struct cli_strands {
	struct perun_history *history;
	struct cli_findings *versions; /* of each version of the line */
	size_t left;                   /* versions of the line that were not asked for yet */
	size_t count, changed;         /* strands with at least two versions; with a change */
	size_t compared; /* versions that had one before to be compared with, of all strands */
	double excluded; /* the largest change that an unchanged strand may hide, as a share */
	size_t open;     /* strands without a change that may hide one of more than 5 % */
};

/* Find the changes of all histories up to `head`. Free it also after a failure. */
int cli_strands_load(struct cli *cli, const char *head, bool unchanged,
		     struct cli_strands *strands);
void cli_strands_free(struct cli_strands *strands);
/* What was found at a version, for versions from the newest to the oldest; NULL = it is not on the line. */
struct cli_findings *cli_strands_of(struct cli_strands *strands, const char *checksum);

#endif
