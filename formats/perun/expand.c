/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of other formats as Perun resources: one for each row and metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "writing.h"

bool perunjson_profile_is_foreign(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);

	if (perun_table_column(table, "kind"))
		return false;
	if (perun_table_rows(table) == 0)
		return !*perun_profile_text(profile, "/header/type");
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		enum perun_type type = perun_column_info(perun_table_column_at(table, i))->type;

		if (type >= PERUN_TYPE_STACK)
			return true;
	}
	return !perun_table_column(table, "amount");
}

/* What represents a stack; PERUN_NO_ID: nothing does yet. */
struct trace {
	perun_id json, leaf;
};

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
	const struct perun_metric *const *metrics;
	size_t metric_count;
	perun_id *types, *subtypes; /* of the metrics */
	struct copied *copied;
	size_t copied_count;
	const struct perun_column *stack, *labels, *point;
	struct perun_column_builder *amount, *type, *subtype, *uid, *trace;
	struct trace *traces;    /* of the profile's stacks */
	perun_id *text_of;       /* of its strings: theirs here, PERUN_NO_ID = none yet */
	struct perun_json *keys; /* columns that labels and parameters made */
	size_t key_count;
	uint64_t limit, spent; /* bytes */
	uint64_t key_limit;
	uint64_t rows; /* written */
	uint64_t units_lost, references_lost;
};

static struct perun_column_builder *add_column(struct expansion *expansion, const char *name,
					       enum perun_role role)
{
	struct perun_column_info info = {
		.name = name, .type = PERUN_TYPE_STRING, .role = role, .growing = true};

	return perun_table_add_column(expansion->to, &info);
}

/* A string of the profile: each is looked for once, as texts can be long. */
static void set_text(struct expansion *expansion, struct perun_column_builder *column,
		     enum perun_type type, perun_id text)
{
	perun_id *own = &expansion->text_of[text];

