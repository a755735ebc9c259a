/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of growth as rows, in the kinds that Perun has where they fit. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "extrap.h"

struct storing {
	const struct perun_experiment *experiment;
	enum perun_repeated repeated;
	struct perun_builder *builder;
	struct perun_table_builder *models, *terms;
	struct perun_column_builder *owner, *name, *value; /* of terms */
	struct perun_observations observations;            /* of the series at hand */
};

/* ---- kinds ----------------------------------------------------------------------------------- */

/* The coefficients b0, b1 ... of a formula; returns its kind. */
enum { COEFFICIENTS = 32 };
struct kind {
	const char *name;
	double b[COEFFICIENTS];
	size_t count;
};

static void exponents_of(const struct perun_formula *formula, double *poly, double *log)
{
	*poly = *log = 0;
	for (uint32_t i = 0; i < formula->factor_count; i++)
		*(formula->factors[i].logarithm ? log : poly) += formula->factors[i].exponent.value;
}

static struct kind kind_of_one(const struct perun_formula *formula)
{
	double c0 = formula->constant, c1, poly, log;

	if (formula->term_count == 0)
		return (struct kind){"constant", {c0, 0}, 2};
	c1 = formula->terms[0].coefficient;
	exponents_of(formula, &poly, &log);
	if (log == 0 && poly == 1)
		return (struct kind){"linear", {c0, c1}, 2};
	if (log == 0 && poly == 2)
		return (struct kind){"quadratic", {c0, 0, c1}, 3};
	if (log == 1 && poly == 0)
		return (struct kind){"logarithmic", {c0, c1 / M_LN2}, 2};
	if (log == 0 && c0 == 0)
		return (struct kind){"power", {c1, poly}, 2};
	return (struct kind){"pmnf", {c0, c1, poly, log}, 4};
}

static struct kind kind_of(const struct perun_formula *formula, size_t parameters)
{
	struct kind kind = {"pmnf_multi", {formula->constant}, 1};

