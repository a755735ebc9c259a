/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap for programs. */
#include <config.h>

#include <math.h>

#include <perun/json.h>

#include "heapmap.h"

static void write_text(struct perun_json_writer *writer, const char *key, const char *text)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_text(writer, text);
}

static void write_number(struct perun_json_writer *writer, const char *key, uint64_t number)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_uint64(writer, number);
}

static void write_snapshots(struct perun_json_writer *writer, const struct heap *heap)
{
	perun_json_write_key_text(writer, "snapshots");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < heap->snapshot_count; i++) {
		const struct heap_snapshot *snapshot = &heap->snapshots[i];

		perun_json_write_object_start(writer);
		perun_json_write_key_text(writer, "snapshot");
		perun_json_write_int64(writer, snapshot->number);
		perun_json_write_key_text(writer, "time");
		if (isnan(snapshot->time))
			perun_json_write_null(writer);
		else
			perun_json_write_double(writer, snapshot->time);
		write_number(writer, "amount", (uint64_t)snapshot->amount);
		write_number(writer, "count", snapshot->blocks);
		write_number(writer, "allocated", snapshot->allocated);
		write_number(writer, "freed", snapshot->freed);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}

static void write_blocks(struct perun_json_writer *writer, const struct heap *heap)
{
	perun_json_write_key_text(writer, "blocks");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < heap->count; i++) {
		const struct heap_block *block = &heap->blocks[i];
		const struct views_frame *frame = &heap->places[block->place].frame;

		perun_json_write_object_start(writer);
		write_number(writer, "address", block->start);
		write_number(writer, "size", block->size);
		perun_json_write_key_text(writer, "born");
		perun_json_write_int64(writer, heap->snapshots[block->born].number);
		perun_json_write_key_text(writer, "died");
		if (block->died < heap->snapshot_count)
			perun_json_write_int64(writer, heap->snapshots[block->died].number);
		else
			perun_json_write_null(writer);
		write_text(writer, "allocator", heap->allocations.items[block->allocation].kind);
		write_text(writer, "function", frame->function);
		write_text(writer, "file", frame->file);
		perun_json_write_key_text(writer, "line");
		perun_json_write_int64(writer, frame->line);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}

int heapmap_write_json(const struct heap *heap, const struct perun_canvas *canvas)
{
	struct perun_buffer out = {0};
	struct perun_json_writer *writer = perun_json_writer_new(&out, PERUN_JSON_INDENTED, 1);
	int status;

	perun_json_write_object_start(writer);
	write_text(writer, "view", "heapmap");
	write_text(writer, "profile", heap->name);
	write_text(writer, "unit", "B");
	write_number(writer, "peak", (uint64_t)heap->peak);
	write_snapshots(writer, heap);
	write_blocks(writer, heap);
	perun_json_write_object_end(writer);
	status = perun_json_writer_finish(writer);
	if (!status)
		status = perun_output_write(canvas->output, out.data, out.length);
	if (!status)
		status = perun_output_text(canvas->output, "\n");
	perun_buffer_free(&out);
	return status;
}
