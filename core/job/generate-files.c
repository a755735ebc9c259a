/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators of workloads that are files: random texts, and what an external program makes. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/program.h>

#include "core/job/generator.h"

/* ---- text files ------------------------------------------------------------------------------ */

struct text_sizes {
	int64_t lines, words, characters;
};

/* Words of the classical filler, until a line of `length` characters is full. */
static void write_line(struct perun_generator_run *run, FILE *file, int64_t length,
		       struct text_sizes *sizes)
{
	static const char *const words[] = {
		"lorem", "ipsum", "dolor",  "sit",    "amet",  "consectetur", "adipiscing", "elit",
		"sed",   "do",    "tempor", "labore", "et",    "magna",       "aliqua",     "enim",
		"ad",    "minim", "veniam", "quis",   "nulla", "pariatur",    "ut",         "in"};

	for (int64_t column = 0; column < length;) {
		const char *word = words[perun_generator_random(run, sizeof words / sizeof *words)];
		int64_t room = length - column, size = (int64_t)strlen(word);

		if (column > 0) {
			fputc(' ', file);
			column++;
			room--;
		}
		size = size < room ? size : room;
		fprintf(file, "%.*s", (int)size, word);
		column += size;
		sizes->words += size > 0;
	}
	fputc('\n', file);
	sizes->characters += length + 1;
	sizes->lines++;
}

static int write_file(struct perun_generator_run *run, const char *path, int64_t lines,
		      const int64_t widths[2], bool random, struct text_sizes *sizes)
{
	FILE *file = fopen(path, "we");
	bool failed = !file;

	for (int64_t i = 0; !failed && i < lines; i++) {
		int64_t width = widths[1];

		if (random)
			width = widths[0] + (int64_t)perun_generator_random(
						    run, (uint64_t)(widths[1] - widths[0]) + 1);
		write_line(run, file, width, sizes);
	}
	failed = failed || ferror(file);
	if (file && fclose(file) != 0)
		failed = true;
	if (failed)
		return perun_fail_errno(run->ctx, PERUN_INPUT, errno, "cannot write %s", path);
	return PERUN_OK;
}

static int add_text(struct perun_generator_run *run, int64_t lines, const int64_t widths[2],
		    bool random)
{
	char *name = perun_format("%s_%" PRId64 ".txt", run->id, lines), *path;
	struct text_sizes sizes = {0};
	struct perun_generated *item;

	for (char *c = name; *c; c++)
		*c = *c == '/' ? '_' : *c;
	path = perun_format("%s/%s", run->place->scratch, name);
	item = perun_generator_add(run, path, name);
	if (write_file(run, path, lines, widths, random, &sizes))
		return PERUN_INPUT;
	perun_json_set(item->keys, "workload", perun_json_text(name));
	perun_json_set(item->keys, "num_lines", perun_json_int64(sizes.lines));
	perun_json_set(item->keys, "num_words", perun_json_int64(sizes.words));
	perun_json_set(item->keys, "num_chars", perun_json_int64(sizes.characters));
	perun_json_set(item->keys, "structure-unit-size", perun_json_int64(sizes.lines));
	return PERUN_OK;
}

int perun_generate_files(struct perun_generator_run *run)
{
	const int64_t most_lines = 100000000, widest = 1000000;
	bool random = perun_generator_flag(run, "randomize_rows", true);
	int64_t first, last, step, widths[2];
	int status = perun_generator_number(run, "min_lines", INT64_MIN, 0, most_lines, &first);

	if (!status)
		status = perun_generator_number(run, "max_lines", INT64_MIN, 0, most_lines, &last);
	if (!status)
		status = perun_generator_number(run, "step", 1, 1, most_lines, &step);
	if (!status)
		status = perun_generator_number(run, "min_rows", 5, 0, widest, &widths[0]);
	if (!status)
		status = perun_generator_number(run, "max_rows", 80, 0, widest, &widths[1]);
	if (!status && (first > last || widths[0] > widths[1]))
		status = perun_fail(
			run->ctx, PERUN_INPUT,
			"the generator %s: the range from %" PRId64 " to %" PRId64 " is empty",
			run->id, first > last ? first : widths[0], first > last ? last : widths[1]);
	if (!status && (last - first) / step >= PERUN_MAX_WORKLOADS)
		status = perun_fail(run->ctx, PERUN_INPUT,
				    "the generator %s makes more than %d workloads; take a larger "
				    "step",
				    run->id, PERUN_MAX_WORKLOADS);
	for (int64_t i = first; !status && i <= last; i += step)
		status = add_text(run, i, widths, random);
	return status;
}

/* ---- external programs ----------------------------------------------------------------------- */

/* How names of files hold values: "img{width}_{height}.pgm". */
struct name_format {
	const char *text;
	char open[8], close[8];
};

/* "{}" in YAML is an empty map, and the Python program's own example has it. */
static int read_delimiters(const struct perun_generator_run *run, struct name_format *format)
{
	const struct perun_json *setting = perun_json_get(run->settings, "delimiters");
	const char *text = "{}";
	size_t half;

	if (setting &&
	    !(perun_json_type(setting) == PERUN_JSON_TYPE_OBJECT &&
	      perun_json_count(setting) == 0) &&
	    perun_generator_text(run, "delimiters", NULL, &text))
		return PERUN_INPUT;
	half = strlen(text) / 2;
	if (half == 0 || half >= sizeof format->open || strlen(text) % 2)
		return perun_fail(run->ctx, PERUN_INPUT,
				  "the generator %s: delimiters must be an opening and a closing "
				  "one of the same length, such as {}, not '%s'",
				  run->id, text);
	memcpy(format->open, text, half);
	memcpy(format->close, text + half, half);
	format->open[half] = format->close[half] = '\0';
	return PERUN_OK;
}

