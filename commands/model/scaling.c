/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --scaling: speed-up, efficiency and cost, from times at several numbers of processors. */
#include <config.h>

#include <math.h>
#include <string.h>
#include <strings.h>

#include <perun/lib/units.h>

#include "model.h"

/* Times that fall below the first of these parts come from strong scaling; above the second, from weak. */
#define FALLS 0.75
#define STAYS 0.9
/* Efficiency is searched up to this many times the largest number of processors measured. */
#define FARTHEST 1024.0
#define STEPS    4 /* of a doubling */

/* ---- what is asked for ----------------------------------------------------------------------- */

bool model_wants_scaling(const struct perun_options *options, const struct perun_profile *profile)
{
	const char *scaling = perun_option_string(options, "scaling");

	if (!scaling)
		return false;
	/* For formats that put the values of processes together, strong and weak say how, as in Extra-P. */
	return strcmp(scaling, "auto") == 0 || perun_option_given(options, "efficiency") ||
	       perun_option_given(options, "processors") || !model_put_together(profile);
}

const char *model_put_together(const struct perun_profile *profile)
{
	const char *text = perun_profile_text(profile, "/extra/extrap/scaling");

	return text && *text ? text : NULL;
}

/* The parameter that counts processors: the one named, the only one, or one of these names. */
static int find_processors(struct model_run *run)
{
	static const char *const known[] = {"p",     "procs", "processes", "processors", "ranks",
					    "np",    "nproc", "nprocs",    "mpi",        "cores",
					    "nodes", "cpus",  "threads",   "workers",    "t"};
	const struct perun_experiment *experiment = run->experiment;
	const char *named = perun_option_string(run->options, "processors");

	for (size_t p = 0; p < experiment->parameters && named; p++)
		if (strcmp(experiment->parameter_names[p], named) == 0) {
			run->scaling.parameter = p;
			return PERUN_OK;
		}
	if (named)
		return perun_fail(run->ctx, PERUN_USAGE,
				  "--processors: the experiment has no parameter %s, its first is "
				  "%s",
				  named, experiment->parameter_names[0]);
	for (size_t k = 0; k < sizeof known / sizeof *known && experiment->parameters > 1; k++)
		for (size_t p = 0; p < experiment->parameters; p++)
			if (strcasecmp(experiment->parameter_names[p], known[k]) == 0) {
				run->scaling.parameter = p;
				return PERUN_OK;
			}
	if (experiment->parameters > 1)
		return perun_fail(run->ctx, PERUN_USAGE,
				  "which parameter counts processors? Say it with --processors, "
				  "as --processors %s",
				  experiment->parameter_names[0]);
	return PERUN_OK;
}

static int find_time(struct model_run *run)
{
	const struct perun_experiment *experiment = run->experiment;

	for (size_t m = 0; m < experiment->metric_count; m++)
		if (perun_experiment_is_time(experiment, m)) {
			run->scaling.time = m;
			return PERUN_OK;
		}
	run->scaling.time = 0;
	if (experiment->metric_count != 1)
		return perun_fail(run->ctx, PERUN_INPUT,
				  "--scaling: none of the metrics is a time, the first is %s",
				  experiment->metric_count ? experiment->metrics[0] : "missing");
	return PERUN_OK;
}

/* ---- derived values -------------------------------------------------------------------------- */

static double processors_at(const struct model_run *run, const struct perun_experiment *experiment,
			    uint32_t point)
{
	return experiment->coordinates[point * experiment->parameters + run->scaling.parameter];
}

static bool same_but_processors(const struct model_run *run,
				const struct perun_experiment *experiment, uint32_t a, uint32_t b)
{
	size_t parameters = experiment->parameters;

	for (size_t p = 0; p < parameters; p++)
		if (p != run->scaling.parameter &&
		    experiment->coordinates[a * parameters + p] !=
			    experiment->coordinates[b * parameters + p])
			return false;
	return true;
}

