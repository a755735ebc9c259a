/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile model: document, pools and tables of typed columns; building it and reading it.
 * Threads: a profile may be read from any number of threads; a builder belongs to one at a time.
 */
#ifndef PERUN_PROFILE_H
#define PERUN_PROFILE_H

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_json;

/*
 * A profile = a document (header and the like) + shared pools + named tables of typed columns. The
 * table "resources" is what every view, check and postprocessor understands; formats add others.
 * A profile is immutable and counted by reference; it is made by a builder, from nothing or from
 * another profile whose columns it shares. Reading one from several threads is safe.
 *
 * Ids are 32-bit indexes into the pools of one profile.
 */
typedef uint32_t perun_id;
#define PERUN_NO_ID UINT32_MAX /* absent */

struct perun_profile;
struct perun_builder;
struct perun_table;
struct perun_column;

/* ---- columns -------------------------------------------------------------------------------- */

enum perun_type {
	PERUN_TYPE_INT64,
	PERUN_TYPE_UINT64, /* addresses, 64-bit ids */
	PERUN_TYPE_DOUBLE, /* with a bitmap of the cells that came as integers: [0, 0.5] prints back so */
	PERUN_TYPE_BOOL,   /* one byte a cell */
	PERUN_TYPE_STRING, /* perun_id of a string */
	PERUN_TYPE_JSON, /* perun_id of a string that is normalized JSON text: whatever nothing knows */
	PERUN_TYPE_STACK,  /* perun_id of a stack */
	PERUN_TYPE_LABELS, /* perun_id of a label set */
	PERUN_TYPE_POINT,  /* perun_id of a point */
	PERUN_TYPE_ROW     /* perun_id = row number in the table that `refers` names */
};

enum perun_role {
	PERUN_ROLE_PLAIN,     /* anything else: address, line, ... */
	PERUN_ROLE_METRIC,    /* an additive amount */
	PERUN_ROLE_STATISTIC, /* a statistic of a metric: mean, median, min, max, std, count */
	PERUN_ROLE_KEY,       /* what rows are grouped by: uid, type, subtype, location ... */
	PERUN_ROLE_PARAMETER, /* an independent variable: structure-unit-size, process count ... */
	PERUN_ROLE_TIME       /* start, end, timestamp, snapshot time */
};

/* Its layout is fixed: what else a column has is set and asked for by functions. */
struct perun_column_info {
	const char *name; /* unique in its table */
	const char *unit; /* NULL or "" = none */
	enum perun_type type;
	enum perun_role role;
	const char
		*refers; /* PERUN_TYPE_ROW: the table; STATISTIC: the metric's column; else NULL */
	const char *statistic; /* STATISTIC: "mean", "std" ...; else NULL */
	bool growing;          /* the builder may change the type to fit what comes (see _set_) */
};

/* ---- pools ---------------------------------------------------------------------------------- */

/*
 * String members of pool entries are ids of strings; 0 is "" in every profile. Entries are many and come in arrays:
 * the layouts of this section are fixed.
 */
struct perun_function {
	perun_id name, system_name, file;
	int64_t start_line;
	uint64_t source_id; /* the id its file gave it, 0 = none */
};

struct perun_mapping {
	uint64_t start, limit, offset;
	perun_id file, build_id;
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
	uint64_t source_id;
};

struct perun_line {
	perun_id function; /* PERUN_NO_ID = unknown */
	int64_t line, column;
};

/* A place in the program. Lines: the inlined frames first, their caller last. */
struct perun_location {
	uint64_t address;
	perun_id mapping; /* PERUN_NO_ID = none */
	bool folded;      /* several symbols may share the address */
	uint64_t source_id;
	uint32_t line_count;
	const struct perun_line *lines;
};

/* What one location of few lines takes. */
struct perun_location_room {
	struct perun_location location;
	struct perun_line lines[8];
};

/* One label: a string (`text`) or a number with a unit. A key may occur several times in a set. */
struct perun_label {
	perun_id key;
	perun_id text; /* PERUN_NO_ID for a number */
	int64_t number;
	perun_id unit; /* of the number; 0 = none */
};

/* ---- building ------------------------------------------------------------------------------- */

/*
 * A builder belongs to one thread at a time. Adding to a pool interns: an equal thing gets the same id
 * (functions, mappings and locations with different source_id stay apart).
 */
