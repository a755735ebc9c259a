/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources as a table of numbers and categories: what charts of any profile are made of. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/experiment.h>

#include "views/common/chart-table.h"

enum { FEW_ZEROS = 3 }; /* this many categories of nothing but zeros are one */

static int select_rows(struct views_table *table, const struct perun_options *options)
{
	for (size_t i = 0; i < perun_option_count(options, "where"); i++) {
		const char *condition = perun_option_string_at(options, "where", i);
		uint64_t *selection;
		int status = perun_select_where(table->ctx, table->rows, condition, &selection);

		if (status)
			return status;
		if (table->selection) {
			perun_selection_and(table->selection, selection, table->count);
			perun_free(selection);
		} else {
			table->selection = selection;
		}
	}
	if (table->selection && !perun_selection_count(table->selection, table->count))
		return perun_fail(table->ctx, PERUN_INPUT, "no resource fulfils --where");
	return PERUN_OK;
}

int views_table_open(struct perun_ctx *ctx, struct perun_profile *profile,
		     const struct perun_options *options, struct views_table *table)
{
	int status;

	*table = (struct views_table){.ctx = ctx, .profile = profile};
	if (!perun_table_rows(perun_resources(profile)))
		return perun_fail(ctx, PERUN_INPUT, "the profile has no resources to draw");
	status = perun_resources_as_columns(ctx, profile, &table->flat);
	if (status)
		return status;
	table->rows = perun_resources(table->flat);
	table->count = perun_table_rows(table->rows);
	if (table->count >= UINT32_MAX)
		return perun_fail(ctx, PERUN_INPUT, "more resources than a chart can take");
	return select_rows(table, options);
}

/* Whether the rows measure one thing only, and what. */
static char *metric_of_rows(const struct views_table *table, const struct perun_column *column)
{
	struct perun_groups *groups;
	struct perun_buffer name = {0};

	if (perun_group_by(table->ctx, table->rows, &column, 1, table->selection, &groups))
		return NULL;
	if (groups->count == 1)
		perun_column_flat(column, groups->first_row[0], &name);
	perun_groups_free(groups);
	if (name.length)
		return perun_buffer_take(&name);
	perun_buffer_free(&name);
	return NULL;
}

/* What overlaps with other rows is a metric of its own, though the column says the same: "time(overlap)". */
static void leave_overlaps(struct views_table *table)
{
	const struct perun_column *subtype = perun_table_column(table->rows, "subtype");
	uint64_t *selection;

	if (!subtype ||
	    perun_select(table->ctx, subtype, PERUN_PREDICATE_IS_ABSENT, NULL, &selection))
		return;
	if (table->selection)
		perun_selection_and(selection, table->selection, table->count);
	if (perun_selection_count(selection, table->count)) {
		perun_free(table->selection);
		table->selection = selection;
	} else { /* they were asked for */
		perun_free(selection);
	}
}

int views_table_one_metric(struct views_table *table, const struct perun_options *options)
{
	const struct perun_column *column = perun_table_column(table->rows, "metric");
	const char *wanted = perun_profile_text(table->profile, "/header/default_metric");
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(table->profile, &count);
	struct perun_buffer others = {0};
	uint64_t *selection;
	int status;

	for (size_t i = 0; i < perun_option_count(options, "by"); i++)
		if (strcmp(perun_option_string_at(options, "by", i), "metric") == 0)
			return PERUN_OK;
	if (!perun_profile_parameters(table->profile) || !column || !count)
		return PERUN_OK;
	leave_overlaps(table);
	table->metric = metric_of_rows(table, column);
	if (table->metric)
		return PERUN_OK;
	wanted = perun_metric(table->profile, wanted) ? wanted : metrics[0]->name;
	status = perun_select(table->ctx, column, PERUN_PREDICATE_EQUAL, wanted, &selection);
	if (status)
		return status;
	if (table->selection)
		perun_selection_and(selection, table->selection, table->count);
	if (!perun_selection_count(selection, table->count)) {
		perun_free(selection);
		return PERUN_OK;
	}
	perun_free(table->selection);
	table->selection = selection;
	table->metric = perun_strdup(wanted);
	for (size_t i = 0; i < count; i++)
		if (strcmp(metrics[i]->name, wanted) != 0)
			perun_buffer_printf(&others, "%s%s", others.length ? ", " : "",
					    metrics[i]->name);
	table->other_metrics = others.length ? perun_buffer_take(&others) : NULL;
	return PERUN_OK;
}

