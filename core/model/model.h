/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the modeler: search spaces, fits of one term, fits of several. */
#ifndef PERUN_CORE_MODEL_H
#define PERUN_CORE_MODEL_H

#include "perun/lib/model.h"

/* ---- search spaces --------------------------------------------------------------------------- */

/* x^poly * log2(x)^log; an exponent of 0 leaves the factor out. */
struct perun_candidate {
	struct perun_exponent poly, log;
};
/* The candidates in the order in which they are tried; the caller frees the array. */
int perun_candidates_new(struct perun_ctx *ctx, const struct perun_modeler_options *options,
			 struct perun_candidate **candidates, size_t *count);
double perun_candidate_value(const struct perun_candidate *candidate, double x);
struct perun_exponent perun_fraction(int32_t numerator, int32_t denominator);
/* c0 + c1 * candidate of `parameter`; no term when `candidate` is NULL. */
struct perun_formula *perun_formula_of_candidate(double c0, double c1,
						 const struct perun_candidate *candidate,
						 uint32_t parameter);
/* A formula with room for terms, factors and piecewise factors, all zero. */
struct perun_formula *perun_formula_new(uint32_t terms, uint32_t factors, uint32_t piecewise);
double perun_piecewise_value(const struct perun_piecewise *piecewise, double x);
/* The formula where all parameters are greatest: last pieces multiplied out. The caller frees it. */
struct perun_formula *perun_formula_at_end(const struct perun_formula *formula);

/* ---- c0 + c1 * t ----------------------------------------------------------------------------- */

struct perun_costs {
	double rss, relative_rss, normalized_rss, smape, relative_error;
};

/*
 * What fitting v = c0 + c1 * t needs of t alone: for the fit to all points and for each fit with one
 * left out, the mean of t and the weights that give the slope. `n` fits and the whole one as the last.
 */
struct perun_fit_line {
	size_t count;
	double *t;       /* count */
	double *means;   /* count + 1; of many points the whole fit's alone */
	double *weights; /* (count + 1) * count; those of a point left out are 0; the same */
	bool *deficient; /* count + 1: t is constant there, as far as doubles can show; the same */
	bool many;       /* points are many: the fits that leave one out follow from that of all */
};
void perun_line_init(struct perun_fit_line *line, const double *t, size_t count);
void perun_line_clear(struct perun_fit_line *line);

/* A series of values, with what all its fits need. */
struct perun_values {
	size_t count;
	const double *v;
	double *centred; /* v - mean */
	double mean, centred_sum;
	double least, next_least; /* the two smallest values */
	size_t least_at;
};
void perun_values_init(struct perun_values *values, const double *v, size_t count);
void perun_values_clear(struct perun_values *values);

/*
 * What is zero beside values of this size: a fit to all points meets a value of 0 only up to rounding, and any
 * other prediction would count as wrong by 200 %. Left out, a value of 0 is met by constants cleaned away.
 */
double perun_zero_beside(const double *v, size_t count);
/* The symmetric error of a prediction in percent. */
double perun_symmetric_error(double predicted, double v, double zero);

/* Fit without point `left_out` (`count` = with all). */
void perun_line_fit(const struct perun_fit_line *line, const struct perun_values *values,
		    size_t left_out, double *c0, double *c1);
/*
 * Costs of leaving each point out in turn. Stops early, false, when the SMAPE exceeds `limit`.
 */
bool perun_line_costs(const struct perun_fit_line *line, const struct perun_values *values,
		      double limit, struct perun_costs *costs);
struct perun_single;
/*
 * Fit, with costs of leaving each point out, or of the fit itself where options say so; false also where
 * these are infinite. Of `trial` are set: c0, c1, costs.
 */
bool perun_line_try(const struct perun_fit_line *line, const struct perun_values *values,
		    const struct perun_modeler_options *options, double limit,
		    struct perun_single *trial);
/* Whether the term c1 * t is more than next to nothing in some value. */
bool perun_line_contributes(const struct perun_fit_line *line, const struct perun_values *values,
			    const struct perun_modeler_options *options, double c1);
/* What models are chosen by: the smaller the better. */
double perun_quality(const struct perun_costs *costs, const struct perun_modeler_options *options);
double perun_adjusted_r2(double rss, double constant_rss, size_t points, size_t terms);
void perun_constant_costs(const struct perun_values *values, struct perun_costs *costs);

/* ---- one parameter --------------------------------------------------------------------------- */

/* Terms that Extra-P does not try, and that the values may call for. */
enum perun_beside {
	PERUN_BESIDE_NONE,
	PERUN_BESIDE_FALLING, /* x^-i, where they fall */
	PERUN_BESIDE_STEEP, /* x^(10/3) to x^6, where they rise faster than any of Extra-P's terms */
	PERUN_BESIDES       /* how many there are */
};
/* The caller frees the array. */
size_t perun_candidates_beside(enum perun_beside which, struct perun_candidate **candidates);

/* The values of a parameter and the candidates over them. */
struct perun_space {
	uint32_t parameter;
	size_t count;
	double *x;
	struct perun_candidate *candidates;
	struct perun_fit_line *lines; /* one for each candidate */
	size_t candidate_count;
	bool logarithms;                           /* all x allow them */
	struct perun_space *beside[PERUN_BESIDES]; /* NULL: they are not wanted */
};
void perun_space_init(struct perun_space *space, const double *x, size_t count, uint32_t parameter,
		      const struct perun_modeler_options *options,
		      const struct perun_candidate *candidates, size_t candidate_count);