PERUN_EXPORT struct perun_builder *perun_builder_new(void);
/*
 * A builder that starts with everything `profile` holds, sharing its columns and pools (borrow: the
 * profile may be unreferenced before the builder is done). What is not touched is not copied.
 */
PERUN_EXPORT struct perun_builder *perun_builder_from(struct perun_profile *profile);
PERUN_EXPORT void perun_builder_free(struct perun_builder *builder);
/*
 * Make the profile and free the builder (also on failure). Short columns are filled up with absent
 * cells, cells of a row that was not ended are dropped. Fails (PERUN_INPUT) when columns are uneven (see
 * "In bulk" below), or ids point outside
 * their pools or tables, or when a cell could not be stored (see _set_ below).
 */
PERUN_EXPORT int perun_builder_finish(struct perun_ctx *ctx, struct perun_builder *builder,
				      struct perun_profile **profile);

/* Pools. The texts and arrays given are interned. */
PERUN_EXPORT perun_id perun_builder_string(struct perun_builder *builder, const char *text,
					   size_t length);
PERUN_EXPORT perun_id perun_builder_text(struct perun_builder *builder, const char *text);
/* A string of the builder, which stays where it is. `length` may be NULL. */
PERUN_EXPORT const char *perun_builder_string_at(const struct perun_builder *builder, perun_id id,
						 size_t *length);
PERUN_EXPORT perun_id perun_builder_function(struct perun_builder *builder,
					     const struct perun_function *function);
PERUN_EXPORT perun_id perun_builder_mapping(struct perun_builder *builder,
					    const struct perun_mapping *mapping);
PERUN_EXPORT perun_id perun_builder_location(struct perun_builder *builder,
					     const struct perun_location *location);
/* Put another mapping in the place of one, which is not found by what it was or is any more. */
PERUN_EXPORT void perun_builder_set_mapping(struct perun_builder *builder, perun_id id,
					    const struct perun_mapping *mapping);
/* Give all locations that have no mapping this one, which no location has yet. */
PERUN_EXPORT void perun_builder_map_locations(struct perun_builder *builder, perun_id mapping);
/* A stack of locations, the innermost (leaf) first. */
PERUN_EXPORT perun_id perun_builder_stack(struct perun_builder *builder, const perun_id *locations,
					  size_t count);
/*
 * Many stacks at once, which takes less time: `count` of them, whose locations follow each other, as many
 * as `counts` says of each. Their ids are stored in `stacks`.
 */
PERUN_EXPORT void perun_builder_stacks(struct perun_builder *builder, const perun_id *locations,
				       const size_t *counts, size_t count, perun_id *stacks);
/*
 * Stacks by their callers, for files that hold a tree: a path is a location and the path that calls it (PERUN_NO_ID: none), and
 * takes as long to make however deep it is. Equal paths have one id, which is no stack's, and holds while only paths and
 * stacks are added. perun_builder_path_stack() is the stack of a path, perun_builder_path_length() how many
 * locations it has.
 */
PERUN_EXPORT perun_id perun_builder_path(struct perun_builder *builder, perun_id caller,
					 perun_id location);
/*
 * The same for files that list the callers of each leaf: a path is a location and the path that it calls (PERUN_NO_ID: it is the
 * leaf). Ids of one kind hold until the first path of the other kind is made.
 */
PERUN_EXPORT perun_id perun_builder_inverted_path(struct perun_builder *builder, perun_id callee,
						  perun_id location);
PERUN_EXPORT size_t perun_builder_path_length(const struct perun_builder *builder, perun_id path);
PERUN_EXPORT perun_id perun_builder_path_stack(struct perun_builder *builder, perun_id path);
/*
 * For files whose samples come before their locations: stacks may be added under provisional numbers of
 * locations; this puts others in their place, in all stacks of the builder. Different locations must
 * stay different.
 */
PERUN_EXPORT void perun_builder_renumber_stacks(struct perun_builder *builder,
						perun_id (*renumber)(void *data, perun_id location),
						void *data);
/* A stack of plain function names, leaf first: one location of one line each. */
PERUN_EXPORT perun_id perun_builder_stack_of_names(struct perun_builder *builder,
						   const char *const *names, size_t count);
/* A set of labels; the order given is kept, sets equal in order are one. */
PERUN_EXPORT perun_id perun_builder_labels(struct perun_builder *builder,
					   const struct perun_label *labels, size_t count);
