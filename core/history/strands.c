/* SPDX-License-Identifier: BSD-3-Clause */
/* The strands of a history while they grow, their changes, and their sums. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>
#include <perun/lib/units.h>

#include "core/history/history.h"
#include "core/history/kept-changes.h"
#include "core/history/values.h"
#include "core/statistics/few-runs.h"

/* How many repeats a strand with `count` in `versions` has room for: those of `all` versions, unless that is far more. */
static size_t room_for(size_t count, size_t versions, size_t all)
{
	size_t wanted = count / versions * all, few = 4 * all > 8 * count ? 4 * all : 8 * count;

	return wanted <= count ? count + count / 2 : wanted < few ? wanted : few;
}

void perun_strand_append(struct perun_strand_builder *builder, const double *repeats, size_t count,
			 double factor)
{
	size_t needed = builder->repeat_count + count;
	double *to;

	/* Strands grow in turn, so that hardly any grows in its place. */
	if (needed > builder->repeat_capacity) {
		builder->repeat_capacity = room_for(needed, builder->count + 1, builder->versions);
		builder->repeats = perun_realloc_array(builder->repeats, builder->repeat_capacity,
						       sizeof *builder->repeats);
	}
	to = builder->repeats + builder->repeat_count;
	if (count && factor == 1)
		memcpy(to, repeats, count * sizeof *repeats);
	for (size_t i = 0; i < count && factor != 1; i++)
		to[i] = repeats[i] * factor;
	builder->repeat_count = needed;
}

size_t perun_strand_appended(const struct perun_strand_builder *builder)
{
	return builder->repeat_count - builder->starts[builder->count];
}

void perun_strand_end_value(struct perun_strand_builder *builder, double value)
{
	builder->values[builder->count++] = value;
	builder->starts[builder->count] = builder->repeat_count;
}

void perun_strand_add(struct perun_strand_builder *builder, const double *repeats, size_t count)
{
	perun_strand_append(builder, repeats, count, 1);
	perun_strand_end_value(builder, perun_median(repeats, count));
}

void perun_strand_pad(struct perun_strand_builder *builder, size_t count)
{
	for (; builder->count < count; builder->count++) {
		builder->values[builder->count] = NAN;
		builder->starts[builder->count + 1] = builder->repeat_count;
	}
}

struct perun_strand_builder *perun_history_add_strand(struct perun_history *history,
						      const char *command, const char *metric,
						      const char *unit, const char *location,
						      const char *machine)
{
	const size_t versions = history->line->count;
	struct perun_strand_builder *builder;

	PERUN_GROW(history->strands, history->count, history->capacity);
	builder = &history->strands[history->count++];
	*builder = (struct perun_strand_builder){.command = perun_strdup(command),
						 .metric = perun_strdup(metric),
						 .unit = perun_strdup(unit),
						 .location = perun_strdup(location),
						 .machine = perun_strdup(machine),
						 .versions = versions};
	builder->values = perun_alloc((versions + 1) * sizeof *builder->values);
	builder->starts = perun_alloc((versions + 1) * sizeof *builder->starts);
	builder->starts[0] = 0;
	builder->strand.struct_size = sizeof builder->strand;
	return builder;
}

void perun_history_complete(struct perun_history *history)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];
		struct perun_strand *strand = &builder->strand;

		strand->command = builder->command;
		strand->metric = builder->metric;
		strand->unit = builder->unit;
		strand->location = builder->location;
		strand->machine = builder->machine;
		strand->count = builder->count;
		strand->values = builder->values;
		strand->repeats = builder->repeats;
		strand->starts = builder->starts;
		strand->sessions = builder->sessions;
		strand->session_count = builder->session_count;
		strand->labels = history->line->checksums;
		strand->deviations = builder->deviations;
		strand->failed = (const char *const *)builder->failed;
	}
}

void perun_strand_settle(struct perun_strand_builder *strand, size_t version)
{
	PERUN_GROW(strand->settled, strand->settled_count, strand->settled_capacity);
	strand->settled[strand->settled_count++] = version;
}

