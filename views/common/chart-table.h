/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources as a table of numbers and categories: what charts of any profile are made of. */
#ifndef PERUN_VIEWS_COMMON_CHART_TABLE_H
#define PERUN_VIEWS_COMMON_CHART_TABLE_H

#include <perun/option.h>
#include <perun/query.h>

#include "views/common/chart.h"

struct views_table {
	struct perun_ctx *ctx;
	struct perun_profile *profile; /* borrowed: as it was */
	struct perun_profile *flat;    /* its resources spread over columns */
	const struct perun_table *rows;
	uint64_t *selection; /* by the option `where`; NULL = all */
	size_t count;        /* of rows, selected or not */
	char *metric;        /* of an experiment: what all selected rows measure; NULL = several */
	char *other_metrics; /* "time, visits": what was left out for it; NULL = nothing */
};

#define VIEWS_TABLE_OPTIONS                                                    \
	{                                                                      \
		.name = "where", .aliases = "-w", .metavar = "CONDITION",      \
		.type = PERUN_OPTION_STRING, .flags = PERUN_OPTION_REPEATABLE, \
		.help = "only resources that fulfil it, such as 'amount > 3'"  \
	}

/* Fails (PERUN_INPUT) without resources or when none fulfils the conditions. Close it also then. */
int views_table_open(struct perun_ctx *ctx, struct perun_profile *profile,
		     const struct perun_options *options, struct views_table *table);
/*
 * Of an experiment that measures several metrics, whose values do not add up: leave the rows of one, the
 * default one or the first. Nothing happens when the user chose one by --where, or distinguishes them: when the
 * option `by` is "metric".
 */
int views_table_one_metric(struct views_table *table, const struct perun_options *options);
void views_table_close(struct views_table *table);
bool views_table_has(const struct views_table *table, size_t row);

/*
 * Numbers of a key. `values` has a NaN where there is none, or the row is not selected; `unit` is that of
 * the profile. Fails (PERUN_INPUT) and names the keys that have numbers. A key of NULL is what the
 * profile measures: "amount", or the column of its first metric; `key` is then what it is called. The
 * parameters of an experiment are keys, too.
 */
struct views_numbers {
	const char *key;
	const char *title; /* what people call it: the key, or the metric whose values these are */
	char *unit;
	double *values;
};
int views_table_numbers(const struct views_table *table, const char *key,
			struct views_numbers *numbers);
/*
 * A key with different numbers to lay along a horizontal axis, where the user names none: `first`, else the
 * first parameter of an experiment, else sizes, snapshots, orders and times by their usual names, else
 * the only key with numbers beside what is `measured`; NULL where none is better than others.
 */
const char *views_table_axis(const struct views_table *table, const char *first,
			     const char *measured);
/* ": choose with --per one of: address, order", keys with different numbers, or that there are none. Appended. */
void views_table_add_axes(const struct views_table *table, const char *measured, const char *option,
			  struct perun_buffer *out);
void views_numbers_clear(struct views_numbers *numbers);
/* Different values of a key as numbers 0, 1, 2 ..., whatever they are; for counting. */
int views_table_codes(const struct views_table *table, const char *key,
		      struct views_numbers *numbers);

/*
 * Categories of a key: numbers in ascending order, others by their first rows. "uid" is the function at
 * the leaf, of experiments the call path, where resources have stacks and no uid. Fails as above.
 */
struct views_categories {
	size_t count;
	char **names;
	double *numbers;  /* their values; NULL when some are not numbers */
	uint32_t *of_row; /* PERUN_NO_ID: the row is not selected, or has none */
};
int views_table_categories(const struct views_table *table, const char *key,
			   struct views_categories *categories);
/* What repeated measurements are grouped by: "subtype" when there are several, else "uid". */
const char *views_table_default_group(const struct views_table *table);
/* What sums are distinguished by: "uid", or where there is one only and it has several subtypes, these. */
const char *views_table_default_key(const struct views_table *table);
/* Whether a key is a parameter of an experiment. */
bool views_table_is_parameter(const struct views_table *table, const char *key);
void views_categories_clear(struct views_categories *categories);
/*
 * Keep the `limit` categories whose absolute values add up to most (`values` NULL: of most rows), in the
 * order of that, most first; the others become one more, called "N others", that is last. Those with
 * nothing but zeros are among these when there are several.
 */
void views_categories_limit(struct views_categories *categories, const double *values, size_t rows,
			    size_t limit);

/*
 * Aggregate values by two sets of categories: cells[a * b->count + b], NaN for cells without rows. `b`
 * may be NULL: one category.
 */
void views_aggregate(const struct views_table *table, const double *values,
		     const struct views_categories *a, const struct views_categories *b,
		     enum perun_aggregate function, double *cells);

#endif