/* The parameters of an experiment, in order; a name that is there keeps its place. */
PERUN_EXPORT perun_id perun_builder_parameter(struct perun_builder *builder, const char *name,
					      const char *unit);
/* A point: a value for each parameter; NaN for parameters that are added later. */
PERUN_EXPORT perun_id perun_builder_point(struct perun_builder *builder, const double *values,
					  size_t count);

/*
 * The document: an ordered JSON object (perun/json.h), owned by the builder, to be changed at will.
 * Known places (all optional): origin; header.type cmd args workload units{} default_metric
 * time duration period; machine{}; collector_info{name, params}; postprocessors[{name, params}];
 * comments[]; metrics{NAME: {unit, better, kind, parent, description, inclusive}}; and
 * extra.FORMAT{}: what a format says and the model has no word for.
 */
PERUN_EXPORT struct perun_json *perun_builder_document(struct perun_builder *builder);

/* The table of a name, made if it is not there. Valid as long as the builder. */
struct perun_table_builder;
struct perun_column_builder;
PERUN_EXPORT struct perun_table_builder *perun_builder_table(struct perun_builder *builder,
							     const char *name);
/* Also removes the columns (of type ROW) of other tables that refer to it. */
PERUN_EXPORT void perun_builder_remove_table(struct perun_builder *builder, const char *name);
/* The column of a name, made with `info` if it is not there. Rows already ended are absent in it. */
PERUN_EXPORT struct perun_column_builder *
perun_table_add_column(struct perun_table_builder *table, const struct perun_column_info *info);
/* The column of a name, or NULL; and column i, for loops. */
PERUN_EXPORT struct perun_column_builder *perun_table_find_column(struct perun_table_builder *table,
								  const char *name);
PERUN_EXPORT size_t perun_table_builder_columns(const struct perun_table_builder *table);
PERUN_EXPORT struct perun_column_builder *
perun_table_builder_column(struct perun_table_builder *table, size_t i);
PERUN_EXPORT const struct perun_column_info *
perun_column_builder_info(const struct perun_column_builder *column);
/* The name must be no other column's of its table. */
PERUN_EXPORT void perun_column_set_name(struct perun_column_builder *column, const char *name);
PERUN_EXPORT void perun_column_set_unit(struct perun_column_builder *column, const char *unit);
PERUN_EXPORT void perun_column_set_role(struct perun_column_builder *column, enum perun_role role);
/*
 * Keep the cells of this column in less memory until they are read: for columns of large files. From
 * now on each full run of PERUN_SPAN_ROWS whole numbers or ids, whatever the type of the column, is
 * stored as offsets of 0, 1, 2 or 4 bytes where they suffice, and so is the last run at the end. The
 * first reading of a run costs a copy of it.
 */
PERUN_EXPORT void perun_column_save_memory(struct perun_column_builder *column);
PERUN_EXPORT void perun_table_remove_column(struct perun_table_builder *table, const char *name);

/*
 * Row by row: set cells of the current row, then end it; cells not set are absent, a cell set twice
 * has the last value. A value of another type than the column's: in a `growing` column the type
 * changes to hold both without loss (int64 and uint64 and double as far as exact, else JSON text;
 * string and others: JSON text; a column without any value takes the type of the first); in another
 * column numbers convert when exact, JSON takes everything as its text, and for anything else the
 * cell stays absent and perun_builder_finish() fails and says which column and row it was.
 */
PERUN_EXPORT void perun_column_set_int64(struct perun_column_builder *column, int64_t value);
PERUN_EXPORT void perun_column_set_uint64(struct perun_column_builder *column, uint64_t value);
PERUN_EXPORT void perun_column_set_double(struct perun_column_builder *column, double value);
PERUN_EXPORT void perun_column_set_bool(struct perun_column_builder *column, bool value);
/*
 * A STRING, STACK, LABELS, POINT or ROW id, according to `type`; a JSON text's string id (the text
 * must be normalized JSON, as perun_json_capture() gives it). PERUN_NO_ID: absent.
 */
PERUN_EXPORT void perun_column_set_id(struct perun_column_builder *column, enum perun_type type,
				      perun_id value);
/* Make the cell of the current row absent again; one that was not set is so already. */
PERUN_EXPORT void perun_column_set_absent(struct perun_column_builder *column);
PERUN_EXPORT void perun_table_end_row(struct perun_table_builder *table);
/*
 * Make `row` (at most the rows ended so far) the current row: for setting cells of rows that were
 * ended before. Nothing is lost by it; perun_table_end_row() and perun_table_end_rows() go forward
 * again, and rewinding to the former number of rows, too.
 */
