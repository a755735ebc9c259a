/* SPDX-License-Identifier: BSD-3-Clause */
/* Setting and appending cells, and the types that columns take to hold them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/profile/model.h"

struct value {
	enum perun_type type;
	union {
		int64_t int64;
		uint64_t uint64;
		double real;
		bool boolean;
		perun_id id;
	};
};

/* The first integers that double and 64-bit integers do not share. */
#define INT64_END  9223372036854775808.0
#define UINT64_END 18446744073709551616.0

/* Decided from the bits: compilers for the x87 skip the rounding of a conversion to double and back. */
static bool uint64_exact(uint64_t value)
{
	return value == 0 || value >> __builtin_ctzll(value) < UINT64_C(1) << DBL_MANT_DIG;
}

static bool int64_exact(int64_t value)
{
	return uint64_exact(value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static bool is_number(enum perun_type type)
{
	return type <= PERUN_TYPE_DOUBLE;
}

/* ---- one value into the type of the column --------------------------------------------------- */

static void value_to_json(struct perun_column_builder *column, struct value *value)
{
	struct perun_builder *builder = column->table->builder;
	struct perun_buffer text = {0};
	struct perun_span span = {.cells = &value->int64};

	if (value->type == PERUN_TYPE_JSON)
		return;
	perun_cell_print_json(&builder->pools, value->type, &span, 0, &text);
	value->id = perun_builder_string(builder, text.data, text.length);
	value->type = PERUN_TYPE_JSON;
	perun_buffer_free(&text);
}

static bool to_int64(struct value *value, bool growing)
{
	if (value->type == PERUN_TYPE_UINT64) {
		if (value->uint64 > INT64_MAX)
			return false;
		value->int64 = (int64_t)value->uint64;
	} else { /* 3.0 is not 3 where the two must be distinguished */
		if (growing || value->type != PERUN_TYPE_DOUBLE || value->real < -INT64_END ||
		    !(value->real < INT64_END) || value->real != floor(value->real))
			return false;
		value->int64 = (int64_t)value->real;
	}
	value->type = PERUN_TYPE_INT64;
	return true;
}

static bool to_uint64(struct value *value, bool growing)
{
	if (value->type == PERUN_TYPE_INT64) {
		if (value->int64 < 0)
			return false;
		value->uint64 = (uint64_t)value->int64;
	} else {
		if (growing || value->type != PERUN_TYPE_DOUBLE || value->real < 0 ||
		    !(value->real < UINT64_END) || value->real != floor(value->real))
			return false;
		value->uint64 = (uint64_t)value->real;
	}
	value->type = PERUN_TYPE_UINT64;
	return true;
}

/*
 * Convert to `type` without loss if that is possible. An integer for a column of doubles stays
 * marked by its type: put() sets the bit.
 */
static bool convert(struct perun_column_builder *column, enum perun_type type, struct value *value)
{
	if (value->type == type)
		return true;
	switch (type) {
	case PERUN_TYPE_INT64:
		return to_int64(value, column->info.growing);
	case PERUN_TYPE_UINT64:
		return to_uint64(value, column->info.growing);
	case PERUN_TYPE_DOUBLE:
		return (value->type == PERUN_TYPE_INT64 && int64_exact(value->int64)) ||
		       (value->type == PERUN_TYPE_UINT64 && uint64_exact(value->uint64));
	case PERUN_TYPE_JSON:
		value_to_json(column, value);
		return true;
	default:
		return false;
	}
}

/* ---- the type of the column to one that holds the value -------------------------------------- */

/* Whether all cells of an integer column are within [low, high] as int64 (or uint64). */
static bool all_within(const struct perun_cells *cells, bool (*good)(const void *cell))
{
	struct perun_scratch scratch = {0};
	struct perun_span span;
	bool within = true;

	for (size_t row = 0; within && perun_cells_read(cells, row, &scratch, &span);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count && within; i++)
			within = perun_bit(span.absent, i) || good(span.int64s + i);
	}
	perun_free(scratch.cells);
	return within;
}

static bool top_bit_clear(const void *cell)
{
	return *(const int64_t *)cell >= 0;
}

static bool int64_cell_exact(const void *cell)
{
	return int64_exact(*(const int64_t *)cell);
}

static bool uint64_cell_exact(const void *cell)
{
	return uint64_exact(*(const uint64_t *)cell);
}

static void to_doubles(struct perun_cells *cells)
{
	struct perun_scratch scratch = {0};
	struct perun_cells doubles;
	struct perun_span span;

	perun_cells_init_like(&doubles, PERUN_TYPE_DOUBLE, cells);
	for (size_t row = 0; perun_cells_read(cells, row, &scratch, &span);
	     row = span.first + span.count) {
		for (size_t i = 0, got; i < span.count; i += got) {
			double *to = perun_cells_reserve(&doubles, span.count - i, &got);

			for (size_t k = 0; k < got; k++) {
				bool absent = perun_bit(span.absent, i + k);

				perun_chunk_set_absent(doubles.chunks[doubles.chunk_count - 1],
						       i + k, absent);
				perun_chunk_set_integer(doubles.chunks[doubles.chunk_count - 1],
							i + k, !absent);
				to[k] = absent ? NAN
					: cells->type == PERUN_TYPE_INT64
						? (double)span.int64s[i + k]
						: (double)span.uint64s[i + k];
			}
			doubles.count += got;
		}
	}
	perun_free(scratch.cells);
	doubles.valued = cells->valued;
	perun_cells_free(cells);
	*cells = doubles;
}

/* The column gets type JSON; its cells become JSON text. */
static void make_json(struct perun_column_builder *column)
{
	struct perun_builder *builder = column->table->builder;
	struct perun_cells *cells = &column->cells, texts;
	struct perun_buffer text = {0};
	struct perun_scratch scratch = {0};
	struct perun_span span;

	perun_cells_init_like(&texts, PERUN_TYPE_JSON, cells);
	for (size_t row = 0; perun_cells_read(cells, row, &scratch, &span);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			perun_id id;

			if (perun_bit(span.absent, i)) {
				perun_cells_append_absent(&texts, 1);
				continue;
			}
			perun_buffer_clear(&text);
			perun_cell_print_json(&builder->pools, cells->type, &span, i, &text);
			id = perun_builder_string(builder, text.data, text.length);
			perun_cells_append(&texts, &id, 1);
			if (id >= texts.limit)
				texts.limit = id + 1;
		}
	}
	perun_free(scratch.cells);
	perun_buffer_free(&text);
	texts.valued = cells->valued;
	perun_cells_free(cells);
	*cells = texts;
	column->info.type = PERUN_TYPE_JSON;
}

