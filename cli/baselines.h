/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest measured versions before a version, for each of its profiles. */
#ifndef PERUN_CLI_BASELINES_H
#define PERUN_CLI_BASELINES_H

#include <perun/store.h>

#include "cli/cli.h"

/* A profile of the version under check, and a profile that it can be compared with. */
struct cli_pair {
	size_t target; /* number in the targets */
	char minor[PERUN_CHECKSUM_SIZE + 24];
	char checksum[PERUN_CHECKSUM_SIZE];
};

struct cli_pending; /* a version that is still to be seen */

/*
 * Tells whether two profiles that are alike as far as their entries tell are alike in the rest, too: the
 * arguments of the command (most indexes do not hold them) and the class of the machine.
 */
typedef int cli_alike(void *data, const struct perun_entry *one, const struct perun_entry *other,
		      bool *are);

struct cli_baselines {
	struct cli *cli;
	cli_alike *alike;
	void *data;
	/* One entry for each kind of profile (type, command, workload ...): the last wins. */
	const struct perun_entry **targets;
	size_t target_count;
	struct cli_pending *pending;
	size_t pending_count, pending_capacity;
	struct cli_pair *pairs;
	size_t pair_count, pair_capacity;
};

/*
 * `entries` (borrowed) are those of the version, `parents` its parents; `alike` gets `data`. Free
 * also after a failure.
 */
int cli_baselines_start(struct cli_baselines *search, struct cli *cli, cli_alike *alike, void *data,
			const struct perun_entries *entries, const char *const *parents,
			size_t parent_count);
void cli_baselines_free(struct cli_baselines *search);
/*
 * Look at a version; versions come children before parents. PERUN_STOP when all is found. What an
 * ancestor of a version already found holds does not count.
 */
int cli_baselines_visit(struct cli_baselines *search, const char *minor, const char *const *parents,
			size_t parent_count);
/* How many targets have no baseline, so far. */
size_t cli_baselines_unpaired(const struct cli_baselines *search);
/* Whether further versions may matter. */
bool cli_baselines_wanting(const struct cli_baselines *search);

/*
 * The only profile of a version that differs from one of another version in nothing but the name of its file, where
 * neither version has several of these: imported files may be called anything. NULL = there is none.
 */
const struct perun_entry *cli_baseline_by_kind(struct cli *cli, const struct perun_entries *bases,
					       const struct perun_entry *const *heads,
					       size_t head_count, const struct perun_entry *head);

/* Whether the profile of an entry can be the baseline of another's, as far as the entries tell. */
bool cli_compatible(const struct perun_entry *baseline, const struct perun_entry *target);

#endif
