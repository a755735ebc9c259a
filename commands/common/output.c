/* SPDX-License-Identifier: BSD-3-Clause */
/* What commands print: texts of the outside world, and documents. */
#include "output.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "change-line.h"

void commands_print_safe(const struct perun_command_call *call, const char *text)
{
	char *safe = perun_printable(text ? text : "");

	perun_output_text(call->output, safe);
	perun_free(safe);
}

struct perun_json *commands_number(double value)
{
	return isfinite(value) ? perun_json_double(value) : perun_json_null();
}

void commands_print_json(const struct perun_command_call *call, struct perun_json *document)
{
	struct perun_buffer text = {0};

	perun_json_print(document, &text, PERUN_JSON_INDENTED, 2);
	perun_buffer_add_char(&text, '\n');
	perun_output_write(call->output, text.data, text.length);
	perun_buffer_free(&text);
	perun_json_free(document);
}

const char *commands_full_stop(const char *sentence)
{
	size_t length = strlen(sentence);

	return length && strchr(".?!", sentence[length - 1]) ? "" : ".";
}

struct perun_json *commands_text(const char *text)
{
	return text ? perun_json_text(text) : perun_json_null();
}

void commands_print_wrapped(const struct perun_command_call *call, const char *text, int indent)
{
	unsigned width = commands_line_width(call->terminal, call->width);
	size_t room = width > (unsigned)indent + 20 ? (size_t)(width - (unsigned)indent) : SIZE_MAX;

	while (*text) {
		size_t length = strlen(text), line = length;

		if (length > room)
			for (line = room; line > 1 && text[line] != ' ';)
				line--;
		if (line <= 1)
			line = strcspn(text, " ");
		perun_output_printf(call->output, "%*s%.*s\n", indent, "", (int)line, text);
		text += line + (text[line] == ' ');
	}
}

void commands_print_color(const struct perun_command_call *call, enum views_color color)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas, .color = call->color};
	struct perun_buffer text = {0};

	views_add_color(&text, &canvas, color);
	perun_output_write(call->output, text.data, text.length);
	perun_buffer_free(&text);
}
