/* SPDX-License-Identifier: BSD-3-Clause */
/* Traced calls as resources: each call, or the sums of each stack. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/path.h>

#include "collectors/common/symbols.h"
#include "collectors/common/setup.h"
#include "emit.h"
#include "targets.h"

struct function {
	char *name, *source;
	int64_t line;
	uint64_t every, until; /* of N calls one is kept: N */
	bool wanted;
	perun_id uid;
};

struct columns {
	struct perun_table_builder *table;
	struct perun_column_builder *amount, *exclusive, *size, *order, *timestamp, *calls, *type,
		*subtype, *uid, *trace, *thread;
};

struct emitting {
	const struct emit_options *options;
	const struct calls *calls;
	struct perun_builder *builder;
	struct function *functions;
	perun_id *traces; /* of nodes, PERUN_NO_ID = not made yet */
	struct columns columns;
	perun_id type, subtype;
};

/* ---- functions ---------------------------------------------------------------------------------- */

static void name_function(struct emitting *emitting, struct symbols *symbols, size_t i)
{
	const struct calls_function *traced = &emitting->calls->functions[i];
	struct function *function = &emitting->functions[i];
	const char *path = NULL;
	struct symbol symbol = {0};

	if (traced->name) {
		function->name = perun_strdup(traced->name);
		function->source = perun_strdup("");
		function->uid = perun_builder_text(emitting->builder, function->name);
		return;
	}
	if (traced->file != CALLS_NO_FILE) {
		path = emitting->calls->files[traced->file];
		symbol = collectors_symbols_find(symbols, path, traced->address);
	}
	/* At its first instruction other functions may be inlined already. */
	if (symbol.count && *symbol.lines[symbol.count - 1].function) {
		const struct symbol_line *line = &symbol.lines[symbol.count - 1];

		function->name = perun_strdup(line->function);
		function->source = perun_strdup(line->source);
		function->line = line->line;
	} else {
		function->name = perun_format("%s+0x%llx", path ? perun_path_base_name(path) : "?",
					      (unsigned long long)traced->address);
		function->source = perun_strdup("");
	}
	collectors_symbol_clear(&symbol);
	function->uid = perun_builder_text(emitting->builder, function->name);
}

static void choose_function(const struct emit_options *options, struct function *function,
			    bool probe)
{
	function->wanted = probe || !options->functions || !options->functions[0];
	for (size_t i = 0; !function->wanted && options->functions[i]; i++)
		function->wanted = targets_match(options->functions[i], function->name);
	function->every = 1;
	for (size_t i = 0; options->sampled && options->sampled[i]; i += 2)
		if (targets_match(options->sampled[i], function->name))
			function->every = strtoull(options->sampled[i + 1], NULL, 10);
	if (function->every == 0)
		function->every = 1;
}

static void find_functions(struct emitting *emitting)
{
	struct symbols *symbols = collectors_symbols_new(emitting->options->folder);

	emitting->functions =
		perun_alloc_zero(emitting->calls->function_count + 1, sizeof *emitting->functions);
	for (size_t i = 0; i < emitting->calls->function_count; i++) {
		name_function(emitting, symbols, i);
		choose_function(emitting->options, &emitting->functions[i],
				emitting->calls->functions[i].name != NULL);
	}
	collectors_symbols_free(symbols);
}

/* ---- stacks ------------------------------------------------------------------------------------- */

static perun_id find_trace(struct emitting *emitting, uint32_t node)
{
	struct perun_json *frames;
	struct perun_buffer text = {0};

	if (emitting->traces[node] != PERUN_NO_ID)
		return emitting->traces[node];
	frames = perun_json_array();
	for (uint32_t i = node; i; i = emitting->calls->nodes[i].parent) {
		const struct function *function =
			&emitting->functions[emitting->calls->nodes[i].function];
		struct perun_json *frame = perun_json_object();

		perun_json_set(frame, "function", perun_json_text(function->name));
		perun_json_set(
			frame, "source",
			perun_json_text(*function->source ? function->source : "unreachable"));
		perun_json_set(frame, "line", perun_json_int64(function->line));
		perun_json_append(frames, frame);
	}
	perun_json_print(frames, &text, PERUN_JSON_PYTHON, 0);
	emitting->traces[node] = perun_builder_string(emitting->builder, text.data, text.length);
	perun_buffer_free(&text);
	perun_json_free(frames);
	return emitting->traces[node];
}

/* ---- resources ---------------------------------------------------------------------------------- */

