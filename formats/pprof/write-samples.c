/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples: a row each. */
#include <math.h>
#include <string.h>

#include "writing.h"

/* Columns are read in whole spans unless there are too many of them for that much memory. */
enum { SPANNED = 32 };

/* The cells of a value for the rows of a span. */
struct block {
	struct perun_span span;
	int64_t *cells;
};

/* The varint of a location's id, as nearly all take at most seven bytes; a count of 0: more. */
struct id_bytes {
	unsigned char bytes[7], count;
};

/* Deep stacks recur, at other times and with other labels: the field of one that was written lately. */
enum { KEPT = 16, DEEP = 256 };
struct kept_stack {
	perun_id stack;
	size_t size, room; /* a size of 0: there is none */
	char *field;
};

struct samples {
	struct pprof_writing *writing;
	struct kept_stack kept[KEPT]; /* by the stack's number */
	struct id_bytes *ids;         /* of all locations */
	struct block blocks[SPANNED];
	bool spanned;
	size_t first_of_span;
	struct perun_stack_rows *stacks; /* NULL: there are none */
	int64_t *values;                 /* of a row */
	struct perun_buffer message, uid;
};

/* ---- numbers --------------------------------------------------------------------------------- */

static int64_t from_double(struct pprof_writing *writing, double value)
{
	double whole = round(value);

	if (!(whole >= -9223372036854775808.0 && whole < 9223372036854775808.0)) {
		writing->too_large++;
		return isnan(whole) ? 0 : whole < 0 ? INT64_MIN : INT64_MAX;
	}
	/* A product of a decimal fraction may be off by its last bits. */
	writing->fractions += fabs(whole - value) > 1e-15 * fabs(value);
	return (int64_t)whole;
}

static int64_t from_uint64(struct pprof_writing *writing, uint64_t value)
{
	if (value <= INT64_MAX)
		return (int64_t)value;
	writing->too_large++;
	return INT64_MAX;
}

static int64_t from_cell(struct pprof_writing *writing, const struct pprof_value *value,
			 const struct perun_span *span, size_t i)
{
	enum perun_type type = perun_column_info(value->column)->type;

	if (perun_bit(span->absent, i)) {
		writing->absent++;
		writing->blanks++;
		return 0;
	}
	if (type == PERUN_TYPE_DOUBLE)
		return from_double(writing, span->doubles[i] * value->factor);
	if (type == PERUN_TYPE_UINT64)
		return from_uint64(writing, span->uint64s[i]);
	return span->int64s[i];
}

/* A value by its cell alone: of metrics that rows name, and where there are very many columns. */
static int64_t single_value(struct pprof_writing *writing, const struct pprof_value *value,
			    size_t row)
{
	if (value->metric && !perun_metric_has_row(value->metric, row))
		return 0;
	if (perun_column_absent(value->column, row)) {
		writing->absent++;
		writing->blanks++;
		return 0;
	}
	switch (perun_column_info(value->column)->type) {
	case PERUN_TYPE_INT64:
		return perun_column_int64(value->column, row);
	case PERUN_TYPE_UINT64:
		return from_uint64(writing, perun_column_uint64(value->column, row));
	default:
		return from_double(writing,
				   perun_column_double(value->column, row) * value->factor);
	}
}

static void open_span(struct samples *samples, size_t row)
{
	struct pprof_writing *writing = samples->writing;

	for (size_t i = 0; samples->spanned && i < writing->value_count; i++) {
		if (!writing->values[i].metric)
			perun_column_span_copy(writing->values[i].column, row,
					       &samples->blocks[i].span, samples->blocks[i].cells);
	}
}

/* Of metrics that rows name, each row has one or two; all others are zeros. */
static void read_named(struct samples *samples, size_t row)
{
	struct pprof_writing *writing = samples->writing;

	for (size_t m = perun_metric_of_row(writing->profile, row, 0); m != SIZE_MAX;
	     m = perun_metric_of_row(writing->profile, row, m + 1)) {
		size_t i = writing->value_of_metric[m];

		if (i == SIZE_MAX)
			continue;
		samples->values[i] = single_value(writing, &writing->values[i], row);
		writing->blanks--;
	}
}

