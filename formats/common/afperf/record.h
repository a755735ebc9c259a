/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of AFPerf: text taken apart into fields, and fields into what the record type says. */
#ifndef AFPERF_RECORD_H
#define AFPERF_RECORD_H

#include <perun/format.h>

#include "problem.h"

#define AFPERF_HEADER      "# AFPerf v1     "
#define AFPERF_HEADER_SIZE 16
/* This many bytes may be read after the text of every field. */
#define AFPERF_SLACK 16

/* Bytes in the buffer of a reader: valid until the next record is read. Not NUL-terminated. */
struct afperf_slice {
	char *data;
	size_t length;
};

/* Record types have the numbers of the format. */
enum afperf_type {
	AFPERF_RESERVED,
	AFPERF_MEASUREMENT_TYPE,
	AFPERF_PAUSE_RESUME,
	AFPERF_REGION_AGGREGATE,
	AFPERF_REGION_POINT,
	AFPERF_REGION_START,
	AFPERF_REGION_STOP,
	AFPERF_RUN_AGGREGATE,
	AFPERF_RUN_INFO,
	AFPERF_RUN_POINT,
	AFPERF_SECTION_AGGREGATE,
	AFPERF_SECTION_INFO,
	AFPERF_SECTION_POINT,
	AFPERF_SECTION_START,
	AFPERF_SECTION_STOP,
	AFPERF_TYPES,
	AFPERF_UNKNOWN = AFPERF_TYPES,
	AFPERF_HEADER_LINE /* a repeated header: a boundary */
};

/* Ids of a record. */
enum afperf_id {
	AFPERF_ID_RUN,
	AFPERF_ID_ITEM, /* region, section, measurement type, or "record id" */
	AFPERF_ID_INTERVAL,
	AFPERF_IDS
};

/* Texts of a record. */
enum afperf_text {
	AFPERF_TEXT_NAME, /* label, name, application */
	AFPERF_TEXT_VERSION,
	AFPERF_TEXT_TAGS,
	AFPERF_TEXT_UNITS,
	AFPERF_TEXT_DATATYPE,
	AFPERF_TEXT_SUMMARY,
	AFPERF_TEXT_DESCRIPTION,
	AFPERF_TEXT_FORMAT,
	AFPERF_TEXT_AGGREGATION,
	AFPERF_TEXTS
};

enum afperf_datatype {
	AFPERF_DOUBLE,
	AFPERF_INT32,
	AFPERF_INT64,
	AFPERF_BOOL,
	AFPERF_STRING,
	AFPERF_ENUM,
	AFPERF_DATATYPES
};

struct afperf_record {
	enum afperf_type type;
	uint64_t line;
	int64_t time, start; /* `time` is the end where there are two */
	bool no_time;        /* SectionInfo may leave it blank */
	uint64_t ids[AFPERF_IDS];
	bool blank[AFPERF_IDS];
	struct afperf_slice texts[AFPERF_TEXTS];
	double wallclock;
	uint8_t units; /* RunInfo: index into afperf_time_units */
	uint8_t datatype;
	/* id/value pairs and what is after the known fields. */
	const struct afperf_slice *pairs;
	size_t pair_fields;
	bool later_minor; /* RunInfo: its format version is later than 1.0 */
};

/* ---- schema.c: the record types as data --------------------------------------------------------- */

enum afperf_field_kind {
	AFPERF_FIELD_TIME,
	AFPERF_FIELD_START,
	AFPERF_FIELD_OPTIONAL_TIME,
	AFPERF_FIELD_RUN,
	AFPERF_FIELD_ITEM,
	AFPERF_FIELD_INTERVAL,
	AFPERF_FIELD_TEXT,
	AFPERF_FIELD_UNITS, /* of a measurement type */
	AFPERF_FIELD_DATATYPE,
	AFPERF_FIELD_TIMESTAMP_UNITS,
	AFPERF_FIELD_WALLCLOCK,
	AFPERF_FIELD_FORMAT_VERSION,
	AFPERF_FIELD_PAIRS /* the last: pairs up to the end of the record */
};

struct afperf_field {
	const char *name;
	uint8_t kind, text;
};

#define AFPERF_MAX_FIELDS 8

