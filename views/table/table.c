/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `table`: values of two profiles side by side, in the layouts of the view tableof. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/chart-table.h"
#include "views/common/plugin.h"
#include "views/common/repeats.h"

static const struct perun_option table_options[] = {
	{.name = "by",
	 .aliases = "-b",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_LIST,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .default_value = "uid",
	 .help = "a row for each value of the key, or of several together"},
	{.name = "of",
	 .aliases = "-o",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "whose values are compared (default: what is measured)"},
	{.name = "function",
	 .metavar = "FUNCTION",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "sum mean median min max",
	 .default_value = "sum",
	 .help = "how the values of a row become one (of repeated measurements by default the "
		 "median)"},
	{.name = "limit",
	 .aliases = "-n --top-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 4e9,
	 .default_value = "10",
	 .help = "at most N rows, 0 for all"},
	{.name = "sort-by",
	 .aliases = "-s --sort",
	 .metavar = "COLUMN",
	 .type = PERUN_OPTION_LIST,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "sort by the column, equal rows by the next one given; with :desc the largest "
		 "first (default: the largest change first)"},
	{.name = "group-by",
	 .aliases = "-g",
	 .metavar = "COLUMN",
	 .type = PERUN_OPTION_STRING,
	 .help = "rows with the same value in the column are grouped; origin: as they are, both "
		 "origins are columns (default)"},
	{.name = "filter-by",
	 .aliases = "-f --filter",
	 .metavar = "COLUMN VALUE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .values = 2,
	 .help = "only rows with the value; several of one column: any of them"},
	{.name = "rows-where",
	 .metavar = "CONDITION",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "only rows of the table that fulfil it, such as 'change > 3'"},
	{.name = "format",
	 .metavar = "LAYOUT",
	 .type = PERUN_OPTION_STRING,
	 .help = "how the table is laid out: one of the layouts of tableof"},
	VIEWS_TABLE_OPTIONS,
	{0}};

enum { MAX_KEYS = 16 };
static const char separator = '\x1f'; /* between the values of several keys */

/* One of both profiles. */
struct side {
	struct views_table table;
	struct views_numbers of;
	struct views_categories rows; /* names: the values of all keys */
	double *values;               /* of each category */
	uint32_t *order;              /* of the categories by their names */
};

struct line {
	const char *name;
	double values[2]; /* NaN = not there */
};

/* ---- rows ------------------------------------------------------------------------------------ */

struct code {
	uint64_t pair;
	uint32_t row;
};

static int compare_codes(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Every pair that occurs is a category of its own. Takes both. */
static void combine(struct views_categories *a, struct views_categories *b, size_t rows)
{
	struct views_categories both = {.of_row = perun_alloc_zero(rows + 1, sizeof(uint32_t))};
	struct code *codes = perun_alloc_zero(rows + 1, sizeof *codes);
	size_t count = 0, capacity = 0;

	for (uint32_t row = 0; row < rows; row++) {
		both.of_row[row] = PERUN_NO_ID;
		if (a->of_row[row] != PERUN_NO_ID && b->of_row[row] != PERUN_NO_ID)
			codes[count++] =
				(struct code){(uint64_t)a->of_row[row] << 32 | b->of_row[row], row};
	}
	qsort(codes, count, sizeof *codes, compare_codes);
	for (size_t i = 0; i < count; i++) {
		const uint32_t row = codes[i].row;

		if (!i || codes[i].pair != codes[i - 1].pair) {
			PERUN_GROW(both.names, both.count, capacity);
			both.names[both.count++] =
				perun_format("%s%c%s", a->names[a->of_row[row]], separator,
					     b->names[b->of_row[row]]);
		}
		both.of_row[row] = (uint32_t)both.count - 1;
	}
	perun_free(codes);
	views_categories_clear(a);
	views_categories_clear(b);
	*a = both;
}

static int compare_names(const void *a, const void *b, void *data)
{
	const struct views_categories *rows = data;

	return strcmp(rows->names[*(const uint32_t *)a], rows->names[*(const uint32_t *)b]);
}

static int make_rows(struct side *side, const struct perun_options *options)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < perun_option_count(options, "by") && !status; i++) {
		struct views_categories key = {0};

		status = views_table_categories(&side->table,
						perun_option_string_at(options, "by", i), &key);
		if (!status && i)
			combine(&side->rows, &key, side->table.count);
		else
			side->rows = key;
	}
	return status;
}