PERUN_EXPORT void perun_table_rewind(struct perun_table_builder *table, size_t row);
/* Rows ended so far. */
PERUN_EXPORT size_t perun_table_builder_rows(const struct perun_table_builder *table);

/*
 * In bulk: append to columns, one call for many cells; then say how many rows it were. Each column
 * must have been appended that number of cells, or none at all (then they are absent); anything else
 * makes perun_builder_finish() fail.
 */
PERUN_EXPORT void perun_column_append_int64(struct perun_column_builder *column,
					    const int64_t *values, size_t count);
PERUN_EXPORT void perun_column_append_uint64(struct perun_column_builder *column,
					     const uint64_t *values, size_t count);
/* `integers`: bitmap (bit i of word i/64) of the values that came as integers, or NULL = none. */
PERUN_EXPORT void perun_column_append_double(struct perun_column_builder *column,
					     const double *values, const uint64_t *integers,
					     size_t count);
PERUN_EXPORT void perun_column_append_bool(struct perun_column_builder *column,
					   const uint8_t *values, size_t count);
PERUN_EXPORT void perun_column_append_ids(struct perun_column_builder *column, enum perun_type type,
					  const perun_id *values, size_t count);
/* `count` times the same id: long runs take next to no memory. */
PERUN_EXPORT void perun_column_append_same_id(struct perun_column_builder *column,
					      enum perun_type type, perun_id value, size_t count);
PERUN_EXPORT void perun_column_append_absent(struct perun_column_builder *column, size_t count);
PERUN_EXPORT void perun_table_end_rows(struct perun_table_builder *table, size_t count);
/* Forget all cells after the rows that were ended, what was set of the current row or appended since. */
PERUN_EXPORT void perun_table_discard(struct perun_table_builder *table);

/*
 * Editing a table that came from a profile: keep the rows whose bit in `keep` is set (bit i of word
 * i/64, one bit a row), in their order (columns that refer to these rows are renumbered; where the row
 * is gone they become absent); or replace the cells of a column by new ones (as many as the
 * table has rows; the column becomes DOUBLE without absent cells, values integral in the old column
 * and in the new one stay marked as integers).
 */
PERUN_EXPORT void perun_table_keep_rows(struct perun_table_builder *table, const uint64_t *keep);
PERUN_EXPORT void perun_column_replace_doubles(struct perun_column_builder *column,
					       const double *values);
/*
 * The same for quotients and the like: none of the new cells is marked as an integer, and where the old
 * cell is absent the new one is, too (its value is ignored).
 */
PERUN_EXPORT void perun_column_replace_present(struct perun_column_builder *column,
					       const double *values);

/*
 * Append the rows of table `name` of `other` (another profile) to this builder's table of that name;
 * ids are translated into this builder's pools. Columns are matched by name (and grow to hold both
 * types), parameters of points too. Tables that its columns refer to are appended with it, once;
 * asking for one of them afterwards adds nothing. No such table: nothing happens.
 */
PERUN_EXPORT void perun_builder_append_table(struct perun_builder *builder,
					     struct perun_profile *other, const char *name);

/*
 * Append a model, an object as Perun's profiles have it ({"uid": …, "model": "linear", "r_square": …,
 * "coeffs": [{"name": "b0", "value": …}, …] …}), to table "models": its text in column "json", its
 * plain members as columns, coefficients in "model_terms", other lists in "model_values". `snapshot`
 * -1: of none. `model` is borrowed.
 */
PERUN_EXPORT void perun_builder_add_model(struct perun_builder *builder,
					  const struct perun_json *model, int64_t snapshot);
/*
 * The same for the text of a model, as perun_json_capture() writes it and as it was interned with
 * perun_builder_string(). PERUN_INPUT when it is not JSON.
 */
PERUN_EXPORT int perun_builder_add_model_text(struct perun_ctx *ctx, struct perun_builder *builder,
					      perun_id text, int64_t snapshot);

/* ---- reading -------------------------------------------------------------------------------- */

PERUN_EXPORT struct perun_profile *perun_profile_ref(struct perun_profile *profile);
PERUN_EXPORT void perun_profile_unref(struct perun_profile *profile); /* NULL is fine */

