/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of metrics, until the document has it: nearly all are said the same of. */
#include <string.h>

#include "core/profile/model.h"
#include "perun/lib/experiment.h"

/* What is said of a metric is an item of a pool: the keys and texts, each NUL-terminated, one after the other. */
enum { FAR = UINT8_MAX };

struct perun_described {
	struct perun_pool *kinds;
	/* Of each string the number of the item + 1; 0 = it is not described. FAR: that is in the next, of strings likewise. */
	uint8_t *kind_of;
	uint32_t *far_kind_of;
	size_t size, far_size;
	/* In the order in which they were described first; NULL as long as that is the order of their strings. */
	perun_id *metrics;
	size_t count, room;
	perun_id last; /* of these */
};

void perun_described_free(struct perun_described *described)
{
	if (!described)
		return;
	perun_pool_unref(described->kinds);
	perun_free(described->kind_of);
	perun_free(described->far_kind_of);
	perun_free(described->metrics);
	perun_free(described);
}

/* With zeroes after what is there: large arrays take no memory for these until they are used. */
static void *grow(void *array, size_t *count, size_t need, size_t size)
{
	size_t more = *count * 2 > need ? *count * 2 : need;
	void *grown = perun_alloc_zero(more, size);

	if (*count)
		memcpy(grown, array, *count * size);
	perun_free(array);
	*count = more;
	return grown;
}

static uint32_t kind_of(const struct perun_described *described, perun_id metric)
{
	if (metric >= described->size)
		return 0;
	return described->kind_of[metric] == FAR ? described->far_kind_of[metric]
						 : described->kind_of[metric];
}

static void set_kind(struct perun_described *described, perun_id metric, uint32_t kind)
{
	if (metric >= described->size)
		described->kind_of = grow(described->kind_of, &described->size, (size_t)metric + 1,
					  sizeof *described->kind_of);
	described->kind_of[metric] = kind < FAR ? (uint8_t)kind : FAR;
	if (kind < FAR)
		return;
	if (metric >= described->far_size)
		described->far_kind_of = grow(described->far_kind_of, &described->far_size,
					      (size_t)metric + 1, sizeof *described->far_kind_of);
	described->far_kind_of[metric] = kind;
}

bool perun_builder_is_described(const struct perun_builder *builder, perun_id metric)
{
	return builder->described && kind_of(builder->described, metric);
}

/* The next one after `metric` that is described, in the order of strings; from 0 on where there was none. */
static perun_id next_described(const struct perun_described *described, perun_id metric, bool first)
{
	metric += !first;
	while (!described->kind_of[metric])
		metric++;
	return metric;
}

/* Metric i, which follows the one before. */
static perun_id metric_at(const struct perun_described *described, size_t i, perun_id before)
{
	return described->metrics ? described->metrics[i]
				  : next_described(described, before, i == 0);
}

static void add_metric(struct perun_described *described, perun_id metric)
{
	perun_id before = 0;

	if (!described->metrics && described->count && metric < described->last) {
		described->room = described->count * 2;
		described->metrics = perun_alloc(described->room * sizeof *described->metrics);
		for (size_t i = 0; i < described->count; i++)
			described->metrics[i] = before = next_described(described, before, i == 0);
	}
	if (described->metrics) {
		PERUN_GROW(described->metrics, described->count, described->room);
		described->metrics[described->count] = metric;
	}
	described->last = metric;
	described->count++;
}

/* What was said, with `text` as the key says now. */
static void replace(const char *said, size_t size, const char *key, const char *text,
		    struct perun_buffer *out)
{
	bool found = false;

	for (const char *at = said, *end = said + size; at < end;) {
		const char *value = at + strlen(at) + 1;
		bool is_key = strcmp(at, key) == 0;

		perun_buffer_add(out, at, (size_t)(value - at));
		perun_buffer_add(out, is_key ? text : value, strlen(is_key ? text : value) + 1);
		found |= is_key;
		at = value + strlen(value) + 1;
	}
	if (!found) {
		perun_buffer_add(out, key, strlen(key) + 1);
		perun_buffer_add(out, text, strlen(text) + 1);
	}
}

void perun_builder_describe(struct perun_builder *builder, perun_id metric, const char *key,
			    const char *text)
{
	struct perun_described *described = builder->described;
	struct perun_buffer now = {0};
	const char *said = "";
	size_t size = 0;
	uint32_t kind;

	if (!described) {
		described = builder->described = perun_alloc_zero(1, sizeof *described);
		described->kinds = perun_pool_new(false);
	}
	kind = kind_of(described, metric);
	if (kind)
		said = perun_pool_at(described->kinds, kind - 1, &size);
	else
		add_metric(described, metric);
	replace(said, size, key, text, &now);
	set_kind(described, metric, perun_pool_add(&described->kinds, now.data, now.length) + 1);
	perun_buffer_free(&now);
}

/* ---- the document ----------------------------------------------------------------------------- */

enum { MAX_SAID = 32 };

/* The keys and texts of a metric; how many. */
static size_t split(const struct perun_described *described, perun_id metric,
		    const char *keys[MAX_SAID], const char *texts[MAX_SAID])
{
	size_t size, count = 0;
	const char *at = perun_pool_at(described->kinds, kind_of(described, metric) - 1, &size);

	for (const char *end = at + size; at < end && count < MAX_SAID; count++) {
		keys[count] = at;
		texts[count] = at + strlen(at) + 1;
		at = texts[count] + strlen(texts[count]) + 1;
	}
	return count;
}

struct perun_json *perun_builder_take_described(struct perun_builder *builder)
{
	struct perun_described *described = builder->described;
	struct perun_json_members *members;
	const char *keys[MAX_SAID], *texts[MAX_SAID];
	perun_id metric = 0;

	if (!described)
		return NULL;
	members = perun_json_members_new();
	for (size_t i = 0; i < described->count; i++) {
		const char *name;
		size_t count, length;

		metric = metric_at(described, i, metric);
		count = split(described, metric, keys, texts);
		name = perun_builder_string_at(builder, metric, &length);
		perun_json_members_object(members, name, length, keys, texts, count);
	}
	perun_described_free(described);
	builder->described = NULL;
	return perun_json_members_end(members);
}

/* Into an object that says something already, which stays. */
static void add_described(struct perun_builder *builder, struct perun_json *metrics)
{
	struct perun_json *described = perun_builder_take_described(builder);

	for (size_t i = 0; i < perun_json_count(described); i++) {
		size_t length;
		const char *name = perun_json_key_at(described, i, &length);
		struct perun_json *about = perun_json_get_n(metrics, name, length);
		const struct perun_json *said = perun_json_at(described, i);

		if (!about)
			perun_json_set_n(metrics, name, length, perun_json_clone(said));
		for (size_t k = 0; about && k < perun_json_count(said); k++) {
			const char *key = perun_json_key_at(said, k, NULL);

			if (!perun_json_get(about, key))
				perun_json_set(about, key,
					       perun_json_clone(perun_json_at(said, k)));
		}
	}
	perun_json_free(described);
}

void perun_builder_write_described(struct perun_builder *builder)
{
	struct perun_json *document, *metrics;

	if (!builder->described)
		return;
	document = perun_builder_document(builder);
	metrics = perun_json_get(document, "metrics");
	if (perun_json_count(metrics))
		add_described(builder, metrics);
	else
		perun_json_set(document, "metrics", perun_builder_take_described(builder));
}
