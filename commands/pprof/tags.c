/* SPDX-License-Identifier: BSD-3-Clause */
/* -tags: the labels, and what the samples that have them cost. */
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* A value of a key, as it is printed, and its sum. */
struct tag {
	const char *text; /* the profile's, where it is a label's own text */
	char *owned;      /* that of a number; else NULL */
	int64_t sum;
};

/* A key; numbers whose texts are the same are one. */
struct key {
	const char *name;
	struct tag *tags;
	size_t count, capacity;
	uint64_t total;
};

struct tags {
	struct pprof_report *report;
	uint64_t *sums; /* by label set */
	struct key *keys;
	size_t count, capacity;
	uint32_t *key_of; /* by string id: the number of the key + 1 */
};

static struct key *find_key(struct tags *tags, perun_id name)
{
	if (!tags->key_of[name]) {
		PERUN_GROW(tags->keys, tags->count, tags->capacity);
		tags->keys[tags->count++] = (struct key){
			.name = perun_profile_string(tags->report->profile, name, NULL)};
		tags->key_of[name] = (uint32_t)tags->count;
	}
	return &tags->keys[tags->key_of[name] - 1];
}

static void add_tag(struct tags *tags, const struct perun_label *label, uint64_t sum)
{
	struct key *key = find_key(tags, label->key);
	struct tag tag = {.sum = (int64_t)sum};
	struct perun_buffer text = {0};

	if (label->text != PERUN_NO_ID) {
		tag.text = perun_profile_string(tags->report->profile, label->text, NULL);
	} else {
		pprof_add_label_number(tags->report, label, tags->report->output_unit, &text);
		tag.text = tag.owned = perun_buffer_take(&text);
	}
	PERUN_GROW(key->tags, key->count, key->capacity);
	key->tags[key->count++] = tag;
	key->total += sum;
}

static void sum_sets(struct tags *tags, uint8_t *used)
{
	struct pprof_report *report = tags->report;
	size_t rows = perun_table_rows(perun_resources(report->profile)), first, end;
	perun_id stack, set;

	for (size_t row = 0; row < rows && report->labels; row++) {
		if (!perun_stacks_row(report->stacks, row, &stack, &first, &end))
			continue;
		set = perun_column_id(report->labels, row);
		if (set == PERUN_NO_ID)
			continue;
		tags->sums[set] += (uint64_t)pprof_value(report, row);
		used[set] = 1;
	}
}

static void collect(struct tags *tags)
{
	const struct perun_profile *profile = tags->report->profile;
	size_t sets = perun_profile_label_sets(profile);
	uint8_t *used = perun_alloc_zero(sets + 1, 1);

	tags->sums = perun_alloc_zero(sets + 1, sizeof *tags->sums);
	tags->key_of = perun_alloc_zero(perun_profile_strings(profile) + 1, sizeof *tags->key_of);
	sum_sets(tags, used);
	for (size_t i = 0; i < sets; i++) {
		size_t count;
		const struct perun_label *labels =
			perun_profile_labels(profile, (perun_id)i, &count);

		for (size_t j = 0; used[i] && j < count; j++) {
			if (pprof_label_shown(tags->report, &labels[j]))
				add_tag(tags, &labels[j], tags->sums[i]);
		}
	}
	perun_free(used);
}

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->name, ((const struct key *)b)->name);
}

/* Labels of one text have it in one place, however long it is. */
static int compare_texts(const void *a, const void *b)
{
	const char *one = ((const struct tag *)a)->text, *other = ((const struct tag *)b)->text;

	return one == other ? 0 : strcmp(one, other);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int compare_sums(const void *a, const void *b)
{
	uint64_t left = magnitude(((const struct tag *)a)->sum);
	uint64_t right = magnitude(((const struct tag *)b)->sum);

	if (left != right)
		return left > right ? -1 : 1;
	return compare_texts(a, b);
}

/* Put tags of the same text together, then sort them by what they cost. */
static void sort_tags(struct key *key)
{
	size_t kept = 0;

	qsort(key->tags, key->count, sizeof *key->tags, compare_texts);
	for (size_t i = 0; i < key->count; i++) {
		if (kept && compare_texts(&key->tags[kept - 1], &key->tags[i]) == 0) {
			key->tags[kept - 1].sum = (int64_t)((uint64_t)key->tags[kept - 1].sum +
							    (uint64_t)key->tags[i].sum);
			perun_free(key->tags[i].owned);
		} else {
			key->tags[kept++] = key->tags[i];
		}
	}
	key->count = kept;
	qsort(key->tags, key->count, sizeof *key->tags, compare_sums);
}

/* ---- text ------------------------------------------------------------------------------------ */

static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void add_padded(const char *text, size_t width, struct perun_buffer *out)
{
	for (size_t i = width_of(text); i < width; i++)
		perun_buffer_add_char(out, ' ');
	perun_buffer_add_text(out, text);
}

/* "12ms (34.56%):" */
static char *format_value(const struct pprof_report *report, int64_t sum)
{
	struct perun_buffer text = {0};

	pprof_add_value(report, sum, &text);
	perun_buffer_add_text(&text, " (");
	pprof_add_percentage(sum, report->total, &text);
	perun_buffer_add_text(&text, "):");
	return perun_buffer_take(&text);
}

static void add_key(struct tags *tags, struct key *key, struct perun_buffer *out)
{
	const struct pprof_report *report = tags->report;
	char *name = perun_format("%s:", key->name);
	char **values = perun_alloc_zero(key->count + 1, sizeof *values);
	size_t width = 0;

	sort_tags(key);
	add_padded(name, width_of(name) + 1, out);
	perun_buffer_add_text(out, " Total ");
	pprof_add_value(report, (int64_t)key->total, out);
	perun_buffer_add_text(out, " of ");
	pprof_add_value(report, report->total, out);
	perun_buffer_add_text(out, " (");
	pprof_add_percentage((int64_t)key->total, report->total, out);
	perun_buffer_add_text(out, ")\n");
	for (size_t i = 0; i < key->count; i++) {
		values[i] = format_value(report, key->tags[i].sum);
		width = width_of(values[i]) > width ? width_of(values[i]) : width;
	}
	for (size_t i = 0; i < key->count; i++) {
		add_padded("", width_of(name) + 1, out);
		add_padded(values[i], width + 1, out);
		perun_buffer_printf(out, " %s\n", key->tags[i].text);
		perun_free(values[i]);
		perun_free(key->tags[i].owned);
	}
	perun_buffer_add_char(out, '\n');
	perun_free(values);
	perun_free(key->tags);
	perun_free(name);
}

int pprof_report_tags(struct pprof_report *report)
{
	struct tags tags = {.report = report};
	struct perun_buffer out = {0};

	collect(&tags);
	if (tags.count > 1)
		qsort(tags.keys, tags.count, sizeof *tags.keys, compare_keys);
	for (size_t i = 0; i < tags.count; i++)
		add_key(&tags, &tags.keys[i], &out);
	perun_output_write(report->output, out.data, out.length);
	perun_buffer_free(&out);
	perun_free(tags.sums);
	perun_free(tags.keys);
	perun_free(tags.key_of);
	return PERUN_OK;
}
