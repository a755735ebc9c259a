/* SPDX-License-Identifier: BSD-3-Clause */
/* The form JSON: the tree for other programs. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "flame.h"

enum { JSON_BLOCK = 1 << 16 };

static void add_text(struct perun_buffer *out, const char *key, const char *text, size_t length)
{
	perun_buffer_printf(out, "\"%s\": ", key);
	perun_json_quote(out, text, length);
}

static void add_number(struct perun_buffer *out, double value)
{
	char number[PERUN_JSON_NUMBER_SIZE];

	if (value >= -9e15 && value <= 9e15 && value == (double)(int64_t)value)
		perun_json_print_int64((int64_t)value, number);
	else
		perun_json_print_double(value, number);
	perun_buffer_add_text(out, number);
}

enum member { TOTAL, OWN, TOTAL_BASE, OWN_BASE };

static void add_values(struct perun_buffer *out, const struct flame *flame,
		       const struct flame_tree *tree, uint32_t node, const char *key,
		       enum member member)
{
	perun_buffer_printf(out, ", \"%s\": [", key);
	for (unsigned m = 0; m < flame->metric_count; m++) {
		struct flame_values v = flame_values_of(flame, tree, m, node);

		if (m)
			perun_buffer_add_text(out, ", ");
		add_number(out, member == TOTAL        ? v.total
				: member == OWN        ? v.own
				: member == TOTAL_BASE ? v.total_base
						       : v.own_base);
	}
	perun_buffer_add_char(out, ']');
}

static void add_place(struct perun_buffer *out, const struct flame *flame, const char *key,
		      perun_id id)
{
	size_t length;
	const char *text = perun_profile_string(flame->profile, id, &length);

	if (!text || !length)
		return;
	perun_buffer_add_text(out, ", ");
	add_text(out, key, text, length);
}

static void add_node(struct perun_buffer *out, const struct flame *flame,
		     const struct flame_tree *tree, uint32_t node)
{
	const struct flame_node *box = &tree->nodes[node];
	struct perun_buffer name = {0};

	perun_buffer_add_text(out, node ? ",\n  {" : "  {");
	if (node)
		perun_buffer_printf(out, "\"parent\": %u, ", box->parent);
	else
		perun_buffer_add_text(out, "\"parent\": null, ");
	flame_node_name(flame, tree, node, &name);
	add_text(out, "name", name.data ? name.data : "", name.length);
	perun_buffer_free(&name);
	if (box->frame < FLAME_REST) {
		add_place(out, flame, "file", flame->frames[box->frame].file);
		add_place(out, flame, "module", flame->frames[box->frame].module);
	}
	if (box->frame == FLAME_REST)
		perun_buffer_printf(out, ", \"merged\": %u", box->merged);
	add_values(out, flame, tree, node, "values", TOTAL);
	add_values(out, flame, tree, node, "own", OWN);
	if (flame->diff) {
		add_values(out, flame, tree, node, "base_values", TOTAL_BASE);
		add_values(out, flame, tree, node, "base_own", OWN_BASE);
	}
	perun_buffer_add_char(out, '}');
}

static int write_tree(const struct flame *flame, const struct flame_tree *tree, const char *key,
		      struct perun_output *output)
{
	struct perun_buffer out = {0};
	int status = perun_output_printf(output, ",\n \"%s\": [\n", key);

	for (uint32_t i = 0; i < tree->count && !status; i++) {
		add_node(&out, flame, tree, i);
		if (out.length > JSON_BLOCK || i + 1 == tree->count) {
			status = perun_output_write(output, out.data, out.length);
			perun_buffer_clear(&out);
		}
	}
	perun_buffer_free(&out);
	return status ? status : perun_output_text(output, "]");
}

static int write_head(const struct flame *flame, struct perun_output *output)
{
	struct perun_buffer out = {0};
	int status;

	perun_buffer_add_char(&out, '{');
	add_text(&out, "title", flame->title, strlen(flame->title));
	perun_buffer_add_text(&out, ",\n \"profiles\": [");
	for (int i = 0; i < 1 + flame->diff; i++) {
		perun_buffer_add_text(&out, i ? ", " : "");
		perun_json_quote(&out, flame->names[i], strlen(flame->names[i]));
	}
	perun_buffer_add_text(&out, "],\n \"metrics\": [");
	for (unsigned m = 0; m < flame->metric_count; m++) {
		perun_buffer_add_text(&out, m ? ", {" : "{");
		add_text(&out, "name", flame->metrics[m]->name, strlen(flame->metrics[m]->name));
		perun_buffer_add_text(&out, ", ");
		add_text(&out, "unit", flame_unit(flame, m), strlen(flame_unit(flame, m)));
		perun_buffer_add_char(&out, '}');
	}
	perun_buffer_add_text(&out, "],\n \"minimum_share\": ");
	add_number(&out, flame->minimum_share);
	status = perun_output_write(output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}

int flame_write_json(struct perun_ctx *ctx, struct flame *flame, struct perun_output *output)
{
	const struct flame_tree *trees[2];
	unsigned count;
	int status = flame_build_kind(ctx, flame, SIZE_MAX / 8, trees, &count);

	if (!status)
		status = write_head(flame, output);
	if (!status && count == 1)
		status = write_tree(flame, trees[0], "nodes", output);
	if (!status && count == 2)
		status = write_tree(flame, trees[0], "callers", output);
	if (!status && count == 2)
		status = write_tree(flame, trees[1], "callees", output);
	return status ? status : perun_output_text(output, "}\n");
}
