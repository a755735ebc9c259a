/* SPDX-License-Identifier: BSD-3-Clause */
/* The changes of strands that were judged together, kept for the next time. */
#include <math.h>
#include <string.h>

#include "core/history/cache.h"
#include "core/history/kept-changes.h"
#include "core/history/values.h"

/* Fewer values are judged sooner than the file is read. */
#define MIN_VALUES 10000

static size_t repeats_of(const struct perun_value_series *series)
{
	return series->starts ? series->starts[series->count] : 0;
}

static bool is_measured(const struct perun_value_series *series, size_t i)
{
	return !isnan(series->values[i]) ||
	       (series->starts && series->starts[i + 1] > series->starts[i]);
}

/* The versions from `first` up to `end` were measured, those before not: most histories have few that were. */
static void add_measured(struct perun_hash *hash, const struct perun_value_series *series,
			 size_t first, size_t end)
{
	const uint64_t place[] = {first, end};

	perun_hash_add(hash, place, sizeof place);
	perun_hash_add(hash, series->values + first, (end - first) * sizeof *series->values);
	if (series->starts)
		perun_hash_add(hash, series->starts + first,
			       (end - first + 1) * sizeof *series->starts);
	if (series->deviations)
		perun_hash_add(hash, series->deviations + first,
			       (end - first) * sizeof *series->deviations);
}

static void add_series(struct perun_hash *hash, const struct perun_value_series *series)
{
	const uint64_t counts[] = {series->count, repeats_of(series), series->starts != NULL,
				   series->deviations != NULL, series->exact};

	perun_hash_add(hash, counts, sizeof counts);
	perun_hash_add(hash, &series->sample, sizeof series->sample);
	if (series->starts)
		perun_hash_add(hash, series->repeats, counts[1] * sizeof *series->repeats);
	for (size_t i = 0, end; i < series->count; i = end + 1) {
		for (end = i; end < series->count && is_measured(series, end); end++)
			;
		if (end > i)
			add_measured(hash, series, i, end);
	}
}

bool perun_kept_changes_key(const struct perun_value_series *series, const size_t *families,
			    size_t count, const struct perun_change_options *options, double rate,
			    char key[PERUN_VERDICT_KEY_SIZE])
{
	const double numbers[] = {(double)options->method, options->threshold, rate, (double)count};
	struct perun_hash hash;
	size_t values = 0;

	for (size_t i = 0; i < count; i++)
		values += series[i].count + repeats_of(&series[i]);
	if (values < MIN_VALUES || !perun_verdict_key_start(&hash))
		return false;
	perun_hash_add(&hash, numbers, sizeof numbers);
	perun_hash_add(&hash, families, count * sizeof *families);
	for (size_t i = 0; i < count; i++)
		add_series(&hash, &series[i]);
	perun_verdict_key_end(&hash, key);
	return true;
}

static bool is_of(const struct perun_segmentation *changes, const struct perun_value_series *series)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_change_point *point = &changes->points[i];

		if (point->first >= point->index || point->index >= point->end ||
		    point->end > series->count)
			return false;
	}
	return true;
}

static bool read_changes(struct perun_bytes *bytes, const struct perun_value_series *series,
			 struct perun_segmentation *changes)
{
	const void *head = perun_bytes_take(bytes, sizeof *changes), *points;

	if (!head)
		return false;
	memcpy(changes, head, sizeof *changes);
	changes->points = NULL;
	points = changes->count < series->count || !changes->count
			 ? perun_bytes_take(bytes, changes->count * sizeof *changes->points)
			 : NULL;
	if (!points)
		return false;
	changes->points = perun_alloc_zero(changes->count + 1, sizeof *changes->points);
	if (changes->count)
		memcpy(changes->points, points, changes->count * sizeof *changes->points);
	return is_of(changes, series);
}

bool perun_kept_changes_read(const char *key, const struct perun_value_series *series, size_t count,
			     struct perun_segmentation *changes)
{
	struct perun_history_cache *cache = perun_verdict_cache_open();
	struct perun_buffer body = {0};
	bool found = perun_history_cache_read(cache, PERUN_RECORD_CHANGES, key, &body);
	struct perun_bytes bytes = perun_bytes_of(&body);

	for (size_t i = 0; found && i < count; i++)
		found = read_changes(&bytes, &series[i], &changes[i]);
	for (size_t i = 0; !found && i < count; i++) {
		perun_free(changes[i].points);
		changes[i] = (struct perun_segmentation){0};
	}
	perun_buffer_free(&body);
	perun_history_cache_close(cache);
	return found;
}

void perun_kept_changes_add(const char *key, const struct perun_segmentation *changes, size_t count)
{
	struct perun_history_cache *cache = perun_verdict_cache_open();
	struct perun_buffer body = {0};

	for (size_t i = 0; i < count; i++) {
		struct perun_segmentation head;

		memset(&head, 0, sizeof head);
		head.count = changes[i].count;
		head.trend.found = changes[i].trend.found;
		head.trend.slope = changes[i].trend.slope;
		head.trend.low = changes[i].trend.low;
		head.trend.high = changes[i].trend.high;
		head.trend.since = changes[i].trend.since;
		head.trend.until = changes[i].trend.until;
		head.noise = changes[i].noise;
		head.correlation = changes[i].correlation;
		perun_buffer_add(&body, &head, sizeof head);
		perun_buffer_add(&body, changes[i].points,
				 changes[i].count * sizeof *changes[i].points);
	}
	perun_history_cache_add(cache, PERUN_RECORD_CHANGES, key, body.data, body.length);
	perun_buffer_free(&body);
	perun_history_cache_close(cache);
}