static double measured(const struct model_run *run, const struct perun_measurement *measurement)
{
	const double values[] = {
		[PERUN_REPEATED_MEAN] = measurement->mean,
		[PERUN_REPEATED_MEDIAN] = measurement->median,
		[PERUN_REPEATED_MINIMUM] = measurement->minimum,
		[PERUN_REPEATED_MAXIMUM] = measurement->maximum,
	};

	return isnan(values[run->repeated]) ? measurement->mean : values[run->repeated];
}

/* With the fewest processors, all else the same. NULL = nothing was measured there but this point. */
static const struct perun_measurement *reference_of(const struct model_run *run,
						    const struct perun_experiment *experiment,
						    const struct perun_experiment_series *series,
						    const struct perun_measurement *of)
{
	const struct perun_measurement *least = NULL;
	size_t alike = 0;

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *other =
			&experiment->measurements[series->first + k];

		if (!same_but_processors(run, experiment, of->point, other->point))
			continue;
		alike++;
		if (!least || processors_at(run, experiment, other->point) <
				      processors_at(run, experiment, least->point))
			least = other;
	}
	return alike > 1 ? least : NULL;
}

/* What a measurement becomes when each of its values v becomes factor * v, or factor / v. */
static struct perun_measurement derived(const struct perun_measurement *from, double factor,
					bool inverse)
{
	struct perun_measurement to = *from;
	double relative = from->mean != 0 ? from->std / from->mean : 0;

	to.mean = inverse ? factor / from->mean : factor * from->mean;
	to.median = inverse ? factor / from->median : factor * from->median;
	to.minimum = inverse ? factor / from->maximum : factor * from->minimum;
	to.maximum = inverse ? factor / from->minimum : factor * from->maximum;
	to.std = relative * to.mean;
	return to;
}

static bool derive_one(const struct model_run *run, const struct perun_experiment *experiment,
		       const struct perun_measurement *from,
		       const struct perun_measurement *reference, enum model_derived what,
		       struct perun_measurement *to)
{
	double p = processors_at(run, experiment, from->point), least, value;

	/* Sums over all processors are p times what one of them takes. */
	if (what == MODEL_COST) {
		*to = derived(from, (run->scaling.summed ? 1 : p) * run->scaling.hours, false);
		return true;
	}
	if (!reference)
		return false;
	least = processors_at(run, experiment, reference->point);
	value = measured(run, reference);
	if (!(from->mean > 0) || !(value > 0) || !(least > 0))
		return false;
	if (run->scaling.summed)
		value *= p / least; /* of times: T = sum / p */
	if (what == MODEL_SPEEDUP && !run->scaling.strong)
		value *= p / least;
	if (what == MODEL_EFFICIENCY && run->scaling.strong)
		value *= least / p;
	*to = derived(from, value, true);
	return isfinite(to->mean);
}

/* A series of derived values of series `number`; none where there are none. */
static void derive_series(const struct model_run *run, struct perun_experiment *experiment,
			  size_t number, enum model_derived what, uint32_t metric)
{
	struct perun_experiment_series added = {.callpath = experiment->series[number].callpath,
						.metric = metric,
						.overlaps = experiment->series[number].overlaps,
						.first = experiment->measurement_count};
	size_t count = experiment->series[number].count;

	experiment->measurements = perun_realloc_array(experiment->measurements,
						       experiment->measurement_count + count + 1,
						       sizeof *experiment->measurements);
	for (size_t k = 0; k < count; k++) {
		const struct perun_experiment_series *series = &experiment->series[number];
		const struct perun_measurement *from = &experiment->measurements[series->first + k];
		const struct perun_measurement *reference =
			reference_of(run, experiment, series, from);

		if (derive_one(run, experiment, from, reference, what,
			       &experiment->measurements[added.first + added.count]))
			added.count++;
	}
	if (!added.count)
		return;
	experiment->measurement_count += added.count;
	experiment->series = perun_realloc_array(experiment->series, experiment->series_count + 1,
						 sizeof *experiment->series);
	experiment->series[experiment->series_count++] = added;
}

