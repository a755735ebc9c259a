/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the detection of changes share. Internal. */
#ifndef PERUN_CORE_CHANGEPOINT_SEGMENTS_H
#define PERUN_CORE_CHANGEPOINT_SEGMENTS_H

#include <perun/lib/changepoint.h>

/* Places of changes, ascending: each the first value after it. */
struct changepoint_list {
	size_t *at;
	size_t count, capacity;
};

void changepoint_list_add(struct changepoint_list *list, size_t at);
/* Insert a place in order, unless one is nearer than `apart`. */
void changepoint_list_insert(struct changepoint_list *list, size_t at, size_t apart);
void changepoint_list_remove(struct changepoint_list *list, size_t i);

/* ---- scores.c -------------------------------------------------------------------------------- */

/* A deviation that outliers do not widen; of values more than half of which are equal, one that they do. */
double changepoint_deviation(const double *values, size_t count, double middle);
/* Scores further away than this many deviations are taken for outliers: they count as this much. */
#define CHANGEPOINT_OUTLIER 3.0

/*
 * Values about their median in robust deviations (MAD), limited to CHANGEPOINT_OUTLIER as Huber (1964)
 * does it, then with a mean square of 1.
 */
void changepoint_scores(const double *values, size_t count, double *scores);
/* Correlation of neighbours, from differences, so that changes of the level matter little; >= 0. */
double changepoint_correlation(const double *scores, size_t count);
/*
 * The correlation of neighbouring residuals as it was before `coefficients` (levels, slopes, places) were
 * fitted to `count` values: each takes away (1 + 4 r) / count (Kendall, 1954; Marriott and Pope, 1954).
 * Less than 0.98.
 */
double changepoint_unbiased(double correlation, double coefficients, size_t count);
/* A value, or the limit that it is beyond. */
static inline double changepoint_limited(double value, double limit)
{
	return value < -limit ? -limit : value > limit ? limit : value;
}

/* ---- seeds.c --------------------------------------------------------------------------------- */

/* Candidates: more than will be left. */
void changepoint_candidates(const double *scores, size_t count, double correlation, double penalty,
			    struct changepoint_list *candidates);

/* ---- select.c -------------------------------------------------------------------------------- */

/* Fewer values between others are outliers, not levels; at the ends of the series even fewer count. */
#define CHANGEPOINT_RUN  4
#define CHANGEPOINT_EDGE 3
/* Fewer values than two levels need: what comparisons of neighbours say is all there is. */
#define CHANGEPOINT_FEW (CHANGEPOINT_RUN + CHANGEPOINT_EDGE + 1)
/* A change less than this many values before the end has few places to be in. */
#define CHANGEPOINT_TAIL 8
/* What a change must gain, for a series of this length. */
double changepoint_penalty(size_t count);
/* What all changes of a series must gain together. */
double changepoint_penalties(const struct changepoint_list *list, size_t count, double penalty,
			     bool last);
/*
 * Take away the candidates that explain too little, and put the others in their best places. `last`: the
 * scores end where the series ends.
 */
void changepoint_select(const double *scores, size_t count, double penalty, bool last,
			struct changepoint_list *list);
/*
 * m log(RSS of the other / RSS of the one) of two sets of residuals. Both have the smaller of their
 * correlations: what one model leaves as levels must not pass for memory of the noise. It is corrected for
 * what a model of one change, or of a slope, fitted.
 */
double changepoint_gain(const double *one, const double *other, size_t count);

/* ---- drift.c --------------------------------------------------------------------------------- */

/* A slope from one place on to another; level before and after. */
struct changepoint_drift {
	double slope; /* 0 = none */
	size_t from, to;
};
/* The place of a value on the slope: what the slope is multiplied by. */
static inline double changepoint_drift_at(const struct changepoint_drift *drift, size_t i)
{
	return (double)(i < drift->from ? drift->from : i > drift->to ? drift->to : i);
}
/* The slope, its beginning and its end that explain the medians of short stretches best. */
void changepoint_find_drift(const double *values, size_t count, struct changepoint_drift *drift);

/* ---- place.c --------------------------------------------------------------------------------- */

/*
 * Put each change of at least `least` deviations where the values fit the medians of its two segments best,
 * outliers limited. Whether any was moved.
 */
bool changepoint_relocate(const double *values, size_t count, double least,
			  struct changepoint_list *list);

/* ---- confirm.c ------------------------------------------------------------------------------- */

/*
 * Take away what its own two segments do not bear out: Welch's statistic of limited values, its error
 * widened for autocorrelation.
 */
void changepoint_confirm(const double *values, size_t count, double penalty, bool last,
			 struct changepoint_list *list);

/* ---- repeats.c ------------------------------------------------------------------------------- */

