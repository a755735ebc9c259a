/* SPDX-License-Identifier: BSD-3-Clause */
/* An input line by line. */
#include <inttypes.h>
#include <string.h>

#include "perun/format.h"

enum { BLOCK = 256 * 1024, LONG = 8 * BLOCK, LIMIT = 4 * 1024 * 1024 };

struct perun_lines {
	struct perun_input *input;
	char *block;             /* one byte more than `capacity`: room for a NUL */
	size_t capacity, filled; /* bytes [at, filled) were read and not given yet */
	size_t at, limit;
	uint64_t number;
	bool ended;
	bool open; /* the last line has no line break */
};

struct perun_lines *perun_lines_new(struct perun_input *input, size_t limit)
{
	struct perun_lines *lines = perun_alloc_zero(1, sizeof *lines);

	lines->input = input;
	lines->limit = limit ? limit : LIMIT;
	lines->capacity = BLOCK;
	lines->block = perun_alloc(lines->capacity + 1);
	return lines;
}

void perun_lines_free(struct perun_lines *lines)
{
	if (!lines)
		return;
	perun_free(lines->block);
	perun_free(lines);
}

uint64_t perun_lines_number(const struct perun_lines *lines)
{
	return lines->number;
}

bool perun_lines_is_open(const struct perun_lines *lines)
{
	return lines->open;
}

/* Move what is left to the front, make room after it, and read. */
static int fill(struct perun_ctx *ctx, struct perun_lines *lines)
{
	size_t got, left = lines->filled - lines->at;
	int status;

	if (left > lines->limit)
		return perun_fail(ctx, PERUN_INPUT,
				  "line %" PRIu64
				  ": longer than %zu bytes: this is not text of the expected kind",
				  lines->number + 1, lines->limit);
	memmove(lines->block, lines->block + lines->at, left);
	lines->at = 0;
	lines->filled = left;
	if (lines->capacity >= LONG && left < BLOCK) { /* the line was long, and others are not */
		lines->capacity = BLOCK;
		lines->block = perun_realloc(lines->block, lines->capacity + 1);
	}
	if (left == lines->capacity) {
		lines->capacity *= 2;
		if (lines->capacity > lines->limit + 1)
			lines->capacity = lines->limit + 1;
		lines->block = perun_realloc(lines->block, lines->capacity + 1);
	}
	status = perun_input_read(ctx, lines->input, lines->block + left, lines->capacity - left,
				  &got);
	lines->filled += got;
	lines->ended = !status && got == 0;
	return status;
}

int perun_lines_next(struct perun_ctx *ctx, struct perun_lines *lines, char **line, size_t *length)
{
	size_t searched = 0;
	char *start, *end;

	*line = NULL;
	*length = 0;
	for (;;) {
		size_t left = lines->filled - lines->at;
		int status;

		start = lines->block + lines->at;
		end = memchr(start + searched, '\n', left - searched);
		if (end || lines->ended)
			break;
		searched = left;
		status = fill(ctx, lines);
		if (status)
			return status;
	}
	if (!end && lines->at == lines->filled)
		return PERUN_OK;
	lines->open = !end;
	lines->at = end ? (size_t)(end + 1 - lines->block) : lines->filled;
	if (!end)
		end = lines->block + lines->filled;
	if (end > start && end[-1] == '\r')
		end--;
	*end = '\0';
	*line = start;
	*length = (size_t)(end - start);
	lines->number++;
	return PERUN_OK;
}