static void read_values(struct samples *samples, size_t row, size_t end)
{
	struct pprof_writing *writing = samples->writing;

	for (size_t i = 0; i < writing->wide_count; i++) {
		const struct pprof_value *value = &writing->values[i];

		if (samples->spanned)
			samples->values[i] = from_cell(writing, value, &samples->blocks[i].span,
						       row - samples->blocks[i].span.first);
		else
			samples->values[i] = single_value(writing, value, row);
	}
	if (writing->wide_count == writing->value_count)
		return;
	memset(samples->values + writing->wide_count, 0,
	       (writing->value_count - writing->wide_count) * sizeof *samples->values);
	writing->blanks += writing->value_count - writing->wide_count;
	for (; row < end; row++)
		read_named(samples, row);
}

/* ---- rows that are one sample ---------------------------------------------------------------- */

static bool same_cell(const struct perun_column *column, size_t a, size_t b)
{
	enum perun_type type;

	if (!column)
		return true;
	type = perun_column_info(column)->type;
	if (perun_column_absent(column, a) != perun_column_absent(column, b))
		return false;
	if (type > PERUN_TYPE_BOOL)
		return perun_column_id(column, a) == perun_column_id(column, b);
	if (type == PERUN_TYPE_DOUBLE)
		return perun_column_double(column, a) == perun_column_double(column, b);
	return perun_column_int64(column, a) == perun_column_int64(column, b);
}

static bool same_place(const struct pprof_writing *writing, size_t a, size_t b)
{
	if (!same_cell(writing->stacks, a, b) || !same_cell(writing->labels, a, b) ||
	    !same_cell(writing->uids, a, b))
		return false;
	for (size_t i = 0; i < writing->label_column_count; i++) {
		if (!same_cell(writing->label_columns[i].column, a, b))
			return false;
	}
	return true;
}

/* The metric that a row names, as a bit; 0 for none. */
static uint64_t metric_of(const struct pprof_writing *writing, size_t row)
{
	for (size_t i = 0; i < writing->value_count; i++) {
		if (perun_metric_has_row(writing->values[i].metric, row))
			return (uint64_t)1 << i;
	}
	return 0;
}

/*
 * Where rows name their metric, those that follow each other at the same place with different metrics
 * are one sample: what a sample with several values becomes in Perun's own format.
 */
static size_t end_of_sample(const struct pprof_writing *writing, size_t row)
{
	size_t rows = perun_table_rows(writing->table), end = row + 1;
	uint64_t seen;

	if (!writing->long_only || writing->value_count < 2 || writing->value_count > 64)
		return end;
	seen = metric_of(writing, row);
	while (seen && end < rows && same_place(writing, row, end)) {
		uint64_t metric = metric_of(writing, end);

		if (!metric || seen & metric)
			break;
		seen |= metric;
		end++;
	}
	return end;
}

/* ---- the message ----------------------------------------------------------------------------- */

/* Varints of one field: packed when there are more than two, as pprof does it. */
static unsigned char *put_head(unsigned char *to, uint32_t number, size_t count, size_t size)
{
	if (count <= 2)
		return to;
	*to++ = (unsigned char)(number << 3 | 2);
	return protobuf_put_varint(to, size);
}

static void put_values(struct samples *samples)
{
	struct perun_buffer *message = &samples->message;
	size_t count = samples->writing->value_count, size = 0;
	unsigned char *to = (unsigned char *)perun_buffer_reserve(message, 11 * count + 16);
	unsigned char *start = to;

	for (size_t i = 0; count > 2 && i < count; i++)
		size += pprof_varint_size((uint64_t)samples->values[i]);
	to = put_head(to, 2, count, size);
	for (size_t i = 0; i < count; i++) {
		if (count <= 2)
			*to++ = 2 << 3;
		to = protobuf_put_varint(to, (uint64_t)samples->values[i]);
	}
	message->length += (size_t)(to - start);
}

static void make_ids(struct samples *samples)
{
	size_t locations = perun_profile_locations(samples->writing->profile);

	samples->ids = perun_alloc_zero(locations + 1, sizeof *samples->ids);
	for (size_t i = 0; i < locations; i++) {
		uint64_t number = pprof_location_id(samples->writing, (perun_id)i);
		size_t size = pprof_varint_size(number);

		if (size > sizeof samples->ids[i].bytes)
			continue;
		protobuf_put_varint(samples->ids[i].bytes, number);
		samples->ids[i].count = (unsigned char)size;
	}
}

static inline size_t id_size(const struct samples *samples, perun_id location)
{
	const struct id_bytes *id = &samples->ids[location];

	return id->count ? id->count
			 : pprof_varint_size(pprof_location_id(samples->writing, location));
}

/* A few bytes more may be written. */
static inline unsigned char *put_id(const struct samples *samples, unsigned char *to,
				    perun_id location)
{
	const struct id_bytes *id = &samples->ids[location];

	if (!id->count)
		return protobuf_put_varint(to, pprof_location_id(samples->writing, location));
	memcpy(to, id, sizeof *id);
	return to + id->count;
}

