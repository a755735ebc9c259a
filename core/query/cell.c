/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of any type as values: their text, their order. */
#include <math.h>

#include "core/query/cell.h"

size_t perun_pool_size(const struct perun_profile *profile, enum perun_type type)
{
	switch (type) {
	case PERUN_TYPE_STRING:
	case PERUN_TYPE_JSON:
		return perun_profile_strings(profile);
	case PERUN_TYPE_STACK:
		return perun_profile_stacks(profile);
	case PERUN_TYPE_LABELS:
		return perun_profile_label_sets(profile);
	case PERUN_TYPE_POINT:
		return perun_profile_points(profile);
	default:
		return 0;
	}
}

int perun_query_rows(struct perun_ctx *ctx, const struct perun_table *table)
{
	if (perun_table_rows(table) < UINT32_MAX)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT, "table %s has %zu rows; at most %u can be queried",
			  perun_table_name(table), perun_table_rows(table), UINT32_MAX - 1);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static void set_uint64(struct perun_cell *cell, uint64_t value)
{
	cell->kind = value <= INT64_MAX ? PERUN_CELL_INT64 : PERUN_CELL_UINT64;
	cell->uint64 = value;
}

bool perun_cell_parse_number(const char *text, size_t length, struct perun_cell *cell)
{
	struct perun_json *integer = perun_json_integer(text, length);
	int64_t small;
	uint64_t large;
	bool found = true;

	if (integer && perun_json_as_int64(integer, &small)) {
		cell->kind = PERUN_CELL_INT64;
		cell->int64 = small;
	} else if (integer && perun_json_as_uint64(integer, &large)) {
		set_uint64(cell, large);
	} else {
		double real;

		found = length > 0 && perun_json_scan_double(text, length, &real) == length;
		if (found) {
			cell->kind = PERUN_CELL_DOUBLE;
			cell->real = real;
		}
	}
	perun_json_free(integer);
	return found;
}

static void set_text(struct perun_cell *cell, const struct perun_buffer *text)
{
	cell->kind = PERUN_CELL_TEXT;
	cell->text = text->data ? text->data : "";
	cell->length = text->length;
}

void perun_cell_from_json(const struct perun_json *value, struct perun_buffer *text,
			  struct perun_cell *cell)
{
	bool truth;

	if (perun_json_as_bool(value, &truth)) {
		cell->kind = PERUN_CELL_BOOL;
		cell->int64 = truth;
	} else if (perun_json_as_int64(value, &cell->int64)) {
		cell->kind = PERUN_CELL_INT64;
	} else if (perun_json_as_uint64(value, &cell->uint64)) {
		cell->kind = PERUN_CELL_UINT64;
	} else if (perun_json_as_double(value, &cell->real)) {
		cell->kind = PERUN_CELL_DOUBLE;
	} else {
		perun_buffer_clear(text);
		perun_flatten_value(value, text);
		set_text(cell, text);
	}
}

/* A JSON cell; strings without escapes, which most are, are not parsed. */
static void read_json(const char *json, size_t length, struct perun_buffer *text,
		      struct perun_cell *cell)
{
	struct perun_json *value;

	if (length >= 2 && json[0] == '"' && !memchr(json, '\\', length)) {
		cell->kind = PERUN_CELL_TEXT;
		perun_buffer_clear(text);
		perun_buffer_add(text, json + 1, length - 2);
		set_text(cell, text);
	} else if (perun_json_parse(NULL, json, length, NULL, &value) == PERUN_OK) {
		perun_cell_from_json(value, text, cell);
		perun_json_free(value);
	} else {
		cell->kind = PERUN_CELL_TEXT;
		cell->text = json;
		cell->length = length;
	}
}

void perun_cell_read(const struct perun_column *column, size_t row, struct perun_buffer *text,
		     struct perun_cell *cell)
{
	enum perun_type type = perun_column_info(column)->type;
	const struct perun_profile *profile = perun_table_profile(perun_column_table(column));

	cell->kind = PERUN_CELL_ABSENT;
	if (perun_column_absent(column, row))
		return;
	switch (type) {
	case PERUN_TYPE_INT64:
		cell->kind = PERUN_CELL_INT64;
		cell->int64 = perun_column_int64(column, row);
		break;
	case PERUN_TYPE_UINT64:
		set_uint64(cell, perun_column_uint64(column, row));
		break;
	case PERUN_TYPE_DOUBLE:
		cell->kind = PERUN_CELL_DOUBLE;
		cell->real = perun_column_double(column, row);
		break;
	case PERUN_TYPE_BOOL:
		cell->kind = PERUN_CELL_BOOL;
		cell->int64 = perun_column_int64(column, row) != 0;
		break;
	case PERUN_TYPE_ROW:
		set_uint64(cell, perun_column_id(column, row));
		break;
	case PERUN_TYPE_STRING:
		cell->kind = PERUN_CELL_TEXT;
		cell->text =
			perun_profile_string(profile, perun_column_id(column, row), &cell->length);
		break;
	case PERUN_TYPE_JSON: {
		size_t length;
		const char *json =
			perun_profile_string(profile, perun_column_id(column, row), &length);

		read_json(json, length, text, cell);
		break;
	}
	default:
		perun_buffer_clear(text);
		perun_column_print(column, row, text);
		set_text(cell, text);
	}
}