void perun_history_free(struct perun_history *history)
{
	if (!history)
		return;
	perun_json_free(history->thresholds);
	for (size_t i = 0; i < history->moved_count; i++) {
		perun_free(history->moved[i].from);
		perun_free(history->moved[i].to);
	}
	perun_free(history->moved);
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		perun_free(builder->command);
		perun_free(builder->metric);
		perun_free(builder->unit);
		perun_free(builder->location);
		perun_free(builder->machine);
		perun_free(builder->values);
		perun_free(builder->repeats);
		perun_free(builder->starts);
		perun_free(builder->sessions);
		perun_free(builder->profiles);
		perun_free(builder->deviations);
		perun_free(builder->loads);
		perun_free(builder->settled);
		for (size_t i = 0; builder->failed && i < builder->count; i++)
			perun_free(builder->failed[i]);
		perun_free(builder->failed);
		perun_segmentation_free(&builder->changes);
	}
	history_sums_free(history->sums);
	perun_version_line_free(history->line);
	perun_import_names_free(history->names);
	perun_history_free(history->clocks);
	perun_recent_free(history->recent);
	perun_free(history->strands);
	perun_free(history->machine);
	perun_free(history->facts);
	perun_free(history->difference);
	perun_free(history->loads);
	perun_free(history);
}

const struct perun_version_line *perun_history_line(const struct perun_history *history)
{
	return history->line;
}

size_t perun_history_count(const struct perun_history *history)
{
	return history->shown;
}

const struct perun_strand *perun_history_strand(const struct perun_history *history, size_t i)
{
	return i < history->shown ? &history->strands[i].strand : NULL;
}

size_t perun_history_measured(const struct perun_history *history)
{
	return history->measured;
}

const char *perun_history_machine(const struct perun_history *history)
{
	return history->machine;
}

size_t perun_history_left_out(const struct perun_history *history, const char **difference)
{
	if (difference)
		*difference = history->difference ? history->difference : "";
	return history->left_out;
}

size_t perun_last_measured_before(const struct perun_strand *strand, size_t index)
{
	while (index > 0 && isnan(strand->values[--index]))
		;
	return index;
}

struct perun_value_series perun_strand_series(const struct perun_strand *strand)
{
	return (struct perun_value_series){
		.struct_size = sizeof(struct perun_value_series),
		.values = strand->values,
		.count = strand->count,
		.repeats = strand->repeats,
		.starts = strand->starts,
		.deviations = strand->deviations,
		.exact = strand->noise == PERUN_NOISE_EXACT,
		.sample = strand->noise == PERUN_NOISE_SAMPLED ? strand->sample : 0,
		.dispersion = strand->dispersion,
		.dispersion_freedom = strand->dispersion_freedom};
}

size_t perun_strand_measured(const struct perun_strand *strand)
{
	size_t count = 0;

	for (size_t i = 0; i < strand->count; i++)
		count += !isnan(strand->values[i]);
	return count;
}

void perun_strand_interval(const struct perun_strand *strand, size_t i, double *low, double *high)
{
	size_t count = strand->starts[i + 1] - strand->starts[i];

	*low = *high = strand->values[i];
	if (count)
		perun_median_interval(strand->repeats + strand->starts[i], count, 0.95, low, high);
}

double perun_relative_change(const struct perun_change_point *point)
{
	double level = fabs(point->before), difference = point->after - point->before;

	return isfinite(difference) ? difference / level
				    : point->after / level - point->before / level;
}

enum perun_result perun_change_point_result(const struct perun_change_point *point,
					    bool higher_is_better)
{
	return (point->after > point->before) == higher_is_better ? PERUN_RESULT_OPTIMIZATION
								  : PERUN_RESULT_DEGRADATION;
}

enum perun_result perun_strand_result(const struct perun_strand *strand,
				      const struct perun_change_point *point)
{
	return strand->undirected ? PERUN_RESULT_UNKNOWN
				  : perun_change_point_result(point, strand->higher);
}

bool perun_strand_is_certain(const struct perun_strand *strand)
{
	return strand->noise == PERUN_NOISE_EXACT && strand->changes->noise == 0;
}

/* The fewest runs of the two versions next to a change. */
static size_t runs_beside(const struct perun_strand *strand, const struct perun_change_point *point)
{
	size_t before = perun_last_measured_before(strand, point->index);
	size_t one = strand->starts[before + 1] - strand->starts[before];
	size_t other = strand->starts[point->index + 1] - strand->starts[point->index];

	return one < other ? one : other;
}

static void add_shift(struct perun_buffer *text, const struct perun_strand *strand,
		      const struct perun_change_point *point)
{
	perun_buffer_add_text(text, "; shift ");
	perun_add_amount(text, point->shift, strand->unit);
	if (isfinite(point->low) && isfinite(point->high)) {
		perun_buffer_add_text(text, " in [");
		perun_add_amount(text, point->low, strand->unit);
		perun_buffer_add_text(text, ", ");
		perun_add_amount(text, point->high, strand->unit);
		perun_buffer_add_text(text, "]");
	}
	perun_buffer_printf(text, point->p < DBL_EPSILON ? ", p < 1e-15" : ", p %.2g", point->p);
}

