/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions to profiles: select, group, aggregate, sort, join; and the queries of Perun's format.
 * Threads: profiles are only read; results belong to the thread that asked.
 */
#ifndef PERUN_QUERY_H
#define PERUN_QUERY_H

#include <perun/check.h>
#include <perun/json.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Views, checks and postprocessors ask profiles with these functions instead of looping over rows.
 * Nothing here changes a profile. What is said of a table holds for any table of a profile;
 * perun_resources() is the usual one. Row numbers are 32-bit here: a table of more rows is refused
 * (PERUN_INPUT). Outcomes do not depend on the number of threads, sums of doubles included.
 *
 * The flat text of a cell is what people and predicates see: strings as they are, numbers as
 * perun_column_print() has them, stacks "main;f;g", JSON text flattened by perun_flatten().
 */

/*
 * A JSON value as one text, as Perun makes it of a uid: {"source": "m.c", "function": "main",
 * "line": 3} is "m.c:main:3". Items of an object, nested ones included, are sorted by the rank of
 * their keys (binaries, files, modules, classes, functions, lines, instructions, others) and joined
 * by ':'; elements of an array are joined by ','; a string is itself, other scalars are as Python's
 * str() has them. Text that is not JSON is returned as it is. The caller frees the result.
 */
PERUN_EXPORT char *perun_flatten(const char *json, size_t length);
/* The same of a document; appended to `out`. */
PERUN_EXPORT void perun_flatten_value(const struct perun_json *value, struct perun_buffer *out);
/* Append the flat text of a cell; nothing for an absent one. */
PERUN_EXPORT void perun_column_flat(const struct perun_column *column, size_t row,
				    struct perun_buffer *out);

/* ---- selecting rows ------------------------------------------------------------------------- */

/*
 * A selection is a bitmap of rows: bit i of word i/64 (perun_bit()); bits past the last row are 0. Its
 * owner frees it with perun_free(). Where a selection is asked for, NULL means all rows. It fits
 * perun_table_keep_rows().
 */
/* A selection of `rows` rows, all of them or none. */
PERUN_EXPORT uint64_t *perun_selection_new(size_t rows, bool all);
/* Of `rows` resources those that a metric has. Caller frees. */
PERUN_EXPORT uint64_t *perun_selection_of_metric(const struct perun_metric *metric, size_t rows);
PERUN_EXPORT size_t perun_selection_count(const uint64_t *selection, size_t rows);
/* Combine into `selection`; `other` may be NULL (all rows). */
PERUN_EXPORT void perun_selection_and(uint64_t *selection, const uint64_t *other, size_t rows);
PERUN_EXPORT void perun_selection_or(uint64_t *selection, const uint64_t *other, size_t rows);
PERUN_EXPORT void perun_selection_not(uint64_t *selection, size_t rows);

enum perun_predicate {
	PERUN_PREDICATE_EQUAL,
	PERUN_PREDICATE_NOT_EQUAL,
	PERUN_PREDICATE_LESS,
	PERUN_PREDICATE_LESS_EQUAL,
	PERUN_PREDICATE_GREATER,
	PERUN_PREDICATE_GREATER_EQUAL,
	PERUN_PREDICATE_MATCHES, /* a Perl regular expression anywhere in the text (PCRE2, UTF-8) */
	PERUN_PREDICATE_NOT_MATCHES,
	PERUN_PREDICATE_LIKE, /* a glob over the whole text: * ? [a-z] [!a-z] \x */
	PERUN_PREDICATE_NOT_LIKE,
	PERUN_PREDICATE_IS_PRESENT, /* `value` is ignored */
	PERUN_PREDICATE_IS_ABSENT
};

/*
 * The rows of a column whose cells fulfil a predicate. A cell that is a number and a value that reads
 * as one are compared as numbers (integers of 64 bits exactly); everything else by the bytes of the
 * flat text. An absent cell fulfils PERUN_PREDICATE_IS_ABSENT and the three negations, nothing else; the
 * negations are the exact opposites. The caller frees `*selection`. Fails (PERUN_USAGE) when the
 * expression or glob is wrong, (PERUN_INPUT) when matching needs more than its limits of work.
 */
PERUN_EXPORT int perun_select(struct perun_ctx *ctx, const struct perun_column *column,
			      enum perun_predicate predicate, const char *value,
			      uint64_t **selection);
