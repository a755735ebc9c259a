/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of versions from a file. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/history.h>
#include <perun/lib/statistics.h>

struct perun_value_file {
	struct perun_strand strand; /* points into the rest */
	double *values, *repeats;
	size_t *starts;
	char **labels;
	size_t count, capacity, repeat_count, repeat_capacity;
};

static void add(struct perun_value_file *series, const double *repeats, size_t count,
		const char *label)
{
	size_t i = series->count, capacity = series->capacity;

	PERUN_GROW(series->values, series->count, series->capacity);
	if (series->capacity != capacity) {
		series->starts = perun_realloc_array(series->starts, series->capacity + 1,
						     sizeof *series->starts);
		series->labels = perun_realloc_array(series->labels, series->capacity,
						     sizeof *series->labels);
	}
	series->starts[i] = series->repeat_count;
	for (size_t j = 0; j < count; j++) {
		PERUN_GROW(series->repeats, series->repeat_count, series->repeat_capacity);
		series->repeats[series->repeat_count++] = repeats[j];
	}
	series->values[i] = perun_median(repeats, count);
	series->labels[i] = perun_strdup(label);
	series->count++;
	series->starts[series->count] = series->repeat_count;
}

static void complete(struct perun_value_file *series)
{
	series->strand = (struct perun_strand){.struct_size = sizeof series->strand,
					       .command = "",
					       .metric = "value",
					       .location = "series",
					       .count = series->count,
					       .values = series->values,
					       .repeats = series->repeats,
					       .starts = series->starts,
					       .labels = (const char *const *)series->labels};
}

void perun_value_file_free(struct perun_value_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->count; i++)
		perun_free(file->labels[i]);
	perun_free(file->values);
	perun_free(file->starts);
	perun_free(file->repeats);
	perun_free(file->labels);
	perun_free(file);
}

const struct perun_strand *perun_value_file_strand(const struct perun_value_file *file)
{
	return &file->strand;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static int add_json_point(struct perun_ctx *ctx, const struct perun_json *point, size_t i,
			  struct perun_value_file *series)
{
	size_t count = perun_json_count(point), used = 0;
	double value, *repeats;
	int status = PERUN_OK;

	if (perun_json_as_double(point, &value)) {
		if (isinf(value))
			return perun_fail(ctx, PERUN_INPUT, "element %zu is infinite", i);
		add(series, &value, !isnan(value), NULL);
		return PERUN_OK;
	}
	if (perun_json_type(point) == PERUN_JSON_TYPE_NULL) {
		add(series, NULL, 0, NULL);
		return PERUN_OK;
	}
	if (perun_json_type(point) != PERUN_JSON_TYPE_ARRAY)
		return perun_fail(ctx, PERUN_INPUT,
				  "element %zu: expected a number, an array of repeats or null, "
				  "not %s",
				  i, perun_json_type_name(perun_json_type(point)));
	repeats = perun_alloc_zero(count + 1, sizeof *repeats);
	for (size_t j = 0; !status && j < count; j++) {
		const struct perun_json *repeat = perun_json_at(point, j);

		if (perun_json_as_double(repeat, &value) && !isinf(value))
			repeats[used] = value;
		else if (perun_json_type(repeat) != PERUN_JSON_TYPE_NULL)
			status = perun_fail(
				ctx, PERUN_INPUT,
				"element %zu, repeat %zu: expected a finite number, not %s", i, j,
				perun_json_type_name(perun_json_type(repeat)));
		else
			continue;
		used += !isnan(repeats[used]);
	}
	if (!status)
		add(series, repeats, used, NULL);
	perun_free(repeats);
	return status;
}

static int read_json(struct perun_ctx *ctx, const char *text, size_t size,
		     struct perun_value_file *series)
{
	struct perun_json *document = NULL;
	int status = perun_json_parse(ctx, text, size, NULL, &document);

	if (!status && perun_json_type(document) != PERUN_JSON_TYPE_ARRAY)
		status = perun_fail(ctx, PERUN_INPUT,
				    "expected an array with an element for each version, not %s",
				    perun_json_type_name(perun_json_type(document)));
	for (size_t i = 0; !status && i < perun_json_count(document); i++)
		status = add_json_point(ctx, perun_json_at(document, i), i, series);
	perun_json_free(document);
	return status;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* The text that is split in place. */
struct records {
	char *at, *end; /* what is left; *end is a zero */
	uint64_t line, next_line;
	char separator;
	bool unclosed; /* a quote, to the end of the text */
};

/* What is between the fields of the first line, outside of quotes. */
static char separator_of(const char *text)
{
	static const char known[] = ",;\t";
	size_t best = sizeof known - 1;
	bool quoted = false;

	for (; *text && (quoted || *text != '\n'); text++) {
		const char *found = quoted ? NULL : strchr(known, *text);

		quoted ^= *text == '"';
		if (found && (size_t)(found - known) < best)
			best = (size_t)(found - known);
	}
	return known[best];
}

/* A field in place, without its quotes. Returns whether another one follows in the record. */
static bool next_field(struct records *records, char **field)
{
	char *to = records->at, *from = records->at;
	bool quoted = *from == '"', more;

	*field = to;
	from += quoted;
	while (*from && (quoted || (*from != records->separator && *from != '\n'))) {
		records->next_line += *from == '\n';
		if (quoted && *from == '"' && *++from != '"')
			quoted = false;
		else
			*to++ = *from++;
	}
	if ((!*from || *from == '\n') && to > *field && to[-1] == '\r')
		to--;
	records->unclosed |= quoted;
	more = *from && *from == records->separator;
	records->next_line += *from == '\n';
	records->at = from + (*from != '\0');
	*to = '\0';
	return more;
}

/* Split the next record. Returns the number of fields. */
static size_t split(struct records *records, char ***fields, size_t *capacity)
{
	size_t count = 0;
	bool more = true;

	records->line = records->next_line;
	while (more) {
		PERUN_GROW(*fields, count, *capacity);
		more = next_field(records, &(*fields)[count++]);
	}
	return count;
}

static bool is_missing(const char *text)
{
	return !*text || strcasecmp(text, "na") == 0 || strcasecmp(text, "nan") == 0 ||
	       strcasecmp(text, "null") == 0;
}

static bool is_number(const char *text, double *value)
{
	char *end;

	text += strspn(text, " ");
	*value = NAN;
	if (is_missing(text))
		return true;
	if (text[strspn(text, "+-0123456789.eE ")] != '\0')
		return false;
	*value = perun_strtod(text, &end);
	end += strspn(end, " ");
	return !*end && isfinite(*value);
}

struct table {
	char **fields;
	size_t count, capacity;
	size_t column, columns; /* the wanted one; SIZE_MAX until it is known */
};

static int choose_column(struct perun_ctx *ctx, struct table *table, const char *column)
{
	char *end;
	size_t number;

	table->columns = table->count;
	table->column = table->count - 1;
	if (!column)
		return PERUN_OK;
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(table->fields[i], column) == 0) {
			table->column = i;
			return PERUN_OK;
		}
	}
	number = strtoul(column, &end, 10);
	if (*end || number < 1 || number > table->count)
		return perun_fail(ctx, PERUN_USAGE, "there is no column '%s' among the %zu columns",
				  column, table->count);
	table->column = number - 1;
	return PERUN_OK;
}

