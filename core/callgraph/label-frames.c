/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels as frames at the root or at the leaf of stacks. */
#include <inttypes.h>
#include <string.h>

#include "perun/lib/callgraph.h"

struct labelling {
	const struct perun_profile *profile;
	struct perun_builder *builder;
	const struct perun_label_frames_options *options;
	struct perun_buffer text;
	perun_id *frames; /* of the row at hand, root first */
	perun_id *stack;
	size_t stack_capacity;
	bool found;
};

static void add_number(struct labelling *l, const struct perun_label *label)
{
	const char *unit = perun_profile_string(l->profile, label->unit, NULL);

	if (l->options->number)
		l->options->number(l->options->data, label->number, unit, &l->text);
	else
		perun_buffer_printf(&l->text, "%" PRId64 "%s%s", label->number, *unit ? " " : "",
				    unit);
}

/* Numbers go before texts, as pprof has them. */
static bool join_values(struct labelling *l, const struct perun_label *labels, size_t count,
			perun_id key)
{
	bool found = false;

	perun_buffer_clear(&l->text);
	perun_buffer_add_text(&l->text, "");
	for (int texts = 0; texts < 2; texts++) {
		for (size_t i = 0; i < count; i++) {
			if (labels[i].key != key || (labels[i].text != PERUN_NO_ID) != texts)
				continue;
			if (found)
				perun_buffer_add_char(&l->text, ',');
			found = true;
			if (texts)
				perun_buffer_add_text(
					&l->text,
					perun_profile_string(l->profile, labels[i].text, NULL));
			else
				add_number(l, &labels[i]);
		}
	}
	return found;
}

static perun_id make_frame(struct labelling *l, const char *key, perun_id labels)
{
	struct perun_function function = {0};
	struct perun_line line = {0};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};
	perun_id id = perun_profile_find_string(l->profile, key, strlen(key));
	size_t count = 0;
	const struct perun_label *list =
		labels == PERUN_NO_ID ? NULL : perun_profile_labels(l->profile, labels, &count);

	l->found |= join_values(l, list, id == PERUN_NO_ID ? 0 : count, id);
	function.name = perun_builder_string(l->builder, l->text.data, l->text.length);
	function.file = perun_builder_text(l->builder, key);
	line.function = perun_builder_function(l->builder, &function);
	return perun_builder_location(l->builder, &location);
}

static perun_id make_stack(struct labelling *l, perun_id old, const perun_id *frames)
{
	size_t keys = l->options->count, count;
	const perun_id *locations = perun_profile_stack(l->profile, old, &count);
	perun_id *to;

	if (count + keys > l->stack_capacity) {
		l->stack_capacity = (count + keys) * 2;
		l->stack = perun_realloc_array(l->stack, l->stack_capacity, sizeof *l->stack);
	}
	to = l->options->leaf ? l->stack + keys : l->stack;
	if (count)
		memcpy(to, locations, count * sizeof *to);
	to = l->options->leaf ? l->stack : l->stack + count;
	for (size_t i = 0; i < keys; i++)
		to[i] = frames[keys - 1 - i]; /* the first key is the nearest to the root */
	return perun_builder_stack(l->builder, l->stack, count + keys);
}

/* The frames of each label set are made once; the last is for rows without labels. */
static void relabel_rows(struct labelling *l, const struct perun_column *stacks,
			 const struct perun_column *labels, struct perun_column_builder *to)
{
	struct perun_table_builder *table = perun_builder_table(l->builder, "resources");
	size_t rows = perun_table_builder_rows(table), keys = l->options->count;
	size_t sets = perun_profile_label_sets(l->profile);
	perun_id *frames = perun_alloc((sets + 1) * keys * sizeof *frames + 1);

	memset(frames, 0xff, (sets + 1) * keys * sizeof *frames);
	perun_table_rewind(table, 0);
	for (size_t row = 0; row < rows; row++) {
		perun_id set = labels ? perun_column_id(labels, row) : PERUN_NO_ID;
		perun_id old = perun_column_id(stacks, row);
		perun_id *own = frames + (set < sets ? set : sets) * keys;

		/* The last key first: so new places have the numbers that pprof gives them. */
		for (size_t k = keys; k-- > 0 && own[k] == PERUN_NO_ID && old != PERUN_NO_ID;)
			own[k] = make_frame(l, l->options->keys[k], set);
		if (old != PERUN_NO_ID)
			perun_column_set_id(to, PERUN_TYPE_STACK, make_stack(l, old, own));
		perun_table_end_row(table);
	}
	perun_free(frames);
}

int perun_label_frames_with(struct perun_ctx *ctx, struct perun_profile *profile,
			    const struct perun_label_frames_options *options, bool *found,
			    struct perun_profile **result)
{
	struct labelling l = {.profile = profile, .options = options};
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *stacks = perun_table_column(resources, "stack");
	const struct perun_column *labels = perun_table_column(resources, "labels");
	struct perun_column_builder *to;

	*result = NULL;
	if (!stacks || perun_column_info(stacks)->type != PERUN_TYPE_STACK)
		return perun_fail(ctx, PERUN_INPUT, "the profile has no stacks");
	if (labels && perun_column_info(labels)->type != PERUN_TYPE_LABELS)
		labels = NULL;
	l.builder = perun_builder_from(profile);
	to = perun_table_find_column(perun_builder_table(l.builder, "resources"), "stack");
	relabel_rows(&l, stacks, labels, to);
	perun_buffer_free(&l.text);
	perun_free(l.stack);
	if (found)
		*found = l.found;
	return perun_builder_finish(ctx, l.builder, result);
}

int perun_label_frames(struct perun_ctx *ctx, struct perun_profile *profile,
		       const char *const *keys, size_t count, bool leaf,
		       struct perun_profile **result)
{
	struct perun_label_frames_options options = {.keys = keys, .count = count, .leaf = leaf};

	return perun_label_frames_with(ctx, profile, &options, NULL, result);
}
