/* SPDX-License-Identifier: BSD-3-Clause */
/* The form SVG: a picture without scripts, where each box has a tooltip. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "assets.h"
#include "look.h"
#include "picture.h"

enum {
	SVG_ROOM = 250000,
	SVG_WIDTH = 1200,
	SVG_HEAD = 54,  /* pixels above the boxes */
	SVG_MARGIN = 8, /* below the boxes, or below the note there */
	SVG_NOTE = 22
};
static const double letter_width = 6.65; /* of the font of labels */

struct drawing {
	struct flame *flame;
	unsigned width, row_height;
	unsigned top; /* of the pane that is drawn */
	struct perun_buffer out;
};

static unsigned baseline(const struct drawing *drawing)
{
	return drawing->row_height / 2 + 4;
}

/* The name, or the name without its package, or as much of that as fits. */
static void add_label(struct drawing *drawing, const struct perun_buffer *name, size_t short_name,
		      double left, unsigned y, double width)
{
	double letters = floor((width - 6) / letter_width);
	size_t room = letters > 0 ? (size_t)letters : 0, length = name->length;
	const char *text = name->data;
	bool cut;

	if (room < 3)
		return;
	if (flame_letters(text, length) > room) {
		text += short_name;
		length -= short_name;
	}
	cut = flame_letters(text, length) > room;
	if (cut)
		length = flame_prefix(text, length, room - 1);
	perun_buffer_printf(&drawing->out, "<text x=\"%.1f\" y=\"%u\">", left + 3,
			    y + baseline(drawing));
	flame_add_markup(&drawing->out, text, length);
	perun_buffer_printf(&drawing->out, "%s</text>", cut ? "…" : "");
}

/* What is new or gone has a frame, unless that would be all there is of it. */
static const char *class_of(const struct flame *flame, const struct flame_tree *tree, uint32_t node,
			    double width)
{
	struct flame_values v = flame_values_of(flame, tree, 0, node);

	if (!flame->diff || tree->nodes[node].frame >= FLAME_REST || width < 8)
		return "b";
	return v.total_base == 0 ? "b new" : v.total == 0 ? "b gone" : "b";
}

/* <title> is the name, a new line, and all that is known of the box. */
static void add_box(struct drawing *drawing, const struct flame_tree *tree,
		    const struct flame_box *box)
{
	struct flame *flame = drawing->flame;
	struct flame_rgb light = flame_color_of(flame, tree, box->node, false);
	struct flame_rgb dark = flame_color_of(flame, tree, box->node, true);
	double left = box->left * drawing->width, width = box->width * drawing->width;
	unsigned y = drawing->top + box->row * drawing->row_height;
	struct perun_buffer name = {0}, plain = {0}, about = {0};
	size_t short_name = 0;

	flame_node_name(flame, tree, box->node, &plain);
	flame_add_visible(&name, plain.data ? plain.data : "", plain.length);
	flame_describe_values(flame, tree, box->node, &about);
	if (tree->nodes[box->node].frame < FLAME_REST && name.length)
		short_name = flame_short_name(name.data, name.length);
	perun_buffer_printf(&drawing->out, "<g class=\"%s\"><title>",
			    class_of(flame, tree, box->node, width));
	flame_add_markup(&drawing->out, name.data ? name.data : "", name.length);
	perun_buffer_add_char(&drawing->out, '\n');
	flame_add_markup(&drawing->out, about.data ? about.data : "", about.length);
	perun_buffer_printf(&drawing->out,
			    "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" "
			    "rx=\"%d\" fill=\"#%02x%02x%02x\" style=\"--d:#%02x%02x%02x\"/>",
			    left, y, fmax(width - (width > 2 ? 0.5 : 0), 0.1),
			    drawing->row_height - 1, width > 6 ? 2 : 0, light.red, light.green,
			    light.blue, dark.red, dark.green, dark.blue);
	if (name.length)
		add_label(drawing, &name, short_name, left, y, width);
	perun_buffer_add_text(&drawing->out, "</g>\n");
	perun_buffer_free(&name);
	perun_buffer_free(&plain);
	perun_buffer_free(&about);
}

