/* SPDX-License-Identifier: BSD-3-Clause */
/* What profiles and builders are made of; for the files of this folder only. */
#ifndef PERUN_CORE_PROFILE_MODEL_H
#define PERUN_CORE_PROFILE_MODEL_H

#include <pthread.h>

#include "core/profile/cells.h"
#include "core/profile/plain-stacks.h"
#include "core/profile/pool.h"
#include "core/profile/stack-tree.h"
#include "perun/json.h"

/* ---- pools ---------------------------------------------------------------------------------- */

enum perun_pool_kind {
	PERUN_POOL_STRINGS,
	PERUN_POOL_FUNCTIONS,
	PERUN_POOL_MAPPINGS,
	PERUN_POOL_LOCATIONS,
	PERUN_POOL_STACKS,
	PERUN_POOL_LABELS,
	PERUN_POOL_POINTS,
	PERUN_POOL_COUNT
};

struct perun_parameter {
	perun_id name, unit;
};

struct perun_pools {
	struct perun_pool *pool[PERUN_POOL_COUNT];
	struct perun_plain_stacks *plain; /* all stacks, as long as each is one of these; or NULL */
	struct perun_stack_tree *tree;    /* of all stacks, and none is in their pool; or NULL */
	/* What some of many stacks show, whether they begin alike or do not. */
	bool are_alike, are_apart;
	/*
	 * One more than the highest of these among all functions, mappings, locations and stacks: one with a higher name, file,
	 * function or leaf is not there yet, and need not be looked for.
	 */
	uint64_t names_used, files_used, functions_used, leaves_used;
	/* One more than the highest of these that a function or a location names. */
	uint64_t strings_named, functions_named, mappings_named;
	uint64_t highest_function,
		highest_location; /* likewise of the numbers that their files gave them */
	struct perun_parameter *parameters;
	uint32_t parameter_count, parameter_capacity;
};

/* Note that the id is used; whether it is higher than those before. */
static inline bool perun_pools_first_use(uint64_t *used, perun_id id)
{
	if (id < *used)
		return false;
	*used = (uint64_t)id + 1;
	return true;
}

static inline bool perun_pools_has(const struct perun_pools *pools, enum perun_pool_kind kind,
				   perun_id id)
{
	return id < pools->pool[kind]->count;
}

static inline bool perun_pools_has_or_none(const struct perun_pools *pools,
					   enum perun_pool_kind kind, perun_id id)
{
	return id == PERUN_NO_ID || perun_pools_has(pools, kind, id);
}

void perun_pools_init(struct perun_pools *pools);
void perun_pools_share(struct perun_pools *to, const struct perun_pools *from);
void perun_pools_free(struct perun_pools *pools);
/* How many things there are that the ids of a column type name; SIZE_MAX: it has none (numbers, rows). */
size_t perun_pools_count(const struct perun_pools *pools, enum perun_type type);
static inline const char *perun_pools_text(const struct perun_pools *pools, perun_id id,
					   size_t *length)
{
	const struct perun_pool *pool = pools->pool[PERUN_POOL_STRINGS];
	const char *text = id < pool->count ? perun_pool_text(pool, id) : NULL;

	if (length)
		*length = text ? perun_pool_text_length(text) : 0;
	return text;
}

/* ---- places: places.c ------------------------------------------------------------------------ */

/*
 * Functions, mappings, locations and label sets are kept as the numbers in them, each in as few bytes as it has, since most of what they
 * could say they do not. Equal ones have equal bytes. Structures are made of them, 64 at a time, when one is asked for;
 * they stay as long as the pool. NULL when there is none with the id.
 */
const struct perun_function *perun_pools_function(const struct perun_pools *pools, perun_id id);
const struct perun_mapping *perun_pools_mapping(const struct perun_pools *pools, perun_id id);
const struct perun_location *perun_pools_location(const struct perun_pools *pools, perun_id id);
const struct perun_label *perun_pools_labels(const struct perun_pools *pools, perun_id id,
					     size_t *count);
/* See perun_profile_location_in(). */
const struct perun_location *perun_pools_location_in(const struct perun_pools *pools, perun_id id,
						     struct perun_location_room *room);
/* The number of one that is equal, added if there is none; PERUN_NO_ID: see perun_pool_add(). */
perun_id perun_pools_add_function(struct perun_pools *pools, const struct perun_function *function);
perun_id perun_pools_add_mapping(struct perun_pools *pools, const struct perun_mapping *mapping);
perun_id perun_pools_add_location(struct perun_pools *pools, const struct perun_location *location);
perun_id perun_pools_add_labels(struct perun_pools *pools, const struct perun_label *labels,
				size_t count);
/* Put another mapping in the place of one; give this mapping to locations that have none. */
void perun_pools_set_mapping(struct perun_pools *pools, perun_id id,
			     const struct perun_mapping *mapping);
