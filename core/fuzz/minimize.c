/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The smallest input that keeps its ratio: what can be left out is, in ever smaller parts (delta debugging: Zeller and
 * Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28, 2002, section 3).
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/context/clock.h"
#include "core/fuzz/search.h"

/* This share of the ratio has to stay. */
#define KEPT     0.85
#define MAX_RUNS 4000
/* The seconds of a run where only enough is wanted. */
#define QUICK 0.1

struct shrinking {
	struct perun_fuzz *search;
	struct fuzz_target *target;
	struct fuzz_find *find;
	double least; /* ratio */
	double limit; /* of a run; what is ended cost enough by then, or not */
	unsigned runs;
	struct perun_buffer candidate;
};

/* Whether the candidate is as dear for its length; then it is the find from now on. */
static int try_candidate(struct perun_ctx *ctx, struct shrinking *work, bool *taken)
{
	struct fuzz_entry *entry = &work->find->entry;
	struct fuzz_run run;
	double ratio;
	int status =
		fuzz_target_run(ctx, work->target, work->candidate.data ? work->candidate.data : "",
				work->candidate.length, work->limit, work->find->until, &run);

	*taken = false;
	work->runs++;
	if (status || (run.outcome != FUZZ_DONE && run.outcome != FUZZ_HUNG))
		return status;
	ratio = fuzz_ratio(work->search, &run, work->candidate.length, entry->by_time);
	if (ratio < work->least)
		return PERUN_OK;
	if (work->candidate.length)
		memcpy(entry->bytes, work->candidate.data, work->candidate.length);
	entry->size = work->candidate.length;
	entry->cost = run.cost;
	entry->seconds = run.seconds;
	entry->ratio = ratio;
	entry->hung = run.outcome == FUZZ_HUNG;
	*taken = true;
	return PERUN_OK;
}

static bool time_is_over(struct perun_ctx *ctx, const struct shrinking *work)
{
	return work->runs >= MAX_RUNS || clock_now() >= work->find->until || perun_cancelled(ctx);
}

/* All parts of this length once; `*any`: one was left out. */
static int leave_out(struct perun_ctx *ctx, struct shrinking *work, size_t length, bool *any)
{
	struct fuzz_entry *entry = &work->find->entry;
	int status = PERUN_OK;

	*any = false;
	for (size_t at = 0; at < entry->size && !status && !time_is_over(ctx, work);) {
		size_t end = at + length < entry->size ? at + length : entry->size;
		bool taken;

		perun_buffer_clear(&work->candidate);
		perun_buffer_add(&work->candidate, entry->bytes, at);
		perun_buffer_add(&work->candidate, entry->bytes + end, entry->size - end);
		if (!work->candidate.length)
			break;
		status = try_candidate(ctx, work, &taken);
		*any |= taken;
		if (!taken)
			at = end;
	}
	return status;
}

/* Bytes that do not matter become the one before them: what is left is what a person has to understand. */
static int make_plain(struct perun_ctx *ctx, struct shrinking *work)
{
	struct fuzz_entry *entry = &work->find->entry;
	int status = PERUN_OK;

	for (size_t i = 1; i < entry->size && !status && !time_is_over(ctx, work); i++) {
		bool taken;

		if (entry->bytes[i] == entry->bytes[i - 1] || entry->size > 256)
			continue;
		perun_buffer_clear(&work->candidate);
		perun_buffer_add(&work->candidate, entry->bytes, entry->size);
		work->candidate.data[i] = entry->bytes[i - 1];
		status = try_candidate(ctx, work, &taken);
	}
	return status;
}

int fuzz_minimize(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		  struct fuzz_find *find, double enough)
{
	struct shrinking work = {.search = search,
				 .target = target,
				 .find = find,
				 .least = fmin(find->entry.ratio * KEPT, enough),
				 .limit = isfinite(enough) ? QUICK : search->options.run_limit};
	size_t length = find->entry.size / 2;
	bool any = true;
	int status = PERUN_OK;

	if (work.least < search->options.ratio)
		work.least = search->options.ratio;
	while (length && !status && !time_is_over(ctx, &work)) {
		status = leave_out(ctx, &work, length, &any);
		if (length > 1 || !any)
			length /= 2;
	}
	find->smallest = !length && !time_is_over(ctx, &work);
	if (!status)
		status = make_plain(ctx, &work);
	perun_buffer_free(&work.candidate);
	return status;
}
