/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reader of Perun JSON is made of; shared by its files. */
#ifndef PERUN_FORMATS_PERUN_READING_H
#define PERUN_FORMATS_PERUN_READING_H

#include <perun/format.h>
#include <perun/json.h>

#include "map.h"

/*
 * How a file becomes a profile. Each resource has a resource type, which all resources with equal
 * persistent values share. Collectable values go straight into the columns of the table `resources`;
 * persistent values are kept once per type ("staged") until the end of the file, when they become
 * columns, too. Only so can `resource_type_map` follow `resources`, and replace what came before.
 */

/* A value of a resource. */
enum tag {
	TAG_ABSENT,
	TAG_INT64,
	TAG_UINT64,
	TAG_DOUBLE,
	TAG_BOOL,
	TAG_STRING, /* id of a text */
	TAG_JSON,   /* id of a normalized JSON text: null, lists, objects, large integers */
	TAG_PENDING /* not known yet: the time of a snapshot that is after its resources */
};

struct value {
	enum tag tag;
	uint64_t bits; /* of the number (NaN always the same), 0 or 1, or the id */
};

/* A key of resources. */
struct key {
	char *name;
	size_t length;
	size_t index;
	bool collectable; /* by its name */
	bool hidden;      /* counts for equality only: see perunjson_hidden_key() */
	struct perun_column_builder *column; /* made when a value comes that is not staged */
	/* The values of the types: */
	uint8_t *tags;
	uint32_t *bits;       /* the lower half of each */
	uint32_t *high;       /* the upper half; NULL: all are 0, as of ids */
	size_t staged;        /* how many places there are */
	struct value current; /* of the row that is being read */
	uint64_t row;         /* which row that was */
	uint64_t cells;       /* of the type whose arrays are read */
};

/* An ordered list of keys that many types share. */
struct shape {
	struct key **keys;
	size_t count;
	perun_id text; /* JSON array of the names, hidden ones left out */
};

#define NO_SHAPE UINT32_MAX

struct type {
	perun_id name;       /* "main.c:f#0" */
	uint32_t collected;  /* shape; NO_SHAPE: the type is not in `resources` */
	uint32_t persistent; /* shape; NO_SHAPE: it is not in `resource_type_map` */
	bool has_rows;
};

/* A JSON text and what it is flattened. */
struct flat {
	perun_id json, text; /* json: 0 = none, which is "" and no JSON */
};

/* Rows that follow each other: `count` of one type, or one of each of `count` types from that on. */
struct run {
	uint32_t type, count : 31, ascends : 1;
};

static inline uint32_t run_types(const struct run *run)
{
	return run->ascends ? run->count : 1;
}

/* Of each of its types. */
static inline uint32_t run_rows(const struct run *run)
{
	return run->ascends ? 1 : run->count;
}

/* What all resources of a `global` or of a snapshot have besides their own values. */
struct context {
	struct key *keys[2];
	struct value values[2];
	size_t count;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	struct perun_json_reader *json;
	const struct perun_json_token *token;
	struct perun_buffer text; /* scratch */
	perun_id null;            /* the JSON text "null" */

	struct perun_table_builder *table;
	struct key **keys;
	size_t key_count, key_capacity;
	uint64_t key_limit;
	struct key *uid;

	struct shape *shapes;
	size_t shape_count, shape_capacity;
	struct map shapes_by_text;

	struct type *types;
	size_t type_count, type_capacity;
	bool descended;              /* a type has a lower name than the one before it */
	uint32_t last_found;         /* by its name */
	struct id_map types_by_name; /* when one has; till then names are sorted */
	/* Types by the hash of their values: index + 1 (0 = free), and above that as many bits of the hash as there is room for. */
	uint32_t *slots;
	size_t slot_count, slots_used;
	struct flat *flats;         /* of the last uids that were JSON, by their texts */
	struct id_map flat_numbers; /* flattened text -> number of the next type of it */

	struct run *runs;
	size_t run_count, run_capacity;
	uint64_t row_count;

	/* The keys of the row that is being read, in order; those of the row before, beyond that. */
	struct key **order;
	size_t order_count, order_capacity;
	uint64_t row;                           /* counts rows and types that were read */
	uint32_t row_collected, row_persistent; /* shapes of the last row */
	const struct context *row_context;
	uint32_t last_type;
	size_t first_new; /* the first type that the current `global` or snapshot filled */

	/* Positions of types when they differ from the order of the table; NULL as long as not. */
	uint32_t *resource_position, *map_position;
	size_t positions;
	uint32_t resources_seen, map_seen;

