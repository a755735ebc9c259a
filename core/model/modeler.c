/* SPDX-License-Identifier: BSD-3-Clause */
/* Modelers: what is common to all series of one set of points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"

/* ---- options --------------------------------------------------------------------------------- */

static int read_bool(struct perun_ctx *ctx, const char *name, const char *value, bool *out,
		     bool meaning)
{
	static const char *const yes[] = {"true", "yes", "1", "True", "on"};
	static const char *const no[] = {"false", "no", "0", "False", "off"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		if (strcmp(value, yes[i]) == 0 || strcmp(value, no[i]) == 0) {
			*out = (strcmp(value, yes[i]) == 0) == meaning;
			return PERUN_OK;
		}
	}
	return perun_fail(ctx, PERUN_USAGE, "option %s: expected true or false, found '%s'", name,
			  value);
}

static int read_kind(struct perun_ctx *ctx, const char *value, enum perun_modeler_kind *kind)
{
	static const char *const names[] = {"default", "basic", "refining", "segmented",
					    "multi-parameter"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcasecmp(value, names[i]) == 0) {
			*kind = (enum perun_modeler_kind)i;
			return PERUN_OK;
		}
	}
	return perun_fail(ctx, PERUN_USAGE,
			  "unknown modeler '%s', there are: default, basic, refining, segmented, "
			  "multi-parameter",
			  value);
}

static int read_selection(struct perun_ctx *ctx, const char *value, bool *smallest)
{
	*smallest = strcmp(value, "smallest") == 0;
	if (*smallest || strcmp(value, "auto") == 0 || strcmp(value, "all") == 0)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE,
			  "option single_parameter_point_selection: expected auto, all or "
			  "smallest, found '%s'",
			  value);
}

static int read_contribution(struct perun_ctx *ctx, const char *value, double *out)
{
	char *end;

	*out = perun_strtod(value, &end);
	if (*end || end == value || !(*out > 0))
		return perun_fail(ctx, PERUN_USAGE,
				  "option minimum_term_contribution: expected a number above 0, "
				  "found '%s'",
				  value);
	return PERUN_OK;
}

int perun_modeler_option(struct perun_ctx *ctx, struct perun_modeler_options *options,
			 const char *name, const char *value)
{
	const char *prefix = "single-parameter.";
	bool single = strncmp(name, prefix, strlen(prefix)) == 0;
	const struct {
		const char *name;
		bool *field, meaning;
	} flags[] = {
		{"allow_log_terms", &options->no_log_terms, false},
		{"allow_negative_exponents", &options->negative_exponents, true},
		{"allow_steep_exponents", &options->no_steep_terms, false},
		{"use_crossvalidation", &options->in_sample, false},
		{"retain_default", &options->retain_default, true},
		{"retain_default_exponents", &options->retain_default, true},
		{"force_combination", &options->force_combination, true},
		{"force_combination_exponents", &options->force_combination, true},
		{"allow_combinations_of_sums_and_products", &options->only_sum_and_product, false},
	};

	if (single)
		name += strlen(prefix);
	if (strcmp(name, "compare_with_RSS") == 0)
		return read_bool(ctx, name, value,
				 single ? &options->single_compare_with_rss
					: &options->compare_with_rss,
				 true);
	if (strcmp(name, "allow_negative_exponents") == 0 &&
	    read_bool(ctx, name, value, &options->no_falling_terms, false))
		return PERUN_USAGE;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(name, flags[i].name) == 0)
			return read_bool(ctx, name, value, flags[i].field, flags[i].meaning);
	if (strcmp(name, "poly_exponents") == 0)
		options->poly_exponents = value;
	else if (strcmp(name, "log_exponents") == 0)
		options->log_exponents = value;
	else if (strcmp(name, "single_parameter_point_selection") == 0)
		return read_selection(ctx, value, &options->smallest_lines);
	else if (strcmp(name, "single_parameter_modeler") == 0)
		return read_kind(ctx, value, &options->single);
	else if (strcmp(name, "modeler") == 0)
		return read_kind(ctx, value, single ? &options->single : &options->kind);
	else if (strcmp(name, "minimum_term_contribution") == 0)
		return read_contribution(ctx, value,
					 single ? &options->single_minimum_contribution
						: &options->minimum_contribution);
	else
		return perun_fail(ctx, PERUN_USAGE, "the modelers have no option %s", name);
	return PERUN_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int check_kind(struct perun_ctx *ctx, const struct perun_modeler_options *options,
		      size_t parameters)
{
	bool several = options->kind == PERUN_MODELER_DEFAULT ||
		       options->kind == PERUN_MODELER_MULTI_PARAMETER;

	if (parameters > 1 && !several)
		return perun_fail(ctx, PERUN_USAGE,
				  "the data has %zu parameters, and this modeler is for one: take "
				  "multi-parameter",
				  parameters);
	if (parameters >= PERUN_COLUMNS)
		return perun_fail(ctx, PERUN_USAGE,
				  "%zu parameters are too many, up to %d can be modelled",
				  parameters, PERUN_COLUMNS - 1);
	return PERUN_OK;
}

