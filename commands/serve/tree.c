/* SPDX-License-Identifier: BSD-3-Clause */
/* The call tree of a question: from the root, from the leaf, or around one function. */
#include <config.h>

#include "serve.h"

/* Boxes of a smaller share than this are put together: they would be narrower than half a pixel. */
static const double minimum_share = 1.0 / 5000;

static void write_frames(const struct serve_question *question, const struct perun_calltree *tree,
			 struct perun_json_writer *writer)
{
	const struct perun_profile *profile = question->data.profile;
	struct perun_buffer name = {0};
	size_t count;
	const struct perun_frame *frames = perun_calltree_frames(tree, &count);

	perun_json_write_key_text(writer, "frames");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i++) {
		perun_buffer_clear(&name);
		perun_frame_name(profile, &frames[i], &name);
		perun_json_write_array_start(writer);
		perun_json_write_string(writer, name.length ? name.data : "", name.length);
		serve_write_string(writer, profile, frames[i].file);
		serve_write_string(writer, profile, frames[i].object);
		perun_json_write_array_end(writer);
	}
	perun_json_write_array_end(writer);
	perun_buffer_free(&name);
}

/* Columns: parents come before their children; the frame of a box that represents several is -1. */
static void write_values(struct perun_json_writer *writer, const char *key, const int64_t *values,
			 size_t count, long double scale)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i++)
		perun_json_write_double(writer, (double)((long double)values[i] * scale));
	perun_json_write_array_end(writer);
}

static void write_nodes(const struct serve_question *question, const struct perun_calltree *tree,
			struct perun_json_writer *writer)
{
	size_t count;
	const struct perun_tree_node *nodes = perun_calltree_nodes(tree, &count);

	perun_json_write_key_text(writer, "parent");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(writer, nodes[i].parent);
	perun_json_write_array_end(writer);
	perun_json_write_key_text(writer, "frame");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(writer, i == 0          ? -2
					       : nodes[i].rest ? -1
							       : (int64_t)nodes[i].frame);
	perun_json_write_array_end(writer);
	write_values(writer, "own", perun_calltree_self(tree, 0), count, question->data.scale);
	if (question->pair)
		write_values(writer, "base", perun_calltree_self(tree, 1), count,
			     question->pair->scale);
	perun_json_write_key_text(writer, "merged");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(writer, nodes[i].rest ? nodes[i].merged : 0);
	perun_json_write_array_end(writer);
}

int serve_write_tree(struct serve_question *question, struct perun_json_writer *writer)
{
	const struct views_data *data = &question->data;
	const char *inverted = server_argument(question->request, "inverted");
	const char *function = server_argument(question->request, "function");
	const struct perun_tree_options options = {.struct_size = sizeof options,
						   .granularity = data->by,
						   .no_inlines = data->no_inlines,
						   .inverted = inverted && *inverted,
						   .function =
							   function && *function ? function : NULL,
						   .minimum_share = minimum_share};
	struct perun_calltree *tree = NULL;
	int status;

	if (!data->stacks)
		return perun_fail(question->ctx, PERUN_USAGE, "%s has no stacks: see the table",
				  question->title);
	status = perun_calltree_new(question->ctx, data->stacks, &options, &tree);
	if (!status) {
		serve_write_sum(question, writer);
		serve_write_number(writer, "share", minimum_share);
		write_frames(question, tree, writer);
		write_nodes(question, tree, writer);
	}
	perun_calltree_free(tree);
	return status;
}