	/* The models, in order: JSON text, and the snapshot they are in (UINT32_MAX = none). */
	struct {
		perun_id text;
		uint32_t snapshot;
	} * models;
	size_t model_count, model_capacity;
};

/* ---- values.c ---- */

/* Read the value that follows (after a key, or an element of an array: its event was read). */
int perunjson_read_value(struct reading *reading, struct value *value);
int perunjson_take_value(struct reading *reading, enum perun_json_event event, struct value *value);
/* Put a value into the current row of a column. */
void perunjson_set_cell(struct perun_column_builder *column, const struct value *value);
/* Append the value as JSON text. */
void perunjson_print_value(struct reading *reading, const struct value *value,
			   struct perun_buffer *out);
static inline bool value_equal(const struct value *a, const struct value *b)
{
	return a->tag == b->tag && a->bits == b->bits;
}
/* Intern; fails when there is no room. */
int perunjson_intern(struct reading *reading, const char *text, size_t length, perun_id *id);

/* ---- keys.c ---- */

/* One that is made for internal use: "time". */
struct key *perunjson_named_key(struct reading *reading, const char *name);
/* Where a value of the resource itself goes when `key` gets one from outside, too. */
struct key *perunjson_hidden_key(struct reading *reading, const struct key *key);
/* The column of the key in the table `resources`, made if need be. */
struct perun_column_builder *perunjson_key_column(struct reading *reading, struct key *key);
/* The index of a shape of these keys. */
uint32_t perunjson_find_shape(struct reading *reading, struct key *const *keys, size_t count);
bool perunjson_shape_has(const struct shape *shape, const struct key *key);
void perunjson_free_keys(struct reading *reading);
/* The key at place `at` of `order`: mostly the one that the row or type before had there. */
struct key *perunjson_next_key(struct reading *reading, size_t at, bool *same);

/* ---- types.c ---- */

/* The type of a name, made if need be. */
int perunjson_find_type(struct reading *reading, perun_id name, uint32_t *index);
/* The type of the current row by its persistent values, made if need be. */
int perunjson_classify(struct reading *reading, const struct shape *shape, uint32_t shape_index,
		       uint32_t *index);
/* A type that rows made has another uid than was read: it is named by it. Names that a file gives stay. */
int perunjson_rename_type(struct reading *reading, uint32_t type, const struct value *uid);
struct value perunjson_staged_value(const struct key *key, size_t type);
void perunjson_stage_value(struct reading *reading, struct key *key, size_t type,
			   struct value value);
/* Forget all persistent values: `resource_type_map` replaces them. */
void perunjson_clear_staged(struct reading *reading);
/* Replace what was pending in `key` of the types from reading->first_new on. */
void perunjson_settle_pending(struct reading *reading, struct key *key, struct value value);
void perunjson_add_run(struct reading *reading, uint32_t type, uint32_t count);
/* The type takes its next place in `resources` or in `resource_type_map`. */
void perunjson_place_in_resources(struct reading *reading, uint32_t type);
void perunjson_place_in_map(struct reading *reading, uint32_t type);
/* Free what only finds types and names them: there are no more. */
void perunjson_end_types(struct reading *reading);
void perunjson_free_types(struct reading *reading);
/* Fails when there would be too many cells for the size of the file. */
int perunjson_check_size(struct reading *reading);

/* ---- the shapes of a file ---- */

/* A list of resources, its start was read; `context` may be NULL. */
int perunjson_read_rows(struct reading *reading, const struct context *context);
/* The object of `resources` in the form with arrays, its start was read. */
int perunjson_read_arrays(struct reading *reading);
int perunjson_read_type_map(struct reading *reading);
int perunjson_read_models(struct reading *reading, uint32_t snapshot);

/* ---- the end ---- */

/*
 * chunks.c: values of `uid` and `trace`, and frames of traces, that name a member of the document's `chunks` become what
 * is there, of at most `room` bytes in all; the table leaves the document.
 */
int perunjson_resolve_chunks(struct reading *reading, uint64_t room);
int perunjson_finish_resources(struct reading *reading);
int perunjson_finish_stacks(struct reading *reading);
int perunjson_finish_models(struct reading *reading);
/* Append ids, one for each type (NULL: its number), to a new column as the rows have them. */
void perunjson_expand_ids(struct reading *reading, struct perun_column_builder *column,
			  enum perun_type type, const perun_id *type_ids);

int perunjson_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		   struct perun_builder *builder);

#endif