/*
 * The rows that fulfil a condition in words: "amount > 3 and (type == memory or not uid ~ ^foo)".
 *
 *   condition  = all { "or" all }
 *   all        = one { "and" one }
 *   one        = "not" one | "(" condition ")" | COLUMN OPERATOR VALUE | COLUMN "is" ["not"] "absent"
 *              | COLUMN "is" ["not"] "present"
 *   OPERATOR   = == = != < <= > >= ~ !~ like unlike
 *
 * COLUMN and VALUE are bare words without blanks, parentheses and (columns) operators, or quoted: 'a
 * b' or "a b", with \ before a quote or a backslash. A bare VALUE may hold balanced parentheses
 * ("f(int)"). COLUMN may go into JSON cells: "uid:function". Fails (PERUN_USAGE) and says where.
 */
PERUN_EXPORT int perun_select_where(struct perun_ctx *ctx, const struct perun_table *table,
				    const char *condition, uint64_t **selection);

/* ---- groups --------------------------------------------------------------------------------- */

/*
 * Rows with equal cells in the key columns; an absent cell equals an absent one, NaN equals NaN, 0.0
 * equals -0.0. Groups are numbered in order of their first rows. Read only for callers.
 */
struct perun_groups {
	uint32_t struct_size;
	const struct perun_table *table;  /* borrowed: the profile must live as long */
	size_t count;                     /* of groups */
	size_t rows;                      /* of the table */
	uint32_t *group_of_row;           /* PERUN_NO_ID: the row was not selected */
	uint32_t *first_row;              /* of each group */
	uint32_t *size;                   /* rows of each group */
	const struct perun_column **keys; /* by which they were made */
	size_t key_count;
	char **texts; /* perun_group_by_uid(): the flat text of each group; else NULL */
};

/* Group the selected rows by 0 or more columns of `table`. Free with perun_groups_free(). */
PERUN_EXPORT int perun_group_by(struct perun_ctx *ctx, const struct perun_table *table,
				const struct perun_column *const *keys, size_t key_count,
				const uint64_t *selection, struct perun_groups **groups);
/*
 * Group by the flat text of column "uid", where it is absent by that of the stack (column "stack"),
 * else by "": uids that differ in the order of their keys are one.
 */
PERUN_EXPORT int perun_group_by_uid(struct perun_ctx *ctx, const struct perun_table *table,
				    const uint64_t *selection, struct perun_groups **groups);
PERUN_EXPORT void perun_groups_free(struct perun_groups *groups); /* NULL is fine */
/* The rows of each group, in order: rows[starts[g]] to rows[starts[g + 1] - 1]. Freed by caller. */
PERUN_EXPORT void perun_groups_rows(const struct perun_groups *groups, uint32_t **rows,
				    size_t **starts);
/*
 * For each group of `a` the group of `b` (of any profile) whose keys have the same values, or
 * PERUN_NO_ID; keys are paired in order. Groups by flat text join by it. Numbers are equal by value
 * (1 equals 1.0), texts by bytes. The caller frees the array of a->count numbers.
 */
PERUN_EXPORT int perun_groups_join(struct perun_ctx *ctx, const struct perun_groups *a,
				   const struct perun_groups *b, uint32_t **b_of_a);

enum perun_aggregate {
	PERUN_AGGREGATE_SUM, /* 0 for no values; exact for integers before it is rounded to a double */
	PERUN_AGGREGATE_MEAN,
	PERUN_AGGREGATE_MEDIAN,
	PERUN_AGGREGATE_QUANTILE, /* argument 0 to 1, linear between the neighbours as NumPy's default */
	PERUN_AGGREGATE_COUNT,   /* of present cells; any column type */
	PERUN_AGGREGATE_NUNIQUE, /* of different present cells; any column type */
	PERUN_AGGREGATE_MIN,
	PERUN_AGGREGATE_MAX,
	PERUN_AGGREGATE_STD,      /* of a sample: divided by n - 1; NaN for fewer than two values */
	PERUN_AGGREGATE_VARIANCE, /* the same, not its root */
	PERUN_AGGREGATES
};
/* "sum", "mean", "median", "quantile", "count", "nunique", "min", "max", "std", "var". */
PERUN_EXPORT const char *perun_aggregate_name(enum perun_aggregate function);
/* PERUN_AGGREGATES when unknown. */
PERUN_EXPORT enum perun_aggregate perun_aggregate_from_name(const char *name);
/*
 * Aggregate the numbers of a column (of the same table) over each group: values[groups->count], the
 * caller's array. Cells that are absent, NaN or not a number are ignored; no cell left gives NaN
 * (sum and counts: 0). Sums of doubles are compensated (A. Neumaier, "Rundungsfehleranalyse einiger
 * Verfahren zur Summation endlicher Summen", ZAMM 54, 1974). Fails (PERUN_USAGE) when the argument is
 * out of range or the column is of another table.
 */
