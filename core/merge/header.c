/* SPDX-License-Identifier: BSD-3-Clause */
/* What surrounds the samples of a merged profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/merge/merge.h"

static int64_t number_of(const struct perun_json *header, const char *key)
{
	int64_t number = 0;

	perun_json_as_int64(perun_json_get(header, key), &number);
	return number;
}

static bool is_canonical(const struct perun_merger *merger)
{
	return merger->plan->flags & PERUN_MERGE_CANONICAL;
}

/* The first that is not empty counts, or the smallest. */
static void take_text(const struct perun_merger *merger, struct perun_json **to,
		      const struct perun_json *from)
{
	const char *known = perun_json_as_string(*to, NULL);
	size_t length = 0;
	const char *text = perun_json_as_string(from, &length);

	if (!text || !length || (known && (!is_canonical(merger) || strcmp(known, text) <= 0)))
		return;
	perun_json_free(*to);
	*to = perun_json_clone(from);
}

static void add_comments(struct perun_merged_header *header, const struct perun_json *comments)
{
	for (size_t i = 0; i < perun_json_count(comments); i++) {
		const struct perun_json *comment = perun_json_at(comments, i);
		uint32_t count = header->seen->count;
		size_t length;
		const char *text = perun_json_as_string(comment, &length);

		if (text && perun_pool_add(&header->seen, text, length) == count)
			perun_json_append(header->comments, perun_json_clone(comment));
	}
}

/* The earliest; pprof lets one that has none go before those that have one. */
static void merge_time(struct perun_merger *merger, int64_t time)
{
	struct perun_merged_header *header = &merger->header;

	if (!perun_merge_as_pprof(merger) && time == 0)
		return;
	if (header->time == 0 || time < header->time)
		header->time = time;
}

static int64_t scaled_period(const struct perun_merger *merger, const struct perun_profile *profile)
{
	const struct perun_json *header = perun_json_get(perun_profile_document(profile), "header");
	const char *unit = perun_profile_text(profile, "/header/period_type/unit");
	double ratio = perun_unit_ratio(unit, merger->plan->period_unit);
	int64_t period = number_of(header, "period");

	if (ratio == 1 || merger->plan->inputs < 2)
		return period;
	/* To the finer unit: a whole number of times, which fits unless somebody made it up. */
	if (fabs((double)period * ratio) >= 9223372036854775808.0)
		return perun_merge_as_pprof(merger) ? INT64_MIN : INT64_MAX;
	return (int64_t)((double)period * ratio);
}

/*
 * The type shown by default. Where pprof takes types away from an input, it names one that is left:
 * that of the input, else the first.
 */
static void merge_default(struct perun_merger *merger, const struct perun_profile *profile,
			  const struct perun_merge_types *types)
{
	const struct perun_merge_plan *plan = merger->plan;
	struct perun_merged_header *header = &merger->header;
	const struct perun_json *own = perun_json_path(perun_profile_document(profile),
						       "/extra/pprof/default_sample_type");
	const char *type = perun_json_as_string(own, NULL);
	bool same = plan->count == types->count, there = false;

	for (size_t i = 0; i < plan->count; i++) {
		same = same && strcmp(plan->types[i].type, types->items[i].type) == 0;
		there |= type && strcmp(plan->types[i].type, type) == 0;
	}
	if (!header->default_metric || is_canonical(merger))
		take_text(
			merger, &header->default_metric,
			perun_json_path(perun_profile_document(profile), "/header/default_metric"));
	if (header->default_type && !is_canonical(merger))
		return;
	if (same || there)
		take_text(merger, &header->default_type, own);
	else if (perun_merge_as_pprof(merger))
		header->default_type = perun_json_text(plan->types[0].type);
}

/* Entries of the header that say the same in all inputs. */
static void merge_shared(struct perun_merged_header *merged, const struct perun_json *header)
{
	static const char *const keys[] = {"type", "cmd", "args", "workload"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct perun_json *value = perun_json_get(header, keys[i]);

		if (!merged->any && value)
			perun_json_set(merged->shared, keys[i], perun_json_clone(value));
		else if (merged->any &&
			 (!value ||
			  !perun_json_equal(value, perun_json_get(merged->shared, keys[i]))))
			perun_json_remove(merged->shared, keys[i]);
	}
}

void perun_merge_header(struct perun_merger *merger, const struct perun_profile *profile,
			const struct perun_merge_types *types, bool subtracted)
{
	const struct perun_json *document = perun_profile_document(profile);
	const struct perun_json *from = perun_json_get(document, "header");
	const struct perun_json *own = perun_json_path(document, "/extra/pprof");
	struct perun_merged_header *header = &merger->header;
	int64_t period = scaled_period(merger, profile);

	if (!header->any) {
		header->comments = perun_json_array();
		header->seen = perun_pool_new(true);
		header->shared = perun_json_object();
	}
	if (!header->any || is_canonical(merger)) {
		take_text(merger, &header->drop_frames, perun_json_get(own, "drop_frames"));
		take_text(merger, &header->keep_frames, perun_json_get(own, "keep_frames"));
	}
	merge_shared(header, from);
	merge_time(merger, number_of(from, "time"));
	if (!subtracted || perun_merge_as_pprof(merger))
		header->duration = (int64_t)((uint64_t)header->duration +
					     (uint64_t)number_of(from, "duration"));
	if (header->period == 0 || header->period < period)
		header->period = period;
	add_comments(header, perun_json_get(document, "comments"));
	take_text(merger, &header->doc_url, perun_json_get(own, "doc_url"));
	merge_default(merger, profile, types);
	header->any = true;
}

