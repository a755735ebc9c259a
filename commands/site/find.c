/* SPDX-License-Identifier: BSD-3-Clause */
/* What is found in histories: their changes, and what is said of the latest version. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include "site.h"

double site_weight(const struct perun_change_point *point)
{
	double effect = point->before != 0 ? fabs(point->after / point->before - 1) : 1;

	return (isnan(point->p) ? 0.95 : 1 - point->p) * effect;
}

/* As the history has them, of all profiles that it takes. */
static void copy(const struct site *site, const struct perun_strand *strand,
		 struct site_series *series)
{
	series->values = perun_memdup(strand->values, site->line * sizeof *series->values);
	series->starts = perun_memdup(strand->starts, (site->line + 1) * sizeof *series->starts);
	series->repeat_count = series->repeat_capacity = strand->starts[site->line];
	series->repeats =
		perun_memdup(strand->repeats, series->repeat_count * sizeof *series->repeats);
}

/* The values of a strand at each version of the line. */
static void gather(const struct site *site, uint32_t strand, struct site_series *series)
{
	size_t hint = 0;

	series->count = site->line;
	series->noise = site->strands[strand].noise;
	series->sample = site->strands[strand].sample;
	if (site->strands[strand].history) {
		copy(site, site->strands[strand].history, series);
		return;
	}
	series->values = perun_alloc((site->line + 1) * sizeof *series->values);
	series->starts = perun_alloc((site->line + 1) * sizeof *series->starts);
	for (size_t i = 0; i < site->line; i++) {
		const struct site_values *values = &site->versions[i].values;
		size_t at = site_find(values, strand, &hint);

		series->starts[i] = series->repeat_count;
		series->values[i] = NAN;
		if (at == SIZE_MAX)
			continue;
		series->values[i] = values->medians[at];
		for (size_t k = values->starts[at]; k < values->starts[at + 1]; k++) {
			PERUN_GROW(series->repeats, series->repeat_count, series->repeat_capacity);
			series->repeats[series->repeat_count++] = values->repeats[k];
		}
	}
	series->starts[site->line] = series->repeat_count;
}

bool site_changed_last(const struct site_found *found)
{
	return found->latest.answer == PERUN_VERDICT_INCREASE ||
	       found->latest.answer == PERUN_VERDICT_DECREASE;
}

struct perun_strand site_view(const struct site_series *series)
{
	return (struct perun_strand){.struct_size = sizeof(struct perun_strand),
				     .count = series->count,
				     .values = series->values,
				     .repeats = series->repeats,
				     .starts = series->starts,
				     .noise = series->noise,
				     .sample = series->sample};
}

size_t site_first_candidate(const struct site_found *found, size_t index)
{
	while (index > 0 && isnan(found->series.values[index - 1]))
		index--;
	return index;
}

/* Of what a change made more or less, this part is left when it counts as taken back. */
#define LEFT 0.5

const char *site_taken_back(const struct site *site, const struct site_found *found, size_t k)
{
	const struct perun_segmentation *changes = &found->changes;
	const double before = changes->points[k].before, after = changes->points[k].after;

	for (size_t i = k + 1; i < changes->count; i++) {
		double level = changes->points[i].after;
		double left = before > 0 && after > 0 && level > 0
				      ? log(level / before) / log(after / before)
				      : (level - before) / (after - before);

		if (left < LEFT)
			return site->versions[changes->points[i].index].info->checksum;
	}
	return NULL;
}

/* The changes that all commands report. What is not a strand of theirs, as the sum over benchmarks, has none. */
static void copy_changes(const struct perun_strand *strand, struct perun_segmentation *changes)
{
	if (strand) {
		*changes = *strand->changes;
		changes->points =
			perun_memdup(changes->points, changes->count * sizeof *changes->points);
	} else {
		changes->noise = NAN;
	}
}

static int find(struct perun_ctx *ctx, size_t i, void *data)
{
	struct site *site = data;
	struct site_found *found = &site->found[i];
	struct perun_strand strand;
	int status;

	if (!site->strands[i].shown)
		return PERUN_OK;
	gather(site, (uint32_t)i, &found->series);
	copy_changes(site->strands[i].history, &found->changes);
	strand = site_view(&found->series);
	strand.location = site->strands[i].location;
	strand.metric = site->strands[i].metric;
	strand.changes = &found->changes;
	perun_history_latest(site->history,
			     site->strands[i].history ? site->strands[i].history : &strand,
			     site->threshold, &found->latest);
	found->known = perun_alloc_zero(found->changes.count + 1, sizeof *found->known);
	for (size_t k = 0; k < found->changes.count; k++)
		found->known[k] = perun_acknowledged_change(site->known, site->parents, &strand,
							    &found->changes.points[k]);
	status = site_write_history(ctx, site, i);
	perun_free(found->series.repeats);
	perun_free(found->series.starts);
	found->series.repeats = NULL;
	found->series.starts = NULL;
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

const char *site_higher(const struct site_strand *strand)
{
	if (strand->undirected)
		return "null";
	return strand->higher ? "true" : "false";
}

int site_find_directions(struct site *site)
{
	struct perun_json *list = NULL;
	int status = perun_store_document(site->ctx, site->store, PERUN_DIRECTIONS, &list);

	for (size_t s = 0; !status && s < site->strand_count; s++) {
		struct site_strand *strand = &site->strands[s];

		enum perun_direction kept = perun_directions_find(list, strand->metric);

		strand->higher = perun_higher_is_better(
			strand->better, site->user_better,
			kept == PERUN_BETTER_UNKNOWN ? strand->likely : kept);
		strand->undirected = strand->better == PERUN_BETTER_UNKNOWN &&
				     site->user_better == PERUN_BETTER_UNKNOWN &&
				     strand->likely == PERUN_BETTER_UNKNOWN &&
				     kept == PERUN_BETTER_UNKNOWN;
	}
	perun_json_free(list);
	return status;
}

int site_find_all(struct site *site)
{
	int status = perun_acknowledgements_load(site->ctx, site->store, &site->known);

	site->found = perun_alloc_zero(site->strand_count + 1, sizeof *site->found);
	if (!status)
		status = perun_parallel_for(site->ctx, site->strand_count, find, site);
	return status;
}

void site_found_free(struct site_found *found)
{
	for (size_t i = 0; found->known && i < found->changes.count; i++)
		perun_free(found->known[i]);
	perun_free(found->known);
	perun_segmentation_free(&found->changes);
	perun_free(found->series.values);
	perun_free(found->series.starts);
	perun_free(found->series.repeats);
	perun_free(found->blocks);
	*found = (struct site_found){0};
}