/* All cells absent: they take any type. */
static void retype(struct perun_cells *cells, enum perun_type type)
{
	size_t count = cells->count;

	perun_cells_free(cells);
	perun_cells_init_like(cells, type, cells);
	perun_cells_append_absent(cells, count);
}

/* Give the column a type that holds both its cells and `value`, which does not fit it now. */
static void promote(struct perun_column_builder *column, const struct value *value)
{
	struct perun_cells *cells = &column->cells;
	struct value copy = *value;

	if (!cells->valued) {
		retype(cells, value->type);
	} else if (cells->type == PERUN_TYPE_INT64 && value->type == PERUN_TYPE_UINT64 &&
		   all_within(cells, top_bit_clear)) {
		cells->type = PERUN_TYPE_UINT64; /* the same bits */
	} else if (cells->type == PERUN_TYPE_UINT64 && value->type == PERUN_TYPE_INT64 &&
		   all_within(cells, top_bit_clear)) {
		cells->type = PERUN_TYPE_INT64;
	} else if (is_number(value->type) && convert(column, PERUN_TYPE_DOUBLE, &copy) &&
		   ((cells->type == PERUN_TYPE_INT64 && all_within(cells, int64_cell_exact)) ||
		    (cells->type == PERUN_TYPE_UINT64 && all_within(cells, uint64_cell_exact)))) {
		to_doubles(cells);
	} else {
		make_json(column);
	}
	column->info.type = cells->type;
}

