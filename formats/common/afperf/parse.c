/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fields of a record mean: its format, checked without a look at other records. */
#include <math.h>
#include <string.h>

#include "record.h"

#define PARAGRAPH_TYPES "Defined Record Types"
#define PARAGRAPH_ID    "Common Record Fields: record id"
#define PARAGRAPH_TIME  "Common Record Fields: timestamp"

static bool wrong_number(const struct afperf_record *record, const struct afperf_field *field,
			 const struct afperf_slice *text, enum afperf_number number,
			 const char *paragraph, struct afperf_problem *problem)
{
	afperf_report(problem, record->line, afperf_schemas[record->type].name, field->name,
		      number == AFPERF_NUMBER_OCTAL ? "AFPerf Format Version 1.x: integers"
						    : paragraph,
		      number == AFPERF_NUMBER_BLANK ? "the field %.0s%s" : "%s %s",
		      afperf_quote(text->data, text->length).text, afperf_number_problem(number));
	return false;
}

static bool parse_time(struct afperf_record *record, const struct afperf_field *field,
		       const struct afperf_slice *text, struct afperf_problem *problem)
{
	int64_t *value = field->kind == AFPERF_FIELD_START ? &record->start : &record->time;
	enum afperf_number number = afperf_parse_time(text, value);

	if (number == AFPERF_NUMBER_GOOD)
		return true;
	if (number == AFPERF_NUMBER_BLANK && field->kind == AFPERF_FIELD_OPTIONAL_TIME) {
		record->no_time = true;
		record->time = 0;
		return true;
	}
	return wrong_number(record, field, text, number, PARAGRAPH_TIME, problem);
}

static bool parse_id(struct afperf_record *record, const struct afperf_field *field,
		     const struct afperf_slice *text, struct afperf_problem *problem)
{
	int which = field->kind - AFPERF_FIELD_RUN;
	enum afperf_number number = afperf_parse_id(text, &record->ids[which]);

	record->blank[which] = number == AFPERF_NUMBER_BLANK;
	if (record->blank[which])
		record->ids[which] = 0;
	return number == AFPERF_NUMBER_GOOD || number == AFPERF_NUMBER_BLANK ||
	       wrong_number(record, field, text, number, PARAGRAPH_ID, problem);
}

static bool parse_datatype(struct afperf_record *record, const struct afperf_field *field,
			   const struct afperf_slice *text, struct afperf_problem *problem)
{
	for (uint8_t i = 0; i < AFPERF_DATATYPES; i++) {
		if (afperf_slice_is(text, afperf_datatypes[i], strlen(afperf_datatypes[i]))) {
			record->datatype = i;
			return true;
		}
	}
	afperf_report(problem, record->line, afperf_schemas[record->type].name, field->name,
		      "MeasurementType: datatype",
		      "%s is none of double, int32, int64, bool, string, enum",
		      afperf_quote(text->data, text->length).text);
	return false;
}

static bool parse_units(const struct afperf_record *record, const struct afperf_field *field,
			const struct afperf_slice *text, struct afperf_problem *problem)
{
	const char *better, *wrong = NULL;

	if (!text->length)
		wrong = "a units value must be provided";
	else if (afperf_slice_is(text, "text", 4) && record->datatype != AFPERF_STRING)
		wrong = "\"text\" is for the datatype string only";
	else if (afperf_slice_is(text, "count", 5) && record->datatype > AFPERF_INT64)
		wrong = "\"count\" is for the datatypes double, int32 and int64 only";
	if (wrong) {
		afperf_report(problem, record->line, afperf_schemas[record->type].name, field->name,
			      "MeasurementType: units", "%s", wrong);
		return false;
	}
	if (afperf_judge_units(text, &better) != AFPERF_UNITS_WRONG)
		return true;
	afperf_report(problem, record->line, afperf_schemas[record->type].name, field->name,
		      "MeasurementType: units", "%s is not a standard abbreviation: write %s",
		      afperf_quote(text->data, text->length).text, better);
	return false;
}

static bool parse_timestamp_units(struct afperf_record *record, const struct afperf_field *field,
				  const struct afperf_slice *text, struct afperf_problem *problem)
{
	for (uint8_t i = 0; i < 4; i++) {
		const char *name = afperf_time_units[i].name;

		if (afperf_slice_is(text, name, strlen(name))) {
			record->units = i;
			return true;
		}
	}
	afperf_report(problem, record->line, afperf_schemas[record->type].name, field->name,
		      "RunInfo: timestamp units",
		      "%s is none of seconds, milliseconds, microseconds, nanoseconds",
		      afperf_quote(text->data, text->length).text);
	return false;
}

static bool parse_wallclock(struct afperf_record *record, const struct afperf_field *field,
			    const struct afperf_slice *text, struct afperf_problem *problem)
{
	enum afperf_number number = afperf_parse_double(text, &record->wallclock);

	if (number == AFPERF_NUMBER_GOOD && !isfinite(record->wallclock))
		number = AFPERF_NUMBER_WRONG;
	return number == AFPERF_NUMBER_GOOD ||
	       wrong_number(record, field, text, number, "RunInfo: wallclock time", problem);
}

/* Digits without a leading zero, as far as the dot; its length, or 0. */
static size_t version_part(const char *text, size_t length)
{
	size_t count = 0;

	while (count < length && (unsigned)(unsigned char)text[count] - '0' <= 9)
		count++;
	return count > 1 && text[0] == '0' ? 0 : count;
}

