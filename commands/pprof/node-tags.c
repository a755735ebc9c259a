/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of samples as boxes beside the nodes of -dot. */
#include <stdlib.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "node-tags.h"

/* The labels of one set, ready to be counted; made once for each set. */
struct number_tag {
	perun_id name;
	int64_t value;
};

struct set_tags {
	perun_id labels; /* all texts as one; "" = 0 */
	struct number_tag *numbers;
	size_t count;
	perun_id first; /* the first set with the same tags; PERUN_NO_ID: it has none */
};

/* What samples of a set of labels add to a node. */
struct set_sums {
	uint32_t node;
	perun_id set;
	int64_t flat[2], cumulative[2]; /* values and their divisors */
};

/* By a node and a set: the number of their sums + 1. */
struct sums_slot {
	uint64_t key;
	uint32_t number;
};

struct tagging {
	const struct pprof_report *report;
	struct pprof_tags *tags;
	struct set_tags *sets; /* by label set; made when met */
	bool *made;
	struct perun_builder *texts; /* the texts of sets, as bytes of their numbers */
	perun_id *joined;            /* of each of these */
	size_t joined_count, joined_capacity;
	struct perun_builder *kinds; /* the tags of sets, as bytes of their numbers */
	perun_id *firsts;            /* of each of these: the first set with them */
	size_t first_count, first_capacity;
	const char *unit; /* of the numbers */
	struct perun_row_nodes *rows;
	/* In the order in which they are met; many samples have the same labels, and these make several tags. */
	struct set_sums *sums;
	size_t sum_count, sum_capacity;
	struct sums_slot *slots;
	size_t mask;
};

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_text_tag(const struct pprof_report *report, const struct perun_label *label)
{
	return label->text != PERUN_NO_ID && pprof_label_shown(report, label) &&
	       strcmp(perun_profile_string(report->profile, label->key, NULL), "pprof::base") != 0;
}

/* "key:value" of each text, sorted, joined by what dot takes for a line break. */
static perun_id join_texts(struct tagging *t, const struct perun_label *labels, size_t count)
{
	const struct perun_profile *profile = t->report->profile;
	char **texts = perun_alloc((count + 1) * sizeof *texts);
	struct perun_buffer joined = {0};
	size_t used = 0;
	perun_id id;

	for (size_t i = 0; i < count; i++) {
		if (is_text_tag(t->report, &labels[i]))
			texts[used++] = perun_format(
				"%s:%s", perun_profile_string(profile, labels[i].key, NULL),
				perun_profile_string(profile, labels[i].text, NULL));
	}
	qsort(texts, used, sizeof *texts, compare_texts);
	for (size_t i = 0; i < used; i++) {
		if (i > 0)
			perun_buffer_add_text(&joined, "\\n");
		perun_buffer_add_text(&joined, texts[i]);
		perun_free(texts[i]);
	}
	perun_free(texts);
	id = perun_builder_string(t->tags->strings, joined.data ? joined.data : "", joined.length);
	perun_buffer_free(&joined);
	return id;
}

/* Sets that differ in numbers alone share their texts, which may be long: these are joined once. */
static perun_id find_joined(struct tagging *t, const struct perun_label *labels, size_t count)
{
	struct perun_buffer key = {0};
	perun_id id;

	for (size_t i = 0; i < count; i++) {
		if (!is_text_tag(t->report, &labels[i]))
			continue;
		perun_buffer_add(&key, &labels[i].key, sizeof labels[i].key);
		perun_buffer_add(&key, &labels[i].text, sizeof labels[i].text);
	}
	id = perun_builder_string(t->texts, key.data ? key.data : "", key.length);
	perun_buffer_free(&key);
	while (t->joined_count <= id) {
		PERUN_GROW(t->joined, t->joined_count, t->joined_capacity);
		t->joined[t->joined_count++] = PERUN_NO_ID;
	}
	if (t->joined[id] == PERUN_NO_ID)
		t->joined[id] = join_texts(t, labels, count);
	return t->joined[id];
}

/* Of numbers only those called "bytes" make boxes. */
static bool is_number_tag(const struct pprof_report *report, const struct perun_label *label)
{
	return label->text == PERUN_NO_ID && pprof_label_shown(report, label) &&
	       strcmp(perun_profile_string(report->profile, label->key, NULL), "bytes") == 0;
}

/* Sets may differ in what makes no tag, as in the times of samples: they count as one. */
static perun_id find_first(struct tagging *t, perun_id set)
{
	const struct set_tags *tags = &t->sets[set];
	struct perun_buffer key = {0};
	perun_id id;

	if (!tags->labels && !tags->count)
		return PERUN_NO_ID;
	perun_buffer_add(&key, &tags->labels, sizeof tags->labels);
	for (size_t i = 0; i < tags->count; i++) {
		perun_buffer_add(&key, &tags->numbers[i].name, sizeof tags->numbers[i].name);
		perun_buffer_add(&key, &tags->numbers[i].value, sizeof tags->numbers[i].value);
	}
	id = perun_builder_string(t->kinds, key.data, key.length);
	perun_buffer_free(&key);
	while (t->first_count <= id) { /* the empty string is there before */
		PERUN_GROW(t->firsts, t->first_count, t->first_capacity);
		t->firsts[t->first_count++] = set;
	}
	return t->firsts[id];
}

