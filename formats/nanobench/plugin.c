/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nanobench: the JSON of ankerl::nanobench's template json(), where each measurement is a repeat, the CSV of its template
 * csv(), and the tables that it prints.
 */
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"
#include "formats/common/result-table.h"

/* Measurements are seconds for each iteration, of a batch of operations. */
static int read_result(void *data, const struct perun_json *result, const char *key, size_t at)
{
	struct benchmark *benchmark = data;
	const struct perun_json *list = perun_json_get(result, "measurements");
	const char *title = perun_json_get_text(result, "title");
	char *uid = perun_format("%s%s%s", title, *title ? "/" : "",
				 perun_json_get_text(result, "name"));
	size_t before = benchmark_count(benchmark);
	double batch = 1, value;

	if (!perun_json_as_double(perun_json_get(result, "batch"), &batch) || !(batch > 0))
		batch = 1;
	for (size_t i = 0; i < perun_json_count(list); i++)
		if (perun_json_as_double(perun_json_get(perun_json_pass(list, i, NULL), "elapsed"),
					 &value))
			benchmark_time(benchmark, uid, "real", value / batch);
	if (benchmark_count(benchmark) > before)
		benchmark_samples(benchmark, "time(real)");
	else if (perun_json_as_double(perun_json_get(result, "median(elapsed)"), &value))
		benchmark_time(benchmark, uid, "real", value / batch);
	perun_free(uid);
	(void)key;
	(void)at;
	return PERUN_OK;
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* Cells of a line. */
struct cells {
	char **items;
	size_t count, room;
};

/* A table: the headings are "relative", "ns/op", "op/s", "err%", "ins/op" ..., and last the title. */
struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct benchmark *benchmark;
	char **headings;
	size_t count, room;
	struct cells cells; /* of the line */
};

static void forget_headings(struct reading *reading)
{
	while (reading->count)
		perun_free(reading->headings[--reading->count]);
}

/* "| a | b |" in place: the cells without blanks around them. */
static void split_cells(char *line, struct cells *cells)
{
	char *next;

	cells->count = 0;
	for (char *at = line + 1;; at = next + 1) {
		char *end = next = strchr(at, '|');

		/* The name may be followed by advice, without another bar. */
		if (!next && !at[strspn(at, " ")])
			break;
		end = end ? end : at + strlen(at);
		at += strspn(at, " ");
		while (end > at && end[-1] == ' ')
			end--;
		*end = '\0';
		PERUN_GROW(cells->items, cells->count, cells->room);
		cells->items[cells->count++] = at;
		if (!next)
			break;
	}
}

/* The name is in backquotes, with a mark before it and advice after it where it was unstable. */
static void add_row(struct reading *reading, char **cells)
{
	char *name = strchr(cells[reading->count - 1], '`'),
	     *end = name ? strchr(name + 1, '`') : NULL;
	char *uid;

	if (!end)
		return;
	*end = '\0';
	uid = perun_format("%s/%s", reading->headings[reading->count - 1], name + 1);
	for (size_t i = 0; i + 1 < reading->count; i++) {
		const char *heading = reading->headings[i], *slash = strchr(heading, '/');
		char *unit = perun_strndup(heading, slash ? (size_t)(slash - heading) : 0);
		double value;

		/* Rates, shares and errors follow from the times. */
		if (slash && strcmp(slash, "/s") != 0 && benchmark_grouped(cells[i], &value)) {
			if (benchmark_to_seconds(&value, unit))
				benchmark_time(reading->benchmark, uid, "real", value);
			else
				benchmark_value(reading->benchmark, uid, unit, heading, false,
						value);
		}
		perun_free(unit);
	}
	perun_free(uid);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	char **cells;
	size_t count;

	(void)length;
	if (*line != '|' || line[1] == '-')
		return PERUN_OK;
	split_cells(line, &reading->cells);
	cells = reading->cells.items;
	count = reading->cells.count;
	if (count > 2 && !strchr(cells[count - 1], '`')) {
		forget_headings(reading);
		for (; reading->count < count; reading->count++) {
			PERUN_GROW(reading->headings, reading->count, reading->room);
			reading->headings[reading->count] = perun_strdup(cells[reading->count]);
		}
	} else if (count == reading->count && count) {
		add_row(reading, cells);
	}
	return PERUN_OK;
}