/* Never NULL; read only. */
PERUN_EXPORT const struct perun_json *perun_profile_document(const struct perun_profile *profile);
/*
 * A text of the document by a JSON pointer as perun_json_path() takes it ("/header/cmd"), or "". Anything
 * else than a string is given as its JSON text. Owned by profile.
 */
PERUN_EXPORT const char *perun_profile_text(const struct perun_profile *profile, const char *path);
/* The names of the postprocessors, joined by one blank, in order ("" when none). Owned by profile. */
PERUN_EXPORT const char *perun_profile_postprocessors(const struct perun_profile *profile);
/* Unit of a type and subtype by header.units: "TYPE(SUBTYPE)", "TYPE", then "". Owned by profile. */
PERUN_EXPORT const char *perun_profile_unit(const struct perun_profile *profile, const char *type,
					    const char *subtype);

PERUN_EXPORT size_t perun_profile_strings(const struct perun_profile *profile);
/* NUL-terminated; `length` may be NULL. PERUN_NO_ID gives NULL. */
PERUN_EXPORT const char *perun_profile_string(const struct perun_profile *profile, perun_id id,
					      size_t *length);
/* The id of a text if the profile holds it, else PERUN_NO_ID. */
PERUN_EXPORT perun_id perun_profile_find_string(const struct perun_profile *profile,
						const char *text, size_t length);
PERUN_EXPORT size_t perun_profile_functions(const struct perun_profile *profile);
PERUN_EXPORT const struct perun_function *
perun_profile_function(const struct perun_profile *profile, perun_id id);
PERUN_EXPORT size_t perun_profile_mappings(const struct perun_profile *profile);
PERUN_EXPORT const struct perun_mapping *perun_profile_mapping(const struct perun_profile *profile,
							       perun_id id);
PERUN_EXPORT size_t perun_profile_locations(const struct perun_profile *profile);
PERUN_EXPORT const struct perun_location *
perun_profile_location(const struct perun_profile *profile, perun_id id);
/*
 * The same for who looks at each location once: it lies in `room`, until that is used again, where perun_profile_location()
 * did not make it before, which keeps what it makes.
 */
PERUN_EXPORT const struct perun_location *
perun_profile_location_in(const struct perun_profile *profile, perun_id id,
			  struct perun_location_room *room);
PERUN_EXPORT size_t perun_profile_stacks(const struct perun_profile *profile);
/*
 * Locations of a stack, leaf first. The array stays as long as the profile: of many stacks that begin alike it is made when it
 * is first asked for.
 */
PERUN_EXPORT const perun_id *perun_profile_stack(const struct perun_profile *profile, perun_id id,
						 size_t *count);
/* Without making that array, how many locations a stack has and which is its leaf: 0 and PERUN_NO_ID when it has none, or is none. */
PERUN_EXPORT size_t perun_profile_stack_length(const struct perun_profile *profile, perun_id id);
PERUN_EXPORT perun_id perun_profile_stack_leaf(const struct perun_profile *profile, perun_id id);
/*
 * The stacks as paths, for who can do something for what stacks have in common once: each a location and the path that calls
 * it, callers before what they call; PERUN_NO_ID: none. NULL where the profile holds stacks as arrays, as it does while they
 * are few, or as inverted paths. Both stay as long as the profile. The layout is fixed.
 */
struct perun_stack_path {
	perun_id caller; /* a path */
	perun_id location;
};
PERUN_EXPORT const struct perun_stack_path *perun_profile_paths(const struct perun_profile *profile,
								size_t *count);
/* The path that a stack is; PERUN_NO_ID for an empty one, and where there are no paths. */
PERUN_EXPORT perun_id perun_profile_stack_path(const struct perun_profile *profile, perun_id id);
/*
 * The stacks of a column for who goes through its rows once, in their order: arrays that are made are given up for the next
 * ones. The locations of a row's stack, as of perun_profile_stack(), hold until the next call. Of one thread; the profile
 * must stay as long.
 */
struct perun_stack_rows;
PERUN_EXPORT struct perun_stack_rows *perun_stack_rows_new(const struct perun_profile *profile,
							   const struct perun_column *column);
PERUN_EXPORT const perun_id *perun_stack_rows_at(struct perun_stack_rows *rows, size_t row,
						 size_t *count);