static struct set_tags *tags_of_set(struct tagging *t, perun_id set)
{
	struct set_tags *tags = &t->sets[set];
	const struct perun_label *labels;
	struct perun_buffer text = {0};
	size_t count;

	if (t->made[set])
		return tags;
	t->made[set] = true;
	labels = perun_profile_labels(t->report->profile, set, &count);
	tags->labels = find_joined(t, labels, count);
	tags->numbers = perun_alloc((count + 1) * sizeof *tags->numbers);
	for (size_t i = 0; i < count; i++) {
		if (!is_number_tag(t->report, &labels[i]))
			continue;
		perun_buffer_clear(&text);
		pprof_add_scaled(labels[i].number, t->unit, t->report->output_unit, &text);
		tags->numbers[tags->count++] = (struct number_tag){
			perun_builder_string(t->tags->strings, text.data, text.length),
			labels[i].number};
	}
	perun_buffer_free(&text);
	tags->first = find_first(t, set);
	return tags;
}

/* ---- counting --------------------------------------------------------------------------------- */

static uint32_t hash_tag(uint32_t node, perun_id labels, perun_id name)
{
	uint64_t hash = perun_hash_number((uint64_t)node << 32 | labels);

	return (uint32_t)perun_hash_number(hash ^ name);
}

static void grow_slots(struct pprof_tags *tags)
{
	if (tags->slots && (tags->count + 1) * 3 <= ((size_t)tags->mask + 1) * 2)
		return;
	tags->mask = tags->slots ? tags->mask * 2 + 1 : 255;
	perun_free(tags->slots);
	tags->slots = perun_alloc_zero((size_t)tags->mask + 1, sizeof *tags->slots);
	for (size_t i = 0; i < tags->count; i++) {
		const struct pprof_tag *tag = &tags->tags[i];
		uint32_t slot = hash_tag(tag->node, tag->labels, tag->name) & tags->mask;

		while (tags->slots[slot])
			slot = (slot + 1) & tags->mask;
		tags->slots[slot] = (uint32_t)i + 1;
	}
}

static struct pprof_tag *find_tag(struct pprof_tags *tags, uint32_t node, perun_id labels,
				  perun_id name)
{
	uint32_t slot, i;

	grow_slots(tags);
	slot = hash_tag(node, labels, name) & tags->mask;
	for (; (i = tags->slots[slot]) != 0; slot = (slot + 1) & tags->mask) {
		struct pprof_tag *tag = &tags->tags[i - 1];

		if (tag->node == node && tag->labels == labels && tag->name == name)
			return tag;
	}
	PERUN_GROW(tags->tags, tags->count, tags->capacity);
	tags->tags[tags->count] = (struct pprof_tag){.node = node, .labels = labels, .name = name};
	tags->slots[slot] = (uint32_t)++tags->count;
	return &tags->tags[tags->count - 1];
}

static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_to(struct pprof_tag *tag, const struct set_sums *sums)
{
	tag->flat = add(tag->flat, sums->flat[0]);
	tag->flat_divisor = add(tag->flat_divisor, sums->flat[1]);
	tag->cumulative = add(tag->cumulative, sums->cumulative[0]);
	tag->cumulative_divisor = add(tag->cumulative_divisor, sums->cumulative[1]);
}

static void add_tags(struct tagging *t, const struct set_sums *sums)
{
	const struct set_tags *set = tags_of_set(t, sums->set);

	if (set->labels)
		add_to(find_tag(t->tags, sums->node, set->labels, PERUN_NO_ID), sums);
	for (size_t i = 0; i < set->count; i++) {
		struct pprof_tag *tag =
			find_tag(t->tags, sums->node, set->labels, set->numbers[i].name);

		if (!tag->unit) {
			tag->unit = t->unit;
			tag->value = set->numbers[i].value;
		}
		add_to(tag, sums);
	}
}

/* ---- samples ---------------------------------------------------------------------------------- */

static void grow_sums(struct tagging *t)
{
	struct sums_slot *old = t->slots;
	size_t count = old ? t->mask + 1 : 0;

	if (old && (t->sum_count + 1) * 2 <= count)
		return;
	t->mask = old ? t->mask * 2 + 1 : 255;
	t->slots = perun_alloc_zero(t->mask + 1, sizeof *t->slots);
	for (size_t i = 0; i < count; i++) {
		size_t at = perun_hash_number(old[i].key) & t->mask;

		if (!old[i].number)
			continue;
		while (t->slots[at].number)
			at = (at + 1) & t->mask;
		t->slots[at] = old[i];
	}
	perun_free(old);
}

static struct set_sums *find_sums(struct tagging *t, uint32_t node, perun_id set)
{
	uint64_t key = (uint64_t)node << 32 | set;
	size_t at;