void perun_cell_text(struct perun_cell *cell, struct perun_buffer *text)
{
	char number[PERUN_JSON_NUMBER_SIZE] = "";

	switch (cell->kind) {
	case PERUN_CELL_BOOL:
		strcpy(number, cell->int64 ? "True" : "False");
		break;
	case PERUN_CELL_INT64:
		perun_json_print_int64(cell->int64, number);
		break;
	case PERUN_CELL_UINT64:
		perun_json_print_uint64(cell->uint64, number);
		break;
	case PERUN_CELL_DOUBLE:
		perun_json_print_double(cell->real, number);
		break;
	default:
		return;
	}
	perun_buffer_clear(text);
	perun_buffer_add_text(text, number);
	cell->text = text->data;
	cell->length = text->length;
}

void perun_column_flat(const struct perun_column *column, size_t row, struct perun_buffer *out)
{
	struct perun_buffer text = {0};
	struct perun_cell cell;

	if (perun_column_absent(column, row))
		return;
	if (perun_column_info(column)->type != PERUN_TYPE_JSON) {
		perun_column_print(column, row, out);
		return;
	}
	perun_cell_read(column, row, &text, &cell);
	perun_cell_text(&cell, &text);
	perun_buffer_add(out, cell.text, cell.length);
	perun_buffer_free(&text);
}

/* ---- order ------------------------------------------------------------------------------------ */

static int order_of(bool less, bool greater)
{
	return less ? -1 : greater;
}

/* Exactly: an integer is not rounded to be compared. NaN comes last. */
static int compare_int64_double(int64_t a, double b)
{
	double whole = trunc(b);

	if (isnan(b) || b >= 0x1p63)
		return -1;
	if (b < -0x1p63)
		return 1;
	if (a != (int64_t)whole)
		return order_of(a < (int64_t)whole, true);
	return order_of(whole<b, whole> b);
}

static int compare_uint64_double(uint64_t a, double b)
{
	if (isnan(b) || b >= 0x1p64)
		return -1;
	if (b < 0x1p63)
		return 1;
	return order_of(a<(uint64_t)b, a>(uint64_t) b); /* such doubles are whole */
}

static int compare_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return order_of(!isnan(a), !isnan(b));
	return order_of(a<b, a> b);
}

static int compare_numbers(const struct perun_cell *a, const struct perun_cell *b)
{
	if (a->kind > b->kind)
		return -compare_numbers(b, a);
	if (a->kind == PERUN_CELL_DOUBLE)
		return compare_doubles(a->real, b->real);
	if (a->kind == PERUN_CELL_INT64 && b->kind == PERUN_CELL_INT64)
		return order_of(a->int64<b->int64, a->int64> b->int64);
	if (b->kind == PERUN_CELL_DOUBLE)
		return a->kind == PERUN_CELL_INT64 ? compare_int64_double(a->int64, b->real)
						   : compare_uint64_double(a->uint64, b->real);
	return a->kind == PERUN_CELL_INT64 ? -1
					   : order_of(a->uint64<b->uint64, a->uint64> b->uint64);
}

int perun_cell_order(const struct perun_cell *a, const struct perun_cell *b)
{
	size_t shorter;
	int order;

	if (perun_cell_is_number(a) && perun_cell_is_number(b))
		return compare_numbers(a, b);
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == PERUN_CELL_ABSENT)
		return 0;
	if (a->kind == PERUN_CELL_BOOL)
		return order_of(a->int64<b->int64, a->int64> b->int64);
	shorter = a->length < b->length ? a->length : b->length;
	order = memcmp(a->text, b->text, shorter);
	return order ? order : order_of(a->length<b->length, a->length> b->length);
}

int perun_cell_compare(const struct perun_column *a, size_t a_row, const struct perun_column *b,
		       size_t b_row)
{
	struct perun_buffer a_text = {0}, b_text = {0};
	struct perun_cell a_cell, b_cell;
	int order;

	perun_cell_read(a, a_row, &a_text, &a_cell);
	perun_cell_read(b, b_row, &b_text, &b_cell);
	order = perun_cell_order(&a_cell, &b_cell);
	perun_buffer_free(&a_text);
	perun_buffer_free(&b_text);
	return order;
}
