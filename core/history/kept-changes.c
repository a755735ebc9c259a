/* SPDX-License-Identifier: BSD-3-Clause */
/* The changes of strands that were judged together, kept for the next time. */
#include <string.h>

#include "core/history/cache.h"
#include "core/history/kept-changes.h"
#include "core/history/values.h"

/* Fewer values are judged sooner than the file is read. */
#define MIN_VALUES 10000

/* Of how many values and repeats all strands consist. */
static size_t count_values(const struct perun_strand *const *strands, size_t count)
{
	size_t values = 0;

	for (size_t i = 0; i < count; i++)
		values += strands[i]->count + strands[i]->starts[strands[i]->count];
	return values;
}

/* What a strand is of, and what is known of its sessions, which depends on others. */
static void add_strand(struct perun_hash *hash, const struct perun_strand *strand)
{
	const char *const names[] = {strand->command, strand->metric, strand->unit,
				     strand->location, strand->machine};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		perun_verdict_key_add_text(hash, names[i]);
	perun_hash_add(hash, &strand->dispersion, sizeof strand->dispersion);
}

bool perun_kept_changes_key(const struct perun_hash *profiles,
			    const struct perun_strand *const *strands, const size_t *families,
			    size_t count, const struct perun_change_options *options, double rate,
			    char key[PERUN_VERDICT_KEY_SIZE])
{
	const double numbers[] = {(double)options->method, options->threshold, rate, (double)count,
				  count ? (double)strands[0]->count : 0};
	unsigned char digest[PERUN_SHA256_BYTES];
	struct perun_hash hash, read = *profiles;

	if (count_values(strands, count) < MIN_VALUES || !perun_verdict_key_start(&hash))
		return false;
	perun_hash_end(&read, digest, sizeof digest);
	perun_hash_add(&hash, digest, sizeof digest);
	perun_hash_add(&hash, numbers, sizeof numbers);
	perun_hash_add(&hash, families, count * sizeof *families);
	for (size_t i = 0; i < count; i++)
		add_strand(&hash, strands[i]);
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
