/* SPDX-License-Identifier: BSD-3-Clause */
/* The form for a terminal: an icicle or a flame of text, as wide as it is. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/text.h"

#include "look.h"
#include "picture.h"

/* NAMED: columns in which a box can show a name. LONG_NAME: bytes of names that are fitted once for all boxes. */
enum { TERMINAL_ROOM = 1000000, NAMED = 4, NOBODY = -1, SMALL = -2, LONG_NAME = 256 };

/* A name that was fitted into a number of columns, and how many of these it uses. */
struct fitted {
	size_t columns, used;
	char *text;
	struct fitted *next; /* the same name in another width */
};

/* What was found out about a frame with a long name: each box of a deep stack may have it, in a few widths. */
struct long_name {
	struct fitted *fitted;
	unsigned color; /* plus 1; 0 = unknown */
};

struct screen {
	struct flame *flame;
	const struct flame_tree *tree;
	bool color, ascii;
	unsigned width;
	int *owners; /* of the columns of a row: a box, NOBODY, or SMALL boxes */
	struct perun_buffer line;
	struct long_name *long_names; /* of all frames; NULL: there was no long one so far */
};

/* The colour of 6 * 6 * 6 that comes closest. */
static unsigned color_number(struct flame_rgb rgb)
{
	unsigned red = (rgb.red * 5u + 127) / 255, green = (rgb.green * 5u + 127) / 255;

	return 16 + 36 * red + 6 * green + (rgb.blue * 5u + 127) / 255;
}

/* What is after the name when there is room: its share, or its change. */
static void add_figure(const struct screen *screen, uint32_t node, struct perun_buffer *out)
{
	struct flame_values v = flame_values_of(screen->flame, screen->tree, 0, node);

	perun_buffer_add_char(out, ' ');
	if (screen->flame->diff)
		flame_add_relative(out, v.total_base, v.total);
	else
		flame_add_percent(out, v.total, flame_total(screen->flame, 0).total);
}

static size_t add_name(struct screen *screen, uint32_t node, size_t columns)
{
	struct perun_buffer name = {0}, label = {0};
	size_t used;

	flame_node_name(screen->flame, screen->tree, node, &name);
	flame_add_visible(&label, name.data ? name.data : "", name.length);
	used = label.length ? views_add_fitted(&screen->line, label.data, columns, screen->ascii)
			    : 0;
	perun_buffer_free(&name);
	perun_buffer_free(&label);
	return used;
}

/* NULL when the name of the node is short. */
static struct long_name *long_name_of(struct screen *screen, uint32_t node)
{
	const struct flame *flame = screen->flame;
	const uint32_t frame = screen->tree->nodes[node].frame;

	if (frame >= FLAME_REST || flame->frames[frame].name_length < LONG_NAME)
		return NULL;
	if (!screen->long_names)
		screen->long_names =
			perun_alloc_zero(flame->frame_count, sizeof *screen->long_names);
	return &screen->long_names[frame];
}

static size_t add_long_name(struct screen *screen, struct long_name *name, uint32_t node,
			    size_t columns)
{
	struct fitted *fitted = name->fitted;
	size_t start = screen->line.length;

	while (fitted && fitted->columns != columns)
		fitted = fitted->next;
	if (fitted) {
		perun_buffer_add_text(&screen->line, fitted->text);
		return fitted->used;
	}
	fitted = perun_alloc_zero(1, sizeof *fitted);
	fitted->columns = columns;
	fitted->used = add_name(screen, node, columns);
	fitted->text = perun_strndup(screen->line.data + start, screen->line.length - start);
	fitted->next = name->fitted;
	name->fitted = fitted;
	return fitted->used;
}

static void forget_names(struct screen *screen)
{
	for (size_t i = 0; screen->long_names && i < screen->flame->frame_count; i++) {
		struct fitted *fitted = screen->long_names[i].fitted, *next;

		for (; fitted; fitted = next) {
			next = fitted->next;
			perun_free(fitted->text);
			perun_free(fitted);
		}
	}
	perun_free(screen->long_names);
}

