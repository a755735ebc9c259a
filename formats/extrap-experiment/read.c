/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading experiment.json as a stream. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extrap-experiment.h"
#include "formats/common/experiment-json.h"

enum { MEAN, MEDIAN, MINIMUM, MAXIMUM, STD, REPETITIONS, STATISTICS };
static const char *const statistic_names[STATISTICS] = {"mean",    "median", "minimum",
							"maximum", "std",    "repetitions"};

struct record {
	perun_id callpath, name, metric, point; /* name: of the call path, as text */
	double numbers[STATISTICS];             /* NaN = not known */
	bool has_values;
	uint64_t chunk, index;
};

struct reading {
	struct experiment_json common;
	struct perun_ctx *ctx;
	struct extrapexperiment_archive archive;
	struct perun_json *kept; /* what goes below extra.extrap */
	struct record *records;
	size_t count, room;
};

/* A fraction such as "3/2", or "inf", "-inf", "nan". */
static bool parse_word(const char *text, double *number)
{
	char *end;
	double bottom;

	errno = 0;
	*number = perun_strtod(text, &end);
	if (end == text || (*end && *end != '/'))
		return false;
	if (!*end)
		return true;
	text = end + 1;
	bottom = perun_strtod(text, &end);
	if (end == text || *end || bottom == 0)
		return false;
	*number /= bottom;
	return true;
}

/* The token is a number, or a text that means one; null is NaN. */
static int take_number(struct experiment_json *reading, const char *what, double *number)
{
	const struct perun_json_token *token = reading->token;
	char text[64];

	*number = NAN;
	if (token->event == PERUN_JSON_NULL)
		return PERUN_OK;
	if (token->event == PERUN_JSON_NUMBER &&
	    perun_json_parse_double(token->text, token->length, number))
		return PERUN_OK;
	if (token->event == PERUN_JSON_STRING && token->length < sizeof text) {
		memcpy(text, token->text, token->length);
		text[token->length] = '\0';
		if (strlen(text) == token->length && parse_word(text, number))
			return PERUN_OK;
	}
	if (token->event == PERUN_JSON_ERROR)
		return experiment_json_status(reading);
	return perun_json_fail(reading->json, "expected a number for %s, found %s", what,
			       perun_json_event_name(token->event));
}

static int read_number(struct experiment_json *reading, const char *what, double *number)
{
	perun_json_next(reading->json);
	return take_number(reading, what, number);
}

/* [NUMBER, ...]: fails with more than `most`. */
static int read_list(struct experiment_json *reading, const char *what, double *numbers,
		     size_t most, size_t *count)
{
	int status = perun_json_expect(reading->json, PERUN_JSON_ARRAY_START, what);

	*count = 0;
	while (!status && perun_json_next(reading->json) != PERUN_JSON_ARRAY_END) {
		if (*count == most)
			return perun_json_fail(reading->json, "%s of more than %zu numbers", what,
					       most);
		status = take_number(reading, what, &numbers[(*count)++]);
	}
	return status;
}

static int read_point(struct experiment_json *reading, struct record *record)
{
	double point[PARAMETERS];
	size_t count;
	int status = read_list(reading, "coordinate", point, PARAMETERS, &count);

	return status ? status
		      : experiment_json_point(reading, "coordinate", point, count, &record->point);
}

/* null, or [CHUNK, INDEX]. */
static int read_place(struct experiment_json *reading, struct record *record)
{
	struct perun_json *value;
	int64_t chunk, index;
	int status;

	perun_json_next(reading->json);
	status = perun_json_read_value(reading->json, &value);
	record->has_values = !status && perun_json_count(value) == 2 &&
			     perun_json_as_int64(perun_json_at(value, 0), &chunk) &&
			     perun_json_as_int64(perun_json_at(value, 1), &index) && chunk >= 0 &&
			     index >= 0;
	if (record->has_values) {
		record->chunk = (uint64_t)chunk;
		record->index = (uint64_t)index;
	}
	perun_json_free(value);
	return status;
}

static int read_member_of_record(struct experiment_json *reading, struct record *record)
{
	if (perun_json_token_is(reading->token, "coordinate"))
		return read_point(reading, record);
	if (perun_json_token_is(reading->token, "values"))
		return read_place(reading, record);
	for (size_t i = 0; i < STATISTICS; i++) {
		if (perun_json_token_is(reading->token, statistic_names[i]))
			return read_number(reading, statistic_names[i], &record->numbers[i]);
	}
	return perun_json_skip(reading->json);
}

