/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --at: what each call path will cost at a point, and its share. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* ---- the point ------------------------------------------------------------------------------- */

static int read_coordinate(struct perun_ctx *ctx, const struct perun_experiment *experiment,
			   const char *text, size_t length, double *point)
{
	char *word = perun_strndup(text, length), *equals = strchr(word, '='), *end;
	const char *number = equals ? equals + 1 : word;
	size_t name_length = equals ? (size_t)(equals - word) : 0, p = 0;
	int status = PERUN_OK;
	double value;

	errno = 0;
	value = perun_strtod(number, &end);
	if (end == number || *end || !isfinite(value))
		status = perun_fail(ctx, PERUN_USAGE, "--at: '%s' is not a number", number);
	for (; !status && equals && p < experiment->parameters; p++)
		if (strncmp(experiment->parameter_names[p], word, name_length) == 0 &&
		    experiment->parameter_names[p][name_length] == '\0')
			break;
	if (!status && !equals && experiment->parameters > 1)
		status = perun_fail(ctx, PERUN_USAGE,
				    "--at: expected NAME=VALUE, found '%s'; the first parameter is "
				    "%s",
				    word, experiment->parameter_names[0]);
	else if (!status && p == experiment->parameters)
		status = perun_fail(ctx, PERUN_USAGE,
				    "--at: the experiment has no parameter %.*s, its first is %s",
				    (int)name_length, word, experiment->parameter_names[0]);
	if (!status)
		point[p] = value;
	perun_free(word);
	return status;
}

/* Read "p=4,n=1e6" into a number for each parameter; `*point` is the caller's. */
static int model_read_point(struct perun_ctx *ctx, const struct perun_experiment *experiment,
			    const char *text, double **result)
{
	double *point = perun_alloc_zero(experiment->parameters, sizeof *point);
	int status = PERUN_OK;

	for (size_t p = 0; p < experiment->parameters; p++)
		point[p] = NAN;
	while (!status) {
		size_t length = strcspn(text, ",");

		status = read_coordinate(ctx, experiment, text, length, point);
		text += length;
		if (*text == '\0')
			break;
		text++;
	}
	for (size_t p = 0; !status && p < experiment->parameters; p++)
		if (isnan(point[p]))
			status = perun_fail(ctx, PERUN_USAGE,
					    "--at: it says nothing of parameter %s",
					    experiment->parameter_names[p]);
	if (status)
		perun_free(point);
	*result = status ? NULL : point;
	return status;
}

bool model_has_point(const struct model_run *run)
{
	const char *text = perun_option_string(run->options, "at");
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	double *point = NULL;
	bool has = !text || !model_read_point(quiet, run->experiment, text, &point);

	perun_free(point);
	perun_ctx_free(quiet);
	return has;
}

