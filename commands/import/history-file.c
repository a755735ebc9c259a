/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories that are one file: data.js of github-action-benchmark, what Bencher exports. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "history.h"

#define DATA_JS "window.BENCHMARK_DATA"

/* ---- dates ------------------------------------------------------------------------------------ */

/* Days since the epoch, of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t era;

	year -= month <= 2;
	era = year / 400;
	year %= 400;
	month += month > 2 ? -3 : 9;
	return era * 146097 + year * 365 + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1 -
	       719468;
}

/* `count` digits as a number; -1 where there are others. */
static int64_t take_digits(const char **text, int count)
{
	int64_t number = 0;

	for (; count > 0; count--, ++*text) {
		if (**text < '0' || **text > '9')
			return -1;
		number = number * 10 + (**text - '0');
	}
	return number;
}

/* "12:00", "12:00:05.25", then "Z", "+01:00", "-0330", " UTC" or nothing; false: something else. */
static bool take_time(const char *text, int64_t *seconds)
{
	int64_t hour = take_digits(&text, text[0] && text[1] == ':' ? 1 : 2);
	int64_t minute, second = 0, zone = 0;
	int sign;

	if (hour < 0 || *text++ != ':' || (minute = take_digits(&text, 2)) < 0)
		return false;
	if (*text == ':') {
		text++;
		second = take_digits(&text, 2);
		if (*text == '.' || *text == ',')
			text += 1 + strspn(text + 1, "0123456789");
	}
	text += *text == ' ';
	if (*text == '+' || *text == '-') {
		sign = *text++ == '-' ? -1 : 1;
		zone = take_digits(&text, 2) * 3600;
		text += *text == ':';
		if (*text)
			zone += take_digits(&text, 2) * 60;
		zone *= sign;
	} else if (*text == 'Z') {
		text++;
	} else if (strcmp(text, "UTC") == 0 || strcmp(text, "GMT") == 0) {
		text += 3;
	}
	*seconds = hour * 3600 + minute * 60 + second - zone;
	return !*text && hour < 25 && minute < 60 && second >= 0 && second < 61;
}

bool history_parse_date(const char *text, int64_t *date)
{
	const char *at = text;
	int64_t year = take_digits(&at, 4), month, day, seconds = 86399; /* a day: its end */
	double number;

	if (year >= 0 && *at && strchr("-/.", *at)) {
		char separator = *at++;

		month = take_digits(&at, 2);
		if (*at++ != separator)
			return false;
		day = take_digits(&at, 2);
		if (month < 1 || month > 12 || day < 1 || day > 31)
			return false;
		if (*at && ((*at != 'T' && *at != ' ') || !take_time(at + 1, &seconds)))
			return false;
		*date = days_of(year, month, day) * 86400 + seconds;
		return *date > 0;
	}
	if (!perun_json_parse_double(text, strlen(text), &number) || !(number >= 1e8) ||
	    number > 1e14)
		return false;
	*date = (int64_t)(number >= 1e11 ? number / 1000 : number);
	return true;
}

/* ---- data.js ---------------------------------------------------------------------------------- */

static int64_t milliseconds(const struct perun_json *value)
{
	double number;

	return perun_json_as_double(value, &number) && number > 0 && number < 1e14
		       ? (int64_t)(number / 1000)
		       : 0;
}

/* {"commit": {"id", "timestamp"}, "date", "tool", "benches"}: the reader takes the whole. */
static int add_run(struct history_source *source, const char *suite, const struct perun_json *run)
{
	const char *id = perun_json_as_string(perun_json_path(run, "/commit/id"), NULL);
	struct history_entry *entry;

	if (!id || perun_json_type(perun_json_get(run, "benches")) != PERUN_JSON_TYPE_ARRAY)
		return perun_fail(source->ctx, PERUN_INPUT,
				  "expected commit.id and benches in each run of '%s'", suite);
	entry = history_add(source);
	if (!entry)
		return PERUN_INPUT;
	entry->commit = perun_strdup(id);
	entry->date = milliseconds(perun_json_get(run, "date"));
	entry->key = perun_format("%s %lld", suite, (long long)entry->date);
	entry->workload = perun_strdup(suite);
	entry->format = "custom-benchmark";
	perun_json_print(run, &entry->text, PERUN_JSON_COMPACT, 0);
	return PERUN_OK;
}

