/* SPDX-License-Identifier: BSD-3-Clause */
/* The growing byte string. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "perun/context.h"

/* Keeps one byte more than asked for, for the final NUL. */
char *perun_buffer_reserve(struct perun_buffer *buffer, size_t length)
{
	size_t need = buffer->length + length + 1;

	if (need < length)
		need = SIZE_MAX; /* no such memory: perun_realloc says so */
	if (need > buffer->capacity) {
		size_t capacity = buffer->capacity ? buffer->capacity : 64;

		while (capacity < need && capacity < SIZE_MAX / 2)
			capacity *= 2;
		if (capacity < need)
			capacity = need;
		buffer->data = perun_realloc(buffer->data, capacity);
		buffer->capacity = capacity;
	}
	return buffer->data + buffer->length;
}

void perun_buffer_add(struct perun_buffer *buffer, const void *data, size_t length)
{
	/* Mostly there is room. */
	char *to = length < buffer->capacity - buffer->length
			   ? buffer->data + buffer->length
			   : perun_buffer_reserve(buffer, length);

	if (length)
		memcpy(to, data, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
}

void perun_buffer_add_text(struct perun_buffer *buffer, const char *text)
{
	perun_buffer_add(buffer, text, strlen(text));
}

void perun_buffer_add_char(struct perun_buffer *buffer, char c)
{
	perun_buffer_add(buffer, &c, 1);
}

void perun_buffer_printf(struct perun_buffer *buffer, const char *format, ...)
{
	size_t room;
	va_list args;
	int length;

	perun_buffer_reserve(buffer, 0);
	room = buffer->capacity - buffer->length;
	va_start(args, format);
	length = perun_vsnprintf(buffer->data + buffer->length, room, format, args);
	va_end(args);
	if (length < 0) {
		buffer->data[buffer->length] = '\0';
		return;
	}
	if ((size_t)length >= room) {
		char *to = perun_buffer_reserve(buffer, (size_t)length);

		va_start(args, format);
		perun_vsnprintf(to, (size_t)length + 1, format, args);
		va_end(args);
	}
	buffer->length += (size_t)length;
}

void perun_buffer_clear(struct perun_buffer *buffer)
{
	buffer->length = 0;
	if (buffer->data)
		buffer->data[0] = '\0';
}

void perun_buffer_free(struct perun_buffer *buffer)
{
	perun_free(buffer->data);
	*buffer = (struct perun_buffer){0};
}

char *perun_buffer_take(struct perun_buffer *buffer)
{
	char *text;

	perun_buffer_reserve(buffer, 0);
	buffer->data[buffer->length] = '\0';
	text = buffer->data;
	*buffer = (struct perun_buffer){0};
	return text;
}