/* Values that repeat a measurement do not add up. */
static enum perun_aggregate function_of(const struct perun_options *options,
					const struct views_table *table)
{
	if (!perun_option_given(options, "function") && table->rows &&
	    views_has_repeats(table->rows))
		return PERUN_AGGREGATE_MEDIAN;
	return perun_aggregate_from_name(perun_option_string(options, "function"));
}

/* The metric of repeats that is compared: the first one of both, unless the user chooses or distinguishes values. */
static const char *common_metric(const struct perun_options *options,
				 struct perun_profile *const *profiles)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profiles[1], &count);

	if (perun_option_given(options, "by") || perun_option_given(options, "of") ||
	    perun_option_given(options, "where") ||
	    !views_has_repeats(perun_resources(profiles[0])) ||
	    !views_has_repeats(perun_resources(profiles[1])))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (perun_metric(profiles[0], metrics[i]->name))
			return metrics[i]->name;
	}
	return NULL;
}

/* Leave the rows of a metric; NULL = all. */
static int choose_metric(struct views_table *table, const char *name)
{
	const struct perun_metric *metric = name ? perun_metric(table->flat, name) : NULL;

	if (!metric || table->selection || table->metric)
		return PERUN_OK;
	table->selection = perun_selection_new(table->count, false);
	for (size_t row = 0; row < table->count; row++) {
		if (perun_metric_has_row(metric, row))
			table->selection[row / 64] |= (uint64_t)1 << (row % 64);
	}
	table->metric = perun_strdup(name);
	return PERUN_OK;
}

static int open_side(struct perun_ctx *ctx, struct perun_profile *profile,
		     const struct perun_options *options, const char *metric, struct side *side)
{
	int status = views_table_open(ctx, profile, options, &side->table);
	enum perun_aggregate function = function_of(options, &side->table);

	if (!status)
		status = views_table_one_metric(&side->table, options);
	if (!status)
		status = choose_metric(&side->table, metric);
	if (!status)
		status = views_table_numbers(&side->table, perun_option_string(options, "of"),
					     &side->of);
	if (!status)
		status = make_rows(side, options);
	if (status)
		return status;
	side->values = perun_alloc_zero(side->rows.count + 1, sizeof *side->values);
	views_aggregate(&side->table, side->of.values, &side->rows, NULL, function, side->values);
	side->order = perun_alloc_zero(side->rows.count + 1, sizeof *side->order);
	for (uint32_t i = 0; i < side->rows.count; i++)
		side->order[i] = i;
	qsort_r(side->order, side->rows.count, sizeof *side->order, compare_names, &side->rows);
	return PERUN_OK;
}

static void close_side(struct side *side)
{
	views_numbers_clear(&side->of);
	views_categories_clear(&side->rows);
	views_table_close(&side->table);
	perun_free(side->values);
	perun_free(side->order);
}

/* ---- joining --------------------------------------------------------------------------------- */

