/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing Perun JSON: the top level, resources and resource_type_map. */
#include <string.h>

#include "writing.h"

static void emit_name(struct emitter *emitter, const char *text, size_t length)
{
	struct perun_buffer quoted = {0};

	perun_json_quote(&quoted, text, length);
	perunjson_emit_key(emitter, quoted.data, quoted.length);
	perun_buffer_free(&quoted);
}

/* A key that needs no escapes. */
static void emit_word(struct emitter *emitter, const char *word)
{
	emit_name(emitter, word, strlen(word));
}

/* ---- resources ------------------------------------------------------------------------------- */

static void write_array(const struct plan *plan, const struct planned_type *type,
			struct field *field, struct emitter *emitter)
{
	perunjson_emit_key(emitter, field->quoted, field->quoted_length);
	perunjson_emit_open(emitter, '[');
	for (size_t i = 0; i < type->count; i++) {
		size_t row = plan_row(plan, type->first + i);

		if (field_has(field, row))
			perunjson_field_emit_element(emitter, field, row);
		if (i % 4096 == 4095)
			perunjson_emit_flush(emitter, false);
	}
	perunjson_emit_close(emitter, ']');
}

static void write_type(const struct plan *plan, const struct planned_type *type,
		       struct emitter *emitter)
{
	const struct layout *layout = type->layout;

	emit_name(emitter, type->name, type->name_length);
	perunjson_emit_open(emitter, '{');
	for (size_t i = 0; layout && i < layout->collected_count; i++)
		write_array(plan, type, layout->collected[i], emitter);
	for (size_t i = 0; !layout && i < plan->field_count; i++) {
		struct field *field = &plan->fields[i];

		if (!field->internal && field->collectable &&
		    perunjson_field_count(field, plan->rows + type->first, 0, type->count))
			write_array(plan, type, field, emitter);
	}
	perunjson_emit_close(emitter, '}');
}

/* A type whose resources were all removed goes with them; one that had none stays. */
static bool is_kept(const struct planned_type *type)
{
	return type->count || type->persistent != PERUN_NO_ID ||
	       (type->layout && !type->layout->in_map);
}

static void write_resources(const struct plan *plan, struct emitter *emitter)
{
	emit_word(emitter, "resources");
	perunjson_emit_open(emitter, '{');
	for (size_t i = 0; i < plan->type_count; i++) {
		size_t index = plan->resource_order ? plan->resource_order[i] : i;
		const struct planned_type *type = &plan->types[index];

		if ((!type->layout || type->layout->in_resources) && is_kept(type))
			write_type(plan, type, emitter);
	}
	perunjson_emit_close(emitter, '}');
}

/* Values of these keys may be references. */
static bool is_chunked(const struct plan *plan, const char *key)
{
	return plan->chunks && (strcmp(key, "uid") == 0 || strcmp(key, "trace") == 0);
}

/* A value that all resources of a type have. */
static void write_value(const struct plan *plan, struct field *field, size_t row,
			struct emitter *emitter)
{
	struct perun_json *value = NULL;
	struct perun_buffer printed = {0};

	if (is_chunked(plan, field->key)) {
		perun_column_print_json(field->column, row, &printed);
		perun_json_parse(NULL, printed.data, printed.length, NULL, &value);
	}
	if (!value || !perunjson_emit_chunk(plan->chunks, emitter, field->key, value))
		perunjson_field_emit(emitter, field, row);
	perun_json_free(value);
	perun_buffer_free(&printed);
}

/* The values of a type that no row holds. */
static void write_text(const struct plan *plan, perun_id persistent, struct emitter *emitter)
{
	struct perun_json *values = NULL;
	struct perun_buffer json = {0};
	size_t length;
	const char *text = perun_profile_string(plan->profile, persistent, &length);

	if (!plan->chunks) {
		perunjson_emit_json(emitter, text, length);
		return;
	}
	perun_json_parse(NULL, text, length, NULL, &values);
	perunjson_emit_open(emitter, '{');
	for (size_t i = 0; i < perun_json_count(values); i++) {
		const char *key = perun_json_key_at(values, i, &length);

		emit_name(emitter, key, length);
		if (is_chunked(plan, key) &&
		    perunjson_emit_chunk(plan->chunks, emitter, key, perun_json_at(values, i)))
			continue;
		perun_buffer_clear(&json);
		perun_json_print(perun_json_at(values, i), &json, PERUN_JSON_PYTHON, 0);
		perunjson_emit_json(emitter, json.data, json.length);
	}
	perunjson_emit_close(emitter, '}');
	perun_json_free(values);
	perun_buffer_free(&json);
}

static void write_persistent(const struct plan *plan, const struct planned_type *type,
			     struct emitter *emitter)
{
	const struct layout *layout = type->layout;
	size_t count = layout ? layout->persistent_count : plan->sorted_count;
	struct field *const *fields = layout ? layout->persistent : plan->sorted;

	if (type->persistent != PERUN_NO_ID) {
		write_text(plan, type->persistent, emitter);
		return;
	}
	perunjson_emit_open(emitter, '{');
	for (size_t i = 0; i < count && type->count; i++) {
		size_t row = plan_row(plan, type->first);

		if ((!layout && fields[i]->collectable) || !field_has(fields[i], row))
			continue;
		perunjson_emit_key(emitter, fields[i]->quoted, fields[i]->quoted_length);
		write_value(plan, fields[i], row, emitter);
	}
	perunjson_emit_close(emitter, '}');
}

