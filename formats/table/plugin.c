/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: any table of measurements: CSV, TSV, tables that are drawn, JSON lines, a JSON array of objects. Which column is
 * what follows from the headings, is printed, and can be said by options.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "formats/common/benchmark.h"
#include "formats/common/csv.h"
#include "formats/common/each-line.h"
#include "formats/table/boxed.h"
#include "formats/table/headings.h"

enum {
	UNIT_SIZE = 24,  /* of a cell */
	HEAD = 16 * 1024 /* in which a table that is drawn begins */
};

struct options {
	char *columns[KINDS]; /* names of headings; NULL = guess */
};

/* What the heading of a column of values says of them. */
struct column {
	char *metric, *unit;
	bool usual; /* the metric is a word for values: "mean" */
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_input *input;
	struct benchmark *benchmark;
	struct perun_lines *lines;
	const struct options *options;
	struct csv_line csv;
	char separator;
	uint64_t before; /* lines before the headings of a table that is drawn */
	bool boxed;      /* it is */
	bool left;       /* other lines followed its rows, so that another one may begin */
	char **headings;
	size_t heading_count, heading_room;
	struct perun_json *index; /* JSON: the columns of keys */
	char **cells;             /* JSON: of a row; those of other columns are NULL */
	double *numbers;          /* JSON: of the cells that are numbers and not needed as texts */
	size_t *present;          /* JSON: the columns that a row has, in order */
	size_t places[KINDS];     /* SIZE_MAX = none */
	bool *keys;               /* columns that are parts of the name */
	bool *values;             /* columns of numbers */
	struct column *columns;   /* those of values */
	bool *doubtful;           /* columns by which rows of one name may be other benchmarks */
	size_t doubtful_count;
	char *said;              /* which columns are what; reported when a measurement was found */
	size_t rates;            /* how many of them are per time: each is a metric of its own */
	struct perun_buffer uid; /* of the row */
	struct perun_buffer about; /* what is beside it */
	bool guessed;
};