static double change_of(const struct line *line)
{
	return (isnan(line->values[1]) ? 0 : line->values[1]) -
	       (isnan(line->values[0]) ? 0 : line->values[0]);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	const double left = fabs(change_of(x)), right = fabs(change_of(y));

	if (left != right)
		return left < right ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Names that both have become one line. `factor` converts values of base into the unit of new. */
static struct line *join(const struct side sides[2], double factor, size_t *count)
{
	const size_t all = sides[0].rows.count + sides[1].rows.count;
	struct line *lines = perun_alloc_zero(all + 1, sizeof *lines);
	size_t at[2] = {0, 0};

	for (*count = 0; at[0] < sides[0].rows.count || at[1] < sides[1].rows.count; ++*count) {
		const char *names[2] = {NULL, NULL};
		struct line *line = &lines[*count];
		int order;

		for (int i = 0; i < 2; i++) {
			if (at[i] < sides[i].rows.count)
				names[i] = sides[i].rows.names[sides[i].order[at[i]]];
		}
		order = !names[0] ? 1 : !names[1] ? -1 : strcmp(names[0], names[1]);
		*line = (struct line){.name = order <= 0 ? names[0] : names[1],
				      .values = {NAN, NAN}};
		if (order <= 0)
			line->values[0] = sides[0].values[sides[0].order[at[0]++]] * factor;
		if (order >= 0)
			line->values[1] = sides[1].values[sides[1].order[at[1]++]];
	}
	qsort(lines, *count, sizeof *lines, compare_lines);
	return lines;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct columns {
	struct perun_builder *builder;
	struct perun_table_builder *table;
	struct perun_column_builder *keys[MAX_KEYS], *numbers[4];
	bool for_people;
};

static const char *const number_names[] = {"base", "new", "change", "relative"};

static void add_columns(struct columns *columns, const struct perun_options *options)
{
	for (size_t i = 0; i < perun_option_count(options, "by"); i++) {
		const struct perun_column_info info = {
			.name = perun_option_string_at(options, "by", i),
			.type = PERUN_TYPE_STRING,
			.role = PERUN_ROLE_KEY};

		columns->keys[i] = perun_table_add_column(columns->table, &info);
	}
	for (size_t i = 0; i < 4; i++) {
		const struct perun_column_info info = {.name = number_names[i],
						       .type = i < 3 ? PERUN_TYPE_INT64
								     : PERUN_TYPE_DOUBLE,
						       .role = PERUN_ROLE_PLAIN,
						       .growing = true};

		columns->numbers[i] = perun_table_add_column(columns->table, &info);
	}
}

/* Whole numbers are integers, so that they print in full. */
static void set_number(struct perun_column_builder *column, double value)
{
	if (isnan(value))
		return;
	if (value == floor(value) && fabs(value) < 9e15)
		perun_column_set_int64(column, (int64_t)value);
	else
		perun_column_set_double(column, value);
}

static void add_line(struct columns *columns, const struct line *line)
{
	const char *name = line->name;
	const double change = change_of(line);

	for (size_t i = 0; columns->keys[i] && i < MAX_KEYS; i++) {
		const char *end = columns->keys[i + 1] ? strchr(name, separator) : NULL;
		const size_t length = end ? (size_t)(end - name) : strlen(name);

		perun_column_set_id(columns->keys[i], PERUN_TYPE_STRING,
				    perun_builder_string(columns->builder, name, length));
		name += end ? length + 1 : length;
	}
	set_number(columns->numbers[0], line->values[0]);
	set_number(columns->numbers[1], line->values[1]);
	set_number(columns->numbers[2], change);
	if (line->values[0] != 0) {
		double relative = change / fabs(line->values[0]);

		/* A hundredth of a percent is enough to read. */
		set_number(columns->numbers[3],
			   columns->for_people ? round(1e4 * relative) / 1e4 : relative);
	}
	perun_table_end_row(columns->table);
}

static int make_profile(struct perun_ctx *ctx, const struct perun_options *options,
			const struct line *lines, size_t count, bool for_people,
			struct perun_profile **profile)
{
	struct columns columns = {.builder = perun_builder_new(), .for_people = for_people};

	columns.table = perun_builder_table(columns.builder, "resources");
	add_columns(&columns, options);
	for (size_t i = 0; i < count; i++)
		add_line(&columns, &lines[i]);
	return perun_builder_finish(ctx, columns.builder, profile);
}

/* ---- words for tableof ----------------------------------------------------------------------- */

struct words {
	const char **items;
	size_t count, capacity;
};

static void add_word(struct words *words, const char *word)
{
	PERUN_GROW(words->items, words->count, words->capacity);
	words->items[words->count++] = word;
}

static void pass_on(struct words *words, const struct perun_options *options, const char *name,
		    const char *option, size_t values)
{
	for (size_t i = 0; i < perun_option_count(options, name); i++) {
		if (i % values == 0)
			add_word(words, option);
		add_word(words, perun_option_string_at(options, name, i));
	}
}

static int lay_out(struct perun_ctx *ctx, const struct perun_options *options,
		   struct perun_profile *profile, const char *name,
		   const struct perun_canvas *canvas)
{
	const char *group = perun_option_string(options, "group-by");
	struct words words = {0};
	int status;

	add_word(&words, "resources");
	pass_on(&words, options, "format", "--format", 1);
	pass_on(&words, options, "by", "--headers", 1);
	for (size_t i = 0; i < 4; i++) {
		add_word(&words, "--headers");
		add_word(&words, number_names[i]);
	}
	if (group && strcmp(group, "origin") != 0) {
		add_word(&words, "--sort-by");
		add_word(&words, group);
	}
	pass_on(&words, options, "sort-by", "--sort-by", 1);
	pass_on(&words, options, "filter-by", "--filter-by", 2);
	pass_on(&words, options, "rows-where", "--where", 1);
	pass_on(&words, options, "limit", "--limit", 1);
	if (canvas->screen)
		add_word(&words, "--fit");
	add_word(&words, NULL);
	status = perun_show_profiles(ctx, "tableof", words.items, &profile, &name, 1, canvas);
	perun_free((void *)words.items);
	return status;
}

/* ---- the view -------------------------------------------------------------------------------- */

static int table_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	(void)subcommand;
	if (perun_option_count(options, "by") >= MAX_KEYS)
		return perun_fail(ctx, PERUN_USAGE, "not more than %d keys, please", MAX_KEYS - 1);
	*instance = (void *)options;
	return PERUN_OK;
}

static bool is_for_people(const struct perun_options *options, const struct perun_canvas *canvas)
{
	return (canvas->form == PERUN_FORM_TERMINAL || canvas->form == PERUN_FORM_HTML) &&
	       !perun_option_given(options, "format");
}

/* "sum of time(real) of before.perf (base) and after.perf (new) in s"; the caller frees it. */
static char *heading_of(const struct perun_options *options, const struct side sides[2],
			const char *const *names)
{
	const char *unit = sides[1].of.unit ? sides[1].of.unit : "";

	return perun_format("%s of %s of %s (base) and %s (new)%s%s",
			    perun_aggregate_name(function_of(options, &sides[1].table)),
			    sides[1].of.title, names[0], names[1], *unit ? " in " : "", unit);
}

static const char *unit_words(const struct side *side)
{
	return side->of.unit && *side->of.unit ? side->of.unit : "no unit";
}

static int compare(struct perun_ctx *ctx, const struct perun_options *options,
		   const struct side sides[2], const char *const *names,
		   const struct perun_canvas *canvas)
{
	const double factor = (double)perun_unit_factor(sides[0].of.unit ? sides[0].of.unit : "",
							sides[1].of.unit ? sides[1].of.unit : "");
	struct perun_profile *profile = NULL;
	const bool for_people = is_for_people(options, canvas);
	char *heading, *safe;
	struct line *lines;
	size_t count;
	int status;

	if (factor == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s is measured in %s in %s, in %s in %s: these do not convert",
				  sides[0].of.key, unit_words(&sides[0]), names[0],
				  unit_words(&sides[1]), names[1]);
	lines = join(sides, factor, &count);
	heading = heading_of(options, sides, names);
	safe = perun_printable(heading);
	status = make_profile(ctx, options, lines, count, for_people, &profile);
	if (!status && for_people && canvas->form == PERUN_FORM_TERMINAL)
		status = perun_output_printf(canvas->output, "%s\n\n", safe);
	if (!status)
		status = lay_out(ctx, options, profile, for_people ? heading : names[1], canvas);
	perun_free(safe);
	perun_free(heading);
	perun_profile_unref(profile);
	perun_free(lines);
	return status;
}

static int table_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		      const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	const struct perun_options *options = instance;
	struct side sides[2] = {{.values = NULL}, {.values = NULL}};
	const char *metric = common_metric(options, profiles);
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++) {
		status = open_side(ctx, profiles[i], options, metric, &sides[i]);
		if (status)
			perun_fail(ctx, PERUN_OK, "%s", names[i]);
	}
	if (!status)
		status = compare(ctx, options, sides, names, canvas);
	for (size_t i = 0; i < 2; i++)
		close_side(&sides[i]);
	return status;
}

VIEW_PLUGIN(table, "table", "values of two profiles side by side", table_options,
	    .open = table_open,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_CSV | PERUN_FORM_JSON | PERUN_FORM_MARKDOWN |
		     PERUN_FORM_HTML,
	    .minimum = 2, .maximum = 2, .show = table_show);
