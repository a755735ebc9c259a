/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `top`: the functions that cost most, or what changed most between two profiles. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/view.h>

#include "views/common/bars.h"
#include "views/common/page-table.h"
#include "views/common/plugin.h"
#include "views/common/rows.h"
#include "views/common/text-svg.h"

static const struct perun_option top_options[] = {
	VIEWS_DATA_OPTIONS,
	{.name = "sort",
	 .aliases = "-s",
	 .metavar = "WHAT",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "self total name delta total-delta relative base new flat cumulative",
	 .help = "what comes first (default: self; of two profiles: delta)"},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 4e9,
	 .default_value = "30",
	 .help = "at most N lines, 0 for all"},
	{.name = "minimum",
	 .aliases = "--min",
	 .metavar = "PERCENT",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 100,
	 .default_value = "0.5",
	 .help = "nothing with a smaller share of the whole"},
	{.name = "normalize", .help = "scale the first of two profiles to the sum of the second"},
	{0}};

enum { PROGRAMS = PERUN_FORM_JSON | PERUN_FORM_CSV };

static const struct views_column single_columns[] = {
	{"self", "self", VIEWS_AMOUNT, 0, 0, views_self, views_self_share},
	{"self_share", "self %", VIEWS_SHARE, 0, 1, views_self_share, views_self_share},
	{"", "", VIEWS_BAR, 0, 4, views_self_bar, NULL},
	{"total", "total", VIEWS_AMOUNT, 0, 2, views_total, views_total_share},
	{"total_share", "total %", VIEWS_SHARE, 0, 3, views_total_share, views_total_share},
	{"file", "file", VIEWS_FILE, PROGRAMS, 0, NULL, NULL},
	{"line", "line", VIEWS_LINE_NUMBER, PROGRAMS, 0, NULL, NULL},
	{"address", "address", VIEWS_ADDRESS, PROGRAMS, 0, NULL, NULL},
	{"name", "function", VIEWS_NAME, 0, 0, NULL, NULL},
};
enum { SINGLE_COLUMNS = sizeof single_columns / sizeof *single_columns };

static const struct views_column double_columns[] = {
	{"base_self", "base", VIEWS_AMOUNT, 0, 3, views_self, NULL},
	{"new_self", "new", VIEWS_AMOUNT, 0, 2, views_new_self, NULL},
	{"self_delta", "change", VIEWS_DELTA, 0, 0, views_self_delta, NULL},
	{"self_relative", "of itself", VIEWS_RELATIVE, 0, 1, views_self_relative, NULL},
	{"", "", VIEWS_BALANCE, 0, 5, views_delta_bar, NULL},
	{"base_total", "base total", VIEWS_AMOUNT, PROGRAMS, 0, views_total, NULL},
	{"new_total", "new total", VIEWS_AMOUNT, PROGRAMS, 0, views_new_total, NULL},
	{"total_delta", "total change", VIEWS_DELTA, 0, 4, views_total_delta, NULL},
	{"file", "file", VIEWS_FILE, PROGRAMS, 0, NULL, NULL},
	{"name", "function", VIEWS_NAME, 0, 0, NULL, NULL},
};
enum { DOUBLE_COLUMNS = sizeof double_columns / sizeof *double_columns };

struct top {
	const struct perun_options *options;
	struct views_pair pair; /* of one profile: only data[1] */
	const struct views_data *data;
	bool two;
	enum views_order order;
	struct views_rows rows;
	struct views_hidden hidden;
	struct views_grid grid;
	size_t all; /* rows before any were dropped */
};

