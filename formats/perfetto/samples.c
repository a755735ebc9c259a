/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a processor (traced_perf): stacks of frames, which are interned like their functions and files. */
#include <inttypes.h>

#include <perun/lib/path.h>

#include "perfetto.h"

/* Fields of PerfSample, Callstack, Frame and Mapping. */
enum { SAMPLE_PROCESS = 2, SAMPLE_THREAD = 3, SAMPLE_STACK = 4 };
enum { STACK_FRAMES = 2, FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PLACE = 4 };
enum { MAPPING_PATH = 7, PATH_LIMIT = 4096 };

static struct perfetto_item *item_of(struct perfetto *trace, uint64_t scope, uint64_t kind,
				     uint64_t iid)
{
	uint32_t index = perfetto_find_item(trace, scope, kind, iid);

	return index == UINT32_MAX ? NULL : &trace->items[index];
}

/* The path of a mapping, which is given by its parts; 0: unknown. */
static perun_id module_of(struct perfetto *trace, uint64_t scope, uint64_t iid)
{
	struct perfetto_item *mapping = item_of(trace, scope, PERFETTO_MAPPINGS, iid);
	struct perun_buffer path = {0};
	struct protobuf_bytes message;
	struct protobuf_field field;

	if (!mapping || mapping->made != PERUN_NO_ID)
		return mapping ? mapping->made : 0;
	message = mapping->bytes;
	while (protobuf_next(&message, &field)) {
		const struct perfetto_item *part =
			field.number == MAPPING_PATH
				? item_of(trace, scope, PERFETTO_MAPPING_PATHS, field.value)
				: NULL;

		if (!part || path.length > PATH_LIMIT)
			continue;
		perun_buffer_add_char(&path, '/');
		perun_buffer_add_text(&path,
				      perun_builder_string_at(trace->builder, part->made, NULL));
	}
	mapping->made =
		path.length ? perun_builder_string(trace->builder, path.data, path.length) : 0;
	perun_buffer_free(&path);
	return mapping->made;
}

/* Functions without a name are called by their place: "libc.so+0x12ab". */
static perun_id place_name(struct perfetto *trace, perun_id module, uint64_t place)
{
	const char *path = perun_builder_string_at(trace->builder, module, NULL);
	char *name =
		perun_format("%.255s+0x%" PRIx64, module ? perun_path_base_name(path) : "?", place);
	perun_id id = perun_builder_text(trace->builder, name);

	perun_free(name);
	return id;
}

static perun_id location_of(struct perfetto *trace, uint64_t scope, uint64_t iid)
{
	struct perfetto_item *item = item_of(trace, scope, PERFETTO_FRAMES, iid);
	uint64_t function = 0, mapping = 0, place = 0;
	const struct perfetto_item *name;
	struct stacks_frame frame = {0};
	struct protobuf_bytes message;
	struct protobuf_field field;

	if (!item)
		return stacks_name(trace->stacks, "(unknown)", 9);
	if (item->made != PERUN_NO_ID)
		return item->made;
	message = item->bytes;
	while (protobuf_next(&message, &field)) {
		if (field.number == FRAME_FUNCTION)
			function = field.value;
		else if (field.number == FRAME_MAPPING)
			mapping = field.value;
		else if (field.number == FRAME_PLACE)
			place = field.value;
	}
	name = item_of(trace, scope, PERFETTO_FUNCTION_NAMES, function);
	frame.module_id = module_of(trace, scope, mapping);
	frame.name_id = name && name->made ? name->made : place_name(trace, frame.module_id, place);
	frame.address = place;
	item->made = stacks_frame(trace->stacks, &frame);
	return item->made;
}

static size_t add_frame(struct perfetto *trace, size_t count, uint64_t scope, uint64_t iid)
{
	PERUN_GROW(trace->frames, count, trace->frame_room);
	trace->frames[count] = location_of(trace, scope, iid);
	return count + 1;
}

/* The outermost frame comes first. */
static int stack_of(struct perfetto *trace, uint64_t scope, struct perfetto_item *item,
		    perun_id *stack)
{
	struct protobuf_bytes message = item->bytes;
	struct protobuf_field field;
	uint64_t iid;
	size_t count = 0;
	int status = PERUN_OK;

	while (item->made == PERUN_NO_ID && protobuf_next(&message, &field)) {
		if (field.number != STACK_FRAMES)
			continue;
		if (field.type == PROTOBUF_VARINT)
			count = add_frame(trace, count, scope, field.value);
		while (field.bytes.at != field.bytes.end &&
		       (field.bytes.at = protobuf_varint(field.bytes.at, field.bytes.end, &iid)))
			count = add_frame(trace, count, scope, iid);
	}
	if (item->made == PERUN_NO_ID)
		status = stacks_make(trace->stacks, trace->frames, count, false, &item->made);
	*stack = item->made;
	return status;
}

int perfetto_read_sample(struct perfetto *trace, uint64_t scope, struct protobuf_bytes message)
{
	uint64_t process = 0, thread = 0, stack = 0, none;
	struct perfetto_sample sample;
	struct perfetto_item *item;
	int status;

	perfetto_read_numbers(message, SAMPLE_PROCESS, SAMPLE_THREAD, &process, &thread);
	perfetto_read_numbers(message, SAMPLE_STACK, UINT64_MAX, &stack, &none);
	item = item_of(trace, scope, PERFETTO_STACKS, stack);
	if (!item) {
		trace->others++;
		return PERUN_OK;
	}
	status = stack_of(trace, scope, item, &sample.stack);
	if (status)
		return status;
	sample.track = perfetto_thread(trace, process, thread);
	PERUN_GROW(trace->samples, trace->sample_count, trace->sample_room);
	trace->samples[trace->sample_count++] = sample;
	return PERUN_OK;
}

void perfetto_add_samples(struct perfetto *trace, unsigned metric)
{
	for (size_t i = 0; i < trace->sample_count; i++) {
		const struct perfetto_sample *sample = &trace->samples[i];

		stacks_value(trace->stacks, metric, 1);
		stacks_label_set(trace->stacks, trace->tracks[sample->track].labels);
		stacks_add(trace->stacks, sample->stack);
	}
}
