/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deno and mitata print tables of one kind, with headings such as "benchmark  time (avg)  (min … max)":
 *
 *     URL parsing      5.12 µs/iter (4.9 µs … 7.1 µs)      mitata, Deno 1
 *     URL parsing           5.12 µs       195,300 (4.9 µs … 7.1 µs)      Deno 2
 */
#include <string.h>

#include <perun/lib/path.h>
#include <perun/lib/units.h>

#include "formats/benchmarkjs/deno.h"

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

void deno_free(struct deno *deno)
{
	perun_free(deno->file);
	perun_free(deno->group);
	memset(deno, 0, sizeof *deno);
}

static void set(char **text, const char *value)
{
	perun_free(*text);
	*text = *value ? perun_strdup(value) : NULL;
}

/* "url_bench.ts > group > name", as vitest has it. */
static char *uid_of(const char *file, const char *group, const char *name)
{
	return perun_format("%s%s%s%s%s", file ? file : "", file ? " > " : "", group ? group : "",
			    group ? " > " : "", name);
}

static void trim(char *text)
{
	size_t length = strlen(text);

	while (length && text[length - 1] == ' ')
		text[--length] = '\0';
}

/* Take the last word off a text; NULL: there is but one. */
static char *take_word(char *text)
{
	char *blank;

	trim(text);
	blank = strrchr(text, ' ');
	if (!blank)
		return NULL;
	*blank = '\0';
	return blank + 1;
}

/* A line's name, before the time that `end` follows; false: it has none. */
static bool take_time(char *line, char *end, double *value, char **unit)
{
	char *number;

	*end = '\0';
	*unit = take_word(line);
	if (!*unit || (perun_unit_of(*unit).kind != PERUN_UNIT_TIME && strcmp(*unit, "ps") != 0))
		return false;
	number = take_word(line);
	if (!number || benchmark_grouped(number, value) != strlen(number))
		return false;
	trim(line);
	return *line;
}

/* Where the time of a line ends. */
static char *end_of_time(const struct deno *deno, char *line)
{
	char *open, *rate;

	if (!deno->bare)
		return strstr(line, "/iter");
	open = strstr(line, "\xe2\x80\xa6");
	while (open && open > line && !starts(open, " ("))
		open--;
	if (!open || open == line)
		return NULL;
	*open = '\0';
	rate = take_word(line);
	return rate && strspn(rate, "0123456789,.") == strlen(rate) ? rate - 1 : NULL;
}

bool deno_line(struct deno *deno, struct benchmark *benchmark, char *line)
{
	char *unit, *end, *uid;
	double value;

	if (strstr(line, DENO_MARK)) {
		deno->bare = strstr(line, "time/iter");
		return deno->inside = true;
	}
	if (starts(line, "file://")) {
		set(&deno->file, perun_path_base_name(line));
		set(&deno->group, "");
	} else if (starts(line, "\xe2\x80\xa2 ")) {
		set(&deno->group, line + strlen("\xe2\x80\xa2 "));
	} else if (starts(line, "group ")) {
		set(&deno->group, line + strlen("group "));
	} else if (deno->inside && *line != ' ' && (end = end_of_time(deno, line)) &&
		   take_time(line, end, &value, &unit)) {
		uid = uid_of(deno->file, deno->group, line);
		benchmark_in_unit(benchmark, uid, "real", NULL, unit, value);
		perun_free(uid);
	}
	return deno->inside;
}

/* ---- JSON -------------------------------------------------------------------------------------- */

/* {"origin": "file:///a_bench.ts", "group": null, "name": "a", "results": [{"ok": {"avg": 5120.5}}]}: nanoseconds */
static int take_bench(void *data, const struct perun_json *bench, const char *key, size_t at)
{
	const struct perun_json *results = perun_json_get(bench, "results");
	const char *origin = perun_json_as_string(perun_json_get(bench, "origin"), NULL);
	char *uid = uid_of(origin ? perun_path_base_name(origin) : NULL,
			   perun_json_as_string(perun_json_get(bench, "group"), NULL),
			   perun_json_get_text(bench, "name"));
	double value;

	(void)key;
	(void)at;
	for (size_t i = 0; i < perun_json_count(results); i++) {
		const struct perun_json *result = perun_json_pass(results, i, NULL);

		if (perun_json_as_double(perun_json_path(result, "/ok/avg"), &value))
			benchmark_time(data, uid, "real", value / 1e9);
		else if (perun_json_get(result, "failed"))
			benchmark_failed(data, uid, "");
	}
	perun_free(uid);
	return PERUN_OK;
}

int deno_read_json(struct perun_ctx *ctx, struct perun_input *input, struct benchmark *benchmark)
{
	struct perun_json *document;
	int status = benchmark_read(ctx, input, "benches", take_bench, benchmark, &document);

	if (!status) {
		benchmark_machine(benchmark, "cpu", "model",
				  perun_json_as_string(perun_json_get(document, "cpu"), NULL));
		benchmark_machine(benchmark, "toolchain", NULL,
				  perun_json_as_string(perun_json_get(document, "runtime"), NULL));
	}
	perun_json_free(document);
	return status;
}