/* Cost, speed-up and efficiency of all series of `time`, as further metrics. */
static void derive(const struct model_run *run, struct perun_experiment *experiment, size_t time)
{
	size_t count = experiment->series_count, first = experiment->metric_count;

	experiment->metrics = perun_realloc_array(experiment->metrics, first + MODEL_DERIVED,
						  sizeof *experiment->metrics);
	experiment->metrics[first + MODEL_COST] = run->scaling.has_unit ? "core-hours" : "cost";
	experiment->metrics[first + MODEL_SPEEDUP] = "speed-up";
	experiment->metrics[first + MODEL_EFFICIENCY] = "efficiency";
	experiment->metric_count += MODEL_DERIVED;
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < MODEL_DERIVED && experiment->series[i].metric == time; k++)
			derive_series(run, experiment, i, (enum model_derived)k,
				      (uint32_t)(first + (size_t)k));
}

/* ---- the whole program ----------------------------------------------------------------------- */

static bool is_below_another(const struct model_run *run, const struct model_tree *tree,
			     uint32_t node)
{
	size_t metrics = run->experiment->metric_count;

	while ((node = tree->nodes[node].parent) != MODEL_NONE) {
		uint32_t callpath = tree->nodes[node].callpath;

		if (callpath != MODEL_NONE &&
		    tree->series[callpath * metrics + run->scaling.time] != MODEL_NONE)
			return true;
	}
	return false;
}

static void add_up(struct perun_measurement *sum, const struct perun_measurement *part)
{
	sum->mean += part->mean;
	sum->median += part->median;
	sum->minimum += part->minimum;
	sum->maximum += part->maximum;
	sum->std = hypot(sum->std, part->std);
	if (!sum->repetitions || part->repetitions < sum->repetitions)
		sum->repetitions = part->repetitions;
}

/* One series: what all call paths take together at each point where something was measured. */
static struct perun_experiment *whole_of(const struct model_run *run)
{
	const struct perun_experiment *from = run->experiment;
	size_t points = from->points, used = 0;
	struct perun_experiment *whole = perun_alloc_zero(1, sizeof *whole);
	struct perun_measurement *sums = perun_alloc_zero(points + 1, sizeof *sums);
	bool *there = perun_alloc_zero(points + 1, sizeof *there);
	bool inclusive = model_is_inclusive(run, run->scaling.time);
	struct model_tree tree = {0};

	model_tree_init(&tree, from);
	for (uint32_t i = 0; i < tree.count; i++) {
		uint32_t callpath = tree.nodes[i].callpath, series;

		if (callpath == MODEL_NONE || (inclusive && is_below_another(run, &tree, i)))
			continue;
		series = tree.series[callpath * from->metric_count + run->scaling.time];
		if (series == MODEL_NONE || from->series[series].overlaps)
			continue;
		for (size_t k = 0; k < from->series[series].count; k++) {
			const struct perun_measurement *part =
				&from->measurements[from->series[series].first + k];

			sums[part->point].point = part->point;
			add_up(&sums[part->point], part);
			there[part->point] = true;
		}
	}
	for (size_t i = 0; i < points; i++)
		if (there[i])
			sums[used++] = sums[i];
	model_tree_clear(&tree);
	perun_free(there);
	*whole = (struct perun_experiment){
		.profile = from->profile,
		.parameters = from->parameters,
		.points = points,
		.callpaths = 1,
		.metric_count = 1,
		.series_count = 1,
		.measurement_count = used,
		.parameter_names = perun_memdup(from->parameter_names,
						from->parameters * sizeof *from->parameter_names),
		.coordinates = perun_memdup(from->coordinates,
					    points * from->parameters * sizeof *from->coordinates),
		.callpath_names = perun_alloc_zero(1, sizeof(char *)),
		.metrics = perun_alloc_zero(1, sizeof(char *)),
		.series = perun_alloc_zero(1, sizeof(struct perun_experiment_series)),
		.measurements = sums,
		.statistics_known = from->statistics_known,
	};
	whole->callpath_names[0] = perun_strdup("whole program");
	whole->metrics[0] = from->metrics[run->scaling.time];
	whole->series[0].count = used;
	return whole;
}