static void make_columns(struct emitting *emitting)
{
	struct columns *columns = &emitting->columns;
	struct perun_table_builder *table = perun_builder_table(emitting->builder, "resources");

	columns->table = table;
	columns->amount =
		collectors_add_column(table, "amount", PERUN_TYPE_DOUBLE, PERUN_ROLE_METRIC);
	columns->exclusive =
		collectors_add_column(table, "exclusive", PERUN_TYPE_DOUBLE, PERUN_ROLE_METRIC);
	if (emitting->options->grouped) {
		columns->calls =
			collectors_add_column(table, "calls", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	} else {
		columns->size = collectors_add_column(table, "structure-unit-size",
						      PERUN_TYPE_INT64, PERUN_ROLE_PARAMETER);
		columns->order = collectors_add_column(table, "call-order", PERUN_TYPE_INT64,
						       PERUN_ROLE_PLAIN);
		columns->timestamp = collectors_add_column(table, "timestamp", PERUN_TYPE_DOUBLE,
							   PERUN_ROLE_TIME);
		columns->thread =
			collectors_add_column(table, "tid", PERUN_TYPE_INT64, PERUN_ROLE_KEY);
	}
	columns->type = collectors_add_column(table, "type", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns->subtype =
		collectors_add_column(table, "subtype", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns->uid = collectors_add_column(table, "uid", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns->trace = collectors_add_column(table, "trace", PERUN_TYPE_JSON, PERUN_ROLE_PLAIN);
}

/* In microseconds, to the nanosecond. */
static double duration(const struct emitting *emitting, uint64_t ticks)
{
	return round((double)ticks * 1e9 / emitting->options->second) / 1e3;
}

static void end_row(struct emitting *emitting, uint32_t node, uint64_t inclusive,
		    uint64_t exclusive)
{
	struct columns *columns = &emitting->columns;
	const struct function *function =
		&emitting->functions[emitting->calls->nodes[node].function];

	perun_column_set_double(columns->amount, duration(emitting, inclusive));
	perun_column_set_double(columns->exclusive, duration(emitting, exclusive));
	perun_column_set_id(columns->type, PERUN_TYPE_STRING, emitting->type);
	perun_column_set_id(columns->subtype, PERUN_TYPE_STRING, emitting->subtype);
	perun_column_set_id(columns->uid, PERUN_TYPE_STRING, function->uid);
	perun_column_set_id(columns->trace, PERUN_TYPE_JSON, find_trace(emitting, node));
	perun_table_end_row(columns->table);
}

static void add_records(struct emitting *emitting)
{
	struct columns *columns = &emitting->columns;

	for (size_t i = 0; i < emitting->calls->record_count; i++) {
		const struct calls_record *record = &emitting->calls->records[i];
		struct function *function =
			&emitting->functions[emitting->calls->nodes[record->node].function];

		if (!function->wanted)
			continue;
		if (function->until) {
			function->until--;
			continue;
		}
		function->until = function->every - 1;
		perun_column_set_int64(columns->size,
				       record->size == TRACE_NO_SIZE ? 0 : record->size);
		perun_column_set_int64(columns->order, (int64_t)record->order);
		perun_column_set_double(columns->timestamp, duration(emitting, record->start));
		perun_column_set_int64(columns->thread, record->thread);
		end_row(emitting, record->node, record->inclusive, record->exclusive);
	}
}

static void add_sums(struct emitting *emitting)
{
	for (size_t i = 1; i < emitting->calls->node_count; i++) {
		const struct calls_node *node = &emitting->calls->nodes[i];

		if (!node->count || !emitting->functions[node->function].wanted)
			continue;
		perun_column_set_int64(emitting->columns.calls, (int64_t)node->count);
		end_row(emitting, (uint32_t)i, node->inclusive, node->exclusive);
	}
}

/* ---- what was left out -------------------------------------------------------------------------- */

static void add_excluded(struct emitting *emitting, struct perun_json *list, size_t i)
{
	const struct calls_function *traced = &emitting->calls->functions[i];
	uint64_t rest = emitting->options->duration > traced->excluded
				? emitting->options->duration - traced->excluded
				: 0;
	struct perun_json *item = perun_json_object();

	perun_json_set(item, "function", perun_json_text(emitting->functions[i].name));
	perun_json_set(item, "calls", perun_json_uint64(traced->count));
	perun_json_set(item, "mean",
		       perun_json_double(duration(
			       emitting, traced->count ? traced->inclusive / traced->count : 0)));
	perun_json_set(item, "until", perun_json_double(duration(emitting, traced->excluded)));
	/* As if it had gone on as before. */
	perun_json_set(item, "estimated_rest",
		       perun_json_double(round((double)traced->count * (double)rest /
					       (double)traced->excluded)));
	perun_json_append(list, item);
}

static void report_excluded(struct emitting *emitting, struct perun_ctx *ctx)
{
	struct perun_json *trace =
		perun_json_get(perun_builder_document(emitting->builder), "trace");
	struct perun_json *list = perun_json_array();
	struct perun_buffer names = {0};
	size_t count = 0;

	for (size_t i = 0; i < emitting->calls->function_count; i++) {
		if (!emitting->calls->functions[i].excluded)
			continue;
		add_excluded(emitting, list, i);
		if (count++ < 5)
			perun_buffer_printf(&names, "%s%s", count > 1 ? ", " : "",
					    emitting->functions[i].name);
	}
	if (count)
		perun_note(ctx,
			   "%zu small functions that are called often were left out after some "
			   "time (%s%s): later calls of them are not counted, and their time is "
			   "their callers'; trace.excluded in the profile has the numbers",
			   count, names.data, count > 5 ? ", ..." : "");
	perun_json_set(trace, "excluded", list);
	perun_buffer_free(&names);
}

void emit_calls(struct perun_ctx *ctx, const struct emit_options *options,
		const struct calls *calls, struct perun_builder *builder)
{
	struct emitting emitting = {.options = options, .calls = calls, .builder = builder};

	emitting.traces = perun_alloc(calls->node_count * sizeof *emitting.traces);
	memset(emitting.traces, 0xff, calls->node_count * sizeof *emitting.traces);
	emitting.type = perun_builder_text(builder, "mixed");
	emitting.subtype = perun_builder_text(builder, "time delta");
	find_functions(&emitting);
	report_excluded(&emitting, ctx);
	make_columns(&emitting);
	if (options->grouped)
		add_sums(&emitting);
	else
		add_records(&emitting);
	for (size_t i = 0; i < calls->function_count; i++) {
		perun_free(emitting.functions[i].name);
		perun_free(emitting.functions[i].source);
	}
	perun_free(emitting.functions);
	perun_free(emitting.traces);
}
