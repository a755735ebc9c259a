/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one clock, found by what they are of: real times beside processor times and their parts. */
#ifndef PERUN_CORE_HISTORY_CLOCK_STRANDS_H
#define PERUN_CORE_HISTORY_CLOCK_STRANDS_H

#include "core/history/history.h"

/* What runs beside a program on the same core and caches costs its processor time up to that factor. */
#define HISTORY_SHARED 2

/* The metric of the sums of user and system times, which no profile has (clock-sums.c). */
#define HISTORY_SUMS "time(user+sys)"

/* Strands of one metric, the first of each location, command and machine. */
struct clock_strands {
	const char *metric;
	struct perun_pool *keys;
	const struct perun_strand **strands; /* of each key; they belong to their histories */
	size_t count, capacity;
	struct perun_buffer key;
};

/* Take those of a history and of its clocks, which must live on. Free them with clock_strands_free(). */
struct clock_strands clock_strands_of(const struct perun_history *history, const char *metric);
/* The strand that is of the same as one of another metric; NULL = there is none. */
const struct perun_strand *clock_strands_find(struct clock_strands *clocks,
					      const struct perun_strand *strand);
void clock_strands_free(struct clock_strands *clocks);

/* Whether the levels of the whole, at the versions of those of a part, leave the change of this part in doubt. */
bool history_doubts_part(const struct perun_strand *real, const struct perun_change_point *point);

/* perun_moved_with_sum() of the versions [first, index) and [index, end). */
bool history_moved_with_sum(const struct perun_strand *strand,
			    const struct perun_change_point *versions,
			    const struct perun_change_point *sum);
/*
 * Add the changes of real times, and of parts of processor times, that the processor time shows at the same version: there one test
 * decides, at `level`, where a search has all places of all benchmarks to choose from; or the sum, where the time moved with it. Other
 * programs add to a real time most of all, and ticks divide parts, so that a search may find a change in one clock and not in the
 * other. `*added` = whether there was any.
 */
int history_ask_processor_time(struct perun_ctx *ctx, struct perun_history *history,
			       const struct perun_change_options *options, double level,
			       bool *added);

#endif
