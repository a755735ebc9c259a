/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries by what they measure, so that those that may be compared are found without a look at all of them. */
#ifndef PERUN_CORE_COMPARE_KINDS_H
#define PERUN_CORE_COMPARE_KINDS_H

#include <perun/store.h>

#include "core/profile/pool.h"

struct entry_kinds {
	bool workloads;          /* distinguish entries by their workloads, too */
	struct perun_pool *keys; /* type, command, collector and workload */
	size_t *starts;          /* of each kind, in `members` */
	uint32_t *members;       /* numbers of entries by their kinds, ascending in each */
};

/* Of entries (no longer needed afterwards). Clear it, also when it was never made: {0}. */
void entry_kinds_make(struct entry_kinds *kinds, const struct perun_entries *entries,
		      bool workloads);
void entry_kinds_clear(struct entry_kinds *kinds);
/* The numbers of the entries of the kind of `entry`, ascending; whether arguments and postprocessors fit is not asked. */
const uint32_t *entry_kinds_find(const struct entry_kinds *kinds, const struct perun_entry *entry,
				 size_t *count);

#endif
