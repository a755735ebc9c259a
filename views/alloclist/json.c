/* SPDX-License-Identifier: BSD-3-Clause */
/* The list for programs. */
#include <config.h>

#include <inttypes.h>
#include <math.h>

#include <perun/json.h>

#include "alloclist.h"

static void write_text(struct perun_json_writer *writer, const char *key, const char *text)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_text(writer, text);
}

static void write_number(struct perun_json_writer *writer, const char *key, double number)
{
	perun_json_write_key_text(writer, key);
	if (!isfinite(number))
		perun_json_write_null(writer);
	else if (number == floor(number) && fabs(number) < 9e15)
		perun_json_write_int64(writer, (int64_t)number);
	else
		perun_json_write_double(writer, number);
}

static void write_frame(struct perun_json_writer *writer, const struct views_frame *frame)
{
	write_text(writer, "function", frame->function);
	write_text(writer, "file", frame->file);
	write_number(writer, "line", (double)frame->line);
}

static void write_calls(struct perun_json_writer *writer, const struct alloclist_entry *entry)
{
	perun_json_write_key_text(writer, "calls");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < entry->call_count; i++) {
		const struct alloclist_call *call = &entry->calls[i];

		perun_json_write_object_start(writer);
		write_number(writer, "depth", call->depth);
		if (call->merged)
			write_number(writer, "merged", (double)call->merged);
		else if (call->deeper)
			write_number(writer, "deeper", (double)call->deeper);
		else
			write_frame(writer, &call->frame);
		write_number(writer, "amount", call->amount);
		write_number(writer, "count", call->count);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}

static void write_entry(struct perun_json_writer *writer, const struct alloclist *list,
			const struct alloclist_entry *entry)
{
	const struct views_allocation *one = entry->first;

	perun_json_write_object_start(writer);
	write_number(writer, "amount", entry->amount);
	write_number(writer, "count", entry->count);
	write_frame(writer, &one->place);
	if (list->grouped) {
		write_number(writer, "largest", entry->largest);
	} else {
		write_text(writer, "allocator", one->kind);
		perun_json_write_key_text(writer, "address");
		if (one->has_address)
			perun_json_write_uint64(writer, one->address);
		else
			perun_json_write_null(writer);
		write_number(writer, "snapshot", (double)one->snapshot);
		write_number(writer, "time", one->time);
	}
	write_calls(writer, entry);
	perun_json_write_object_end(writer);
}

int alloclist_write_json(const struct alloclist *list, const struct perun_canvas *canvas)
{
	static const char *const modes[] = {"all", "top", "most", "sum", "func"};
	struct perun_buffer out = {0};
	struct perun_json_writer *writer = perun_json_writer_new(&out, PERUN_JSON_INDENTED, 1);
	int status;

	perun_json_write_object_start(writer);
	write_text(writer, "view", "alloclist");
	write_text(writer, "mode", modes[list->mode]);
	write_text(writer, "profile", list->name);
	write_text(writer, "metric", list->allocations.metric);
	write_text(writer, "unit", list->allocations.unit.name);
	write_number(writer, "chosen", (double)list->chosen);
	write_number(writer, "allocations", list->count);
	write_number(writer, "amount", list->amount);
	write_number(writer, "unfiltered", list->whole);
	write_number(writer, "freed", (double)list->freed);
	perun_json_write_key_text(writer, "entries");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < list->entry_count; i++)
		write_entry(writer, list, &list->entries[i]);
	perun_json_write_array_end(writer);
	perun_json_write_object_end(writer);
	status = perun_json_writer_finish(writer);
	if (!status)
		status = perun_output_write(canvas->output, out.data, out.length);
	if (!status)
		status = perun_output_text(canvas->output, "\n");
	perun_buffer_free(&out);
	return status;
}
