/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --compare: which call paths grow differently than before. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/sheet.h"
#include "model.h"

/* A call path and metric of both experiments, by the numbers of its series. */
struct pair {
	uint32_t before, after;
	struct perun_prediction was, is;
	enum perun_class_order order; /* of the class after, compared with that before */
	double ratio;
	bool settled;  /* the bands do not meet at the point */
	bool overlaps; /* what other call paths have, too */
};

struct comparison {
	const struct model_run *before, *after;
	double *at;
	struct pair *pairs;
	size_t count, room;
	uint32_t *gone, *come; /* series of one of them only */
	size_t gone_count, gone_room, come_count, come_room;
};

/* ---- pairs ----------------------------------------------------------------------------------- */

static const char *callpath_of(const struct model_run *run, uint32_t series)
{
	return run->experiment->callpath_names[run->experiment->series[series].callpath];
}

static const char *metric_of(const struct model_run *run, uint32_t series)
{
	return run->experiment->metrics[run->experiment->series[series].metric];
}

static int compare_names(const struct model_run *one, uint32_t a, const struct model_run *other,
			 uint32_t b)
{
	int order = strcmp(callpath_of(one, a), callpath_of(other, b));

	return order ? order : strcmp(metric_of(one, a), metric_of(other, b));
}

static int compare_series(const void *a, const void *b, void *data)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_names(data, x, data, y);

	return order ? order : x < y ? -1 : x > y;
}

static uint32_t *sorted_series(const struct model_run *run)
{
	size_t count = run->experiment->series_count;
	uint32_t *series = perun_alloc_zero(count, sizeof *series);

	for (size_t i = 0; i < count; i++)
		series[i] = (uint32_t)i;
	qsort_r(series, count, sizeof *series, compare_series, (void *)run);
	return series;
}

static void add_pair(struct comparison *comparison, uint32_t before, uint32_t after)
{
	const struct perun_scaling_model *one = &comparison->before->growths[before];
	const struct perun_scaling_model *other = &comparison->after->growths[after];
	struct pair pair = {.before = before,
			    .after = after,
			    .overlaps = comparison->after->experiment->series[after].overlaps};

	model_predict_one(comparison->before, before, comparison->at, &pair.was);
	model_predict_one(comparison->after, after, comparison->at, &pair.is);
	pair.order = perun_formula_compare_class(perun_scaling_model_last(other),
						 perun_scaling_model_last(one));
	pair.ratio = pair.is.value / pair.was.value;
	pair.settled = pair.is.low > pair.was.high || pair.is.high < pair.was.low;
	PERUN_GROW(comparison->pairs, comparison->count, comparison->room);
	comparison->pairs[comparison->count++] = pair;
}

static void add_lonely(uint32_t **list, size_t *count, size_t *room, uint32_t series)
{
	PERUN_GROW(*list, *count, *room);
	(*list)[(*count)++] = series;
}

static void find_pairs(struct comparison *comparison)
{
	const struct model_run *before = comparison->before, *after = comparison->after;
	size_t n = before->experiment->series_count, m = after->experiment->series_count;
	uint32_t *one = sorted_series(before), *other = sorted_series(after);

	for (size_t i = 0, k = 0; i < n || k < m;) {
		int order = i == n   ? 1
			    : k == m ? -1
				     : compare_names(before, one[i], after, other[k]);

		if (order < 0)
			add_lonely(&comparison->gone, &comparison->gone_count,
				   &comparison->gone_room, one[i++]);
		else if (order > 0)
			add_lonely(&comparison->come, &comparison->come_count,
				   &comparison->come_room, other[k++]);
		else
			add_pair(comparison, one[i++], other[k++]);
	}
	perun_free(one);
	perun_free(other);
}

/* Changes that are sure come first, of these the largest ratio. */
static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = (x->order == PERUN_CLASS_SAME) - (y->order == PERUN_CLASS_SAME);

	if (x->overlaps != y->overlaps)
		return x->overlaps ? 1 : -1;
	if (x->settled != y->settled)
		return x->settled ? -1 : 1;
	if (order)
		return order;
	if (x->ratio != y->ratio)
		return x->ratio > y->ratio ? -1 : 1;
	return x->after < y->after ? -1 : x->after > y->after;
}

