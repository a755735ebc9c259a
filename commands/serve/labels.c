/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of the samples that filters left: each value with what it weighs. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

enum { MAX_VALUES = 30 };

/* A label, with the weight of all samples that have it. */
struct value {
	struct perun_label label;
	long double sum;
};

/* What the samples of each label set weigh; the caller frees it. */
static long double *sum_sets(const struct serve_question *question,
			     const struct perun_column *labels)
{
	const struct views_data *data = &question->data;
	size_t rows = perun_table_rows(perun_resources(data->profile)), first, end;
	long double *sums =
		perun_alloc_zero(perun_profile_label_sets(data->profile) + 1, sizeof *sums);
	perun_id stack;

	for (size_t row = 0; row < rows; row++) {
		perun_id set = perun_column_id(labels, row);
		double value;

		if (set == PERUN_NO_ID || (data->selection && !perun_bit(data->selection, row)) ||
		    (question->pair && !perun_bit(question->pair->rows[SERVE_NEW], row)) ||
		    (data->stacks && !perun_stacks_row(data->stacks, row, &stack, &first, &end)))
			continue;
		value = perun_column_double(data->metric->values, row);
		if (value == value)
			sums[set] += value;
	}
	return sums;
}

static int by_label(const void *one, const void *other)
{
	const struct value *a = one, *b = other;

	if (a->label.key != b->label.key)
		return a->label.key < b->label.key ? -1 : 1;
	if (a->label.text != b->label.text)
		return a->label.text < b->label.text ? -1 : 1;
	if (a->label.number != b->label.number)
		return a->label.number < b->label.number ? -1 : 1;
	return (a->label.unit > b->label.unit) - (a->label.unit < b->label.unit);
}

static int by_key_and_sum(const void *one, const void *other)
{
	const struct value *a = one, *b = other;

	if (a->label.key != b->label.key)
		return a->label.key < b->label.key ? -1 : 1;
	return a->sum != b->sum ? (a->sum < b->sum) - (a->sum > b->sum) : by_label(one, other);
}

/* The labels of all sets, equal ones as one. */
static struct value *list_values(const struct perun_profile *profile, const long double *sums,
				 size_t *count)
{
	struct value *list = NULL;
	size_t used = 0, capacity = 0, kept = 0;

	for (size_t set = 0; set < perun_profile_label_sets(profile); set++) {
		size_t labels;
		const struct perun_label *label =
			perun_profile_labels(profile, (perun_id)set, &labels);

		for (size_t i = 0; i < labels && sums[set] != 0; i++) {
			if (strcmp(perun_profile_string(profile, label[i].key, NULL), SERVE_SIDE) ==
			    0)
				continue;
			PERUN_GROW(list, used, capacity);
			list[used++] = (struct value){label[i], sums[set]};
		}
	}
	if (used)
		qsort(list, used, sizeof *list, by_label);
	for (size_t i = 0; i < used; i++) {
		if (kept && by_label(&list[kept - 1], &list[i]) == 0)
			list[kept - 1].sum += list[i].sum;
		else
			list[kept++] = list[i];
	}
	if (kept)
		qsort(list, kept, sizeof *list, by_key_and_sum);
	*count = kept;
	return list;
}

static void write_value(const struct serve_question *question, const struct value *value,
			struct perun_json_writer *writer)
{
	const struct perun_profile *profile = question->data.profile;

	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "value");
	if (value->label.text != PERUN_NO_ID)
		serve_write_string(writer, profile, value->label.text);
	else
		perun_json_write_int64(writer, value->label.number);
	perun_json_write_key_text(writer, "unit");
	serve_write_string(writer, profile, value->label.unit);
	serve_write_number(writer, "sum", value->sum);
	perun_json_write_object_end(writer);
}

/* One key: returns how many of the list are its values. */
static size_t write_key(const struct serve_question *question, const struct value *list,
			size_t left, struct perun_json_writer *writer)
{
	size_t count = 1;

	while (count < left && list[count].label.key == list->label.key)
		count++;
	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "key");
	serve_write_string(writer, question->data.profile, list->label.key);
	perun_json_write_key_text(writer, "values");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count && i < MAX_VALUES; i++)
		write_value(question, &list[i], writer);
	perun_json_write_array_end(writer);
	serve_write_number(writer, "more", count > MAX_VALUES ? count - MAX_VALUES : 0);
	perun_json_write_object_end(writer);
	return count;
}

int serve_write_labels(struct serve_question *question, struct perun_json_writer *writer)
{
	const struct perun_profile *profile = question->data.profile;
	const struct perun_column *labels = perun_table_column(perun_resources(profile), "labels");
	long double *sums = NULL;
	struct value *list = NULL;
	size_t count = 0;

	if (labels && perun_column_info(labels)->type == PERUN_TYPE_LABELS) {
		sums = sum_sets(question, labels);
		list = list_values(profile, sums, &count);
	}
	serve_write_sum(question, writer);
	perun_json_write_key_text(writer, "labels");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count;)
		i += write_key(question, list + i, count - i, writer);
	perun_json_write_array_end(writer);
	perun_free(list);
	perun_free(sums);
	return PERUN_OK;
}