/* A value as a number if it is one. */
static struct perun_json *value_of(const char *text, size_t length)
{
	char *copy = perun_strndup(text, length);
	const char *digits = copy + (*copy == '-');
	struct perun_json *value;
	double number;

	if (*digits && digits[strspn(digits, "0123456789")] == '\0' && length <= 18)
		value = perun_json_int64(strtoll(copy, NULL, 10));
	else if (perun_json_parse_double(text, length, &number))
		value = perun_json_double(number);
	else
		value = perun_json_string(text, length);
	perun_free(copy);
	return value;
}

/*
 * Whether a name is of the format; its values go to `keys`. A value is as short as what follows it in
 * the format allows.
 */
static bool match_name(const struct name_format *format, const char *name, struct perun_json *keys)
{
	const char *pattern = format->text;
	size_t mark = strlen(format->open);

	while (*pattern) {
		const char *close = strncmp(pattern, format->open, mark) == 0
					    ? strstr(pattern + mark, format->close)
					    : NULL;
		const char *next, *end;
		char *literal;

		if (!close) {
			if (*pattern++ != *name++)
				return false;
			continue;
		}
		next = strstr(close + mark, format->open);
		literal = perun_strndup(close + mark, next ? (size_t)(next - close) - mark
							   : strlen(close + mark));
		/* What ends the format ends the name. */
		if (!next && strlen(name) > strlen(literal))
			end = name + strlen(name) - strlen(literal);
		else
			end = *literal && *name ? strstr(name + 1, literal) : name + 1;
		perun_free(literal);
		if (!*name || !end)
			return false;
		perun_json_set_n(keys, pattern + mark, (size_t)(close - pattern) - mark,
				 value_of(name, (size_t)(end - name)));
		name = end;
		pattern = close + mark;
	}
	return *name == '\0';
}

/* One value that is a number is the size. */
static void add_size(struct perun_json *keys)
{
	const struct perun_json *size = NULL;
	size_t numbers = 0;
	double number;

	for (size_t i = 0; i < perun_json_count(keys); i++) {
		const struct perun_json *value = perun_json_at(keys, i);

		if (perun_json_as_double(value, &number)) {
			numbers++;
			size = value;
		}
	}
	if (numbers == 1 && !perun_json_get(keys, "structure-unit-size"))
		perun_json_set(keys, "structure-unit-size", perun_json_clone(size));
}

static int run_generator(struct perun_generator_run *run, const char *command)
{
	struct perun_shell shell = {
		.command = command, .directory = run->place->directory, .log = -1};
	int code, status = perun_shell_run(run->ctx, &shell, &code);

	if (!status && code != 0)
		status = perun_fail(run->ctx, PERUN_INPUT,
				    "the generator %s: '%s' failed (exit status %d)", run->id,
				    command, code);
	return status;
}

static int by_version(const struct dirent **one, const struct dirent **other)
{
	return strverscmp((*one)->d_name, (*other)->d_name);
}

static void add_found(struct perun_generator_run *run, const struct name_format *format,
		      const char *folder, const char *name)
{
	struct perun_json *keys = perun_json_object();
	char *path = perun_format("%s/%s", folder, name);
	struct perun_generated *item;
	struct stat info;

	perun_json_set(keys, "workload", perun_json_text(name));
	if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && match_name(format, name, keys) &&
	    run->workloads->count < PERUN_MAX_WORKLOADS) {
		item = perun_generator_add(run, perun_strdup(path), perun_strdup(name));
		add_size(keys);
		perun_json_free(item->keys);
		item->keys = keys;
		keys = NULL;
	}
	perun_json_free(keys);
	perun_free(path);
}

int perun_generate_externally(struct perun_generator_run *run)
{
	struct name_format format;
	const char *command, *output;
	struct dirent **names = NULL;
	char *folder;
	int count, status = perun_generator_text(run, "external_generator", NULL, &command);

	if (!status)
		status = perun_generator_text(run, "output_dir", NULL, &output);
	if (!status)
		status = perun_generator_text(run, "file_format", NULL, &format.text);
	if (!status)
		status = read_delimiters(run, &format);
	if (status)
		return status;
	folder = output[0] == '/' ? perun_strdup(output)
				  : perun_format("%s/%s", run->place->directory, output);
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		status = perun_fail_errno(run->ctx, PERUN_INPUT, errno,
					  "the generator %s: cannot make %s", run->id, folder);
	if (!status)
		status = run_generator(run, command);
	count = status ? 0 : scandir(folder, &names, NULL, by_version);
	if (count < 0)
		status = perun_fail_errno(run->ctx, PERUN_INPUT, errno,
					  "the generator %s: cannot read %s", run->id, folder);
	for (int i = 0; i < count; i++) {
		add_found(run, &format, folder, names[i]->d_name);
		free(names[i]);
	}
	if (!status && !run->workloads->count)
		status = perun_fail(run->ctx, PERUN_INPUT,
				    "the generator %s: no file in %s is of the form %s", run->id,
				    folder, format.text);
	free(names);
	perun_free(folder);
	return status;
}
