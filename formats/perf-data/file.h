/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording of perf: its events, what it says of files and of the machine, and its records by time. The layout is
 * described with perf, in tools/perf/Documentation/perf.data-file-format.txt of the Linux sources, that of the records of
 * the kernel in include/uapi/linux/perf_event.h.
 */
#ifndef PERF_DATA_FILE_H
#define PERF_DATA_FILE_H

#include <perun/format.h>

#include "cursor.h"
#include "formats/common/stacks.h"

/* Kinds of records: those of the kernel, and those that perf adds. */
enum {
	RECORD_MAP = 1,
	RECORD_LOST = 2,
	RECORD_NAME = 3,
	RECORD_EXIT = 4,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MAP2 = 10,
	RECORD_LOST_SAMPLES = 13,
	RECORD_KERNEL_SYMBOL = 17,
	RECORD_OF_PERF = 64,
	RECORD_EVENT = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_AUXILIARY = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED_2 = 83
};

/* Bits of `misc`: where it happened. */
enum { MODE = 7, MODE_KERNEL = 1, MODE_GUEST_KERNEL = 4 };

/* Bits of `sample_type`: what samples have, in the order in which they have it. */
enum {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDRESS = 1 << 3,
	SAMPLE_READ = 1 << 4,
	SAMPLE_CHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM = 1 << 9,
	SAMPLE_RAW = 1 << 10,
	SAMPLE_BRANCHES = 1 << 11,
	SAMPLE_REGISTERS = 1 << 12,
	SAMPLE_STACK = 1 << 13,
	SAMPLE_IDENTIFIER = 1 << 16
};

/* What was recorded: cycles, a tracepoint, a clock. */
struct perfdata_event {
	char *name;
	uint32_t type;
	uint64_t configuration;
	uint64_t period; /* of all samples, where it is fixed; else 1 */
	uint64_t sample_type, read_format, branch_type, registers;
	bool others_too; /* the other records have time and the like, too */
};

struct perfdata_build_id {
	char *file;
	char text[41]; /* hexadecimal */
};

/* A record without its head. */
struct perfdata_record {
	uint64_t time;
	uint32_t type;
	uint16_t misc;
	const uint8_t *data;
	size_t size;
};

/* The number of a record in the file, and when it was made. */
struct perfdata_place {
	uint64_t time;
	const uint8_t *at;
};

struct perfdata {
	struct perun_ctx *ctx;
	struct perun_input *input; /* that the file is mapped from; borrowed */
	const uint8_t *bytes;      /* the file; borrowed */
	size_t size;
	bool big;
	struct perfdata_event *events;
	size_t event_count, event_room;
	struct stacks_numbers ids; /* of events in records: their numbers */
	struct perfdata_build_id *build_ids;
	size_t build_id_count, build_id_room;
	struct stacks_numbers by_file; /* build ids, by a hash of the name */
	struct perfdata_place *places; /* of the records of the kernel, by time */
	size_t place_count, place_room;
	struct perun_buffer packed, unpacked; /* compressed records: their bytes, and the records */
	struct perun_json *comments; /* "hostname : NAME": as perf script --header prints them */
	char *command, *release;     /* of perf; of the system; or NULL */
	uint64_t lost;               /* samples */
	bool foreign;                /* of a machine whose stacks are not unwound here */
	const char *beyond;          /* what perf has to read itself; NULL = nothing */
};

/*
 * Read all of a file but its samples. PERUN_OK also where `beyond` says that there is more in it than is understood here. The
 * bytes are borrowed until perfdata_close().
 */
int perfdata_open(struct perun_ctx *ctx, struct perun_input *input, struct perfdata *file);
/* Records that are read in their order: what is before this one is not read soon. */
void perfdata_passed(const struct perfdata *file, const uint8_t *at);
void perfdata_close(struct perfdata *file);
/* A record in its place. */
struct perfdata_record perfdata_record_at(const struct perfdata *file,
					  const struct perfdata_place *place);
/* What the file says of the build of another one; "" = nothing. */
const char *perfdata_build_id_of(const struct perfdata *file, const char *name);
/* "byte 12: WHAT"; returns PERUN_INPUT. */
int perfdata_wrong(const struct perfdata *file, const uint8_t *at, const char *what);

/* Of the header: an event with its ids, and a feature by its number (header.c, features.c). */
int perfdata_read_head(struct perfdata *file, const uint8_t **records, const uint8_t **end,
		       bool *interrupted);
bool perfdata_add_event(struct perfdata *file, const uint8_t *bytes, size_t size, size_t *number);
void perfdata_add_id(struct perfdata *file, uint64_t id, size_t event);
void perfdata_add_build_id(struct perfdata *file, uint16_t misc, struct cursor cursor);
void perfdata_read_feature(struct perfdata *file, unsigned number, struct cursor cursor);
void perfdata_name_events(struct perfdata *file);
/* The records between two places, for the first time (records.c). */
int perfdata_read_records(struct perfdata *file, const uint8_t *from, const uint8_t *end,
			  bool interrupted);

#endif