static bool parse_format_version(struct afperf_record *record, const struct afperf_field *field,
				 const struct afperf_slice *text, struct afperf_problem *problem)
{
	const char *part = text->data, *end = text->data + text->length;
	size_t first = version_part(part, text->length);
	size_t second, third;
	bool good = false;

	if (first && part + first < end && part[first] == '.') {
		const char *minor = part + first + 1;

		second = version_part(minor, (size_t)(end - minor));
		if (second && minor + second < end && minor[second] == '.') {
			const char *patch = minor + second + 1;

			third = version_part(patch, (size_t)(end - patch));
			good = third && patch + third == end;
			record->later_minor = !(second == 1 && minor[0] == '0');
		}
	}
	if (good && first == 1 && part[0] == '1')
		return true;
	afperf_report(problem, record->line, afperf_schemas[record->type].name, field->name,
		      "RunInfo: afperf format version",
		      good ? "%s is another major version than 1: this run cannot be read"
			   : "%s is not three non-negative integers with dots between them",
		      afperf_quote(text->data, text->length).text);
	return false;
}

static bool parse_field(struct afperf_record *record, const struct afperf_field *field,
			const struct afperf_slice *text, struct afperf_problem *problem)
{
	record->texts[field->text] = *text;
	switch (field->kind) {
	case AFPERF_FIELD_TIME:
	case AFPERF_FIELD_START:
	case AFPERF_FIELD_OPTIONAL_TIME:
		return parse_time(record, field, text, problem);
	case AFPERF_FIELD_RUN:
	case AFPERF_FIELD_ITEM:
	case AFPERF_FIELD_INTERVAL:
		return parse_id(record, field, text, problem);
	case AFPERF_FIELD_DATATYPE:
		return parse_datatype(record, field, text, problem);
	case AFPERF_FIELD_UNITS:
		return parse_units(record, field, text, problem);
	case AFPERF_FIELD_TIMESTAMP_UNITS:
		return parse_timestamp_units(record, field, text, problem);
	case AFPERF_FIELD_WALLCLOCK:
		return parse_wallclock(record, field, text, problem);
	case AFPERF_FIELD_FORMAT_VERSION:
		return parse_format_version(record, field, text, problem);
	default:
		return true;
	}
}

/* The record type; an unknown one is AFPERF_UNKNOWN and no violation yet. */
static bool parse_type(const struct afperf_slice *text, struct afperf_record *record,
		       struct afperf_problem *problem)
{
	record->type = afperf_find_type(text);
	if (record->type != AFPERF_RESERVED && text->length)
		return true;
	afperf_report(problem, record->line, NULL, "record type", PARAGRAPH_TYPES,
		      text->length ? "the record id 0 is reserved" : "the record type is blank");
	return false;
}

/* The fields in front of the pairs; every wrong one is reported. */
static bool parse_fields(const struct afperf_slice *fields, struct afperf_record *record,
			 void (*listener)(void *data, const struct afperf_problem *problem),
			 void *data)
{
	const struct afperf_schema *schema = &afperf_schemas[record->type];
	struct afperf_problem problem;
	bool good = true;

	for (size_t i = 0; i < schema->fields; i++) {
		if (!parse_field(record, &schema->field[i], &fields[i], &problem)) {
			listener(data, &problem);
			good = false;
		}
	}
	return good;
}

static bool ends_first(const struct afperf_record *record, struct afperf_problem *problem)
{
	if ((record->type != AFPERF_PAUSE_RESUME && record->type != AFPERF_RUN_AGGREGATE &&
	     record->type != AFPERF_REGION_AGGREGATE && record->type != AFPERF_SECTION_AGGREGATE) ||
	    record->time >= record->start)
		return false;
	afperf_report(problem, record->line, afperf_schemas[record->type].name, "end timestamp",
		      record->type == AFPERF_PAUSE_RESUME
			      ? "PauseResume"
			      : "Common Record Fields: aggregate timestamps",
		      "the end is before the start");
	return true;
}

bool afperf_parse(const struct afperf_lines *lines, struct afperf_record *record,
		  void (*listener)(void *data, const struct afperf_problem *problem), void *data)
{
	const struct afperf_slice *fields = lines->fields;
	const struct afperf_schema *schema;
	struct afperf_problem problem;
	size_t needed;

	record->line = lines->line;
	record->no_time = record->later_minor = false;
	if (!parse_type(&fields[0], record, &problem)) {
		listener(data, &problem);
		return false;
	}
	record->pairs = fields + 1;
	record->pair_fields = lines->field_count - 1;
	if (record->type == AFPERF_UNKNOWN)
		return true;
	schema = &afperf_schemas[record->type];
	needed = 1u + schema->fields + (schema->pairs ? 2 : 0);
	if (lines->field_count < needed) {
		afperf_report(&problem, record->line, schema->name, NULL, schema->name,
			      "the record has %zu fields, and needs %s%zu", lines->field_count,
			      schema->pairs ? "at least " : "", needed);
		listener(data, &problem);
		return false;
	}
	if (!parse_fields(fields + 1, record, listener, data))
		return false;
	record->pairs = fields + 1 + schema->fields;
	record->pair_fields = lines->field_count - 1 - schema->fields;
	if (!ends_first(record, &problem))
		return true;
	listener(data, &problem);
	return false;
}
