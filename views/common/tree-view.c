/* SPDX-License-Identifier: BSD-3-Clause */
/* Views that draw call trees: from the roots, to callers, to callees. */
#include <config.h>

#include <string.h>

#include "views/common/page-table.h"
#include "views/common/tree.h"

enum { PROGRAMS = PERUN_FORM_JSON | PERUN_FORM_CSV, FUNCTIONS_MAX = 5 };

/* Of callers nothing is their own: their values are those of calls. */
static const struct views_column columns[] = {
	{"total", "total", VIEWS_AMOUNT, 0, 2, views_total, views_total_share},
	{"total_share", "total %", VIEWS_SHARE, 0, 0, views_total_share, views_total_share},
	{"self", "self", VIEWS_AMOUNT, PROGRAMS, 0, views_self, NULL},
	{"self_share", "self %", VIEWS_SHARE, 0, 3, views_self_share, views_self_share},
	{"", "", VIEWS_BAR, 0, 4, views_self_bar, views_total_bar},
	{"depth", "depth", VIEWS_DEPTH, PROGRAMS, 0, NULL, NULL},
	{"file", "file", VIEWS_FILE, PROGRAMS, 0, NULL, NULL},
	{"line", "line", VIEWS_LINE_NUMBER, PROGRAMS, 0, NULL, NULL},
	{"address", "address", VIEWS_ADDRESS, PROGRAMS, 0, NULL, NULL},
	{"name", "function", VIEWS_NAME, 0, 0, NULL, NULL},
};
static const struct views_column caller_columns[] = {
	{"total", "total", VIEWS_AMOUNT, 0, 2, views_total, views_total_share},
	{"total_share", "total %", VIEWS_SHARE, 0, 0, views_total_share, views_total_share},
	{"", "", VIEWS_BAR, 0, 4, views_total_bar, NULL},
	{"depth", "depth", VIEWS_DEPTH, PROGRAMS, 0, NULL, NULL},
	{"file", "file", VIEWS_FILE, PROGRAMS, 0, NULL, NULL},
	{"line", "line", VIEWS_LINE_NUMBER, PROGRAMS, 0, NULL, NULL},
	{"address", "address", VIEWS_ADDRESS, PROGRAMS, 0, NULL, NULL},
	{"name", "function", VIEWS_NAME, 0, 0, NULL, NULL},
};

struct drawing {
	const struct perun_options *options;
	const struct perun_canvas *canvas;
	struct views_data data;
	struct views_tree_request request;
	struct perun_buffer *out;
	struct perun_json_writer *writer; /* JSON */
};

static struct views_grid grid_of(const struct drawing *drawing, const struct views_tree *tree)
{
	bool callers = drawing->request.inverted;
	/* From the roots shares are of everything, also of what filters dropped. */
	long double whole = drawing->request.function ? tree->whole : drawing->data.whole;

	return (struct views_grid){
		.columns = callers ? caller_columns : columns,
		.column_count = callers ? sizeof caller_columns / sizeof *caller_columns
					: sizeof columns / sizeof *columns,
		.rows = tree->rows.items,
		.row_count = tree->rows.count,
		.canvas = drawing->canvas,
		.unit = drawing->data.unit,
		.whole = {whole, whole},
		.scale = whole,
	};
}

/* ---- for people ------------------------------------------------------------------------------ */

/* "Callers of f, 3.20 s of 8.00 s (40.0 %):". */
static void add_function(struct drawing *drawing, const struct views_tree *tree)
{
	const struct views_data *data = &drawing->data;
	char *name = perun_printable(drawing->request.function);

	perun_buffer_printf(drawing->out,
			    "\n%s of %s: ", drawing->request.inverted ? "Callers" : "Callees",
			    name);
	views_add_amount(drawing->out, tree->whole, &data->unit, false, drawing->canvas->ascii);
	perun_buffer_add_text(drawing->out, ", ");
	views_add_share(drawing->out, data->whole != 0 ? tree->whole / data->whole : 0, false);
	perun_buffer_add_text(drawing->out, " of everything\n");
	perun_free(name);
}

