/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on a change of the program, for people and for machines. */
#ifndef PERUN_CLI_PRINT_CI_H
#define PERUN_CLI_PRINT_CI_H

#include "commands/common/between-notes.h"
#include "commands/common/change-line.h"
#include "cli/print/findings.h"

/* A finding and why it is no news (NULL = it is). */
struct cli_ci_item {
	const struct perun_stored_change *stored;
	char *known;
};

struct cli_ci {
	char *base, *head;         /* checksums */
	struct cli_ci_item *items; /* in the order of commands_order_changes() */
	size_t count;
	/* How many of each kind: those that are known count apart. */
	size_t worse, better, failed, changed, open, same, other, known;
	bool untimed; /* some are of bytes and others that are no times */
	const struct perun_findings *found;
	const struct perun_checker *checker;
	struct perun_between *between; /* the commits after the base */
	struct commands_between_notes notes;
	const char *site; /* where the pages of versions are; NULL = nowhere */
};

enum cli_ci_kind {
	CLI_CI_WORSE,
	CLI_CI_BETTER,
	CLI_CI_FAILED,
	CLI_CI_CHANGED,
	CLI_CI_OPEN,
	CLI_CI_SAME,
	CLI_CI_OTHER
};
enum cli_ci_kind cli_ci_kind(const struct perun_change *change);
/* Whether anything was compared: neither only new nor only gone. Else there is no verdict. */
bool cli_ci_compared(const struct cli_ci *ci);
/* "2 slower, 1 faster, 3 undecided, 14 unchanged". */
void cli_ci_headline(const struct cli_ci *ci, struct perun_buffer *out);
/* What finds the lines of a change for the worse, as commands_add_lines_offer() says it; false where nothing does. */
bool cli_ci_offer(const struct cli_ci *ci, struct perun_buffer *out);
void cli_ci_markdown(const struct cli_ci *ci, struct perun_buffer *out);
void cli_ci_junit(const struct cli_ci *ci, struct perun_buffer *out);

#endif
