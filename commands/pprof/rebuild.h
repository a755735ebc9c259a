/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile made again from another, with its places changed where they are. */
#ifndef PERUN_COMMAND_PPROF_REBUILD_H
#define PERUN_COMMAND_PPROF_REBUILD_H

#include "report.h"

/* What to change. {0} changes nothing but what pprof itself changes (see pprof_changes_mappings()). */
struct pprof_rebuilding {
	const struct perun_profile *profile;
	const struct perun_stacks *stacks;   /* rows and lines that are left; NULL = all */
	const struct perun_column **columns; /* the values to keep, in this order; of the profile */
	size_t column_count;
	const uint8_t *hidden_keys;    /* by string id: labels to leave out; or NULL */
	double ratio;                  /* values times this; 0 or 1: as they are */
	const char *binary, *build_id; /* file and build id of the first mapping; "" or NULL */
	const char *default_type;      /* NULL: as it is */
};

/*
 * Whether pprof would change the mappings of this profile: give one to profiles that have none, forget
 * files that are URLs, set what -buildid and a program on the command line say.
 */
bool pprof_changes_mappings(const struct perun_profile *profile,
			    const struct pprof_settings *settings);
/* Change them, and nothing else: `*profile` becomes another one, NULL after a failure. */
int pprof_change_mappings(struct perun_ctx *ctx, const struct pprof_rebuilding *what,
			  struct perun_profile **profile);
/* Functions, locations and mappings keep their order and ids. */
int pprof_rebuild(struct perun_ctx *ctx, const struct pprof_rebuilding *what,
		  struct perun_profile **profile);

#endif