void views_table_close(struct views_table *table)
{
	perun_free(table->metric);
	perun_free(table->other_metrics);
	perun_profile_unref(table->flat);
	perun_free(table->selection);
}

bool views_table_has(const struct views_table *table, size_t row)
{
	return !table->selection || perun_bit(table->selection, row);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool has_numbers(const struct perun_column *column)
{
	size_t rows = perun_table_rows(perun_column_table(column));

	switch (perun_column_info(column)->type) {
	case PERUN_TYPE_INT64:
	case PERUN_TYPE_UINT64:
	case PERUN_TYPE_DOUBLE:
	case PERUN_TYPE_BOOL:
		return true;
	case PERUN_TYPE_JSON:
		for (size_t row = 0; row < rows && row < 1000; row++) {
			if (!isnan(perun_column_double(column, row)))
				return true;
		}
		return false;
	default:
		return false;
	}
}

static int fail_key(const struct views_table *table, const char *key, bool numeric)
{
	struct perun_buffer known = {0};
	int status;

	for (size_t i = 0; i < perun_table_columns(table->rows); i++) {
		const struct perun_column *column = perun_table_column_at(table->rows, i);

		if (!numeric || has_numbers(column))
			perun_buffer_printf(&known, "%s%s", known.length ? ", " : "",
					    perun_column_info(column)->name);
	}
	status = perun_fail(table->ctx, PERUN_INPUT, "resources have no %s %s, only: %s",
			    numeric ? "numbers called" : "key", key,
			    known.length ? known.data : "none at all");
	perun_buffer_free(&known);
	return status;
}

/* "snapshots" and "snapshot" are one; parameters of an experiment are in its points; labels have a prefix, too. */
static const struct perun_column *find_column(const struct views_table *table, const char *key)
{
	static const char *const inner[] = {"point", "labels"};
	const struct perun_column *column = perun_table_column(table->rows, key);

	for (size_t i = 0; !column && i < sizeof inner / sizeof *inner; i++) {
		char *name = perun_format("%s:%s", inner[i], key);

		column = perun_table_column(table->rows, name);
		perun_free(name);
	}
	if (!column && strcmp(key, "snapshots") == 0)
		column = perun_table_column(table->rows, "snapshot");
	if (!column && strcmp(key, "snapshot") == 0)
		column = perun_table_column(table->rows, "snapshots");
	return column;
}

/* What the profile measures. */
static const char *default_key(const struct views_table *table)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(table->profile, &count);

	if (find_column(table, "amount") || !count)
		return "amount";
	return perun_column_info(metrics[0]->values)->name;
}

/* Values of an experiment are called as what they measure. */
static const char *title_of(const struct views_table *table, const char *key)
{
	const struct perun_metric *metric =
		table->metric ? perun_metric(table->profile, table->metric) : NULL;

	return metric && strcmp(perun_column_info(metric->values)->name, key) == 0 ? table->metric
										   : key;
}

/* The unit of a column: of the metrics that are in it when they agree. */
static char *unit_of(const struct views_table *table, const char *key)
{
	const struct perun_column *column = find_column(table, key);
	const char *unit = NULL;
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(table->profile, &count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(perun_column_info(metrics[i]->values)->name, key) != 0 ||
		    (table->metric && strcmp(metrics[i]->name, table->metric) != 0))
			continue;
		if (unit && strcmp(unit, metrics[i]->unit) != 0)
			return perun_strdup("");
		unit = metrics[i]->unit;
	}
	if (!unit && column)
		unit = perun_column_info(column)->unit;
	return perun_strdup(unit ? unit : "");
}

