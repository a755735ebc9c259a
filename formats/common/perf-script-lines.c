/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking the lines of `perf script` apart. */
#include <string.h>

#include "formats/common/perf-script.h"

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
	/* perf prints addresses in 16 columns after a blank, and the text of a tracepoint after one. */
	word = word_at(text);
	sample->aligned =
		word.length == 16 || text - (sample->event.text + sample->event.length + 1) > 1;
	return true;
}

/* What is between the processor and the time: "d..2." of tracers, "KU" of -F +misc. */
static bool is_flags(struct piece word)
{
	return word.length && word.length <= 6 && !is_digit(word.text[0]) &&
	       strspn(word.text,
		      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.#") >=
		       word.length;
}

/* "time:", perhaps with flags before it; `text` goes after it. */
static void take_time(const char **text, struct sample_line *sample)
{
	struct piece word = word_at(*text);

	if (word.length && !read_time(word, &sample->time) && is_flags(word))
		word = word_at(skip_blanks(*text + word.length));
	if (word.length && read_time(word, &sample->time))
		*text = skip_blanks(word.text + word.length);
}

/*
 * What follows the thread: "[cpu] time: period event: rest", each but the event or the time optional; `need_time`: but the
 * time is not.
 */
static bool read_fields(const char *text, bool need_time, struct sample_line *sample)
{
	struct piece word = word_at(text);
	bool timed;

	sample->cpu = sample->time = sample->period = -1;
	if (read_cpu(word, &sample->cpu))
		text = skip_blanks(text + word.length);
	take_time(&text, sample);
	timed = sample->time >= 0;
	if (need_time && !timed)
		return false;
	word = word_at(text);
	if (read_number(word, &sample->period))
		text = skip_blanks(text + word.length);
	else
		sample->period = -1;
	if (read_event(text, sample))
		return true;
	/* -F without event: what was found must show that this is a sample. */
	if (!timed)
		return false;
	sample->event = (struct piece){"samples", strlen("samples")};
	sample->rest = (struct piece){text, strlen(text)};
	return true;
}

/*
 * The thread, with the name before it. The name may hold blanks and numbers: each word is tried; `timed`:
 * only one that is followed by the time will do.
 */
static bool find_thread(const char *start, bool timed, struct sample_line *sample)
{
	for (const char *at = start; *at;) {
		struct piece word = word_at(at);
		const char *next = skip_blanks(at + word.length);

		/* Without the time, a number at the start may be anything. */
		if ((at > start || timed) && read_thread(word, sample) &&
		    read_fields(next, timed, sample)) {
			sample->comm = (struct piece){start, (size_t)(at - start)};
			while (sample->comm.length && is_blank(start[sample->comm.length - 1]))
				sample->comm.length--;
			return true;
		}
		at = next;
	}
	return false;
}

/* "time: period event:" of -F without the thread, and "period event:". */
static bool read_without_thread(const char *start, struct sample_line *sample)
{
	sample->pid = sample->tid = -1;
	return read_fields(start, false, sample);
}

bool perfscript_parse_sample(const char *line, struct sample_line *sample)
{
	const char *start = skip_blanks(line);
	struct piece word = word_at(start);
	struct frame_line frame;
	int64_t time;

	*sample = (struct sample_line){.pid = -1, .tid = -1, .cpu = -1, .time = -1, .period = -1};
	if (word.length && read_time(word, &time))
		return read_without_thread(start, sample);
	if (find_thread(start, true, sample) || find_thread(start, false, sample))
		return true;
	*sample = (struct sample_line){.weak = true};
	if (word.length && read_thread(word, sample) && sample->pid >= 0 &&
	    read_fields(skip_blanks(start + word.length), false, sample))
		return true;
	if (read_without_thread(start, sample) &&
	    (!sample->rest.length ||
	     perfscript_parse_frame(sample->rest.text, sample->rest.length, &frame)))
		return true;
	/* -F comm,ip: only the name, with a blank after it. */
	sample->pid = sample->tid = sample->cpu = sample->time = sample->period = -1;
	sample->event = (struct piece){"samples", strlen("samples")};
	sample->comm = (struct piece){start, strlen(start)};
	sample->rest = (struct piece){start + sample->comm.length, 0};
	if (sample->comm.length < 2 || !is_blank(start[sample->comm.length - 1]))
		return false;
	sample->comm.length--;
	return true;
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
	const char *at = skip_blanks(line), *end = line + length;
	size_t digits = strspn(at, "0123456789abcdef");
	struct piece rest;

	*frame = (struct frame_line){0};
	if (digits == 0 || digits > 16 || (at[digits] && !is_blank(at[digits])))
		return false;
	for (size_t i = 0; i < digits; i++)
		frame->address = frame->address * 16 +
				 (uint64_t)(is_digit(at[i]) ? at[i] - '0' : at[i] - 'a' + 10);
	/* The line may go on beyond what is a frame in it. */
	if (at + digits > end)
		return false;
	at = skip_blanks(at + digits);
	at = at < end ? at : end;
	rest = (struct piece){at, (size_t)(end - at)};
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
	const char *text = skip_blanks(line), *colon, *more;
	struct piece digits;

	*number = 0;
	*file = (struct piece){text, 0};
	if (text == line || !*text)
		return false;
	/* No source is known: "object[address]". */
	if (line[length - 1] == ']')
		return memrchr(text, '[', length - (size_t)(text - line)) != NULL;
	more = strstr(text, " ("); /* "(inlined)", "(discriminator 2)" */
	if (more)
		length = (size_t)(more - line);
	colon = memrchr(text, ':', length - (size_t)(text - line));
	if (!colon)
		return false;
	digits = (struct piece){colon + 1, length - (size_t)(colon + 1 - line)};
	*file = (struct piece){text, (size_t)(colon - text)};
	if (file->length == 0 || is(*file, "??")) {
		file->length = 0;
		return digits.length > 0;
	}
	return read_number(digits, number);
}

bool perfscript_is_detail(const char *line)
{
	return strncmp(skip_blanks(line), "insn:", 5) == 0;
}

void perfscript_cut_detail(struct piece *rest)
{
	const char *insn = memmem(rest->text, rest->length, " insn:", 6);

	if (insn)
		rest->length = (size_t)(insn - rest->text);
}