PERUN_EXPORT void perun_stack_rows_free(struct perun_stack_rows *rows);
PERUN_EXPORT size_t perun_profile_label_sets(const struct perun_profile *profile);
PERUN_EXPORT const struct perun_label *perun_profile_labels(const struct perun_profile *profile,
							    perun_id id, size_t *count);
PERUN_EXPORT size_t perun_profile_parameters(const struct perun_profile *profile);
PERUN_EXPORT const char *perun_profile_parameter(const struct perun_profile *profile, perun_id id,
						 const char **unit);
PERUN_EXPORT size_t perun_profile_points(const struct perun_profile *profile);
PERUN_EXPORT const double *perun_profile_point(const struct perun_profile *profile, perun_id id,
					       size_t *count);

PERUN_EXPORT size_t perun_profile_tables(const struct perun_profile *profile);
PERUN_EXPORT const struct perun_table *perun_profile_table_at(const struct perun_profile *profile,
							      size_t i);
/* NULL when there is none of that name. */
PERUN_EXPORT const struct perun_table *perun_profile_table(const struct perun_profile *profile,
							   const char *name);
/* The table "resources"; an empty one when the profile has none. */
PERUN_EXPORT const struct perun_table *perun_resources(const struct perun_profile *profile);

PERUN_EXPORT const char *perun_table_name(const struct perun_table *table);
PERUN_EXPORT const struct perun_profile *perun_table_profile(const struct perun_table *table);
PERUN_EXPORT size_t perun_table_rows(const struct perun_table *table);
PERUN_EXPORT size_t perun_table_columns(const struct perun_table *table);
PERUN_EXPORT const struct perun_column *perun_table_column_at(const struct perun_table *table,
							      size_t i);
/* NULL when there is none of that name. */
PERUN_EXPORT const struct perun_column *perun_table_column(const struct perun_table *table,
							   const char *name);

PERUN_EXPORT const struct perun_column_info *perun_column_info(const struct perun_column *column);
PERUN_EXPORT size_t perun_column_index(const struct perun_column *column); /* in its table */
PERUN_EXPORT const struct perun_table *perun_column_table(const struct perun_column *column);

/*
 * A run of cells that are together in memory. Runs of all columns begin at the multiples of
 * PERUN_SPAN_ROWS, and all but the last of a column have that number of rows: the spans of several columns
 * of a table that hold the same row cover the same rows, bit for bit. The layout is fixed.
 */
#define PERUN_SPAN_ROWS 65536
struct perun_span {
	size_t first, count; /* rows [first, first + count) */
	union {
		const int64_t *int64s;
		const uint64_t *uint64s;
		const double *doubles;
		const uint8_t *bools;
		const perun_id *ids; /* STRING, JSON, STACK, LABELS, POINT, ROW */
		const void *cells;
	};
	const uint64_t *absent;   /* bit i of word i/64: cell first + i is absent; NULL = none is */
	const uint64_t *integers; /* DOUBLE: cell came as an integer; NULL = none did */
};

/*
 * The cursor: the run of cells that holds `row` (`first` may be before it); false when row is past
 * the end. Start at 0, go on at first + count. Absent cells hold 0, NaN or PERUN_NO_ID. Bits beyond
 * the last cell are 0.
 */
PERUN_EXPORT bool perun_column_span(const struct perun_column *column, size_t row,
				    struct perun_span *span);
/*
 * The same for one pass over columns that save memory: runs that are stored narrow stay so. They are
 * copied to `block` (room for PERUN_SPAN_ROWS values of 8 bytes), and span->cells is `block`; with a
 * `block` of NULL, span->cells is NULL and only the bitmaps are there.
 */
PERUN_EXPORT bool perun_column_span_copy(const struct perun_column *column, size_t row,
					 struct perun_span *span, int64_t *block);
static inline bool perun_bit(const uint64_t *bitmap, size_t i)
{
	return bitmap && (bitmap[i / 64] >> (i % 64) & 1);
}

/*
 * Single cells, for code that is not in a hot loop. Number types convert (to the nearest in range);
 * JSON text that is a number counts as such. Absent: 0, NaN, PERUN_NO_ID.
 */
PERUN_EXPORT bool perun_column_absent(const struct perun_column *column, size_t row);
PERUN_EXPORT int64_t perun_column_int64(const struct perun_column *column, size_t row);
PERUN_EXPORT uint64_t perun_column_uint64(const struct perun_column *column, size_t row);
PERUN_EXPORT double perun_column_double(const struct perun_column *column, size_t row); /* or NaN */
PERUN_EXPORT perun_id perun_column_id(const struct perun_column *column, size_t row);
/*
 * Any cell as a person would read it: numbers shortest, strings as they are, JSON text as it is,
 * stacks as "main;f;g", labels as "k=v,n=4 bytes", points as "p=1.5,n=3". Appends to `buffer`;
 * nothing for an absent cell.
 */