int views_table_numbers(const struct views_table *table, const char *key,
			struct views_numbers *numbers)
{
	const struct perun_column *column;

	*numbers = (struct views_numbers){.key = key ? key : default_key(table)};
	numbers->title = title_of(table, numbers->key);
	column = find_column(table, numbers->key);
	if (!column || !has_numbers(column))
		return fail_key(table, numbers->key, true);
	numbers->unit = unit_of(table, numbers->key);
	numbers->values = perun_alloc_zero(table->count + 1, sizeof *numbers->values);
	for (size_t row = 0; row < table->count; row++)
		numbers->values[row] =
			views_table_has(table, row) ? perun_column_double(column, row) : NAN;
	return PERUN_OK;
}

/* Whether the selected rows have two different numbers. */
static bool varies(const struct views_table *table, const char *key)
{
	const struct perun_column *column = find_column(table, key);
	double first = NAN;

	if (!column || !has_numbers(column))
		return false;
	for (size_t row = 0; row < table->count; row++) {
		double value = views_table_has(table, row) ? perun_column_double(column, row) : NAN;

		if (!isnan(value) && !isnan(first) && value != first)
			return true;
		first = isnan(first) ? value : first;
	}
	return false;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* The names of the columns that have values of metrics, sorted; the caller frees the list. */
static const char **list_measured(const struct views_table *table, size_t *count)
{
	const struct perun_metric *const *metrics = perun_metrics(table->profile, count);
	const char **names = perun_alloc_zero(*count + 1, sizeof *names);

	for (size_t i = 0; i < *count; i++)
		names[i] = perun_column_info(metrics[i]->values)->name;
	qsort((void *)names, *count, sizeof *names, compare_names);
	return names;
}

/* The only key with numbers beside what is measured, or NULL. */
static const char *only_other(const struct views_table *table, const char *measured)
{
	size_t metrics, others = 0;
	const char **values = list_measured(table, &metrics);
	const char *found = NULL;

	for (size_t i = 0; others < 2 && i < perun_table_columns(table->rows); i++) {
		const struct perun_column *column = perun_table_column_at(table->rows, i);
		const char *name = perun_column_info(column)->name;

		if (strcmp(name, measured) == 0 ||
		    bsearch((const void *)&name, (const void *)values, metrics, sizeof *values,
			    compare_names) ||
		    strncmp(name, "snapshot", 8) == 0 || !varies(table, name))
			continue;
		others++;
		found = name;
	}
	perun_free((void *)values);
	return others == 1 ? found : NULL;
}

bool views_table_is_parameter(const struct views_table *table, const char *key)
{
	size_t count = perun_profile_parameters(table->profile);

	for (size_t i = 0; i < count; i++)
		if (strcmp(perun_profile_parameter(table->profile, i, NULL), key) == 0)
			return true;
	return false;
}

const char *views_table_axis(const struct views_table *table, const char *first,
			     const char *measured)
{
	static const char *const usual[] = {"structure-unit-size", "snapshots", "order",
					    "call-order", "timestamp"};
	const char *parameter = perun_profile_parameters(table->profile)
					? perun_profile_parameter(table->profile, 0, NULL)
					: NULL;

	if (varies(table, first))
		return first;
	if (parameter && find_column(table, parameter))
		return parameter;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		if (varies(table, usual[i]))
			return usual[i];
	}
	return only_other(table, measured);
}

void views_table_add_axes(const struct views_table *table, const char *measured, const char *option,
			  struct perun_buffer *out)
{
	const size_t start = out->length;
	char *beginning = perun_format(": choose with %s one of: ", option);

	for (size_t i = 0; i < perun_table_columns(table->rows); i++) {
		const char *name = perun_column_info(perun_table_column_at(table->rows, i))->name;

		if (strcmp(name, measured) != 0 && varies(table, name))
			perun_buffer_printf(out, "%s%s", out->length > start ? ", " : beginning,
					    name);
	}
	if (out->length == start)
		perun_buffer_add_text(out, ", and no other key has different numbers");
	perun_free(beginning);
}

