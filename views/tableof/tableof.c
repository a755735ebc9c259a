/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `tableof`: resources or models of a profile as a table. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/view.h>

#include "fit.h"
#include "layout.h"
#include "rows.h"
#include "views/common/text.h"
#include "views/common/text-svg.h"

enum { PICTURE_CELL = 40, PICTURE_WIDTH = 140 };

struct tableof {
	const struct perun_options *options;
	bool models;
	const char *title; /* of a page: what the user called the profile */
	bool clipped;      /* long texts are shortened */
	size_t width;      /* leave out the columns that would be beyond it; 0 = none */
};

static const struct perun_option tableof_options[] = {
	{.name = "to-file",
	 .aliases = "-tf",
	 .help = "write to the file of --output-file and not to standard output; without that to "
		 "resources_of_PROFILE or models_of_PROFILE"},
	{.name = "output-file",
	 .aliases = "-of",
	 .metavar = "FILE",
	 .help = "write the table to the file and not to standard output",
	 .type = PERUN_OPTION_PATH},
	{.name = "to-stdout",
	 .aliases = "-ts",
	 .help = "write to standard output, also when it is written to a file"},
	{.name = "format",
	 .aliases = "-f --output-format",
	 .metavar = "LAYOUT",
	 .help = "how the table is laid out",
	 .default_value = "simple",
	 .choices = LAYOUT_NAMES,
	 .type = PERUN_OPTION_CHOICE},
	{.name = "precision",
	 .metavar = "N",
	 .help = "significant digits of fractions, 0 for all; csv, tsv and json have all always",
	 .default_value = "6",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 17},
	{.name = "fit",
	 .help = "only what fits into the width of the terminal (default for a terminal, unless "
		 "--headers says what to show)"},
	{.name = "all-columns", .aliases = "--wide", .help = "everything, however wide it is"},
	{0}};

static const struct perun_option row_options[] = {
	{.name = "headers",
	 .aliases = "-h",
	 .metavar = "COLUMN",
	 .help = "the columns to show (default: all, by name)",
	 .type = PERUN_OPTION_LIST,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "sort-by",
	 .aliases = "-s --sort",
	 .metavar = "COLUMN",
	 .help = "sort by the column, equal rows by the next one given; with :desc the largest "
		 "first",
	 .type = PERUN_OPTION_LIST,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "reverse", .aliases = "-r", .help = "the other way round"},
	{.name = "filter-by",
	 .aliases = "-f --filter",
	 .metavar = "COLUMN VALUE",
	 .help = "only rows with the value; several of one column: any of them",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .values = 2},
	{.name = "where",
	 .aliases = "-w",
	 .metavar = "CONDITION",
	 .help = "only rows that fulfil it, such as 'amount > 3'",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .help = "at most N rows, 0 for all",
	 .default_value = "0",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 4e9},
	{0}};

static const struct perun_subcommand tableof_subcommands[] = {
	{.name = "resources",
	 .summary = "what was measured, a row each",
	 .options = row_options,
	 .option_size = sizeof(struct perun_option)},
	{.name = "models",
	 .summary = "what postprocessors found, a row each",
	 .options = row_options,
	 .option_size = sizeof(struct perun_option)},
	{0}};

static int tableof_open(struct perun_ctx *ctx, const struct perun_options *options,
			const char *subcommand, void **instance)
{
	struct tableof *tableof = perun_alloc_zero(1, sizeof *tableof);

	(void)ctx;
	tableof->options = options;
	tableof->models = subcommand && strcmp(subcommand, "models") == 0;
	*instance = tableof;
	return PERUN_OK;
}

/* The layout: what the user named, else what the form asks for. */
static const char *layout_of(const struct tableof *tableof, enum perun_form form)
{
	const char *named = perun_option_string(tableof->options, "format");

	if (perun_option_given(tableof->options, "format"))
		return named;
	return form == PERUN_FORM_CSV        ? "csv"
	       : form == PERUN_FORM_JSON     ? "json"
	       : form == PERUN_FORM_HTML     ? "html"
	       : form == PERUN_FORM_MARKDOWN ? "markdown"
					     : named;
}

/* A row as an object, numbers and truth values as such; what JSON has no word for is null. */
static void add_json_row(const struct rows *rows, uint32_t row, char *const *keys,
			 struct perun_buffer *text)
{
	for (size_t i = 0; i < rows->column_count; i++) {
		const struct perun_column *column = rows->columns[i];
		bool number = perun_column_info(column)->type == PERUN_TYPE_DOUBLE;

		perun_buffer_printf(text, "%s%s: ", i ? ", " : "{", keys[i]);
		if (number && !isfinite(perun_column_double(column, row)))
			perun_buffer_add_text(text, "null");
		else
			perun_column_print_json(column, row, text);
	}
	perun_buffer_add_char(text, '}');
}

