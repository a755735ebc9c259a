/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing what was read from AFPerf: what its files share. */
#ifndef AFPERF_WRITE_OWN_H
#define AFPERF_WRITE_OWN_H

#include "writing.h"

/* The rows of a table, run by run: those of run i are rows[firsts[i]] up to rows[firsts[i + 1]]. */
struct afperf_rows_of_runs {
	size_t *rows, *firsts;
};

/* Tables and columns of the profile; NULL for those that are not there. */
struct afperf_own {
	struct afperf_writing *writing;
	const struct perun_profile *profile;
	const struct perun_table *runs, *types, *sections, *pauses, *processed, *resources;
	const struct perun_column *level, *record, *labels, *tags, *stack, *uid;
	const struct perun_column *start, *end, *at, *from, *until, *id, *interval, *section;
	const struct perun_column *more, *of;
	struct afperf_rows_of_runs of_types, of_sections, of_pauses, of_processed, of_resources;
	/* Of the run at hand. */
	int64_t unit, shift, first; /* ns of a timestamp; wallclock in ns; RunInfo's timestamp */
	bool wallclock;
	/* Values: the columns of the run's types, in the order of the types. */
	struct afperf_value_column {
		const struct perun_column *column;
		uint64_t id;
	} * values;
	size_t value_count, value_capacity;
	struct afperf_item *items;
	size_t item_count, item_capacity;
};

/*
 * A record to be written. At one time, what ends there comes before what begins: inner regions end
 * first, outer ones begin first. Values are before the stop of their region, aggregates after it.
 * Sections come first, and one without an id is followed by all that belongs to it: its records mean
 * the latest section.
 */
struct afperf_item {
	uint32_t place; /* a section; AFPERF_LAST after all of them */
	int64_t time;
	int32_t depth; /* sorted by, after `phase` */
	uint8_t phase; /* 0 ends, 1 begins, 2 ends of what has no length, 3 others */
	uint8_t step;
	uint8_t what;
	uint32_t owner; /* keeps the records of one without id together */
	uint32_t row;
};
enum { ITEM_START, ITEM_STOP, ITEM_DATA, ITEM_PAUSE, ITEM_SECTION };
#define AFPERF_LAST UINT32_MAX

/* The column of a name and type, NULL if there is none; a table of NULL has none. */
const struct perun_column *afperf_own_column_of(const struct perun_table *table, const char *name,
						enum perun_type type);
/* Whether there is such a column, and its cell is not absent. */
bool afperf_own_present(const struct perun_column *column, size_t row);
bool afperf_own_is_level(const struct afperf_own *own, size_t row, const char *name);

/* Fields of a record. */
void afperf_own_put_string(struct afperf_own *own, const struct perun_table *table,
			   const char *name, size_t row);
void afperf_own_put_id(struct afperf_own *own, const struct perun_column *column, size_t row);
void afperf_own_put_run_id(struct afperf_own *own, size_t run);
void afperf_own_put_time(struct afperf_own *own, int64_t time);
void afperf_own_put_value(struct afperf_own *own, const struct perun_column *column, size_t row);

/* write-order.c: the records of a run, sorted. write-records.c: the same as text. */
void afperf_own_gather_items(struct afperf_own *own, size_t run);
void afperf_own_put_items(struct afperf_own *own, size_t run);

#endif