void views_numbers_clear(struct views_numbers *numbers)
{
	perun_free(numbers->unit);
	perun_free(numbers->values);
}

int views_table_codes(const struct views_table *table, const char *key,
		      struct views_numbers *numbers)
{
	struct views_categories categories;
	int status;

	*numbers = (struct views_numbers){.key = key ? key : default_key(table)};
	numbers->title = title_of(table, numbers->key);
	status = views_table_categories(table, numbers->key, &categories);
	if (status)
		return status;
	numbers->unit = perun_strdup("");
	numbers->values = perun_alloc_zero(table->count + 1, sizeof *numbers->values);
	for (size_t row = 0; row < table->count; row++)
		numbers->values[row] =
			categories.of_row[row] == PERUN_NO_ID ? NAN : categories.of_row[row];
	views_categories_clear(&categories);
	return PERUN_OK;
}

/* ---- categories ------------------------------------------------------------------------------ */

void views_categories_clear(struct views_categories *categories)
{
	for (size_t i = 0; i < categories->count; i++)
		perun_free(categories->names[i]);
	perun_free(categories->names);
	perun_free(categories->numbers);
	perun_free(categories->of_row);
	*categories = (struct views_categories){0};
}

/* The name of a stack's innermost function; PERUN_NO_ID without one. */
static perun_id leaf_name(const struct perun_profile *profile, perun_id stack)
{
	const struct perun_location *place =
		perun_profile_location(profile, perun_profile_stack_leaf(profile, stack));

	if (!place || !place->line_count || place->lines[0].function == PERUN_NO_ID)
		return PERUN_NO_ID;
	return perun_profile_function(profile, place->lines[0].function)->name;
}

/*
 * Groups of stacks whose innermost functions have the same name become one. A name may be long and end all stacks: so
 * it is written once.
 */
static void unite_leaves(const struct perun_profile *profile, const struct perun_column *column,
			 struct perun_groups *groups)
{
	uint32_t *seen = perun_alloc_zero(perun_profile_strings(profile) + 1, sizeof *seen);
	uint32_t *number = perun_alloc_zero(groups->count + 1, sizeof *number), count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		uint32_t row = groups->first_row[i];
		perun_id name = PERUN_NO_ID;

		if (!perun_column_absent(column, row))
			name = leaf_name(profile, perun_column_id(column, row));
		if (name != PERUN_NO_ID && seen[name]) {
			number[i] = seen[name] - 1;
			continue;
		}
		number[i] = count;
		groups->first_row[count++] = row;
		if (name != PERUN_NO_ID)
			seen[name] = count;
	}
	groups->count = count;
	for (size_t row = 0; row < groups->rows; row++)
		if (groups->group_of_row[row] != PERUN_NO_ID)
			groups->group_of_row[row] = number[groups->group_of_row[row]];
	perun_free(seen);
	perun_free(number);
}

/* The name of the function at the leaf. */
static void add_leaf(const struct perun_profile *profile, perun_id stack, struct perun_buffer *out)
{
	perun_id name = leaf_name(profile, stack);
	const struct perun_location *leaf =
		perun_profile_location(profile, perun_profile_stack_leaf(profile, stack));

	if (name != PERUN_NO_ID)
		perun_buffer_add_text(out, perun_profile_string(profile, name, NULL));
	else if (leaf)
		perun_buffer_printf(out, "0x%llx", (unsigned long long)leaf->address);
}

struct named {
	char *name;
	uint32_t group;
};

static int by_name(const void *a, const void *b)
{
	const struct named *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	return order ? order : one->group < other->group ? -1 : one->group > other->group;
}