/* An option that changes nothing is a mistake of whoever gave it. */
static int check_effects(struct perun_ctx *ctx, const struct perun_modeler_options *options,
			 size_t parameters)
{
	bool several = parameters > 1;
	bool refining = (several ? options->single : options->kind) == PERUN_MODELER_REFINING;
	bool powers = options->poly_exponents != NULL, logarithms = options->log_exponents != NULL;
	const char *by_refining = "on the refining modeler";
	const char *of_one = "on the chosen modeler: the data has one parameter";
	const struct {
		const char *name;
		bool given, useless;
		const char *where;
	} checks[] = {
		{"allow_negative_exponents", options->negative_exponents, refining, by_refining},
		{"poly_exponents", powers, refining, by_refining},
		{"log_exponents", logarithms, refining, by_refining},
		{"retain_default_exponents", options->retain_default, refining, by_refining},
		{"force_combination_exponents", options->force_combination, refining, by_refining},
		{"retain_default_exponents", options->retain_default, !powers && !logarithms,
		 "without poly_exponents or log_exponents"},
		{"force_combination_exponents", options->force_combination, !powers || !logarithms,
		 "without both poly_exponents and log_exponents"},
		{"single_parameter_point_selection", options->smallest_lines, !several, of_one},
		{"allow_combinations_of_sums_and_products", options->only_sum_and_product, !several,
		 of_one},
		{"single_parameter_modeler", options->single != PERUN_MODELER_DEFAULT, !several,
		 of_one},
	};

	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		if (checks[i].given && checks[i].useless)
			return perun_fail(ctx, PERUN_USAGE, "option %s has no effect %s",
					  checks[i].name, checks[i].where);
	return PERUN_OK;
}

/* What is meant for the series of each parameter is meant for the only one. */
static void use_single_options(struct perun_modeler_options *options)
{
	options->compare_with_rss |= options->single_compare_with_rss;
	if (options->single_minimum_contribution > 0)
		options->minimum_contribution = options->single_minimum_contribution;
}

static void init_beside(const struct perun_modeler *modeler, struct perun_space *space,
			enum perun_beside which)
{
	struct perun_candidate *candidates;
	size_t count = perun_candidates_beside(which, &candidates);

	space->beside[which] = perun_alloc_zero(1, sizeof *space->beside[which]);
	perun_space_init(space->beside[which], space->x, space->count, space->parameter,
			 &modeler->options, candidates, count);
	perun_free(candidates);
}

static void init_space(struct perun_modeler *modeler, uint32_t parameter, bool own_exponents)
{
	struct perun_space *space = &modeler->spaces[parameter];
	double *x, *values;
	size_t count, n = modeler->points;

	perun_find_lines(modeler, parameter, &x, &count);
	perun_space_init(space, x, count, parameter, &modeler->options, modeler->candidates,
			 modeler->candidate_count);
	if (!own_exponents) {
		if (!modeler->options.negative_exponents && !modeler->options.no_falling_terms)
			init_beside(modeler, space, PERUN_BESIDE_FALLING);
		if (!modeler->options.no_steep_terms)
			init_beside(modeler, space, PERUN_BESIDE_STEEP);
	}
	perun_free(x);
	modeler->few_points |= count < 5;
	if (modeler->parameters == 1)
		return;
	values = perun_alloc_zero(space->candidate_count * n, sizeof *values);
	for (size_t c = 0; c < space->candidate_count; c++)
		for (size_t i = 0; i < n; i++)
			values[c * n + i] = perun_candidate_value(
				&space->candidates[c],
				modeler->coordinates[i * modeler->parameters + parameter]);
	modeler->values_of[parameter] = values;
}

