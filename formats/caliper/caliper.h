/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers of Caliper's formats share. */
#ifndef CALIPER_H
#define CALIPER_H

#include "formats/common/stacks.h"

/* Rows in the making, and those of inclusive values, which count where rows have no others of the name. */
struct caliper_rows {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	/* the row that caliper_end_row() ends */
	struct perun_label *labels;
	size_t label_count, label_room;
	uint32_t *labelled; /* of each key: the last row that has it */
	size_t labelled_room;
	uint32_t row;
	bool any, full; /* full: there are more metrics than rows can have */
	/* inclusive values: rows of some values each */
	struct caliper_row {
		perun_id stack, above, labels; /* above: the stack without the leaf */
		size_t first, count;           /* in `values` */
	} * rows;
	size_t row_count, row_room;
	struct caliper_value {
		unsigned name;     /* of `names` */
		double value, own; /* own: without the rows below */
	} * values;
	size_t value_count, value_room, row_first;
	struct caliper_name {
		char *name, *unit, *own; /* own: that of what places cost themselves */
		bool follows;            /* from a column of that name, in the same rows */
	} * names;
	size_t name_count, name_room;
	int lead; /* rank of the leading metric so far, the lowest; 0 = none */
	/* of each metric of `stacks` */
	struct caliper_metric {
		char *name;   /* NULL: not one of these rows */
		uint32_t row; /* the last one that has it, + 1 */
		bool unnamed; /* the file does not name its unit */
	} * metrics;
	size_t metric_room;
	bool seconds; /* values show that units which are not named are seconds */
};

/* Where a row is. Readers may keep it for further rows that are there. */
struct caliper_place {
	perun_id stack, labels; /* labels: PERUN_NO_ID = none */
	perun_id above;         /* the stack without the leaf; PERUN_NO_ID = none, or not made */
	size_t count;           /* frames of the stack */
};

void caliper_begin(struct caliper_rows *rows, struct perun_ctx *ctx, struct stacks *stacks);
/* A label of the row; the same key again is left out. */
void caliper_label(struct caliper_rows *rows, perun_id key, perun_id text);
/* A value of the row. What only says an order is left out. A unit of NULL: as caliper_unit(). */
void caliper_value(struct caliper_rows *rows, const char *name, const char *unit, double value);
/* Make the place of the row: its labels so far, and the locations, the leaf first. Statuses as of stacks_make(). */
int caliper_make_place(struct caliper_rows *rows, const perun_id *locations, size_t count,
		       struct caliper_place *place);
/* Whether a place that was kept is all that the row needs: rows of inclusive values need the one above it. */
bool caliper_place_is_enough(const struct caliper_rows *rows, const struct caliper_place *place);
/* Count the frames of a place that was kept, as if it were made again. Statuses as of stacks_walk(). */
int caliper_count_place(struct caliper_rows *rows, const struct caliper_place *place);
/* End the row, which is at `place`. */
int caliper_end_row(struct caliper_rows *rows, const struct caliper_place *place);
/* After the last row, unless `status` is an error, which comes back. Frees what the rows have. */
int caliper_finish(struct caliper_rows *rows, int status);

/* Whether a column of values is a label: ranks, threads, iterations. */
bool caliper_is_label(const char *name);
/*
 * The unit that the file names ("sec"), else that of the metric's name, "" = none. NULL: durations, which old versions
 * kept as whole microseconds, or in seconds where CALI_TIMER_UNIT asked for that.
 */
const char *caliper_unit(const char *named, const char *name);
int caliper_read_cali(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks);

#endif