	if (*own == PERUN_NO_ID) {
		size_t length;
		const char *bytes = perun_profile_string(expansion->profile, text, &length);

		*own = perun_builder_string(expansion->builder, bytes, length);
	}
	perun_column_set_id(column, type, *own);
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* "memory(malloc)" is type memory, subtype malloc. */
static void split_metric(struct expansion *expansion, size_t i)
{
	const char *name = expansion->metrics[i]->name, *open = strchr(name, '(');
	size_t length = strlen(name);

	expansion->subtypes[i] = PERUN_NO_ID;
	if (open && open > name && name[length - 1] == ')') {
		expansion->subtypes[i] = perun_builder_string(expansion->builder, open + 1,
							      length - 2 - (size_t)(open - name));
		length = (size_t)(open - name);
	}
	expansion->types[i] = perun_builder_string(expansion->builder, name, length);
}

static int compare_columns(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (const struct perun_column *const *)a;
	uintptr_t y = (uintptr_t) * (const struct perun_column *const *)b;

	return x < y ? -1 : x > y;
}

/* The columns that metrics come from or are named in, sorted; the caller frees them. */
static const struct perun_column **metric_columns(const struct expansion *expansion, size_t *count)
{
	const struct perun_column **columns =
		perun_alloc_zero(3 * expansion->metric_count + 1, sizeof *columns);

	*count = 0;
	for (size_t i = 0; i < expansion->metric_count; i++) {
		const struct perun_metric *metric = expansion->metrics[i];

		columns[(*count)++] = metric->values;
		for (int s = 0; s < 2; s++)
			if (metric->selector[s])
				columns[(*count)++] = metric->selector[s];
	}
	qsort(columns, *count, sizeof *columns, compare_columns);
	return columns;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void open_columns(struct expansion *expansion)
{
	size_t count = perun_table_columns(expansion->table), metric_count;
	const struct perun_column **metrics = metric_columns(expansion, &metric_count);

	expansion->copied = perun_alloc_zero(count + 1, sizeof *expansion->copied);
	for (size_t i = 0; i < count; i++) {
		const struct perun_column *column = perun_table_column_at(expansion->table, i);
		const struct perun_column_info *info = perun_column_info(column);

		if (bsearch(&column, metrics, metric_count, sizeof *metrics, compare_columns))
			continue;
		if (info->type == PERUN_TYPE_STACK && !expansion->stack)
			expansion->stack = column;
		else if (info->type == PERUN_TYPE_LABELS && !expansion->labels)
			expansion->labels = column;
		else if (info->type == PERUN_TYPE_POINT && !expansion->point)
			expansion->point = column;
		else if (info->type < PERUN_TYPE_STACK)
			expansion->copied[expansion->copied_count++].from = column;
		else
			expansion->references_lost++;
	}
	perun_free(metrics);
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
	size_t i;

	if (!perun_column_span(from, row, &span) || perun_bit(span.absent, row - span.first))
		return;
	i = row - span.first;
	switch (type) {
	case PERUN_TYPE_INT64:
		perun_column_set_int64(to, span.int64s[i]);
		break;
	case PERUN_TYPE_UINT64:
		perun_column_set_uint64(to, span.uint64s[i]);
		break;
	case PERUN_TYPE_DOUBLE:
		if (perun_bit(span.integers, i) && span.doubles[i] >= -0x1p63 &&
		    span.doubles[i] < 0x1p63)
			perun_column_set_int64(to, (int64_t)span.doubles[i]);
		else
			perun_column_set_double(to, span.doubles[i]);
		break;
	case PERUN_TYPE_BOOL:
		perun_column_set_bool(to, span.bools[i]);
		break;
	default:
		set_text(expansion, to, type, span.ids[i]);
	}
}

static const char *string_at(const struct expansion *expansion, perun_id id)
{
	const char *text = perun_profile_string(expansion->profile, id, NULL);

	return text ? text : "";
}

/* The name of the function, quoted; without one, the address, where there is one. */
static void add_name(const struct expansion *expansion, const struct perun_line *line,
		     uint64_t address, struct perun_buffer *json)
{
	const struct perun_function *function =
		line ? perun_profile_function(expansion->profile, line->function) : NULL;
	const char *name = function ? string_at(expansion, function->name) : "";

	if (*name || (function && !address))
		perun_json_quote(json, name, strlen(name));
	else
		perun_buffer_printf(json, "\"0x%llx\"", (unsigned long long)address);
}

/* {"function": "f", "source": "f.c", "line": 3}, or {"func": "f"} when that is all. */
static void print_line(const struct expansion *expansion, const struct perun_line *line,
		       uint64_t address, struct perun_buffer *json)
{
	const struct perun_function *function =
		line ? perun_profile_function(expansion->profile, line->function) : NULL;
	const char *file = function ? string_at(expansion, function->file) : "";

	perun_buffer_add_text(json, json->length > 1 ? ", {" : "{");
	perun_buffer_add_text(json, *file ? "\"function\": " : "\"func\": ");
	add_name(expansion, line, address, json);
	if (*file) {
		perun_buffer_add_text(json, ", \"source\": ");
		perun_json_quote(json, file, strlen(file));
		perun_buffer_printf(json, ", \"line\": %lld", line ? (long long)line->line : 0);
	}
	perun_buffer_add_char(json, '}');
}

/* False when the limit is passed, or the user wants to stop; then it was said. */
static bool spend(struct expansion *expansion, uint64_t bytes)
{
	expansion->spent += bytes;
	if (expansion->spent > expansion->limit)
		perun_fail(expansion->ctx, PERUN_INPUT,
			   "as resources of Perun, the profile takes more than %llu MiB, the limit "
			   "of the option expansion-limit",
			   (unsigned long long)(expansion->limit >> 20));
	return expansion->spent <= expansion->limit;
}

/* The lines of a stack, as one JSON array. */
static bool print_stack(struct expansion *expansion, perun_id stack, struct perun_buffer *json)
{
	size_t count;
	const perun_id *locations = perun_profile_stack(expansion->profile, stack, &count);

	perun_buffer_add_char(json, '[');
	for (size_t i = 0; i < count; i++) {
		const struct perun_location *location =
			perun_profile_location(expansion->profile, locations[i]);
		size_t before = json->length;

		for (uint32_t k = 0; k < location->line_count; k++)
			print_line(expansion, &location->lines[k], location->address, json);
		if (!location->line_count)
			print_line(expansion, NULL, location->address, json);
		if (!spend(expansion, json->length - before))
			return false;
	}
	perun_buffer_add_char(json, ']');
	return true;
}

/* The name of the innermost function, as JSON makes it. */
static perun_id name_leaf(struct expansion *expansion, perun_id stack)
{
	size_t count, length;
	const perun_id *locations = perun_profile_stack(expansion->profile, stack, &count);
	const struct perun_location *location =
		perun_profile_location(expansion->profile, locations[0]);
	struct perun_buffer json = {0};
	struct perun_json *name = NULL;
	const char *text;
	perun_id id;

	add_name(expansion, location->line_count ? location->lines : NULL, location->address,
		 &json);
	perun_json_parse(NULL, json.data, json.length, NULL, &name);
	text = perun_json_as_string(name, &length);
	id = perun_builder_text(expansion->builder, text ? text : "");
	perun_json_free(name);
	perun_buffer_free(&json);
	return id;
}

/* Each stack is printed once. */
static const struct trace *find_trace(struct expansion *expansion, perun_id stack)
{
	struct trace *trace = &expansion->traces[stack];
	struct perun_buffer json = {0};

	if (trace->json != PERUN_NO_ID)
		return trace;
	if (print_stack(expansion, stack, &json)) {
		trace->json = perun_builder_string(expansion->builder, json.data, json.length);
		if (json.length > 2)
			trace->leaf = name_leaf(expansion, stack);
	}
	perun_buffer_free(&json);
	return trace->json == PERUN_NO_ID ? NULL : trace;
}

/* The trace, and the innermost function as uid unless the row has one. */
static bool set_stack(struct expansion *expansion, size_t row, bool has_uid)
{
	perun_id id = perun_column_id(expansion->stack, row);
	const struct trace *trace;

	if (id == PERUN_NO_ID)
		return true;
	trace = find_trace(expansion, id);
	if (!trace)
		return false;
	perun_column_set_id(expansion->trace, PERUN_TYPE_JSON, trace->json);
	if (!has_uid && trace->leaf != PERUN_NO_ID)
		perun_column_set_id(expansion->uid, PERUN_TYPE_STRING, trace->leaf);
	return true;
}

/*
 * The column of a label or parameter. A new one has a cell for each row there is, if only an absent
 * one. NULL when there are too many.
 */
static struct perun_column_builder *named_column(struct expansion *expansion, const char *name,
						 enum perun_role role)
{
	if (!perun_json_get(expansion->keys, name)) {
		perun_json_set(expansion->keys, name, perun_json_bool(true));
		expansion->key_count++;
		if (expansion->key_count + expansion->copied_count > expansion->key_limit) {
			perun_fail(expansion->ctx, PERUN_INPUT,
				   "labels and parameters make more different keys of resources "
				   "than the option key-limit allows (%llu)",
				   (unsigned long long)expansion->key_limit);
			return NULL;
		}
		if (!spend(expansion, expansion->rows * sizeof(perun_id)))
			return NULL;
	}
	return add_column(expansion, name, role);
}

static bool set_point(struct expansion *expansion, size_t row)
{
	perun_id id = perun_column_id(expansion->point, row);
	const double *values;
	size_t count;

	if (id == PERUN_NO_ID)
		return true;
	values = perun_profile_point(expansion->profile, id, &count);
	for (size_t i = 0; i < count; i++) {
		const char *name = perun_profile_parameter(expansion->profile, (perun_id)i, NULL);
		struct perun_column_builder *column;

		if (values[i] != values[i])
			continue;
		column = named_column(expansion, name, PERUN_ROLE_PARAMETER);
		if (!column)
			return false;
		if (values[i] >= -0x1p53 && values[i] <= 0x1p53 &&
		    values[i] == (double)(int64_t)values[i])
			perun_column_set_int64(column, (int64_t)values[i]);
		else
			perun_column_set_double(column, values[i]);
	}
	return true;
}

/* A label whose key appears several times keeps its last value. */
static bool set_labels(struct expansion *expansion, size_t row)
{
	perun_id id = perun_column_id(expansion->labels, row);
	const struct perun_label *labels;
	size_t count;

	if (id == PERUN_NO_ID)
		return true;
	labels = perun_profile_labels(expansion->profile, id, &count);
	for (size_t i = 0; i < count; i++) {
		struct perun_column_builder *column = named_column(
			expansion, string_at(expansion, labels[i].key), PERUN_ROLE_KEY);

		if (!column)
			return false;
		if (labels[i].text == PERUN_NO_ID) {
			perun_column_set_int64(column, labels[i].number);
			expansion->units_lost += labels[i].unit != 0;
			continue;
		}
		set_text(expansion, column, PERUN_TYPE_STRING, labels[i].text);
	}
	return true;
}

static bool expand_row(struct expansion *expansion, size_t row, size_t metric)
{
	const struct perun_column *uid = perun_table_column(expansion->table, "uid");
	size_t columns = expansion->key_count + expansion->copied_count + 5;

	if (!spend(expansion, columns * sizeof(perun_id)))
		return false;
	expansion->rows++;
	if (expansion->labels && !set_labels(expansion, row))
		return false;
	if (expansion->point && !set_point(expansion, row))
		return false;
	for (size_t i = 0; i < expansion->copied_count; i++)
		copy_cell(expansion, expansion->copied[i].from, row, expansion->copied[i].to);
	if (expansion->stack && !set_stack(expansion, row, uid && !perun_column_absent(uid, row)))
		return false;
	copy_cell(expansion, expansion->metrics[metric]->values, row, expansion->amount);
	perun_column_set_id(expansion->type, PERUN_TYPE_STRING, expansion->types[metric]);
	perun_column_set_id(expansion->subtype, PERUN_TYPE_STRING, expansion->subtypes[metric]);
	perun_table_end_row(expansion->to);
	return true;
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
		const struct perun_metric *metric = expansion->metrics[i];

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
	size_t rows = perun_table_rows(expansion->table), steps = 0;

	if (!spend(expansion, perunjson_expanded_size(expansion->ctx, expansion->profile,
						      expansion->stack, expansion->limit)))
		return perun_ctx_status(expansion->ctx);
	expansion->spent = 0;
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = perun_metric_of_row(expansion->profile, row, 0); i != SIZE_MAX;
		     i = perun_metric_of_row(expansion->profile, row, i + 1)) {
			if (steps++ % 4096 == 0 && perun_cancelled(expansion->ctx))
				return perun_fail(expansion->ctx, PERUN_CANCELLED, "interrupted");
			if (!expand_row(expansion, row, i))
				return perun_ctx_status(expansion->ctx);
		}
	}
	return PERUN_OK;
}

