/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: the experiment of a profile, models of its call paths, and which are shown. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/regex.h>

#include "scaling.h"
#include "views/common/modeler.h"

const struct perun_experiment_series *scaling_series(const struct scaling *scaling, size_t i)
{
	return &scaling->experiment->series[scaling->series[i]];
}

const char *scaling_name(const struct scaling *scaling, size_t i)
{
	return scaling->experiment->callpath_names[scaling_series(scaling, i)->callpath];
}

const double *scaling_coordinate(const struct scaling *scaling,
				 const struct perun_measurement *measurement)
{
	return scaling->experiment->coordinates +
	       measurement->point * scaling->experiment->parameters;
}

const struct perun_scaling_model *scaling_growth(const struct scaling *scaling, size_t i)
{
	return &scaling->growths[scaling->series[i]];
}

double scaling_measured(const struct scaling *scaling, const struct perun_measurement *measurement)
{
	const double values[] = {
		[PERUN_REPEATED_MEAN] = measurement->mean,
		[PERUN_REPEATED_MEDIAN] = measurement->median,
		[PERUN_REPEATED_MINIMUM] = measurement->minimum,
		[PERUN_REPEATED_MAXIMUM] = measurement->maximum,
	};

	return values[scaling->repeated];
}

double scaling_predicted(const struct scaling *scaling, size_t i, const double *coordinate)
{
	const struct perun_scaling_model *growth = scaling_growth(scaling, i);

	return growth->segments ? perun_scaling_model_value(growth, coordinate) : NAN;
}

double scaling_cost(const struct scaling *scaling, size_t i, const double *coordinate)
{
	return scaling_series(scaling, i)->overlaps ? NAN
						    : scaling_predicted(scaling, i, coordinate);
}

size_t scaling_find(const struct scaling *scaling, const char *name)
{
	for (size_t i = 0; i < scaling->count; i++)
		if (strcmp(scaling_name(scaling, i), name) == 0)
			return i;
	return SIZE_MAX;
}

/* More curves than that, two for each call path, could not be distinguished. */
enum { MAX_COMPARED = 4 };

/* ---- choices --------------------------------------------------------------------------------- */

/* Which metric is shown from now on: its series, and what is known of it. */
static void set_metric(struct scaling *scaling, size_t number)
{
	const struct perun_experiment *experiment = scaling->experiment;
	const struct perun_metric *metric =
		perun_metric(scaling->profile, experiment->metrics[number]);

	scaling->metric = (uint32_t)number;
	scaling->unit = perun_experiment_unit(experiment, number);
	scaling->inclusive = metric && metric->inclusive;
	if (!scaling->series)
		scaling->series =
			perun_alloc_zero(experiment->series_count + 1, sizeof *scaling->series);
	scaling->count = scaling->left_out = 0;
	for (size_t i = 0; i < experiment->series_count; i++) {
		if (experiment->series[i].metric != number)
			continue;
		if (experiment->series[i].overlaps &&
		    !perun_option_count(scaling->options, "callpath"))
			scaling->left_out++;
		else
			scaling->series[scaling->count++] = i;
	}
}

/* The first of times, before counts of visits and the like; else the first. */
static int choose_metric(struct scaling *scaling)
{
	const struct perun_experiment *experiment = scaling->experiment;
	const char *wanted = perun_option_string(scaling->options, "metric");
	struct perun_buffer known = {0};
	int status = PERUN_OK;
	size_t i = 0;

	for (; wanted && i < experiment->metric_count; i++) {
		if (strcmp(experiment->metrics[i], wanted) == 0)
			break;
		perun_buffer_printf(&known, "%s%s", i ? ", " : "", experiment->metrics[i]);
	}
	if (i >= experiment->metric_count)
		status = perun_fail(scaling->ctx, PERUN_USAGE, "no metric %s, only: %s", wanted,
				    known.data ? known.data : "none");
	perun_buffer_free(&known);
	for (size_t k = 0; !wanted && k < experiment->metric_count; k++)
		if (perun_experiment_is_time(experiment, k)) {
			i = k;
			break;
		}
	if (!status)
		set_metric(scaling, i);
	return status;
}