static int read_record(struct experiment_json *common, perun_id callpath, perun_id metric)
{
	struct reading *reading = (struct reading *)common;
	struct record record = {
		.callpath = callpath, .name = common->name, .metric = metric, .point = PERUN_NO_ID};
	int status = PERUN_OK;

	for (size_t i = 0; i < STATISTICS; i++)
		record.numbers[i] = NAN;
	while (!status && perun_json_next(common->json) == PERUN_JSON_KEY)
		status = read_member_of_record(common, &record);
	if (!status)
		status = experiment_json_status(common);
	if (status)
		return status;
	if (record.point == PERUN_NO_ID)
		return perun_json_fail(common->json, "a measurement without \"coordinate\"");
	status = experiment_json_once(common, record.point);
	if (status)
		return status;
	PERUN_GROW(reading->records, reading->count, reading->room);
	reading->records[reading->count++] = record;
	return PERUN_OK;
}

static int read_parameters(struct experiment_json *reading)
{
	int status = perun_json_expect(reading->json, PERUN_JSON_ARRAY_START, "the parameters");

	return status ? status : experiment_json_parameters(reading);
}

static int read_measurements(struct experiment_json *reading)
{
	int status = perun_json_expect(reading->json, PERUN_JSON_OBJECT_START, "the measurements");

	return status ? status : experiment_json_measurements(reading);
}

static int read_member(struct experiment_json *common)
{
	static const char *const kept[] = EXTRAPEXPERIMENT_KEPT;
	struct perun_json *value;
	int status;

	if (perun_json_token_is(common->token, "parameters"))
		return read_parameters(common);
	if (perun_json_token_is(common->token, "measurements"))
		return read_measurements(common);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		if (!perun_json_token_is(common->token, kept[i]))
			continue;
		perun_json_next(common->json);
		status = perun_json_read_value(common->json, &value);
		if (!status)
			perun_json_set(((struct reading *)common)->kept, kept[i], value);
		return status;
	}
	return perun_json_skip(common->json);
}