struct afperf_schema {
	const char *name;
	uint8_t fields; /* without the record type and without the pairs */
	bool pairs;
	struct afperf_field field[AFPERF_MAX_FIELDS];
};

extern const struct afperf_schema afperf_schemas[AFPERF_TYPES];

/* The names of the timestamp units, and how many nanoseconds each has; ends with NULL. */
struct afperf_time_unit {
	const char *name, *symbol;
	int64_t nanoseconds;
	double per_second;
};
extern const struct afperf_time_unit afperf_time_units[4];
extern const char *const afperf_datatypes[AFPERF_DATATYPES];

/* A type by its name or number; AFPERF_UNKNOWN. */
enum afperf_type afperf_find_type(const struct afperf_slice *text);

enum afperf_units_verdict { AFPERF_UNITS_GOOD, AFPERF_UNITS_UNUSUAL, AFPERF_UNITS_WRONG };
/* Whether a unit is one of the document's, another, or a wrong spelling; `*better`: what to write. */
enum afperf_units_verdict afperf_judge_units(const struct afperf_slice *units, const char **better);

/* ---- numbers.c ------------------------------------------------------------------------------------ */

enum afperf_number {
	AFPERF_NUMBER_GOOD,
	AFPERF_NUMBER_BLANK,
	AFPERF_NUMBER_WRONG,
	AFPERF_NUMBER_OCTAL,
	AFPERF_NUMBER_NEGATIVE,
	AFPERF_NUMBER_RANGE
};

/* Decimal or hexadecimal, as strtoll() takes them; no leading zeros; an id from 0 to 2^64 - 1. */
enum afperf_number afperf_parse_id(const struct afperf_slice *text, uint64_t *value);
enum afperf_number afperf_parse_int64(const struct afperf_slice *text, int64_t *value);
/* From 0 to 2^63 - 1. */
enum afperf_number afperf_parse_time(const struct afperf_slice *text, int64_t *value);
/* As strtod() in the C locale, with blanks at both ends. */
enum afperf_number afperf_parse_double(const struct afperf_slice *text, double *value);
const char *afperf_number_problem(enum afperf_number number);

/* ---- lines.c: records from an input ----------------------------------------------------------------- */

struct afperf_lines {
	struct perun_input *input;
	char *buffer;
	size_t capacity, length; /* `length` bytes are there */
	size_t position;         /* where the next record begins */
	size_t checked;          /* up to here the text is known to be UTF-8 */
	size_t limit;            /* of a record */
	bool at_end, began;
	uint64_t next_line; /* number of the line at `position` */
	uint64_t line;      /* of the record read last */
	struct afperf_slice *fields;
	size_t field_count, field_capacity;
	uint64_t bytes; /* read so far */
};

enum afperf_got {
	AFPERF_GOT_END,
	AFPERF_GOT_RECORD,
	AFPERF_GOT_HEADER,  /* a repeated header */
	AFPERF_GOT_PROBLEM, /* said in `problem`; the next record may be read */
	AFPERF_GOT_STOP,    /* said in `problem`; nothing can be read after it */
	AFPERF_GOT_FAILURE  /* said in the context */
};

void afperf_lines_init(struct afperf_lines *lines, struct perun_input *input, size_t limit);
void afperf_lines_clear(struct afperf_lines *lines);
/* Back to the first byte. */
int afperf_lines_rewind(struct perun_ctx *ctx, struct afperf_lines *lines);
/* The fields of the next record that is not a comment and not blank. */
enum afperf_got afperf_lines_next(struct perun_ctx *ctx, struct afperf_lines *lines,
				  struct afperf_problem *problem);

/* ---- utf8.c -------------------------------------------------------------------------------------- */

/* The number of bytes from the start that are whole, valid UTF-8 characters. */
size_t afperf_utf8_span(const char *text, size_t length);

/* ---- parse.c ------------------------------------------------------------------------------------- */

/* What the fields mean. False: violations of the format of a record, each reported. */
bool afperf_parse(const struct afperf_lines *lines, struct afperf_record *record,
		  void (*listener)(void *data, const struct afperf_problem *problem), void *data);

static inline bool afperf_slice_is(const struct afperf_slice *slice, const char *text,
				   size_t length)
{
	return slice->length == length &&
	       (!length || __builtin_memcmp(slice->data, text, length) == 0);
}

#endif