/* What was measured, and what was assumed where that shows no noise. */
char *perun_strand_command(const struct perun_history *history, const struct perun_strand *strand,
			   size_t version)
{
	char *command = perun_import_names_command(history->names, version, strand->command);

	return command ? command : perun_strdup(strand->command);
}

char *perun_strand_explain(const struct perun_strand *strand,
			   const struct perun_change_point *point)
{
	size_t before = 0, after = 0, runs[2], few = runs_beside(strand, point);
	struct perun_buffer text = {0};

	for (size_t i = point->first; i < point->end; i++) {
		before += i < point->index && !isnan(strand->values[i]);
		after += i >= point->index && !isnan(strand->values[i]);
	}
	runs[0] = strand->starts[point->index] - strand->starts[point->first];
	runs[1] = strand->starts[point->end] - strand->starts[point->index];
	perun_buffer_printf(&text,
			    "measured: %zu version%s before and %zu from here on, %zu and %zu %s",
			    before, before == 1 ? "" : "s", after, runs[0], runs[1],
			    strand->noise == PERUN_NOISE_SAMPLED ? "profiles" : "runs");
	if (strand->noise == PERUN_NOISE_EXACT)
		perun_buffer_add_text(&text, "; assumed: a program repeats these values exactly");
	else
		add_shift(&text, strand, point);
	if (strand->noise == PERUN_NOISE_SAMPLED && !strand->recorded)
		perun_buffer_add_text(&text, "; assumed: load and duration are what most functions "
					     "have in common");
	else if (strand->noise == PERUN_NOISE_TIMED && few > 0 && few < FEW_RUNS &&
		 !strand->deviations)
		perun_buffer_printf(&text,
				    "; assumed: %zu run%s of an unchanged program differ%s by less "
				    "than %.0f %% in 99 %% of all cases",
				    few, few == 1 ? "" : "s", few == 1 ? "s" : "",
				    100 * expm1(few_runs_change(few, 0.01)));
	else if (strand->noise == PERUN_NOISE_TIMED && strand->changes->correlation > 0)
		perun_buffer_printf(&text, "; autocorrelation %.2g", strand->changes->correlation);
	return perun_buffer_take(&text);
}

/* ---- changes ---------------------------------------------------------------------------------- */

/* A strand, and what is found in it. */
struct searched {
	struct perun_strand_builder *builder;
	size_t place;
};

/* Totals of functions are sums of what is tested as well: they are a family of their own. */
static int by_family(const struct searched *a, const struct searched *b)
{
	int order = strcmp(a->builder->metric, b->builder->metric);

	return order ? order
		     : (int)a->builder->strand.inclusive - (int)b->builder->strand.inclusive;
}

struct searching {
	struct searched *strands; /* those of a metric one after the other */
	struct perun_value_series *series;
	struct perun_segmentation *changes;
	const struct perun_change_options *options;
};