static void add_label(struct screen *screen, uint32_t node, size_t columns)
{
	struct perun_buffer figure = {0};
	struct long_name *name = long_name_of(screen, node);
	size_t used =
		name ? add_long_name(screen, name, node, columns) : add_name(screen, node, columns);

	add_figure(screen, node, &figure);
	if (used + views_width(figure.data) <= columns) {
		perun_buffer_add(&screen->line, figure.data, figure.length);
		used += views_width(figure.data);
	}
	views_add_repeated(&screen->line, " ", columns - used);
	perun_buffer_free(&figure);
}

/* That of a frame with a long name is made once, where its boxes have the same one. */
static unsigned color_of(struct screen *screen, uint32_t node)
{
	const struct flame *flame = screen->flame;
	bool same = !flame->diff && flame->settings->color != FLAME_COLOR_OWN;
	struct long_name *name = same ? long_name_of(screen, node) : NULL;
	unsigned color;

	if (name && name->color)
		return name->color - 1;
	color = color_number(flame_color_of(flame, screen->tree, node, false));
	if (name)
		name->color = color + 1;
	return color;
}

static void add_box(struct screen *screen, const struct flame_box *box, unsigned columns)
{
	if (screen->color)
		perun_buffer_printf(&screen->line, "\033[38;5;16;48;5;%um",
				    color_of(screen, box->node));
	perun_buffer_add_text(&screen->line, screen->ascii ? "|" : "│");
	add_label(screen, box->node, columns - 1);
	if (screen->color)
		perun_buffer_add_text(&screen->line, "\033[0m");
}

static int write_row(struct screen *screen, const struct flame_boxes *boxes,
		     struct perun_output *output)
{
	perun_buffer_clear(&screen->line);
	for (unsigned column = 0; column < screen->width;) {
		int owner = screen->owners[column];
		unsigned end = column + 1;

		if (owner >= 0) {
			while (end < screen->width && screen->owners[end] == owner)
				end++;
			add_box(screen, &boxes->boxes[owner], end - column);
		} else {
			/* Where no colour shows the end of the box before, a line does. */
			bool end_of_box =
				!screen->color && column && screen->owners[column - 1] >= 0;

			perun_buffer_add_text(&screen->line,
					      owner == SMALL ? screen->ascii ? "." : "·"
					      : end_of_box   ? screen->ascii ? "|" : "│"
							     : " ");
		}
		column = end;
	}
	while (screen->line.length && screen->line.data[screen->line.length - 1] == ' ')
		screen->line.length--;
	perun_buffer_add_char(&screen->line, '\n');
	return perun_output_write(output, screen->line.data, screen->line.length);
}

static void claim(struct screen *screen, const struct flame_box *box, int number)
{
	unsigned start = (unsigned)lround(box->left * screen->width);
	unsigned end = (unsigned)lround((box->left + box->width) * screen->width);

	if (end <= start && start < screen->width && screen->owners[start] == NOBODY)
		screen->owners[start] = SMALL;
	for (unsigned i = start; i < end && i < screen->width; i++)
		screen->owners[i] =
			screen->tree->nodes[box->node].frame == FLAME_REST ? SMALL : number;
}

/* The boxes in the order of their rows: those of row r are order[starts[r]] .. order[starts[r + 1] - 1]. */
static void sort_by_row(const struct flame_boxes *boxes, size_t *starts, uint32_t *order)
{
	for (size_t i = 0; i < boxes->count; i++)
		starts[boxes->boxes[i].row + 2]++;
	for (unsigned row = 2; row <= boxes->rows + 1; row++)
		starts[row] += starts[row - 1];
	for (size_t i = 0; i < boxes->count; i++)
		order[starts[boxes->boxes[i].row + 1]++] = (uint32_t)i;
}

/* The first and the last row where a box has room for a name; all rows where none has. */
static void find_named(const struct screen *screen, const struct flame_boxes *boxes,
		       unsigned *first, unsigned *last)
{
	bool any = false;

	*first = 0;
	*last = boxes->rows ? boxes->rows - 1 : 0;
	for (size_t i = 0; i < boxes->count; i++) {
		const struct flame_box *box = &boxes->boxes[i];

		if (box->width * screen->width < NAMED ||
		    screen->tree->nodes[box->node].frame == FLAME_REST)
			continue;
		*first = any && *first < box->row ? *first : box->row;
		*last = any && *last > box->row ? *last : box->row;
		any = true;
	}
}

