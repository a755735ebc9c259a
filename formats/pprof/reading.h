/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reader has found so far; shared by its files. */
#ifndef PERUN_FORMAT_PPROF_READING_H
#define PERUN_FORMAT_PPROF_READING_H

#include "formats/common/numbers.h"
#include "ids.h"
#include "kept.h"

/*
 * The fields of a profile come in any order, usually samples first and strings last. So numbers of
 * strings, functions and mappings are kept as they are in the file until its end. Samples are the bulk:
 * their stacks go into the pool at once, under provisional numbers of locations (see references).
 */

struct pprof_value_type {
	int64_t type, unit;
	uint64_t offset; /* in the file, for messages */
};

/* The place where something is named for the first time. */
struct pprof_first_use {
	uint64_t offset, sample;
};

/* A number or string of the profile itself, and where it is. */
struct pprof_header_value {
	int64_t value;
	uint64_t offset;
};

enum pprof_header { /* numbers of the fields 7 to 15 */
		    PPROF_DROP_FRAMES = 7,
		    PPROF_KEEP_FRAMES = 8,
		    PPROF_TIME = 9,
		    PPROF_DURATION = 10,
		    PPROF_PERIOD_TYPE = 11,
		    PPROF_PERIOD = 12,
		    PPROF_COMMENT = 13,
		    PPROF_DEFAULT_SAMPLE_TYPE = 14,
		    PPROF_DOC_URL = 15,
		    PPROF_FIELDS = 16,
		    PPROF_PATH = 16 /* of a file with paths, after all others */
};

/* Growing arrays: what, how many, room for how many. */
#define PPROF_LIST(TYPE)            \
	struct {                    \
		TYPE *items;        \
		size_t count, room; \
	}
#define PPROF_ADD(list, item)                                        \
	do {                                                         \
		PERUN_GROW((list).items, (list).count, (list).room); \
		(list).items[(list).count++] = (item);               \
	} while (0)

/* More than any program has of each: they take many times the room that they have in the file. */
enum {
	PPROF_MAX_TYPES = 1 << 14,
	PPROF_MAX_COMMENTS = 1 << 16,
	PPROF_MAX_LINES = 1 << 16,  /* of a location */
	PPROF_MAX_LABELS = 1 << 16, /* of a sample */
	PPROF_MAX_FRAMES = 1 << 20,
	PPROF_MAX_TEXT = 1 << 20
};

/* Samples whose stacks are not in the pool yet. */
enum {
	PPROF_BATCH = 1024,
	PPROF_BATCHES = 3,
	PPROF_KEPT = 16,
	PPROF_DEEP = 512,
	PPROF_DEEPEST = 1 << 16
};
struct pprof_batch {
	PPROF_LIST(perun_id) frames;      /* of all */
	size_t frame_counts[PPROF_BATCH]; /* of each */
	perun_id paths[PPROF_BATCH];      /* of each in a file with paths; PERUN_NO_ID = none */
	size_t count;
	PPROF_LIST(int64_t) values;
};

/* Deep stacks recur, at other times and with other labels: the bytes of one that was read lately, and its frames. */
struct pprof_kept_stack {
	PPROF_LIST(unsigned char) bytes; /* none: there is no such stack */
	PPROF_LIST(perun_id) frames;
};

struct pprof_reading {
	struct pprof_window window;
	struct perun_ctx *ctx;
	struct perun_builder *builder;

	PPROF_LIST(struct pprof_value_type) sample_types;
	struct pprof_kept mappings, functions, locations;
	/* Of the builder, those before `plain_strings` have the same number as in the file; the others by that. */
	size_t string_count, plain_strings;
	PPROF_LIST(perun_id) strings;
	PPROF_LIST(struct pprof_header_value) comments;
	struct pprof_header_value header[PPROF_FIELDS];
	struct pprof_value_type period_type;
	struct pprof_ids mapping_ids, function_ids, location_ids;
	perun_id *function_of, *mapping_of, *location_of; /* of the builder, by place in the file */

	/* Samples. */
	struct perun_table_builder *table;
	struct perun_column_builder *stacks, **values;
	size_t value_count; /* of the first sample */
	uint64_t sample_count, first_sample;
	/*
	 * One batch is filled while others are put away by a worker, to which the builder belongs meanwhile: whoever needs
	 * it calls pprof_wait_for_batches() before.
	 */
	struct pprof_batch batches[PPROF_BATCHES], *batch;
	struct pprof_kept_stack kept[PPROF_KEPT]; /* of PPROF_DEEP bytes to PPROF_DEEPEST */
	size_t next_kept;
	size_t batches_given, batches_done;
	struct perun_worker *worker;
	/*
	 * Provisional numbers of locations: id - 1 for small ids, which is the place in the pool of a
	 * profile whose ids are 1, 2, 3 ...; others have the numbers of `location_ids` after these.
	 */
	uint64_t *seen;
	struct pprof_kept
		uses; /* of each location, unless it is large and was there before: its provisional number */
	bool with_paths;
	PPROF_LIST(perun_id) paths; /* of the builder, by their number in the file */
	/* Label sets as they are in the file are the strings of this builder, "" for none. */
	struct perun_builder *label_texts;
	struct pprof_kept label_uses; /* of each string but "" */
	struct ids row_labels;        /* for each row from first_labelled on */
	size_t first_labelled;
	PPROF_LIST(unsigned char) label_bytes;
};

extern const struct pprof_schema pprof_profile_schema, pprof_sample_schema, pprof_label_schema,
	pprof_mapping_schema, pprof_location_schema, pprof_function_schema, pprof_path_schema,
	pprof_path_sample_schema;

/* ---- during the file ---- */

int pprof_read_sample(struct pprof_reading *reading, struct pprof_message *message);
int pprof_read_path(struct pprof_reading *reading, struct pprof_message *message);
void pprof_wait_for_batches(struct pprof_reading *reading);
/* Put away the last samples. */
void pprof_end_batches(struct pprof_reading *reading);
int pprof_read_mapping(struct pprof_reading *reading, struct pprof_message *message);
int pprof_read_location(struct pprof_reading *reading, struct pprof_message *message);
int pprof_read_function(struct pprof_reading *reading, struct pprof_message *message);
void pprof_free_samples(struct pprof_reading *reading);

/* ---- at its end, in this order ---- */

/*
 * The builder's string of a number in the file. Fails with the path and offset given when there is none:
 * "[]" in `path` becomes "[index]".
 */
int pprof_string(struct pprof_reading *reading, int64_t number, uint64_t offset, const char *path,
		 uint64_t index, perun_id *id);
int pprof_resolve_mappings(struct pprof_reading *reading);
int pprof_resolve_functions(struct pprof_reading *reading);
int pprof_resolve_locations(struct pprof_reading *reading);
int pprof_resolve_samples(struct pprof_reading *reading);
/* Names the columns of values, which makes them if there are no samples. */
int pprof_resolve_header(struct pprof_reading *reading);

#endif
