/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines described by formats: "%checksum:6% (%stats%) %desc%". */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "commands/common/fields.h"
#include "views/common/text.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static struct commands_field *add_field(struct commands_fields *fields)
{
	PERUN_GROW(fields->items, fields->count, fields->capacity);
	fields->items[fields->count] = (struct commands_field){.fill = ' '};
	return &fields->items[fields->count++];
}

/* The length of "%name:12f.%" at `text`, 0 when it is none. */
static size_t scan_field(const char *text, struct commands_field *field)
{
	size_t length = strspn(text + 1, letters);
	const char *at = text + 1 + length;

	if (*text != '%' || length == 0)
		return 0;
	*field = (struct commands_field){.fill = ' '};
	if (*at == ':') {
		size_t digits = strspn(at + 1, "0123456789");

		if (digits == 0 || digits > 4)
			return 0;
		field->limit = strtoul(at + 1, NULL, 10);
		at += 1 + digits;
	}
	if (at[0] == 'f' && at[1] && at[2] == '%') {
		field->fill = at[1];
		at += 2;
	}
	if (*at != '%')
		return 0;
	field->name = perun_strndup(text + 1, length);
	return (size_t)(at + 1 - text);
}

static int find_name(struct perun_ctx *ctx, const char *const *names, const char *key,
		     struct commands_field *field)
{
	struct perun_buffer list = {0};
	int status;

	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], field->name) == 0) {
			field->id = i;
			perun_buffer_free(&list);
			return PERUN_OK;
		}
		perun_buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	status = perun_fail(ctx, PERUN_INPUT,
			    "the setting %s has an unknown field %%%s%%; there are: %s", key,
			    field->name, list.data);
	perun_buffer_free(&list);
	return status;
}

int commands_fields_parse(struct perun_ctx *ctx, const char *format, const char *const *names,
			  const char *key, struct commands_fields *fields)
{
	struct perun_buffer literal = {0};
	int status = PERUN_OK;

	*fields = (struct commands_fields){0};
	while (!status && *format) {
		struct commands_field field;
		size_t length = scan_field(format, &field);

		if (length == 0) {
			perun_buffer_add_char(&literal, *format++);
			continue;
		}
		if (literal.length)
			add_field(fields)->literal = perun_buffer_take(&literal);
		*add_field(fields) = field;
		status = find_name(ctx, names, key, &fields->items[fields->count - 1]);
		format += length;
	}
	if (literal.length)
		add_field(fields)->literal = perun_buffer_take(&literal);
	perun_buffer_free(&literal);
	if (status)
		commands_fields_free(fields);
	return status;
}

void commands_fields_free(struct commands_fields *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		perun_free(fields->items[i].name);
		perun_free(fields->items[i].literal);
	}
	perun_free(fields->items);
	*fields = (struct commands_fields){0};
}

/* Bytes of the first `characters` characters. */
static size_t bytes_of(const char *text, size_t characters)
{
	size_t i = 0;

	for (; text[i]; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80 && characters-- == 0)
			break;
	}
	return i;
}

void commands_fields_pad(struct perun_buffer *text, const char *value, size_t width, char fill)
{
	size_t columns = views_width(value);

	perun_buffer_add(text, value, bytes_of(value, width));
	for (; columns < width; columns++)
		perun_buffer_add_char(text, fill);
}

void commands_fields_center(struct perun_buffer *text, const char *value, size_t width)
{
	size_t columns = views_width(value);
	size_t pad = columns < width ? width - columns : 0;
	size_t left = pad / 2 + (pad & width & 1);

	for (size_t i = 0; i < left; i++)
		perun_buffer_add_char(text, ' ');
	perun_buffer_add_text(text, value);
	for (size_t i = left; i < pad; i++)
		perun_buffer_add_char(text, ' ');
}