static void say_narrow(unsigned levels, struct perun_output *output)
{
	if (levels)
		perun_output_printf(output, "%u more level%s of boxes too narrow for a name\n",
				    levels, levels == 1 ? "" : "s");
}

/* Rows of boxes that are at least `first` deep. */
static int write_pane(struct screen *screen, bool upwards, unsigned first,
		      struct perun_output *output)
{
	struct flame_boxes boxes = {.count = 0};
	int status = PERUN_OK;
	size_t *starts;
	uint32_t *order;
	unsigned top, bottom;

	flame_color_prepare(screen->flame, screen->tree);
	flame_lay_out(screen->flame, screen->tree, 0.1 / screen->width, first,
		      screen->flame->settings->depth, upwards, &boxes);
	starts = perun_alloc_zero(boxes.rows + 2, sizeof *starts);
	order = perun_alloc_zero(boxes.count + 1, sizeof *order);
	sort_by_row(&boxes, starts, order);
	find_named(screen, &boxes, &top, &bottom);
	say_narrow(top, output);
	for (unsigned row = top; row < boxes.rows && row <= bottom && !status; row++) {
		for (unsigned i = 0; i < screen->width; i++)
			screen->owners[i] = NOBODY;
		for (size_t i = starts[row]; i < starts[row + 1]; i++)
			claim(screen, &boxes.boxes[order[i]], (int)order[i]);
		status = write_row(screen, &boxes, output);
	}
	if (boxes.rows)
		say_narrow(boxes.rows - 1 - bottom, output);
	perun_free(starts);
	perun_free(order);
	perun_free(boxes.boxes);
	return status;
}

/* Arrows as "->", other characters beyond ASCII as '?'. */
static void make_ascii(struct perun_buffer *text)
{
	static const char arrow[] = "→";
	struct perun_buffer plain = {0};

	for (const char *c = text->data; *c; c++) {
		if (strncmp(c, arrow, strlen(arrow)) == 0) {
			perun_buffer_add_text(&plain, "->");
			c += strlen(arrow) - 1;
		} else if ((unsigned char)*c < 0x80) {
			perun_buffer_add_char(&plain, *c);
		} else if (((unsigned char)*c & 0xc0) != 0x80) {
			perun_buffer_add_char(&plain, '?');
		}
	}
	perun_buffer_free(text);
	*text = plain;
}

static void write_head(struct screen *screen, struct perun_output *output)
{
	struct flame *flame = screen->flame;
	struct perun_buffer out = {0};

	flame_add_visible(&out, flame->title, strlen(flame->title));
	perun_buffer_add_text(&out, "\n");
	flame_add_heading(flame, &out);
	perun_buffer_add_text(&out, "\n\n");
	if (screen->ascii)
		make_ascii(&out);
	perun_output_write(output, out.data, out.length);
	perun_buffer_free(&out);
}

int flame_write_terminal(struct perun_ctx *ctx, struct flame *flame,
			 const struct perun_canvas *canvas)
{
	const struct flame_settings *given = flame->settings;
	struct flame_settings settings = *given;
	struct screen screen = {.flame = flame, .color = canvas->color, .ascii = canvas->ascii};
	const struct flame_tree *trees[2];
	unsigned count;
	int status;

	screen.width = settings.width ? settings.width : canvas->width ? canvas->width : 80;
	if (settings.minimum_share < 0)
		settings.minimum_share = 0.25 / screen.width;
	flame->settings = &settings;
	status = flame_build_kind(ctx, flame, TERMINAL_ROOM, trees, &count);
	if (status) {
		flame->settings = given;
		return status;
	}
	screen.owners = perun_alloc_zero(screen.width + 1, sizeof *screen.owners);
	write_head(&screen, canvas->output);
	for (unsigned i = 0; i < count && !status; i++) {
		screen.tree = trees[i];
		status = write_pane(&screen, count == 2 ? i == 0 : settings.flame,
				    count == 2 ? 2 - i : 0, canvas->output);
	}
	perun_free(screen.owners);
	forget_names(&screen);
	perun_buffer_free(&screen.line);
	flame->settings = given;
	return status;
}
