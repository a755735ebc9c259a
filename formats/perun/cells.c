/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of the table `resources` as JSON. */
#include <string.h>

#include "names.h"
#include "writing.h"

#define MAX_LOADS 8

void perunjson_field_open(struct field *field, const struct perun_column *column)
{
	const struct perun_column_info *info = perun_column_info(column);
	size_t rows = perun_table_rows(perun_column_table(column));
	struct perun_buffer quoted = {0};

	*field = (struct field){.column = column, .type = info->type};
	field->key = perunjson_key_of_column(info->name);
	field->internal = perunjson_column_is_internal(info->name);
	field->collectable = perunjson_key_is_collectable(field->key) ||
			     (info->type <= PERUN_TYPE_DOUBLE && info->role != PERUN_ROLE_KEY &&
			      strcmp(field->key, "snapshot") != 0);
	perun_json_quote(&quoted, field->key, strlen(field->key));
	field->quoted_length = quoted.length;
	field->quoted = perun_buffer_take(&quoted);
	field->span_count = (rows + PERUN_SPAN_ROWS - 1) / PERUN_SPAN_ROWS;
	field->spans = perun_alloc_zero(field->span_count + 1, sizeof *field->spans);
	field->loads = perun_alloc_zero(field->span_count + 1, sizeof *field->loads);
	for (size_t i = 0; i < field->span_count; i++)
		perun_column_span_copy(column, i * PERUN_SPAN_ROWS, &field->spans[i], NULL);
}

void perunjson_field_close(struct field *field)
{
	perun_free(field->quoted);
	perun_free(field->spans);
	perun_free(field->block);
	perun_free(field->loads);
}

/*
 * Rows mostly come in order, so that a pass copies each span once. What is asked for again and again,
 * because the rows go back and forth, is kept at full width.
 */
const struct perun_span *perunjson_field_load(struct field *field, size_t index)
{
	struct perun_span *span = &field->spans[index];

	if (field->loads[index]++ == MAX_LOADS) {
		perun_column_span(field->column, index * PERUN_SPAN_ROWS, span);
		return span;
	}
	if (!field->block)
		field->block = perun_alloc(PERUN_SPAN_ROWS * sizeof *field->block);
	if (field->loaded)
		field->loaded->cells = NULL;
	perun_column_span_copy(field->column, index * PERUN_SPAN_ROWS, span, field->block);
	field->loaded = span->cells == field->block ? span : NULL;
	return span;
}

static uint64_t cell_bits(struct field *field, size_t row)
{
	const struct perun_span *span = field_span(field, row);
	size_t i = row % PERUN_SPAN_ROWS;
	uint64_t bits;

	switch (field->type) {
	case PERUN_TYPE_INT64:
	case PERUN_TYPE_UINT64:
		return span->uint64s[i];
	case PERUN_TYPE_DOUBLE:
		memcpy(&bits, &span->doubles[i], sizeof bits);
		return bits;
	case PERUN_TYPE_BOOL:
		return span->bools[i];
	default:
		return span->ids[i];
	}
}

static bool came_as_integer(const struct field *field, size_t row)
{
	return field->type == PERUN_TYPE_DOUBLE &&
	       perun_bit(field->spans[row / PERUN_SPAN_ROWS].integers, row % PERUN_SPAN_ROWS);
}

struct field_value perunjson_field_value(struct field *field, size_t row)
{
	if (!field_has(field, row))
		return (struct field_value){.has = false};
	return (struct field_value){cell_bits(field, row), true, came_as_integer(field, row)};
}

bool perunjson_field_equal(struct field *field, size_t a, size_t b)
{
	return field_value_equal(perunjson_field_value(field, a), perunjson_field_value(field, b));
}

uint64_t perunjson_field_bits(struct field *field, size_t row)
{
	return field_has(field, row) ? cell_bits(field, row) * 2 + came_as_integer(field, row)
				     : UINT64_MAX / 3;
}

size_t perunjson_field_count(const struct field *field, const uint32_t *rows, size_t first,
			     size_t count)
{
	size_t have = 0;

	for (size_t i = 0; i < count; i++)
		have += field_has(field, rows ? rows[i] : first + i);
	return have;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* An integer that lies in a column of doubles. */
static size_t print_integer(double value, char *out)
{
	if (value >= -0x1p63 && value < 0x1p63)
		return perun_json_print_int64((int64_t)value, out);
	if (value >= 0 && value < 0x1p64)
		return perun_json_print_uint64((uint64_t)value, out);
	return perun_json_print_double(value, out);
}

static size_t print_number(const struct field *field, const struct perun_span *span, size_t i,
			   char *out)
{
	if (field->type == PERUN_TYPE_INT64)
		return perun_json_print_int64(span->int64s[i], out);
	if (field->type == PERUN_TYPE_UINT64)
		return perun_json_print_uint64(span->uint64s[i], out);
	if (perun_bit(span->integers, i))
		return print_integer(span->doubles[i], out);
	return perun_json_print_double(span->doubles[i], out);
}

static void emit_other(struct emitter *emitter, struct field *field, size_t row, bool element)
{
	const struct perun_profile *profile =
		perun_table_profile(perun_column_table(field->column));
	const struct perun_span *span = field_span(field, row);
	size_t i = row % PERUN_SPAN_ROWS, length;
	struct perun_buffer text = {0};
	const char *json;

	if (field->type == PERUN_TYPE_STRING || field->type == PERUN_TYPE_JSON) {
		json = perun_profile_string(profile, span->ids[i], &length);
		if (element)
			perunjson_emit_next(emitter, field->type == PERUN_TYPE_JSON &&
							     *json >= '0' && *json <= '9');
		if (field->type == PERUN_TYPE_STRING)
			perunjson_emit_string(emitter, json, length);
		else
			perunjson_emit_json(emitter, json, length);
		return;
	}
	if (element)
		perunjson_emit_next(emitter, false);
	perun_column_print_json(field->column, row, &text);
	perunjson_emit_json(emitter, text.data, text.length);
	perun_buffer_free(&text);
}

void perunjson_field_emit(struct emitter *emitter, struct field *field, size_t row)
{
	const struct perun_span *span = field_span(field, row);

	if (field->type > PERUN_TYPE_DOUBLE) {
		emit_other(emitter, field, row, false);
		return;
	}
	emitter->text.length +=
		print_number(field, span, row % PERUN_SPAN_ROWS,
			     perun_buffer_reserve(&emitter->text, PERUN_JSON_NUMBER_SIZE));
}

void perunjson_field_emit_element(struct emitter *emitter, struct field *field, size_t row)
{
	const struct perun_span *span = field_span(field, row);
	char number[PERUN_JSON_NUMBER_SIZE], *to;
	size_t length;

	if (field->type > PERUN_TYPE_DOUBLE) {
		emit_other(emitter, field, row, true);
		return;
	}
	if (emitter->style == EMIT_STORED) {
		to = perun_buffer_reserve(&emitter->text, PERUN_JSON_NUMBER_SIZE + 2);
		if (!emitter->first) {
			memcpy(to, ", ", 2);
			to += 2;
			emitter->text.length += 2;
		}
		emitter->first = false;
		emitter->text.length += print_number(field, span, row % PERUN_SPAN_ROWS, to);
		return;
	}
	length = print_number(field, span, row % PERUN_SPAN_ROWS, number);
	perunjson_emit_next(emitter, number[0] >= '0' && number[0] <= '9');
	perun_buffer_add(&emitter->text, number, length);
}