void perun_pools_map_locations(struct perun_pools *pools, perun_id mapping);
/* The first one which names something that is not there, or PERUN_NO_ID. */
perun_id perun_pools_wrong_place(struct perun_pools *pools, enum perun_pool_kind kind);

/* ---- stacks: stacks.c ------------------------------------------------------------------------ */

/* At most PERUN_STACKS_AT_ONCE; see perun_pool_add_many(). */
void perun_pools_add_stacks(struct perun_pools *pools, struct perun_pool_entry *entries,
			    size_t count);
/* See perun_stack_tree_step(); all stacks are a tree from now on. */
uint32_t perun_pools_add_path(struct perun_pools *pools, uint32_t before, perun_id location,
			      bool from_leaf);
size_t perun_pools_stack_count(const struct perun_pools *pools);
/* Its locations, the leaf first; NULL when there is no such stack. Of a profile, not of a builder. */
const perun_id *perun_pools_stack(const struct perun_pools *pools, perun_id id, size_t *count);
/* Before many are added. */
void perun_pools_reserve_stacks(struct perun_pools *pools, size_t more);
void perun_pools_renumber_stacks(struct perun_pools *pools,
				 perun_id (*renumber)(void *data, perun_id location), void *data);
/* All stacks of `from` with locations[l] for each l, compared with none: see perun_pool_append(). */
bool perun_pools_append_stacks(struct perun_pools *pools, const struct perun_pools *from,
			       const perun_id *locations);
/* See perun_stack_tree_move(). */
void perun_pools_move_stacks(struct perun_pools *pools, struct perun_stack_move *move,
			     const perun_id *stacks, size_t count,
			     perun_id (*renumber)(void *data, perun_id location), void *data,
			     perun_id *moved);
/* All stacks are known to hold valid locations. */
void perun_pools_trust_stacks(struct perun_pools *pools);
/* A stack with a location that is not there, or PERUN_NO_ID; those that were looked at before are not looked at again. */
perun_id perun_pools_wrong_stack(struct perun_pools *pools);

/* ---- profiles ------------------------------------------------------------------------------- */

/* A document that a profile and the builders made from it share until one changes it. */
struct perun_document {
	atomic_uint refs;
	struct perun_json *value;
};

void perun_document_unref(struct perun_document *document);

struct perun_column {
	struct perun_column_info info; /* owns its texts */
	const struct perun_table *table;
	size_t index;
	struct perun_cells cells;
};

struct perun_table {
	char *name;
	const struct perun_profile *profile;
	size_t rows, column_count;
	struct perun_column *columns;
	struct perun_pool *names; /* of the columns, in order; NULL when they are few */
	bool has_parameters;      /* a column is one */
};

/* What is worked out when it is first asked for, under the lock of the profile. */
struct perun_lazy_text {
	struct perun_lazy_text *next;
	char *path, *text;
};

/* Metrics that rows name: those of one column of values. */
struct perun_long_metrics {
	const struct perun_column *values, *selectors[2];
	struct perun_pool
		*pairs; /* of the selecting texts: the number of each is that of a metric */
	size_t first;   /* the number of the first of them, before the default metric came first */
	size_t count;
};

/* Which metrics a row has, and which rows a metric has: made when it is first asked for. */
struct perun_metric_index {
	size_t *wide, wide_count; /* metrics with a column of their own, ascending */
	uint32_t **of_row;        /* of each of the long ones: the number of the row's metric */
	size_t group_count;
	uint32_t *rows; /* of the metrics that rows name, by metric, ascending */
	size_t *starts; /* of each metric in `rows`, and the end */
	size_t row_count;
};

struct perun_metric_list {
	struct perun_metric *metrics;
	const struct perun_metric **all; /* a pointer to each */
	size_t count, capacity;
	struct perun_long_metrics *groups;
	size_t group_count, group_capacity;
	size_t default_was; /* the number of the default metric before it came first */
	struct perun_metric_index *_Atomic index;
	struct perun_pool *names; /* each name once; NULL when there are few metrics */
	size_t *first_of_name;
	char **texts; /* that the metrics point to */
	size_t text_count, text_capacity;
};

struct perun_profile {
	atomic_uint refs;
	struct perun_pools pools;
	struct perun_document *document;
	struct perun_table *tables;
	size_t table_count;
	struct perun_table no_resources; /* used when there is no such table */
	pthread_mutex_t lock;
	struct perun_lazy_text *texts;
	struct perun_metric_list *_Atomic metrics;
	struct perun_json *directions; /* of metrics, by the store; NULL = none */
	/* What a comparison found in it, for the next one (core/history/values.c); never changed. NULL = nothing yet. */
	struct perun_kept_values *_Atomic values;
};
struct perun_kept_values {
	unsigned which;
	size_t length;
	char data[];
};