static void add_left_out(struct drawing *drawing, const struct views_tree *tree)
{
	struct perun_buffer *out = drawing->out;

	bool calls = views_has_only_calls(&drawing->data);

	if (tree->deep || tree->more || calls)
		perun_buffer_add_char(out, '\n');
	if (calls)
		perun_buffer_add_text(out, "The profile has no stacks: these are direct calls.\n");
	if (tree->deep)
		perun_buffer_printf(out, "%zu call%s deeper than %zu level%s not shown\n",
				    tree->deep, tree->deep == 1 ? "" : "s", drawing->request.depth,
				    drawing->request.depth == 1 ? "" : "s");
	if (tree->more)
		perun_buffer_printf(out, "%zu call%s beyond the first %zu lines not shown\n",
				    tree->more, tree->more == 1 ? "" : "s", tree->rows.count);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void write_row(const struct views_grid *grid, size_t i, struct perun_json_writer *writer)
{
	const struct views_row *row = &grid->rows[i];

	perun_json_write_object_start(writer);
	views_grid_write_members(grid, row, writer);
	perun_json_write_key_text(writer, "parent");
	if (row->parent == SIZE_MAX)
		perun_json_write_null(writer);
	else
		perun_json_write_uint64(writer, row->parent);
	perun_json_write_key_text(writer, "inlined");
	perun_json_write_bool(writer, row->inlined);
	perun_json_write_key_text(writer, "merged");
	perun_json_write_uint64(writer, row->merged);
	perun_json_write_object_end(writer);
}

static void write_tree(struct drawing *drawing, const struct views_tree *tree)
{
	struct perun_json_writer *writer = drawing->writer;
	struct views_grid grid = grid_of(drawing, tree);

	perun_json_write_key_text(writer, "rows");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < grid.row_count; i++)
		write_row(&grid, i, writer);
	perun_json_write_array_end(writer);
	perun_json_write_key_text(writer, "not_shown");
	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "rows");
	perun_json_write_uint64(writer, tree->deep + tree->more);
	perun_json_write_object_end(writer);
}

/* ---- a page ---------------------------------------------------------------------------------- */

/* Lines of plain text as a paragraph. */
static void add_paragraph(const char *class, const struct perun_buffer *text,
			  struct perun_buffer *out)
{
	if (!text->length)
		return;
	perun_buffer_printf(out, "<p class=\"%s\">", class);
	views_add_lines(out, text->data, "<br>");
	perun_buffer_add_text(out, "</p>\n");
}

static void add_html(struct drawing *drawing, const struct views_tree *tree,
		     const struct views_grid *grid)
{
	struct perun_buffer text = {0}, *out = drawing->out;

	drawing->out = &text;
	if (drawing->request.function)
		add_function(drawing, tree);
	add_paragraph("section", &text, out);
	if (tree->rows.count)
		views_grid_add_html(grid, true, out);
	perun_buffer_clear(&text);
	if (!tree->rows.count)
		perun_buffer_add_text(&text, "There is nothing to show.\n");
	add_left_out(drawing, tree);
	add_paragraph("note", &text, out);
	drawing->out = out;
	perun_buffer_free(&text);
}

static int write_trees(void *data, struct perun_output *output)
{
	const struct drawing *drawing = data;

	return perun_output_write(output, drawing->out->data ? drawing->out->data : "",
				  drawing->out->length);
}

static int write_page(struct drawing *drawing)
{
	struct perun_buffer heading = {0};
	int status;

	views_add_heading(&drawing->data, drawing->canvas, &heading);
	status = views_table_page(heading.data, write_trees, drawing, drawing->canvas->output);
	perun_buffer_free(&heading);
	return status;
}

/* ---- one tree -------------------------------------------------------------------------------- */

static int draw_tree(struct drawing *drawing, const char *function, bool first)
{
	struct perun_json_writer *writer = drawing->writer;
	struct views_tree tree;
	struct views_grid grid;
	int status;

	drawing->request.function = function;
	status = views_tree_read(&drawing->data, &drawing->request, &tree);
	if (status)
		return status;
	grid = grid_of(drawing, &tree);
	if (writer && function) {
		perun_json_write_object_start(writer);
		perun_json_write_key_text(writer, "function");
		perun_json_write_text(writer, function);
		perun_json_write_key_text(writer, "total");
		views_write_number(writer, tree.whole);
	}
	if (writer) {
		write_tree(drawing, &tree);
	} else if (drawing->canvas->form == PERUN_FORM_CSV) {
		if (first)
			views_grid_add(&grid, drawing->out);
		else
			views_grid_add_more(&grid, drawing->out);
	} else if (drawing->canvas->form == PERUN_FORM_HTML) {
		add_html(drawing, &tree, &grid);
	} else {
		if (function)
			add_function(drawing, &tree);
		perun_buffer_add_char(drawing->out, '\n');
		if (tree.rows.count)
			views_grid_add(&grid, drawing->out);
		else
			perun_buffer_add_text(drawing->out, "There is nothing to show.\n");
		add_left_out(drawing, &tree);
	}
	if (writer && function)
		perun_json_write_object_end(writer);
	views_tree_free(&tree);
	return PERUN_OK;
}