/* The point of --at, else the largest values of all parameters that were measured after. */
static double *choose_point(const struct model_run *run)
{
	const struct perun_experiment *experiment = run->experiment;
	size_t n = experiment->parameters;
	double *at = perun_memdup(run->at ? run->at : experiment->coordinates, n * sizeof *at);

	for (size_t i = 0; i < experiment->points * n && !run->at; i++)
		at[i % n] = fmax(at[i % n], experiment->coordinates[i]);
	return at;
}

int model_check_parameters(const struct model_run *before, const struct model_run *after)
{
	const struct perun_experiment *one = before->experiment, *other = after->experiment;
	bool same = one->parameters == other->parameters;

	for (size_t p = 0; same && p < one->parameters; p++)
		same = strcmp(one->parameter_names[p], other->parameter_names[p]) == 0;
	return same ? PERUN_OK
		    : perun_fail(after->ctx, PERUN_INPUT,
				 "the experiments cannot be compared: one has %zu parameters, %s "
				 "first, the other %zu, %s first; they must be the same ones in "
				 "the same order",
				 one->parameters, one->parameter_names[0], other->parameters,
				 other->parameter_names[0]);
}

/* ---- for people ------------------------------------------------------------------------------ */

static const char *word_of(const struct pair *pair)
{
	static const char *const words[] = {
		[PERUN_CLASS_SAME] = "same class",
		[PERUN_CLASS_LOWER] = "grows slower",
		[PERUN_CLASS_HIGHER] = "grows faster",
		[PERUN_CLASS_OTHER] = "grows otherwise",
	};

	if (isnan(pair->was.low) || isnan(pair->is.low))
		return "bands unknown";
	return pair->settled ? words[pair->order] : "within the bands";
}

static enum views_color color_of(const struct pair *pair)
{
	bool changed = pair->order != PERUN_CLASS_SAME || fabs(pair->ratio - 1) > 0.01;

	return !pair->settled || !changed ? VIEWS_DIM : pair->ratio > 1 ? VIEWS_RED : VIEWS_GREEN;
}

static void set_class(struct views_sheet *grid, size_t column, const struct model_run *run,
		      uint32_t series)
{
	struct perun_buffer text = {0};

	perun_formula_print_class(perun_scaling_model_last(&run->growths[series]),
				  run->experiment->parameter_names, &text);
	views_sheet_set(grid, column, VIEWS_PLAIN, "%s", text.data);
	perun_buffer_free(&text);
}

static void set_value(struct views_sheet *grid, size_t column, const struct model_run *run,
		      uint32_t series, double value)
{
	struct perun_buffer text = {0};

	model_add_value(run, series, value, &text);
	views_sheet_set(grid, column, VIEWS_PLAIN, "%s", text.data);
	perun_buffer_free(&text);
}

static void add_row(struct views_sheet *grid, const struct comparison *comparison,
		    const struct pair *pair)
{
	bool several = comparison->after->experiment->metric_count > 1;
	size_t c = 0;

	views_sheet_row(grid);
	views_sheet_set(grid, c++, VIEWS_PLAIN, "%s", callpath_of(comparison->after, pair->after));
	if (several)
		views_sheet_set(grid, c++, VIEWS_PLAIN, "%s",
				metric_of(comparison->after, pair->after));
	set_class(grid, c++, comparison->before, pair->before);
	set_class(grid, c++, comparison->after, pair->after);
	set_value(grid, c++, comparison->before, pair->before, pair->was.value);
	set_value(grid, c++, comparison->after, pair->after, pair->is.value);
	views_sheet_set(grid, c++, color_of(pair), "%.3gx", pair->ratio);
	views_sheet_set(grid, c, color_of(pair), "%s", word_of(pair));
}

static void print_lonely(const struct model_run *run, const uint32_t *series, size_t count,
			 const char *when)
{
	enum { LISTED = 10 };

	for (size_t i = 0; i < count && i < LISTED; i++) {
		model_print(run, "%sonly %s: ", i ? "" : "\n", when);
		model_print_safe(run, callpath_of(run, series[i]));
		model_print(run, "  ");
		model_print_safe(run, metric_of(run, series[i]));
		model_print(run, "\n");
	}
	if (count > LISTED)
		model_print(run, "... and %zu more\n", count - LISTED);
}