static int top_open(struct perun_ctx *ctx, const struct perun_options *options,
		    const char *subcommand, void **instance)
{
	struct top *top = perun_alloc_zero(1, sizeof *top);

	(void)ctx;
	(void)subcommand;
	top->options = options;
	*instance = top;
	return PERUN_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int choose_order(struct perun_ctx *ctx, struct top *top)
{
	static const struct {
		const char *name;
		enum views_order order;
		bool needs_two;
	} orders[] = {{"self", VIEWS_BY_SELF, false},
		      {"flat", VIEWS_BY_SELF, false},
		      {"total", VIEWS_BY_TOTAL, false},
		      {"cumulative", VIEWS_BY_TOTAL, false},
		      {"name", VIEWS_BY_NAME, false},
		      {"delta", VIEWS_BY_DELTA, true},
		      {"total-delta", VIEWS_BY_TOTAL_DELTA, true},
		      {"relative", VIEWS_BY_RELATIVE, true},
		      {"base", VIEWS_BY_BASE, true},
		      {"new", VIEWS_BY_NEW, true}};
	const char *wanted = perun_option_string(top->options, "sort");

	top->order = top->two ? VIEWS_BY_DELTA : VIEWS_BY_SELF;
	for (size_t i = 0; wanted && i < sizeof orders / sizeof *orders; i++) {
		if (strcmp(orders[i].name, wanted) != 0)
			continue;
		if (orders[i].needs_two && !top->two)
			return perun_fail(ctx, PERUN_USAGE,
					  "--sort %s compares two profiles; only one is given",
					  wanted);
		top->order = orders[i].order;
		if (top->two && top->order == VIEWS_BY_SELF)
			top->order = VIEWS_BY_NEW;
	}
	return PERUN_OK;
}

/* What fills a bar: the largest value among those it shows. */
static long double bar_scale(const struct top *top)
{
	long double most = 0;

	for (size_t i = 0; i < top->rows.count; i++) {
		const struct views_row *row = &top->rows.items[i];
		long double value = top->two                       ? row->self[1] - row->self[0]
				    : top->order == VIEWS_BY_TOTAL ? row->total[0]
								   : row->self[0];

		most = fmaxl(most, fabsl(value));
	}
	return most;
}

static void make_grid(struct top *top, const struct perun_canvas *canvas)
{
	static const struct views_column by_total = {
		"", "", VIEWS_BAR, 0, 4, views_self_bar, views_total_bar};
	struct views_column *columns;
	size_t count = top->two ? DOUBLE_COLUMNS : SINGLE_COLUMNS;

	columns = perun_memdup(top->two ? double_columns : single_columns, count * sizeof *columns);
	for (size_t i = 0; i < count; i++) {
		if (columns[i].cell == VIEWS_BAR && top->order == VIEWS_BY_TOTAL)
			columns[i] = by_total;
		if (columns[i].cell == VIEWS_NAME)
			columns[i].title = views_title(top->data);
	}
	top->grid = (struct views_grid){
		.columns = columns,
		.column_count = count,
		.rows = top->rows.items,
		.row_count = top->rows.count,
		.canvas = canvas,
		.unit = top->data->unit,
		.whole = {top->pair.data[top->two ? 0 : 1].whole * top->pair.factor[0],
			  top->data->whole},
		.scale = bar_scale(top),
		.higher_is_better = views_higher_is_better(top->data)};
}

static int choose_rows(struct perun_ctx *ctx, struct top *top)
{
	long double whole = top->data->whole, minimum;
	struct views_hidden hidden = {0};
	int status;

	if (top->two)
		whole = fmaxl(whole, top->pair.data[0].whole * top->pair.factor[0]);
	minimum = whole * perun_option_number(top->options, "minimum") / 100;
	status = top->two
			 ? views_rows_of_pair(ctx, &top->pair, &top->rows)
			 : views_rows_of_large(top->data, top->order, minimum, &top->rows, &hidden);
	if (status)
		return status;
	top->all = top->rows.count + hidden.small;
	views_rows_sort(&top->rows, top->order);
	views_rows_limit(&top->rows, top->order, minimum,
			 (size_t)perun_option_integer(top->options, "limit"), &top->hidden);
	top->hidden.small += hidden.small;
	top->hidden.small_self[0] += hidden.small_self[0];
	return PERUN_OK;
}

/* ---- for people ------------------------------------------------------------------------------ */

/* What several rows are together: their share, or with two profiles their change. */
static void add_together(const struct top *top, const long double self[2], struct perun_buffer *out)
{
	perun_buffer_add_text(out, ", together ");
	if (top->two)
		views_add_amount(out, self[1] - self[0], &top->data->unit, true,
				 top->grid.canvas->ascii);
	else
		views_add_share(out, top->grid.whole[0] ? self[0] / top->grid.whole[0] : 0, false);
}

/* "42 functions below 0.5 % not shown, together 1.2 %". */
static void add_hidden(const struct top *top, struct perun_buffer *out)
{
	const struct views_hidden *hidden = &top->hidden;

	if (hidden->small || hidden->more)
		perun_buffer_add_char(out, '\n');
	if (hidden->small) {
		perun_buffer_printf(out, "%zu %s below ", hidden->small,
				    views_plural(top->data, hidden->small));
		views_add_share(out, perun_option_number(top->options, "minimum") / 100, false);
		perun_buffer_add_text(out, " not shown");
		add_together(top, hidden->small_self, out);
		perun_buffer_add_char(out, '\n');
	}
	if (hidden->more) {
		perun_buffer_printf(out, "%zu more %s beyond the first %zu not shown", hidden->more,
				    views_plural(top->data, hidden->more), top->rows.count);
		add_together(top, hidden->more_self, out);
		perun_buffer_add_char(out, '\n');
	}
}

static void add_text(const struct top *top, struct perun_buffer *out)
{
	if (top->grid.canvas->form == PERUN_FORM_CSV) {
		views_grid_add(&top->grid, out);
		return;
	}
	if (top->two)
		views_add_pair_heading(&top->pair, top->grid.canvas, out);
	else
		views_add_heading(top->data, top->grid.canvas, out);
	perun_buffer_add_char(out, '\n');
	if (top->rows.count)
		views_grid_add(&top->grid, out);
	else
		perun_buffer_add_text(out, top->all ? "Nothing is large enough to be shown.\n"
						    : "There is nothing to show.\n");
	add_hidden(top, out);
}

/* What is in the page of one or two profiles. */
static int write_table(void *data, struct perun_output *output)
{
	const struct top *top = data;
	struct perun_buffer markup = {0};
	int status;

	views_grid_add_html(&top->grid, false, &markup);
	status = perun_output_write(output, markup.data, markup.length);
	perun_buffer_free(&markup);
	return status;
}

static int write_page(struct top *top, struct perun_output *output)
{
	struct perun_buffer heading = {0};
	int status;

	if (top->two)
		views_add_pair_heading(&top->pair, top->grid.canvas, &heading);
	else
		views_add_heading(top->data, top->grid.canvas, &heading);
	add_hidden(top, &heading);
	status = views_table_page(heading.data, write_table, top, output);
	perun_buffer_free(&heading);
	return status;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void write_hidden(const struct top *top, struct perun_json_writer *writer)
{
	const struct views_hidden *hidden = &top->hidden;

	perun_json_write_key_text(writer, "not_shown");
	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "rows");
	perun_json_write_uint64(writer, hidden->small + hidden->more);
	if (top->two) {
		perun_json_write_key_text(writer, "base_self");
		views_write_number(writer, hidden->small_self[0] + hidden->more_self[0]);
	}
	perun_json_write_key_text(writer, top->two ? "new_self" : "self");
	views_write_number(writer, hidden->small_self[top->two] + hidden->more_self[top->two]);
	perun_json_write_object_end(writer);
}

static void add_json(const struct top *top, struct perun_buffer *out)
{
	struct perun_json_writer *writer = perun_json_writer_new(out, PERUN_JSON_INDENTED, 1);

	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "view");
	perun_json_write_text(writer, "top");
	if (top->two)
		views_write_pair(writer, &top->pair);
	else
		views_write_data(writer, top->data);
	perun_json_write_key_text(writer, "rows");
	views_grid_write(&top->grid, writer);
	write_hidden(top, writer);
	perun_json_write_object_end(writer);
	perun_json_writer_finish(writer);
	perun_buffer_add_char(out, '\n');
}

