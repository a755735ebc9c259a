/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile that was read, handed over to its builder. */
#include <string.h>

#include <perun/json.h>

#include "legacy.h"

/* What names of columns mean elsewhere; a sample type of such a name gets another. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = {"stack",  "labels", "amount",
					    "metric", "type",   "subtype"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* The column of a sample type. The readers never name two types alike. */
static char *column_name(const char *type)
{
	return is_reserved(type) ? perun_format("%s#2", type) : perun_strdup(type);
}

static void set_number(struct perun_json *object, const char *key, int64_t value)
{
	if (value)
		perun_json_set(object, key, perun_json_int64(value));
}

static void set_text(struct perun_json *object, const char *key, const char *text)
{
	if (text && *text)
		perun_json_set(object, key, perun_json_text(text));
}

static void emit_header(const struct legacy_profile *profile)
{
	struct perun_json *header = perun_json_object(), *period = perun_json_object();

	if (profile->type_count) {
		char *last = column_name(profile->types[profile->type_count - 1]);

		set_text(header, "default_metric", last);
		perun_free(last);
	}
	set_number(header, "duration", profile->duration);
	set_number(header, "period", profile->period);
	if (profile->period_type) {
		perun_json_set(period, "type", perun_json_text(profile->period_type));
		perun_json_set(period, "unit", perun_json_text(profile->period_unit));
		perun_json_set(header, "period_type", period);
	} else {
		perun_json_free(period);
	}
	perun_json_set(perun_builder_document(profile->builder), "header", header);
}

static struct perun_json *describe_types(const struct legacy_profile *profile)
{
	struct perun_json *types = perun_json_array();

	for (size_t i = 0; i < profile->type_count; i++) {
		struct perun_json *type = perun_json_object();
		char *column = column_name(profile->types[i]);

		perun_json_set(type, "column", perun_json_text(column));
		perun_json_set(type, "type", perun_json_text(profile->types[i]));
		perun_json_set(type, "unit", perun_json_text(profile->units[i]));
		perun_json_append(types, type);
		perun_free(column);
	}
	return types;
}

static void emit_extra(const struct legacy_profile *profile)
{
	struct perun_json *extra = perun_json_object(), *own = perun_json_object();
	const char *drop, *keep;

	legacy_machinery(profile, &drop, &keep);
	set_text(own, "drop_frames", drop);
	set_text(own, "keep_frames", keep);
	for (size_t i = 0; i < profile->type_count; i++) {
		if (!is_reserved(profile->types[i]))
			continue;
		perun_json_set(own, "sample_types", describe_types(profile));
		break;
	}
	perun_json_set(extra, "pprof", own);
	perun_json_set(perun_builder_document(profile->builder), "extra", extra);
}

static perun_id *emit_mappings(struct legacy_profile *profile)
{
	perun_id *ids = perun_realloc_array(NULL, profile->mapping_count + 1, sizeof *ids);

	for (size_t i = 0; i < profile->mapping_count; i++) {
		profile->mappings[i].source_id = i + 1;
		ids[i] = perun_builder_mapping(profile->builder, &profile->mappings[i]);
	}
	return ids;
}

/* A function gets its number with the first location that has it. */
static perun_id emit_function(struct legacy_profile *profile, uint32_t index, uint64_t *number)
{
	struct legacy_function *from = &profile->functions[index];
	struct perun_function function = {
		.name = from->name, .system_name = from->name, .file = from->file};

	if (!from->number)
		from->number = (uint32_t)++ * number;
	function.source_id = from->number;
	return perun_builder_function(profile->builder, &function);
}

/* What is left of the locations: their numbers, in the same memory. */
static uint32_t *numbers_alone(struct legacy_profile *profile)
{
	void *memory = profile->locations;
	uint32_t *numbers = memory;

	for (size_t i = 0; i < profile->location_count; i++)
		numbers[i] = profile->locations[i].number;
	profile->locations = NULL;
	return perun_realloc_array(numbers, profile->location_count, sizeof *numbers);
}

/* The locations of samples in the order of their numbers; returns those of the builder, and frees what was known of them. */
static perun_id *emit_locations(struct legacy_profile *profile)
{
	static const struct legacy_symbol none = {.function = LEGACY_NONE};
	perun_id *mappings = emit_mappings(profile);
	uint64_t function_number = 0;
	size_t count;
	uint32_t *order = legacy_order(profile, &count);

	for (size_t i = 0; i < count; i++) {
		struct legacy_location *from = &profile->locations[order[i]];
		const struct legacy_symbol *symbol =
			profile->symbols ? &profile->symbols[order[i]] : &none;
		struct perun_line line = {.line = symbol->line};
		struct perun_location location = {
			.address = legacy_address(profile, order[i]),
			.mapping = from->mapping == LEGACY_NONE ? PERUN_NO_ID
								: mappings[from->mapping],
			.source_id = from->number,
			.lines = &line,
		};

		if (symbol->function != LEGACY_NONE) {
			line.function = emit_function(profile, symbol->function, &function_number);
			location.line_count = 1;
		}
		from->number = perun_builder_location(profile->builder, &location);
	}
	perun_free(mappings);
	perun_free(order);
	stacks_numbers_free(&profile->addresses);
	return profile->locations ? numbers_alone(profile) : NULL;
}

void legacy_make_columns(struct legacy_profile *profile)
{
	struct legacy_columns *columns = &profile->columns;
	const struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	const struct perun_column_info labels = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};

	columns->table = perun_builder_table(profile->builder, "resources");
	columns->stack = perun_table_add_column(columns->table, &stack);
	perun_column_save_memory(columns->stack);
	if (profile->last.sized) {
		columns->labels = perun_table_add_column(columns->table, &labels);
		columns->key = perun_builder_text(profile->builder, "bytes");
		perun_column_save_memory(columns->labels);
	}
	for (size_t i = 0; i < profile->type_count; i++) {
		char *name = column_name(profile->types[i]);
		const struct perun_column_info value = {.name = name,
							.unit = profile->units[i],
							.type = PERUN_TYPE_INT64,
							.role = PERUN_ROLE_METRIC};

		columns->values[i] = perun_table_add_column(columns->table, &value);
		perun_column_save_memory(columns->values[i]);
		perun_free(name);
	}
}

int legacy_emit(struct legacy_profile *profile)
{
	struct legacy_stack stack;
	perun_id *numbers;

	emit_header(profile);
	emit_extra(profile);
	stacks_numbers_forget(&profile->addresses);
	perun_free(profile->stack);
	profile->stack = NULL;
	numbers = emit_locations(profile);
	legacy_end_samples(profile);
	for (size_t at = 0; legacy_next_stack(profile, &at, &stack);) {
		perun_id id;

		for (uint32_t k = 0; k < stack.depth; k++)
			stack.frames[k] = numbers[stack.frames[k]];
		id = perun_builder_stack(profile->builder, stack.frames, stack.depth);
		perun_column_append_ids(profile->columns.stack, PERUN_TYPE_STACK, &id, 1);
	}
	perun_free(numbers);
	perun_table_end_rows(profile->columns.table, profile->sample_count);
	return PERUN_OK;
}
