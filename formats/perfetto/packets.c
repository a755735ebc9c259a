/* SPDX-License-Identifier: BSD-3-Clause */
/* The packets of a trace, and of each the event in it. */
#include <inttypes.h>
#include <string.h>

#include "perfetto.h"

/* Fields of TracePacket, TracePacketDefaults, TrackEvent and ThreadDescriptor. */
enum {
	PROCESS_TREE = 2,
	CLOCKS = 6,
	TIME = 8,
	SEQUENCE = 10,
	TRACK_EVENT = 11,
	INTERNED = 12,
	FLAGS = 13,
	CLEARED = 41,
	THREAD = 44,
	COMPRESSED = 50,
	CLOCK = 58,
	DEFAULTS = 59,
	TRACK = 60,
	SAMPLE = 66,
	ZSTD_COMPRESSED = 133
};
enum { STATE_CLEARED = 1 }; /* of the flags */
enum { DEFAULT_CLOCK = 58, DEFAULT_EVENT = 11 };
enum { EVENT_TYPE = 9, EVENT_NAME_ID = 10, EVENT_TRACK = 11, EVENT_NAME = 23 };
enum { BEGIN = 1, END = 2 }; /* types of events */
enum { THREAD_PROCESS = 1, THREAD_THREAD = 2 };
enum { BOOTTIME = 6 };

/* A packet, whose fields come in any order. */
struct packet {
	uint64_t time, sequence, clock;
	bool timed, cleared, zstd;
	struct protobuf_bytes packed, processes, clocks, event, interned, thread, defaults, track,
		sample;
};

static void take_field(struct packet *packet, const struct protobuf_field *field)
{
	const struct {
		uint64_t number;
		struct protobuf_bytes *bytes;
	} parts[] = {{COMPRESSED, &packet->packed}, {PROCESS_TREE, &packet->processes},
		     {CLOCKS, &packet->clocks},     {TRACK_EVENT, &packet->event},
		     {INTERNED, &packet->interned}, {THREAD, &packet->thread},
		     {DEFAULTS, &packet->defaults}, {TRACK, &packet->track},
		     {SAMPLE, &packet->sample}};

	if (field->type == PROTOBUF_BYTES) {
		packet->zstd |= field->number == ZSTD_COMPRESSED;
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			if (field->number == parts[i].number)
				*parts[i].bytes = field->bytes;
	} else if (field->number == TIME) {
		packet->time = field->value;
		packet->timed = true;
	} else if (field->number == SEQUENCE) {
		packet->sequence = field->value;
	} else if (field->number == CLOCK) {
		packet->clock = field->value;
	} else if (field->number == FLAGS) {
		packet->cleared |= field->value & STATE_CLEARED;
	} else if (field->number == CLEARED) {
		packet->cleared |= field->value != 0;
	}
}

static struct perfetto_sequence *sequence_of(struct perfetto *trace, uint64_t id)
{
	uint32_t index = stacks_numbers_find(&trace->sequence_ids, id);

	if (index != UINT32_MAX)
		return &trace->sequences[index];
	stacks_numbers_add(&trace->sequence_ids, id, (uint32_t)trace->sequence_count);
	PERUN_GROW(trace->sequences, trace->sequence_count, trace->sequence_room);
	trace->sequences[trace->sequence_count] = (struct perfetto_sequence){.id = id};
	return &trace->sequences[trace->sequence_count++];
}

/* What the packets of a sequence have where they say nothing else. */
static void read_defaults(struct perfetto_sequence *sequence, struct protobuf_bytes message)
{
	struct protobuf_field field, inner;

	while (protobuf_next(&message, &field)) {
		if (field.number == DEFAULT_CLOCK && field.type == PROTOBUF_VARINT)
			sequence->clock = field.value;
		while (field.number == DEFAULT_EVENT && protobuf_next(&field.bytes, &inner))
			if (inner.number == EVENT_TRACK && inner.type == PROTOBUF_VARINT)
				sequence->track = inner.value;
	}
}

void perfetto_read_numbers(struct protobuf_bytes message, uint64_t process_field,
			   uint64_t thread_field, uint64_t *process, uint64_t *thread)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.type == PROTOBUF_VARINT && field.number == process_field)
			*process = field.value & UINT32_MAX;
		else if (field.type == PROTOBUF_VARINT && field.number == thread_field)
			*thread = field.value & UINT32_MAX;
	}
}

/* A number for the interned data of a sequence since they were last cleared: others have other numbers. */
static uint64_t scope_of(const struct perfetto_sequence *sequence)
{
	return sequence->id << 32 | sequence->generation;
}

static void add_event(struct perfetto *trace, const struct perfetto_sequence *sequence,
		      struct protobuf_bytes message, uint64_t time)
{
	struct perfetto_event event = {.at = time};
	uint64_t type = 0, uuid = sequence->track, name_id = 0;
	perun_id name = PERUN_NO_ID;
	struct protobuf_field field;
	uint32_t item;

