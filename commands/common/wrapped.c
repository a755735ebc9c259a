/* SPDX-License-Identifier: BSD-3-Clause */
/* Words and parts of lines that wrap where the screen is too narrow. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/text.h"
#include "wrapped.h"

unsigned commands_line_width(bool terminal, unsigned width)
{
	return terminal || getenv("COLUMNS") ? width : 0;
}

struct commands_screen commands_screen(const struct perun_command_call *call)
{
	return (struct commands_screen){.color = call->color,
					.unicode = call->unicode,
					.width = commands_line_width(call->terminal, call->width)};
}

static void add_blanks(struct perun_buffer *text, size_t count)
{
	memset(perun_buffer_reserve(text, count), ' ', count);
	text->length += count;
}

/* The columns of words, of which most are plain. */
static size_t columns_of(const char *words, size_t length)
{
	size_t plain = 0, columns;
	char *copy;

	while (plain < length && words[plain] >= ' ' && words[plain] <= '~')
		plain++;
	if (plain == length)
		return length;
	copy = perun_strndup(words, length);
	columns = views_width(copy);
	perun_free(copy);
	return columns;
}

static void add_piece(struct commands_parts *parts, enum views_color color, const char *words,
		      size_t length, size_t blanks)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas,
					    .color = parts->screen->color};
	size_t columns = columns_of(words, length), gap = parts->column ? blanks : 0;

	if (!length)
		return;
	if (parts->column && parts->start + parts->column + gap + columns > parts->width) {
		perun_buffer_add_char(parts->text, '\n');
		add_blanks(parts->text, parts->indent);
		parts->column = parts->indent;
		parts->start = 0;
		gap = 0;
	}
	add_blanks(parts->text, gap);
	if (color)
		views_add_color(parts->text, &canvas, color);
	perun_buffer_add(parts->text, words, length);
	if (color)
		views_add_color(parts->text, &canvas, VIEWS_PLAIN);
	parts->column += gap + columns;
}

void commands_add_part(struct commands_parts *parts, enum views_color color, const char *words,
		       size_t blanks)
{
	add_piece(parts, color, words, strlen(words), blanks);
}

void commands_add_wrapped(const struct commands_screen *screen, const char *words, unsigned first,
			  unsigned others, struct perun_buffer *text)
{
	struct commands_parts parts = {screen, text,   first,
				       0,      others, screen->width ? screen->width : SIZE_MAX};

	add_blanks(text, first);
	if (first + columns_of(words, strlen(words)) <= parts.width && !strstr(words, "  ")) {
		perun_buffer_add_text(text, words); /* as most are: nothing to wrap */
		words = "";
	}
	while (*words) {
		size_t length = strcspn(words, " ");

		add_piece(&parts, VIEWS_PLAIN, words, length, 1);
		words += length + strspn(words + length, " ");
	}
	perun_buffer_add_char(text, '\n');
}
