/* SPDX-License-Identifier: BSD-3-Clause */
/* What two profiles say of themselves, side by side: what was run, where and how. */
#ifndef PERUN_VIEWS_COMMON_FACTS_H
#define PERUN_VIEWS_COMMON_FACTS_H

#include <perun/profile.h>

struct views_fact {
	char *section;  /* "header", "machine", "collector_info" ... */
	char *name;     /* "cpu model"; "" = the section is the fact */
	char *texts[2]; /* of base and new; NULL = it does not say */
	bool differs;
};
struct views_facts {
	struct views_fact *items; /* header first, then machine, then as they come */
	size_t count, capacity;
	size_t different;
	struct perun_json
		*places; /* section, name: the number of the item; while they are gathered */
};

void views_facts_of(struct perun_profile *const profiles[2], struct views_facts *facts);
void views_facts_clear(struct views_facts *facts);
/* How much of the run was spent on measuring it, as its collector says; 0 below a tenth or unknown. */
double views_overhead(const struct perun_profile *profile);
/* The sum of a metric over all resources that carry it. */
long double views_metric_sum(const struct perun_metric *metric);

#endif