/* What whole lines of results end in. */
static const char *const endings[] = {"`", NULL};

static int read_tables(struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx,
				  .lines = perun_lines_new(input, 0),
				  .benchmark = benchmark_begin(ctx, builder, "nanobench", input)};
	int status = read_each_log_line(ctx, reading.lines, read_line, &reading, endings);

	perun_lines_free(reading.lines);
	forget_headings(&reading);
	perun_free(reading.headings);
	perun_free(reading.cells.items);
	return benchmark_end(reading.benchmark, status);
}

/* ---- CSV --------------------------------------------------------------------------------------- */

/* "title";"name";"unit";"batch";"elapsed";"error %";"instructions";"branches";"branch misses";"total" */
static int take_row(void *data, const struct result_table *table)
{
	static const char *const counters[][2] = {{"instructions", "ins"}, {"branches", "bra"}};
	struct benchmark *benchmark = data;
	const char *title = result_table_value(table, "title", NULL, NULL);
	const char *unit = result_table_value(table, "unit", NULL, NULL);
	const char *name = result_table_value(table, "name", NULL, NULL);
	char *uid = perun_format("%s%s%s", title ? title : "", title && *title ? "/" : "",
				 name ? name : "");
	double batch = 1, value;

	if (!result_table_number(table, "batch", &batch) || !(batch > 0))
		batch = 1;
	if (result_table_number(table, "elapsed", &value))
		benchmark_time(benchmark, uid, "real", value / batch);
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		char *per = perun_format("%s/%s", counters[i][1], unit && *unit ? unit : "op");

		/* Where the machine does not count, they are 0. */
		if (result_table_number(table, counters[i][0], &value) && value > 0)
			benchmark_value(benchmark, uid, counters[i][1], per, false, value / batch);
		perun_free(per);
	}
	perun_free(uid);
	return PERUN_OK;
}

static int read_csv(struct perun_ctx *ctx, struct perun_input *input, struct perun_builder *builder)
{
	struct benchmark *benchmark = benchmark_begin(ctx, builder, "nanobench", input);

	return benchmark_end(benchmark,
			     result_table_read(ctx, input, "elapsed", take_row, benchmark));
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static int read_json(struct perun_ctx *ctx, struct perun_input *input,
		     struct perun_builder *builder)
{
	const struct perun_json *results;
	struct benchmark *benchmark = benchmark_begin(ctx, builder, "nanobench", input);
	struct perun_json *document;
	int status = benchmark_read(ctx, input, "results", read_result, benchmark, &document);

	if (!status)
		status = benchmark_member(ctx, document, "", "results", PERUN_JSON_TYPE_ARRAY,
					  &results);
	status = benchmark_end(benchmark, status);
	perun_json_free(document);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (status)
		return status;
	if (first == '"')
		return read_csv(ctx, input, builder);
	return first == '{' ? read_json(ctx, input, builder) : read_tables(ctx, input, builder);
}

#define CSV "\"title\";\"name\";\"unit\";\"batch\";\"elapsed\";"

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_starts(probe, CSV))
		return 95;
	if (probe_has(probe, "/s |    err% |") && probe_has(probe, "|---"))
		return 92;
	return probe_has(probe, "\"results\"") && probe_has(probe, "\"median(elapsed)\"") ? 95 : 0;
}

static const char *const marks[] = {"/s |    err% |", "\"median(elapsed)\"", CSV, NULL};

FORMAT_PLUGIN(nanobench, "nanobench", "results of nanobench", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