int perun_modeler_new(struct perun_ctx *ctx, const struct perun_modeler_options *options,
		      const double *coordinates, size_t points, size_t parameters,
		      struct perun_modeler **result)
{
	int status = check_kind(ctx, options, parameters);
	struct perun_modeler *modeler;

	*result = NULL;
	if (!status)
		status = check_effects(ctx, options, parameters);
	if (status)
		return status;
	modeler = perun_alloc_zero(1, sizeof *modeler);
	status =
		perun_candidates_new(ctx, options, &modeler->candidates, &modeler->candidate_count);
	if (status) {
		perun_free(modeler);
		return status;
	}
	modeler->options = *options;
	modeler->options.poly_exponents = modeler->options.log_exponents = NULL;
	if (parameters == 1)
		use_single_options(&modeler->options);
	modeler->points = points;
	modeler->parameters = parameters;
	modeler->coordinates = perun_memdup(coordinates, points * parameters * sizeof *coordinates);
	modeler->spaces = perun_alloc_zero(parameters, sizeof *modeler->spaces);
	modeler->lines = perun_alloc_zero(parameters, sizeof *modeler->lines);
	modeler->values_of = perun_alloc_zero(parameters, sizeof *modeler->values_of);
	for (uint32_t p = 0; p < parameters; p++)
		init_space(modeler, p, options->poly_exponents || options->log_exponents);
	*result = modeler;
	return PERUN_OK;
}

void perun_modeler_free(struct perun_modeler *modeler)
{
	if (!modeler)
		return;
	for (size_t p = 0; p < modeler->parameters; p++) {
		perun_space_clear(&modeler->spaces[p]);
		perun_free(modeler->lines[p].points);
		perun_free(modeler->lines[p].ends);
		perun_free(modeler->values_of[p]);
	}
	perun_free(modeler->spaces);
	perun_free(modeler->lines);
	perun_free(modeler->values_of);
	perun_free(modeler->coordinates);
	perun_free(modeler->candidates);
	perun_free(modeler);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* The searches start with the constant and forget it: name it when it was nearly as good. */
static void remember_constant(const struct perun_modeler *modeler, const double *v,
			      struct perun_scaling_model *growth)
{
	struct perun_values values;
	struct perun_costs costs;

	if (growth->segments != 1 || growth->formulas[0]->term_count == 0)
		return;
	perun_values_init(&values, v, modeler->points);
	perun_constant_costs(&values, &costs);
	if (costs.smape <= 1.1 * growth->smape &&
	    (!growth->runner_up || costs.smape < growth->runner_up_smape)) {
		perun_free(growth->runner_up);
		growth->runner_up = perun_formula_of_candidate(values.mean, 0, NULL, 0);
		growth->runner_up_smape = costs.smape;
		growth->warnings |= PERUN_MODEL_TIE;
	}
	perun_values_clear(&values);
}

/* The least SMAPE, in percent, of a formula that says nothing of the values. */
#define MISFIT 40

void perun_modeler_fit(const struct perun_modeler *modeler, const double *values,
		       struct perun_scaling_model *growth)
{
	const struct perun_space *space = modeler->spaces;
	struct perun_single found;

	if (modeler->parameters > 1) {
		perun_multi_search(modeler, values, growth);
	} else if (modeler->options.kind == PERUN_MODELER_SEGMENTED) {
		perun_segmented_search(space, &modeler->options, modeler->candidates,
				       modeler->candidate_count, values, growth);
	} else {
		perun_single_search(space, &modeler->options, modeler->options.kind, values,
				    &found);
		perun_single_to_growth(&found, 0, growth);
	}
	remember_constant(modeler, values, growth);
	if (modeler->few_points)
		growth->warnings |= PERUN_MODEL_FEW_POINTS;
	if (growth->smape > MISFIT)
		growth->warnings |= PERUN_MODEL_MISFIT;
}

double perun_scaling_model_value(const struct perun_scaling_model *growth, const double *coordinate)
{
	bool second = growth->segments == 2 && coordinate[0] > growth->until;

	return perun_formula_value(growth->formulas[second], coordinate);
}

void perun_scaling_model_clear(struct perun_scaling_model *growth)
{
	perun_free(growth->formulas[0]);
	perun_free(growth->formulas[1]);
	perun_free(growth->runner_up);
	*growth = (struct perun_scaling_model){0};
}
