/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: their text as it was read, or put together from the tables. */
#include <string.h>

#include "writing.h"

/* The rows of model_terms or model_values, listed by model. */
struct members {
	const struct perun_column *name, *value;
	uint32_t *first, *next; /* row + 1, 0 = none */
};

static void open_members(const struct perun_profile *profile, const char *table_name, size_t models,
			 struct members *members)
{
	const struct perun_table *table = perun_profile_table(profile, table_name);
	const struct perun_column *model = table ? perun_table_column(table, "model") : NULL;
	size_t rows = table ? perun_table_rows(table) : 0;

	*members = (struct members){0};
	if (!model || rows >= UINT32_MAX)
		return;
	members->name = perun_table_column(table, "name");
	members->value = perun_table_column(table, "value");
	members->first = perun_alloc_zero(models + 1, sizeof *members->first);
	members->next = perun_alloc_zero(rows + 1, sizeof *members->next);
	for (size_t row = rows; row-- > 0;) {
		perun_id id = perun_column_id(model, row);

		if (id >= models)
			continue;
		members->next[row] = members->first[id];
		members->first[id] = (uint32_t)row + 1;
	}
}

static void close_members(struct members *members)
{
	perun_free(members->first);
	perun_free(members->next);
}

static uint32_t first_member(const struct members *members, size_t model)
{
	return members->first ? members->first[model] : 0;
}

static void add_cell(const struct perun_column *column, size_t row, struct perun_buffer *out)
{
	if (column)
		perun_column_print_json(column, row, out);
	else
		perun_buffer_add_text(out, "null");
}

static void add_key(struct perun_buffer *out, const char *key)
{
	if (out->length > 1)
		perun_buffer_add_text(out, ", ");
	perun_json_quote(out, key, strlen(key));
	perun_buffer_add_text(out, ": ");
}

static void add_terms(const struct members *terms, size_t model, struct perun_buffer *out)
{
	uint32_t row = first_member(terms, model);

	if (!row)
		return;
	add_key(out, "coeffs");
	perun_buffer_add_char(out, '[');
	for (; row; row = terms->next[row - 1]) {
		perun_buffer_add_text(out, "{\"name\": ");
		add_cell(terms->name, row - 1, out);
		perun_buffer_add_text(out, ", \"value\": ");
		add_cell(terms->value, row - 1, out);
		perun_buffer_add_text(out, terms->next[row - 1] ? "}, " : "}");
	}
	perun_buffer_add_char(out, ']');
}

/* Runs of rows with the same name are lists. */
static void add_values(const struct members *values, size_t model, struct perun_buffer *out)
{
	struct perun_buffer name = {0}, next = {0};
	uint32_t row = first_member(values, model);

	while (row) {
		perun_buffer_clear(&name);
		perun_buffer_add_text(&name, "");
		if (values->name)
			perun_column_print(values->name, row - 1, &name);
		add_key(out, name.data ? name.data : "");
		perun_buffer_add_char(out, '[');
		for (bool first = true; row; row = values->next[row - 1], first = false) {
			perun_buffer_clear(&next);
			if (values->name)
				perun_column_print(values->name, row - 1, &next);
			if (next.length != name.length ||
			    (name.length && memcmp(next.data, name.data, name.length) != 0))
				break;
			if (!first)
				perun_buffer_add_text(out, ", ");
			add_cell(values->value, row - 1, out);
		}
		perun_buffer_add_char(out, ']');
	}
	perun_buffer_free(&name);
	perun_buffer_free(&next);
}

/* A model of which there is no text. */
static void print_model(const struct perun_table *table, size_t model, const struct members *terms,
			const struct members *values, struct perun_buffer *out)
{
	perun_buffer_add_char(out, '{');
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);
		const char *name = perun_column_info(column)->name;

		if (strcmp(name, "json") == 0 || strcmp(name, "snapshot") == 0 ||
		    perun_column_absent(column, model))
			continue;
		add_key(out, name);
		perun_column_print_json(column, model, out);
	}
	add_terms(terms, model, out);
	add_values(values, model, out);
	perun_buffer_add_char(out, '}');
}

int perunjson_write_models(struct perun_ctx *ctx, const struct perun_profile *profile,
			   struct emitter *emitter)
{
	const struct perun_table *table = perun_profile_table(profile, "models");
	size_t count = table ? perun_table_rows(table) : 0;
	const struct perun_column *json = table ? perun_table_column(table, "json") : NULL;
	const struct perun_column *snapshot = table ? perun_table_column(table, "snapshot") : NULL;
	struct members terms, values;
	struct perun_buffer text = {0};

	if (json && perun_column_info(json)->type != PERUN_TYPE_JSON)
		json = NULL;
	open_members(profile, "model_terms", count, &terms);
	open_members(profile, "model_values", count, &values);
	perunjson_emit_key(emitter, "\"models\"", 8);
	perunjson_emit_open(emitter, '[');
	for (size_t i = 0; i < count; i++) {
		perun_id id = json ? perun_column_id(json, i) : PERUN_NO_ID;
		const char *known;
		size_t length;

		if (snapshot && !perun_column_absent(snapshot, i)) {
			perun_lost(ctx, "models of snapshots", 1);
			continue;
		}
		perunjson_emit_next(emitter, false);
		perun_buffer_clear(&text);
		known = perun_profile_string(profile, id, &length);
		if (!known) {
			print_model(table, i, &terms, &values, &text);
			known = text.data;
			length = text.length;
		}
		perunjson_emit_json(emitter, known, length);
	}
	perunjson_emit_close(emitter, ']');
	close_members(&terms);
	close_members(&values);
	perun_buffer_free(&text);
	return PERUN_OK;
}