/* A frame of a trace has a function, a file and a line; one without a function is named by its address. */
static void lose_places(struct perun_ctx *ctx, const struct perun_profile *profile)
{
	uint64_t addresses = 0, columns = 0;

	for (size_t i = 0; i < perun_profile_locations(profile); i++) {
		const struct perun_location *location =
			perun_profile_location(profile, (perun_id)i);

		addresses += location->address && location->line_count;
		for (uint32_t k = 0; k < location->line_count; k++)
			columns += location->lines[k].column != 0;
	}
	if (addresses)
		perun_lost(ctx, "addresses of frames", addresses);
	if (columns)
		perun_lost(ctx, "columns of lines", columns);
}

static bool has_number(const struct perun_column *column, size_t rows)
{
	for (size_t row = 0; row < rows; row++)
		if (!perun_column_absent(column, row) && !isnan(perun_column_double(column, row)))
			return true;
	return false;
}

/* Only metrics have units. */
static void lose_units(struct perun_ctx *ctx, const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	uint64_t units = 0;

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);
		const struct perun_column_info *info = perun_column_info(column);

		units += info->role == PERUN_ROLE_TIME && info->unit && *info->unit &&
			 has_number(column, perun_table_rows(table));
	}
	if (units)
		perun_lost(ctx, "units of times", units);
}

