/* SPDX-License-Identifier: BSD-3-Clause */
/* A file as a profile: rows of "resources" while it is read, everything else at its end. */
#ifndef AFPERF_MODEL_H
#define AFPERF_MODEL_H

#include "filter.h"

/* More different measurements than that do not make a table. */
#define AFPERF_MAX_COLUMNS 4096

/* A column of values: of one name, unit and datatype; of one type of each run. */
struct afperf_column {
	uint32_t name, units;
	uint8_t datatype;
	bool points, aggregates;
	char *title; /* the column's name */
	struct perun_column_builder *column;
	uint32_t stamp; /* the last row + 1 that has a value in it */
};

enum afperf_row_flags {
	AFPERF_ROW_DATA = 1,
	AFPERF_ROW_POINT = 2,
	AFPERF_ROW_MORE = 4,     /* goes on with the record of the row before */
	AFPERF_ROW_INTERVAL = 8, /* carries its region's or interval's times */
	AFPERF_ROW_REGION = 16,
	AFPERF_ROW_SECTION = 32
};

/* What is kept of a row until the end of the file. */
struct afperf_model_row {
	uint32_t owner;    /* run, region or section */
	uint32_t interval; /* of a section */
	uint32_t flags;
	uint32_t moment; /* of data: where its time is, or its two */
};

struct afperf_processed {
	struct afperf_pause span;
	uint32_t run, measurement;
	uint8_t level;
	bool no_id, number, more;
	uint64_t id;
	perun_id aggregation, text;
	double value;
};

struct afperf_model {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	const struct afperf_filter *filter; /* NULL: everything */
	uint64_t frame_limit;               /* of all stacks together */
	struct perun_table_builder *table;
	struct perun_column_builder *keys[20];
	struct afperf_column *columns;
	uint32_t column_count, column_capacity;
	uint32_t *column_of; /* of a measurement, AFPERF_NONE = none yet */
	uint32_t column_of_count, column_of_capacity;
	struct afperf_key *uses; /* run and column: a type of the run has the column */
	uint32_t use_count, use_capacity;
	struct afperf_map use_map;
	bool too_many_columns;
	struct afperf_model_row *rows;
	uint32_t row_count, row_capacity;
	int64_t *moments; /* the times of points, starts and ends of aggregates */
	size_t moment_count, moment_capacity;
	bool any_aggregate;
	struct afperf_processed *processed;
	size_t processed_count, processed_capacity;
	/* At the end. */
	const struct afperf_file *file;
	uint32_t *places;   /* of runs among the RunInfo records */
	uint32_t *sections; /* of sections among those that are defined */
	bool wallclock;     /* times are nanoseconds since 1970, not timestamps */
	int64_t *shift;     /* of each run: its wallclock time in ns */
};

/* Whether a column of the table has that name whatever is measured, so that a measurement gets another one. */
bool afperf_model_reserves(const char *name);
void afperf_model_begin(struct afperf_model *model);
void afperf_model_free(struct afperf_model *model);
void afperf_model_restart(void *data);
void afperf_model_record(void *data, struct afperf_file *file, const struct afperf_data *record);
void afperf_model_closed(void *data, struct afperf_file *file, enum afperf_level level,
			 uint32_t index);

/* model-finish.c */
int afperf_model_finish(struct afperf_model *model, struct afperf_file *file);
/* A timestamp of a run as it is in the profile. */
int64_t afperf_model_time(const struct afperf_model *model, uint32_t run, int64_t time);
/* model-tables.c: "runs" and the other tables, and the document. */
void afperf_model_tables(struct afperf_model *model);
/* model-stacks.c: the stack of every region; the caller frees the array. NULL: too deep, reported. */
perun_id *afperf_model_stacks(struct afperf_model *model);

enum afperf_model_key {
	AFPERF_KEY_UID,
	AFPERF_KEY_STACK,
	AFPERF_KEY_RUN,
	AFPERF_KEY_LEVEL,
	AFPERF_KEY_RECORD,
	AFPERF_KEY_LABELS,
	AFPERF_KEY_DURATION,
	AFPERF_KEY_TOTAL,
	AFPERF_KEY_START,
	AFPERF_KEY_END,
	AFPERF_KEY_AT,
	AFPERF_KEY_FROM,
	AFPERF_KEY_UNTIL,
	AFPERF_KEY_ID,
	AFPERF_KEY_INTERVAL,
	AFPERF_KEY_RUN_NUMBER,
	AFPERF_KEY_SECTION,
	AFPERF_KEY_MORE,
	AFPERF_KEY_TAGS,
	AFPERF_KEY_OF,
	AFPERF_KEYS
};

#endif
