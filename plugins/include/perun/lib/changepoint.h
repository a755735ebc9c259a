/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Change points: where a series of measurements, one after the other, changed its level. Of the growing part
 * of the interface: see perun/lib/version.h.
 */
#ifndef PERUN_LIB_CHANGEPOINT_H
#define PERUN_LIB_CHANGEPOINT_H

#include <perun/context.h>
#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum perun_change_method {
	PERUN_CHANGE_SEGMENTS,   /* "segments": robust segmentation, the default */
	PERUN_CHANGE_E_DIVISIVE, /* "e-divisive": as Otava (Hunter) does, without random numbers */
	PERUN_CHANGE_STEP,       /* "step": piecewise constant in the L1 norm, as asv */
	PERUN_CHANGE_T_TEST,     /* "t-test": windows before and after each point, as Perfherder */
	PERUN_CHANGE_METHODS
};
/* "segments", "e-divisive", "step", "t-test"; NULL behind the last. */
PERUN_EXPORT const char *perun_change_method_name(enum perun_change_method method);
/* PERUN_CHANGE_METHODS when unknown. */
PERUN_EXPORT enum perun_change_method perun_change_method_from_name(const char *name);

/* What is looked at. All borrowed. */
struct perun_series {
	uint32_t struct_size;
	const double *values; /* one for each version, oldest first; NaN = not measured */
	size_t count;
	/*
	 * The repeats behind the values, where they are known: those of value i are
	 * repeats[starts[i]] ... repeats[starts[i + 1] - 1]. starts has count + 1 elements. May be NULL.
	 */
	const double *repeats;
	const size_t *starts;
};

struct perun_change_options {
	uint32_t struct_size;
	enum perun_change_method method;
	/* The least change that counts, as a share of the level before; 0 = what noise allows. */
	double threshold;
};

/* A change of the level between two neighbouring segments. */
struct perun_change_point {
	size_t index;         /* the first value after it */
	size_t first, end;    /* values [first, index) and [index, end) are what it separates */
	double before, after; /* medians of both, in units of the values */
	double shift;         /* Hodges-Lehmann, after - before */
	double low, high;     /* its 95 % interval, widened for autocorrelation */
	double p; /* of Mann and Whitney's test for both segments, likewise; NaN = none */
};

/* A slow drift: not a change at one point. */
struct perun_trend {
	bool found;
	double slope;     /* units for each version */
	double low, high; /* its 95 % interval */
	size_t since;     /* the first version of it */
	size_t until;     /* the first version behind it; the number of values when it goes on */
};

struct perun_changes {
	struct perun_change_point *points; /* in order of index */
	size_t count;
	struct perun_trend trend;
	double noise;       /* robust standard deviation of one value about its level */
	double correlation; /* of neighbouring residuals, 0 when negative */
};

/*
 * Find the changes of a series. Deterministic: a function of the series and the options alone, so what
 * is found after a value was appended is what a whole new computation finds. Free the result with
 * perun_changes_free(). Fails with PERUN_USAGE for infinite values and for methods that do not exist.
 *
 * "segments" limits the values to three robust deviations about their median (Huber, 1964), so that
 * outliers say no more than they know, takes the best splits of seeded intervals (Kovacs, Buehlmann, Li and
 * Munk, 2023) as candidates, and removes candidates one after the other, the least useful first. Of all
 * sets on this way it takes the one with the least m log RSS + penalty for each change, where RSS are the
 * squared innovations of one autoregressive process of order 1 whose coefficient is estimated with each
 * set (m values) and freed of the bias that fitted levels give it (Kendall, 1954): noise that remembers
 * itself needs no changes to be explained. Within the segments the same is done again about their own
 * medians; and on the series without a linear trend, or one that begins or ends within it. A trend costs
 * log m (Schwarz, 1978), its beginning, its end and each change a penalty: levels that a drift explains as
 * well are a drift. Fewer than four values between two changes, and than three at an end, are no level of
 * their own. What is left must stand a test (Welch's, its error widened for autocorrelation) in its own two
 * segments, and in the 60 independent values next to it on each side, since noise is not as wide
 * everywhere. Time: O(m log m).
 *
 * How often it is wrong: bench/changepoint. Its constants and steps were chosen on the seeds 1 to 29; on 31
 * and 37 (300 series of each kind and each of six lengths from 30 to 1000) 0.6 % of all unchanged series have
 * a change: 0 to 1.8 % of each kind of noise (autocorrelation 0.3 to 0.9, drifts, outliers, two modes, one
 * side, changing variance), 4.6 % of those with a drift in noise of autocorrelation 0.5. From 100 values on,
 * 92 % and more of the steps of each kind are found (of twice the deviation and more, in noise without
 * correlation); F1 is 0.965. In noise of autocorrelation 0.7 a step of 2.5 deviations is found in 47 % of
 * 100 values, 90 % of 365 and 96 % of 1000; one of 5 deviations in 91 %, 100 % and 100 %.
 */
PERUN_EXPORT int perun_find_changes(struct perun_ctx *ctx, const struct perun_series *series,
				    const struct perun_change_options *options,
				    struct perun_changes *changes);
PERUN_EXPORT void perun_changes_free(struct perun_changes *changes);
/*
 * Of the changes of many series (functions, metrics), found with `options`, drop those that so many tests
 * show by chance: Benjamini and Hochberg at a false discovery rate of `level` over the p of all changes,
 * each times the number of places it was chosen from, and a p of 1 for each series without any. Where the
 * values before and after hardly overlap, as few values do whose ranks cannot make p small, p is the lesser of
 * that and twice the one of Welch's test, its error widened for an autocorrelation of 0.5 at least. What is
 * left is described anew. Nothing is done to a single series.
 */
PERUN_EXPORT int perun_correct_changes(struct perun_ctx *ctx, const struct perun_series *series,
				       size_t count, const struct perun_change_options *options,
				       double level, struct perun_changes *changes);

#ifdef __cplusplus
}
#endif
#endif