static void write_map(const struct plan *plan, struct emitter *emitter)
{
	emit_word(emitter, "resource_type_map");
	perunjson_emit_open(emitter, '{');
	for (size_t i = 0; i < plan->type_count; i++) {
		size_t index = plan->map_order ? plan->map_order[i] : i;
		const struct planned_type *type = &plan->types[index];

		if ((type->layout && !type->layout->in_map) || !is_kept(type))
			continue;
		emit_name(emitter, type->name, type->name_length);
		write_persistent(plan, type, emitter);
		perunjson_emit_flush(emitter, false);
	}
	perunjson_emit_close(emitter, '}');
}

static void write_chunks(const struct plan *plan, struct emitter *emitter)
{
	if (!plan->chunks || !perunjson_has_chunks(plan->chunks))
		return;
	emit_word(emitter, "chunks");
	perunjson_emit_open(emitter, '{');
	perunjson_emit_chunks(plan->chunks, emitter);
	perunjson_emit_close(emitter, '}');
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* Members that are in tables. */
static bool is_section(const char *name)
{
	static const char *const names[] = {"resources", "resource_type_map", "models", "global",
					    "snapshots"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void write_member(const struct perun_json *document, size_t i, struct emitter *emitter)
{
	struct perun_buffer json = {0};
	size_t length;
	const char *name = perun_json_key_at(document, i, &length);

	emit_name(emitter, name, length);
	perun_json_print(perun_json_at(document, i), &json, PERUN_JSON_PYTHON, 0);
	perunjson_emit_json(emitter, json.data, json.length);
	perun_buffer_free(&json);
}

/*
 * What names the original comes first in the store: who reads that needs nothing else of the profile. A member of that name in
 * a profile of the Python program is another, and keeps its place, so that the object has the name that program gives it.
 */
static bool comes_first(const struct perun_json *document, size_t i,
			const struct writing_options *options)
{
	const struct perun_json *object = perun_json_get(perun_json_at(document, i), "object");

	return options->stored && object && perun_json_type(object) == PERUN_JSON_TYPE_STRING &&
	       strcmp(perun_json_key_at(document, i, NULL), "attachment") == 0;
}

static void write_first(const struct perun_json *document, const struct writing_options *options,
			struct emitter *emitter)
{
	for (size_t i = 0; i < perun_json_count(document); i++) {
		if (comes_first(document, i, options))
			write_member(document, i, emitter);
	}
}

static void write_document(const struct perun_json *document, const struct writing_options *options,
			   struct emitter *emitter)
{
	for (size_t i = 0; i < perun_json_count(document); i++) {
		const char *name = perun_json_key_at(document, i, NULL);

		if (is_section(name) || comes_first(document, i, options) ||
		    (options->stored && strcmp(name, "origin") == 0) ||
		    (options->chunks && strcmp(name, "chunks") == 0))
			continue;
		write_member(document, i, emitter);
	}
}

static void report_lost_tables(struct perun_ctx *ctx, const struct perun_profile *profile)
{
	static const char *const known[] = {"resources", "resource_types", "models", "model_terms",
					    "model_values"};

	for (size_t i = 0; i < perun_profile_tables(profile); i++) {
		const struct perun_table *table = perun_profile_table_at(profile, i);
		const char *name = perun_table_name(table);
		bool lost = perun_table_rows(table) > 0;
		char *what;

		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			lost = lost && strcmp(name, known[k]) != 0;
		if (!lost)
			continue;
		what = perun_format("rows of table %s", name);
		perun_lost(ctx, what, perun_table_rows(table));
		perun_free(what);
	}
}

static int write_profile(struct perun_ctx *ctx, const struct perun_profile *profile,
			 const struct writing_options *options, struct perun_output *output)
{
	struct emitter emitter = {.output = output, .first = true};
	struct plan plan;
	int status = PERUN_OK;

	emitter.style = options->stored    ? EMIT_STORED
			: options->compact ? EMIT_COMPACT
					   : EMIT_PENDING;
	perunjson_plan_open(&plan, ctx, profile);
	plan.chunks = options->chunks ? perunjson_chunks_new() : NULL;
	if (!perunjson_plan_native(&plan))
		status = perunjson_plan_regroup(&plan);
	if (!status) {
		perunjson_emit_open(&emitter, '{');
		write_first(perun_profile_document(profile), options, &emitter);
		write_resources(&plan, &emitter);
		write_map(&plan, &emitter);
		write_chunks(&plan, &emitter);
		status = perunjson_write_models(ctx, profile, &emitter);
		write_document(perun_profile_document(profile), options, &emitter);
		perunjson_emit_close(&emitter, '}');
		perunjson_emit_flush(&emitter, true);
		report_lost_tables(ctx, profile);
	}
	perunjson_plan_close(&plan);
	perun_buffer_free(&emitter.text);
	/* Errors of the output stick to it, and are reported when it is committed. */
	return status;
}

int perunjson_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct perun_output *output)
{
	const struct writing_options *options = instance;
	struct perun_profile *expanded = NULL;
	int status;

	if (!perunjson_profile_is_foreign(profile))
		return write_profile(ctx, profile, options, output);
	status = perunjson_profile_expand(ctx, profile, options, &expanded);
	if (!status)
		status = write_profile(ctx, expanded, options, output);
	perun_profile_unref(expanded);
	return status;
}