/* {SUITE: [RUN, ...], ...}, of which one run at a time is in memory. */
static int read_suites(struct history_source *source, struct perun_json_reader *reader)
{
	const struct perun_json_token *token = perun_json_token(reader);
	int status = perun_json_expect(reader, PERUN_JSON_OBJECT_START, "entries");

	while (!status && perun_json_next(reader) == PERUN_JSON_KEY) {
		char *suite = perun_strndup(token->text, token->length);

		status = perun_json_expect(reader, PERUN_JSON_ARRAY_START, "the runs of a suite");
		while (!status && perun_json_next(reader) != PERUN_JSON_ARRAY_END) {
			struct perun_json *run = NULL;

			status = perun_json_read_value(reader, &run);
			if (!status)
				status = add_run(source, suite, run);
			perun_json_free(run);
		}
		perun_free(suite);
	}
	return status;
}

/* All members of an object; the one of the name is read by `read`. */
static int read_member(struct history_source *source, struct perun_json_reader *reader,
		       const char *name,
		       int (*read)(struct history_source *, struct perun_json_reader *))
{
	const struct perun_json_token *token = perun_json_token(reader);
	int status = perun_json_expect(reader, PERUN_JSON_OBJECT_START, NULL);
	bool found = false;

	while (!status && perun_json_next(reader) == PERUN_JSON_KEY) {
		bool is = !found && perun_json_token_is(token, name);

		status = is ? read(source, reader) : perun_json_skip(reader);
		found |= is;
	}
	if (!status)
		status = perun_json_error(reader)->status;
	if (!status && !found)
		status = perun_fail(source->ctx, PERUN_INPUT, "expected a member '%s'", name);
	return status;
}

static int history_gather_data_js(struct history_source *source, struct perun_json_reader *reader)
{
	source->kind = "github-action-benchmark";
	return read_member(source, reader, "entries", read_suites);
}

/* ---- Bencher ---------------------------------------------------------------------------------- */

/* Results are by benchmark and measure; entries are by testbed and version, found by this. */
struct versions {
	struct history_source *source;
	size_t *places; /* a hash table of entries' numbers + 1; the size is a power of two */
	size_t size, first;
};

static size_t *find_place(const struct versions *versions, const char *key)
{
	size_t at = (size_t)perun_hash_text(key, strlen(key)) & (versions->size - 1);

	while (versions->places[at] &&
	       strcmp(versions->source->entries[versions->places[at] - 1].key, key) != 0)
		at = (at + 1) & (versions->size - 1);
	return &versions->places[at];
}

static void grow(struct versions *versions)
{
	size_t entries = versions->source->count;

	if (versions->size > 2 * entries + 2)
		return;
	versions->size = versions->size ? versions->size * 2 : 1024;
	perun_free(versions->places);
	versions->places = perun_alloc_zero(versions->size, sizeof *versions->places);
	for (size_t i = versions->first; i < entries; i++)
		*find_place(versions, versions->source->entries[i].key) = i + 1;
}

/* "nanoseconds (ns)": what is in parentheses. */
static struct perun_json *unit_of(const struct perun_json *measure)
{
	const char *units = perun_json_as_string(perun_json_get(measure, "units"), NULL);
	const char *open = units ? strrchr(units, '(') : NULL;

	if (open && units[strlen(units) - 1] == ')')
		return perun_json_string(open + 1, strlen(open + 1) - 1);
	return perun_json_text(units ? units : "");
}

static const char *name_in(const struct perun_json *result, const char *key)
{
	const struct perun_json *object = perun_json_get(result, key);
	const char *name = perun_json_as_string(perun_json_get(object, "name"), NULL);

	return name ? name : perun_json_as_string(perun_json_get(object, "slug"), NULL);
}