static int write_json(const struct rows *rows, struct perun_output *output)
{
	char **keys = perun_alloc_zero(rows->column_count + 1, sizeof *keys);
	struct perun_buffer text = {0};
	int status = perun_output_text(output, "[");

	for (size_t i = 0; i < rows->column_count; i++) {
		const char *name = perun_column_info(rows->columns[i])->name;

		perun_json_quote(&text, name, strlen(name));
		keys[i] = perun_buffer_take(&text);
	}
	for (size_t i = 0; i < rows->count && !status; i++) {
		perun_buffer_clear(&text);
		perun_buffer_add_text(&text, i ? ",\n " : "\n ");
		add_json_row(rows, rows->numbers[i], keys, &text);
		status = perun_output_write(output, text.data, text.length);
	}
	for (size_t i = 0; i < rows->column_count; i++)
		perun_free(keys[i]);
	perun_free(keys);
	perun_buffer_free(&text);
	return perun_output_text(output, rows->count ? "\n]\n" : "]\n");
}

/* In a picture long texts lose their middle. */
static void add_cell(const struct tableof *tableof, struct texts *texts, const char *text)
{
	struct perun_buffer clipped = {0};

	if (tableof->clipped)
		views_add_fitted(&clipped, text, PICTURE_CELL, false);
	if (clipped.length)
		texts_add(texts, clipped.data, clipped.length);
	else
		texts_add(texts, text, strlen(text));
	perun_buffer_free(&clipped);
}

static void print_cell(const void *data, size_t row, size_t column, struct perun_buffer *text)
{
	const struct rows *rows = data;

	perun_column_print(rows->columns[column], rows->numbers[row], text);
}

/* Numbers take longer to print than to keep; texts are in the profile. */
static bool is_printed(const struct tableof *tableof, const struct perun_column *column)
{
	enum perun_type type = perun_column_info(column)->type;

	return !tableof->clipped && type >= PERUN_TYPE_STRING && type <= PERUN_TYPE_POINT;
}

static void make_texts(const struct tableof *tableof, const struct rows *rows, bool *printed,
		       struct texts *texts)
{
	struct perun_buffer text = {0};

	*texts = (struct texts){.columns = rows->column_count,
				.printed = printed,
				.print = print_cell,
				.data = rows};
	for (size_t c = 0; c < rows->column_count; c++)
		printed[c] = is_printed(tableof, rows->columns[c]);
	for (size_t i = 0; i < rows->count; i++) {
		for (size_t c = 0; c < rows->column_count; c++) {
			perun_buffer_clear(&text);
			if (!printed[c])
				print_cell(rows, i, c, &text);
			add_cell(tableof, texts, text.length ? text.data : "");
		}
	}
	perun_buffer_free(&text);
}

/* In a picture and in a page, what is empty in all rows, unless the user named the columns. */
static void drop_empty(const struct tableof *tableof, const char *layout, struct rows *rows)
{
	size_t kept = 0;
	struct perun_buffer text = {0};

	if ((!tableof->clipped && strcmp(layout, "html") != 0) || rows->count == 0 ||
	    perun_option_given(tableof->options, "headers"))
		return;
	for (size_t c = 0; c < rows->column_count; c++) {
		perun_buffer_clear(&text);
		for (size_t i = 0; i < rows->count && !text.length; i++)
			perun_column_print(rows->columns[c], rows->numbers[i], &text);
		if (text.length)
			rows->columns[kept++] = rows->columns[c];
	}
	rows->column_count = kept;
	perun_buffer_free(&text);
}

/* What does not fit is named below. */
static int write_fitted(const struct tableof *tableof, const struct table *table,
			const char *layout, const struct layout_style *style,
			struct perun_output *output)
{
	const char **headers = perun_alloc_zero(table->columns + 1, sizeof *headers);
	struct perun_buffer names = {0};
	struct table narrow;
	size_t count = fit_table(table, layout, style, tableof->width, headers, &narrow, &names);
	int status = layout_write(&narrow, layout, style, output);

	if (count && !status) {
		char *safe = perun_printable(names.data);
		char *text = perun_format("%zu more column%s, by --headers or --all-columns: %s",
					  count, count == 1 ? "" : "s", safe);

		perun_output_text(output, "\n");
		for (const char *line = text, *next; line; line = next) {
			size_t length = views_line_of(line, tableof->width, &next);

			perun_output_write(output, line, length);
			status = perun_output_text(output, "\n");
		}
		perun_free(text);
		perun_free(safe);
	}
	table_free(&narrow);
	perun_buffer_free(&names);
	perun_free(headers);
	return status;
}

/* In a page that may be wider than a window what says most comes first. */
static int write_page(const struct table *table, const struct layout_style *style,
		      struct perun_output *output)
{
	const char **headers = perun_alloc_zero(table->columns + 1, sizeof *headers);
	struct table ordered;
	int status;

	fit_order(table, headers, &ordered);
	status = layout_write(&ordered, "html", style, output);
	table_free(&ordered);
	perun_free(headers);
	return status;
}

