/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the writer share. */
#ifndef PERUN_FORMAT_PPROF_WRITING_H
#define PERUN_FORMAT_PPROF_WRITING_H

#include <perun/json.h>

#include "deflate.h"
#include "formats/common/protobuf.h"
#include "pprof.h"

/* A value of each sample: a column of its own, or a metric that rows name. */
struct pprof_value {
	const struct perun_column *column;
	const struct perun_metric *metric; /* NULL: a column of its own */
	struct perun_buffer type, unit;
	double factor; /* to the unit: seconds with fractions are written as nanoseconds */
};

/* A column that becomes a label of each sample. */
struct pprof_label_column {
	const struct perun_column *column;
	const char *name, *unit;
	enum perun_type type;
};

struct pprof_writing {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	const struct perun_table *table;
	const struct perun_json *header, *extra; /* of the document; NULL when not there */
	struct pprof_stream *stream;

	/* The string table: the strings of a builder, in the order of their first use. */
	struct perun_builder *texts;
	perun_id last_text;
	perun_id
		*text_of; /* of a string of the profile: its number there, PERUN_NO_ID = none yet */

	struct pprof_value *values; /* those of columns first */
	size_t value_count, wide_count;
	size_t *value_of_metric;      /* of metrics that rows name; SIZE_MAX of others */
	uint64_t blanks, blank_limit; /* zeros for metrics that a sample does not have */
	bool long_only;               /* rows name the metric, none has a column of its own */
	const struct perun_column *stacks, *labels, *uids;
	bool with_paths; /* where the profile has them, stacks are written as paths: */
	const struct perun_stack_path
		*paths; /* these, and the number of each in the file, 0 = of no stack */
	size_t path_count;
	uint32_t *path_numbers;
	struct pprof_label_column *label_columns;
	size_t label_column_count;
	/* Where there are no stacks: the uids are functions; the strings of this builder but "". */
	struct perun_builder *uid_names;
	perun_id uid_count;

	/* Whether things keep the ids of the file they came from. */
	bool own_mappings, own_locations, own_functions;
	uint64_t last_location, last_function; /* the largest ids of the pools */
	bool *used_locations;                  /* those that are written; NULL = all */

	/* Of label sets that were written: where their bytes lie. */
	struct perun_buffer set_bytes;
	struct pprof_encoded_set {
		size_t first, size; /* size 0 = not yet */
	} * sets;

	uint64_t fractions, too_large, absent, lines_without_function, zeros, empty_labels;
};

/* ---- plan.c: what becomes of the columns and the rest ---- */

void pprof_plan(struct pprof_writing *writing);
void pprof_free_plan(struct pprof_writing *writing);

/* ---- write.c ---- */

/* The number of a string in the output. */
uint64_t pprof_text(struct pprof_writing *writing, const char *text, size_t length);
uint64_t pprof_pool_text(struct pprof_writing *writing, perun_id id);
/* A message as field `number` of the profile. */
void pprof_put_message(struct pprof_writing *writing, uint32_t number,
		       const struct perun_buffer *message);

/* ---- write-samples.c, write-labels.c, write-places.c ---- */

void pprof_write_samples(struct pprof_writing *writing);
/* Append the labels of a row, as fields of a sample. */
void pprof_put_labels(struct pprof_writing *writing, size_t row, struct perun_buffer *message);
void pprof_plan_ids(struct pprof_writing *writing);
/* Those of the profile become `paths`, if it has any; they are written before samples. */
void pprof_plan_paths(struct pprof_writing *writing);
void pprof_write_paths(struct pprof_writing *writing);
/* The number of the path that a stack is, 0 for an empty one. */
uint32_t pprof_path_number(const struct pprof_writing *writing, perun_id stack);
uint64_t pprof_location_id(const struct pprof_writing *writing, perun_id id);
void pprof_write_places(struct pprof_writing *writing);

/* ---- the wire format ---- */

static inline void pprof_add_varint(struct perun_buffer *out, uint64_t value)
{
	unsigned char bytes[PROTOBUF_LONGEST_VARINT];

	perun_buffer_add(out, bytes, (size_t)(protobuf_put_varint(bytes, value) - bytes));
}

/* Field `number` (at most 15), unless it is 0. */
static inline void pprof_add_number(struct perun_buffer *out, uint32_t number, uint64_t value)
{
	unsigned char bytes[11];

	if (!value)
		return;
	bytes[0] = (unsigned char)(number << 3);
	perun_buffer_add(out, bytes, (size_t)(protobuf_put_varint(bytes + 1, value) - bytes));
}

static inline unsigned pprof_varint_size(uint64_t value)
{
	return (64u - (unsigned)__builtin_clzll(value | 1) + 6) / 7;
}

#endif