int perunjson_profile_expand(struct perun_ctx *ctx, const struct perun_profile *profile,
			     const struct writing_options *options, struct perun_profile **expanded)
{
	struct expansion expansion = {.ctx = ctx,
				      .profile = profile,
				      .table = perun_resources(profile),
				      .limit = options->expansion_limit,
				      .key_limit = options->key_limit};
	size_t strings = perun_profile_strings(profile);
	int status;

	expansion.metrics = perun_metrics(profile, &expansion.metric_count);
	expansion.builder = perun_builder_new();
	expansion.to = perun_builder_table(expansion.builder, "resources");
	expansion.types = perun_alloc_zero(expansion.metric_count + 1, sizeof(perun_id));
	expansion.subtypes = perun_alloc_zero(expansion.metric_count + 1, sizeof(perun_id));
	for (size_t i = 0; i < expansion.metric_count; i++)
		split_metric(&expansion, i);
	expansion.keys = perun_json_object();
	expansion.traces = perun_alloc((perun_profile_stacks(profile) + 1) * sizeof(struct trace));
	memset(expansion.traces, 0xff, perun_profile_stacks(profile) * sizeof(struct trace));
	expansion.text_of = perun_alloc((strings + 1) * sizeof(perun_id));
	memset(expansion.text_of, 0xff, (strings + 1) * sizeof(perun_id));
	open_columns(&expansion);
	copy_document(&expansion);
	copy_tables(&expansion);
	status = expand_rows(&expansion);
	perun_free(expansion.types);
	perun_free(expansion.subtypes);
	perun_free(expansion.copied);
	perun_free(expansion.traces);
	perun_free(expansion.text_of);
	perun_json_free(expansion.keys);
	if (status) {
		perun_builder_free(expansion.builder);
		return status;
	}
	if (perun_profile_mappings(profile))
		perun_lost(ctx, "mappings", perun_profile_mappings(profile));
	lose_places(ctx, profile);
	lose_units(ctx, profile);
	if (expansion.units_lost)
		perun_lost(ctx, "units of labels", expansion.units_lost);
	if (expansion.references_lost)
		perun_lost(ctx, "columns that refer to other tables", expansion.references_lost);
	return perun_builder_finish(ctx, expansion.builder, expanded);
}
