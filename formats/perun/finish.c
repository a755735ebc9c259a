/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of reading: persistent values become columns, types become rows of `resource_types`. */
#include <string.h>

#include "names.h"
#include "reading.h"

#define BLOCK 16384

/* ---- columns from what is staged ------------------------------------------------------------- */

/* What the values of a key are, over all types. */
struct survey {
	enum tag tag;    /* of all that are present, TAG_PENDING = they differ */
	bool some, gaps; /* one is present; one is absent */
};

static struct survey survey_key(const struct reading *reading, const struct key *key)
{
	struct survey survey = {TAG_ABSENT, false, false};

	for (size_t type = 0; type < reading->type_count; type++) {
		enum tag tag = type < key->staged ? (enum tag)key->tags[type] : TAG_ABSENT;

		if (tag == TAG_ABSENT) {
			survey.gaps = true;
		} else if (!survey.some) {
			survey.tag = tag;
			survey.some = true;
		} else if (tag != survey.tag) {
			survey.tag = TAG_PENDING;
		}
	}
	return survey;
}

/* Ids that go into a column; long runs of one do not pass through the block. */
struct ids {
	struct perun_column_builder *column;
	enum perun_type type;
	perun_id last;
	uint64_t same; /* how often `last` came that is not passed on */
	size_t used;
	perun_id block[BLOCK];
};

static void pass_ids(struct ids *ids)
{
	if (ids->used)
		perun_column_append_ids(ids->column, ids->type, ids->block, ids->used);
	ids->used = 0;
}

static void pass_same(struct ids *ids)
{
	if (ids->same > BLOCK) {
		pass_ids(ids);
		perun_column_append_same_id(ids->column, ids->type, ids->last, (size_t)ids->same);
		ids->same = 0;
	}
	for (; ids->same; ids->same--) {
		if (ids->used == BLOCK)
			pass_ids(ids);
		ids->block[ids->used++] = ids->last;
	}
}

void perunjson_expand_ids(struct reading *reading, struct perun_column_builder *column,
			  enum perun_type type, const perun_id *type_ids)
{
	struct ids ids; /* its block needs no zeroes */

	ids.column = column;
	ids.type = type;
	ids.last = 0;
	ids.same = 0;
	ids.used = 0;
	for (size_t i = 0; i < reading->run_count; i++) {
		const struct run *run = &reading->runs[i];

		for (uint32_t k = 0; k < run_types(run); k++) {
			perun_id id = type_ids ? type_ids[run->type + k] : run->type + k;

			if (id != ids.last)
				pass_same(&ids);
			ids.last = id;
			ids.same += run_rows(run);
		}
	}
	pass_same(&ids);
	pass_ids(&ids);
}

/* Texts of all types that have any: the common case. */
static void expand_texts(struct reading *reading, struct key *key, enum perun_type type)
{
	perun_id *ids = perun_alloc(reading->type_count * sizeof *ids);
	struct perun_column_builder *column = perunjson_key_column(reading, key);

	for (size_t i = 0; i < reading->type_count; i++) {
		struct value value = perunjson_staged_value(key, i);

		ids[i] = value.tag == TAG_ABSENT ? PERUN_NO_ID : (perun_id)value.bits;
	}
	perunjson_expand_ids(reading, column, type, ids);
	perun_free(ids);
}

static void append_numbers(struct perun_column_builder *column, enum tag tag, uint64_t *block,
			   size_t count)
{
	if (tag == TAG_INT64)
		perun_column_append_int64(column, (int64_t *)block, count);
	else
		perun_column_append_uint64(column, block, count);
}

static void expand_numbers(struct reading *reading, struct key *key, enum tag tag)
{
	struct perun_column_builder *column = perunjson_key_column(reading, key);
	uint64_t block[BLOCK];
	size_t used = 0;

	for (size_t i = 0; i < reading->run_count; i++) {
		const struct run *run = &reading->runs[i];

		for (uint32_t k = 0; k < run->count; k++) {
			uint32_t type = run->type + (run->ascends ? k : 0);

			block[used++] = perunjson_staged_value(key, type).bits;
			if (used < BLOCK)
				continue;
			append_numbers(column, tag, block, used);
			used = 0;
		}
	}
	append_numbers(column, tag, block, used);
}

