/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of fields out of a stream: comments, headers, quoting by RFC 4180, UTF-8. */
#include <string.h>

#include "record.h"

#define BLOCK            ((size_t)512 << 10)
#define PARAGRAPH_QUOTES "AFPerf Format Version 1.x: RFC 4180"
#define PARAGRAPH_HEADER "Record Ordering: file format header"
#define PARAGRAPH_UTF8   "AFPerf Format Version 1.x: UTF-8"

void afperf_lines_init(struct afperf_lines *lines, struct perun_input *input, size_t limit)
{
	memset(lines, 0, sizeof *lines);
	lines->input = input;
	lines->limit = limit;
	lines->next_line = 1;
}

void afperf_lines_clear(struct afperf_lines *lines)
{
	perun_free(lines->buffer);
	perun_free(lines->fields);
	lines->buffer = NULL;
	lines->fields = NULL;
}

int afperf_lines_rewind(struct perun_ctx *ctx, struct afperf_lines *lines)
{
	lines->length = lines->position = lines->checked = 0;
	lines->at_end = lines->began = false;
	lines->next_line = 1;
	lines->bytes = 0;
	return perun_input_skip_to_start(ctx, lines->input);
}

/* Move what is not read yet to the start of the buffer, and read more after it. */
static int fill(struct perun_ctx *ctx, struct afperf_lines *lines)
{
	size_t left = lines->length - lines->position, got;
	int status;

	if (lines->position) {
		memmove(lines->buffer, lines->buffer + lines->position, left);
		lines->checked -=
			lines->checked < lines->position ? lines->checked : lines->position;
		lines->length = left;
		lines->position = 0;
	}
	if (lines->capacity - left < BLOCK) {
		lines->capacity = left < BLOCK ? BLOCK * 2 : left * 2;
		lines->buffer = perun_realloc(lines->buffer, lines->capacity + AFPERF_SLACK);
	}
	status = perun_input_read(ctx, lines->input, lines->buffer + left, lines->capacity - left,
				  &got);
	if (status)
		return status;
	lines->length += got;
	lines->bytes += got;
	lines->at_end = got == 0;
	return PERUN_OK;
}

/* More bytes for the record at `position`, of which `have` bytes are there. */
static enum afperf_got need_more(struct perun_ctx *ctx, struct afperf_lines *lines,
				 struct afperf_problem *problem)
{
	if (lines->length - lines->position > lines->limit) {
		afperf_report(
			problem, lines->next_line, NULL, NULL, NULL,
			"the record has more than %zu bytes: a quote that never ends? (see the "
			"option limit)",
			lines->limit);
		return AFPERF_GOT_STOP;
	}
	return fill(ctx, lines) ? AFPERF_GOT_FAILURE : AFPERF_GOT_RECORD;
}

/*
 * The end of the line that begins at `position` + `from`: the index of its "\n" after `position`, or
 * of the end of the input. `*whole`: false if only the end of the input ends it.
 */
static enum afperf_got find_newline(struct perun_ctx *ctx, struct afperf_lines *lines, size_t from,
				    size_t *end, struct afperf_problem *problem)
{
	for (;;) {
		const char *start = lines->buffer + lines->position;
		size_t have = lines->length - lines->position;
		const char *found = have > from ? memchr(start + from, '\n', have - from) : NULL;
		enum afperf_got got;

		if (found) {
			*end = (size_t)(found - start);
			return AFPERF_GOT_RECORD;
		}
		if (lines->at_end) {
			*end = have;
			return AFPERF_GOT_RECORD;
		}
		from = have;
		got = need_more(ctx, lines, problem);
		if (got != AFPERF_GOT_RECORD)
			return got;
	}
}

/* The bytes of a record, from `position` to `end`, must be UTF-8; looked at block by block. */
static bool check_utf8(struct afperf_lines *lines, size_t end)
{
	size_t last = lines->position + end;

	if (lines->checked < lines->position)
		lines->checked = lines->position;
	if (lines->checked < last)
		lines->checked += afperf_utf8_span(lines->buffer + lines->checked,
						   lines->length - lines->checked);
	return lines->checked >= last;
}