PERUN_EXPORT int perun_aggregate(struct perun_ctx *ctx, const struct perun_groups *groups,
				 const struct perun_column *column, enum perun_aggregate function,
				 double argument, double *values);
/*
 * The sums of an INT64, UINT64 or BOOL column as integers; fails (PERUN_INPUT) when the column is of
 * another type or a sum does not fit.
 */
PERUN_EXPORT int perun_aggregate_int64(struct perun_ctx *ctx, const struct perun_groups *groups,
				       const struct perun_column *column, int64_t *sums);
/* The same functions over plain numbers (NaN is ignored); `values` is reordered. */
PERUN_EXPORT double perun_aggregate_values(double *values, size_t count,
					   enum perun_aggregate function, double argument);
/* Linear between the neighbours, from the nearer one, as NumPy's default; NaN of no numbers. */
PERUN_EXPORT double perun_quantile_of_sorted(const double *sorted, size_t count, double quantile);

/* ---- order ---------------------------------------------------------------------------------- */

/* Its layout is fixed. */
struct perun_sort_key {
	const struct perun_column *column;
	bool descending;
};
/*
 * The selected rows, sorted by the first key, equal ones by the second, ...; equal rows keep their
 * order. Ascending: absent, booleans, numbers (NaN last), texts by bytes of their flat text.
 * Descending is the reverse of that. The caller frees the array.
 */
PERUN_EXPORT int perun_sort(struct perun_ctx *ctx, const struct perun_table *table,
			    const struct perun_sort_key *keys, size_t key_count,
			    const uint64_t *selection, uint32_t **rows, size_t *count);
/* Compare two cells, of any columns, by that order: < 0, 0, > 0. */
PERUN_EXPORT int perun_cell_compare(const struct perun_column *a, size_t a_row,
				    const struct perun_column *b, size_t b_row);

/* ---- the queries of Perun's profile format -------------------------------------------------- */

/*
 * Named as the documentation of the format names them. Visitors return 0 to go on; the first other
 * value ends the visit and is returned.
 */
/* Every resource: the number of its snapshot (column "snapshot", 0 when absent) and its row. */
typedef int perun_resource_visit(void *data, int64_t snapshot, size_t row);
PERUN_EXPORT int perun_all_resources(const struct perun_profile *profile,
				     perun_resource_visit *visit, void *data);
/* Every snapshot that has rows, by number: its rows in order (borrowed during the visit). */
typedef int perun_snapshot_visit(void *data, int64_t snapshot, const uint32_t *rows, size_t count);
PERUN_EXPORT int perun_all_snapshots(const struct perun_profile *profile,
				     perun_snapshot_visit *visit, void *data);

/*
 * A row of table "models": columns uid, model, method, r_square, x_start, x_end, and the
 * coefficients: JSON column coeffs [{"name": "b0", "value": 1.5}, ...], the same in the object of JSON
 * column "json", or rows of table "model_terms" (columns model: a row of "models", name, value; in
 * the order of their models). Texts belong to the record, whose layout is fixed: what else a model has is in its row.
 */
struct perun_model {
	size_t row;
	char *uid;  /* flat */
	char *kind; /* "linear", "regressogram" ... */
	char *method;
	double r_square, x_start, x_end; /* NaN when absent */
	double *coefficients;            /* b0, b1, ... ; NaN where there is none */
	size_t coefficient_count;
};
PERUN_EXPORT void perun_model_read(const struct perun_profile *profile, size_t row,
				   struct perun_model *model);
PERUN_EXPORT void perun_model_clear(struct perun_model *model); /* frees what _read() made */
/* Of `rows` rows whose ids never fall, as in the tables of models' terms: the first whose id is at least `id`, or `rows`. */
PERUN_EXPORT size_t perun_column_lower_bound(const struct perun_column *column, size_t rows,
					     perun_id id);
/* constant, linear, logarithmic, quadratic, power, exponential, pmnf. */
PERUN_EXPORT bool perun_model_is_param(const char *kind);
/* regressogram, moving_average, kernel_regression (also with a dash). */
PERUN_EXPORT bool perun_model_is_nonparam(const char *kind);
/*
 * The rows of table "models" of a group: "all" ("model"), "param", "nonparam", or a kind by its name.
 * The caller frees the array.
 */