static int read_document(struct reading *reading)
{
	int status = experiment_json_document(&reading->common, read_member);

	if (!status && (reading->common.parameters == 0 || reading->count == 0))
		status = perun_fail(reading->ctx, PERUN_INPUT, "there are no \"%s\" in it",
				    reading->common.parameters ? "measurements" : "parameters");
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Of a call path, that are looked at: each is hashed with all before it. */
enum { MAX_PARTS = 1024 };

/* Whether the tags of a call path, or of one above it, say that it is no part of sums. */
static bool overlaps(const struct reading *reading, perun_id name)
{
	const struct perun_json *callpaths = perun_json_get(reading->kept, "callpaths");
	size_t length, left = perun_json_count(callpaths) ? MAX_PARTS : 0;
	const char *path = perun_builder_string_at(reading->common.builder, name, &length);

	for (size_t end = 1; left && end <= length; end++) {
		const struct perun_json *tags;
		bool unused = false;

		if (end < length && strncmp(path + end, "->", 2) != 0)
			continue;
		left--;
		tags = perun_json_get(perun_json_get_n(callpaths, path, end), "tags");
		perun_json_as_bool(perun_json_get(tags, EXTRAPEXPERIMENT_UNUSED), &unused);
		if (unused)
			return true;
	}
	return false;
}

/* Say of the rows of record i, which follow, whether they overlap. */
static void mark(const struct reading *reading, struct perun_experiment_rows *rows, size_t i)
{
	const perun_id name = reading->records[i].name;

	if (i == 0 || name != reading->records[i - 1].name)
		perun_experiment_overlap(reading->common.builder, rows, overlaps(reading, name));
}

/*
 * `*whole`: whether all values are there; else the statistics are all that is known. Measurements that name the same values
 * again and again are damage: there cannot be more values than the archive has.
 */
static int add_values(struct reading *reading, bool *whole)
{
	double **values = perun_alloc_zero(reading->count, sizeof *values);
	size_t *counts = perun_alloc_zero(reading->count, sizeof *counts);
	struct perun_experiment_rows rows;
	uint64_t left = extrapexperiment_size(&reading->archive) / sizeof **values;
	bool all = true;
	int status = PERUN_OK;

	for (size_t i = 0; i < reading->count && all && !status; i++) {
		const struct record *record = &reading->records[i];

		all = record->has_values &&
		      extrapexperiment_values(&reading->archive, record->chunk, record->index,
					      &values[i], &counts[i]);
		if (counts[i] > left)
			status = perun_fail(reading->ctx, PERUN_INPUT,
					    "the archive is damaged: its measurements have more "
					    "values than it holds");
		left -= counts[i];
	}
	all = all && !status;
	if (all)
		perun_experiment_begin(reading->common.builder, &rows);
	for (size_t i = 0; i < reading->count; i++) {
		const struct record *record = &reading->records[i];

		if (all) {
			mark(reading, &rows, i);
			perun_experiment_add(&rows, record->callpath, record->metric, record->point,
					     values[i], counts[i]);
		}
		perun_free(values[i]);
	}
	perun_free(values);
	perun_free(counts);
	*whole = all;
	return status;
}

static void add_statistics(struct reading *reading)
{
	struct perun_column_builder *columns[STATISTICS] = {0};
	struct perun_experiment_rows rows;

	perun_experiment_begin(reading->common.builder, &rows);
	for (size_t i = MEDIAN; i < STATISTICS; i++) {
		struct perun_column_info info = {.name = statistic_names[i],
						 .type = PERUN_TYPE_DOUBLE,
						 .role = PERUN_ROLE_STATISTIC,
						 .refers = "value",
						 .statistic = statistic_names[i]};

		if (i == REPETITIONS)
			info.type = PERUN_TYPE_INT64;
		columns[i] = perun_table_add_column(rows.table, &info);
	}
	for (size_t k = 0; k < reading->count; k++) {
		const struct record *record = &reading->records[k];
		const double *numbers = record->numbers;

		for (size_t i = MEDIAN; i < STATISTICS; i++) {
			int64_t whole =
				numbers[i] >= 0 && numbers[i] < 1e9 ? (int64_t)numbers[i] : 0;

			if (isnan(numbers[i]))
				perun_column_append_absent(columns[i], 1);
			else if (i == REPETITIONS)
				perun_column_append_int64(columns[i], &whole, 1);
			else
				perun_column_append_double(columns[i], &numbers[i], NULL, 1);
		}
		mark(reading, &rows, k);
		perun_experiment_add(&rows, record->callpath, record->metric, record->point,
				     &numbers[MEAN], 1);
	}
}

static void keep_rest(struct reading *reading)
{
	struct perun_json *document = perun_builder_document(reading->common.builder), *extra;

	if (perun_json_count(reading->kept) == 0)
		return;
	if (!perun_json_get(document, "extra"))
		perun_json_set(document, "extra", perun_json_object());
	extra = perun_json_get(document, "extra");
	perun_json_set(extra, "extrap", reading->kept);
	reading->kept = NULL;
}

int extrapexperiment_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
			  struct perun_builder *builder)
{
	const struct extrapexperiment_options *options = instance;
	struct reading reading = {
		.common = {.builder = builder, .measurement = read_record, .tagged = true},
		.ctx = ctx};
	const struct extrapexperiment_member *text = NULL;
	bool all = false;
	int status = extrapexperiment_open(ctx, input, options->archive_limit, &reading.archive);

	if (!status)
		text = extrapexperiment_find(&reading.archive, "experiment.json");
	if (!status && !text)
		status = perun_fail(ctx, PERUN_INPUT, "expected a member experiment.json in it");
	if (!status) {
		reading.common.json =
			perun_json_reader_new_text(ctx, (const char *)text->data, text->size, NULL);
		reading.common.token = perun_json_token(reading.common.json);
		reading.kept = perun_json_object();
		status = read_document(&reading);
	}
	if (!status)
		status = add_values(&reading, &all);
	if (!status && !all)
		add_statistics(&reading);
	if (!status)
		keep_rest(&reading);
	experiment_json_clear(&reading.common);
	perun_json_free(reading.kept);
	perun_free(reading.records);
	extrapexperiment_close(&reading.archive);
	return status;
}