static int find_parameter(struct scaling *scaling, const char *name, size_t length, size_t *number)
{
	const struct perun_experiment *experiment = scaling->experiment;

	for (*number = 0; *number < experiment->parameters; (*number)++) {
		const char *known = experiment->parameter_names[*number];

		if (strlen(known) == length && memcmp(known, name, length) == 0)
			return PERUN_OK;
	}
	return perun_fail(scaling->ctx, PERUN_USAGE,
			  "the experiment has no parameter %.*s; its first one is %s", (int)length,
			  name, experiment->parameter_names[0]);
}

static int read_at(struct scaling *scaling)
{
	const struct perun_experiment *experiment = scaling->experiment;
	size_t parameters = experiment->parameters, number;
	const char *axis = perun_option_string(scaling->options, "parameter");
	int status =
		axis ? find_parameter(scaling, axis, strlen(axis), &scaling->parameter) : PERUN_OK;

	scaling->at = perun_alloc_zero(parameters, sizeof *scaling->at);
	scaling->low = perun_alloc_zero(parameters, sizeof *scaling->low);
	scaling->high = perun_alloc_zero(parameters, sizeof *scaling->high);
	for (size_t p = 0; p < parameters; p++) {
		scaling->low[p] = INFINITY;
		scaling->high[p] = -INFINITY;
		for (size_t i = 0; i < experiment->points; i++) {
			double value = experiment->coordinates[i * parameters + p];

			scaling->low[p] = fmin(scaling->low[p], value);
			scaling->high[p] = fmax(scaling->high[p], value);
		}
		scaling->at[p] = scaling->high[p] * (p == scaling->parameter ? 4 : 1);
	}
	for (size_t i = 0; !status && i < perun_option_count(scaling->options, "at"); i++) {
		const char *text = perun_option_string_at(scaling->options, "at", i);
		const char *equals = strchr(text, '=');
		char *end = NULL;
		const char *digits = equals ? equals + 1 : text;
		double value = perun_strtod(digits, &end);

		if ((!equals && parameters > 1) || end == digits || *end || !isfinite(value))
			return perun_fail(scaling->ctx, PERUN_USAGE,
					  "--at %s: expected NAME=VALUE, such as %s=1024", text,
					  experiment->parameter_names[0]);
		number = 0;
		if (equals)
			status = find_parameter(scaling, text, (size_t)(equals - text), &number);
		if (!status)
			scaling->at[number] = value;
	}
	return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

static int fit(struct scaling *scaling)
{
	const struct perun_experiment *experiment = scaling->experiment;
	struct perun_modeler_options options;
	int status =
		views_read_modeler(scaling->ctx, scaling->options, &options, &scaling->repeated);

	return status ? status
		      : perun_experiment_fit(scaling->ctx, experiment, &options, scaling->repeated,
					     &scaling->growths);
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* The call paths that one of the expressions matches; without any: all. */
static int match(struct scaling *scaling, bool *wanted)
{
	size_t count = perun_option_count(scaling->options, "callpath");

	for (size_t i = 0; i < scaling->count; i++)
		wanted[i] = count == 0;
	for (size_t k = 0; k < count; k++) {
		const char *text = perun_option_string_at(scaling->options, "callpath", k);
		struct perun_regex *regex;
		int status = perun_regex_new(scaling->ctx, text, 0, &regex);

		if (status)
			return status;
		for (size_t i = 0; i < scaling->count; i++) {
			const char *name = scaling_name(scaling, i);

			wanted[i] = wanted[i] || perun_regex_matches(regex, name, strlen(name));
		}
		perun_regex_free(regex);
	}
	return PERUN_OK;
}

/* What a call path is chosen for: its cost, or how much that differs from the one before. */
static double weight_of(const struct scaling *scaling, size_t i)
{
	double value = scaling_predicted(scaling, i, scaling->at);
	size_t other = scaling->before ? scaling_find(scaling->before, scaling_name(scaling, i))
				       : SIZE_MAX;

	if (other != SIZE_MAX)
		value = fabs(value - scaling_predicted(scaling->before, other, scaling->at));
	return isnan(value) ? -INFINITY : value;
}

/* The weightiest first, those without a model last; equal ones in the order of the file. */
static int by_weight(const void *a, const void *b, void *data)
{
	const size_t one = *(const size_t *)a, other = *(const size_t *)b;
	double x = weight_of(data, one), y = weight_of(data, other);

	return x > y ? -1 : x < y ? 1 : one < other ? -1 : one > other;
}

static int choose(struct scaling *scaling)
{
	size_t limit = (size_t)perun_option_integer(scaling->options, "limit");
	bool *wanted = perun_alloc_zero(scaling->count + 1, sizeof *wanted);
	int status = match(scaling, wanted);

	perun_free(scaling->chosen);
	scaling->chosen = perun_alloc_zero(scaling->count + 1, sizeof *scaling->chosen);
	scaling->chosen_count = 0;
	scaling->whole = 0;
	for (size_t i = 0; i < scaling->count; i++) {
		double value = scaling_cost(scaling, i, scaling->at);

		if (wanted[i])
			scaling->chosen[scaling->chosen_count++] = i;
		if (value > 0 && isfinite(value))
			scaling->whole = scaling->inclusive ? fmax(scaling->whole, value)
							    : scaling->whole + value;
	}
	perun_free(wanted);
	if (!status && !scaling->chosen_count && !scaling->is_before)
		status = perun_fail(scaling->ctx, PERUN_USAGE, "no call path matches");
	qsort_r(scaling->chosen, scaling->chosen_count, sizeof *scaling->chosen, by_weight,
		scaling);
	if (scaling->chosen_count > limit)
		scaling->chosen_count = limit;
	return status;
}

static int select_before(const struct scaling *scaling)
{
	const char *wanted = scaling->experiment->metrics[scaling->metric];
	const struct perun_experiment *before = scaling->before->experiment;

	for (uint32_t m = 0; m < before->metric_count; m++)
		if (strcmp(before->metrics[m], wanted) == 0)
			return scaling_select(scaling->before, m);
	return perun_fail(scaling->ctx, PERUN_USAGE, "the first experiment has no metric %s",
			  wanted);
}

int scaling_select(struct scaling *scaling, uint32_t metric)
{
	int status = PERUN_OK;

	set_metric(scaling, metric);
	if (scaling->before)
		status = select_before(scaling);
	if (!status)
		status = choose(scaling);
	if (scaling->before && scaling->chosen_count > MAX_COMPARED &&
	    !perun_option_given(scaling->options, "limit"))
		scaling->chosen_count = MAX_COMPARED;
	return status;
}

int scaling_load(struct scaling *scaling, const struct perun_profile *profile)
{
	int status = perun_experiment_new(scaling->ctx, profile,
					  perun_option_flag(scaling->options, "allow-missing"),
					  &scaling->experiment);

	scaling->profile = profile;
	if (status)
		return perun_fail(scaling->ctx, PERUN_OK,
				  "the view scaling shows experiments: measurements at several "
				  "values of a parameter");
	if (!scaling->experiment->parameters || !scaling->experiment->series_count)
		return perun_fail(scaling->ctx, PERUN_INPUT,
				  "an experiment without %s: nothing to show",
				  scaling->experiment->parameters ? "measurements" : "parameters");
	status = choose_metric(scaling);
	if (!status)
		status = read_at(scaling);
	if (!status)
		status = fit(scaling);
	return status ? status : choose(scaling);
}

void scaling_free(struct scaling *scaling)
{
	if (scaling->growths)
		perun_scaling_models_free(scaling->growths, scaling->experiment->series_count);
	perun_free(scaling->series);
	perun_free(scaling->chosen);
	perun_free(scaling->at);
	perun_free(scaling->low);
	perun_free(scaling->high);
	perun_experiment_free(scaling->experiment);
}
