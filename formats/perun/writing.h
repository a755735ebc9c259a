/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writer of Perun JSON is made of; shared by its files. */
#ifndef PERUN_FORMATS_PERUN_WRITING_H
#define PERUN_FORMATS_PERUN_WRITING_H

#include <perun/format.h>
#include <perun/json.h>

#include "map.h"

struct writing_options {
	bool stored, compact, chunks;
	uint64_t expansion_limit; /* bytes */
	uint64_t key_limit;       /* columns of resources, when reading as well */
};

/* ---- text: emit.c ---- */

enum emit_style {
	EMIT_STORED,  /* json.dumps(x) */
	EMIT_PENDING, /* json.dumps(x, indent=2), where numbers follow each other on one line */
	EMIT_COMPACT  /* no blanks */
};

struct emitter {
	struct perun_output *output;
	struct perun_buffer text; /* not yet handed over */
	enum emit_style style;
	size_t depth;
	bool first; /* nothing is in the open container yet */
};

void perunjson_emit_open(struct emitter *emitter, char bracket);
void perunjson_emit_close(struct emitter *emitter, char bracket);
/* A key of an object, quoted and escaped already. */
void perunjson_emit_key(struct emitter *emitter, const char *quoted, size_t length);
/* Before an element of an array; `digit`: its text begins with one. */
void perunjson_emit_next(struct emitter *emitter, bool digit);
/* Normalized JSON text in the style of the emitter. */
void perunjson_emit_json(struct emitter *emitter, const char *json, size_t length);
void perunjson_emit_string(struct emitter *emitter, const char *text, size_t length);
/* Hand over what there is when it is much. */
void perunjson_emit_flush(struct emitter *emitter, bool all);

/* ---- cells: cells.c ---- */

/* A column of the table `resources`, with all of its cells at hand. */
struct field {
	const struct perun_column *column;
	enum perun_type type;
	struct perun_span *spans; /* cells are NULL where they are stored narrow and not loaded */
	size_t span_count;
	int64_t *block;            /* the cells of `loaded` */
	struct perun_span *loaded; /* NULL at first */
	uint8_t *loads;            /* how often each span was loaded */
	char *quoted;              /* its key */
	size_t quoted_length;
	const char *key;
	bool internal, collectable;
};

void perunjson_field_open(struct field *field, const struct perun_column *column);
void perunjson_field_close(struct field *field);

static inline bool field_has(const struct field *field, size_t row)
{
	const struct perun_span *span = &field->spans[row / PERUN_SPAN_ROWS];

	return !perun_bit(span->absent, row % PERUN_SPAN_ROWS);
}

/* The span of a row, with its cells. */
const struct perun_span *perunjson_field_load(struct field *field, size_t span);
static inline const struct perun_span *field_span(struct field *field, size_t row)
{
	const struct perun_span *span = &field->spans[row / PERUN_SPAN_ROWS];

	return span->cells ? span : perunjson_field_load(field, row / PERUN_SPAN_ROWS);
}

/* What a cell holds, to be compared with others. */
struct field_value {
	uint64_t bits;
	bool has, integer;
};
struct field_value perunjson_field_value(struct field *field, size_t row);
static inline bool field_value_equal(struct field_value a, struct field_value b)
{
	return a.has == b.has && a.bits == b.bits && a.integer == b.integer;
}
/* Whether two rows hold the same (or nothing, both). */
bool perunjson_field_equal(struct field *field, size_t a, size_t b);
/* The bits of a cell, for a hash; another number when it is absent. */
uint64_t perunjson_field_bits(struct field *field, size_t row);
/* A value of an array: separator and value. */
void perunjson_field_emit_element(struct emitter *emitter, struct field *field, size_t row);
void perunjson_field_emit(struct emitter *emitter, struct field *field, size_t row);
/* How many of `count` rows have a value; `rows` are their numbers, NULL: they begin at `first`. */
size_t perunjson_field_count(const struct field *field, const uint32_t *rows, size_t first,
			     size_t count);

/* ---- types: plan.c, native.c, regroup.c ---- */

/* The keys of a type, as the file had them. */
struct layout {
	struct field **collected, **persistent;
	size_t collected_count, persistent_count;
	bool in_resources, in_map;
};

struct planned_type {
	const char *name; /* owned by the profile or by the plan */
	size_t name_length;
	size_t first, count;         /* its rows: places in plan->rows */
	const struct layout *layout; /* NULL: by what the rows hold */
	perun_id persistent;         /* JSON text of all persistent values, or PERUN_NO_ID */
};

struct written_chunks;

struct plan {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	const struct perun_table *table;
	struct field *fields;
	size_t field_count;
	struct field **sorted; /* the fields that are keys, by name */
	size_t sorted_count;
	uint32_t *rows; /* rows in the order of their types; NULL = as they are */
	struct planned_type *types;
	size_t type_count;
	/* The order of the types in `resources` and in `resource_type_map`; NULL = as they are. */
	uint32_t *resource_order, *map_order;
	struct layout **layouts;
	size_t layout_count, layout_capacity;
	struct perun_builder *names;   /* holds texts of names that the profile lacks */
	struct written_chunks *chunks; /* NULL = none are written */
};

static inline size_t plan_row(const struct plan *plan, size_t place)
{
	return plan->rows ? plan->rows[place] : place;
}

void perunjson_plan_open(struct plan *plan, struct perun_ctx *ctx,
			 const struct perun_profile *profile);
void perunjson_plan_close(struct plan *plan);
/* Types as the table `resource_types` has them. False when they do not fit the rows (any more). */
bool perunjson_plan_native(struct plan *plan);
/* Types from the values of the rows, as for a file of rows. */
int perunjson_plan_regroup(struct plan *plan);

/* ---- other profiles: expand.c, expanded-size.c ---- */

/* Whether the resources are no Perun resources, but stacks with metrics or the like. */
bool perunjson_profile_is_foreign(const struct perun_profile *profile);
/*
 * What the texts of these stacks take at least as resources; more than `limit`, by whatever, where they pass it. Takes
 * a moment where writing them takes many seconds.
 */
uint64_t perunjson_expanded_size(struct perun_ctx *ctx, const struct perun_profile *profile,
				 const struct perun_column *stacks, uint64_t limit);
/* The profile as Perun resources; `*expanded` is a new reference. */
int perunjson_profile_expand(struct perun_ctx *ctx, const struct perun_profile *profile,
			     const struct writing_options *options,
			     struct perun_profile **expanded);

/* ---- look-up tables: write-chunks.c ---- */

struct written_chunks *perunjson_chunks_new(void);
void perunjson_chunks_free(struct written_chunks *chunks); /* NULL is allowed */
/* Write a reference in place of the value of `uid` or `trace`; false where it is to be written itself. */
bool perunjson_emit_chunk(struct written_chunks *chunks, struct emitter *emitter, const char *key,
			  const struct perun_json *value);
bool perunjson_has_chunks(const struct written_chunks *chunks);
/* The members of the table. */
void perunjson_emit_chunks(struct written_chunks *chunks, struct emitter *emitter);

/* ---- the parts of a file: write.c, write-models.c ---- */

int perunjson_write_models(struct perun_ctx *ctx, const struct perun_profile *profile,
			   struct emitter *emitter);
int perunjson_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct perun_output *output);

#endif