static const char *type_word(enum perun_type type)
{
	static const char *const words[] = {"int64", "uint64", "double", "bool",  "string",
					    "JSON",  "stack",  "labels", "point", "row"};

	return (size_t)type < sizeof words / sizeof *words ? words[type] : "unknown";
}

/* Make `value` fit the column, or the column the value; false = neither, which is noted. */
static bool fit(struct perun_column_builder *column, struct value *value)
{
	if (convert(column, column->cells.type, value))
		return true;
	if (!column->info.growing) {
		perun_builder_broken(column->table->builder,
				     "column %s of table %s holds %s cells, and cannot take the %s "
				     "of row %zu",
				     column->info.name, column->table->name,
				     type_word(column->cells.type), type_word(value->type),
				     column->table->rows);
		return false;
	}
	promote(column, value);
	return convert(column, column->cells.type, value);
}

/* ---- putting cells --------------------------------------------------------------------------- */

void perun_column_pad(struct perun_column_builder *column)
{
	if (column->cells.count < column->table->rows)
		perun_cells_append_absent(&column->cells,
					  column->table->rows - column->cells.count);
}

/* `to`: where cell `i` of the chunk is. */
static void write_cell(struct perun_cells *cells, struct perun_chunk *chunk, void *to, size_t i,
		       const struct value *value)
{
	switch (cells->type) {
	case PERUN_TYPE_INT64:
	case PERUN_TYPE_UINT64:
		*(uint64_t *)to = value->uint64;
		break;
	case PERUN_TYPE_DOUBLE:
		*(double *)to = value->type == PERUN_TYPE_INT64    ? (double)value->int64
				: value->type == PERUN_TYPE_UINT64 ? (double)value->uint64
								   : value->real;
		perun_chunk_set_integer(chunk, i, value->type != PERUN_TYPE_DOUBLE);
		break;
	case PERUN_TYPE_BOOL:
		*(uint8_t *)to = value->boolean;
		break;
	default:
		*(perun_id *)to = value->id;
		if (value->id >= cells->limit)
			cells->limit = value->id + 1;
	}
	perun_chunk_set_absent(chunk, i, false);
	cells->valued = true;
}

/* Put a value at `row`: the end of the column, or a cell that is there. */
static void put(struct perun_column_builder *column, size_t row, struct value value)
{
	struct perun_cells *cells = &column->cells;
	struct perun_chunk *chunk;
	char *to;

	if (!fit(column, &value))
		return;
	if (row == cells->count) {
		to = perun_cells_add_one(cells);
		chunk = cells->chunks[cells->chunk_count - 1];
	} else {
		chunk = perun_cells_own(cells, row);
		to = (char *)chunk->cells + row % PERUN_SPAN_ROWS * perun_cell_size(cells->type);
	}
	write_cell(cells, chunk, to, row % PERUN_SPAN_ROWS, &value);
}

static void set(struct perun_column_builder *column, struct value value)
{
	perun_column_pad(column);
	put(column, column->table->rows, value);
}

static void append(struct perun_column_builder *column, struct value value)
{
	size_t row = column->cells.count;

	put(column, row, value);
	if (column->cells.count == row) /* it did not fit */
		perun_cells_append_absent(&column->cells, 1);
}

void perun_column_set_int64(struct perun_column_builder *column, int64_t value)
{
	int64_t *cell = column->cells.type == PERUN_TYPE_INT64
				? perun_cells_next(&column->cells, column->table->rows, 8)
				: NULL;

	if (cell)
		*cell = value;
	else
		set(column, (struct value){.type = PERUN_TYPE_INT64, .int64 = value});
}

