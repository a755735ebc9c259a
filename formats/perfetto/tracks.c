/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracks: threads, and what else has slices; their names and those of processes. */
#include <inttypes.h>
#include <string.h>

#include "perfetto.h"

/* Fields of TrackDescriptor, ProcessDescriptor, ThreadDescriptor and ProcessTree. */
enum { UUID = 1, NAME = 2, PROCESS = 3, THREAD = 4, PARENT = 5, STATIC_NAME = 10 };
enum { PROCESS_ID = 1, PROCESS_NAME = 6, THREAD_PROCESS = 1, THREAD_ID = 2, THREAD_NAME = 5 };
enum { PROCESSES = 1, THREADS = 2, COMMAND_LINE = 3, TREE_THREAD = 1, TREE_NAME = 2 };
/* Tracks within each other that are looked at for a process. */
enum { DEPTH = 16 };

static uint32_t add_track(struct perfetto *trace, uint64_t uuid)
{
	uint32_t index = (uint32_t)trace->track_count;

	stacks_numbers_add(&trace->track_ids, uuid, index);
	PERUN_GROW(trace->tracks, trace->track_count, trace->track_room);
	trace->tracks[trace->track_count++] =
		(struct perfetto_track){.uuid = uuid, .labels = PERUN_NO_ID};
	return index;
}

uint32_t perfetto_track(struct perfetto *trace, uint64_t uuid)
{
	uint32_t index = stacks_numbers_find(&trace->track_ids, uuid);

	return index != UINT32_MAX ? index : add_track(trace, uuid);
}

static uint64_t thread_key(uint64_t process, uint64_t thread)
{
	return process << 32 | thread;
}

uint32_t perfetto_thread(struct perfetto *trace, uint64_t process, uint64_t thread)
{
	uint64_t key = thread_key(process, thread);
	uint32_t index = stacks_numbers_find(&trace->thread_ids, key);

	if (index != UINT32_MAX)
		return index;
	/* A uuid that no writer draws but by the least of chances. */
	index = perfetto_track(trace, key * 0x9e3779b97f4a7c15 ^ 0xd6e8feb86659fd93);
	stacks_numbers_add(&trace->thread_ids, key, index);
	trace->tracks[index].process = process;
	trace->tracks[index].thread = thread;
	return index;
}

static perun_id text_of(struct perfetto *trace, const struct protobuf_field *field)
{
	const struct protobuf_bytes *bytes = &field->bytes;

	return bytes->at == bytes->end
		       ? 0
		       : perun_builder_string(trace->builder, (const char *)bytes->at,
					      (size_t)(bytes->end - bytes->at));
}

/* A process or a thread in a description of a track, or in a list of them. */
struct names {
	uint64_t process, thread;
	perun_id name;
};

static struct names read_names(struct perfetto *trace, struct protobuf_bytes message,
			       uint64_t process, uint64_t thread, uint64_t name)
{
	struct names names = {0};
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.type == PROTOBUF_VARINT && field.number == process)
			names.process = field.value & UINT32_MAX;
		else if (field.type == PROTOBUF_VARINT && field.number == thread)
			names.thread = field.value & UINT32_MAX;
		else if (field.type == PROTOBUF_BYTES && field.number == name && !names.name)
			names.name = text_of(trace, &field);
	}
	return names;
}

static void note_process(struct perfetto *trace, const struct names *names)
{
	if (names->name)
		stacks_numbers_add(&trace->process_names, names->process, names->name);
}

/* A description may come again, and then says the same or more. */
void perfetto_read_track(struct perfetto *trace, struct protobuf_bytes message)
{
	struct perfetto_track said = {0}, *track;
	struct protobuf_field field;
	struct names names;
	uint32_t index;

	if (!message.at)
		return;
	while (protobuf_next(&message, &field)) {
		if (field.number == UUID) {
			said.uuid = field.value;
		} else if (field.number == PARENT) {
			said.parent = field.value;
		} else if (field.type != PROTOBUF_BYTES) {
			continue;
		} else if (field.number == NAME || field.number == STATIC_NAME) {
			said.name = text_of(trace, &field);
		} else if (field.number == PROCESS) {
			names = read_names(trace, field.bytes, PROCESS_ID, UINT64_MAX,
					   PROCESS_NAME);
			said.process = names.process;
			note_process(trace, &names);
		} else if (field.number == THREAD) {
			names = read_names(trace, field.bytes, THREAD_PROCESS, THREAD_ID,
					   THREAD_NAME);
			said.process = names.process;
			said.thread = names.thread;
			said.thread_name = names.name;
		}
	}
	index = perfetto_track(trace, said.uuid);
	track = &trace->tracks[index];
	track->parent = said.parent ? said.parent : track->parent;
	track->process = said.process ? said.process : track->process;
	track->thread = said.thread ? said.thread : track->thread;
	track->name = said.name ? said.name : track->name;
	track->thread_name = said.thread_name ? said.thread_name : track->thread_name;
	if (track->thread)
		stacks_numbers_add(&trace->thread_ids, thread_key(track->process, track->thread),
				   index);
}

/* The processes and threads of the system. */
void perfetto_read_processes(struct perfetto *trace, struct protobuf_bytes message)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		struct names names;

		if (field.type != PROTOBUF_BYTES)
			continue;
		if (field.number == PROCESSES) {
			names = read_names(trace, field.bytes, PROCESS_ID, UINT64_MAX,
					   COMMAND_LINE);
			note_process(trace, &names);
		} else if (field.number == THREADS) {
			names = read_names(trace, field.bytes, UINT64_MAX, TREE_THREAD, TREE_NAME);
			if (names.name)
				stacks_numbers_add(&trace->thread_names, names.thread, names.name);
		}
	}
}

/* That of the track, or of those that it is within. */
static uint64_t process_of(const struct perfetto *trace, const struct perfetto_track *track)
{
	for (int depth = 0; depth < DEPTH && !track->process && track->parent; depth++) {
		uint32_t parent = stacks_numbers_find(&trace->track_ids, track->parent);

		if (parent == UINT32_MAX)
			break;
		track = &trace->tracks[parent];
	}
	return track->process;
}

static perun_id number_text(struct perfetto *trace, uint64_t number)
{
	char text[24];

	perun_snprintf(text, sizeof text, "%" PRIu64, number);
	return perun_builder_text(trace->builder, text);
}

/* A track that nothing is said of has its uuid as its name. */
static perun_id thread_text(struct perfetto *trace, const struct perfetto_track *track)
{
	uint32_t name = stacks_numbers_find(&trace->thread_names, track->thread);

	if (track->thread_name || track->name)
		return track->thread_name ? track->thread_name : track->name;
	if (track->thread && name != UINT32_MAX)
		return name;
	return number_text(trace, track->thread ? track->thread : track->uuid);
}

void perfetto_label_tracks(struct perfetto *trace)
{
	perun_id process_key = perun_builder_text(trace->builder, "process");
	perun_id track_key = perun_builder_text(trace->builder, "thread");

	for (size_t i = 0; i < trace->track_count; i++) {
		struct perfetto_track *track = &trace->tracks[i];
		uint64_t process = process_of(trace, track);
		uint32_t name = stacks_numbers_find(&trace->process_names, process);
		struct perun_label labels[2] = {{.key = process_key}, {.key = track_key}};
		bool known = process != 0;

		labels[0].text = name != UINT32_MAX ? name : number_text(trace, process);
		labels[1].text = thread_text(trace, track);
		track->labels =
			perun_builder_labels(trace->builder, labels + !known, 1 + (size_t)known);
	}
}