	grow_sums(t);
	for (at = perun_hash_number(key) & t->mask; t->slots[at].number; at = (at + 1) & t->mask) {
		if (t->slots[at].key == key)
			return &t->sums[t->slots[at].number - 1];
	}
	PERUN_GROW(t->sums, t->sum_count, t->sum_capacity);
	t->sums[t->sum_count] = (struct set_sums){.node = node, .set = set};
	t->slots[at] = (struct sums_slot){key, (uint32_t)++t->sum_count};
	return &t->sums[t->sum_count - 1];
}

static void add_values(int64_t to[2], const int64_t values[2])
{
	to[0] = add(to[0], values[0]);
	to[1] = add(to[1], values[1]);
}

static void count_row(struct tagging *t, size_t row, perun_id labels)
{
	int64_t values[2] = {perun_column_int64(t->report->values, row), 0};
	const uint32_t *nodes;
	uint32_t leaf;
	size_t count;

	if (t->report->divisor)
		values[1] = perun_column_int64(t->report->divisor, row);
	if (values[0] == 0 && values[1] == 0)
		return;
	labels = tags_of_set(t, labels)->first;
	if (labels == PERUN_NO_ID)
		return;
	nodes = perun_row_nodes_at(t->rows, row, &leaf, &count);
	for (size_t i = 0; i < count; i++) {
		struct set_sums *sums = find_sums(t, nodes[i], labels);

		add_values(sums->cumulative, values);
		if (nodes[i] == leaf)
			add_values(sums->flat, values);
	}
}

/* ---- the tags --------------------------------------------------------------------------------- */

/* The tags of a node lie together, in the order in which they are met. */
static void group(struct pprof_tags *tags, size_t nodes)
{
	struct pprof_tag *grouped = perun_alloc((tags->count + 1) * sizeof *grouped);

	perun_free(tags->slots);
	tags->slots = NULL;
	tags->starts = perun_alloc_zero(nodes + 2, sizeof *tags->starts);
	for (size_t i = 0; i < tags->count; i++)
		tags->starts[tags->tags[i].node + 2]++;
	for (size_t i = 0; i < nodes; i++)
		tags->starts[i + 1] += tags->starts[i];
	for (size_t i = 0; i < tags->count; i++)
		grouped[tags->starts[tags->tags[i].node + 1]++] = tags->tags[i];
	perun_free(tags->tags);
	tags->tags = grouped;
}

struct pprof_tags *pprof_tags_make(const struct pprof_report *report,
				   const struct perun_callgraph *graph, const uint64_t *wanted)
{
	const struct perun_table *table = perun_resources(report->profile);
	const struct perun_column *labels = perun_table_column(table, "labels");
	size_t sets = perun_profile_label_sets(report->profile), nodes;
	struct tagging t = {.report = report};
	perun_id key;

	if (!labels || perun_column_info(labels)->type != PERUN_TYPE_LABELS)
		return NULL;
	perun_callgraph_nodes(graph, &nodes);
	t.tags = perun_alloc_zero(1, sizeof *t.tags);
	t.tags->strings = perun_builder_new();
	t.texts = perun_builder_new();
	t.kinds = perun_builder_new();
	t.sets = perun_alloc_zero(sets + 1, sizeof *t.sets);
	t.made = perun_alloc_zero(sets + 1, sizeof *t.made);
	t.rows = perun_row_nodes_new(graph, wanted);
	key = perun_profile_find_string(report->profile, "bytes", 5);
	t.unit = key != PERUN_NO_ID && report->label_units && report->label_units[key]
			 ? report->label_units[key]
			 : "bytes";
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		perun_id set = perun_column_id(labels, row);

		if (set != PERUN_NO_ID)
			count_row(&t, row, set);
	}
	for (size_t i = 0; i < t.sum_count; i++)
		add_tags(&t, &t.sums[i]);
	group(t.tags, nodes);
	for (size_t i = 0; i < sets; i++)
		perun_free(t.sets[i].numbers);
	perun_free(t.sets);
	perun_free(t.made);
	perun_builder_free(t.texts);
	perun_free(t.joined);
	perun_builder_free(t.kinds);
	perun_free(t.firsts);
	perun_row_nodes_free(t.rows);
	perun_free(t.sums);
	perun_free(t.slots);
	return t.tags;
}

void pprof_tags_free(struct pprof_tags *tags)
{
	if (!tags)
		return;
	perun_builder_free(tags->strings);
	perun_free(tags->tags);
	perun_free(tags->starts);
	perun_free(tags);
}

void pprof_tags_cut(struct pprof_tags *tags, int64_t cut)
{
	for (size_t i = 0; tags && i < tags->count; i++) {
		if (pprof_magnitude(tags->tags[i].flat) < cut &&
		    pprof_magnitude(tags->tags[i].cumulative) < cut)
			tags->tags[i].low = true;
	}
}

size_t pprof_tags_count(const struct pprof_tags *tags, uint32_t node)
{
	size_t count = 0;

	for (size_t i = tags ? tags->starts[node] : 0; tags && i < tags->starts[node + 1]; i++)
		count += !tags->tags[i].low && tags->tags[i].flat != 0;
	return count;
}

const char *pprof_tag_text(const struct pprof_tags *tags, perun_id id)
{
	return perun_builder_string_at(tags->strings, id, NULL);
}