/* Whether times fall with more processors: the least of all quotients with the fewest ones. */
static int detect(struct model_run *run)
{
	const struct perun_experiment *whole = run->scaling.whole;
	const char *wanted = perun_option_string(run->options, "scaling");
	double least = INFINITY;

	for (size_t k = 0; k < whole->series[0].count; k++) {
		const struct perun_measurement *one = &whole->measurements[k];
		const struct perun_measurement *first =
			reference_of(run, whole, &whole->series[0], one);
		double quotient = first && first != one ? measured(run, one) / measured(run, first)
							: INFINITY;

		if (run->scaling.summed && first)
			quotient *= processors_at(run, whole, first->point) /
				    processors_at(run, whole, one->point);
		least = fmin(least, quotient);
	}
	if (isinf(least))
		return perun_fail(run->ctx, PERUN_INPUT,
				  "--scaling: no times above 0 were measured at points that differ "
				  "in %s alone",
				  whole->parameter_names[run->scaling.parameter]);
	run->scaling.strong = strcmp(wanted, "strong") == 0 || least < FALLS;
	run->scaling.detected = strcmp(wanted, "auto") == 0;
	if (strcmp(wanted, "weak") == 0)
		run->scaling.strong = false;
	if (run->scaling.detected && least >= FALLS && least < STAYS)
		return perun_fail(run->ctx, PERUN_INPUT,
				  "--scaling auto: the time falls, but only to %.0f %%; say "
				  "strong (the same problem on more processors) or weak (a "
				  "problem that grows with them)",
				  100 * least);
	return PERUN_OK;
}

int model_scaling_add(struct model_run *run)
{
	const char *wanted = perun_option_string(run->options, "scaling");
	const char *together = model_put_together(run->profile);
	const char *unit;
	int status = find_processors(run);

	run->scaling.first = run->experiment->metric_count;
	if (!status && strcmp(wanted, "weak_threaded") == 0 && !together)
		status = perun_fail(run->ctx, PERUN_USAGE,
				    "--scaling weak_threaded is for formats that know threads");
	if (!status)
		status = find_time(run);
	if (status)
		return status;
	unit = perun_experiment_unit(run->experiment, run->scaling.time);
	run->scaling.has_unit = perun_unit_of(unit).kind == PERUN_UNIT_TIME;
	run->scaling.hours = run->scaling.has_unit ? (double)perun_unit_factor(unit, "h") : 1;
	/* Cube's values of processes, or rows of profiles with labels for their processes. */
	run->scaling.summed = (together && strcmp(together, "strong") == 0) ||
			      strcmp(perun_profile_text(run->profile, "/extra/extrap/summed"),
				     run->experiment->parameter_names[run->scaling.parameter]) == 0;
	run->scaling.threshold = perun_option_number(run->options, "efficiency") / 100;
	run->scaling.whole = whole_of(run);
	status = detect(run);
	if (status)
		return status;
	derive(run, run->experiment, run->scaling.time);
	derive(run, run->scaling.whole, 0);
	return PERUN_OK;
}

void model_scaling_clear(struct model_run *run)
{
	if (run->scaling.whole && run->scaling.growths)
		perun_scaling_models_free(run->scaling.growths, run->scaling.whole->series_count);
	perun_experiment_free(run->scaling.whole);
	perun_free(run->scaling.at);
}

bool model_is_ratio(const struct model_run *run, size_t metric)
{
	return run->scaling.whole && (metric == run->scaling.first + MODEL_SPEEDUP ||
				      metric == run->scaling.first + MODEL_EFFICIENCY);
}

void model_add_value(const struct model_run *run, size_t series, double value,
		     struct perun_buffer *out)
{
	uint32_t metric = run->experiment->series[series].metric;
	const char *unit = perun_experiment_unit(run->experiment, metric);
	enum perun_unit_kind kind = perun_unit_of(unit).kind;

