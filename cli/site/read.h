/* SPDX-License-Identifier: BSD-3-Clause */
/* What the profiles of a version say, while they are read. */
#ifndef PERUN_CLI_SITE_READ_H
#define PERUN_CLI_SITE_READ_H

#include "cli/site/site.h"

/* A number of a strand, in the order they were read. */
struct site_item {
	uint32_t strand, order;
	double value;
};

struct site_reading {
	struct site *site;
	const struct perun_entry *entry;
	char *command, *machine; /* of the profile that is being read */
	const char *text;        /* the case of a sweep, "" = none */
	struct site_item *items;
	size_t count, capacity;
};

/* Add a repeat to a strand; what is no number is left out. */
void site_reading_add(struct site_reading *reading, uint32_t strand, double value);
/* The strand of a metric at a place, "" = all together, of the profile that is being read. */
uint32_t site_reading_strand(struct site_reading *reading, const struct perun_metric *metric,
			     const char *location);

/* Profiles with stacks and no uids (read-stacks.c): places are functions, with what they cost themselves. */
bool site_has_stacks(const struct perun_table *resources);
int site_read_stacks(struct site_reading *reading, struct perun_profile *profile);

#endif
