/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Empirical models of growth: a formula in the parameters of an experiment, found from measurements. Of the
 * growing part of the interface: see perun/lib/version.h.
 * Threads: pure functions, for any thread; results belong to the caller.
 */
#ifndef PERUN_LIB_MODEL_H
#define PERUN_LIB_MODEL_H

#include <perun/lib/version.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The models are those of Extra-P, in the performance model normal form of Calotoiu, Hoefler, Poke and
 * Wolf, "Using Automated Performance Modeling to Find Scalability Bugs in Complex Codes" (SC 2013):
 *
 *	f(x) = c0 + sum over terms of c * product of x_p^i * log2(x_p)^j
 *
 * with small search spaces of exponents i and j. Several parameters are modelled as in Calotoiu et al.,
 * "Fast Multi-Parameter Performance Modeling" (Cluster 2016).
 */

/* ---- formulas -------------------------------------------------------------------------------- */

/* An exponent: a fraction when `denominator` is not 0, else any number. */
struct perun_exponent {
	double value;
	int32_t numerator, denominator;
};

/* constant + coefficient * x^power * log2(x)^logarithm; a power of 0 is left out. */
struct perun_model_piece {
	double constant, coefficient;
	struct perun_exponent power, logarithm;
};

/* What changes its growth: one form where x is at most `until`, another above it, measured `from` there on. */
struct perun_piecewise {
	double until, from;
	struct perun_model_piece pieces[2];
};

/* x^exponent, or log2(x)^exponent; or, where `piecewise` is not NULL, that. It belongs to the formula. */
struct perun_factor {
	uint32_t parameter;
	bool logarithm;
	struct perun_exponent exponent;
	const struct perun_piecewise *piecewise;
};

/* A coefficient and factors [first, first + count) of the formula. */
struct perun_term {
	double coefficient;
	uint32_t first, count;
};

/* One block of memory: free it with perun_free(). */
struct perun_formula {
	double constant;
	uint32_t term_count, factor_count, piecewise_count;
	struct perun_term *terms;
	struct perun_factor *factors;
	struct perun_piecewise *piecewise; /* what factors refer to; of several parameters only */
};

enum perun_spelling {
	PERUN_SPELLING_PLAIN,  /* 1.5 + 2.0 * x^(3/2) * log2(x)^(1) */
	PERUN_SPELLING_PYTHON, /* 1.5+2.0*x**(3/2)*log2(x)**(1) */
	PERUN_SPELLING_LATEX,  /* $1.500+2.000\cdot x^{3/2}\cdot \log_2{x}^{1}$ */
	PERUN_SPELLING_SHORT   /* 1.5 + 2 * x^(3/2) * log2(x): four digits, for people */
};

PERUN_EXPORT double perun_formula_value(const struct perun_formula *formula,
					const double *coordinate);
/* One piece as a formula of `parameter`; the caller frees it. */
PERUN_EXPORT struct perun_formula *perun_formula_of_piece(const struct perun_model_piece *piece,
							  uint32_t parameter);
/* Appends to `out`. `names`: of the parameters. Numbers are printed shortest, as Python does. */
PERUN_EXPORT void perun_formula_print(const struct perun_formula *formula, const char *const *names,
				      enum perun_spelling spelling, struct perun_buffer *out);
PERUN_EXPORT struct perun_formula *perun_formula_copy(const struct perun_formula *formula);

/*
 * The class of growth: the terms that no other term outgrows, without coefficients, as "O(p^2 * log2(p))"
 * or "O(p + n)"; "O(1)" for a constant. Of what is piecewise the last piece counts. Appends to `out`.
 */
PERUN_EXPORT void perun_formula_print_class(const struct perun_formula *formula,
					    const char *const *names, struct perun_buffer *out);
/* How the class of a formula compares with another's, when all parameters grow. */
enum perun_class_order {
	PERUN_CLASS_SAME,
	PERUN_CLASS_LOWER,
	PERUN_CLASS_HIGHER,
	PERUN_CLASS_OTHER
};
PERUN_EXPORT enum perun_class_order perun_formula_compare_class(const struct perun_formula *one,
								const struct perun_formula *other);

