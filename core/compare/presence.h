/* SPDX-License-Identifier: BSD-3-Clause */
/* Where benchmarks are new, though others were measured before, and gone for good, though others are measured on. Internal. */
#ifndef PERUN_CORE_COMPARE_PRESENCE_H
#define PERUN_CORE_COMPARE_PRESENCE_H

#include "core/compare/checker.h"

/* Of a strand. */
struct check_ends {
	size_t before, first; /* it is new at the latter; SIZE_MAX = nowhere */
	size_t last, after;   /* it is gone at the latter; SIZE_MAX = nowhere */
};
/* Those of the strands of a history that are shown, in their order; the caller frees them. */
struct check_ends *check_find_ends(struct perun_checker *checker,
				   const struct perun_history *history);
/* Whether a profile is of what is measured, whatever its arguments and workload. */
bool check_is_of_command(const struct perun_entry *entry, const char *command);
/* The collector of a version's profiles of what is measured, where they have one, else NULL; the caller frees it. */
char *check_collector_of(struct perun_checker *checker, const char *version, const char *command);

#endif