static void expand_type(struct reading *reading, struct key *key, uint32_t index, uint32_t rows)
{
	const struct type *type = &reading->types[index];
	struct value value = perunjson_staged_value(key, index);

	if (value.tag == TAG_ABSENT ||
	    (key->column && type->collected != NO_SHAPE &&
	     perunjson_shape_has(&reading->shapes[type->collected], key))) {
		perun_table_end_rows(reading->table, rows);
		return;
	}
	for (uint32_t k = 0; k < rows; k++) {
		perunjson_set_cell(perunjson_key_column(reading, key), &value);
		perun_table_end_row(reading->table);
	}
}

/* Anything else, cell by cell; where the key has an array in a type, that one counts. */
static void expand_mixed(struct reading *reading, struct key *key)
{
	for (size_t i = 0; i < reading->run_count; i++) {
		const struct run *run = &reading->runs[i];

		for (uint32_t k = 0; k < run_types(run); k++)
			expand_type(reading, key, run->type + k, run_rows(run));
	}
	perun_table_rewind(reading->table, 0);
}

static void expand_key(struct reading *reading, struct key *key)
{
	struct survey survey;

	if (!key->hidden) {
		survey = survey_key(reading, key);
		if (!survey.some || !reading->run_count)
			;
		else if (key->column)
			expand_mixed(reading, key);
		else if (survey.tag == TAG_STRING)
			expand_texts(reading, key, PERUN_TYPE_STRING);
		else if (survey.tag == TAG_JSON)
			expand_texts(reading, key, PERUN_TYPE_JSON);
		else if (!survey.gaps && (survey.tag == TAG_INT64 || survey.tag == TAG_UINT64))
			expand_numbers(reading, key, survey.tag);
		else
			expand_mixed(reading, key);
	}
	perun_free(key->tags);
	perun_free(key->bits);
	perun_free(key->high);
	key->tags = NULL;
	key->bits = key->high = NULL;
	key->staged = 0;
}

/* ---- the table of types ---------------------------------------------------------------------- */

/* A key that has an array in the type and a persistent value, too. */
static bool conflicts(const struct shape *collected, const struct shape *persistent)
{
	for (size_t i = 0; i < persistent->count; i++) {
		if (perunjson_shape_has(collected, persistent->keys[i]))
			return true;
	}
	return false;
}

/* Both shapes as one JSON text, made once for types that follow each other. */
struct pair {
	bool known, conflict;
	uint32_t collected, persistent;
	perun_id text;
};

static void add_shape(struct reading *reading, uint32_t shape, struct perun_buffer *text)
{
	size_t length;
	const char *names;

	if (shape == NO_SHAPE) {
		perun_buffer_add_text(text, "null");
		return;
	}
	names = perun_builder_string_at(reading->builder, reading->shapes[shape].text, &length);
	perun_buffer_add(text, names, length);
}

static void find_pair(struct reading *reading, const struct type *type, struct pair *pair)
{
	struct perun_buffer text = {0};

	if (pair->known && pair->collected == type->collected &&
	    pair->persistent == type->persistent)
		return;
	pair->known = true;
	pair->collected = type->collected;
	pair->persistent = type->persistent;
	pair->conflict =
		type->collected != NO_SHAPE && type->persistent != NO_SHAPE &&
		conflicts(&reading->shapes[type->collected], &reading->shapes[type->persistent]);
	perun_buffer_add_char(&text, '[');
	add_shape(reading, type->collected, &text);
	perun_buffer_add_text(&text, ", ");
	add_shape(reading, type->persistent, &text);
	perun_buffer_add_char(&text, ']');
	pair->text = perun_builder_string(reading->builder, text.data, text.length);
	perun_buffer_free(&text);
}

