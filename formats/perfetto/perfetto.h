/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of Perfetto: packets of Protocol Buffers
 * (https://perfetto.dev/docs/reference/trace-packet-proto).
 */
#ifndef PERFETTO_H
#define PERFETTO_H

#include "formats/common/protobuf.h"
#include "formats/common/stacks.h"

struct perfetto_options {
	struct stacks_options stacks;
	uint64_t unpacked_limit; /* bytes of compressed packets when they are decompressed */
};

/* What packets of one writer have in common. */
struct perfetto_sequence {
	uint64_t id, clock, track; /* defaults; of the clock 0: none */
	uint32_t generation;       /* how often its interned data were cleared */
};

/* A clock that packets have their times from: those from 64 on are of one sequence. */
struct perfetto_clock {
	uint64_t unit, last; /* unit: in ns */
	uint64_t offset;     /* to CLOCK_BOOTTIME, in ns */
	bool incremental;
};

/* A thread, or what else has slices that are within each other. */
struct perfetto_track {
	uint64_t uuid, parent, process, thread; /* numbers of the system; 0: none */
	perun_id name, thread_name;             /* 0: none */
	perun_id labels;
};

/* A text, frame, mapping or stack that packets call by a number. */
struct perfetto_item {
	struct protobuf_bytes bytes; /* of the message; of texts none */
	perun_id made;               /* the text, module, location or stack; PERUN_NO_ID: not yet */
};

struct perfetto_event {
	uint64_t at;
	uint32_t track;
	perun_id name; /* of the slice that begins; PERUN_NO_ID: the last one ends */
};

struct perfetto_sample {
	uint32_t track;
	perun_id stack;
};

struct perfetto {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	struct perun_builder *builder;
	struct perun_input *input;
	struct perfetto_sequence *sequences;
	size_t sequence_count, sequence_room;
	struct perfetto_clock *clocks;
	size_t clock_count, clock_room;
	struct perfetto_track *tracks;
	size_t track_count, track_room;
	struct perfetto_item *items;
	size_t item_count, item_room, references; /* references: items whose bytes are read later */
	struct perfetto_event *events;
	size_t event_count, event_room;
	struct perfetto_sample *samples;
	size_t sample_count, sample_room;
	perun_id *frames; /* of the stack that is read */
	size_t frame_room;
	/* by their numbers in the file; of tracks also by process and thread */
	struct stacks_numbers sequence_ids, clock_ids, track_ids, thread_ids, item_ids;
	struct stacks_numbers process_names, thread_names;
	const unsigned char *start;
	unsigned char **unpacked; /* packets that were compressed, which items refer to */
	size_t unpacked_count, unpacked_room;
	uint64_t unpacked_left;
	size_t others, compressed, empty, unbegun; /* what is left out */
	uint64_t cut;                              /* where the file is damaged; 0: nowhere */
};

/* Fields of InternedData. */
enum {
	PERFETTO_EVENT_NAMES = 2,
	PERFETTO_FUNCTION_NAMES = 5,
	PERFETTO_FRAMES = 6,
	PERFETTO_STACKS = 7,
	PERFETTO_MAPPING_PATHS = 17,
	PERFETTO_MAPPINGS = 19
};

/* Numbers of a process and a thread among the fields of a message: those of C's int, which are written with 64 bits. */
void perfetto_read_numbers(struct protobuf_bytes message, uint64_t process_field,
			   uint64_t thread_field, uint64_t *process, uint64_t *thread);
/* All packets; those up to where the file is damaged, if there are any. */
int perfetto_read_packets(struct perfetto *trace, struct perun_input *input);
/* The packets in a compressed one, which the caller frees. PERUN_INPUT where they are damaged, or too large. */
int perfetto_unpack(struct perfetto *trace, const struct protobuf_bytes *packed,
		    unsigned char **bytes, size_t *size);
/* The number of an item of a sequence; UINT32_MAX: it is not there. */
uint32_t perfetto_find_item(const struct perfetto *trace, uint64_t scope, uint64_t kind,
			    uint64_t iid);
/* Times and names: the part of packets that later ones build upon. */
void perfetto_read_interned(struct perfetto *trace, uint64_t scope, struct protobuf_bytes message);
void perfetto_read_clocks(struct perfetto *trace, uint64_t sequence, struct protobuf_bytes message);
uint64_t perfetto_time(struct perfetto *trace, uint64_t sequence, uint64_t clock, uint64_t time);
/* Tracks by uuid, or by process and thread, made where there is none. */
uint32_t perfetto_track(struct perfetto *trace, uint64_t uuid);
uint32_t perfetto_thread(struct perfetto *trace, uint64_t process, uint64_t thread);
void perfetto_read_track(struct perfetto *trace, struct protobuf_bytes message);
void perfetto_read_processes(struct perfetto *trace, struct protobuf_bytes message);
void perfetto_label_tracks(struct perfetto *trace);
/* Rows of slices, in ns from the first event on. */
int perfetto_add_slices(struct perfetto *trace, unsigned metric);
/* Keep a sample of a sequence: PerfSample. Rows of these are added when the tracks have their labels. */
int perfetto_read_sample(struct perfetto *trace, uint64_t scope, struct protobuf_bytes message);
void perfetto_add_samples(struct perfetto *trace, unsigned metric);

#endif