/* Say it; whoever calls leaves the line. */
static enum afperf_got bad_utf8(struct afperf_lines *lines, struct afperf_problem *problem)
{
	afperf_report(problem, lines->line, NULL, NULL, PARAGRAPH_UTF8,
		      "byte %zu of the record, 0x%02X, is not UTF-8",
		      lines->checked - lines->position + 1,
		      (unsigned)(unsigned char)lines->buffer[lines->checked]);
	lines->checked = lines->position;
	return AFPERF_GOT_PROBLEM;
}

static void add_field(struct afperf_lines *lines, char *data, size_t length)
{
	PERUN_GROW(lines->fields, lines->field_count, lines->field_capacity);
	lines->fields[lines->field_count++] = (struct afperf_slice){data, length};
}

/* The bytes of a word that are commas: the highest bit of each, exactly. */
static uint64_t find_commas(const char *text)
{
	const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
	uint64_t word;

	memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	word ^= 0x2C2C2C2C2C2C2C2Cu;
	return ~(((word & low) + low) | word | low);
}

/* A line without quotes. Fields are short: eight bytes at a time are looked at for commas. */
static void split_plain(struct afperf_lines *lines, char *text, size_t length)
{
	char *end = text + length, *at = text;

	for (; end - at >= 8; at += 8) {
		for (uint64_t commas = find_commas(at); commas; commas &= commas - 1) {
			char *comma = at + __builtin_ctzll(commas) / 8;

			add_field(lines, text, (size_t)(comma - text));
			text = comma + 1;
		}
	}
	for (; at < end; at++) {
		if (*at == ',') {
			add_field(lines, text, (size_t)(at - text));
			text = at + 1;
		}
	}
	add_field(lines, text, (size_t)(end - text));
}

/* Go over the line at `position`, which is wrong: the next record is the line after it. */
static void leave_line(struct afperf_lines *lines, size_t end)
{
	lines->position += end + (lines->position + end < lines->length);
	lines->next_line++;
}

/* A field of a record that may still move: its place after the start of the record. */
static struct afperf_slice offset_slice(size_t at, size_t length)
{
	return (struct afperf_slice){(char *)(uintptr_t)at, length};
}

/*
 * A quoted field whose first quote is at `at`; quotes are taken out where they are. Its end is
 * found after any number of lines.
 */
static enum afperf_got quoted_field(struct perun_ctx *ctx, struct afperf_lines *lines, size_t *at,
				    size_t *end, uint64_t *newlines, struct afperf_slice *field,
				    struct afperf_problem *problem)
{
	size_t from = *at + 1, to = *at + 1;

	for (;;) {
		char *text = lines->buffer + lines->position;
		char *quote = memchr(text + from, '"', *end - from);
		size_t stop = quote ? (size_t)(quote - text) : *end, next;
		enum afperf_got got;

		memmove(text + to, text + from, stop - from);
		to += stop - from;
		from = stop;
		if (quote && from + 1 < *end && text[from + 1] == '"') {
			text[to++] = '"';
			from += 2;
			continue;
		}
		if (quote) {
			*field = offset_slice(*at + 1, to - *at - 1);
			*at = from + 1;
			return AFPERF_GOT_RECORD;
		}
		if (lines->position + *end >= lines->length && lines->at_end) {
			afperf_report(problem, lines->line, NULL, NULL, PARAGRAPH_QUOTES,
				      "a quote is never closed");
			return AFPERF_GOT_STOP;
		}
		/* The newline belongs to the field. */
		got = find_newline(ctx, lines, *end + 1, &next, problem);
		if (got != AFPERF_GOT_RECORD)
			return got;
		*end = next;
		++*newlines;
		if (!check_utf8(lines, next))
			return bad_utf8(lines, problem);
	}
}

