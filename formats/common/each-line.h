/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop over the lines of an input, with a look for an interruption now and then. */
#ifndef PERUN_FORMATS_COMMON_EACH_LINE_H
#define PERUN_FORMATS_COMMON_EACH_LINE_H

#include <string.h>

#include <perun/format.h>

/*
 * As strstr() finds a word in a line, by its letter number `letter`, which few others are. Faster, as lines are short and that
 * letter is mostly not in them.
 */
static inline char *line_find(char *line, const char *word, size_t letter)
{
	size_t length = strlen(word);

	for (char *at = line; (at = strchr(at, word[letter])); at++)
		if ((size_t)(at - line) >= letter && strncmp(at - letter, word, length) == 0)
			return at - letter;
	return NULL;
}

typedef int line_reader(void *reading, char *line, size_t length);

/* Calls read(reading, line, length) for each line, until one fails. */
static inline int read_each_line(struct perun_ctx *ctx, struct perun_lines *lines,
				 line_reader *read, void *reading)
{
	size_t length;
	char *line;
	int status;

	while (!(status = perun_lines_next(ctx, lines, &line, &length)) && line) {
		status = read(reading, line, length);
		if (!status && perun_lines_number(lines) % 65536 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		if (status)
			break;
	}
	return status;
}

/* Whether a line ends in one of these, in which # is a digit, blanks after it left out. */
static inline bool line_ends_in(const char *line, size_t length, const char *const *endings)
{
	while (length && strchr(" \t\r", line[length - 1]))
		length--;
	for (; endings && *endings; endings++) {
		size_t size = strlen(*endings), i = 0;

		while (size <= length && i < size) {
			char is = line[length - size + i], expected = (*endings)[i];

			if (expected == '#' ? is < '0' || is > '9' : is != expected)
				break;
			i++;
		}
		if (i == size)
			return true;
	}
	return false;
}

/* A loop over lines that notes whether the last one is whole. */
struct log_lines {
	struct perun_lines *lines;
	line_reader *read;
	void *reading;
	const char *const *endings;
	bool cut;
};

static inline int read_log_line(void *data, char *line, size_t length)
{
	struct log_lines *log = data;

	log->cut = perun_lines_is_open(log->lines) && length &&
		   !line_ends_in(line, length, log->endings);
	return log->read(log->reading, line, length);
}

static inline void warn_cut_line(struct perun_ctx *ctx, const struct perun_lines *lines)
{
	perun_warn(ctx, "line %llu does not end: the file seems to be cut off",
		   (unsigned long long)perun_lines_number(lines));
}

/*
 * The same for what a tool prints, which ends all its lines: `*cut` when the last one has no end, unless it ends as whole
 * results of the tool do (NULL: that cannot be seen), as where the end was lost on the way.
 */
static inline int read_log_lines(struct perun_ctx *ctx, struct perun_lines *lines,
				 line_reader *read, void *reading, const char *const *endings,
				 bool *cut)
{
	struct log_lines log = {lines, read, reading, endings, false};
	int status = read_each_line(ctx, lines, read_log_line, &log);

	*cut = log.cut;
	return status;
}

/* The same, and warns. */
static inline int read_each_log_line(struct perun_ctx *ctx, struct perun_lines *lines,
				     line_reader *read, void *reading, const char *const *endings)
{
	bool cut;
	int status = read_log_lines(ctx, lines, read, reading, endings, &cut);

	if (!status && cut)
		warn_cut_line(ctx, lines);
	return status;
}

#endif
