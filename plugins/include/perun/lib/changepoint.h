/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Change points: where a series of measurements, one after the other, changed its level. Of the growing part
 * of the interface: see perun/lib/version.h.
 * Threads: pure functions, for any thread; results belong to the caller.
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
/* "segments", "e-divisive", "step", "t-test"; NULL after the last. */
PERUN_EXPORT const char *perun_change_method_name(enum perun_change_method method);
/* PERUN_CHANGE_METHODS when unknown. */
PERUN_EXPORT enum perun_change_method perun_change_method_from_name(const char *name);

/* What is examined. All borrowed. */
struct perun_value_series {
	uint32_t struct_size;
	const double *values; /* one for each version, oldest first; NaN = not measured */
	size_t count;
	/*
	 * The repeats that the values are medians of, where they are known: those of value i are
	 * repeats[starts[i]] ... repeats[starts[i + 1] - 1]. starts has count + 1 elements. May be NULL.
	 */
	const double *repeats;
	const size_t *starts;
	bool exact; /* a program repeats the values exactly (sizes, instructions): every difference counts */
	double sample; /* values are counts of samples, each of which adds this; 0 = they are not */
	const double *
		deviations; /* known standard errors of the values, as shares, 0 = not known; NULL = none */
	/*
	 * Of counts of samples: how repeats of others that are measured along vary, times the variance of a Poisson process
	 * (0 = not known), and the degrees of freedom that this counts for beside what the repeats show themselves. Of
	 * other values with repeats: the variance of the logarithms of others from version to version.
	 */
	double dispersion, dispersion_freedom;
};

struct perun_change_options {
	uint32_t struct_size;
	enum perun_change_method method;
	/*
	 * The smallest change that is reported, as a share of the level before. 0: the default, 0.01, or
	 * 0.005 in a series of whole numbers (sizes, counts). Negative: every change that noise allows.
	 */
	double threshold;
};

/* A change of the level between two neighbouring segments. */
struct perun_change_point {
	size_t index; /* the first value after it */
	/* Values [first, index) and [index, end) are what it separates: up to the next level, even to one
	 * that is too near for its change to be reported. */
	size_t first, end;
	double before, after; /* medians of both, in units of the values */
	double shift;         /* Hodges-Lehmann, after - before */
	double low, high;     /* its 95 % interval, widened for autocorrelation */
	double p; /* of Mann and Whitney's test for both segments, likewise; NaN = none */
};

/* A slow drift: not a change at one point. Of several, between jumps, the longest. */
struct perun_trend {
	bool found;
	double slope;     /* units for each version */
	double low, high; /* its 95 % interval */
	size_t since;     /* the first version of it */
	size_t until;     /* the first version after it; the number of values when it goes on */
};

struct perun_segmentation {
	struct perun_change_point *points; /* in order of index */
	size_t count;
	struct perun_trend trend;
	double noise;       /* robust standard deviation of one value about its level */
	double correlation; /* of neighbouring residuals, 0 when negative */
};

/*
 * Find the changes of a series. Deterministic: a function of the series and the options alone, so what
 * is found after a value was appended is what a whole new computation finds. Free the result with
 * perun_segmentation_free(). Fails with PERUN_USAGE for infinite values and for methods that do not exist.
 *
 * "segments" first takes the steps that repeats show (four and more a value in the mean): the deviation of one
 * value is that of its repeats about their median, their autocorrelation included, or the one that the differences
 * of neighbouring values show, whichever is larger; a step is where two values on each side are apart by three
 * such deviations of a difference. Of the first and the last value, each alone on its side, it takes a p of 1 % over
 * all places, and perun_judge() must say so as well. One value between two others that are equal is not a step.
 * Nor does it need three deviations where four values and more on each side do not overlap and are apart by more than
 * they scatter about their own means (Student's test, 1 % over all places).
 * What is between these steps is searched as follows, and so are series without repeats. It takes the jumps: steps between eight values and eight that are five times as large as the
 * range of either, which not even a random walk makes. What is between two jumps is searched by itself, with
 * its own noise. There, values are limited to three robust deviations about their median (Huber, 1964), so
 * that outliers count as little as they say; the best splits of seeded intervals (Kovacs, Buehlmann, Li and
 * Munk, 2023) are candidates, and candidates are removed one after the other, the least useful first. Of all
 * sets on this way it takes the one with the least m log RSS + penalty for each change, where RSS are the
 * squared innovations of one autoregressive process of order 1 whose coefficient is estimated with each
 * set (m values) and freed of the bias that fitted levels give it (Kendall, 1954): autocorrelated noise needs
 * no changes to be explained. Within the segments the same is done again about their own medians; and on the
 * values without a linear trend. A trend costs log m (Schwarz, 1978), each change a penalty: levels that a
 * drift explains as well are a drift, unless one half of the values is flat. Fewer than four values between
 * two changes, and than three at an end, are not a level of their own. Each change must pass a test (Welch's,
 * on residuals that are limited about the level of their own side, its error widened for autocorrelation) in
 * its own two segments, and in the 60 independent values next to it on each side, since noise is not as wide
 * everywhere. Changes below the threshold are then left out. Time: O(m log m).
 *
 * How often it is wrong: bench/changepoint. On seeds on which nothing was chosen (8101 and 8102; 200 series of
 * each kind and each of six lengths from 30 to 1000) F1 is 0.971 and 0.5 % of all unchanged series have a
 * change: up to 2 % of each kind of noise (autocorrelation 0.3 to 0.9, drifts, outliers, two modes, one
 * side, changing variance), about 5 % of those with a drift in noise of autocorrelation 0.5. On real histories
 * whose changes people marked on plots (21 series, 48 changes) F1 is 0.96, and in no shuffled one is a change
 * found; of 106 steps that a reader cannot miss, in 352 benchmarks that projects publish, none is missed.
 */
PERUN_EXPORT int perun_find_changes(struct perun_ctx *ctx, const struct perun_value_series *series,
				    const struct perun_change_options *options,
				    struct perun_segmentation *changes);
/*
 * Three standard deviations of the difference of two neighbouring values beyond what their repeats explain, as
 * a share of the level: how far versions differ that are measured one after the other though nothing changed.
 * From five values with four repeats each on, of eight values without; 0 = not known.
 */
PERUN_EXPORT double perun_session_floor(const struct perun_value_series *series);
PERUN_EXPORT void perun_segmentation_free(struct perun_segmentation *changes);
/*
 * Of the changes of many series (functions, metrics), found with `options`, drop those that that number of tests
 * show by chance: Benjamini and Hochberg at a false discovery rate of `level` over the p of all changes,
 * each times the number of places it was chosen from, and a p of 1 for each series without any, but for
 * counts of so few samples that no change could be found. What is left is described again. So it is with a single series: a change whose p leaves a doubt is none.
 */
PERUN_EXPORT int perun_correct_changes(struct perun_ctx *ctx,
				       const struct perun_value_series *series, size_t count,
				       const struct perun_change_options *options, double level,
				       struct perun_segmentation *changes);

#ifdef __cplusplus
}
#endif
#endif