	if (!model_is_ratio(run, metric) && (kind == PERUN_UNIT_TIME || kind == PERUN_UNIT_BYTES))
		perun_add_amount(out, value, unit);
	else
		perun_buffer_printf(out, "%.4g", value);
}

/* ---- where efficiency falls ------------------------------------------------------------------ */

/* The cost, or the time, at a number of processors: of the whole, or the sum of the models of all call paths. */
static double value_at(const struct model_run *run, bool cost, bool of_whole, double processors)
{
	const struct perun_experiment *experiment = run->experiment;
	size_t metric = cost ? run->scaling.first + MODEL_COST : run->scaling.time;
	double sum = 0;

	run->scaling.at[run->scaling.parameter] = processors;
	if (of_whole)
		return perun_scaling_model_value(&run->scaling.growths[cost ? 1 + MODEL_COST : 0],
						 run->scaling.at);
	for (size_t i = 0; i < experiment->series_count; i++)
		if (experiment->series[i].metric == metric && !experiment->series[i].overlaps)
			sum += fmax(perun_scaling_model_value(&run->growths[i], run->scaling.at),
				    0);
	return sum;
}

/* By the models of what stays constant in ideal scaling: the cost (strong), or the time (weak). */
static double efficiency_at(const struct model_run *run, bool of_whole, double processors)
{
	bool by_cost = run->scaling.strong || run->scaling.summed;
	double first = value_at(run, by_cost, of_whole, run->scaling.least);
	double then = value_at(run, by_cost, of_whole, processors);

	if (by_cost && !run->scaling.strong)
		then *= run->scaling.least / processors;
	return first / then;
}

/* The first crossing, by steps and then by halving; NaN = none. */
static double crossing(const struct model_run *run, bool of_whole)
{
	const double farthest = run->scaling.farthest;
	double low = run->scaling.least, high = low;

	do {
		low = high;
		high = fmin(low * pow(2, 1.0 / STEPS), farthest);
		if (efficiency_at(run, of_whole, high) < run->scaling.threshold)
			break;
	} while (high < farthest);
	if (!(efficiency_at(run, of_whole, high) < run->scaling.threshold))
		return NAN;
	for (int i = 0; i < 60; i++) {
		double middle = low + (high - low) / 2;

		if (efficiency_at(run, of_whole, middle) < run->scaling.threshold)
			high = middle;
		else
			low = middle;
	}
	/* The first whole number at which it is below, or, but for rounding, no more than that. */
	return ceil(high * (1 - 1e-9));
}

int model_scaling_fit(struct model_run *run, const struct perun_modeler_options *modeler)
{
	struct perun_experiment *whole = run->scaling.whole;
	size_t parameter = run->scaling.parameter;
	int status = perun_experiment_fit(run->ctx, whole, modeler, run->repeated,
					  &run->scaling.growths);

	if (status)
		return status;
	run->scaling.at = perun_alloc_zero(whole->parameters, sizeof *run->scaling.at);
	run->scaling.least = INFINITY;
	for (size_t p = 0; p < whole->parameters; p++)
		run->scaling.at[p] = -INFINITY;
	for (size_t k = 0; k < whole->series[0].count; k++) {
		const double *coordinate =
			whole->coordinates + whole->measurements[k].point * whole->parameters;

		for (size_t p = 0; p < whole->parameters; p++)
			run->scaling.at[p] = fmax(run->scaling.at[p], coordinate[p]);
		run->scaling.least = fmin(run->scaling.least, coordinate[parameter]);
	}
	run->scaling.most = run->scaling.at[parameter];
	for (size_t p = 0; p < whole->parameters && run->at; p++)
		run->scaling.at[p] = run->at[p];
	run->scaling.farthest = run->scaling.most * FARTHEST;
	run->scaling.whole_falls = crossing(run, true);
	/* Inclusive values do not add up. */
	run->scaling.falls = model_is_inclusive(run, run->scaling.time) ? run->scaling.whole_falls
									: crossing(run, false);
	return PERUN_OK;
}
