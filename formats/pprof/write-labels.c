/* SPDX-License-Identifier: BSD-3-Clause */
/* The labels of samples: those of label sets, and columns that become labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "writing.h"

struct label {
	const char *key, *text, *unit;
	size_t key_length, text_length, unit_length;
	perun_id pool_text; /* the text's string of the profile; PERUN_NO_ID: of a cell */
	bool is_text;
	int64_t number;
	size_t place; /* labels of a key keep their order */
};

struct labels {
	struct label *items;
	size_t count, room;
	struct perun_buffer *texts; /* of cells */
	size_t text_count;
};

static int compare_keys(const struct label *a, const struct label *b)
{
	size_t shorter = a->key_length < b->key_length ? a->key_length : b->key_length;
	int order = memcmp(a->key, b->key, shorter);

	if (order)
		return order;
	return (a->key_length > b->key_length) - (a->key_length < b->key_length);
}

/* Strings by key, then numbers by key: the order that pprof writes. */
static int compare(const void *left, const void *right)
{
	const struct label *a = left, *b = right;
	int order;

	if (a->is_text != b->is_text)
		return a->is_text ? -1 : 1;
	order = compare_keys(a, b);
	return order ? order : (a->place > b->place) - (a->place < b->place);
}

static struct label *add_label(struct labels *labels)
{
	struct label *label;

	PERUN_GROW(labels->items, labels->count, labels->room);
	label = &labels->items[labels->count];
	*label = (struct label){
		.place = labels->count, .text = "", .unit = "", .pool_text = PERUN_NO_ID};
	labels->count++;
	return label;
}

static void add_set(struct pprof_writing *writing, perun_id set, struct labels *labels)
{
	const struct perun_profile *profile = writing->profile;
	size_t count;
	const struct perun_label *items = perun_profile_labels(profile, set, &count);

	for (size_t i = 0; i < count; i++) {
		struct label *label = add_label(labels);

		label->key = perun_profile_string(profile, items[i].key, &label->key_length);
		label->is_text = items[i].text != PERUN_NO_ID;
		if (label->is_text) {
			label->pool_text = items[i].text;
			label->text =
				perun_profile_string(profile, items[i].text, &label->text_length);
			writing->empty_labels += !label->text_length;
			continue;
		}
		label->number = items[i].number;
		label->unit = perun_profile_string(profile, items[i].unit, &label->unit_length);
		writing->zeros += !label->number && !label->unit_length;
	}
}

/* A time as whole nanoseconds. */
static bool whole_time(const struct pprof_label_column *from, size_t row, int64_t *number)
{
	double factor = (double)perun_unit_factor(from->unit, "ns"), time;

	if (from->type != PERUN_TYPE_DOUBLE || factor <= 1 ||
	    perun_column_info(from->column)->role != PERUN_ROLE_TIME)
		return false;
	time = round(perun_column_double(from->column, row) * factor);
	*number = (int64_t)time;
	return fabs(time) < 0x1p62;
}

/* A whole number of a cell; false when it is none. */
static bool whole_number(const struct pprof_label_column *from, size_t row, int64_t *number)
{
	double real;

	switch (from->type) {
	case PERUN_TYPE_INT64:
		*number = perun_column_int64(from->column, row);
		return true;
	case PERUN_TYPE_UINT64:
		*number = (int64_t)perun_column_uint64(from->column, row);
		return *number >= 0;
	case PERUN_TYPE_DOUBLE:
		real = perun_column_double(from->column, row);
		if (real != floor(real) || fabs(real) > 9007199254740992.0)
			return false;
		*number = (int64_t)real;
		return true;
	default:
		return false;
	}
}

static void add_cell(struct pprof_writing *writing, const struct pprof_label_column *from,
		     size_t row, struct labels *labels)
{
	struct perun_buffer *text = &labels->texts[labels->text_count];
	struct label *label;
	int64_t number;

	if (perun_column_absent(from->column, row))
		return;
	if (whole_number(from, row, &number)) {
		if (number == 0 && !*from->unit) {
			writing->zeros++; /* a label without any content is none */
			return;
		}
		label = add_label(labels);
		label->number = number;
		label->unit = from->unit;
		label->unit_length = strlen(from->unit);
	} else if (whole_time(from, row, &number)) {
		label = add_label(labels);
		label->number = number;
		label->unit = "nanoseconds";
		label->unit_length = strlen(label->unit);
	} else {
		perun_buffer_clear(text);
		perun_column_print(from->column, row, text);
		if (!text->length)
			return;
		label = add_label(labels);
		label->is_text = true;
		label->text = text->data;
		label->text_length = text->length;
		labels->text_count++;
	}
	label->key = from->name;
	label->key_length = strlen(from->name);
}

static void put_label(struct pprof_writing *writing, const struct label *label,
		      struct perun_buffer *message)
{
	uint64_t key = pprof_text(writing, label->key, label->key_length);
	uint64_t text = label->pool_text != PERUN_NO_ID
				? pprof_pool_text(writing, label->pool_text)
				: pprof_text(writing, label->text, label->text_length);
	uint64_t unit = pprof_text(writing, label->unit, label->unit_length);
	unsigned char bytes[64], *at = bytes;
	const uint64_t numbers[] = {key, text, (uint64_t)label->number, unit};

	for (unsigned i = 0; i < 4; i++) {
		if (!numbers[i])
			continue;
		*at++ = (unsigned char)((i + 1) << 3);
		at = protobuf_put_varint(at, numbers[i]);
	}
	perun_buffer_add_char(message, 3 << 3 | 2);
	perun_buffer_add_char(message, (char)(at - bytes));
	perun_buffer_add(message, bytes, (size_t)(at - bytes));
}

static void put_all(struct pprof_writing *writing, struct labels *labels,
		    struct perun_buffer *message)
{
	if (labels->count > 1)
		qsort(labels->items, labels->count, sizeof *labels->items, compare);
	for (size_t i = 0; i < labels->count; i++)
		put_label(writing, &labels->items[i], message);
}

/* A set has the same bytes in all samples. */
static void put_set(struct pprof_writing *writing, perun_id set, struct perun_buffer *message)
{
	struct pprof_encoded_set *encoded = &writing->sets[set];
	struct labels labels = {0};

	if (!encoded->size) {
		encoded->first = writing->set_bytes.length;
		add_set(writing, set, &labels);
		put_all(writing, &labels, &writing->set_bytes);
		encoded->size = writing->set_bytes.length - encoded->first;
		perun_free(labels.items);
	}
	if (encoded->size)
		perun_buffer_add(message, writing->set_bytes.data + encoded->first, encoded->size);
}

void pprof_put_labels(struct pprof_writing *writing, size_t row, struct perun_buffer *message)
{
	perun_id set = writing->labels ? perun_column_id(writing->labels, row) : PERUN_NO_ID;
	size_t columns = writing->label_column_count;
	struct labels labels = {0};

	if (!columns) {
		if (set != PERUN_NO_ID)
			put_set(writing, set, message);
		return;
	}
	labels.texts = perun_alloc_zero(columns, sizeof *labels.texts);
	if (set != PERUN_NO_ID)
		add_set(writing, set, &labels);
	for (size_t i = 0; i < columns; i++)
		add_cell(writing, &writing->label_columns[i], row, &labels);
	put_all(writing, &labels, message);
	for (size_t i = 0; i < columns; i++)
		perun_buffer_free(&labels.texts[i]);
	perun_free(labels.texts);
	perun_free(labels.items);
}