static int write_texts(const struct tableof *tableof, const struct rows *rows, const char *layout,
		       bool color, struct perun_output *output)
{
	const char **headers = perun_alloc_zero(rows->column_count + 1, sizeof *headers);
	bool *printed = perun_alloc_zero(rows->column_count + 1, sizeof *printed);
	struct texts texts;
	const struct table table = {.columns = rows->column_count,
				    .title = tableof->title,
				    .headers = headers,
				    .texts = &texts};
	struct layout_style style = {
		.precision = (unsigned)perun_option_integer(tableof->options, "precision"),
		.color = color};
	int status;

	for (size_t i = 0; i < rows->column_count; i++)
		headers[i] = perun_column_info(rows->columns[i])->name;
	make_texts(tableof, rows, printed, &texts);
	if (strcmp(layout, "html") == 0 && !perun_option_given(tableof->options, "headers"))
		status = write_page(&table, &style, output);
	else if (tableof->width)
		status = write_fitted(tableof, &table, layout, &style, output);
	else
		status = layout_write(&table, layout, &style, output);
	texts_free(&texts);
	perun_free(printed);
	perun_free(headers);
	return status;
}

static int write_table(const struct tableof *tableof, struct perun_ctx *ctx,
		       const struct rows *rows, const char *layout, bool color,
		       struct perun_output *output)
{
	if (strcmp(layout, "json") == 0)
		return write_json(rows, output);
	if (rows->column_count == 0) {
		const char *what = tableof->models ? "models" : "resources";

		perun_note(ctx, "the profile has no %s", what);
		if (tableof->clipped && !tableof->width)
			return perun_output_printf(output, "%s has no %s\n", tableof->title, what);
		if (strcmp(layout, "html") != 0)
			return PERUN_OK;
	}
	return write_texts(tableof, rows, layout, color, output);
}

static bool wants_file(const struct tableof *tableof)
{
	return perun_option_flag(tableof->options, "to-file") ||
	       perun_option_given(tableof->options, "output-file");
}

/* The file that is named, else one called as the profile. */
static char *path_of(const struct tableof *tableof)
{
	const char *path = perun_option_string(tableof->options, "output-file");
	const char *name = strrchr(tableof->title, '/'), *suffix;

	if (path)
		return perun_strdup(path);
	name = name ? name + 1 : tableof->title;
	suffix = strrchr(name, '.');
	return perun_format(
		"%s_of_%.*s", tableof->models ? "models" : "resources",
		(int)(suffix && suffix != name ? (size_t)(suffix - name) : strlen(name)), name);
}

static int write_file(const struct tableof *tableof, struct perun_ctx *ctx, const struct rows *rows,
		      const char *layout)
{
	char *path = path_of(tableof);
	struct perun_output *output;
	int status = perun_output_open(ctx, path, &output);

	perun_free(path);
	if (status)
		return status;
	status = write_table(tableof, ctx, rows, layout, false, output);
	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	return status;
}

/* Whether what is too wide is left out. */
static void set_width(struct tableof *tableof, const char *layout,
		      const struct perun_canvas *canvas)
{
	const struct perun_options *options = tableof->options;

	if (tableof->clipped && !perun_option_given(options, "headers") &&
	    !perun_option_flag(options, "all-columns"))
		tableof->width = PICTURE_WIDTH;
	if (tableof->clipped || canvas->form != PERUN_FORM_TERMINAL ||
	    perun_option_flag(options, "all-columns") || wants_file(tableof) ||
	    layout_is_data(layout) ||
	    !(perun_option_flag(options, "fit") ||
	      (canvas->screen && !perun_option_given(options, "headers"))))
		return;
	tableof->width = canvas->width ? canvas->width : 80;
	tableof->clipped = true;
}

static int tableof_show(void *instance, struct perun_ctx *ctx,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	struct tableof *tableof = instance;
	const char *layout = layout_of(tableof, canvas->form);
	bool file = wants_file(tableof);
	struct rows rows = {0};
	int status;

	if (canvas->form == PERUN_FORM_SVG) {
		tableof->clipped = true;
		return views_show_svg(tableof_show, instance, ctx, profiles, names, count, canvas);
	}
	tableof->title = names[0];
	set_width(tableof, layout, canvas);
	status = rows_choose(ctx, profiles[0], tableof->models, tableof->options, &rows);
	if (!status)
		drop_empty(tableof, layout, &rows);
	if (!status && file)
		status = write_file(tableof, ctx, &rows, layout);
	if (!status && (!file || perun_option_flag(tableof->options, "to-stdout")))
		status = write_table(tableof, ctx, &rows, layout,
				     canvas->color && canvas->form == PERUN_FORM_TERMINAL,
				     canvas->output);
	rows_free(&rows);
	return status;
}

static const struct perun_view_ops tableof_ops = {
	.open = tableof_open,
	.close = perun_free,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_CSV | PERUN_FORM_JSON |
		 PERUN_FORM_MARKDOWN | PERUN_FORM_HTML,
	.minimum = 1,
	.maximum = 1,
	.show = tableof_show,
};

PERUN_PLUGIN(view, tableof) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "tableof", "resources or models as a table"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(tableof_options),
	PERUN_PLUGIN_SUBCOMMANDS(tableof_subcommands),
	PERUN_PLUGIN_OPS(tableof_ops),
};