/* ---- models ---------------------------------------------------------------------------------- */

enum perun_model_warning {
	PERUN_MODEL_FEW_POINTS = 1, /* fewer than five values of a parameter */
	PERUN_MODEL_TIE = 2,        /* another formula fits as well, within a tenth */
	/* A negative exponent, tried because the values fall: Extra-P would have another formula. */
	PERUN_MODEL_FALLING = 4,
	/* A term that outgrows Extra-P's, tried because the values do: it would have another formula. */
	PERUN_MODEL_STEEP = 8,
	/* Off by more than 40 % on average (SMAPE): none of the terms tried explains the values. */
	PERUN_MODEL_MISFIT = 16
};

/*
 * What was found for one series of measurements. `segments` is 1; or 2 with the formula of the part
 * up to `until` and that of the part from `from` on.
 *
 * The costs are Extra-P's: residual sum of squares, its relative form, symmetric mean absolute
 * percentage error (0..200), adjusted R squared, mean relative error. For formulas of one parameter
 * they come from leaving each point out in turn; else from the points the formula was fitted to.
 */
struct perun_scaling_model {
	uint32_t segments;
	struct perun_formula *formulas[2];
	double until, from;
	double rss, relative_rss, smape, adjusted_r2, relative_error;
	unsigned warnings; /* bits of enum perun_model_warning */
	/* The formula that came next and its SMAPE; NULL = none was near. One segment only. */
	struct perun_formula *runner_up;
	double runner_up_smape;
};
PERUN_EXPORT void perun_scaling_model_clear(struct perun_scaling_model *growth);
PERUN_EXPORT double perun_scaling_model_value(const struct perun_scaling_model *growth,
					      const double *coordinate);
/* The formula of the part where the parameters are greatest. Borrowed. */
PERUN_EXPORT const struct perun_formula *
perun_scaling_model_last(const struct perun_scaling_model *growth);

/*
 * What a model was found from: `count` points of `parameters` numbers each, and a value for each; and, where
 * repetitions say it, the standard error of each value (else NULL) and the degrees of freedom of all of them.
 */
struct perun_observations {
	size_t count, parameters;
	const double *coordinates, *values, *deviations;
	double freedom;
};

/*
 * What the formula says at a point, and the prediction interval of least squares around it (Draper and
 * Smith, Applied Regression Analysis, 3rd ed., section 1.4 and chapter 8): with k coefficients (the
 * constant is one), X the terms at the n points, x those at the point,
 *
 *	value +- t(n - k, (1 + level) / 2) * s * sqrt(1 + x' (X'X)^-1 x),   s^2 = RSS / (n - k)
 *
 * RSS is that of the formula at the points (of its segment). It holds if the formula is the right one.
 * `low` and `high` are NaN when there are no more points than coefficients, or they do not determine
 * these. `low` is not below zero where no value is, unless the formula is.
 */
struct perun_prediction {
	double value, low, high;
	bool beyond; /* low and high are the range over forms, not the interval of this one */
};
PERUN_EXPORT void perun_scaling_model_predict(const struct perun_scaling_model *growth,
					      const struct perun_observations *observations,
					      const double *at, double level,
					      struct perun_prediction *prediction);
/* The same at several places, one after another, in much less time than one by one. */
PERUN_EXPORT void perun_scaling_model_predict_all(const struct perun_scaling_model *growth,
						  const struct perun_observations *observations,
						  const double *at, size_t places, double level,
						  struct perun_prediction *predictions);

/*
 * Where to measure next so that the formula and the runner-up can be distinguished: of some points near the
 * measured ones, that where they differ most in relation to their values (noise grows with values).
 * The points: one parameter takes a value one step beyond its measured ones, up or down, or halfway
 * between two neighbours (steps are factors if these vary less than differences do); the others are
 * all least or all greatest as measured. Without a runner-up: the step up of the parameter with
 * the fewest values, and a difference of NaN. `at` has room for the parameters. False = no step.
 */
PERUN_EXPORT bool perun_scaling_model_next_point(const struct perun_scaling_model *growth,
						 const struct perun_observations *observations,
						 double *at, double *difference);

