/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking the lines of `perf script` apart. */
#include <string.h>

#include "perf-script.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The word at `text`: up to the next blank. */
static struct piece word_at(const char *text)
{
	return (struct piece){text, strcspn(text, " \t")};
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* All of the piece as a number of at most 18 digits. */
static bool read_number(struct piece piece, int64_t *number)
{
	*number = 0;
	if (piece.length == 0 || piece.length > 18)
		return false;
	for (size_t i = 0; i < piece.length; i++) {
		if (!is_digit(piece.text[i]))
			return false;
		*number = *number * 10 + (piece.text[i] - '0');
	}
	return true;
}

/* "1234.567890:" in nanoseconds. */
static bool read_time(struct piece word, int64_t *time)
{
	const char *dot = memchr(word.text, '.', word.length);
	size_t whole = dot ? (size_t)(dot - word.text) : 0, decimals;
	int64_t seconds, fraction;

	if (!dot || word.text[word.length - 1] != ':')
		return false;
	decimals = word.length - whole - 2;
	if (whole > 9 || decimals > 9 || !read_number((struct piece){word.text, whole}, &seconds) ||
	    !read_number((struct piece){dot + 1, decimals}, &fraction))
		return false;
	for (; decimals < 9; decimals++)
		fraction *= 10;
	*time = seconds * 1000000000 + fraction;
	return true;
}

/* "123" or "123/456". */
static bool read_thread(struct piece word, struct sample_line *sample)
{
	const char *slash = memchr(word.text, '/', word.length);
	struct piece first = {word.text, slash ? (size_t)(slash - word.text) : word.length};
	struct piece second = {first.text + first.length + 1, word.length - first.length - 1};

	sample->pid = -1;
	if (!slash)
		return read_number(first, &sample->tid);
	return read_number(first, &sample->pid) && read_number(second, &sample->tid);
}

/* "[003]". */
static bool read_cpu(struct piece word, int64_t *cpu)
{
	return word.length > 2 && word.text[0] == '[' && word.text[word.length - 1] == ']' &&
	       read_number((struct piece){word.text + 1, word.length - 2}, cpu);
}

/* "cycles:u:" is the event cycles:u; its own colons are never followed by a blank. */
static bool read_event(const char *text, struct sample_line *sample)
{
	struct piece word = word_at(text);
	int64_t time;

	if (word.length < 2 || word.text[word.length - 1] != ':' || read_time(word, &time))
		return false;
	sample->event = (struct piece){word.text, word.length - 1};
	text = skip_blanks(text + word.length);
	sample->rest = (struct piece){text, strlen(text)};
	return true;
}

/* What follows the thread: "[cpu] time: period event: rest", each but the event optional. */
static bool read_fields(const char *text, struct sample_line *sample)
{
	struct piece word = word_at(text);
	bool timed;

	sample->cpu = sample->time = sample->period = -1;
	if (read_cpu(word, &sample->cpu)) {
		text = skip_blanks(text + word.length);
		word = word_at(text);
	}
	timed = word.length && read_time(word, &sample->time);
	/* Flags of the tracer ("d..2.") stand between the processor and the time. */
	if (!timed && sample->cpu >= 0 && word.length >= 4 && word.length <= 6) {
		const char *next = skip_blanks(text + word.length);
		struct piece time = word_at(next);

		timed = time.length && read_time(time, &sample->time);
		if (timed) {
			text = next;
			word = time;
		}
	}
	if (timed) {
		text = skip_blanks(text + word.length);
		word = word_at(text);
	}
	if (read_number(word, &sample->period)) {
		text = skip_blanks(text + word.length);
	} else {
		sample->period = -1;
	}
	if (read_event(text, sample))
		return true;
	/* -F without event: what was found must tell that this is a sample. */
	sample->event = (struct piece){"samples", strlen("samples")};
	sample->rest = (struct piece){text, strlen(text)};
	return timed;
}

bool perfscript_parse_sample(const char *line, struct sample_line *sample)
{
	const char *start = skip_blanks(line), *at = start;

	/* The name of a thread may hold blanks and numbers: try each word as the thread's id. */
	while (*at) {
		struct piece word = word_at(at);
		const char *next = skip_blanks(at + word.length);

		if (at > start && read_thread(word, sample) && read_fields(next, sample)) {
			sample->comm = (struct piece){start, (size_t)(at - start)};
			while (sample->comm.length && is_blank(start[sample->comm.length - 1]))
				sample->comm.length--;
			return true;
		}
		at = next;
	}
	return false;
}

/* Cut the last group in parentheses off; parentheses within it are its own: "(/tmp/x (deleted))". */
static bool take_group(struct piece *text, struct piece *group)
{
	size_t end = text->length, open = 0;

	if (end == 0 || text->text[end - 1] != ')')
		return false;
	for (size_t i = end; i-- > 0;) {
		open += text->text[i] == ')';
		if (text->text[i] == '(' && --open == 0) {
			if (i && !is_blank(text->text[i - 1]))
				return false;
			*group = (struct piece){text->text + i + 1, end - i - 2};
			while (i && is_blank(text->text[i - 1]))
				i--;
			text->length = i;
			return true;
		}
	}
	return false;
}

static bool is(struct piece piece, const char *text)
{
	return piece.length == strlen(text) && memcmp(piece.text, text, piece.length) == 0;
}

/* "+0x1f" at the end. */
static void drop_offset(struct piece *symbol)
{
	size_t i = symbol->length;

	while (i && strchr("0123456789abcdef", symbol->text[i - 1]))
		i--;
	if (i >= 4 && i < symbol->length && memcmp(symbol->text + i - 3, "+0x", 3) == 0)
		symbol->length = i - 3;
}

bool perfscript_parse_frame(const char *line, size_t length, struct frame_line *frame)
{
	const char *at = skip_blanks(line);
	size_t digits = strspn(at, "0123456789abcdef");
	struct piece rest;

	*frame = (struct frame_line){0};
	if (digits == 0 || digits > 16 || (at[digits] && !is_blank(at[digits])))
		return false;
	for (size_t i = 0; i < digits; i++)
		frame->address = frame->address * 16 +
				 (uint64_t)(is_digit(at[i]) ? at[i] - '0' : at[i] - 'a' + 10);
	at = skip_blanks(at + digits);
	rest = (struct piece){at, length - (size_t)(at - line)};
	while (rest.length && is_blank(rest.text[rest.length - 1]))
		rest.length--;
	if (take_group(&rest, &frame->object)) {
		frame->inlined = is(frame->object, "inlined");
		if (frame->inlined || is(frame->object, "[unknown]"))
			frame->object.length = 0;
	}
	drop_offset(&rest);
	if (!is(rest, "[unknown]"))
		frame->symbol = rest;
	return true;
}

bool perfscript_parse_source(const char *line, size_t length, struct piece *file, int64_t *number)
{
	const char *text = skip_blanks(line),
		   *colon = memrchr(text, ':', length - (size_t)(text - line));
	struct piece digits;

	if (text == line || !colon || colon == text)
		return false;
	digits = (struct piece){colon + 1, length - (size_t)(colon + 1 - line)};
	*file = (struct piece){text, (size_t)(colon - text)};
	return read_number(digits, number);
}