void perun_column_info_free(struct perun_column_info *info);
void perun_metric_list_free(struct perun_metric_list *list);
/* Rows and what names their metric: equal pairs of texts have equal numbers in the pool, by their first rows. */
void perun_metric_pairs(const struct perun_column *values,
			const struct perun_column *const selectors[2], struct perun_pool **pairs,
			void (*visit)(void *data, size_t row, perun_id number,
				      const perun_id pair[2]),
			void *data);
struct perun_metric_list *perun_metric_list(const struct perun_profile *profile);
/* "TYPE(SUBTYPE)"; the caller frees it. */
char *perun_metric_name(const char *type, const char *subtype);
/* header.units, or NULL: the profile's. */
const struct perun_json *perun_profile_units(const struct perun_profile *profile);
/* What these say of a metric by its name, else by its type (either may be NULL), else "". */
const char *perun_unit_among(const struct perun_json *units, const char *name, const char *type);
void perun_metric_index_free(struct perun_metric_index *index);
/*
 * Sort all rows, which are given in some order, by the metrics that they carry; else they keep that order. Those of metric
 * m of perun_metrics() are `*sorted` from `*starts`[m] to `*starts`[m + 1]. Both are to be freed.
 */
void perun_metric_sort_rows(const struct perun_profile *profile, const uint32_t *rows,
			    uint32_t **sorted, size_t **starts);
/* What the unit or else the name of a metric says; UNKNOWN where neither says anything. */
enum perun_direction perun_direction_by_name(const char *name, const char *unit);

/* ---- builders ------------------------------------------------------------------------------- */

struct perun_column_builder {
	struct perun_column_info info; /* its type is cells.type */
	struct perun_table_builder *table;
	struct perun_cells cells;
	size_t bulk_end; /* after the last cell that was appended, and is not absent */
};

struct perun_table_builder {
	char *name;
	struct perun_builder *builder;
	size_t rows;
	struct perun_column_builder **columns;
	size_t column_count, column_capacity;
	struct perun_pool *names; /* of the columns, in order; NULL until there are many */
};

/* Where the rows of a table of another profile went, for ids of rows that follow. */
struct perun_appended {
	struct perun_profile *other; /* a reference */
	const struct perun_table *table;
	size_t base;  /* our row number of its first row */
	bool implied; /* came along with another table, nobody asked for it yet */
};

struct perun_builder {
	struct perun_pools pools;
	struct perun_document *document;
	struct perun_table_builder **tables;
	size_t table_count, table_capacity;
	struct perun_appended *appended;
	size_t appended_count, appended_capacity;
	struct perun_described *described; /* metrics, until the document has it; NULL = none */
	char *failure;                     /* the first one; finish reports it */
	/* For the texts of models, of which there are many small ones; of the context that they are added with. NULL = none yet. */
	struct perun_json_reader *models;
	struct perun_ctx *models_ctx;
};

void perun_described_free(struct perun_described *described);
/* Put what was said of metrics into the document. */
void perun_builder_write_described(struct perun_builder *builder);
/* Note a failure that finish will report; the first one counts. */
void perun_builder_broken(struct perun_builder *builder, const char *format, ...)
	PERUN_PRINTF(2, 3);
/* See perun_stack_tree_move(). */
void perun_builder_move_stacks(struct perun_builder *builder, struct perun_stack_move *move,
			       const perun_id *stacks, size_t count,
			       perun_id (*renumber)(void *data, perun_id location), void *data,
			       perun_id *moved);
struct perun_table_builder *perun_builder_find_table(const struct perun_builder *builder,
						     const char *name);
/* Checks all ids; says in `ctx` what is wrong. */
int perun_builder_validate(struct perun_ctx *ctx, struct perun_builder *builder);
/* Fill the column up to the rows that its table has ended. */
void perun_column_pad(struct perun_column_builder *column);

/* ---- metrics ---------------------------------------------------------------------------------- */

/*
 * Directions that were given before: an array of {"metric", "better": "higher"|"lower"}, copied; they
 * become `kept` of the metrics. For those who load profiles, before others see them: perun_store_load()
 * and perun_store_load_pending() do it with the store's document "directions".
 */
void perun_profile_directions(struct perun_profile *profile, const struct perun_json *directions);

/* ---- texts of cells ------------------------------------------------------------------------- */

/* One cell out of a span (row - span->first = i) that is not absent. */
void perun_cell_print(const struct perun_pools *pools, enum perun_type type,
		      const struct perun_span *span, size_t i, struct perun_buffer *buffer);
void perun_cell_print_json(const struct perun_pools *pools, enum perun_type type,
			   const struct perun_span *span, size_t i, struct perun_buffer *buffer);

#endif
