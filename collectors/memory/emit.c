/* SPDX-License-Identifier: BSD-3-Clause */
/* What was recorded as a profile of Perun: resources with their traces, by snapshots. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "collectors/common/traces.h"
#include "collectors/common/setup.h"
#include "emit.h"

struct columns {
	struct perun_table_builder *table;
	struct perun_column_builder *amount, *address, *type, *subtype, *uid, *trace, *snapshot,
		*freed, *freed_trace, *time, *allocations, *leaked, *peak;
};

struct emitting {
	struct perun_ctx *ctx;
	const struct emit_options *options;
	struct heap *heap;
	const struct places *places;
	struct perun_builder *builder;
	struct traces *traces;
	struct columns columns;
	perun_id type;
};

static const char *const subtypes[MEMORY_ALLOCATORS] = {
	"malloc",         "calloc", "realloc", "reallocarray", "memalign",
	"posix_memalign", "valloc", "pvalloc", "aligned_alloc"};

static bool is_one_of(const struct perun_json *frame, const char *key, const char *const *names)
{
	const char *text = perun_json_as_string(perun_json_get(frame, key), NULL);

	for (size_t i = 0; names && names[i]; i++)
		if (text && strcmp(text, names[i]) == 0)
			return true;
	return false;
}

static bool is_left_out(const struct emitting *emitting, const struct trace *trace)
{
	return is_one_of(trace->frame, "source", emitting->options->no_source) ||
	       is_one_of(trace->frame, "function", emitting->options->no_function);
}

/* ---- resources ---------------------------------------------------------------------------------- */

