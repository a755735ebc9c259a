/* SPDX-License-Identifier: BSD-3-Clause */
/* Label sets in one order: strings by key, then numbers by key; the values of a key as they are. */
#include <stdlib.h>
#include <string.h>

#include "core/merge/merge.h"

struct sorted_label {
	struct perun_label label; /* ids of the result */
	const char *key;          /* owned by the input, or its `label_key` */
	size_t key_length, place;
};

static int compare(const void *left, const void *right)
{
	const struct sorted_label *a = left, *b = right;
	bool a_number = a->label.text == PERUN_NO_ID, b_number = b->label.text == PERUN_NO_ID;
	size_t shorter = a->key_length < b->key_length ? a->key_length : b->key_length;
	int order;

	if (a_number != b_number)
		return a_number ? 1 : -1;
	order = memcmp(a->key, b->key, shorter);
	if (order)
		return order;
	if (a->key_length != b->key_length)
		return a->key_length < b->key_length ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static struct sorted_label translate(struct perun_merger *merger, const struct perun_label *from)
{
	struct sorted_label to = {.label = *from};

	to.key = perun_profile_string(merger->ids.profile, from->key, &to.key_length);
	to.label.key = perun_merged_string(merger, from->key);
	if (from->text != PERUN_NO_ID)
		to.label.text = perun_merged_string(merger, from->text);
	to.label.unit = perun_merged_string(merger, from->unit);
	return to;
}

static struct sorted_label given(struct perun_merger *merger, const struct perun_merge_input *input)
{
	struct sorted_label label = {.key = input->label_key,
				     .key_length = strlen(input->label_key)};

	label.label.key = perun_builder_text(merger->builder, input->label_key);
	label.label.text = perun_builder_text(merger->builder, input->label_text);
	return label;
}

static bool is_replaced(const struct perun_merge_input *input, const struct sorted_label *label)
{
	return input->label_key && label->label.text != PERUN_NO_ID &&
	       label->key_length == strlen(input->label_key) &&
	       memcmp(label->key, input->label_key, label->key_length) == 0;
}

static perun_id make_set(struct perun_merger *merger, perun_id set,
			 const struct perun_merge_input *input)
{
	size_t count = 0, used = 0;
	const struct perun_label *from = NULL;
	struct sorted_label *sorted;
	struct perun_label *labels;
	perun_id id = PERUN_NO_ID;

	if (set != PERUN_NO_ID)
		from = perun_profile_labels(merger->ids.profile, set, &count);
	sorted = perun_alloc_zero(count + 1, sizeof *sorted);
	labels = perun_alloc_zero(count + 1, sizeof *labels);
	for (size_t i = 0; i < count; i++) {
		sorted[used] = translate(merger, &from[i]);
		sorted[used].place = i;
		used += !is_replaced(input, &sorted[used]);
	}
	if (input->label_key)
		sorted[used++] = given(merger, input);
	qsort(sorted, used, sizeof *sorted, compare);
	for (size_t i = 0; i < used; i++)
		labels[i] = sorted[i].label;
	if (used)
		id = perun_builder_labels(merger->builder, labels, used);
	perun_free(sorted);
	perun_free(labels);
	return id;
}

perun_id perun_merged_labels(struct perun_merger *merger, perun_id set,
			     const struct perun_merge_input *input)
{
	perun_id *known;

	if (set == PERUN_NO_ID && !input->label_key)
		return PERUN_NO_ID;
	known = set == PERUN_NO_ID ? &merger->ids.unlabelled : &merger->ids.labels[set];
	if (*known == PERUN_NO_ID)
		*known = make_set(merger, set, input);
	return *known;
}