/* ---- together -------------------------------------------------------------------------------- */

static void end(struct top *top)
{
	views_rows_free(&top->rows);
	views_close_pair(&top->pair);
	perun_free((void *)top->grid.columns);
	top->grid.columns = NULL;
}

static int top_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		    const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	struct top *top = instance;
	struct perun_buffer out = {0};
	int status;

	if (canvas->form == PERUN_FORM_SVG)
		return views_show_svg(top_show, instance, ctx, profiles, names, count, canvas);
	top->two = count == 2;
	top->data = &top->pair.data[1];
	status = choose_order(ctx, top);
	if (!status && top->two)
		status = views_open_pair(ctx, top->options, profiles, names, &top->pair);
	else if (!status)
		status = views_open(ctx, top->options, profiles[0], names[0], NULL,
				    &top->pair.data[1]);
	if (!top->two)
		top->pair.factor[0] = top->pair.factor[1] = 1;
	if (!status)
		status = choose_rows(ctx, top);
	if (!status) {
		make_grid(top, canvas);
		if (canvas->form == PERUN_FORM_JSON)
			add_json(top, &out);
		else if (canvas->form != PERUN_FORM_HTML)
			add_text(top, &out);
		if (canvas->form == PERUN_FORM_HTML)
			status = write_page(top, canvas->output);
		else
			status = perun_output_write(canvas->output, out.data, out.length);
	}
	perun_buffer_free(&out);
	end(top);
	return status;
}

VIEW_PLUGIN(top, "top", "what costs most, or changed most", top_options, .open = top_open,
	    .close = perun_free,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_HTML | PERUN_FORM_SVG | PERUN_FORM_JSON |
		     PERUN_FORM_CSV | PERUN_FORM_MARKDOWN,
	    .minimum = 1, .maximum = 2, .show = top_show);