static void make_columns(struct emitting *emitting, bool blocks)
{
	struct columns *columns = &emitting->columns;
	struct perun_table_builder *table = perun_builder_table(emitting->builder, "resources");

	columns->table = table;
	columns->amount =
		collectors_add_column(table, "amount", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	if (blocks)
		columns->address =
			collectors_add_column(table, "address", PERUN_TYPE_INT64, PERUN_ROLE_PLAIN);
	columns->allocations =
		collectors_add_column(table, "allocations", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	columns->leaked =
		collectors_add_column(table, "leaked", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	columns->peak = collectors_add_column(table, "peak", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	columns->type = collectors_add_column(table, "type", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns->subtype =
		collectors_add_column(table, "subtype", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns->uid = collectors_add_column(table, "uid", PERUN_TYPE_JSON, PERUN_ROLE_KEY);
	columns->trace = collectors_add_column(table, "trace", PERUN_TYPE_JSON, PERUN_ROLE_PLAIN);
	columns->snapshot =
		collectors_add_column(table, "snapshot", PERUN_TYPE_INT64, PERUN_ROLE_TIME);
	if (blocks)
		columns->freed =
			collectors_add_column(table, "freed", PERUN_TYPE_INT64, PERUN_ROLE_TIME);
	if (blocks && emitting->options->free_stacks)
		columns->freed_trace = collectors_add_column(table, "freed_trace", PERUN_TYPE_JSON,
							     PERUN_ROLE_PLAIN);
	columns->time = collectors_add_column(table, "time", PERUN_TYPE_STRING, PERUN_ROLE_TIME);
}

struct resource {
	uint32_t stack, kind, snapshot;
	double bytes, count, leaked, peak;
	uint64_t address;
	int64_t freed;     /* snapshot; -1 = never */
	uint32_t freed_by; /* a stack, or HEAP_NO_STACK */
};

/* The end of a snapshot, as the Python program prints it. */
static perun_id snapshot_time(struct emitting *emitting, uint32_t snapshot)
{
	double interval = (double)emitting->heap->options.interval / emitting->options->ticks;
	char text[64];

	perun_snprintf(text, sizeof text, "%f", (snapshot + 1) * interval);
	return perun_builder_text(emitting->builder, text);
}

static void add_resource(struct emitting *emitting, const struct resource *resource)
{
	struct columns *columns = &emitting->columns;
	const struct trace *trace = traces_find(emitting->traces, resource->stack);

	if (is_left_out(emitting, trace))
		return;
	perun_column_set_int64(columns->amount, llround(resource->bytes));
	if (columns->address)
		perun_column_set_int64(columns->address, (int64_t)resource->address);
	perun_column_set_int64(columns->allocations, llround(resource->count));
	perun_column_set_int64(columns->leaked, llround(resource->leaked));
	perun_column_set_int64(columns->peak, llround(resource->peak));
	perun_column_set_id(columns->type, PERUN_TYPE_STRING, emitting->type);
	perun_column_set_id(columns->subtype, PERUN_TYPE_STRING,
			    perun_builder_text(emitting->builder, subtypes[resource->kind]));
	perun_column_set_id(columns->uid, PERUN_TYPE_JSON, trace->uid);
	perun_column_set_id(columns->trace, PERUN_TYPE_JSON, trace->trace);
	perun_column_set_int64(columns->snapshot, resource->snapshot);
	if (columns->freed)
		perun_column_set_int64(columns->freed, resource->freed);
	if (columns->freed_trace)
		perun_column_set_id(
			columns->freed_trace, PERUN_TYPE_JSON,
			resource->freed_by == HEAP_NO_STACK
				? perun_builder_text(emitting->builder, "[]")
				: traces_find(emitting->traces, resource->freed_by)->trace);
	perun_column_set_id(columns->time, PERUN_TYPE_STRING,
			    snapshot_time(emitting, resource->snapshot));
	perun_table_end_row(columns->table);
}

static void add_blocks(struct emitting *emitting)
{
	const struct heap *heap = emitting->heap;

	for (size_t i = 0; i < heap->block_count; i++) {
		const struct heap_block *block = &heap->blocks[i];
		double weight = heap_weight(heap, block->bytes);
		double bytes = weight * (double)block->bytes;
		bool at_peak = block->made <= heap->peak_event && block->freed > heap->peak_event;
		const struct resource resource = {
			.stack = block->stack,
			.kind = block->kind,
			.snapshot = heap_snapshot(heap, block->time),
			.bytes = bytes,
			.count = weight,
			.leaked = block->freed == UINT64_MAX ? bytes : 0,
			.peak = at_peak ? bytes : 0,
			.address = block->address,
			.freed_by = block->freed_by,
			.freed = block->freed == UINT64_MAX
					 ? -1
					 : (int64_t)heap_snapshot(heap, block->end),
		};

		add_resource(emitting, &resource);
	}
}

static void add_rows(struct emitting *emitting)
{
	const struct heap *heap = emitting->heap;

	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->rows[i];
		const struct resource resource = {
			.stack = row->stack,
			.kind = row->kind,
			.snapshot = row->snapshot,
			.bytes = row->bytes,
			.count = row->count,
			.leaked = row->live_bytes,
			.peak = row->peak_bytes,
		};

		if (row->count > 0)
			add_resource(emitting, &resource);
	}
}

/* ---- the document ------------------------------------------------------------------------------- */

/* What is shown if nothing is chosen: the function that allocated the most. */
static void choose_metric(struct emitting *emitting, struct perun_json *header)
{
	double bytes[MEMORY_ALLOCATORS] = {0};
	const struct heap *heap = emitting->heap;
	size_t most = 0;
	char *name;

	for (size_t i = 0; i < heap->row_count; i++)
		bytes[heap->rows[i].kind] += heap->rows[i].bytes;
	for (size_t i = 1; i < MEMORY_ALLOCATORS; i++)
		if (bytes[i] > bytes[most])
			most = i;
	name = perun_format("memory(%s)", subtypes[most]);
	perun_json_set(header, "default_metric", perun_json_text(name));
	perun_free(name);
}

static void describe(struct emitting *emitting)
{
	struct perun_json *document = perun_builder_document(emitting->builder);
	struct perun_json *header = perun_json_get(document, "header");
	struct perun_json *memory = perun_json_object();
	const struct heap *heap = emitting->heap;
	double ticks = emitting->options->ticks;

	collectors_add_metric(emitting->builder, "allocations", "",
			      "how often memory was allocated");
	collectors_add_metric(emitting->builder, "leaked", "B", "what was not freed until the end");
	collectors_add_metric(emitting->builder, "peak", "B", "what was there when the most was");
	perun_json_set(memory, "allocations", perun_json_uint64(heap->allocations));
	perun_json_set(memory, "frees", perun_json_uint64(heap->frees));
	perun_json_set(memory, "temporary", perun_json_uint64(heap->temporary));
	perun_json_set(memory, "bytes", perun_json_int64(llround(heap->bytes)));
	perun_json_set(memory, "leaked", perun_json_int64(llround(heap->live_bytes)));
	perun_json_set(memory, "peak", perun_json_int64(llround(heap->peak_bytes)));
	perun_json_set(memory, "peak_time",
		       perun_json_double((double)(heap->peak_time - heap->first_time) / ticks));
	perun_json_set(memory, "duration",
		       perun_json_double((double)(heap->last_time - heap->first_time) / ticks));
	perun_json_set(memory, "interval",
		       perun_json_double((double)heap->options.interval / ticks));
	perun_json_set(memory, "grouped", perun_json_bool(heap->too_many));
	if (heap->options.sample)
		perun_json_set(memory, "sample_bytes", perun_json_uint64(heap->options.sample));
	perun_json_set(document, "memory", memory);
	choose_metric(emitting, header);
}

int emit_profile(struct perun_ctx *ctx, const struct emit_options *options, struct heap *heap,
		 const struct places *places, struct perun_builder *builder)
{
	struct emitting emitting = {
		.ctx = ctx, .options = options, .heap = heap, .places = places, .builder = builder};

	emitting.traces = traces_open(places, options->folder,
				      options->all ? TRACES_ALL : TRACES_SOURCES, builder);
	emitting.type = perun_builder_text(builder, "memory");
	make_columns(&emitting, !heap->too_many);
	if (heap->too_many)
		add_rows(&emitting);
	else
		add_blocks(&emitting);
	describe(&emitting);
	traces_close(emitting.traces);
	return PERUN_OK;
}