/*
 * Which measurements make the prediction at a point surer, when a run measures all series at once: by the forms that
 * explain the data (as the range beyond them) a measurement is expected to take so much of the variance at the
 * target. Candidates are the points of perun_scaling_model_next_point(), further steps beyond once the first is
 * chosen, and what was measured, again. Chosen is what leaves the least variance within the budget, then the next as
 * if the first had been measured. Mostly that is the next step beyond the largest value: bench/model-next shows that
 * cheaper points, as many as cost the same, do worse.
 */
struct perun_next_series {
	const struct perun_scaling_model *growth;
	const struct perun_observations *observations; /* all series: the same parameters */
	bool left_out; /* set by perun_next_points(): its forms are not known, as of a model in two parts */
};
struct perun_next_question {
	struct perun_next_series *series;
	size_t count;
	const double *target;
	/* What measuring at a point costs, where all series are predicted to cost `total`; NULL: all the same. */
	double (*cost)(const double *point, double total, void *data);
	void *data;
	double budget; /* of all points together; 0 = no matter */
};
struct perun_next_point {
	bool found;  /* false: nothing more helps */
	double *at;  /* the caller's room for the parameters */
	double cost; /* 1 without a function */
	double spread; /* expected standard deviation of the prediction with this one and those before, by its value */
	size_t decided; /* series whose runner-up differs there by more than twice the noise */
};
/*
 * Fill `wanted` points. Returns the standard deviation of the prediction as it is, by its value, of all series but
 * those left out; NaN when nothing can be said: no series whose forms are known, or a prediction of 0.
 */
PERUN_EXPORT double perun_next_points(const struct perun_next_question *question,
				      struct perun_next_point *points, size_t wanted);

enum perun_modeler_kind {
	PERUN_MODELER_DEFAULT, /* basic for one parameter, else multi-parameter */
	PERUN_MODELER_BASIC,
	PERUN_MODELER_REFINING,
	PERUN_MODELER_SEGMENTED,
	PERUN_MODELER_MULTI_PARAMETER
};

struct perun_modeler_options {
	enum perun_modeler_kind kind;
	enum perun_modeler_kind single; /* for each parameter of multi-parameter */
	bool no_log_terms, negative_exponents, compare_with_rss;
	bool single_compare_with_rss; /* for each parameter of multi-parameter */
	bool in_sample;               /* no cross validation: the costs of the fit itself */
	/* Comma-separated numbers or fractions instead of the default exponents; NULL = default. */
	const char *poly_exponents, *log_exponents;
	bool retain_default, force_combination;
	bool smallest_lines;       /* series of a parameter where all others are smallest */
	bool only_sum_and_product; /* no formulas like a + a*b */
	double minimum_contribution, single_minimum_contribution; /* 0 = 5e-4 */
	bool no_falling_terms; /* negative exponents are not tried either where values fall */
	bool no_steep_terms; /* exponents above 3 are not tried either where values rise so fast */
};

/*
 * A modeler for measurements at given points: `coordinates` are `points` times `parameters` numbers
 * (copied). Finding models for several series at once is safe from several threads.
 */
struct perun_modeler;
PERUN_EXPORT int perun_modeler_new(struct perun_ctx *ctx,
				   const struct perun_modeler_options *options,
				   const double *coordinates, size_t points, size_t parameters,
				   struct perun_modeler **modeler);
PERUN_EXPORT void perun_modeler_free(struct perun_modeler *modeler); /* NULL is fine */
/*
 * Set an option by Extra-P's name ("allow_log_terms", "poly_exponents" ...). PERUN_USAGE if wrong; an option
 * that the modeler has no use for is refused by perun_modeler_new().
 */
PERUN_EXPORT int perun_modeler_option(struct perun_ctx *ctx, struct perun_modeler_options *options,
				      const char *name, const char *value);
/* Find the model of a series: one value for each point. The caller clears `*growth`. */
PERUN_EXPORT void perun_modeler_fit(const struct perun_modeler *modeler, const double *values,
				    struct perun_scaling_model *growth);

#ifdef __cplusplus
}
#endif
#endif
