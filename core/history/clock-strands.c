/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one clock by what they are of, and what they say of another's. */
#include <math.h>
#include <string.h>

#include "core/changepoint/known-place.h"
#include "core/history/clock-strands.h"
#include "core/history/values.h"
#include "core/profile/pool.h"

/* Of two times that moved together one moved by this share of the other, at least. */
#define ALONG 0.5
/* A part below this share of the whole cannot have moved it. */
#define MIN_PART 0.1

/* ---- those of the same ----------------------------------------------------------------------------- */

/* The key of what a strand is of, whatever its metric. */
static void set_key(struct perun_buffer *key, const struct perun_strand *strand)
{
	perun_buffer_clear(key);
	perun_bytes_add_text(key, strand->location);
	perun_bytes_add_text(key, strand->command);
	perun_bytes_add_text(key, strand->machine);
}

static void take(struct clock_strands *clocks, const struct perun_history *history)
{
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;
		perun_id id;

		if (strcmp(strand->metric, clocks->metric) != 0)
			continue;
		set_key(&clocks->key, strand);
		id = perun_pool_add(&clocks->keys, clocks->key.data, clocks->key.length);
		if (id < clocks->count)
			continue;
		PERUN_GROW(clocks->strands, clocks->count, clocks->capacity);
		clocks->strands[clocks->count++] = strand;
	}
	if (history->sums)
		take(clocks, history->sums);
	if (history->clocks)
		take(clocks, history->clocks);
}

struct clock_strands clock_strands_of(const struct perun_history *history, const char *metric)
{
	struct clock_strands clocks = {.metric = metric, .keys = perun_pool_new(false)};

	take(&clocks, history);
	return clocks;
}

const struct perun_strand *clock_strands_find(struct clock_strands *clocks,
					      const struct perun_strand *strand)
{
	perun_id id;

	if (!clocks->count)
		return NULL;
	set_key(&clocks->key, strand);
	id = perun_pool_find(clocks->keys, clocks->key.data, clocks->key.length);
	return id < clocks->count ? clocks->strands[id] : NULL;
}

void clock_strands_free(struct clock_strands *clocks)
{
	perun_pool_unref(clocks->keys);
	perun_free((void *)clocks->strands);
	perun_buffer_free(&clocks->key);
}

/* ---- a part and the whole -------------------------------------------------------------------------- */

bool perun_part_exceeds(const double part[2], const double whole[2])
{
	/* Also where the whole is not known. */
	return !(part[0] <= whole[0] && part[1] <= whole[1]);
}

bool perun_whole_moved_along(const double part[2], const double whole[2])
{
	const double change = part[1] - part[0], moved = whole[1] - whole[0];
	const double less = fmin(part[0], part[1]), more = fmax(part[0], part[1]);

	return less > 0 && more >= HISTORY_SHARED * less && change * moved > 0 &&
	       fabs(moved) >= fabs(change) / 2 &&
	       fabs(change) >= MIN_PART * fmin(whole[0], whole[1]);
}

bool perun_sum_moved_along(double part, double sum)
{
	return !(sum / part < ALONG);
}

bool history_doubts_part(const struct perun_strand *real, const struct perun_change_point *point)
{
	const double part[2] = {point->before, point->after};
	const size_t end = point->end < real->count ? point->end : real->count;
	const double whole[2] = {history_level(real, point->first, point->index),
				 history_level(real, point->index, end)};

	return !perun_part_exceeds(part, whole) && !perun_whole_moved_along(part, whole);
}

/* ---- what processor time shows -------------------------------------------------------------------- */

/* Whether a strand has a change of its own between the levels of another's. */
static bool has_answer(const struct perun_segmentation *changes,
		       const struct perun_change_point *point)
{
	for (size_t i = 0; i < changes->count; i++) {
		if (changes->points[i].index > point->first &&
		    changes->points[i].index < point->end)
			return true;
	}
	return false;
}

static double measured_in(const struct perun_strand *strand, size_t first, size_t end)
{
	double measured = 0;

	for (size_t i = first; i < end; i++)
		measured += !isnan(strand->values[i]);
	return measured;
}

bool perun_moved_with_sum(const double levels[2], double sessions, double sum, bool part)
{
	double share = (levels[1] - levels[0]) / sum;

	return fabs(log(levels[1] / levels[0])) >= log(HISTORY_SHARED) / sqrt(sessions) &&
	       share >= ALONG && (!part || share * ALONG <= 1);
}

bool history_moved_with_sum(const struct perun_strand *strand,
			    const struct perun_change_point *versions,
			    const struct perun_change_point *sum)
{
	size_t end = versions->end < strand->count ? versions->end : strand->count;
	const double levels[2] = {history_level(strand, versions->first, versions->index),
				  history_level(strand, versions->index, end)};

	return perun_moved_with_sum(levels,
				    fmin(measured_in(strand, versions->first, versions->index),
					 measured_in(strand, versions->index, end)),
				    sum->after - sum->before,
				    perun_is_part_of_time(strand->metric));
}

/* `sum` = the processor time is the sum of its parts. */
static int ask(struct perun_ctx *ctx, struct perun_strand_builder *builder,
	       const struct perun_strand *cpu, bool sum, const struct perun_change_options *options,
	       double level, bool *added)
{
	const struct perun_strand *strand = &builder->strand;
	const struct perun_value_series series = perun_strand_series(strand);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < cpu->changes->count; i++) {
		const struct perun_change_point *point = &cpu->changes->points[i];
		bool along = sum && history_moved_with_sum(strand, point, point);
		const struct changepoint_known known = {point->index, point->after > point->before,
							along ? point->p : 1};

		if (!has_answer(&builder->changes, point))
			status = changepoint_add_known(ctx, &series, options, level, &known,
						       &builder->changes, added);
	}
	return status;
}

int history_ask_processor_time(struct perun_ctx *ctx, struct perun_history *history,
			       const struct perun_change_options *options, double level,
			       bool *added)
{
	struct clock_strands cpus = clock_strands_of(history, "time(cpu)");
	struct clock_strands sums = clock_strands_of(history, HISTORY_SUMS);
	int status = PERUN_OK;

	*added = false;
	for (size_t s = 0; !status && s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];
		bool real = strcmp(builder->metric, "time(real)") == 0;
		const struct perun_strand *cpu =
			real ? clock_strands_find(&cpus, &builder->strand) : NULL;
		const struct perun_strand *sum = NULL;

		if (!cpu && (real || perun_is_part_of_time(builder->metric)))
			sum = clock_strands_find(&sums, &builder->strand);
		if (cpu || sum)
			status = ask(ctx, builder, cpu ? cpu : sum, sum, options, level, added);
	}
	clock_strands_free(&cpus);
	clock_strands_free(&sums);
	return status;
}
