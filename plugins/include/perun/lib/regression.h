/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Least squares with one variable: six kinds of curves through points. Of the growing part of the interface:
 * see perun/lib/version.h.
 * Threads: pure functions, for any thread; results belong to the caller.
 */
#ifndef PERUN_LIB_REGRESSION_H
#define PERUN_LIB_REGRESSION_H

#include <perun/lib/version.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of growth, which is how they compare as integers. */
enum perun_curve {
	PERUN_CURVE_CONSTANT,    /* b0 */
	PERUN_CURVE_LOGARITHMIC, /* b0 + b1 ln x */
	PERUN_CURVE_LINEAR,      /* b0 + b1 x */
	PERUN_CURVE_QUADRATIC,   /* b0 + b1 x + b2 x^2 */
	PERUN_CURVE_POWER,       /* b0 x^b1 */
	PERUN_CURVE_EXPONENTIAL, /* b0 b1^x */
	PERUN_CURVES
};
/* "constant", "logarithmic", "linear", "quadratic", "power", "exponential". */
PERUN_EXPORT const char *perun_curve_name(enum perun_curve curve);
/* PERUN_CURVES when unknown. */
PERUN_EXPORT enum perun_curve perun_curve_from_name(const char *name);
/* Its value at x; NaN where it has none. `b`: three coefficients, those it lacks are ignored. */
PERUN_EXPORT double perun_curve_value(enum perun_curve curve, const double *b, double x);
/* Those of many x: values[i] = perun_curve_value(curve, b, x[i]). */
PERUN_EXPORT void perun_curve_values(enum perun_curve curve, const double *b, const double *x,
				     size_t count, double *values);

/* What was fitted. */
struct perun_fit {
	enum perun_curve curve;
	unsigned coefficients; /* 2, or 3 of a quadratic; the second of a constant is 0 */
	double b[3];
	double r_square;       /* of the points as they were transformed */
	double x_start, x_end; /* the least and the largest x of points that were used */
	size_t used;           /* points that have the curve's logarithms */
};

/*
 * The sums of a fit, for any curve but CONSTANT: points may be added and the fit asked for again.
 *
 * Logarithmic, power and exponential curves are straight lines in (ln x, y), (log10 x, log10 y) and (x,
 * log10 y); points without these logarithms are left out. Lines are fitted as in Perun's
 * regression_analysis: b1 = Sxy / Sxx, b0 = mean y - b1 mean x, R squared = (Sxy / sqrt Sxx)^2 / Syy,
 * with a divisor of 0 taken as 1e-6; a quadratic by its normal equations. Sums are of distances to the
 * first point, of many points in long doubles, so that large x and y do not cost digits (Chan, Golub, LeVeque,
 * "Algorithms for Computing the Sample Variance", 1983, section 2).
 */
struct perun_fit_sums {
	enum perun_curve curve;
	size_t used;
	double x_start, x_end;
	bool any;                     /* a point was added, used or not */
	double x0, y0;                /* the first point used */
	long double x, y, xx, xy, yy; /* sums */
	long double xxx, xxxx, xxy;   /* of a quadratic */
};
PERUN_EXPORT void perun_fit_start(struct perun_fit_sums *sums, enum perun_curve curve);
PERUN_EXPORT void perun_fit_add(struct perun_fit_sums *sums, const double *x, const double *y,
				size_t count);
/* To the sums of several curves at once: each logarithm is taken once. */
PERUN_EXPORT void perun_fit_add_to_all(struct perun_fit_sums *sums, size_t curves, const double *x,
				       const double *y, size_t count);
/* False when there is no curve: no point was used, or too few different x for a quadratic. */
PERUN_EXPORT bool perun_fit_finish(const struct perun_fit_sums *sums, struct perun_fit *fit);

/* The same for all points at once; a constant by way of perun_fit_constant(). */
PERUN_EXPORT bool perun_fit_curve(enum perun_curve curve, const double *x, const double *y,
				  size_t count, struct perun_fit *fit);
/*
 * R squared as the Python program computes it: by plain sums in doubles from the first point to the last,
 * which has fewer digits than that of a fit and may exceed 1. Where several kinds of curves explain
 * points equally well, that is how it chooses among them. NaN when there is no curve.
 */
PERUN_EXPORT double perun_fit_plain_r_square(enum perun_curve curve, const double *x,
					     const double *y, size_t count);
/* From which R squared on a fit is as good as the best one: perfect ones differ by rounding alone. */
PERUN_EXPORT double perun_fit_tie(double best);
/*
 * The constant through points that were fitted by a straight line: b0 is their mean. Its R squared is
 * Perun's: with s = angle / 90, the angle (in radians) of the line between its ends, that of the line
 * times (1 - s) where s > 0.01, else 1 less that of the line; between 0 and 1.
 */
PERUN_EXPORT void perun_fit_constant(const struct perun_fit *line,
				     const struct perun_fit_sums *sums, struct perun_fit *fit);

/* ---- the points of a profile ------------------------------------------------------------------ */

/* The points of one uid: what `per` says, and what `of` says, in the order of the rows. */
struct perun_point_group {
	char *uid; /* flat */
	double *x, *y;
	size_t count;
};
struct perun_points {
	struct perun_point_group *groups; /* in order of their uids */
	size_t count;
	bool whole_x; /* the column has integers alone: places of models are written so */
};
/* The options that name the two columns, "per-key" for x and "of-key" for y; each with more spellings and its help. */
#define PERUN_POINTS_OPTIONS(PER_ALIASES, PER_HELP, OF_ALIASES, OF_HELP)                \
	{.name = "per-key",                                                             \
	 .aliases = PER_ALIASES,                                                        \
	 .metavar = "COLUMN",                                                           \
	 .type = PERUN_OPTION_STRING,                                                   \
	 .default_value = "structure-unit-size",                                        \
	 .help = PER_HELP},                                                             \
	{                                                                               \
		.name = "of-key", .aliases = OF_ALIASES, .metavar = "COLUMN",           \
		.type = PERUN_OPTION_STRING, .default_value = "amount", .help = OF_HELP \
	}
/*
 * Points by uid from two columns of the resources. Rows that lack one of the two numbers, or have an infinite
 * one, are none.
 * Fails (PERUN_USAGE) when there is no such column, (PERUN_INPUT) when no row has both numbers.
 */
PERUN_EXPORT int perun_points_new(struct perun_ctx *ctx, const struct perun_profile *profile,
				  const char *per, const char *of, struct perun_points *points);
PERUN_EXPORT void perun_points_clear(struct perun_points *points);
/* An x for a model: an integer where the column has such. The caller's. */
PERUN_EXPORT struct perun_json *perun_points_place(const struct perun_points *points, double x);
/* Sort the points of a group by x (stable), or by x and y. */
PERUN_EXPORT void perun_points_sort(struct perun_point_group *group, bool by_y);

#ifdef __cplusplus
}
#endif
#endif