/* What is compared: counts of samples by their roots, whose variance is that of samples; else logarithms. */
struct changepoint_scale {
	double sample;  /* of counts; 0 = these are none */
	double typical; /* values are divided by it; 0 = logarithms */
	double zero;    /* what 0 counts as among logarithms */
};
/* How the repeats of a series and its versions vary, in units of the levels. */
struct changepoint_noise {
	double *levels; /* of each version: logarithms where all are positive, roots of counts */
	struct changepoint_scale scale;
	size_t repeats; /* of all versions */
	double share;   /* what a unit of these is as a share of the values, about */
	bool exact;     /* a program repeats the values exactly */
	bool sampled;   /* they are counts of samples */
	bool repeated;  /* there are repeats enough to show their noise, or it is known */
	double within; /* standard error of a version's median, as its repeats show it; 0 = not measured yet, too */
	bool has_within;
	double between;     /* the same as neighbouring versions show it; 0 = too few of them */
	size_t differences; /* of neighbouring versions */
	double shared;      /* degrees of freedom that others which were measured along add to these */
	double dispersion;  /* the variance that these show */
	double freedom;     /* degrees of freedom of `within` */
	double few; /* what a few runs of unchanged programs never show; 0 = there are more, or they are no runs */
};
/* Measure it, but for `within`: `values` are the `count` medians that were measured, at `places` of the series. */
void changepoint_measure(const struct perun_value_series *series, const double *values,
			 const size_t *places, size_t count, struct changepoint_noise *noise);
/* Measure `within`, for which all repeats are looked at; once is enough. */
void changepoint_measure_within(const struct perun_value_series *series, const size_t *places,
				size_t count, struct changepoint_noise *noise);
/* Whether there may be steps for changepoint_repeats(), however small `within`, which is not measured yet. */
bool changepoint_may_step(const struct perun_value_series *series, const size_t *places,
			  size_t count, const struct changepoint_noise *noise);
void changepoint_noise_free(struct changepoint_noise *noise);
/* The least difference of two versions that sessions alone do not make, as a share of the level. */
double changepoint_floor(const struct changepoint_noise *noise);
/*
 * p of a step at `at` between values [first, at) and [at, end), if its place were known; half the width of its 95 %
 * interval, as a share of the level.
 */
double changepoint_repeats_p(const struct changepoint_noise *noise, size_t first, size_t at,
			     size_t end, double *width);
/*
 * p of the same step between counts of samples that vary by nothing but chance: profiles that are alike by chance show no
 * less. `places` are those of the values in the series.
 */
double changepoint_samples_p(const struct perun_value_series *series, const size_t *places,
			     const struct changepoint_noise *noise, size_t first, size_t at,
			     size_t end);
/*
 * The same where each version has a run or two, several versions show how these differ, and two and more on each side bear
 * the change out; else 1.
 */
double changepoint_versions_p(const struct changepoint_noise *noise, size_t first, size_t at,
			      size_t end, double *width);
/* Compare a version and the one before it, as perun check head does; p of the change, 1 = that finds none. */
struct perun_verdict;
double changepoint_neighbours_p(const struct perun_value_series *series, const size_t *places,
				size_t at, const struct changepoint_noise *noise,
				struct perun_verdict *verdict);
/*
 * Add the steps that two versions on each side show beyond the deviation between sessions; of the first and the
 * last version each alone, where a comparison with its neighbour says so as well. A version that deviates
 * between two others that do not is not a step: its session was disturbed. It is one where no disturbance makes as much: nothing
 * makes a program three times as fast, and all of its repeats ten times as slow.
 */
void changepoint_repeats(const struct perun_value_series *series, const size_t *places,
			 size_t count, const struct changepoint_noise *noise,
			 struct changepoint_list *list);
/* p of a step that the first or the last version alone shows, over all places of the series. */
#define CHANGEPOINT_ALONE_P 0.01
/* How far a version is at least from both of its neighbours that is a change taken back by the next: logarithms. */
#define CHANGEPOINT_LOWER_ALONE  1.0986122886681098 /* a third */
#define CHANGEPOINT_HIGHER_ALONE 2.302585092994046  /* ten times */
/* Repeats of a version in the mean; fewer do not show their own noise. */
#define CHANGEPOINT_REPEATS 4
/* From this many differences of neighbouring versions on, these show how sessions differ. */
#define CHANGEPOINT_DIFFERENCES 4
/* The least change of values that a program repeats exactly, as a share. */
#define CHANGEPOINT_EXACT 0.005
/* What is new or gone, of exact values, and the least of logarithms: as a share of the largest one. */
#define CHANGEPOINT_ZERO 1e-9

/* ---- means.c --------------------------------------------------------------------------------- */

/* This many values on each side of a change determine its size. */
enum { CHANGEPOINT_NEAR = 150 };
/*
 * p of a change whose `p` is that of its ranks, which cannot be small of few values, however far apart these are: where
 * both sides hardly overlap, the means decide as well, at twice the price since these are two tests.
 */
double changepoint_sharper_p(const struct perun_value_series *series, double correlation,
			     const struct perun_change_point *point);

/* ---- jumps.c --------------------------------------------------------------------------------- */

/* Steps that no noise of their neighbourhood makes. */
void changepoint_jumps(const double *values, size_t count, struct changepoint_list *list);

/* ---- the methods: values without gaps -------------------------------------------------------- */

/* `steps` are known: what is between them is searched. */
void changepoint_segments(const double *values, size_t count, const struct changepoint_list *steps,
			  struct changepoint_list *list, struct changepoint_drift *drift);
void changepoint_e_divisive(const double *values, size_t count, struct changepoint_list *list);
void changepoint_step(const double *values, size_t count, struct changepoint_list *list);
void changepoint_t_test(const double *values, size_t count, struct changepoint_list *list);

#endif
