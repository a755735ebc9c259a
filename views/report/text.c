/* SPDX-License-Identifier: BSD-3-Clause */
/* The report for people: in a terminal, or as Markdown. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/bars.h"
#include "views/common/text.h"
#include "views/report/report.h"

/* Parts of all own changes, up and down: they add up to 100 %. */
static long double change_share(const struct views_grid *grid, const struct views_row *row)
{
	return fabsl(row->self[1] - row->self[0]) / grid->whole[0];
}

static const struct views_column columns[] = {
	{"self_delta", "change", VIEWS_DELTA, 0, 0, views_self_delta, NULL},
	{"share", "of changes", VIEWS_SHARE, 0, 3, change_share, NULL},
	{"self_relative", "of itself", VIEWS_RELATIVE, 0, 1, views_self_relative, NULL},
	{"base_self", "base", VIEWS_AMOUNT, 0, 2, views_self, NULL},
	{"new_self", "new", VIEWS_AMOUNT, 0, 2, views_new_self, NULL},
	{"", "", VIEWS_BALANCE, 0, 4, views_delta_bar, NULL},
	{"callers", "called by", VIEWS_NOTE, 0, 0, NULL, NULL},
	{"name", "function", VIEWS_NAME, 0, 0, NULL, NULL},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct writing {
	const struct report *report;
	const struct perun_canvas *canvas;
	struct perun_buffer *out;
	bool markdown;
};

static void add_amount(const struct writing *writing, long double amount, bool sign)
{
	views_add_amount(writing->out, amount, &writing->report->new->unit, sign,
			 writing->canvas->ascii);
}

static void add_title(const struct writing *writing, const char *title)
{
	if (writing->markdown) {
		perun_buffer_printf(writing->out, "\n## %s\n\n", title);
		return;
	}
	perun_buffer_add_char(writing->out, '\n');
	views_add_color(writing->out, writing->canvas, VIEWS_BOLD);
	perun_buffer_add_text(writing->out, title);
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
	perun_buffer_add_char(writing->out, '\n');
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_metrics(const struct writing *writing)
{
	const struct report *report = writing->report;
	size_t written = 0;

	for (size_t i = 0; i < report->metric_count; i++) {
		const struct report_metric *metric = &report->metrics[i];
		struct perun_unit unit = perun_unit_of(metric->unit);

		if (isnan(metric->base) || isnan(metric->new) || !metric->comparable ||
		    strcmp(metric->name, report->new->metric->name) == 0)
			continue;
		perun_buffer_add_text(writing->out,
				      written++ ? "\n               " : "Other metrics: ");
		views_add_word(writing->out, metric->name, writing->canvas);
		perun_buffer_add_char(writing->out, ' ');
		views_add_amount(writing->out, metric->base, &unit, false, writing->canvas->ascii);
		perun_buffer_add_text(writing->out, ", now ");
		views_add_amount(writing->out, metric->new, &unit, false, writing->canvas->ascii);
		views_add_unit(writing->out, " ", &unit, metric->name, writing->canvas);
		if (metric->base != 0) {
			perun_buffer_add_text(writing->out, " (");
			views_add_share(writing->out,
					(metric->new - metric->base) / fabsl(metric->base), true);
			perun_buffer_add_char(writing->out, ')');
		}
	}
	if (written)
		perun_buffer_add_text(writing->out, "\n");
}

/* "3 functions explain 97.1 % of what changed: +92.0 ms and -13.0 ms in all." */
static void add_sum(const struct writing *writing)
{
	const struct report *report = writing->report;
	long double gross = report->grown + report->shrunk, written = 0;

	/* The heading has said it. */
	if (report->rows.count == 1 && gross != 0)
		return;
	perun_buffer_add_char(writing->out, '\n');
	if (gross == 0) {
		perun_buffer_printf(writing->out, "No %s changed.\n", views_title(report->new));
		return;
	}
	for (size_t i = 0; i < report->function_count; i++) {
		const struct views_row *row = report->functions[i].row;

		written += fabsl(row->self[1] - row->self[0]);
	}
	perun_buffer_printf(writing->out, "%zu %s %s ", report->function_count,
			    views_plural(report->new, report->function_count),
			    report->function_count == 1 ? "explains" : "explain");
	views_add_share(writing->out, written / gross, false);
	perun_buffer_add_text(writing->out, " of what changed: ");
	if (report->grown > 0)
		add_amount(writing, report->grown, true);
	if (report->grown > 0 && report->shrunk > 0)
		perun_buffer_add_text(writing->out, " and ");
	if (report->shrunk > 0)
		add_amount(writing, -report->shrunk, true);
	perun_buffer_add_text(writing->out, " in all.\n");
}

/* ---- functions ------------------------------------------------------------------------------- */

static void add_caller(const struct writing *writing, const struct report_caller *caller,
		       bool amount, struct perun_buffer *out)
{
	size_t most = writing->markdown ? 1000 : writing->canvas->width / 3;

	if (caller->name && !writing->markdown)
		perun_buffer_add_text(out, "by ");
	if (caller->name)
		views_add_fitted(out, caller->name, most, writing->canvas->ascii);
	else
		perun_buffer_add_text(out, "as the root");
	if (amount) {
		perun_buffer_add_char(out, ' ');
		views_add_amount(out, caller->new - caller->base, &writing->report->new->unit, true,
				 writing->canvas->ascii);
	}
}

/* "by compute +50.0 ms, parse +30.0 ms, 3 more"; the caller's. */
static char *note_of(const struct writing *writing, const struct report_function *function)
{
	size_t most = writing->markdown || writing->canvas->width >= 100 ? 2 : 1;
	bool wide = writing->canvas->width >= 60;
	struct perun_buffer out = {0};
	size_t written = 0, changed = 0;

	for (size_t i = 0; i < function->caller_count; i++)
		changed += function->callers[i].new != function->callers[i].base;
	if (function->noise)
		perun_buffer_add_text(&out, writing->report->repeated ? "~ runs differ by as much"
								      : "~ ");
	for (size_t i = 0; i < function->caller_count && written < most; i++) {
		const struct report_caller *caller = &function->callers[i];

		if (changed && caller->new == caller->base)
			continue;
		if (written)
			perun_buffer_add_text(&out, ", ");
		add_caller(writing, caller, changed > 1 && (writing->markdown || wide), &out);
		written++;
	}
	if (changed > written)
		perun_buffer_printf(&out, ", %zu more", changed - written);
	return out.length ? perun_buffer_take(&out) : NULL;
}

/* Rows of the functions that grew, or of those that shrank, after those that are there. */
static void choose_rows(const struct writing *writing, bool grown, struct views_row *rows,
			size_t *count)
{
	const struct report *report = writing->report;
	const char *section = grown ? "What grew" : "What shrank";

	for (size_t i = 0; i < report->function_count; i++) {
		const struct report_function *function = &report->functions[i];

		if ((function->row->self[1] > function->row->self[0]) != grown)
			continue;
		rows[*count] = *function->row;
		rows[*count].section = section;
		section = NULL;
		rows[(*count)++].note = note_of(writing, function);
	}
}

static void add_functions(const struct writing *writing)
{
	const struct report *report = writing->report;
	struct views_row *rows = perun_alloc_zero(report->function_count + 1, sizeof *rows);
	struct views_column shown[COLUMNS];
	struct views_grid grid = {.columns = shown,
				  .column_count = COLUMNS,
				  .rows = rows,
				  .canvas = writing->canvas,
				  .unit = report->new->unit,
				  .whole = {report->grown + report->shrunk, 0},
				  .higher_is_better = views_higher_is_better(report->new)};
	size_t grown = 0, all;

	memcpy(shown, columns, sizeof shown);
	shown[COLUMNS - 1].title = views_title(report->new);
	if (report->function_count)
		grid.scale = fabsl(views_self_delta(&grid, report->functions[0].row));
	choose_rows(writing, true, rows, &grown);
	all = grown;
	choose_rows(writing, false, rows, &all);
	for (size_t i = 0; i < 2; i++) {
		/* In a terminal one table, so that columns are below each other. */
		grid.rows = i && writing->markdown ? rows + grown : rows;
		grid.row_count = !writing->markdown ? all : i ? all - grown : grown;
		if (grid.row_count == 0 || (i && !writing->markdown))
			continue;
		if (writing->markdown)
			add_title(writing, i ? "What shrank" : "What grew");
		else
			perun_buffer_add_char(writing->out, '\n');
		views_grid_add(&grid, writing->out);
	}
	for (size_t i = 0; i < all; i++)
		perun_free(rows[i].note);
	perun_free(rows);
}

/* ---- the path -------------------------------------------------------------------------------- */

static const char *arrow_of(const struct writing *writing)
{
	return writing->canvas->ascii && !writing->markdown ? " > " : " \u2192 ";
}

/* Add a name of the path, which is written once for calls of itself. Returns how wide it is. */
static size_t add_step(const struct writing *writing, const char *name, size_t times,
		       struct perun_buffer *out)
{
	size_t width = 0, length;

	if (writing->markdown)
		views_add_code(out, name);
	else
		width = views_add_fitted(
			out, name, writing->canvas->width > 12 ? writing->canvas->width - 6 : 6,
			writing->canvas->ascii);
	length = out->length;
	if (times > 1)
		perun_buffer_printf(out, " (%zu times)", times);
	return width + out->length - length;
}

/* The calls to the function that changed most, in lines that fit. */
static void add_path(const struct writing *writing)
{
	const struct report *report = writing->report;
	const struct report_function *function = &report->functions[0];
	size_t used = 2, next;

	if (report->function_count == 0 || function->path_count < 2)
		return;
	add_title(writing, "The call path of the largest change");
	if (!writing->markdown)
		perun_buffer_add_text(writing->out, "  ");
	if (function->path_is_cut) {
		perun_buffer_add_text(writing->out, "...");
		used += 3;
	}
	for (size_t i = 0; i < function->path_count; i = next) {
		struct perun_buffer step = {0};
		size_t width;

		for (next = i + 1; next < function->path_count; next++) {
			if (strcmp(function->path[next], function->path[i]) != 0)
				break;
		}
		if (i > 0 || function->path_is_cut) {
			perun_buffer_add_text(writing->out, arrow_of(writing));
			used += 3;
		}
		width = add_step(writing, function->path[i], next - i, &step);
		if (!writing->markdown && i > 0 && used + width + 3 > writing->canvas->width) {
			writing->out->length--; /* the blank after the arrow */
			perun_buffer_add_text(writing->out, "\n    ");
			used = 4;
		}
		perun_buffer_add_text(writing->out, step.length ? step.data : "");
		used += width;
		perun_buffer_free(&step);
	}
	perun_buffer_add_char(writing->out, '\n');
}

/* ---- together -------------------------------------------------------------------------------- */

/* A sentence in lines that fit, the first one after "- ". */
static void add_wrapped(const struct writing *writing, const char *text)
{
	size_t room = writing->canvas->width > 20 ? writing->canvas->width : 20, used = 2;

	perun_buffer_add_text(writing->out, "- ");
	if (writing->markdown) {
		views_add_escaped(writing->out, text);
		perun_buffer_add_char(writing->out, '\n');
		return;
	}
	while (*text) {
		size_t length = strcspn(text, " ");
		char *word = perun_strndup(text, length);
		size_t width = views_width(word);

		if (used > 2 && used + 1 + width > room) {
			perun_buffer_add_text(writing->out, "\n  ");
			used = 2;
		} else if (used > 2) {
			perun_buffer_add_char(writing->out, ' ');
			used++;
		}
		perun_buffer_add_text(writing->out, word);
		used += width;
		perun_free(word);
		text += length;
		text += strspn(text, " ");
	}
	perun_buffer_add_char(writing->out, '\n');
}

void report_add_text(const struct report *report, const struct perun_canvas *canvas,
		     struct perun_buffer *out)
{
	struct writing writing = {.report = report,
				  .canvas = canvas,
				  .out = out,
				  .markdown = canvas->form == PERUN_FORM_MARKDOWN};

	views_add_pair_heading(&report->pair, canvas, out);
	if (writing.markdown && report->metric_count > 1)
		perun_buffer_add_char(out, '\n');
	add_metrics(&writing);
	add_sum(&writing);
	add_functions(&writing);
	if (report->others)
		perun_buffer_printf(out, "\n%zu more %s changed; --limit 0 names all\n",
				    report->others, views_plural(report->new, report->others));
	add_path(&writing);
	if (report->remark_count)
		add_title(&writing, "Remarks");
	for (size_t i = 0; i < report->remark_count; i++)
		add_wrapped(&writing, report->remarks[i]);
}