void perun_column_set_uint64(struct perun_column_builder *column, uint64_t value)
{
	uint64_t *cell = column->cells.type == PERUN_TYPE_UINT64
				 ? perun_cells_next(&column->cells, column->table->rows, 8)
				 : NULL;

	if (cell)
		*cell = value;
	else
		set(column, (struct value){.type = PERUN_TYPE_UINT64, .uint64 = value});
}

void perun_column_set_double(struct perun_column_builder *column, double value)
{
	double *cell = column->cells.type == PERUN_TYPE_DOUBLE
			       ? perun_cells_next(&column->cells, column->table->rows, 8)
			       : NULL;

	if (cell)
		*cell = value;
	else
		set(column, (struct value){.type = PERUN_TYPE_DOUBLE, .real = value});
}

void perun_column_set_bool(struct perun_column_builder *column, bool value)
{
	set(column, (struct value){.type = PERUN_TYPE_BOOL, .boolean = value});
}

void perun_column_set_absent(struct perun_column_builder *column)
{
	struct perun_cells *cells = &column->cells;
	size_t row = column->table->rows;

	/* Cells that are not set are absent anyway; only one that was set has to go. */
	if (row < cells->count) {
		struct perun_cells rest;

		perun_cells_share(&rest, cells);
		perun_cells_truncate(cells, row);
		perun_cells_append_absent(cells, 1);
		perun_cells_append_from(cells, &rest, row + 1, rest.count - row - 1);
		perun_cells_free(&rest);
	}
}

void perun_column_set_id(struct perun_column_builder *column, enum perun_type type, perun_id value)
{
	struct perun_cells *cells = &column->cells;
	perun_id *cell;

	if (value == PERUN_NO_ID) {
		perun_column_set_absent(column);
		return;
	}
	cell = cells->type == type ? perun_cells_next(cells, column->table->rows, 4) : NULL;
	if (!cell) {
		set(column, (struct value){.type = type, .id = value});
		return;
	}
	*cell = value;
	if (value >= cells->limit)
		cells->limit = value + 1;
}

/* ---- in bulk --------------------------------------------------------------------------------- */

/* Absent cells alone do not count: nothing is lost with them. */
static void begin_bulk(struct perun_column_builder *column, size_t count)
{
	perun_column_pad(column);
	column->bulk_end = column->cells.count + count;
}

void perun_column_append_int64(struct perun_column_builder *column, const int64_t *values,
			       size_t count)
{
	begin_bulk(column, count);
	for (; count && column->cells.type != PERUN_TYPE_INT64; count--, values++)
		append(column, (struct value){.type = PERUN_TYPE_INT64, .int64 = *values});
	perun_cells_append(&column->cells, values, count);
}

void perun_column_append_uint64(struct perun_column_builder *column, const uint64_t *values,
				size_t count)
{
	begin_bulk(column, count);
	for (; count && column->cells.type != PERUN_TYPE_UINT64; count--, values++)
		append(column, (struct value){.type = PERUN_TYPE_UINT64, .uint64 = *values});
	perun_cells_append(&column->cells, values, count);
}

static void append_one_double(struct perun_column_builder *column, double value, bool integer)
{
	bool whole = integer && value == floor(value);

	if (whole && value >= -INT64_END && value < INT64_END)
		append(column, (struct value){.type = PERUN_TYPE_INT64, .int64 = (int64_t)value});
	else if (whole && value >= 0 && value < UINT64_END)
		append(column,
		       (struct value){.type = PERUN_TYPE_UINT64, .uint64 = (uint64_t)value});
	else
		append(column, (struct value){.type = PERUN_TYPE_DOUBLE, .real = value});
}

void perun_column_append_double(struct perun_column_builder *column, const double *values,
				const uint64_t *integers, size_t count)
{
	struct perun_cells *cells = &column->cells;
	size_t i = 0, first;

	begin_bulk(column, count);
	for (; i < count && cells->type != PERUN_TYPE_DOUBLE; i++)
		append_one_double(column, values[i], perun_bit(integers, i));
	first = cells->count - i;
	if (i == count)
		return;
	perun_cells_append(cells, values + i, count - i);
	if (!integers)
		return;
	for (; i < count; i++) {
		if (!perun_bit(integers, i))
			continue;
		perun_chunk_set_integer(cells->chunks[(first + i) / PERUN_SPAN_ROWS],
					(first + i) % PERUN_SPAN_ROWS, true);
	}
}