static const struct perun_option options[] = {
	{.name = "name",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "COLUMN",
	 .help = "the column with the names of benchmarks"},
	{.name = "value",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "COLUMN",
	 .help = "the column with the measured values (default: all columns of numbers)"},
	{.name = "unit",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "COLUMN",
	 .help = "the column with the units of the values"},
	{.name = "metric",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "COLUMN",
	 .help = "the column with the names of what was measured"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->columns[NAME] = perun_strdup(perun_option_string(given, "name"));
	chosen->columns[VALUE] = perun_strdup(perun_option_string(given, "value"));
	chosen->columns[UNIT] = perun_strdup(perun_option_string(given, "unit"));
	chosen->columns[METRIC] = perun_strdup(perun_option_string(given, "metric"));
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	struct options *chosen = instance;

	for (size_t i = 0; i < KINDS; i++)
		perun_free(chosen->columns[i]);
	perun_free(chosen);
}

/* ---- columns --------------------------------------------------------------------------------- */

static size_t find_heading(const struct reading *reading, const char *wanted, int kind,
			   bool last_words)
{
	for (size_t i = 0; i < reading->heading_count; i++)
		if (wanted ? strcmp(reading->headings[i], wanted) == 0
			   : heading_is(reading->headings[i], kind))
			return i;
	for (size_t i = 0; last_words && !wanted && i < reading->heading_count; i++)
		if (heading_ends_in(reading->headings[i], kind))
			return i;
	return SIZE_MAX;
}

/* "ops/sec", "MB/s" */
static bool is_per_time(const char *unit)
{
	const char *slash = strchr(unit, '/');

	return slash && perun_unit_of(slash + 1).kind == PERUN_UNIT_TIME;
}

/* A time, "ns" or "ns/iter", or something per time. Other units may as well be part of a name: "64 KB". */
static bool is_unit_of_value(const char *unit)
{
	char *above = perun_strndup(unit, strcspn(unit, "/"));
	bool is = is_per_time(unit) || perun_unit_of(above).kind == PERUN_UNIT_TIME ||
		  strcmp(above, "ps") == 0;

	perun_free(above);
	return is;
}

/* Whether a deviation or a margin follows. */
static bool is_margin(const char *text)
{
	return strncmp(text, "\xc2\xb1", 2) == 0 || strncmp(text, "+-", 2) == 0 ||
	       strncmp(text, "+/-", 3) == 0;
}

/* "1,234.5", "12 %", "805.3 ns/iter", "215.4 ns ± 1.2 %": the number, and its unit as a copy that may be "". */
static bool read_measure(const char *text, double *number, char unit[static UNIT_SIZE])
{
	const size_t length = text ? benchmark_grouped(text, number) : 0;
	const char *rest;
	size_t size;

	*unit = '\0';
	if (!length || !isfinite(*number))
		return false;
	rest = text + length + strspn(text + length, " %");
	size = is_margin(rest) ? 0 : strcspn(rest, " ");
	if (size >= UNIT_SIZE)
		return false;
	memcpy(unit, rest, size);
	unit[size] = '\0';
	if (size && !is_unit_of_value(unit))
		return false;
	rest += size;
	rest += strspn(rest, " ");
	return !*rest || is_margin(rest);
}

static bool read_number(const char *text, double *number)
{
	char unit[UNIT_SIZE];

	return read_measure(text, number, unit);
}

/* The first column with a word for values that has a number in the first row: "result" may be a text. */
static size_t find_value(const struct reading *reading, char *const *cells)
{
	double number;

	for (size_t i = 0; i < reading->heading_count; i++)
		if (heading_is(reading->headings[i], VALUE) && read_number(cells[i], &number))
			return i;
	return SIZE_MAX;
}

static int choose_places(struct reading *reading, char *const *cells)
{
	for (int i = 0; i < KINDS; i++) {
		/* Several columns may end in "time": then all columns of numbers are values. */
		reading->places[i] = find_heading(reading, reading->options->columns[i], i,
						  i == NAME || i == UNIT);
		if (i == VALUE && !reading->options->columns[i])
			reading->places[i] = find_value(reading, cells);
		if (reading->options->columns[i] && reading->places[i] == SIZE_MAX)
			return perun_fail(reading->ctx, PERUN_INPUT, "there is no column '%s'",
					  reading->options->columns[i]);
	}
	return PERUN_OK;
}

/* `cell`: of the first row. */
static void describe_column(struct reading *reading, size_t place, const char *cell)
{
	struct column *column = &reading->columns[place];
	char unit[UNIT_SIZE];
	double number;

	column->metric = heading_split(reading->headings[place], &column->unit);
	column->usual = heading_is(column->metric, VALUE);
	reading->rates += is_per_time(column->unit) ||
			  (read_measure(cell, &number, unit) && is_per_time(unit));
}

/* Which columns are what, once something was measured in them. */
static void say_columns(struct reading *reading)
{
	if (reading->said && benchmark_count(reading->benchmark))
		perun_note(reading->ctx, "%s: %s", perun_input_name(reading->input), reading->said);
	perun_free(reading->said);
	reading->said = NULL;
}

/*
 * Whether a column is part of the name: without a column of names all texts are; else parameters are, unless the user
 * chose the name.
 */
static bool is_key(const struct reading *reading, size_t i, const char *cell)
{
	double number;

	if (reading->values[i] || heading_is(reading->headings[i], OTHER) || !cell || !*cell)
		return false;
	if (i == reading->places[NAME])
		return true;
	if (reading->places[NAME] == SIZE_MAX && !read_number(cell, &number))
		return true;
	return !reading->options->columns[NAME] && heading_is(reading->headings[i], PARAMETER);
}

/* Texts beside the name, and numbers such as a size: whether they tell benchmarks apart only later rows say. */
static bool is_doubtful(const struct reading *reading, size_t i, const char *cell)
{
	double number;

	if (reading->places[NAME] == SIZE_MAX || reading->options->columns[NAME] ||
	    reading->keys[i] || reading->values[i] || !cell || !*cell ||
	    heading_is(reading->headings[i], OTHER))
		return false;
	if (heading_is(reading->headings[i], QUANTITY))
		return true;
	/* What begins with a digit may be a date. */
	return !read_number(cell, &number) && (*cell < '0' || *cell > '9');
}

static bool is_value(const struct reading *reading, size_t i, const char *cell)
{
	const char *heading = reading->headings[i];
	double number;

	if (reading->places[VALUE] != SIZE_MAX)
		return i == reading->places[VALUE];
	return i != reading->places[NAME] && !heading_is(heading, OTHER) &&
	       (reading->options->columns[NAME] || !heading_is(heading, PARAMETER)) &&
	       read_number(cell, &number);
}

/*
 * From the first row: the named column of values, else all columns of numbers; texts are parts of the name, unless a
 * column is the name.
 */
static int choose_columns(struct reading *reading, char *const *cells)
{
	enum { MOST_SAID = 12 };
	struct perun_buffer said = {0};
	size_t chosen = 0;
	bool any = false;
	int status = choose_places(reading, cells);

	reading->keys = perun_alloc_zero(reading->heading_count + 1, sizeof *reading->keys);
	reading->values = perun_alloc_zero(reading->heading_count + 1, sizeof *reading->values);
	reading->doubtful = perun_alloc_zero(reading->heading_count + 1, sizeof *reading->doubtful);
	reading->columns = perun_alloc_zero(reading->heading_count + 1, sizeof *reading->columns);
	for (size_t i = 0; !status && i < reading->heading_count; i++) {
		if (i == reading->places[UNIT] || i == reading->places[METRIC] ||
		    i == reading->places[BETTER])
			continue;
		reading->values[i] = is_value(reading, i, cells[i]);
		reading->keys[i] = is_key(reading, i, cells[i]);
		reading->doubtful[i] = is_doubtful(reading, i, cells[i]);
		reading->doubtful_count += reading->doubtful[i];
		any = any || reading->values[i];
		if (reading->values[i])
			describe_column(reading, i, cells[i]);
		if ((reading->keys[i] || reading->values[i]) && chosen++ < MOST_SAID)
			perun_buffer_printf(&said, "%s%s in column %s", said.length ? ", " : "",
					    reading->keys[i] ? "name" : "value",
					    reading->headings[i]);
	}
	if (chosen > MOST_SAID)
		perun_buffer_printf(&said, " and %zu more", chosen - MOST_SAID);
	if (!status && !any)
		status = perun_fail(
			reading->ctx, PERUN_INPUT,
			"no column of numbers; name one with --format-option value=COLUMN");
	say_columns(reading);
	reading->said = perun_buffer_take(&said);
	reading->guessed = true;
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The text of a column, NULL = there is none. */
static const char *cell_of(const struct reading *reading, char *const *cells, int kind)
{
	return reading->places[kind] == SIZE_MAX ? NULL : cells[reading->places[kind]];
}

/* What was measured is in a column, such as "size" or "time(user)", or is the heading. */
static void add_value(const struct reading *reading, char *const *cells, size_t column,
		      const char *uid, double number, const char *unit)
{
	const struct column *about = &reading->columns[column];
	const char *given = cell_of(reading, cells, UNIT), *named = cell_of(reading, cells, METRIC);
	const char *better = cell_of(reading, cells, BETTER);
	const char *metric = named && *named ? named : about->metric, *open;
	const char *subtype = about->usual && metric == about->metric ? "real" : metric;
	char *inner = NULL;
	double seconds = number;

	open = strncmp(metric, "time(", 5) == 0 ? metric + 5 : NULL;
	if (open && open[0] && open[strlen(open) - 1] == ')')
		subtype = inner = perun_strndup(open, strlen(open) - 1);
	given = *unit ? unit : given ? given : about->unit;
	if ((better && strcmp(better, "higher") == 0 && !benchmark_to_seconds(&seconds, given)) ||
	    (reading->rates > 1 && !about->usual && is_per_time(given)))
		benchmark_value(reading->benchmark, uid, metric, given, true, number);
	else
		benchmark_in_unit(reading->benchmark, uid, subtype, metric, given, number);
	perun_free(inner);
}

/* A row of a name that occurred before, with other texts beside it, is another benchmark: "sort (compiler=gcc)". */
static void tell_apart(struct reading *reading, char *const *cells, const size_t *present,
		       size_t count)
{
	struct perun_buffer *about = &reading->about;
	const char *uid;

	perun_buffer_clear(about);
	for (size_t k = 0; k < count; k++) {
		size_t i = present ? present[k] : k;

		if (!reading->doubtful[i] || !cells[i])
			continue;
		perun_buffer_add_text(about, about->length ? ", " : "");
		perun_buffer_add_text(about, reading->headings[i]);
		perun_buffer_add_char(about, '=');
		perun_buffer_add_text(about, cells[i]);
	}
	perun_buffer_add_text(about, "");
	uid = benchmark_apart(reading->benchmark, reading->uid.data, about->data);
	if (uid != reading->uid.data) {
		perun_buffer_clear(&reading->uid);
		perun_buffer_add_text(&reading->uid, uid);
	}
}

/* `present`: the columns that the row has, in order; NULL = all. */
static void add_row(struct reading *reading, char *const *cells, const size_t *present,
		    size_t count)
{
	struct perun_buffer *uid = &reading->uid;
	char unit[UNIT_SIZE];
	double number;

	perun_buffer_clear(uid);
	for (size_t k = 0; k < count; k++) {
		size_t i = present ? present[k] : k;

		if (!reading->keys[i] || !cells[i])
			continue;
		if (uid->length)
			perun_buffer_add_char(uid, '/');
		perun_buffer_add_text(uid, cells[i]);
	}
	if (!uid->length)
		perun_buffer_add_text(uid, "benchmark");
	if (reading->doubtful_count)
		tell_apart(reading, cells, present, count);
	for (size_t k = 0; k < count; k++) {
		size_t i = present ? present[k] : k;

		if (!reading->values[i])
			continue;
		number = reading->numbers ? reading->numbers[i] : NAN;
		*unit = '\0';
		if (!isnan(number) || read_measure(cells[i], &number, unit))
			add_value(reading, cells, i, uid->data, number, unit);
	}
}

static int take_row(struct reading *reading, char *const *cells, const size_t *present,
		    size_t count)
{
	int status = reading->guessed ? PERUN_OK : choose_columns(reading, cells);

	if (!status)
		add_row(reading, cells, present, count);
	return status;
}

static void add_heading(struct reading *reading, const char *text)
{
	PERUN_GROW(reading->headings, reading->heading_count, reading->heading_room);
	reading->headings[reading->heading_count++] = perun_strdup(text + strspn(text, " "));
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Forget the columns of the table before. */
static void free_headings(struct reading *reading)
{
	for (size_t i = 0; reading->columns && i < reading->heading_count; i++) {
		perun_free(reading->columns[i].metric);
		perun_free(reading->columns[i].unit);
	}
	perun_free(reading->columns);
	for (size_t i = 0; i < reading->heading_count; i++)
		perun_free(reading->headings[i]);
	perun_free(reading->headings);
	perun_free(reading->keys);
	perun_free(reading->values);
	perun_free(reading->doubtful);
	reading->columns = NULL;
	reading->headings = NULL;
	reading->keys = reading->values = reading->doubtful = NULL;
	reading->heading_count = reading->heading_room = reading->rates = 0;
	reading->doubtful_count = 0;
	reading->guessed = false;
}

/* The line of headings, or a row, which is in reading->csv. */
static int take_fields(struct reading *reading)
{
	if (!reading->headings) {
		for (size_t i = 0; i < reading->csv.count; i++)
			add_heading(reading, reading->csv.fields[i]);
		return PERUN_OK;
	}
	if (reading->csv.count != reading->heading_count)
		return perun_fail(
			reading->ctx, PERUN_INPUT,
			"line %llu: expected %zu fields, as there are headings, found %zu",
			(unsigned long long)perun_lines_number(reading->lines),
			reading->heading_count, reading->csv.count);
	return take_row(reading, reading->csv.fields, NULL, reading->csv.count);
}

static int read_csv_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	(void)length;
	if (!line[strspn(line, " \t\r")] || *line == '#')
		return PERUN_OK;
	if (!reading->headings)
		reading->separator = csv_separator(line);
	if (!csv_split(&reading->csv, line, reading->separator))
		return perun_fail(reading->ctx, PERUN_INPUT, "line %llu: a quote has no end",
				  (unsigned long long)perun_lines_number(reading->lines));
	return take_fields(reading);
}

/* What is between tables is passed over. */
static int read_boxed_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	(void)length;
	if (perun_lines_number(reading->lines) <= reading->before)
		return PERUN_OK;
	if (boxed_is_rule(line)) {
		reading->left = reading->left || boxed_is_top(line);
		return PERUN_OK;
	}
	if (!boxed_split(&reading->csv, line)) {
		reading->left = true;
		return PERUN_OK;
	}
	if (reading->left)
		free_headings(reading);
	reading->left = false;
	return take_fields(reading);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The headings are the keys of the first object. */
static void take_headings(struct reading *reading, const struct perun_json *object)
{
	size_t count = perun_json_count(object);

	reading->index = perun_json_object();
	reading->cells = perun_alloc_zero(count + 1, sizeof *reading->cells);
	reading->numbers = perun_alloc_zero(count + 1, sizeof *reading->numbers);
	reading->present = perun_alloc_zero(count + 1, sizeof *reading->present);
	for (size_t i = 0; i < count; i++) {
		const char *key;

		perun_json_pass(object, i, &key);
		perun_json_set(reading->index, key, perun_json_int64((int64_t)i));
		add_heading(reading, key);
	}
}

/* Whether a column of numbers is that alone, so that no text is made of them. */
static bool is_value_alone(const struct reading *reading, size_t place)
{
	return reading->guessed && reading->values[place] && !reading->keys[place] &&
	       place != reading->places[UNIT] && place != reading->places[METRIC] &&
	       place != reading->places[BETTER];
}

/* False: the row does not have it. */
static bool take_cell(struct reading *reading, size_t place, const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	char digits[PERUN_JSON_NUMBER_SIZE];
	double number;

	reading->numbers[place] = NAN;
	if (!text && !perun_json_as_double(value, &number))
		return false;
	if (!text && isfinite(number) && is_value_alone(reading, place)) {
		reading->numbers[place] = number;
		return true;
	}
	if (!text)
		perun_json_print_double(number, digits);
	reading->cells[place] = perun_strdup(text ? text : digits);
	return true;
}

static int compare_places(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* A row costs as much as it has members, of however many columns. */
static int take_object(struct reading *reading, const struct perun_json *object)
{
	const struct perun_json *source = perun_json_get(object, "_source");
	size_t count = 0;
	int status;

	/* A hit of Elasticsearch. */
	if (perun_json_type(source) == PERUN_JSON_TYPE_OBJECT)
		object = source;
	if (perun_json_type(object) != PERUN_JSON_TYPE_OBJECT)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected an object for a row, found %s",
				  perun_json_type_name(perun_json_type(object)));
	if (!reading->index)
		take_headings(reading, object);
	for (size_t i = 0; i < perun_json_count(object); i++) {
		const char *key;
		const struct perun_json *value = perun_json_pass(object, i, &key);
		int64_t place;

		if (!perun_json_as_int64(perun_json_get(reading->index, key), &place))
			continue;
		if (take_cell(reading, (size_t)place, value))
			reading->present[count++] = (size_t)place;
	}
	qsort(reading->present, count, sizeof *reading->present, compare_places);
	status = take_row(reading, reading->cells, reading->present, count);
	for (size_t i = 0; i < count; i++) {
		perun_free(reading->cells[reading->present[i]]);
		reading->cells[reading->present[i]] = NULL;
	}
	return status;
}

static int read_json_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	struct perun_json *object;
	int status;

	if (!line[strspn(line, " \t\r")])
		return PERUN_OK;
	status = perun_json_parse(reading->ctx, line, length, NULL, &object);
	if (!status)
		status = take_object(reading, object);
	if (status)
		perun_fail(reading->ctx, PERUN_OK, "line %llu of the file",
			   (unsigned long long)perun_lines_number(reading->lines));
	perun_json_free(object);
	return status;
}

static int read_element(void *data, const struct perun_json *object, const char *key, size_t at)
{
	(void)key;
	(void)at;
	return take_object(data, object);
}

/* The first byte is that of an array. */
static int read_array(struct reading *reading)
{
	struct perun_json *document;
	int status = benchmark_read(reading->ctx, reading->input, NULL, read_element, reading,
				    &document);

	perun_json_free(document);
	return status;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* `at`: of the first byte of `head` that is not blank. */
static line_reader *choose_reader(struct reading *reading, const char *head, size_t size, size_t at)
{
	size_t headings;

	if (at < size && head[at] == '{')
		return read_json_line;
	headings = boxed_headings(head, size);
	if (headings == SIZE_MAX)
		return read_csv_line;
	for (size_t i = 0; i < headings; i++)
		reading->before += head[i] == '\n';
	return read_boxed_line;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .input = input, .options = instance};
	char head[HEAD];
	size_t got = 0, at = 0;
	int status = perun_input_read(ctx, input, head, sizeof head, &got);

	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	while (at < got && is_blank(head[at]))
		at++;
	reading.benchmark = benchmark_begin(ctx, builder, "table", input);
	reading.lines = perun_lines_new(input, 0);
	if (!status && at < got && head[at] == '[')
		status = read_array(&reading);
	else if (!status)
		status = read_each_line(ctx, reading.lines, choose_reader(&reading, head, got, at),
					&reading);
	perun_lines_free(reading.lines);
	say_columns(&reading);
	perun_json_free(reading.index);
	perun_free(reading.cells);
	perun_free(reading.numbers);
	perun_free(reading.present);
	free_headings(&reading);
	perun_buffer_free(&reading.uid);
	perun_buffer_free(&reading.about);
	perun_free(reading.csv.fields);
	return benchmark_end(reading.benchmark, status);
}

/* Whether a member of an object is the name of a benchmark, or a value; its value is next. */
static void note_member(struct perun_json_reader *json, bool *name, bool *value)
{
	const struct perun_json_token *token = perun_json_token(json);
	char *key = perun_strndup(token->text, token->length), *text = NULL;
	enum perun_json_event event = perun_json_next(json);
	double number;

	if (event == PERUN_JSON_STRING)
		text = perun_strndup(token->text, token->length);
	*name |= text && (heading_is(key, NAME) || heading_ends_in(key, NAME));
	*value |= (event == PERUN_JSON_NUMBER || read_number(text, &number)) &&
		  heading_says_value(key);
	perun_json_skip(json);
	perun_free(key);
	perun_free(text);
}

/* An array of objects, or objects one after the other, of which the first one has a name and a value. */
static int probe_objects(const struct perun_probe *probe)
{
	struct perun_json_reader *json =
		perun_json_reader_new_text(NULL, probe->data, probe->size, NULL);
	const char *data = probe->data;
	enum perun_json_event event = perun_json_next(json);
	bool array = event == PERUN_JSON_ARRAY_START, name = false, value = false;
	uint64_t end;

	if (array)
		event = perun_json_next(json);
	if (event == PERUN_JSON_OBJECT_START) {
		while ((event = perun_json_next(json)) == PERUN_JSON_KEY)
			note_member(json, &name, &value);
	}
	end = perun_json_offset(json);
	perun_json_reader_free(json);
	if (event != PERUN_JSON_OBJECT_END || !name || !value)
		return 0;
	while (end < probe->size && is_blank(data[end]))
		end++;
	return array || (end < probe->size && data[end] == '{') ? 30 : 0;
}

/* Headings with words that it knows, in CSV and TSV, whose other readers are surer. */
static int probe_lines(const struct perun_probe *probe)
{
	const char *data = probe->data, *newline = memchr(data, '\n', probe->size);
	struct csv_line csv = {0};
	char *line;
	bool name = false, value = false;

	if (!newline || newline - data > 4096 || *data == '<')
		return 0;
	line = perun_strndup(data, (size_t)(newline - data));
	line[strcspn(line, "\r")] = '\0';
	if (csv_split(&csv, line, csv_separator(line)) && csv.count > 1)
		for (size_t i = 0; i < csv.count; i++) {
			name = name || heading_is(csv.fields[i], NAME);
			value = value || heading_says_value(csv.fields[i]) ||
				heading_is(csv.fields[i], UNIT);
		}
	perun_free(csv.fields);
	perun_free(line);
	return name && value ? 40 : 0;
}

/* The cells of a row, in its own bytes; the caller frees both. */
static char *split_row(const char *text, size_t size, struct csv_line *cells)
{
	const char *newline = memchr(text, '\n', size);
	char *line = perun_strndup(text, newline ? (size_t)(newline - text) : size);

	cells->count = 0;
	if (!boxed_is_rule(line))
		boxed_split(cells, line);
	return line;
}

/* A table that is drawn, whose first row has a name and a value with a unit there or in its heading. */
static int probe_boxed(const struct perun_probe *probe)
{
	const char *data = probe->data, *newline;
	const size_t size = probe->size < HEAD ? probe->size : HEAD;
	size_t at = boxed_headings(data, size);
	struct csv_line headings = {0}, cells = {0};
	char *line = NULL, *row = NULL, unit[UNIT_SIZE];
	bool name = false, value = false;
	double number;

	if (at != SIZE_MAX)
		line = split_row(data + at, size - at, &headings);
	while (line && !cells.count && (newline = memchr(data + at, '\n', size - at))) {
		at = (size_t)(newline + 1 - data);
		perun_free(row);
		row = split_row(data + at, size - at, &cells);
	}
	for (size_t i = 0; cells.count == headings.count && i < cells.count; i++) {
		bool is = read_measure(cells.fields[i], &number, unit);

		name = name || (!is && *cells.fields[i]);
		value = value || (is && (*unit || heading_says_value(headings.fields[i])));
	}
	perun_free(row);
	perun_free(line);
	perun_free(headings.fields);
	perun_free(cells.fields);
	return name && value ? 30 : 0;
}

/* What has the words that it knows, and that no other reader claims. */
static int probe_format(const struct perun_probe *probe)
{
	const char *data = probe->data;
	size_t at = 0;
	int sureness;

	if (probe->directory || memchr(data, '\0', probe->size))
		return 0;
	while (at < probe->size && is_blank(data[at]))
		at++;
	if (at < probe->size && (data[at] == '[' || data[at] == '{'))
		return probe_objects(probe);
	sureness = probe_lines(probe);
	return sureness ? sureness : probe_boxed(probe);
}

FORMAT_PLUGIN(table, "table", "any table of measurements", options, .open = open_format,
	      .close = close_format, .probe = probe_format, .read = read_format);