PERUN_EXPORT void perun_column_print(const struct perun_column *column, size_t row,
				     struct perun_buffer *buffer);
/*
 * The same cell as JSON text, normalized; "null" when absent. Stacks: ["main", "f", "g"]; labels:
 * {"k": "v"}, an array where a key occurs several times; points: {"p": 1.5}; rows: their number.
 */
PERUN_EXPORT void perun_column_print_json(const struct perun_column *column, size_t row,
					  struct perun_buffer *buffer);

/* ---- metrics -------------------------------------------------------------------------------- */

/*
 * What is measured, whether it has a column of its own (wide: one column per metric, as pprof
 * has) or is named in the row. Columns of role METRIC are long when the table has a column "metric"
 * (AFPerf, Extra-P), or when they are called "amount" (Perun: column "type"; header.type is used for
 * an absent type): one metric for each text of it and of the column "subtype", if there is one, named
 * "TYPE" or "TYPE(SUBTYPE)". All others are wide. What the document says under metrics.NAME goes before
 * the unit of header.units and of the column.
 */
enum perun_direction { PERUN_BETTER_UNKNOWN, PERUN_BETTER_LOWER, PERUN_BETTER_HIGHER };
enum perun_measure { PERUN_MEASURE_ADDITIVE, PERUN_MEASURE_LEVEL, PERUN_MEASURE_RATIO };

struct perun_metric {
	uint32_t struct_size;
	const char *name; /* "time", "memory(malloc)", "samples" */
	const char *unit;
	const char *description;     /* "" when none */
	const char *parent;          /* "" when none */
	enum perun_direction better; /* UNKNOWN is treated as lower is better by checks */
	enum perun_measure measure;
	bool inclusive; /* values include those of callees */
	/* What the store says; else what the unit or the name says. */
	enum perun_direction kept;
	const struct perun_column
		*values; /* its numbers: INT64, UINT64, DOUBLE; JSON if too large */
	const struct perun_column *selector[2]; /* long: rows where these have the ids below */
	perun_id selected[2]; /* PERUN_NO_ID = the selector is not used or the cell is absent */
	size_t rows;          /* rows that carry it */
};

/*
 * All metrics of table "resources", in order of first appearance; the default metric of the document
 * first, if named. All belong to the profile.
 */
PERUN_EXPORT const struct perun_metric *const *perun_metrics(const struct perun_profile *profile,
							     size_t *count);
/* The metric of a name, or NULL. */
PERUN_EXPORT const struct perun_metric *perun_metric(const struct perun_profile *profile,
						     const char *name);
/*
 * Whether higher values are better: what the profile says; else what is given for now (an option of
 * the caller; PERUN_BETTER_UNKNOWN = nothing); else what the store keeps; else what the unit or the name
 * says ("MB/s", "fps", "items_per_second": higher); else they are not.
 */
PERUN_EXPORT bool perun_higher_is_better(enum perun_direction says, enum perun_direction given,
					 enum perun_direction kept);
/* The same of a metric. */
PERUN_EXPORT bool perun_metric_higher(const struct perun_metric *metric,
				      enum perun_direction given);
/* Of the words "higher" and "lower"; UNKNOWN of others. */
PERUN_EXPORT enum perun_direction perun_direction_of(const char *word);
/* Whether a row carries the metric. */
PERUN_EXPORT bool perun_metric_has_row(const struct perun_metric *metric, size_t row);
/*
 * Where there may be many metrics, asking each about each row takes too long. The number of the first
 * metric that the row carries, from number `from` on; SIZE_MAX when there is none.
 */
PERUN_EXPORT size_t perun_metric_of_row(const struct perun_profile *profile, size_t row,
					size_t from);
/*
 * The rows of a metric of perun_metrics() that is named in rows: `*count` row numbers, ascending, which
 * belong to the profile. NULL for a metric with a column of its own: `*count` is the number of all rows.
 */
PERUN_EXPORT const uint32_t *perun_metric_rows(const struct perun_profile *profile,
					       const struct perun_metric *metric, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