/* The trees of the functions that a word means. */
static int draw_functions(struct drawing *drawing, const char *word)
{
	struct views_rows functions = {0};
	int status = views_find_functions(&drawing->data, word, &functions);
	size_t shown = functions.count < FUNCTIONS_MAX ? functions.count : FUNCTIONS_MAX;

	if (drawing->writer) {
		perun_json_write_key_text(drawing->writer, "functions");
		perun_json_write_array_start(drawing->writer);
	}
	for (size_t i = 0; i < shown && !status; i++)
		status = draw_tree(drawing, functions.items[i].name, i == 0);
	if (drawing->writer)
		perun_json_write_array_end(drawing->writer);
	if (!status && functions.count > shown)
		perun_note(drawing->data.ctx,
			   "%zu functions match %s; these are the %zu that cost most",
			   functions.count, word, shown);
	views_rows_free(&functions);
	return status;
}

static int draw(struct drawing *drawing)
{
	const char *word = NULL;

	if (strcmp(drawing->request.view, "tree") != 0)
		word = perun_option_string(drawing->options, "function");
	if (drawing->writer) {
		perun_json_write_object_start(drawing->writer);
		perun_json_write_key_text(drawing->writer, "view");
		perun_json_write_text(drawing->writer, drawing->request.view);
		views_write_data(drawing->writer, &drawing->data);
	} else if (drawing->canvas->form == PERUN_FORM_TERMINAL) {
		views_add_heading(&drawing->data, drawing->canvas, drawing->out);
	}
	if (word)
		return draw_functions(drawing, word);
	return draw_tree(drawing, NULL, true);
}

static void read_request(const struct perun_options *options, const char *view,
			 const struct perun_canvas *canvas, struct views_tree_request *request)
{
	const char *sort = perun_option_string(options, "sort");

	*request = (struct views_tree_request){
		.view = view,
		.inverted = strcmp(view, "callers") == 0,
		.minimum = perun_option_number(options, "minimum") / 100,
		.depth = (size_t)perun_option_integer(options, "depth"),
		.limit = (size_t)perun_option_integer(options, "limit"),
		.brief = canvas->form == PERUN_FORM_TERMINAL || canvas->form == PERUN_FORM_HTML,
		.indent = canvas->width / 3,
		.ascii = canvas->ascii};
	if (strcmp(sort, "self") == 0 || strcmp(sort, "flat") == 0)
		request->order = VIEWS_TREE_BY_SELF;
	else if (strcmp(sort, "name") == 0)
		request->order = VIEWS_TREE_BY_NAME;
	else if (strcmp(sort, "recorded") == 0)
		request->order = VIEWS_TREE_AS_RECORDED;
}

int views_tree_open(struct perun_ctx *ctx, const struct perun_options *options,
		    const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

int views_tree_show(const struct perun_options *options, const char *view, struct perun_ctx *ctx,
		    struct perun_profile *profile, const char *name,
		    const struct perun_canvas *canvas)
{
	struct perun_buffer out = {0};
	struct drawing drawing = {.options = options, .canvas = canvas, .out = &out};
	int status;

	read_request(options, view, canvas, &drawing.request);
	status = views_open(ctx, options, profile, name, NULL, &drawing.data);
	if (!status && canvas->form == PERUN_FORM_JSON)
		drawing.writer = perun_json_writer_new(&out, PERUN_JSON_INDENTED, 1);
	if (!status)
		status = draw(&drawing);
	if (drawing.writer) {
		if (!status)
			perun_json_write_object_end(drawing.writer);
		perun_json_writer_finish(drawing.writer);
		perun_buffer_add_char(&out, '\n');
	}
	if (!status && canvas->form == PERUN_FORM_HTML)
		status = write_page(&drawing);
	else if (!status)
		status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	views_close(&drawing.data);
	return status;
}
