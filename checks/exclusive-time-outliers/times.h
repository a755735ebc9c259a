/* SPDX-License-Identifier: BSD-3-Clause */
/* Exclusive times of functions, before and after. */
#ifndef EXCLUSIVE_TIME_TIMES_H
#define EXCLUSIVE_TIME_TIMES_H

#include <perun/check.h>
#include <perun/query.h>

/* A function of the target, at a place. Times are milliseconds. */
struct exclusive_row {
	const char *uid, *location; /* owned by the table */
	double before, after;
	bool fresh; /* the baseline does not have it */
};

struct exclusive_times {
	struct exclusive_row *rows;
	size_t count;
	double total; /* of the target, whatever was filtered */
	char **texts;
	size_t text_count, text_capacity;
};

/*
 * Sum the column `exclusive` (nanoseconds) of both sides by uid and location and join them on the
 * target. Locations that only one side has and whose names are alike (a library of another version)
 * are one, named by what their names begin with. `filter`, a glob, chooses locations. Fails
 * (PERUN_NOT_COMPARED) when a side has no exclusive times. Free also after a failure.
 */
int exclusive_times_join(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			 const char *filter, struct exclusive_times *times);
void exclusive_times_free(struct exclusive_times *times);

/*
 * How alike two texts are, from 0 to 1: J. W. Ratcliff and D. E. Metzener, "Pattern matching: the
 * gestalt approach", Dr. Dobb's Journal (July 1988): twice the matched characters over all. The
 * longest common piece is matched (the first of equals), then what lies left and right of it.
 */
double exclusive_likeness(const char *a, const char *b);

#endif
