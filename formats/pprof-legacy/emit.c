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
	struct perun_function *function = &profile->functions[index];

	if (!function->source_id)
		function->source_id = ++*number;
	return perun_builder_function(profile->builder, function);
}

/* The locations of samples in the order of their numbers; ids by index. */
static perun_id *emit_locations(struct legacy_profile *profile)
{
	perun_id *mappings = emit_mappings(profile);
	perun_id *ids = perun_realloc_array(NULL, profile->location_count + 1, sizeof *ids);
	uint32_t *order = perun_alloc_zero(profile->location_count + 1, sizeof *order);
	uint64_t function_number = 0;
	size_t count = 0;

	for (size_t i = 0; i < profile->location_count; i++) {
		if (!profile->locations[i].number)
			continue;
		order[profile->locations[i].number - 1] = (uint32_t)i;
		count++;
	}
	for (size_t i = 0; i < count; i++) {
		const struct legacy_location *from = &profile->locations[order[i]];
		struct perun_line line = {.line = from->line};
		struct perun_location location = {
			.address = from->address,
			.mapping = from->mapping == LEGACY_NONE ? PERUN_NO_ID
								: mappings[from->mapping],
			.source_id = from->number,
			.lines = &line,
		};

		if (from->function != LEGACY_NONE) {
			line.function = emit_function(profile, from->function, &function_number);
			location.line_count = 1;
		}
		ids[order[i]] = perun_builder_location(profile->builder, &location);
	}
	perun_free(mappings);
	perun_free(order);
	return ids;
}

struct columns {
	struct perun_table_builder *table;
	struct perun_column_builder *stack, *labels, *values[LEGACY_TYPES];
};

static struct columns make_columns(const struct legacy_profile *profile)
{
	struct columns columns = {.table = perun_builder_table(profile->builder, "resources")};
	const struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	const struct perun_column_info labels = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};

	columns.stack = perun_table_add_column(columns.table, &stack);
	if (profile->sample_count && profile->samples[0].sized)
		columns.labels = perun_table_add_column(columns.table, &labels);
	for (size_t i = 0; i < profile->type_count; i++) {
		char *name = column_name(profile->types[i]);
		const struct perun_column_info value = {.name = name,
							.unit = profile->units[i],
							.type = PERUN_TYPE_INT64,
							.role = PERUN_ROLE_METRIC};

		columns.values[i] = perun_table_add_column(columns.table, &value);
		perun_free(name);
	}
	return columns;
}

int legacy_emit(struct legacy_profile *profile)
{
	perun_id *locations, *stack = NULL;
	size_t capacity = 0;
	struct columns columns;
	struct perun_label label = {.text = PERUN_NO_ID};

	emit_header(profile);
	emit_extra(profile);
	/* What only reading or the places needed makes room for the samples. */
	legacy_map_free(&profile->by_address);
	locations = emit_locations(profile);
	perun_free(profile->locations);
	profile->locations = NULL;
	profile->location_count = profile->location_capacity = 0;
	columns = make_columns(profile);
	if (columns.labels)
		label.key = perun_builder_text(profile->builder, "bytes");
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct legacy_sample *sample = &profile->samples[i];

		if (sample->depth > capacity) {
			capacity = (size_t)sample->depth * 2;
			stack = perun_realloc_array(stack, capacity, sizeof *stack);
		}
		for (uint32_t k = 0; k < sample->depth; k++)
			stack[k] = locations[profile->frames[sample->first + k]];
		perun_column_set_id(columns.stack, PERUN_TYPE_STACK,
				    perun_builder_stack(profile->builder, stack, sample->depth));
		label.number = sample->size;
		if (columns.labels)
			perun_column_set_id(columns.labels, PERUN_TYPE_LABELS,
					    perun_builder_labels(profile->builder, &label, 1));
		for (size_t k = 0; k < profile->type_count; k++)
			perun_column_set_int64(columns.values[k], sample->values[k]);
		perun_table_end_row(columns.table);
	}
	perun_free(locations);
	perun_free(stack);
	return PERUN_OK;
}