	while (protobuf_next(&message, &field)) {
		if (field.number == EVENT_TYPE)
			type = field.value;
		else if (field.number == EVENT_TRACK)
			uuid = field.value;
		else if (field.number == EVENT_NAME_ID)
			name_id = field.value;
		else if (field.number == EVENT_NAME && field.type == PROTOBUF_BYTES)
			name = perun_builder_string(trace->builder, (const char *)field.bytes.at,
						    (size_t)(field.bytes.end - field.bytes.at));
	}
	if (type != BEGIN && type != END) {
		trace->others++;
		return;
	}
	item = name == PERUN_NO_ID && name_id ? perfetto_find_item(trace, scope_of(sequence),
								   PERFETTO_EVENT_NAMES, name_id)
					      : UINT32_MAX;
	if (item != UINT32_MAX)
		name = trace->items[item].made;
	if (type == END)
		event.name = PERUN_NO_ID;
	else if (name == PERUN_NO_ID || !name)
		event.name = perun_builder_text(trace->builder, "(unnamed)");
	else
		event.name = name;
	event.track = perfetto_track(trace, uuid);
	PERUN_GROW(trace->events, trace->event_count, trace->event_room);
	trace->events[trace->event_count++] = event;
}

/* Keep what a packet says; of compressed ones in it, `*packed` is where they are. */
static int read_packet(struct perfetto *trace, struct protobuf_bytes message,
		       struct protobuf_bytes *packed)
{
	struct perfetto_sequence *sequence;
	struct packet packet = {0};
	struct protobuf_field field;
	uint64_t process = 0, thread = 0, time = 0;

	while (protobuf_next(&message, &field))
		take_field(&packet, &field);
	*packed = packet.packed;
	sequence = sequence_of(trace, packet.sequence & UINT32_MAX);
	sequence->generation += packet.cleared;
	trace->compressed += packet.zstd;
	perfetto_read_interned(trace, scope_of(sequence), packet.interned);
	read_defaults(sequence, packet.defaults);
	perfetto_read_clocks(trace, sequence->id, packet.clocks);
	perfetto_read_track(trace, packet.track);
	perfetto_read_processes(trace, packet.processes);
	perfetto_read_numbers(packet.thread, THREAD_PROCESS, THREAD_THREAD, &process, &thread);
	/* Before there were descriptions of tracks, writers named their threads. */
	if (thread && !sequence->track) {
		uint32_t track = perfetto_thread(trace, process, thread);

		sequence->track = trace->tracks[track].uuid;
	}
	if (packet.timed)
		time = perfetto_time(trace, sequence->id,
				     packet.clock      ? packet.clock
				     : sequence->clock ? sequence->clock
						       : BOOTTIME,
				     packet.time);
	if (packet.event.at && packet.timed)
		add_event(trace, sequence, packet.event, time);
	else if (packet.event.at)
		trace->others++;
	return packet.sample.at ? perfetto_read_sample(trace, scope_of(sequence), packet.sample)
				: PERUN_OK;
}

/* Packets up to where none begins; `unpack` is given the compressed ones among them, unless it is NULL. */
static int read_all(struct perfetto *trace, struct protobuf_bytes *packets,
		    int (*unpack)(struct perfetto *trace, const struct protobuf_bytes *packed))
{
	struct protobuf_bytes packed;
	struct protobuf_field field;
	size_t count = 0;
	int status = PERUN_OK;

	while (!status && protobuf_next(packets, &field)) {
		if (field.number != 1 || field.type != PROTOBUF_BYTES)
			continue;
		status = read_packet(trace, field.bytes, &packed);
		if (!status && packed.at && unpack)
			status = unpack(trace, &packed);
		if (++count % 4096 == 0 && unpack)
			perun_input_passed(trace->input, packets->at);
		if (!status && count % 65536 == 0 && perun_cancelled(trace->ctx))
			status = PERUN_CANCELLED;
	}
	return status;
}

/* The packets in a compressed one; those in any of these are left out. */
static int read_packed(struct perfetto *trace, const struct protobuf_bytes *packed)
{
	size_t size, references = trace->references;
	struct protobuf_bytes packets;
	unsigned char *bytes;
	int status = perfetto_unpack(trace, packed, &bytes, &size);

	if (!status) {
		packets = (struct protobuf_bytes){bytes, bytes + size};
		status = read_all(trace, &packets, NULL);
	}
	if (references == trace->references) {
		perun_free(bytes);
		return status;
	}
	PERUN_GROW(trace->unpacked, trace->unpacked_count, trace->unpacked_room);
	trace->unpacked[trace->unpacked_count++] = bytes;
	return status;
}

int perfetto_read_packets(struct perfetto *trace, struct perun_input *input)
{
	struct protobuf_bytes packets;
	const void *data;
	size_t size;
	int status = perun_input_map(trace->ctx, input, 0, &data, &size);

	if (status)
		return status;
	trace->input = input;
	trace->start = data;
	packets = (struct protobuf_bytes){trace->start, trace->start + size};
	status = read_all(trace, &packets, read_packed);
	if (!status && packets.at != packets.end)
		trace->cut = (uint64_t)(packets.at - trace->start);
	if (!status && packets.at == trace->start)
		status =
			perun_fail(trace->ctx, PERUN_INPUT, "byte 0: expected a packet of a trace");
	return status;
}