static void add_pane(struct drawing *drawing, const struct flame_tree *tree,
		     const struct flame_boxes *boxes)
{
	for (size_t i = 0; i < boxes->count; i++)
		add_box(drawing, tree, &boxes->boxes[i]);
}

static void add_head(struct drawing *drawing, unsigned height)
{
	struct flame *flame = drawing->flame;
	struct perun_buffer *out = &drawing->out;
	struct perun_buffer heading = {0};

	perun_buffer_printf(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" font-family=\"ui-monospace, Menlo, DejaVu "
		"Sans "
		"Mono, monospace\" font-size=\"11\" role=\"img\" "
		"aria-labelledby=\"title\">\n<style>",
		drawing->width, height, drawing->width, height);
	perun_buffer_add(out, flame_picture_css, flame_picture_css_size);
	perun_buffer_add_text(
		out, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" "
		     "fill=\"#ffffff\"/>\n<text class=\"title\" id=\"title\" x=\"6\" y=\"22\">");
	flame_add_markup(out, flame->title, strlen(flame->title));
	perun_buffer_add_text(out, "</text>\n<text class=\"note\" x=\"6\" y=\"41\">");
	flame_add_heading(flame, &heading);
	flame_add_markup(out, heading.data, heading.length);
	perun_buffer_free(&heading);
	perun_buffer_add_text(out, "</text>\n");
}

/* `small` boxes of less than `share` were put together. */
static void add_foot(struct drawing *drawing, unsigned y, size_t small, double share)
{
	struct perun_buffer *out = &drawing->out;

	if (small)
		perun_buffer_printf(out,
				    "<text class=\"note\" x=\"6\" y=\"%u\">%zu boxes of less than "
				    "%.3g %% of the total are put together in grey ones</text>\n",
				    y + SVG_NOTE - 4, small, 100 * share);
	perun_buffer_add_text(out, "</svg>\n");
}

static void draw(struct drawing *drawing, const struct flame_tree *const *trees, unsigned count)
{
	const struct flame_settings *settings = drawing->flame->settings;
	const double least = fmax(settings->minimum_width / drawing->width, 0);
	struct flame_boxes panes[2] = {{.count = 0}, {.count = 0}};
	unsigned rows = 0, height;
	size_t small = 0;

	for (unsigned i = 0; i < count; i++) {
		/* Of one function: its callers are on it, it is on top of its callees. */
		bool upwards = count == 2 ? i == 0 : settings->flame;

		flame_lay_out(drawing->flame, trees[i], least, count == 2 ? 2 - i : 0,
			      settings->depth, upwards, &panes[i]);
		rows += panes[i].rows;
		small += flame_tree_merged(trees[i]);
	}
	height = SVG_HEAD + rows * drawing->row_height + (small ? SVG_NOTE : 0) + SVG_MARGIN;
	add_head(drawing, height);
	drawing->top = SVG_HEAD;
	for (unsigned i = 0; i < count; i++) {
		flame_color_prepare(drawing->flame, trees[i]);
		add_pane(drawing, trees[i], &panes[i]);
		drawing->top += panes[i].rows * drawing->row_height;
		perun_free(panes[i].boxes);
	}
	add_foot(drawing, SVG_HEAD + rows * drawing->row_height, small, trees[0]->share);
}

int flame_write_svg(struct perun_ctx *ctx, struct flame *flame, struct perun_output *output)
{
	const struct flame_settings *given = flame->settings;
	struct flame_settings settings = *given;
	struct drawing drawing = {.flame = flame,
				  .width = settings.width ? settings.width : SVG_WIDTH,
				  .row_height = settings.row_height};
	const struct flame_tree *trees[2];
	unsigned count;
	int status;

	if (settings.minimum_share < 0)
		settings.minimum_share = settings.minimum_width / drawing.width;
	flame->settings = &settings;
	status = flame_build_kind(ctx, flame, SVG_ROOM, trees, &count);
	if (!status) {
		draw(&drawing, trees, count);
		status = perun_output_write(output, drawing.out.data, drawing.out.length);
	}
	perun_buffer_free(&drawing.out);
	flame->settings = given;
	return status;
}