/* Groups of the same name become one, in order of their first. Takes the names. */
static void unite(struct views_categories *categories, char **names, size_t count, size_t rows)
{
	struct named *sorted = perun_alloc_zero(count + 1, sizeof *sorted);
	uint32_t *first = perun_alloc_zero(count + 1, sizeof *first);
	uint32_t *number = perun_alloc_zero(count + 1, sizeof *number);

	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct named){names[i], (uint32_t)i};
	qsort(sorted, count, sizeof *sorted, by_name);
	for (size_t i = 0; i < count; i++)
		first[sorted[i].group] = i && strcmp(sorted[i].name, sorted[i - 1].name) == 0
						 ? first[sorted[i - 1].group]
						 : sorted[i].group;
	categories->names = perun_alloc_zero(count + 1, sizeof *categories->names);
	for (size_t i = 0; i < count; i++) {
		if (first[i] == i) {
			number[i] = (uint32_t)categories->count;
			categories->names[categories->count++] = names[i];
		} else {
			number[i] = number[first[i]];
			perun_free(names[i]);
		}
	}
	for (size_t row = 0; row < rows; row++) {
		if (categories->of_row[row] != PERUN_NO_ID)
			categories->of_row[row] = number[categories->of_row[row]];
	}
	perun_free(sorted);
	perun_free(first);
	perun_free(number);
	perun_free(names);
}

struct numbered {
	double value;
	uint32_t category;
};

static int by_value(const void *a, const void *b)
{
	const struct numbered *one = a, *other = b;

	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	return one->category < other->category ? -1 : 1;
}

/* Put the categories into another order: the i-th is what was order[i].category. */
static void reorder(struct views_categories *categories, const struct numbered *order, size_t rows)
{
	uint32_t *place = perun_alloc_zero(categories->count + 1, sizeof *place);
	char **names = perun_alloc_zero(categories->count + 1, sizeof *names);

	for (size_t i = 0; i < categories->count; i++) {
		place[order[i].category] = (uint32_t)i;
		names[i] = categories->names[order[i].category];
	}
	for (size_t row = 0; row < rows; row++) {
		if (categories->of_row[row] != PERUN_NO_ID)
			categories->of_row[row] = place[categories->of_row[row]];
	}
	perun_free(categories->names);
	categories->names = names;
	perun_free(place);
}

/* Where all categories are numbers: in ascending order. */
static void sort_numbers(struct views_categories *categories, size_t rows)
{
	struct numbered *order = perun_alloc_zero(categories->count + 1, sizeof *order);
	bool numbers = categories->count > 0;

	for (size_t i = 0; i < categories->count; i++) {
		char *end;

		order[i] = (struct numbered){perun_strtod(categories->names[i], &end), (uint32_t)i};
		numbers = numbers && *categories->names[i] && !*end && isfinite(order[i].value);
	}
	if (numbers) {
		qsort(order, categories->count, sizeof *order, by_value);
		reorder(categories, order, rows);
		categories->numbers =
			perun_alloc_zero(categories->count, sizeof *categories->numbers);
		for (size_t i = 0; i < categories->count; i++) {
			char *name = categories->names[i];
			size_t length = strlen(name);

			categories->numbers[i] = order[i].value;
			if (length > 2 && strcmp(name + length - 2, ".0") == 0)
				name[length - 2] = '\0';
		}
	}
	perun_free(order);
}

int views_table_categories(const struct views_table *table, const char *key,
			   struct views_categories *categories)
{
	const struct perun_column *column = find_column(table, key);
	const struct perun_table *rows = table->rows;
	const bool experiment = perun_table_column(rows, "point") != NULL;
	bool leaf = !column && strcmp(key, "uid") == 0;
	struct perun_groups *groups;
	char **names;
	int status;

	*categories = (struct views_categories){.count = 0};