PERUN_EXPORT void perun_all_models(const struct perun_profile *profile, const char *group,
				   size_t **rows, size_t *count);
/*
 * The models that a check compares. Best: for each flat uid that of the highest r_square above 0, the
 * first of equals, in order of the uids' first models; BEST_BOTH: the best parametric ones, then the
 * best non-parametric ones. All: every model of the group; ALL_MODELS and ALL_BOTH: the
 * parametric ones, then the others. The caller frees the array.
 */
PERUN_EXPORT void perun_all_filtered_models(const struct perun_profile *profile,
					    enum perun_models_type type, size_t **rows,
					    size_t *count);
/*
 * Points of a parametric model's curve over [x_start, x_end], evenly spaced, both ends included;
 * `count` 0 = 1000. constant b0; linear b0 + b1 x; quadratic b0 + b1 x + b2 x^2; logarithmic b0 + b1
 * ln x; power b0 x^b1; exponential b0 b1^x; pmnf b0 + b1 x^b2 log2(x)^b3. The caller frees the arrays. Fails (PERUN_INPUT) when the
 * kind is not parametric, or coefficients or the interval are missing.
 */
PERUN_EXPORT int perun_plot_data_from_coefficients_of(struct perun_ctx *ctx,
						      const struct perun_model *model, size_t count,
						      double **x, double **y);
/* One point of the curve; NaN when the kind is unknown. */
PERUN_EXPORT double perun_model_value(const struct perun_model *model, double x);

/*
 * The resources as one flat table (a data frame): table "resources" of a new profile, where JSON
 * objects are spread over columns named by their paths ("uid:function") besides the flat text
 * ("uid"), arrays are flat text, and column "snapshots" has the number of the snapshot.
 */
PERUN_EXPORT int perun_resources_as_columns(struct perun_ctx *ctx, struct perun_profile *profile,
					    struct perun_profile **columns);
/*
 * Append the lines that flame graph programs read: "UID;FRAME;...;FRAME AMOUNT", the outermost frame
 * first, by snapshot. Frames come from column "trace" (JSON: a frame is "FUNCTION()~SOURCE~LINE", or
 * the text of its "func") or "stack". Resources of subtype "free", or without amount, are left out; a
 * ';' within a name becomes ':', a line break a blank. `key`: the column of amounts; NULL = "amount",
 * or the values of the first metric if there is none of that name.
 */
PERUN_EXPORT int perun_to_flame_graph_format(struct perun_ctx *ctx,
					     const struct perun_profile *profile, const char *key,
					     struct perun_buffer *out);

/*
 * Items: every value in a resource with its path: keys of nested objects joined by ':'. An object
 * gives its nested items and then itself as flat text; an array its flat text; an array of {"name",
 * "value"} is an object. `value` is a scalar, borrowed during the visit.
 */
typedef int perun_item_visit(void *data, const char *path, const struct perun_json *value);
PERUN_EXPORT int perun_all_items_of(const struct perun_table *table, size_t row,
				    perun_item_visit *visit, void *data);
/* The same of an object. */
PERUN_EXPORT int perun_all_items_of_value(const struct perun_json *object, perun_item_visit *visit,
					  void *data);
/* Paths whose values are numbers wherever they occur, sorted: an array of strings; caller frees. */
PERUN_EXPORT struct perun_json *
perun_all_numerical_resource_fields_of(const struct perun_profile *profile);
/*
 * All values of a resource that a path leads to, as an array (caller frees): ':' goes into an
 * object, '::' into every element of an array: "uid:function", "trace::function".
 */
PERUN_EXPORT struct perun_json *perun_all_key_values_of(const struct perun_table *table, size_t row,
							const char *path);
/* The different ones in all resources, or models, in order of first appearance; caller frees. */
PERUN_EXPORT struct perun_json *perun_unique_resource_values_of(const struct perun_profile *profile,
								const char *path);
PERUN_EXPORT struct perun_json *perun_unique_model_values_of(const struct perun_profile *profile,
							     const char *path);

/* ---- rounding ------------------------------------------------------------------------------- */

/*
 * Python's round(value, digits): the double nearest to the exact decimal value rounded to `digits`
 * digits after the point (before it when negative), ties to even. 115.685 rounds by what it is:
 * 115.6850000000000022... gives 115.69.
 */
PERUN_EXPORT double perun_round_python(double value, int digits);

#ifdef __cplusplus
}
#endif
#endif