void perun_merged_header_free(struct perun_merged_header *header)
{
	perun_json_free(header->comments);
	perun_pool_unref(header->seen);
	perun_json_free(header->doc_url);
	perun_json_free(header->default_type);
	perun_json_free(header->default_metric);
	perun_json_free(header->drop_frames);
	perun_json_free(header->keep_frames);
	perun_json_free(header->shared);
}

/* ---- the document ---------------------------------------------------------------------------- */

static void give(struct perun_json *object, const char *key, struct perun_json **value)
{
	if (*value)
		perun_json_set(object, key, *value);
	*value = NULL;
}

static void give_number(struct perun_json *object, const char *key, int64_t number)
{
	if (number)
		perun_json_set(object, key, perun_json_int64(number));
}

/* The column that the default type names, else the default of the inputs, else the last. */
static const char *default_column(const struct perun_merger *merger)
{
	const struct perun_merge_plan *plan = merger->plan;
	const char *type = perun_json_as_string(merger->header.default_type, NULL);
	const char *column = perun_json_as_string(merger->header.default_metric, NULL);

	for (size_t i = 0; type && i < plan->count; i++) {
		if (strcmp(plan->types[i].type, type) == 0)
			return plan->types[i].column;
	}
	for (size_t i = 0; column && i < plan->count; i++) {
		if (strcmp(plan->types[i].column, column) == 0)
			return plan->types[i].column;
	}
	return plan->count ? plan->types[plan->count - 1].column : NULL;
}

static struct perun_json *describe_types(const struct perun_merge_plan *plan)
{
	struct perun_json *types = perun_json_array();
	bool exact = true;

	for (size_t i = 0; i < plan->count; i++) {
		struct perun_json *type = perun_json_object();

		perun_json_set(type, "column", perun_json_text(plan->types[i].column));
		perun_json_set(type, "type", perun_json_text(plan->types[i].type));
		perun_json_set(type, "unit", perun_json_text(plan->types[i].unit));
		perun_json_append(types, type);
		exact &= strcmp(plan->types[i].column, plan->types[i].type) == 0;
	}
	if (!exact)
		return types;
	perun_json_free(types);
	return NULL;
}

static void set_header(struct perun_merger *merger, struct perun_json *header)
{
	const struct perun_merge_plan *plan = merger->plan;
	const char *column = default_column(merger);
	struct perun_json *type;

	if (column)
		perun_json_set(header, "default_metric", perun_json_text(column));
	give_number(header, "time", merger->header.time);
	give_number(header, "duration", merger->header.duration);
	if (plan->no_period)
		return;
	give_number(header, "period", merger->header.period);
	if (!*plan->period_type && !*plan->period_unit)
		return;
	type = perun_json_object();
	perun_json_set(type, "type", perun_json_text(plan->period_type));
	perun_json_set(type, "unit", perun_json_text(plan->period_unit));
	perun_json_set(header, "period_type", type);
}

static int by_text(const void *one, const void *other)
{
	return strcmp(perun_json_as_string(*(struct perun_json *const *)one, NULL),
		      perun_json_as_string(*(struct perun_json *const *)other, NULL));
}

static void sort_texts(struct perun_json **list)
{
	size_t count = perun_json_count(*list);
	struct perun_json **items = perun_alloc_zero(count + 1, sizeof(*items)), *sorted;

	for (size_t i = 0; i < count; i++)
		items[i] = perun_json_at(*list, i);
	if (count)
		qsort(items, count, sizeof(*items), by_text);
	sorted = perun_json_array();
	for (size_t i = 0; i < count; i++)
		perun_json_append(sorted, perun_json_clone(items[i]));
	perun_json_free(*list);
	*list = sorted;
	perun_free(items);
}

void perun_merged_document(struct perun_merger *merger, struct perun_json *document)
{
	struct perun_merged_header *from = &merger->header;
	struct perun_json *own = perun_json_object(), *extra, *types;

	if (!from->shared)
		from->shared = perun_json_object();
	set_header(merger, from->shared);
	give(document, "header", &from->shared);
	if (is_canonical(merger))
		sort_texts(&from->comments);
	if (perun_json_count(from->comments))
		give(document, "comments", &from->comments);
	give(own, "default_sample_type", &from->default_type);
	give(own, "drop_frames", &from->drop_frames);
	give(own, "keep_frames", &from->keep_frames);
	give(own, "doc_url", &from->doc_url);
	types = describe_types(merger->plan);
	give(own, "sample_types", &types);
	if (!perun_json_count(own)) {
		perun_json_free(own);
		return;
	}
	extra = perun_json_object();
	perun_json_set(extra, "pprof", own);
	perun_json_set(document, "extra", extra);
}