/* The persistent values of a type that no row can hold. */
static perun_id print_persistent(struct reading *reading, size_t index)
{
	const struct shape *shape = &reading->shapes[reading->types[index].persistent];
	struct perun_buffer text = {0};
	perun_id id;

	perun_buffer_add_char(&text, '{');
	for (size_t i = 0; i < shape->count; i++) {
		struct value value = perunjson_staged_value(shape->keys[i], index);

		if (shape->keys[i]->hidden)
			continue;
		if (text.length > 1)
			perun_buffer_add_text(&text, ", ");
		perun_json_quote(&text, shape->keys[i]->name, shape->keys[i]->length);
		perun_buffer_add_text(&text, ": ");
		perunjson_print_value(reading, &value, &text);
	}
	perun_buffer_add_char(&text, '}');
	id = perun_builder_string(reading->builder, text.data, text.length);
	perun_buffer_free(&text);
	return id;
}

/* The name up to its last '#'; where this was made of a text that was new, too, it is the text before. */
static perun_id flat_of(struct reading *reading, perun_id name)
{
	size_t length, end, before = 0;
	const char *text = perun_builder_string_at(reading->builder, name, &length);
	const char *last =
		name ? perun_builder_string_at(reading->builder, name - 1, &before) : NULL;

	for (end = length; end && text[end - 1] != '#'; end--)
		;
	end = end ? end - 1 : length;
	if (last && before == end && memcmp(last, text, end) == 0)
		return name - 1;
	return perun_builder_string(reading->builder, text, end);
}

static struct perun_column_builder *add_column(struct perun_table_builder *table, const char *name,
					       enum perun_type type)
{
	struct perun_column_info info = {.name = name, .type = type};

	return perun_table_add_column(table, &info);
}

static void write_positions(struct perun_table_builder *table, const char *name,
			    const struct reading *reading, const uint32_t *positions)
{
	struct perun_column_builder *column;

	if (!positions)
		return;
	column = add_column(table, name, PERUN_TYPE_INT64);
	for (size_t i = 0; i < reading->type_count; i++) {
		int64_t position = positions[i];

		perun_column_append_int64(column, &position, 1);
	}
}

static void write_types(struct reading *reading)
{
	struct perun_table_builder *table = perun_builder_table(reading->builder, "resource_types");
	struct perun_column_builder *name = add_column(table, "name", PERUN_TYPE_STRING);
	struct perun_column_builder *flat = add_column(table, "flat", PERUN_TYPE_STRING);
	struct perun_column_builder *shape = add_column(table, "shape", PERUN_TYPE_JSON);
	struct perun_column_builder *persistent = NULL;
	struct pair pair = {0};

	write_positions(table, "resource_position", reading, reading->resource_position);
	write_positions(table, "map_position", reading, reading->map_position);
	for (size_t i = 0; i < reading->type_count; i++) {
		const struct type *type = &reading->types[i];

		find_pair(reading, type, &pair);
		perun_column_set_id(name, PERUN_TYPE_STRING, type->name);
		perun_column_set_id(flat, PERUN_TYPE_STRING, flat_of(reading, type->name));
		perun_column_set_id(shape, PERUN_TYPE_JSON, pair.text);
		if (type->persistent != NO_SHAPE && (!type->has_rows || pair.conflict)) {
			if (!persistent)
				persistent = add_column(table, "persistent", PERUN_TYPE_JSON);
			perun_column_set_id(persistent, PERUN_TYPE_JSON,
					    print_persistent(reading, i));
		}
		perun_table_end_row(table);
	}
}

int perunjson_finish_resources(struct reading *reading)
{
	struct perun_column_info kind = {
		.name = "kind", .type = PERUN_TYPE_ROW, .refers = "resource_types"};
	struct perun_column_builder *column;
	size_t rows = perun_table_builder_rows(reading->table);
	int status = perunjson_check_size(reading);

	if (status)
		return status;
	write_types(reading);
	/* Cells go into rows that were ended. */
	perun_table_rewind(reading->table, 0);
	column = perun_table_add_column(reading->table, &kind);
	perun_column_save_memory(column);
	perunjson_expand_ids(reading, column, PERUN_TYPE_ROW, NULL);
	perunjson_finish_stacks(reading);
	for (size_t i = 0; i < reading->key_count; i++)
		expand_key(reading, reading->keys[i]);
	perun_table_rewind(reading->table, rows);
	return PERUN_OK;
}
