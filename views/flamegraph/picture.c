/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes at their places, and a picture of them that needs no scripts. */
#include <config.h>

#include <math.h>

#include "look.h"
#include "picture.h"

/* What a node adds to the width of its callers. */
static double own_width(const struct flame *flame, const struct flame_tree *tree, uint32_t node)
{
	struct flame_values v = flame_values_of(flame, tree, 0, node);
	double width = v.own;

	if (flame->diff && flame->settings->width_from == FLAME_WIDTH_BASE)
		width = v.own_base;
	if (flame->diff && flame->settings->width_from == FLAME_WIDTH_BOTH)
		width = fmax(v.own_base, v.own);
	return width > 0 ? width : 0;
}

static double *widths_of(const struct flame *flame, const struct flame_tree *tree)
{
	double *widths = perun_alloc_zero(tree->count + 1, sizeof *widths);

	for (uint32_t i = (uint32_t)tree->count; i-- > 0;) {
		widths[i] += own_width(flame, tree, i);
		if (i)
			widths[tree->nodes[i].parent] += widths[i];
	}
	return widths;
}

void flame_lay_out(const struct flame *flame, const struct flame_tree *tree, double least,
		   unsigned first, unsigned depth, bool upwards, struct flame_boxes *boxes)
{
	double *widths = widths_of(flame, tree), whole = widths[0];
	double *next = perun_alloc_zero(tree->count + 1, sizeof *next);

	for (uint32_t i = 0; i < tree->count && whole > 0; i++) {
		const struct flame_node *node = &tree->nodes[i];
		double left = i ? next[node->parent] : 0;

		if (i)
			next[node->parent] += widths[i];
		next[i] = left;
		if (widths[i] / whole < least || widths[i] <= 0 ||
		    (depth && node->depth >= first + depth)) {
			i = node->end - 1; /* what is below it is not wider */
			continue;
		}
		if (node->depth < first)
			continue;
		PERUN_GROW(boxes->boxes, boxes->count, boxes->capacity);
		boxes->boxes[boxes->count++] = (struct flame_box){i, (unsigned)node->depth - first,
								  left / whole, widths[i] / whole};
		if (node->depth - first >= boxes->rows)
			boxes->rows = (unsigned)node->depth - first + 1;
	}
	for (size_t i = 0; upwards && i < boxes->count; i++)
		boxes->boxes[i].row = boxes->rows - 1 - boxes->boxes[i].row;
	perun_free(widths);
	perun_free(next);
}

/* ---- the static picture ---------------------------------------------------------------------- */

enum { STATIC_WIDTH = 1200, STATIC_ROW = 18, STATIC_ROWS = 60 };

static void add_box(struct perun_buffer *out, const struct flame *flame,
		    const struct flame_tree *tree, const struct flame_box *box)
{
	struct flame_rgb color = flame_color_of(flame, tree, box->node, false);
	double left = box->left * STATIC_WIDTH, width = box->width * STATIC_WIDTH;
	size_t room = width > 24 ? (size_t)((width - 6) / 6.3) : 0;
	unsigned y = box->row * STATIC_ROW;
	struct perun_buffer name = {0}, shown = {0};

	perun_buffer_printf(out,
			    "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\" "
			    "fill=\"#%02x%02x%02x\"/>",
			    left, y, fmax(width - 0.6, 0.4), STATIC_ROW - 1, color.red, color.green,
			    color.blue);
	if (room >= 3) {
		flame_node_name(flame, tree, box->node, &name);
		flame_add_visible(&shown, name.data ? name.data : "", name.length);
		perun_buffer_printf(out, "<text x=\"%.1f\" y=\"%u\">", left + 3, y + 13);
		if (flame_letters(shown.data, shown.length) > room) {
			shown.length = flame_prefix(shown.data, shown.length, room - 1);
			perun_buffer_add_text(&shown, "…");
		}
		flame_add_markup(out, shown.data, shown.length);
		perun_buffer_add_text(out, "</text>");
	}
	perun_buffer_add_char(out, '\n');
	perun_buffer_free(&name);
	perun_buffer_free(&shown);
}

void flame_add_static_picture(struct perun_buffer *out, struct flame *flame)
{
	struct flame_boxes boxes = {.count = 0};
	const struct flame_tree *tree =
		flame->settings->kind == FLAME_CALLERS ? &flame->callers : &flame->tree;

	flame_color_prepare(flame, tree);
	flame_lay_out(flame, tree, 1.0 / STATIC_WIDTH, 0, STATIC_ROWS, flame->settings->flame,
		      &boxes);
	perun_buffer_printf(
		out,
		"<p>This page draws with JavaScript, which is switched off. Boxes of at "
		"least 1/%d of the total:</p>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" "
		"font-family=\"monospace\" font-size=\"10.5\" role=\"img\" "
		"aria-label=\"Flame graph\">\n",
		STATIC_WIDTH, STATIC_WIDTH, boxes.rows * STATIC_ROW + 2);
	for (size_t i = 0; i < boxes.count; i++)
		add_box(out, flame, tree, &boxes.boxes[i]);
	perun_buffer_add_text(out, "</svg>\n");
	perun_free(boxes.boxes);
}
