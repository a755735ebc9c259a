/* SPDX-License-Identifier: BSD-3-Clause */
/* When the samples of a question were taken: what they weigh in each part of the time. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "serve.h"

enum { BINS = 240 };

struct times {
	const struct perun_column *start,
		*end; /* NULL: the profile has no times; samples have no length */
	double first, last;
	double bins[BINS];
};

static bool is_number(enum perun_type type)
{
	return type == PERUN_TYPE_INT64 || type == PERUN_TYPE_UINT64 || type == PERUN_TYPE_DOUBLE;
}

static void find_columns(const struct perun_table *table, struct times *times)
{
	size_t count = perun_table_columns(table);

	for (size_t i = 0; i < count; i++) {
		const struct perun_column *column = perun_table_column_at(table, i);
		const struct perun_column_info *info = perun_column_info(column);

		if (info->role != PERUN_ROLE_TIME || !is_number(info->type))
			continue;
		if (strcmp(info->name, "end") == 0)
			times->end = column;
		else if (!times->start)
			times->start = column;
	}
	if (!times->start)
		times->end = NULL;
}

/* Of a row; false: it has no time. */
static bool read_row(const struct times *times, size_t row, double *from, double *to)
{
	*from = perun_column_double(times->start, row);
	*to = times->end ? perun_column_double(times->end, row) : *from;
	if (!isfinite(*from))
		return false;
	if (!isfinite(*to) || *to < *from)
		*to = *from;
	return true;
}

/* Of all samples, whatever filters left. */
static void find_range(const struct perun_table *table, struct times *times)
{
	size_t rows = perun_table_rows(table);
	double from, to;

	times->first = INFINITY;
	times->last = -INFINITY;
	for (size_t row = 0; row < rows; row++) {
		if (!read_row(times, row, &from, &to))
			continue;
		times->first = fmin(times->first, from);
		times->last = fmax(times->last, to);
	}
}

static bool is_left(const struct serve_question *question, size_t row)
{
	const struct views_data *data = &question->data;
	size_t first, end;
	perun_id stack;

	if (question->pair && !perun_bit(question->pair->rows[SERVE_NEW], row))
		return false;
	if (data->stacks)
		return perun_stacks_row(data->stacks, row, &stack, &first, &end);
	return !data->selection || perun_bit(data->selection, row);
}

/* What lasts is spread over its time. */
static void add(struct times *times, double from, double to, double value)
{
	double width = (times->last - times->first) / BINS;
	size_t first = (size_t)fmin((from - times->first) / width, BINS - 1);
	size_t last = (size_t)fmin((to - times->first) / width, BINS - 1);

	for (size_t i = first; i <= last; i++) {
		double begin = times->first + (double)i * width, end = begin + width;
		double part = to > from ? (fmin(end, to) - fmax(begin, from)) / (to - from) : 1;

		times->bins[i] += value * fmax(part, 0);
	}
}

static void fill(const struct serve_question *question, size_t rows, struct times *times)
{
	double from, to;

	for (size_t row = 0; row < rows; row++) {
		double value = fabs(views_row_value(&question->data, row));

		if (isfinite(value) && value > 0 && is_left(question, row) &&
		    read_row(times, row, &from, &to))
			add(times, from, to, value);
	}
}

int serve_write_times(struct serve_question *question, struct perun_json_writer *writer)
{
	const struct perun_table *table = perun_resources(question->data.profile);
	struct times times = {0};
	bool known;

	find_columns(table, &times);
	if (times.start)
		find_range(table, &times);
	known = times.start && times.last > times.first;
	if (known)
		fill(question, perun_table_rows(table), &times);
	serve_write_sum(question, writer);
	serve_write_pair(writer, "column", known ? perun_column_info(times.start)->name : "");
	serve_write_pair(writer, "end_column",
			 known && times.end ? perun_column_info(times.end)->name : "");
	serve_write_pair(writer, "time_unit",
			 known && perun_column_info(times.start)->unit
				 ? perun_column_info(times.start)->unit
				 : "");
	serve_write_number(writer, "first", known ? times.first : 0);
	serve_write_number(writer, "last", known ? times.last : 0);
	perun_json_write_key_text(writer, "bins");
	perun_json_write_array_start(writer);
	for (size_t i = 0; known && i < BINS; i++)
		perun_json_write_double(writer, times.bins[i]);
	perun_json_write_array_end(writer);
	return PERUN_OK;
}