void perun_column_append_bool(struct perun_column_builder *column, const uint8_t *values,
			      size_t count)
{
	begin_bulk(column, count);
	for (; count; count--, values++)
		append(column, (struct value){.type = PERUN_TYPE_BOOL, .boolean = *values != 0});
}

/* Copies ids; returns the highest + 1, and in `*absent` whether one is PERUN_NO_ID. */
static perun_id copy_ids(perun_id *to, const perun_id *from, size_t count, bool *absent)
{
	perun_id highest = 0, lowest = PERUN_NO_ID;

	for (size_t i = 0; i < count; i++) {
		perun_id next = from[i] + 1; /* PERUN_NO_ID becomes 0 */

		to[i] = from[i];
		highest = next > highest ? next : highest;
		lowest = next < lowest ? next : lowest;
	}
	*absent = lowest == 0;
	return highest;
}

static void append_same_ids(struct perun_cells *cells, const perun_id *values, size_t count)
{
	size_t got;

	for (; count; count -= got, values += got) {
		size_t used = cells->count % PERUN_SPAN_ROWS;
		perun_id *to = perun_cells_reserve(cells, count, &got);
		struct perun_chunk *chunk = cells->chunks[cells->chunk_count - 1];
		bool absent;
		perun_id limit = copy_ids(to, values, got, &absent);

		if (limit > cells->limit)
			cells->limit = limit;
		cells->valued |= limit > 0;
		cells->count += got;
		for (size_t i = 0; absent && i < got; i++) {
			if (values[i] == PERUN_NO_ID)
				perun_chunk_set_absent(chunk, used + i, true);
		}
	}
}

void perun_column_append_ids(struct perun_column_builder *column, enum perun_type type,
			     const perun_id *values, size_t count)
{
	begin_bulk(column, count);
	for (; count && column->cells.type != type; count--, values++) {
		if (*values == PERUN_NO_ID)
			perun_cells_append_absent(&column->cells, 1);
		else
			append(column, (struct value){.type = type, .id = *values});
	}
	append_same_ids(&column->cells, values, count);
}

void perun_column_append_same_id(struct perun_column_builder *column, enum perun_type type,
				 perun_id value, size_t count)
{
	if (value == PERUN_NO_ID) {
		perun_column_append_absent(column, count);
		return;
	}
	begin_bulk(column, count);
	for (; count && column->cells.type != type; count--)
		append(column, (struct value){.type = type, .id = value});
	perun_cells_append_same(&column->cells, &value, count);
	if (count && value >= column->cells.limit)
		column->cells.limit = value + 1;
}

void perun_column_append_absent(struct perun_column_builder *column, size_t count)
{
	perun_column_pad(column);
	if (column->bulk_end == column->cells.count)
		column->bulk_end += count;
	perun_cells_append_absent(&column->cells, count);
}

const struct perun_column_info *perun_column_builder_info(const struct perun_column_builder *column)
{
	return &column->info;
}

void perun_column_set_name(struct perun_column_builder *column, const char *name)
{
	char *copy = perun_strdup(name);

	perun_free((char *)column->info.name);
	column->info.name = copy;
	perun_pool_unref(column->table->names); /* made again when it is needed */
	column->table->names = NULL;
}

void perun_column_set_unit(struct perun_column_builder *column, const char *unit)
{
	perun_free((char *)column->info.unit);
	column->info.unit = perun_strdup(unit ? unit : "");
}

void perun_column_save_memory(struct perun_column_builder *column)
{
	column->cells.narrow = true;
}

void perun_column_set_role(struct perun_column_builder *column, enum perun_role role)
{
	column->info.role = role;
}
