/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. */
#ifndef PERUN_CORE_MERGE_MERGE_H
#define PERUN_CORE_MERGE_MERGE_H

#include "core/profile/pool.h"
#include "perun/json.h"
#include "perun/lib/merge.h"

/* ---- units.c --------------------------------------------------------------------------------- */

/*
 * What one `from` is in `to`, as pprof has it: 1 unless both are units of the same family (bytes, times,
 * GCUs).
 */
double perun_unit_ratio(const char *from, const char *to);
/* Whether values in the one can be turned into the other. */
bool perun_units_fit(const char *a, const char *b);

/* ---- types.c: the metrics of a profile ------------------------------------------------------- */

struct perun_merge_type {
	const struct perun_column *column;
	const struct perun_metric *metric; /* when rows name it; NULL: the column is all its own */
	const char *name;                  /* of the column or the metric */
	char *type, *unit;                 /* as the file said, in the form that documents have */
	bool real;                         /* fractions */
};

struct perun_merge_types {
	struct perun_merge_type *items;
	size_t count;
};

void perun_merge_types_of(const struct perun_profile *profile, struct perun_merge_types *types);
void perun_merge_types_free(struct perun_merge_types *types);

/* ---- plan.c ---------------------------------------------------------------------------------- */

struct perun_planned_type {
	char *column, *type, *unit;
	bool real;
};

struct perun_merge_plan {
	unsigned flags;
	size_t inputs;
	struct perun_planned_type *types;
	size_t count;
	char *period_type, *period_unit;
	bool no_period; /* the inputs do not agree on what a period is */
	bool changed;
	bool no_calls; /* it was said that calls are left out */
};

struct perun_merge_plan *perun_merge_plan_copy(const struct perun_merge_plan *plan);
/*
 * Which of `types` is each planned type, NULL where it is not there. Types of the same name belong
 * together in their order. The caller frees the list.
 */
const struct perun_merge_type **perun_planned_in(const struct perun_merge_plan *plan,
						 const struct perun_merge_types *types);

/* ---- the merger ------------------------------------------------------------------------------ */

union perun_merged_value {
	int64_t number;
	double real;
};

struct perun_merged_header {
	bool any;
	int64_t time, duration, period;
	struct perun_json *comments; /* an array */
	struct perun_pool *seen;     /* texts of comments */
	/* Strings of documents, NULL = none; header entries that all inputs share. */
	struct perun_json *doc_url, *default_type, *default_metric, *drop_frames, *keep_frames;
	struct perun_json *shared;
};

/* The way from ids of the input that is being added to those of the result. */
struct perun_merge_ids {
	const struct perun_profile *profile;
	perun_id *strings, *functions, *mappings, *locations, *stacks, *labels;
	perun_id unlabelled;           /* the set of samples without labels */
	struct perun_stack_move *move; /* NULL: its stacks are arrays */
	/* Of stacks that are being translated: their frames, one stack after the other. */
	perun_id *frames;
	size_t frame_count, frame_room;
};

enum { PERUN_MERGE_BATCH = 32 };

struct perun_merger {
	struct perun_merge_plan *plan;
	struct perun_builder *builder;
	/* What distinguishes things, as bytes; their numbers are those of the result. */
	struct perun_pool *mapping_keys, *function_keys, *location_keys;
	uint64_t *mapping_starts; /* of the result's */
	size_t mapping_room;
	/* For PERUN_MERGE_CANONICAL: of each mapping the smallest that an input has, and first mappings of inputs. */
	struct perun_mapping *smallest;
	size_t smallest_count, smallest_room;
	perun_id *programs;
	size_t program_count;
	/* Rows, and a table of them by stack and labels: row + 1, 0 = free. */
	perun_id *stacks, *labels;
	union perun_merged_value *values; /* plan->count of each row */
	size_t count, room;
	uint32_t *slots;
	size_t slot_mask;
	struct perun_merged_header header;
	struct perun_merge_ids ids;
};

bool perun_merge_as_pprof(const struct perun_merger *merger);

/* rows.c */

/*
 * Samples whose rows are wanted: keys of the result, and plan->count values of each. Sparse ones have few of many metrics: of
 * sample i the values [ends[i - 1], ends[i]), each of the planned type in `types`.
 */
enum { PERUN_ROW_BLOCK = 4096 };
struct perun_row_block {
	perun_id stacks[PERUN_ROW_BLOCK], labels[PERUN_ROW_BLOCK];
	union perun_merged_value *values;
	size_t count;
	uint32_t *types;
	size_t ends[PERUN_ROW_BLOCK];
	size_t value_count, value_capacity, type_capacity;
};
struct perun_row_writer;

/* Before an input comes: most often most of its rows are new. Where it is sparse, rows may be many fewer than samples. */
void perun_merge_reserve_rows(struct perun_merger *merger, const struct perun_profile *profile,
			      bool sparse);
/* Adds the values of about this many samples to their rows, which are its own until its end. */
struct perun_row_writer *perun_row_writer_new(struct perun_merger *merger, size_t samples,
					      bool sparse);
/* An empty block to fill, the first time and after each that is full, which is written then. */
struct perun_row_block *perun_row_writer_next(struct perun_row_writer *writer);
/*
 * Write the last block, full or not, and free the writer. Returns the first metric whose sum left 64 bits,
 * plan->count: none did.
 */
size_t perun_row_writer_end(struct perun_row_writer *writer);
/* places.c */
void perun_merge_begin_ids(struct perun_merger *merger, const struct perun_profile *profile);
void perun_merge_end_ids(struct perun_merger *merger);
perun_id perun_merged_string(struct perun_merger *merger, perun_id id);
perun_id perun_merged_mapping(struct perun_merger *merger, perun_id id);
/* Those of `count` stacks, in their order; PERUN_NO_ID is the empty one. Fast for new ones. */
void perun_merged_stacks(struct perun_merger *merger, const perun_id *ids, size_t count,
			 perun_id *stacks);
/* canonical.c: what the result is sorted by, and how. */
struct perun_merged_mappings {
	const struct perun_mapping *smallest;
	size_t count;
	const perun_id *programs;
	size_t program_count;
};
void perun_merge_note_mapping(struct perun_merger *merger, const struct perun_mapping *from,
			      perun_id number);
void perun_merge_note_program(struct perun_merger *merger, perun_id number);
int perun_merge_canonical(struct perun_ctx *ctx, struct perun_profile *from,
			  const struct perun_merged_mappings *known,
			  struct perun_profile **profile);
/* labels.c: PERUN_NO_ID is a set, too, that of samples without labels. */
perun_id perun_merged_labels(struct perun_merger *merger, perun_id set,
			     const struct perun_merge_input *input);
/* header.c */
void perun_merge_header(struct perun_merger *merger, const struct perun_profile *profile,
			const struct perun_merge_types *types, bool subtracted);
void perun_merged_header_free(struct perun_merged_header *header);
void perun_merged_document(struct perun_merger *merger, struct perun_json *document);
/*
 * apart.c: a difference of two inputs for PERUN_MERGE_NO_DEDUP. `*profile` stays as it is (NULL) when it cannot
 * be made so; then it is merged.
 */
int perun_merge_apart(struct perun_ctx *ctx, const struct perun_merge_plan *plan,
		      const struct perun_merge_input *inputs, struct perun_profile **profile);

#endif