void perun_space_clear(struct perun_space *space);

/* What a search in one parameter found: a constant when `constant`. */
struct perun_single {
	bool constant;
	enum perun_beside beside; /* what the candidate is of, if not of the space itself */
	struct perun_candidate candidate;
	size_t index; /* of the candidate in the space; SIZE_MAX = it is none of them */
	double c0, c1, adjusted_r2;
	struct perun_costs costs;
	/* The best of those that lost; count when there was none. */
	bool has_next;
	struct perun_candidate next;
	double next_c0, next_c1, next_smape;
};
void perun_basic_search(const struct perun_space *space,
			const struct perun_modeler_options *options, const double *values,
			struct perun_single *found);
void perun_refining_search(const struct perun_space *space,
			   const struct perun_modeler_options *options, const double *values,
			   struct perun_single *found);
/*
 * The search that `kind` names, basic or refining. Where the values fall and what was found is constant or
 * falls below zero, and where they rise faster than its terms can, those beside its search space are tried
 * as well, and taken when they predict left-out points much better.
 */
void perun_single_search(const struct perun_space *space,
			 const struct perun_modeler_options *options, enum perun_modeler_kind kind,
			 const double *values, struct perun_single *found);
/*
 * Whether the growth changes at some point, and how. False: it does not, and `*found` is the basic model; what
 * is found does not refer to the candidates of the space.
 */
bool perun_segmented_find(const struct perun_space *space,
			  const struct perun_modeler_options *options,
			  const struct perun_candidate *candidates, size_t candidate_count,
			  const double *values, struct perun_piecewise *pieces,
			  struct perun_single *found);
void perun_segmented_search(const struct perun_space *space,
			    const struct perun_modeler_options *options,
			    const struct perun_candidate *candidates, size_t candidate_count,
			    const double *values, struct perun_scaling_model *growth);
/* The bit of enum perun_model_warning. */
unsigned perun_beside_warning(enum perun_beside beside);
void perun_single_to_growth(const struct perun_single *found, uint32_t parameter,
			    struct perun_scaling_model *growth);
double perun_minimum_contribution(const struct perun_modeler_options *options);

/* ---- several terms --------------------------------------------------------------------------- */

enum { PERUN_COLUMNS = 20 };
/* The matrix, with one more column after it, becomes R and Q' times that column, in place. */
void perun_triangularize(double *work, size_t rows, size_t columns);
/*
 * Least squares: `columns` columns of `rows` numbers, one after another; the solution of least norm
 * where they depend on each other. `work`: rows * (columns + 1) doubles.
 */
void perun_least_squares(const double *matrix, const double *values, size_t rows, size_t columns,
			 double *work, double *solution);

/* ---- beyond the data ------------------------------------------------------------------------- */

/*
 * Noise is taken to grow with a power of the size of what is measured, 0 to 1, as its repetitions say:
 * `*noise` is its variance at size 1, 0 = not known. The size at a point is that of the formula.
 */
double perun_noise_power(const struct perun_scaling_model *growth,
			 const struct perun_observations *observations, double *noise);
double perun_noise_size(const struct perun_scaling_model *growth, double largest, const double *at);
/* The `largest` of perun_noise_size(): of all values without their sign. */
double perun_largest_value(const struct perun_observations *observations);
/*
 * The ranges that hold the true values at places beyond the data, over all forms that explain it; false when
 * nothing can be said.
 */
bool perun_form_ranges(const struct perun_scaling_model *growth,
		       const struct perun_observations *observations, const double *at,
		       size_t places, double level, double *low, double *high);

/* ---- where to measure next ------------------------------------------------------------------- */

/* The values of a parameter, each once, ascending. */
struct perun_axis {
	double *values;
	size_t count;
	bool factors, whole; /* steps are factors; all values are whole numbers */
};
struct perun_axis *perun_axes_new(const struct perun_observations *observations);
void perun_axes_free(struct perun_axis *axes, size_t count);
/* Step k of count + 1: 0 = beyond the largest, 1 = below the smallest, then between neighbours; NaN: none. */
double perun_axis_step(const struct perun_axis *axis, size_t k);

/* ---- several parameters ---------------------------------------------------------------------- */

struct perun_modeler {
	struct perun_modeler_options options;
	struct perun_candidate *candidates;
	size_t candidate_count;
	size_t points, parameters;
	double *coordinates;
	struct perun_space *spaces; /* one for each parameter */
	struct perun_fit_points *lines;
	double **
		values_of; /* [parameter]: candidates of its space, one after another, at all points */
	bool few_points;
};
/* Of a parameter: the points that make each value of its series, as lists one after another. */
struct perun_fit_points {
	size_t *points; /* numbers of points */
	size_t *ends;   /* end of the list of value i in `points` */
};
/* The values of a parameter that its series is measured at; the caller frees `*x`. */
void perun_find_lines(struct perun_modeler *modeler, uint32_t parameter, double **x, size_t *count);
void perun_multi_search(const struct perun_modeler *modeler, const double *values,
			struct perun_scaling_model *growth);

/* ---- processors ------------------------------------------------------------------------------ */

/* Whether some label has as many different values in a profile: one for each of its processes or threads. */
bool perun_has_processors(const struct perun_profile *profile, double wanted);

/* ---- numbers in texts ------------------------------------------------------------------------ */

/* The next number in a text and its end, NULL when there is none. Digits within a word ("mp3") are none. */
const char *perun_next_number(const char *text, const char **end, double *value);

#endif
