/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists in columns. */
#include <config.h>

#include <string.h>

#include "commands/common/columns.h"
#include "views/common/text.h"

/* Narrower than that a text says nothing; where there is no room, it does not even say that. */
#define MIN_WIDTH     12
#define MIN_ANY_WIDTH 3
#define GAP           2

struct cell {
	size_t offset; /* into the texts */
	enum views_color color;
};

/* Lines after a row. */
struct note {
	size_t cells; /* those before it */
	size_t offset;
};

struct commands_columns {
	const struct commands_column *columns;
	size_t columns_count;
	struct perun_buffer texts;
	struct cell *cells;
	size_t count, capacity;
	struct note *notes;
	size_t notes_count, notes_capacity;
	size_t *widths; /* 0 = no row has a value */
};

struct commands_columns *commands_columns_new(const struct commands_column *columns)
{
	struct commands_columns *list = perun_alloc_zero(1, sizeof *list);

	list->columns = columns;
	while (columns[list->columns_count].name)
		list->columns_count++;
	list->widths = perun_alloc_zero(list->columns_count, sizeof *list->widths);
	return list;
}

void commands_columns_free(struct commands_columns *list)
{
	if (!list)
		return;
	perun_buffer_free(&list->texts);
	perun_free(list->cells);
	perun_free(list->notes);
	perun_free(list->widths);
	perun_free(list);
}

void commands_columns_add(struct commands_columns *list, const char *text, enum views_color color)
{
	size_t column = list->count % list->columns_count, width;
	char *safe = NULL;

	text = text ? text : "";
	if (!views_is_plain(text, &width)) {
		text = safe = perun_printable(text);
		width = views_width(safe);
	}
	PERUN_GROW(list->cells, list->count, list->capacity);
	list->cells[list->count++] = (struct cell){list->texts.length, color};
	perun_buffer_add(&list->texts, text, strlen(text) + 1);
	if (width > list->widths[column])
		list->widths[column] = width;
	perun_free(safe);
}

void commands_columns_add_lines(struct commands_columns *list, const char *lines)
{
	PERUN_GROW(list->notes, list->notes_count, list->notes_capacity);
	list->notes[list->notes_count++] = (struct note){list->count, list->texts.length};
	perun_buffer_add(&list->texts, lines, strlen(lines) + 1);
}

/* Which texts give way to others. */
enum { CUT_FIRST, CUT, ANY };

static bool gives_way(const struct commands_column *column, int which)
{
	return which == ANY || (column->cut && (which == CUT || column->cut_first));
}

/* Take columns from the widest texts, down to `least`, until all of it fits into `room`. */
static void narrow(const struct commands_columns *list, size_t *widths, size_t least, int which,
		   size_t room, size_t *all)
{
	while (*all > room) {
		size_t widest = SIZE_MAX;

		for (size_t i = 0; i < list->columns_count; i++) {
			if (gives_way(&list->columns[i], which) && widths[i] > least &&
			    (widest == SIZE_MAX || widths[i] > widths[widest]))
				widest = i;
		}
		if (widest == SIZE_MAX)
			break;
		widths[widest]--;
		--*all;
	}
}

/* The widths to print with: those of columns that have a value, and not more than there is room for. */
static size_t *fit(const struct commands_columns *list, size_t room)
{
	size_t *widths = perun_alloc_zero(list->columns_count, sizeof *widths), all = 0;

	for (size_t i = 0; i < list->columns_count; i++) {
		size_t name = strlen(list->columns[i].name);

		if (!list->widths[i])
			continue;
		widths[i] = list->widths[i] > name ? list->widths[i] : name;
		all += widths[i] + (all ? GAP : 0);
	}
	if (room) {
		narrow(list, widths, MIN_WIDTH, CUT_FIRST, room, &all);
		narrow(list, widths, MIN_WIDTH, CUT, room, &all);
		narrow(list, widths, MIN_ANY_WIDTH, ANY, room, &all);
	}
	return widths;
}

static void add_blanks(struct perun_buffer *out, size_t count)
{
	static const char blanks[] = "                ";
	const size_t all = sizeof blanks - 1;

	for (; count > all; count -= all)
		perun_buffer_add(out, blanks, all);
	perun_buffer_add(out, blanks, count);
}

/* `gap`: the blanks that are due before it; they are kept back where nothing follows. */
static void add_cell(const struct commands_screen *screen, const char *text, size_t width,
		     enum views_color color, size_t *gap, struct perun_buffer *out)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas, .color = screen->color};
	size_t used = 0;

	if (*text) {
		add_blanks(out, *gap);
		*gap = 0;
		if (color)
			views_add_color(out, &canvas, color);
		used = views_add_clipped(out, text, width, !screen->unicode);
		if (color)
			views_add_color(out, &canvas, VIEWS_PLAIN);
	}
	*gap += width - used + GAP;
}

void commands_columns_print(const struct commands_columns *list,
			    const struct commands_screen *screen, size_t indent,
			    struct perun_buffer *out)
{
	size_t room = screen->width > indent ? screen->width - indent : screen->width;
	size_t *widths, gap = indent, note = 0;

	if (!list->count)
		return;
	widths = fit(list, room);
	for (size_t i = 0; i < list->columns_count; i++) {
		if (widths[i])
			add_cell(screen, list->columns[i].name, widths[i], VIEWS_BOLD, &gap, out);
	}
	perun_buffer_add_char(out, '\n');
	for (size_t i = 0; i < list->count; i++) {
		size_t column = i % list->columns_count;

		gap = column ? gap : indent;
		if (widths[column])
			add_cell(screen, list->texts.data + list->cells[i].offset, widths[column],
				 list->cells[i].color, &gap, out);
		if (column + 1 < list->columns_count)
			continue;
		perun_buffer_add_char(out, '\n');
		for (; note < list->notes_count && list->notes[note].cells == i + 1; note++)
			perun_buffer_add_text(out, list->texts.data + list->notes[note].offset);
	}
	perun_free(widths);
}