	if (leaf) {
		/* As they were: the table has their texts only. */
		rows = perun_resources(table->profile);
		column = perun_table_column(rows, "stack");
		leaf = column && perun_column_info(column)->type == PERUN_TYPE_STACK;
	}
	if (!column)
		return fail_key(table, key, false);
	status = perun_group_by(table->ctx, rows, &column, 1, table->selection, &groups);
	if (status)
		return status;
	if (leaf && !experiment)
		unite_leaves(table->profile, column, groups);
	names = perun_alloc_zero(groups->count + 1, sizeof *names);
	for (size_t i = 0; i < groups->count; i++) {
		struct perun_buffer name = {0};

		if (leaf && experiment && !perun_column_absent(column, groups->first_row[i]))
			perun_callpath_print(table->profile,
					     perun_column_id(column, groups->first_row[i]), &name);
		else if (leaf && !perun_column_absent(column, groups->first_row[i]))
			add_leaf(table->profile, perun_column_id(column, groups->first_row[i]),
				 &name);
		else
			perun_column_flat(column, groups->first_row[i], &name);
		names[i] = perun_buffer_take(&name);
	}
	categories->of_row = perun_memdup(groups->group_of_row, table->count * sizeof(uint32_t));
	unite(categories, names, groups->count, table->count);
	perun_groups_free(groups);
	sort_numbers(categories, table->count);
	return PERUN_OK;
}

static bool has_several(const struct views_table *table, const char *key)
{
	struct views_categories categories;
	bool several;

	if (!find_column(table, key) || views_table_categories(table, key, &categories) != PERUN_OK)
		return false;
	several = categories.count > 1;
	views_categories_clear(&categories);
	return several;
}

const char *views_table_default_group(const struct views_table *table)
{
	return has_several(table, "subtype") ? "subtype" : "uid";
}

const char *views_table_default_key(const struct views_table *table)
{
	return find_column(table, "uid") && !has_several(table, "uid") &&
			       has_several(table, "subtype")
		       ? "subtype"
		       : "uid";
}

void views_categories_limit(struct views_categories *categories, const double *values, size_t rows,
			    size_t limit)
{
	struct numbered *order = perun_alloc_zero(categories->count + 1, sizeof *order);
	const size_t all = categories->count;
	size_t some = 0;

	for (size_t i = 0; i < all; i++)
		order[i].category = (uint32_t)i;
	for (size_t row = 0; row < rows; row++) {
		if (categories->of_row[row] == PERUN_NO_ID)
			continue;
		if (!values || isfinite(values[row]))
			order[categories->of_row[row]].value -= values ? fabs(values[row]) : 1;
	}
	qsort(order, all, sizeof *order, by_value);
	reorder(categories, order, rows);
	for (size_t i = 0; i < all; i++)
		some += order[i].value != 0;
	if (some && all - some >= FEW_ZEROS && (!limit || limit > some))
		limit = some;
	perun_free(order);
	perun_free(categories->numbers);
	categories->numbers = NULL;
	if (!limit || all <= limit + 1)
		return;
	for (size_t i = limit; i < all; i++)
		perun_free(categories->names[i]);
	categories->names[limit] = perun_format("%zu others", all - limit);
	categories->count = limit + 1;
	for (size_t row = 0; row < rows; row++) {
		if (categories->of_row[row] != PERUN_NO_ID && categories->of_row[row] > limit)
			categories->of_row[row] = (uint32_t)limit;
	}
}

void views_aggregate(const struct views_table *table, const double *values,
		     const struct views_categories *a, const struct views_categories *b,
		     enum perun_aggregate function, double *cells)
{
	const size_t width = b ? b->count : 1, count = a->count * width;
	size_t *starts = perun_alloc_zero(count + 2, sizeof *starts);
	double *sorted = perun_alloc_zero(table->count + 1, sizeof *sorted);

	/* Rows of each cell side by side: counted, then put in their places. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t row = 0; row < table->count; row++) {
			uint32_t one = a->of_row[row], other = b ? b->of_row[row] : 0;
			size_t cell;

			if (one == PERUN_NO_ID || other == PERUN_NO_ID || isnan(values[row]))
				continue;
			cell = one * width + other;
			if (pass == 0)
				starts[cell + 2]++;
			else
				sorted[starts[cell + 1]++] = values[row];
		}
		for (size_t i = 2; pass == 0 && i < count + 2; i++)
			starts[i] += starts[i - 1];
	}
	for (size_t i = 0; i < count; i++)
		cells[i] = starts[i + 1] == starts[i]
				   ? NAN
				   : perun_aggregate_values(sorted + starts[i],
							    starts[i + 1] - starts[i], function, 0);
	perun_free(starts);
	perun_free(sorted);
}
