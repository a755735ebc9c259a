/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded stacks: "main;f;g 12", as flame graph scripts take them. */
#ifndef COLLAPSED_H
#define COLLAPSED_H

#include <perun/format.h>

struct collapsed_options {
	char *metric, *base; /* NULL = the default one; none */
	bool recorded;       /* lines in the order of the samples, not sorted by their stacks */
	unsigned counts; /* numbers at the end of each line; 0 = found out from the first lines */
};

int collapsed_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		   struct perun_builder *builder);
int collapsed_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct perun_output *output);

/* The bytes of all allocations; what was freed has none and is left out. */
struct collapsed_allocations {
	struct perun_metric metric;
	const struct perun_metric *without; /* NULL = nothing was freed */
};
/* False: the profile has no such metrics, or another one is its default. */
bool collapsed_find_allocations(const struct perun_profile *profile,
				struct collapsed_allocations *found);
/* Whether a row has a value of a metric, which may be that of `found`. */
bool collapsed_has_row(const struct collapsed_allocations *found, const struct perun_metric *metric,
		       size_t row);

/* How many stacks there have to be for each line that is not one and is left out. */
enum { COLLAPSED_GOOD_LINES = 2 };

/* A weight: `integer` when it is whole and fits. */
struct collapsed_number {
	bool whole;
	int64_t integer;
	double real; /* in any case */
};

/*
 * Take one or two numbers off the end of a line; `*length` becomes that of the stack before them. False
 * when they are not there.
 */
bool collapsed_take(const char *line, size_t *length, unsigned counts,
		    struct collapsed_number *numbers);

#endif