static int by_place(const void *one, const void *other)
{
	const struct searched *a = one, *b = other;
	int order = by_family(a, b);

	return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int search(struct perun_ctx *ctx, size_t i, void *data)
{
	struct searching *searching = data;

	return perun_find_changes(ctx, &searching->series[i], searching->options,
				  &searching->changes[i]);
}

/* Each metric is a family of tests of its own: so all commands, of one metric or of all, say the same. */
static int correct(struct perun_ctx *ctx, const struct searching *searching, size_t count,
		   double rate)
{
	int status = PERUN_OK;

	for (size_t i = 0, end; !status && i < count; i = end) {
		for (end = i + 1; end < count &&
				  by_family(&searching->strands[i], &searching->strands[end]) == 0;)
			end++;
		status = perun_correct_changes(ctx, searching->series + i, end - i,
					       searching->options, rate, searching->changes + i);
	}
	return status;
}

/* Which of the families each strand is of. */
static size_t *number_families(const struct searching *searching, size_t count)
{
	size_t *families = perun_alloc_zero(count + 1, sizeof *families);

	for (size_t i = 1; i < count; i++)
		families[i] = families[i - 1] +
			      (by_family(&searching->strands[i - 1], &searching->strands[i]) != 0);
	return families;
}

/* Find them, unless it is known what is found of just these strands. */
static int search_all(struct perun_ctx *ctx, const struct perun_hash *profiles,
		      struct searching *searching, size_t count, double rate)
{
	const struct perun_strand **strands =
		perun_alloc_zero(count + 1, sizeof(struct perun_strand *));
	size_t *families = number_families(searching, count);
	char key[PERUN_VERDICT_KEY_SIZE];
	int status = PERUN_OK;
	bool keeps;

	for (size_t i = 0; i < count; i++)
		strands[i] = &searching->strands[i].builder->strand;
	keeps = perun_kept_changes_key(profiles, strands, families, count, searching->options, rate,
				       key);
	perun_free((void *)strands);
	perun_free(families);
	if (keeps && perun_kept_changes_read(key, searching->series, count, searching->changes))
		return PERUN_OK;
	status = perun_parallel_for(ctx, count, search, searching);
	if (!status)
		status = correct(ctx, searching, count, rate);
	if (!status && keeps)
		perun_kept_changes_add(key, searching->changes, count);
	return status;
}

/* The least change of values that a program repeats exactly, as a share. */
#define EXACT 0.005
/* This many versions show whether it does, */
#define MIN_VERSIONS 8
/* which it does not where one of this many rises by as much, and one falls. */
#define ONE_OF 4

void history_wandering_add(struct history_wandering *wandering, double last, double value)
{
	wandering->measured++;
	wandering->rises += value - last > EXACT * fabs(last);
	wandering->falls += last - value > EXACT * fabs(last);
}

bool history_wanders(const struct history_wandering *wandering)
{
	uint32_t both = wandering->rises < wandering->falls ? wandering->rises : wandering->falls;

	return wandering->measured >= MIN_VERSIONS && ONE_OF * both >= wandering->measured;
}

static bool wanders(const struct perun_strand *strand)
{
	struct history_wandering wandering = {0};
	double last = NAN;

	for (size_t i = 0; i < strand->count; i++) {
		if (isnan(strand->values[i]))
			continue;
		history_wandering_add(&wandering, last, strand->values[i]);
		last = strand->values[i];
	}
	return history_wanders(&wandering);
}

int perun_history_find_changes(struct perun_ctx *ctx, struct perun_history *history,
			       const struct perun_change_options *options, double rate)
{
	const struct perun_change_options standard = {.struct_size = sizeof standard};
	size_t count = history->count;
	struct searching searching = {
		.strands = perun_alloc_zero(count + 1, sizeof *searching.strands),
		.series = perun_alloc_zero(count + 1, sizeof *searching.series),
		.changes = perun_alloc_zero(count + 1, sizeof *searching.changes),
		.options = options ? options : &standard};
	int status;

	for (size_t i = 0; i < count; i++)
		searching.strands[i] = (struct searched){&history->strands[i], i};
	if (count)
		qsort(searching.strands, count, sizeof *searching.strands, by_place);
	for (size_t i = 0; i < count; i++) {
		struct perun_strand *strand = &searching.strands[i].builder->strand;

		if (strand->noise == PERUN_NOISE_EXACT && !strand->stacks && wanders(strand))
			strand->noise = PERUN_NOISE_TIMED;
	}
	history_measure_sessions(history);
	for (size_t i = 0; i < count; i++)
		searching.series[i] = perun_strand_series(&searching.strands[i].builder->strand);
	status = search_all(ctx, &history->profiles, &searching, count, rate);
	for (size_t i = 0; i < count; i++) {
		struct perun_strand_builder *builder = searching.strands[i].builder;

		perun_segmentation_free(&builder->changes);
		builder->changes = searching.changes[i];
		builder->strand.changes = &builder->changes;
	}
	if (!status && searching.options->method == standard.method)
		history_add_certain(history, searching.options->threshold);
	if (!status && history->clocks)
		status = perun_history_find_changes(ctx, history->clocks, options, rate);
	if (!status && history->sums)
		status = perun_history_find_changes(ctx, history->sums, options, rate);
	if (!status)
		status = perun_history_drop_irrelevant(ctx, history, searching.options, rate);
	if (!status)
		perun_history_relate_functions(history);
	perun_free(searching.strands);
	perun_free(searching.series);
	perun_free(searching.changes);
	return status;
}

/* ---- names and groups ---------------------------------------------------------------------------- */

const char *perun_leaf_of(const char *location)
{
	const char *last = strrchr(location, ';');

	return last && last[1] ? last + 1 : location;
}

static perun_id group_of(struct perun_pool **groups, const struct perun_strand *strand,
			 const char *command)
{
	struct perun_buffer key = {0};
	perun_id id;

	perun_bytes_add_text(&key, strand->metric);
	perun_bytes_add_text(&key, command);
	perun_bytes_add_text(&key, strand->machine);
	id = perun_pool_add(groups, key.data, key.length);
	perun_buffer_free(&key);
	return id;
}

perun_id perun_strand_group(struct perun_pool **groups, const struct perun_strand *strand)
{
	return group_of(groups, strand, strand->command);
}

perun_id perun_strand_session_group(struct perun_pool **groups, const struct perun_strand *strand)
{
	return group_of(groups, strand, "");
}