static void keep_stack(struct kept_stack *kept, perun_id stack, const void *field, size_t size)
{
	if (size > kept->room) {
		kept->room = size * 2;
		kept->field = perun_realloc_array(kept->field, kept->room, 1);
	}
	memcpy(kept->field, field, size);
	kept->stack = stack;
	kept->size = size;
}

static void put_stack(struct samples *samples, size_t row)
{
	struct perun_buffer *message = &samples->message;
	perun_id stack = perun_column_id(samples->writing->stacks, row);
	struct kept_stack *kept = &samples->kept[stack % KEPT];
	size_t count, size = 0;
	const perun_id *frames;
	unsigned char *to, *start;

	if (samples->writing->paths) {
		pprof_add_number(message, 4, pprof_path_number(samples->writing, stack));
		return;
	}
	if (kept->size && kept->stack == stack) {
		perun_buffer_add(message, kept->field, kept->size);
		return;
	}
	frames = perun_stack_rows_at(samples->stacks, row, &count);
	to = start = (unsigned char *)perun_buffer_reserve(message, 11 * count + 16);
	for (size_t i = 0; count > 2 && i < count; i++)
		size += id_size(samples, frames[i]);
	to = put_head(to, 1, count, size);
	for (size_t i = 0; i < count; i++) {
		if (count <= 2)
			*to++ = 1 << 3;
		to = put_id(samples, to, frames[i]);
	}
	message->length += (size_t)(to - start);
	if (count >= DEEP)
		keep_stack(kept, stack, start, (size_t)(to - start));
}

/* The function that a uid represents. */
static void put_uid(struct samples *samples, size_t row)
{
	struct pprof_writing *writing = samples->writing;
	perun_id number;

	perun_buffer_clear(&samples->uid);
	perun_column_print(writing->uids, row, &samples->uid);
	if (!samples->uid.length)
		return;
	number = perun_builder_string(writing->uid_names, samples->uid.data, samples->uid.length);
	if (number > writing->uid_count)
		writing->uid_count = number;
	pprof_add_number(&samples->message, 1, writing->last_location + number);
}

static void write_sample(struct samples *samples, size_t row, size_t end)
{
	struct pprof_writing *writing = samples->writing;

	perun_buffer_clear(&samples->message);
	if (writing->stacks) {
		if (!perun_column_absent(writing->stacks, row))
			put_stack(samples, row);
	} else if (writing->uids) {
		put_uid(samples, row);
	}
	read_values(samples, row, end);
	put_values(samples);
	pprof_put_labels(writing, row, &samples->message);
	pprof_put_message(writing, 2, &samples->message);
}

void pprof_write_samples(struct pprof_writing *writing)
{
	struct samples samples = {.writing = writing, .spanned = writing->value_count <= SPANNED};
	size_t rows = perun_table_rows(writing->table), cells = PERUN_SPAN_ROWS;

	if (rows < cells)
		cells = rows;
	make_ids(&samples);
	samples.values = perun_alloc_zero(writing->value_count + 1, sizeof *samples.values);
	if (writing->stacks)
		samples.stacks = perun_stack_rows_new(writing->profile, writing->stacks);
	for (size_t i = 0; samples.spanned && i < writing->value_count; i++)
		samples.blocks[i].cells = perun_alloc_zero(cells + 1, sizeof(int64_t));
	for (size_t row = 0, end; row < rows; row = end) {
		if (row == 0 || row - samples.first_of_span >= PERUN_SPAN_ROWS) {
			samples.first_of_span = row / PERUN_SPAN_ROWS * PERUN_SPAN_ROWS;
			open_span(&samples, row);
			if (perun_cancelled(writing->ctx))
				break;
		}
		end = end_of_sample(writing, row);
		write_sample(&samples, row, end);
		if (writing->blanks > writing->blank_limit) {
			perun_fail(
				writing->ctx, PERUN_INPUT,
				"samples would have more zeros for metrics that they do not have "
				"than the option zero-limit allows");
			break;
		}
	}
	for (size_t i = 0; i < SPANNED; i++)
		perun_free(samples.blocks[i].cells);
	for (size_t i = 0; i < KEPT; i++)
		perun_free(samples.kept[i].field);
	perun_free(samples.ids);
	perun_stack_rows_free(samples.stacks);
	perun_free(samples.values);
	perun_buffer_free(&samples.message);
	perun_buffer_free(&samples.uid);
}