/* One record with quotes; fields are kept as offsets until its end is known. */
static enum afperf_got split_quoted(struct perun_ctx *ctx, struct afperf_lines *lines, size_t *end,
				    uint64_t *newlines, struct afperf_problem *problem)
{
	size_t at = 0;

	for (;;) {
		char *text = lines->buffer + lines->position;
		struct afperf_slice field;

		if (at < *end && text[at] == '"') {
			enum afperf_got got =
				quoted_field(ctx, lines, &at, end, newlines, &field, problem);

			if (got != AFPERF_GOT_RECORD)
				return got;
			text = lines->buffer + lines->position;
		} else {
			char *comma = memchr(text + at, ',', *end - at);
			size_t stop = comma ? (size_t)(comma - text) : *end;

			if (memchr(text + at, '"', stop - at)) {
				afperf_report(
					problem, lines->line, NULL, NULL, PARAGRAPH_QUOTES,
					"field %zu: a quote inside a field that does not begin "
					"with one",
					lines->field_count + 1);
				return AFPERF_GOT_PROBLEM;
			}
			if (!comma && stop > at && text[stop - 1] == '\r' &&
			    lines->position + *end < lines->length)
				stop--;
			if (memchr(text + at, '\r', stop - at)) {
				afperf_report(problem, lines->line, NULL, NULL, PARAGRAPH_QUOTES,
					      "field %zu: a carriage return that is not quoted",
					      lines->field_count + 1);
				return AFPERF_GOT_PROBLEM;
			}
			field = offset_slice(at, stop - at);
			at = comma ? stop : *end;
		}
		add_field(lines, field.data, field.length);
		if (at < *end && text[at] == ',') {
			at++;
			continue;
		}
		if (at == *end || (at + 1 == *end && text[at] == '\r'))
			return AFPERF_GOT_RECORD;
		afperf_report(problem, lines->line, NULL, NULL, PARAGRAPH_QUOTES,
			      "field %zu: text after the closing quote", lines->field_count);
		return AFPERF_GOT_PROBLEM;
	}
}

static bool is_blank_line(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != ' ' && text[i] != '\t')
			return false;
	return true;
}

/* Whether a comment is the text of a header: "# AFPerf v", digits, spaces. */
static bool is_header(const char *text, size_t length)
{
	size_t i = strlen("# AFPerf v"), digits = i;

	if (length < i || memcmp(text, "# AFPerf v", i) != 0)
		return false;
	while (i < length && (unsigned)(unsigned char)text[i] - '0' <= 9)
		i++;
	digits = i - digits;
	while (i < length && text[i] == ' ')
		i++;
	return digits && i == length;
}

/* The first line: exactly the 16 bytes. */
static enum afperf_got read_first_header(struct perun_ctx *ctx, struct afperf_lines *lines,
					 struct afperf_problem *problem)
{
	const char *text;
	size_t have, end = AFPERF_HEADER_SIZE;

	while (lines->length < AFPERF_HEADER_SIZE + 2 && !lines->at_end)
		if (fill(ctx, lines))
			return AFPERF_GOT_FAILURE;
	text = lines->buffer;
	have = lines->length;
	lines->line = 1;
	if (have >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
		afperf_report(problem, 1, NULL, NULL, PARAGRAPH_UTF8,
			      "the file begins with a byte order mark");
		return AFPERF_GOT_STOP;
	}
	if (have < AFPERF_HEADER_SIZE || memcmp(text, AFPERF_HEADER, AFPERF_HEADER_SIZE) != 0) {
		size_t shown = have < AFPERF_HEADER_SIZE ? have : AFPERF_HEADER_SIZE;

		shown = afperf_utf8_span(text, shown);
		afperf_report(problem, 1, NULL, NULL, PARAGRAPH_HEADER,
			      "expected the 16 bytes \"" AFPERF_HEADER "\", found %s",
			      afperf_quote(text, shown).text);
		return AFPERF_GOT_STOP;
	}
	if (end < have && text[end] == '\r')
		end++;
	if (end < have ? text[end] != '\n' : end > AFPERF_HEADER_SIZE) {
		afperf_report(problem, 1, NULL, NULL, PARAGRAPH_HEADER,
			      "expected the end of the line after the 16 bytes of the header");
		return AFPERF_GOT_STOP;
	}
	lines->began = true;
	leave_line(lines, end);
	return AFPERF_GOT_RECORD;
}

