/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of other formats as Perun resources: one for each row and metric. */
#include <string.h>

#include "writing.h"

bool perunjson_profile_is_foreign(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);

	if (perun_table_rows(table) == 0 || perun_table_column(table, "kind"))
		return false;
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		enum perun_type type = perun_column_info(perun_table_column_at(table, i))->type;

		if (type >= PERUN_STACK)
			return true;
	}
	return !perun_table_column(table, "amount");
}

/* A column that goes into the new resources under its name. */
struct copied {
	const struct perun_column *from;
	struct perun_column_builder *to;
};

struct expansion {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	const struct perun_table *table;
	struct perun_builder *builder;
	struct perun_table_builder *to;
	const struct perun_metric *metrics;
	size_t metric_count;
	perun_id *types, *subtypes; /* of the metrics */
	struct copied *copied;
	size_t copied_count;
	const struct perun_column *stack, *labels, *point;
	struct perun_column_builder *amount, *type, *subtype, *uid, *trace;
	uint64_t units_lost, references_lost;
};

static struct perun_column_builder *add_column(struct expansion *expansion, const char *name,
					       enum perun_role role)
{
	struct perun_column_info info = {
		.name = name, .type = PERUN_STRING, .role = role, .growing = true};

	return perun_table_add_column(expansion->to, &info);
}