static void print_comparison(const struct comparison *comparison)
{
	const struct model_run *after = comparison->after;
	bool several = after->experiment->metric_count > 1;
	struct views_sheet grid = {0};
	struct perun_buffer point = {0};
	char *title;

	model_print_point(after, comparison->at, &point);
	title = perun_format("Growth, before and after; values at %s", point.data);
	model_print_title(after, title);
	perun_free(title);
	views_sheet_column(&grid, "Call path", false, 16);
	if (several)
		views_sheet_column(&grid, "Metric", false, 8);
	views_sheet_column(&grid, "Growth before", false, 8);
	views_sheet_column(&grid, "after", false, 8);
	views_sheet_column(&grid, "Value before", true, 0);
	views_sheet_column(&grid, "after", true, 0);
	views_sheet_column(&grid, "Ratio", true, 0);
	views_sheet_column(&grid, "", false, 0);
	for (size_t i = 0; i < comparison->count; i++)
		add_row(&grid, comparison, &comparison->pairs[i]);
	views_sheet_write(&grid, &after->canvas, 1u | 3u << (1 + several));
	print_lonely(comparison->before, comparison->gone, comparison->gone_count, "before");
	print_lonely(after, comparison->come, comparison->come_count, "after");
	views_sheet_clear(&grid);
	perun_buffer_free(&point);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void write_lonely(struct perun_json_writer *json, const char *key,
			 const struct model_run *run, const uint32_t *series, size_t count)
{
	perun_json_write_key_text(json, key);
	perun_json_write_array_start(json);
	for (size_t i = 0; i < count; i++)
		model_write_name(json, run, series[i]), perun_json_write_object_end(json);
	perun_json_write_array_end(json);
}

static void write_pair(struct perun_json_writer *json, const struct comparison *comparison,
		       const struct pair *pair)
{
	static const char *const words[] = {[PERUN_CLASS_SAME] = "same",
					    [PERUN_CLASS_LOWER] = "lower",
					    [PERUN_CLASS_HIGHER] = "higher",
					    [PERUN_CLASS_OTHER] = "other"};

	model_write_name(json, comparison->after, pair->after);
	perun_json_write_key_text(json, "before");
	model_write_side(json, comparison->before, pair->before, &pair->was);
	perun_json_write_key_text(json, "after");
	model_write_side(json, comparison->after, pair->after, &pair->is);
	perun_json_write_key_text(json, "order");
	perun_json_write_text(json, words[pair->order]);
	model_write_number(json, "ratio", pair->ratio);
	perun_json_write_key_text(json, "settled");
	perun_json_write_bool(json, pair->settled);
	perun_json_write_object_end(json);
}

static int write_comparison(const struct comparison *comparison)
{
	struct perun_json_writer *json = model_json_start(comparison->after);
	int status;

	model_write_point(json, comparison->after, "at", comparison->at);
	model_write_number(json, "level", comparison->after->level);
	perun_json_write_key_text(json, "comparison");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < comparison->count; i++)
		write_pair(json, comparison, &comparison->pairs[i]);
	perun_json_write_array_end(json);
	write_lonely(json, "only_before", comparison->before, comparison->gone,
		     comparison->gone_count);
	write_lonely(json, "only_after", comparison->after, comparison->come,
		     comparison->come_count);
	perun_json_write_object_end(json);
	status = perun_json_writer_finish(json);
	if (!comparison->after->title)
		model_print(comparison->after, "\n");
	return status;
}

int model_compare(const struct model_run *before, const struct model_run *after)
{
	struct comparison comparison = {.before = before, .after = after};
	int status = PERUN_OK;

	comparison.at = choose_point(after);
	find_pairs(&comparison);
	if (comparison.count)
		qsort(comparison.pairs, comparison.count, sizeof *comparison.pairs, compare_pairs);
	if (perun_option_flag(after->options, "json"))
		status = write_comparison(&comparison);
	else
		print_comparison(&comparison);
	perun_free(comparison.at);
	perun_free(comparison.pairs);
	perun_free(comparison.gone);
	perun_free(comparison.come);
	return status;
}