/* A line that begins with '#'. GOT_RECORD: a comment. */
static enum afperf_got judge_comment(struct afperf_lines *lines, const char *text, size_t length,
				     struct afperf_problem *problem)
{
	if (length && text[length - 1] == '\r')
		length--;
	if (!is_header(text, length))
		return AFPERF_GOT_RECORD;
	if (length == AFPERF_HEADER_SIZE && memcmp(text, AFPERF_HEADER, length) == 0)
		return AFPERF_GOT_HEADER;
	afperf_report(problem, lines->line, NULL, NULL,
		      "Record Ordering: additional version header lines",
		      "another header than the first of the file, %s: what follows cannot be read",
		      afperf_quote(text, length).text);
	return AFPERF_GOT_STOP;
}

/* Split the line up to `end` at `position`; afterwards `position` is after the record. */
static enum afperf_got read_record(struct perun_ctx *ctx, struct afperf_lines *lines, size_t end,
				   struct afperf_problem *problem)
{
	char *text = lines->buffer + lines->position;
	uint64_t newlines = 0;
	size_t line_end = end;
	enum afperf_got got;

	lines->field_count = 0;
	if (!memchr(text, '"', end)) {
		size_t length = end;

		if (length && text[length - 1] == '\r' && lines->position + end < lines->length)
			length--;
		leave_line(lines, end);
		if (memchr(text, '\r', length)) {
			afperf_report(problem, lines->line, NULL, NULL, PARAGRAPH_QUOTES,
				      "a carriage return that neither ends the line nor is quoted");
			return AFPERF_GOT_PROBLEM;
		}
		split_plain(lines, text, length);
		return AFPERF_GOT_RECORD;
	}
	got = split_quoted(ctx, lines, &end, &newlines, problem);
	if (got == AFPERF_GOT_PROBLEM) {
		/* What else is quoted is lost; the line the record began on may still be right. */
		leave_line(lines, newlines ? end : line_end);
		lines->next_line += newlines;
		return got;
	}
	if (got != AFPERF_GOT_RECORD)
		return got;
	text = lines->buffer + lines->position;
	for (size_t i = 0; i < lines->field_count; i++)
		lines->fields[i].data = text + (uintptr_t)lines->fields[i].data;
	leave_line(lines, end);
	lines->next_line += newlines;
	return AFPERF_GOT_RECORD;
}

enum afperf_got afperf_lines_next(struct perun_ctx *ctx, struct afperf_lines *lines,
				  struct afperf_problem *problem)
{
	enum afperf_got got;
	size_t end, length;
	char *text;

	if (!lines->began) {
		got = read_first_header(ctx, lines, problem);
		if (got != AFPERF_GOT_RECORD)
			return got;
	}
	for (;;) {
		got = find_newline(ctx, lines, 0, &end, problem);
		if (got != AFPERF_GOT_RECORD)
			return got;
		if (lines->position + end == lines->length && end == 0)
			return AFPERF_GOT_END;
		lines->line = lines->next_line;
		if (!check_utf8(lines, end)) {
			got = bad_utf8(lines, problem);
			leave_line(lines, end);
			return got;
		}
		text = lines->buffer + lines->position;
		if (*text == '#') {
			got = judge_comment(lines, text, end, problem);
			leave_line(lines, end);
			if (got != AFPERF_GOT_RECORD)
				return got;
			continue;
		}
		length = end && text[end - 1] == '\r' ? end - 1 : end;
		if ((*text == ' ' || *text == '\t' || !length) && is_blank_line(text, length)) {
			leave_line(lines, end);
			continue;
		}
		return read_record(ctx, lines, end, problem);
	}
}
