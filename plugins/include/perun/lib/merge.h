/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merging profiles that have stacks into one. Of the growing part of the interface: see perun/lib/version.h.
 * Threads: a plan or a merger belongs to one thread at a time; it uses all processors by itself.
 */
#ifndef PERUN_LIB_MERGE_H
#define PERUN_LIB_MERGE_H

#include <perun/lib/version.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Two objects. A plan says what the result will have: the metrics that all inputs share, each in the
 * finest of their units. A merger takes one input after the other and keeps only the result.
 *
 *	plan = perun_merge_plan_new(flags);
 *	for each input: perun_merge_plan_add(ctx, plan, profile);   what it has is examined, no samples
 *	merger = perun_merger_new(plan);
 *	for each input: perun_merger_add(ctx, merger, &input);
 *	perun_merger_finish(ctx, merger, &result);
 *
 * Inputs that are too many to be held at once can be merged as they are read, as long as the plan stays
 * what it was: perun_merge_plan_changed(). Where it changes, the merger is thrown away and the inputs
 * are read once more when the plan is complete.
 *
 * Samples are the same when their stacks and labels are. Locations are the same when their lines, their
 * mapping and their place in it are, mappings when the file (by build id, else name), offset and size
 * (in pages) are, functions when name, system name, file and first line are. The result is numbered from
 * 1 in the order of first use by samples; what no sample uses is left out, except that the first mapping
 * of all stays the first. Samples whose values are all 0 vanish. The time of the result is the earliest,
 * the duration the sum, the period the largest; comments are put together; drop and keep expressions are
 * those of the first input. Other tables and columns are left out.
 *
 * Sums are exact, and a sum or a scaled value that leaves 64 bits is an error. With PERUN_MERGE_AS_PPROF
 * every step is that of google/pprof, bit for bit: values are scaled as doubles; a sample is dropped
 * when all its scaled columns become 0; sums wrap around; of the columns of a location's lines only the
 * last distinguishes locations; an input without time after one with a time takes that away; a metric
 * that occurs twice in an input is in no result.
 *
 * With PERUN_MERGE_NO_DEDUP, perun_merge() need not find out what is the same where that does not show in
 * sums over samples, of values and of their magnitudes, by anything but ids and addresses: samples, stacks,
 * locations and functions that are alike may be there several times, and unused ones, too. That is several
 * times faster for a profile and another with a label and factors of -1, when values are not negative;
 * everything else is merged as ever.
 *
 * With PERUN_MERGE_CANONICAL, alone, the result depends on what is merged and not on its order: metrics, functions, samples and all else are
 * sorted by what they are, and where inputs differ in what is not summed (where a mapping was loaded, the default metric, drop and keep
 * expressions), the smallest counts. Merging results of parts gives the same bytes as merging all at once, as long as values are
 * whole numbers.
 */
enum perun_merge_flags {
	PERUN_MERGE_AS_PPROF = 1,
	PERUN_MERGE_NO_DEDUP = 2,
	PERUN_MERGE_CANONICAL = 4
};

struct perun_merge_plan;
PERUN_EXPORT struct perun_merge_plan *perun_merge_plan_new(unsigned flags);
PERUN_EXPORT void perun_merge_plan_free(struct perun_merge_plan *plan); /* NULL is fine */
/*
 * Take the next input's metrics and period into account; a reference to the profile is not kept. Fails
 * (PERUN_INPUT) when the inputs have no metric in common, or incompatible units or period types.
 */
PERUN_EXPORT int perun_merge_plan_add(struct perun_ctx *ctx, struct perun_merge_plan *plan,
				      const struct perun_profile *profile);
/* Whether the last _add changed what the result has (that of the first input does not count). */
PERUN_EXPORT bool perun_merge_plan_changed(const struct perun_merge_plan *plan);

struct perun_merge_input {
	uint32_t struct_size;
	const struct perun_profile
		*profile; /* borrowed during the call; its metrics are in the plan */
	/*
	 * Multiply first: one factor for each metric of the profile (perun_merge_totals() says how many),
	 * or NULL. -1 is exact; products with other factors are rounded to the nearest.
	 */
	const double *factors;
	/* A string label for every sample, in the place of what it has under that key; or NULL. */
	const char *label_key, *label_text;
};

struct perun_merger;
/* The plan is copied. */
PERUN_EXPORT struct perun_merger *perun_merger_new(const struct perun_merge_plan *plan);
PERUN_EXPORT void perun_merger_free(struct perun_merger *merger); /* NULL is fine */
PERUN_EXPORT int perun_merger_add(struct perun_ctx *ctx, struct perun_merger *merger,
				  const struct perun_merge_input *input);
/* Make the profile and free the merger, also on failure. */
PERUN_EXPORT int perun_merger_finish(struct perun_ctx *ctx, struct perun_merger *merger,
				     struct perun_profile **profile);

/*
 * The sums of the metrics that a merge sees in a profile, in its order (they wrap around): for factors
 * that normalize. Stores at most `room`, returns how many there are.
 */
PERUN_EXPORT size_t perun_merge_totals(const struct perun_profile *profile, int64_t *totals,
				       size_t room);

/*
 * Profiles of which only one is held at a time: read(..., i, data, ...) gives a new reference to number i, a second time where a
 * later one changes the plan. A failure to merge one is told with name(data, i), a failure to read as read() says it.
 */
PERUN_EXPORT int perun_merge_each(struct perun_ctx *ctx, size_t count,
				  int (*read)(struct perun_ctx *ctx, size_t i, void *data,
					      struct perun_profile **profile),
				  const char *(*name)(void *data, size_t i), void *data,
				  unsigned flags, struct perun_profile **profile);
/* The same of files of any format with stacks. A failure names the file. */
PERUN_EXPORT int perun_merge_files(struct perun_ctx *ctx, const char *const *paths, size_t count,
				   unsigned flags, struct perun_profile **profile);

/*
 * All at once: the plan of all inputs, then the inputs. One input alone is merged too (equal samples are
 * put together, ids renumbered).
 */
PERUN_EXPORT int perun_merge(struct perun_ctx *ctx, const struct perun_merge_input *inputs,
			     size_t count, unsigned flags, struct perun_profile **profile);

#ifdef __cplusplus
}
#endif
#endif