/* {"start_time", "version": {"hash"}, "metric": {"value"}}: a line of a table of its version. */
static int add_metric(struct versions *versions, const struct perun_json *result,
		      const struct perun_json *metric)
{
	const char *hash = perun_json_as_string(perun_json_path(metric, "/version/hash"), NULL);
	const char *time = perun_json_as_string(perun_json_get(metric, "start_time"), NULL);
	const char *testbed = name_in(result, "testbed"), *benchmark = name_in(result, "benchmark");
	const char *measure = perun_json_as_string(perun_json_path(result, "/measure/slug"), NULL);
	struct perun_json *row;
	struct history_entry *entry;
	double value;
	int64_t date = 0;
	size_t *place;
	char *key;

	if (!benchmark || !(measure ? measure : name_in(result, "measure")) || !(hash || time) ||
	    !perun_json_as_double(perun_json_path(metric, "/metric/value"), &value) ||
	    (time && !history_parse_date(time, &date)))
		return perun_fail(versions->source->ctx, PERUN_INPUT,
				  "expected benchmark, measure, start_time and metric.value in "
				  "each result of Bencher");
	key = perun_format("%s %s", testbed ? testbed : "", hash ? hash : time);
	grow(versions);
	place = find_place(versions, key);
	if (!*place) {
		entry = history_add(versions->source);
		if (!entry) {
			perun_free(key);
			return PERUN_INPUT;
		}
		*place = versions->source->count;
		entry->commit = perun_strdup(hash);
		entry->date = date;
		entry->key = key;
		entry->machine = perun_strdup(testbed);
		entry->workload = perun_strdup("");
		entry->format = "table";
	} else {
		entry = &versions->source->entries[*place - 1];
		perun_free(key);
	}
	row = perun_json_object();
	perun_json_set(row, "name", perun_json_text(benchmark));
	perun_json_set(row, "metric",
		       perun_json_text(measure ? measure : name_in(result, "measure")));
	perun_json_set(row, "value", perun_json_double(value));
	perun_json_set(row, "unit", unit_of(perun_json_get(result, "measure")));
	perun_json_print(row, &entry->text, PERUN_JSON_COMPACT, 0);
	perun_buffer_add_char(&entry->text, '\n');
	perun_json_free(row);
	return PERUN_OK;
}

static int read_results(struct history_source *source, struct perun_json_reader *reader)
{
	struct versions versions = {.source = source, .first = source->count};
	int status = perun_json_expect(reader, PERUN_JSON_ARRAY_START, "results");

	while (!status && perun_json_next(reader) != PERUN_JSON_ARRAY_END) {
		struct perun_json *result = NULL;
		const struct perun_json *metrics;

		status = perun_json_read_value(reader, &result);
		metrics = perun_json_get(result, "metrics");
		for (size_t i = 0; !status && i < perun_json_count(metrics); i++)
			status = add_metric(&versions, result, perun_json_at(metrics, i));
		perun_json_free(result);
	}
	perun_free(versions.places);
	return status;
}

static int history_gather_bencher(struct history_source *source, struct perun_json_reader *reader)
{
	source->kind = "bencher";
	return read_member(source, reader, "results", read_results);
}

/* ---- a file ----------------------------------------------------------------------------------- */

static int gather_json(struct history_source *source, const char *text, size_t size,
		       int (*gather)(struct history_source *, struct perun_json_reader *))
{
	struct perun_json_reader *reader =
		perun_json_reader_new_text(source->ctx, text, size, NULL);
	int status = gather(source, reader);

	if (!status && perun_json_next(reader) != PERUN_JSON_END)
		status = perun_json_error(reader)->status;
	perun_json_reader_free(reader);
	return status;
}

/* Whether the first `size` bytes have a word. */
static bool begins_with(const char *text, size_t size, const char *word)
{
	return memmem(text, size < 65536 ? size : 65536, word, strlen(word)) != NULL;
}

static int gather_text(struct history_source *source, const char *text, size_t size)
{
	const char *script = memmem(text, size < 4096 ? size : 4096, DATA_JS, strlen(DATA_JS));
	const char *brace = script ? memchr(script, '{', size - (size_t)(script - text)) : NULL;

	while (size && strchr(" \t\r\n", text[0]) && text[0]) {
		text++;
		size--;
	}
	if (brace) {
		const char *end = text + size;

		while (end > brace && end[-1] && strchr(" \t\r\n;", end[-1]))
			end--;
		return gather_json(source, brace, (size_t)(end - brace), history_gather_data_js);
	}
	if (size && *text == '{' && begins_with(text, size, "\"benches\""))
		return gather_json(source, text, size, history_gather_data_js);
	if (size && *text == '{' && begins_with(text, size, "\"results\"") &&
	    begins_with(text, size, "\"measure\""))
		return gather_json(source, text, size, history_gather_bencher);
	return history_gather_table(source, text, size);
}

int history_gather_file(struct history_source *source, const char *path)
{
	struct perun_input *input;
	const void *data;
	size_t size;
	int status = perun_input_open(source->ctx, path, &input);

	if (status)
		return status;
	status = perun_input_map(source->ctx, input, 0, &data, &size);
	if (!status)
		status = gather_text(source, data, size);
	if (status)
		perun_fail(source->ctx, PERUN_OK, "cannot read %s", path);
	perun_input_close(input);
	return status;
}