	if (parameters == 1 && formula->term_count <= 1)
		return kind_of_one(formula);
	for (uint32_t i = 0; i < formula->term_count && kind.count < COEFFICIENTS; i++)
		kind.b[kind.count++] = formula->terms[i].coefficient;
	return kind;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void set_text(struct storing *storing, const char *column, const char *text)
{
	struct perun_column_info info = {
		.name = column, .type = PERUN_TYPE_STRING, .growing = true};

	perun_column_set_id(perun_table_add_column(storing->models, &info), PERUN_TYPE_STRING,
			    perun_builder_text(storing->builder, text));
}

/* Numbers that JSON has not are left out. */
static void set_number(struct storing *storing, const char *column, double number)
{
	struct perun_column_info info = {
		.name = column, .type = PERUN_TYPE_DOUBLE, .growing = true};

	if (isfinite(number))
		perun_column_set_double(perun_table_add_column(storing->models, &info), number);
}

static void add_coefficients(struct storing *storing, const struct kind *kind)
{
	for (size_t i = 0; i < kind->count; i++) {
		char *name = perun_format("b%zu", i);

		perun_column_set_id(storing->owner, PERUN_TYPE_ROW,
				    (perun_id)perun_table_builder_rows(storing->models));
		perun_column_set_id(storing->name, PERUN_TYPE_STRING,
				    perun_builder_text(storing->builder, name));
		if (isfinite(kind->b[i]))
			perun_column_set_double(storing->value, kind->b[i]);
		perun_table_end_row(storing->terms);
		perun_free(name);
	}
}

static void open_tables(struct storing *storing)
{
	struct perun_column_info owner = {
		.name = "model", .type = PERUN_TYPE_ROW, .refers = "models"};
	struct perun_column_info name = {
		.name = "name", .type = PERUN_TYPE_STRING, .growing = true};
	struct perun_column_info value = {
		.name = "value", .type = PERUN_TYPE_DOUBLE, .growing = true};

	storing->models = perun_builder_table(storing->builder, "models");
	storing->terms = perun_builder_table(storing->builder, "model_terms");
	storing->owner = perun_table_add_column(storing->terms, &owner);
	storing->name = perun_table_add_column(storing->terms, &name);
	storing->value = perun_table_add_column(storing->terms, &value);
}

/* ---- models ---------------------------------------------------------------------------------- */

/* The part of the axis that a formula is for; whole when the model has one part. */
struct range {
	double start, end;
};

static bool is_within(const struct storing *storing, size_t i, const struct range *range)
{
	double x = storing->observations.coordinates[i * storing->observations.parameters];

	return storing->observations.parameters > 1 || (x >= range->start && x <= range->end);
}

static struct range find_range(const struct storing *storing,
			       const struct perun_scaling_model *growth, uint32_t segment)
{
	struct range range = {INFINITY, -INFINITY};

	for (size_t i = 0; i < storing->observations.count; i++) {
		double x = storing->observations.coordinates[i * storing->observations.parameters];

		range.start = fmin(range.start, x);
		range.end = fmax(range.end, x);
	}
	if (growth->segments == 2 && segment == 0)
		range.end = growth->until;
	else if (growth->segments == 2)
		range.start = growth->from;
	return range;
}

/* R squared of the formula at its points; of a constant 1 - SMAPE / 200, for there is none. */
static double r_square_of(const struct storing *storing, const struct perun_formula *formula,
			  const struct range *range, double smape)
{
	const struct perun_observations *observations = &storing->observations;
	double mean = 0, count = 0, residual = 0, total = 0;

	if (formula->term_count == 0)
		return 1 - smape / 200;
	for (size_t i = 0; i < observations->count; i++) {
		if (!is_within(storing, i, range))
			continue;
		mean += observations->values[i];
		count++;
	}
	mean /= count;
	for (size_t i = 0; i < observations->count; i++) {
		const double *at = observations->coordinates + i * observations->parameters;
		double value = observations->values[i], off;

		if (!is_within(storing, i, range))
			continue;
		off = value - perun_formula_value(formula, at);
		residual += off * off;
		total += (value - mean) * (value - mean);
	}
	return total > 0 ? 1 - residual / total : 0;
}

static void add_model(struct storing *storing, const struct perun_experiment_series *series,
		      const struct perun_scaling_model *growth, uint32_t segment)
{
	const struct perun_experiment *experiment = storing->experiment;
	const struct perun_formula *formula = growth->formulas[segment];
	struct kind kind = kind_of(formula, experiment->parameters);
	struct range range = find_range(storing, growth, segment);
	struct perun_buffer text = {0};

	set_text(storing, "uid", experiment->callpath_names[series->callpath]);
	set_text(storing, "model", kind.name);
	set_text(storing, "method", "extrap");
	set_number(storing, "r_square", r_square_of(storing, formula, &range, growth->smape));
	if (experiment->parameters == 1) {
		set_number(storing, "x_start", range.start);
		set_number(storing, "x_end", range.end);
	}
	set_text(storing, "metric", experiment->metrics[series->metric]);
	perun_formula_print(formula, experiment->parameter_names, PERUN_SPELLING_PLAIN, &text);
	set_text(storing, "formula", text.data);
	perun_buffer_clear(&text);
	perun_formula_print_class(formula, experiment->parameter_names, &text);
	set_text(storing, "growth", text.data);
	set_number(storing, "smape", growth->smape);
	add_coefficients(storing, &kind);
	perun_table_end_row(storing->models);
	perun_buffer_free(&text);
}

void extrap_store(const struct perun_experiment *experiment,
		  const struct perun_scaling_model *growths, enum perun_repeated repeated,
		  struct perun_builder *builder)
{
	struct storing storing = {
		.experiment = experiment, .repeated = repeated, .builder = builder};

	open_tables(&storing);
	for (size_t i = 0; i < experiment->series_count; i++) {
		perun_experiment_observations(experiment, i, repeated, &storing.observations);
		for (uint32_t segment = 0; segment < growths[i].segments; segment++)
			add_model(&storing, &experiment->series[i], &growths[i], segment);
		perun_observations_clear(&storing.observations);
	}
}