static int read_level(struct perun_ctx *ctx, const char *text, double *level)
{
	char *end;
	double percent = perun_strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%") != 0) || !(percent > 0 && percent < 100))
		return perun_fail(ctx, PERUN_USAGE,
				  "--level: expected percent between 0 and 100, found '%s'", text);
	*level = percent / 100;
	return PERUN_OK;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static struct model_cost *cost_of(const struct model_run *run, uint32_t node, size_t metric)
{
	uint32_t callpath = run->tree.nodes[node].callpath, series;

	if (callpath == MODEL_NONE)
		return NULL;
	series = run->tree.series[callpath * run->experiment->metric_count + metric];
	if (series == MODEL_NONE || run->experiment->series[series].overlaps)
		return NULL;
	return &run->costs[series];
}

/* The nearest node above that was measured. */
static struct model_cost *cost_above(const struct model_run *run, uint32_t node, size_t metric)
{
	struct model_cost *cost = NULL;

	while (!cost && (node = run->tree.nodes[node].parent) != MODEL_NONE)
		cost = cost_of(run, node, metric);
	return cost;
}

bool model_is_inclusive(const struct model_run *run, size_t metric)
{
	const struct perun_json *metrics =
		perun_json_get(perun_profile_document(run->profile), "metrics");
	const struct perun_json *about = perun_json_get(metrics, run->experiment->metrics[metric]);
	bool inclusive = perun_option_flag(run->options, "inclusive");

	if (!inclusive)
		perun_json_as_bool(perun_json_get(about, "inclusive"), &inclusive);
	return inclusive;
}

static void share_metric(struct model_run *run, size_t metric)
{
	const struct model_tree *tree = &run->tree;
	size_t metrics = run->experiment->metric_count;
	bool inclusive = model_is_inclusive(run, metric);
	double total = 0;

	for (size_t i = 0; i < tree->count; i++) {
		struct model_cost *cost = cost_of(run, tree->order[i], metric), *above;

		if (!cost)
			continue;
		cost->own += cost->prediction.value;
		above = inclusive ? cost_above(run, tree->order[i], metric) : NULL;
		if (above)
			above->own -= cost->prediction.value;
	}
	for (size_t i = 0; i < tree->count; i++) {
		struct model_cost *cost = cost_of(run, tree->order[i], metric);

		if (cost && !(cost->own > 0)) /* formulas may fall below 0, or callees exceed */
			cost->own = 0;
		total += cost ? cost->own : 0;
	}
	for (size_t i = tree->count; i-- > 0;) { /* children before their parents */
		uint32_t node = tree->order[i], parent = tree->nodes[node].parent;
		struct model_cost *cost = cost_of(run, node, metric);
		double *below = &run->below[node * metrics + metric];

		if (cost) {
			cost->share = total > 0 && isfinite(total) ? cost->own / total : 0;
			*below += cost->share;
			cost->below = *below;
		}
		if (parent != MODEL_NONE)
			run->below[parent * metrics + metric] += *below;
	}
}

static int compare_ranks(const void *a, const void *b, void *data)
{
	const struct model_run *run = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct perun_experiment_series *one = &run->experiment->series[x];
	const struct perun_experiment_series *other = &run->experiment->series[y];
	double shares[2] = {run->costs[x].share, run->costs[y].share};

	if (one->metric != other->metric)
		return one->metric < other->metric ? -1 : 1;
	if (shares[0] != shares[1])
		return shares[0] > shares[1] ? -1 : 1;
	return x < y ? -1 : x > y;
}

void model_predict_one(const struct model_run *run, size_t series, const double *at,
		       struct perun_prediction *prediction)
{
	struct perun_observations observations;

	perun_experiment_observations(run->experiment, series, run->repeated, &observations);
	perun_scaling_model_predict(&run->growths[series], &observations, at, run->level,
				    prediction);
	perun_observations_clear(&observations);
}

int model_predict(struct model_run *run)
{
	const struct perun_experiment *experiment = run->experiment;
	const char *at = perun_option_string(run->options, "at");
	size_t count = experiment->series_count;
	int status = read_level(run->ctx, perun_option_string(run->options, "level"), &run->level);

	if (status || !at)
		return status;
	status = model_read_point(run->ctx, experiment, at, &run->at);
	if (status)
		return status;
	run->costs = perun_alloc_zero(count, sizeof *run->costs);
	run->below =
		perun_alloc_zero(run->tree.count * experiment->metric_count, sizeof *run->below);
	run->ranking = perun_alloc_zero(count, sizeof *run->ranking);
	for (size_t i = 0; i < count; i++) {
		model_predict_one(run, i, run->at, &run->costs[i].prediction);
		run->ranking[i] = (uint32_t)i;
	}
	for (size_t m = 0; m < experiment->metric_count; m++)
		if (!model_is_ratio(run, m))
			share_metric(run, m);
	qsort_r(run->ranking, count, sizeof *run->ranking, compare_ranks, run);
	return PERUN_OK;
}