static void set_text(struct expansion *expansion, struct perun_column_builder *column,
		     enum perun_type type, const char *text, size_t length)
{
	perun_column_set_id(column, type, perun_builder_string(expansion->builder, text, length));
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* "memory(malloc)" is type memory, subtype malloc. */
static void split_metric(struct expansion *expansion, size_t i)
{
	const char *name = expansion->metrics[i].name, *open = strchr(name, '(');
	size_t length = strlen(name);

	expansion->subtypes[i] = PERUN_NO_ID;
	if (open && open > name && name[length - 1] == ')') {
		expansion->subtypes[i] = perun_builder_string(expansion->builder, open + 1,
							      length - 2 - (size_t)(open - name));
		length = (size_t)(open - name);
	}
	expansion->types[i] = perun_builder_string(expansion->builder, name, length);
}

static bool is_metric_column(const struct expansion *expansion, const struct perun_column *column)
{
	for (size_t i = 0; i < expansion->metric_count; i++) {
		const struct perun_metric *metric = &expansion->metrics[i];

		if (metric->values == column || metric->selector[0] == column ||
		    metric->selector[1] == column)
			return true;
	}
	return false;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void open_columns(struct expansion *expansion)
{
	size_t count = perun_table_columns(expansion->table);

	expansion->copied = perun_alloc_zero(count + 1, sizeof *expansion->copied);
	for (size_t i = 0; i < count; i++) {
		const struct perun_column *column = perun_table_column_at(expansion->table, i);
		const struct perun_column_info *info = perun_column_info(column);

		if (is_metric_column(expansion, column))
			continue;
		if (info->type == PERUN_STACK && !expansion->stack)
			expansion->stack = column;
		else if (info->type == PERUN_LABELS && !expansion->labels)
			expansion->labels = column;
		else if (info->type == PERUN_POINT && !expansion->point)
			expansion->point = column;
		else if (info->type < PERUN_STACK)
			expansion->copied[expansion->copied_count++].from = column;
		else
			expansion->references_lost++;
	}
	expansion->amount = add_column(expansion, "amount", PERUN_ROLE_METRIC);
	expansion->type = add_column(expansion, "type", PERUN_ROLE_KEY);
	expansion->subtype = add_column(expansion, "subtype", PERUN_ROLE_KEY);
	expansion->uid = add_column(expansion, "uid", PERUN_ROLE_KEY);
	if (expansion->stack)
		expansion->trace = add_column(expansion, "trace", PERUN_ROLE_PLAIN);
	for (size_t i = 0; i < expansion->copied_count; i++) {
		struct perun_column_info info = *perun_column_info(expansion->copied[i].from);

		info.growing = true;
		info.refers = NULL;
		expansion->copied[i].to = perun_table_add_column(expansion->to, &info);
	}
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void copy_cell(struct expansion *expansion, const struct perun_column *from, size_t row,
		      struct perun_column_builder *to)
{
	enum perun_type type = perun_column_info(from)->type;
	struct perun_span span;
	const char *text;
	size_t length, i;

	if (!perun_column_span(from, row, &span) || perun_bit(span.absent, row - span.first))
		return;
	i = row - span.first;
	switch (type) {
	case PERUN_INT64:
		perun_column_set_int64(to, span.int64s[i]);
		break;
	case PERUN_UINT64:
		perun_column_set_uint64(to, span.uint64s[i]);
		break;
	case PERUN_DOUBLE:
		if (perun_bit(span.integers, i) && span.doubles[i] >= -0x1p63 &&
		    span.doubles[i] < 0x1p63)
			perun_column_set_int64(to, (int64_t)span.doubles[i]);
		else
			perun_column_set_double(to, span.doubles[i]);
		break;
	case PERUN_BOOL:
		perun_column_set_bool(to, span.bools[i]);
		break;
	default:
		text = perun_profile_string(expansion->profile, span.ids[i], &length);
		set_text(expansion, to, type, text, length);
	}
}

static const char *string_at(const struct expansion *expansion, perun_id id)
{
	const char *text = perun_profile_string(expansion->profile, id, NULL);

	return text ? text : "";
}

static void add_member(struct perun_buffer *json, const char *key, const char *text)
{
	perun_json_quote(json, key, strlen(key));
	perun_buffer_add_text(json, ": ");
	perun_json_quote(json, text, strlen(text));
}

/* {"function": "f", "source": "f.c", "line": 3}, or {"func": "f"} when that is all. */
static void print_line(const struct expansion *expansion, const struct perun_line *line,
		       uint64_t address, struct perun_buffer *json)
{
	const struct perun_function *function =
		line ? perun_profile_function(expansion->profile, line->function) : NULL;
	const char *name = function ? string_at(expansion, function->name) : "";
	const char *file = function ? string_at(expansion, function->file) : "";
	char *place = NULL;

	if (!*name)
		name = place = perun_format("0x%llx", (unsigned long long)address);
	perun_buffer_add_text(json, json->length > 1 ? ", {" : "{");
	add_member(json, *file ? "function" : "func", name);
	if (*file) {
		perun_buffer_add_text(json, ", ");
		add_member(json, "source", file);
		perun_buffer_printf(json, ", \"line\": %lld", line ? (long long)line->line : 0);
	}
	perun_buffer_add_char(json, '}');
	perun_free(place);
}

/* The trace, and the innermost function as uid unless the row has one. */
static void set_stack(struct expansion *expansion, size_t row, bool has_uid)
{
	perun_id id = perun_column_id(expansion->stack, row);
	struct perun_buffer json = {0}, name = {0};
	const perun_id *locations;
	size_t count;

	if (id == PERUN_NO_ID)
		return;
	locations = perun_profile_stack(expansion->profile, id, &count);
	perun_buffer_add_char(&json, '[');
	for (size_t i = 0; i < count; i++) {
		const struct perun_location *location =
			perun_profile_location(expansion->profile, locations[i]);

		for (uint32_t k = 0; k < location->line_count; k++)
			print_line(expansion, &location->lines[k], location->address, &json);
		if (!location->line_count)
			print_line(expansion, NULL, location->address, &json);
	}
	perun_buffer_add_char(&json, ']');
	set_text(expansion, expansion->trace, PERUN_JSON, json.data, json.length);
	if (!has_uid && json.length > 2) {
		struct perun_json *leaf = NULL, *first;

		perun_json_parse(NULL, json.data, json.length, NULL, &leaf);
		first = perun_json_at(perun_json_at(leaf, 0), 0);
		perun_buffer_add_text(&name, perun_json_as_string(first, NULL));
		set_text(expansion, expansion->uid, PERUN_STRING, name.data, name.length);
		perun_json_free(leaf);
	}
	perun_buffer_free(&name);
	perun_buffer_free(&json);
}

static void set_point(struct expansion *expansion, size_t row)
{
	perun_id id = perun_column_id(expansion->point, row);
	const double *values;
	size_t count;

	if (id == PERUN_NO_ID)
		return;
	values = perun_profile_point(expansion->profile, id, &count);
	for (size_t i = 0; i < count; i++) {
		const char *name = perun_profile_parameter(expansion->profile, (perun_id)i, NULL);
		struct perun_column_builder *column;

		if (values[i] != values[i])
			continue;
		column = add_column(expansion, name, PERUN_ROLE_PARAMETER);
		if (values[i] >= -0x1p53 && values[i] <= 0x1p53 &&
		    values[i] == (double)(int64_t)values[i])
			perun_column_set_int64(column, (int64_t)values[i]);
		else
			perun_column_set_double(column, values[i]);
	}
}

/* A label whose key stands several times keeps its last value. */
static void set_labels(struct expansion *expansion, size_t row)
{
	perun_id id = perun_column_id(expansion->labels, row);
	const struct perun_label *labels;
	size_t count;

	if (id == PERUN_NO_ID)
		return;
	labels = perun_profile_labels(expansion->profile, id, &count);
	for (size_t i = 0; i < count; i++) {
		struct perun_column_builder *column =
			add_column(expansion, string_at(expansion, labels[i].key), PERUN_ROLE_KEY);
		const char *text;
		size_t length;

		if (labels[i].text == PERUN_NO_ID) {
			perun_column_set_int64(column, labels[i].number);
			expansion->units_lost += labels[i].unit != 0;
			continue;
		}
		text = perun_profile_string(expansion->profile, labels[i].text, &length);
		set_text(expansion, column, PERUN_STRING, text, length);
	}
}

static void expand_row(struct expansion *expansion, size_t row, size_t metric)
{
	const struct perun_column *uid = perun_table_column(expansion->table, "uid");

	if (expansion->labels)
		set_labels(expansion, row);
	if (expansion->point)
		set_point(expansion, row);
	for (size_t i = 0; i < expansion->copied_count; i++)
		copy_cell(expansion, expansion->copied[i].from, row, expansion->copied[i].to);
	if (expansion->stack)
		set_stack(expansion, row, uid && !perun_column_absent(uid, row));
	copy_cell(expansion, expansion->metrics[metric].values, row, expansion->amount);
	perun_column_set_id(expansion->type, PERUN_STRING, expansion->types[metric]);
	perun_column_set_id(expansion->subtype, PERUN_STRING, expansion->subtypes[metric]);
	perun_table_end_row(expansion->to);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void copy_document(struct expansion *expansion)
{
	const struct perun_json *from = perun_profile_document(expansion->profile);
	struct perun_json *document = perun_builder_document(expansion->builder), *header, *units;

	for (size_t i = 0; i < perun_json_count(from); i++) {
		size_t length;
		const char *key = perun_json_key_at(from, i, &length);

		perun_json_set_n(document, key, length, perun_json_clone(perun_json_at(from, i)));
	}
	if (perun_json_type(perun_json_get(document, "header")) != PERUN_JSON_TYPE_OBJECT)
		perun_json_set(document, "header", perun_json_object());
	header = perun_json_get(document, "header");
	if (!perun_json_as_string(perun_json_get(header, "type"), NULL))
		perun_json_set(header, "type", perun_json_text("mixed"));
	if (!perun_json_get(header, "cmd"))
		perun_json_set(header, "cmd", perun_json_text(""));
	if (!perun_json_get(header, "workload"))
		perun_json_set(header, "workload", perun_json_text(""));
	if (perun_json_type(perun_json_get(header, "units")) != PERUN_JSON_TYPE_OBJECT)
		perun_json_set(header, "units", perun_json_object());
	units = perun_json_get(header, "units");
	for (size_t i = 0; i < expansion->metric_count; i++) {
		const struct perun_metric *metric = &expansion->metrics[i];

		if (*metric->unit && !perun_json_get(units, metric->name))
			perun_json_set(units, metric->name, perun_json_text(metric->unit));
	}
}

static void copy_tables(struct expansion *expansion)
{
	struct perun_profile *profile = (struct perun_profile *)expansion->profile;

	for (size_t i = 0; i < perun_profile_tables(profile); i++) {
		const char *name = perun_table_name(perun_profile_table_at(profile, i));

		if (strcmp(name, "resources") != 0)
			perun_builder_append_table(expansion->builder, profile, name);
	}
}

static int expand_rows(struct expansion *expansion)
{
	size_t rows = perun_table_rows(expansion->table);

	for (size_t row = 0; row < rows; row++) {
		for (size_t i = 0; i < expansion->metric_count; i++) {
			const struct perun_metric *metric = &expansion->metrics[i];

			if (perun_metric_has_row(metric, row) &&
			    !perun_column_absent(metric->values, row))
				expand_row(expansion, row, i);
		}
		if (row % 65536 == 0 && perun_cancelled(expansion->ctx))
			return perun_fail(expansion->ctx, PERUN_CANCELLED, "interrupted");
	}
	return PERUN_OK;
}

int perunjson_profile_expand(struct perun_ctx *ctx, const struct perun_profile *profile,
			     struct perun_profile **expanded)
{
	struct expansion expansion = {
		.ctx = ctx, .profile = profile, .table = perun_resources(profile)};
	int status;

	expansion.metrics = perun_metrics(profile, &expansion.metric_count);
	expansion.builder = perun_builder_new();
	expansion.to = perun_builder_table(expansion.builder, "resources");
	expansion.types = perun_alloc_zero(expansion.metric_count + 1, sizeof(perun_id));
	expansion.subtypes = perun_alloc_zero(expansion.metric_count + 1, sizeof(perun_id));
	for (size_t i = 0; i < expansion.metric_count; i++)
		split_metric(&expansion, i);
	open_columns(&expansion);
	copy_document(&expansion);
	copy_tables(&expansion);
	status = expand_rows(&expansion);
	perun_free(expansion.types);
	perun_free(expansion.subtypes);
	perun_free(expansion.copied);
	if (status) {
		perun_builder_free(expansion.builder);
		return status;
	}
	if (perun_profile_mappings(profile))
		perun_lost(ctx, "mappings", perun_profile_mappings(profile));
	if (expansion.units_lost)
		perun_lost(ctx, "units of labels", expansion.units_lost);
	if (expansion.references_lost)
		perun_lost(ctx, "columns that refer to other tables", expansion.references_lost);
	return perun_builder_finish(ctx, expansion.builder, expanded);
}