static int add_csv_line(struct perun_ctx *ctx, struct table *table, const char *column,
			uint64_t number, struct perun_value_file *series)
{
	const char *label = NULL;
	double value;
	int status = PERUN_OK;

	if (table->columns == 0) {
		status = choose_column(ctx, table, column);
		/* A first line that is not a number is a header. */
		if (status || !is_number(table->fields[table->column], &value))
			return status;
	}
	if (table->count <= table->column)
		return perun_fail(ctx, PERUN_INPUT,
				  "line %" PRIu64 ": expected %zu columns, found %zu", number,
				  table->columns, table->count);
	if (!is_number(table->fields[table->column], &value))
		return perun_fail(ctx, PERUN_INPUT,
				  "line %" PRIu64 ", column %zu: expected a number or nothing, "
				  "found '%s'",
				  number, table->column + 1, table->fields[table->column]);
	if (table->column > 0)
		label = table->fields[0];
	add(series, &value, !isnan(value), label);
	return status;
}

static int read_csv(struct perun_ctx *ctx, const char *data, size_t size, const char *column,
		    struct perun_value_file *series)
{
	char *text = perun_strndup(data, size);
	struct records records = {.at = text, .next_line = 1, .separator = separator_of(text)};
	struct table table = {0};
	int status = PERUN_OK;

	records.end = text + strlen(text);
	if ((size_t)(records.end - text) != size)
		status = perun_fail(ctx, PERUN_INPUT, "byte %zu is zero: this is not CSV",
				    (size_t)(records.end - text));
	while (!status && records.at < records.end) {
		bool blank;

		table.count = split(&records, &table.fields, &table.capacity);
		blank = table.count == 1 && !table.fields[0][strspn(table.fields[0], " \t")];
		/* An empty line is a missing value only where values are alone. */
		if (blank && (table.columns > 1 || !series->count))
			continue;
		status = records.unclosed ? perun_fail(ctx, PERUN_INPUT,
						       "line %" PRIu64 ": a quote is not closed",
						       records.line)
					  : add_csv_line(ctx, &table, column, records.line, series);
	}
	perun_free(table.fields);
	perun_free(text);
	return status;
}

int perun_value_file_read(struct perun_ctx *ctx, const char *path, const char *column,
			  struct perun_value_file **file)
{
	struct perun_value_file *series = perun_alloc_zero(1, sizeof *series);
	struct perun_input *input;
	const void *data;
	const char *text;
	size_t size, start = 0, at;
	int status = perun_input_open(ctx, path, &input);

	*file = series;
	complete(series);
	if (status)
		return status;
	status = perun_input_map(ctx, input, 0, &data, &size);
	text = data;
	/* What some programs write before UTF-8. */
	if (!status && size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		start = 3;
	at = start;
	while (!status && at < size && strchr(" \t\r\n", text[at]))
		at++;
	if (!status && at < size && (text[at] == '[' || text[at] == '{'))
		status = read_json(ctx, text + start, size - start, series);
	else if (!status && at == size)
		status = perun_fail(
			ctx, PERUN_INPUT,
			"nothing is in it: expected an array, or a line for each version");
	else if (!status)
		status = read_csv(ctx, text + start, size - start, column, series);
	if (status)
		perun_fail(ctx, PERUN_OK, "%s", perun_input_name(input));
	perun_input_close(input);
	complete(series);
	return status;
}
