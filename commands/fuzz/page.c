/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun fuzz found, as a page: how costs grow, the finds, the rules, the search over time. */
#include <config.h>

#include <string.h>

#include "collectors/common/symbols.h"
#include "commands/fuzz/fuzz.h"
#include "views/common/chart-draw.h"
#include "views/common/chart.h"
#include "views/common/markup.h"

/* Finds with a chart of their own, and rules that are listed. */
enum { DRAWN_FINDS = 8, LISTED_RULES = 40, SHOWN_BYTES = 400 };

/* ---- charts ---------------------------------------------------------------------------------- */

static void add_points(struct views_chart *chart, const char *name, unsigned color,
		       const struct perun_fuzz_growth *growth)
{
	struct views_series *line;

	if (!growth->count)
		return;
	line = views_chart_add(chart, "", VIEWS_LINE, color);
	for (size_t i = 0; i < growth->count; i++)
		views_series_add(line, growth->sizes[i], growth->costs[i], 0);
	line = views_chart_add(chart, name, VIEWS_POINTS, color);
	for (size_t i = 0; i < growth->count; i++)
		views_series_add(line, growth->sizes[i], growth->costs[i], 0);
}

static void add_growth(struct views_figure *figure, const struct perun_fuzz_result *result,
		       const struct perun_fuzz_find *find)
{
	struct perun_buffer title = {0}, note = {0};
	struct views_chart *chart;
	bool timed = find->by_time || result->counting == PERUN_FUZZ_NANOSECONDS;

	if (find->growth.count < 2 && find->usual_growth.count < 2)
		return;
	perun_buffer_printf(&title, "Find %s: cost by length", find->name);
	if (find->growth.class_name)
		perun_buffer_add_text(&note, "the find");
	fuzz_add_growth(&note, find);
	chart = views_figure_add(figure, title.data, note.data ? note.data : "");
	views_axis_set(&chart->x, "length", "B");
	views_axis_set(&chart->y, "cost",
		       timed ? "ns" : perun_fuzz_counting_name(result->counting));
	chart->x.log_base = 2;
	chart->y.log_base = 10;
	add_points(chart, "the find", 0, &find->growth);
	add_points(chart, "the seed repeated", 1, &find->usual_growth);
	perun_buffer_free(&title);
	perun_buffer_free(&note);
}

/* A value of the search over time, which stays as it is until there is a greater one. */
static void add_steps(struct views_chart *chart, unsigned color,
		      const struct perun_fuzz_result *result, bool edges)
{
	struct views_series *line = views_chart_add(chart, "", VIEWS_LINE, color);
	double last = 0;

	for (size_t i = 0; i < result->moment_count; i++) {
		const struct perun_fuzz_moment *moment = &result->moments[i];
		double value = edges ? (double)moment->edges : moment->ratio;

		if (i > 0 && value != last)
			views_series_add(line, moment->seconds, last, 0);
		views_series_add(line, moment->seconds, value, 0);
		last = value;
	}
}

static void add_search(struct views_figure *figure, const struct perun_fuzz_result *result)
{
	struct views_chart *ratio, *edges;

	if (result->moment_count < 2)
		return;
	ratio = views_figure_add(figure, "The search: the costliest input so far",
				 "as it was found: above is what it was reduced to");
	views_axis_set(&ratio->x, "time", "s");
	views_axis_set(&ratio->y, "times what its length explains", "");
	ratio->y.log_base = 10;
	add_steps(ratio, 0, result, false);
	if (!result->edges)
		return;
	edges = views_figure_add(figure, "The search: edges of the program that were reached", "");
	views_axis_set(&edges->x, "time", "s");
	views_axis_set(&edges->y, "edges", "");
	edges->y.whole = edges->y.from_zero = true;
	add_steps(edges, 2, result, true);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A paragraph of what is in the line, which becomes empty. */
static void add_paragraph(struct perun_buffer *body, struct perun_buffer *line)
{
	if (line->length) {
		perun_buffer_add_text(body, "<p class=\"note\">");
		views_add_markup(body, line->data);
		perun_buffer_add_text(body, "</p>\n");
	}
	perun_buffer_clear(line);
}

static void add_find(struct perun_buffer *body, const struct perun_fuzz_result *result,
		     const struct perun_fuzz_find *find, struct symbols *symbols,
		     const char *directory)
{
	struct fuzz_functions functions;
	struct perun_buffer line = {0};

	perun_buffer_printf(&line, "Find %s: ", find->name);
	fuzz_add_ratio(&line, find, true);
	fuzz_add_growth(&line, find);
	perun_buffer_add_text(body, "<h2>");
	views_add_markup(body, line.data);
	perun_buffer_add_text(body, "</h2>\n");
	perun_buffer_clear(&line);
	fuzz_add_cost(&line, find, result->counting);
	add_paragraph(body, &line);
	fuzz_functions_find(symbols, find, &functions);
	fuzz_add_functions(&line, &functions);
	fuzz_functions_free(&functions);
	add_paragraph(body, &line);
	fuzz_add_times(&line, &find->verdict);
	add_paragraph(body, &line);
	fuzz_add_input(&line, find, SHOWN_BYTES);
	add_paragraph(body, &line);
	fuzz_add_origin(&line, find, directory, true);
	add_paragraph(body, &line);
	perun_buffer_free(&line);
}

static void add_rules(struct perun_buffer *body, const struct perun_fuzz_result *result)
{
	size_t count = result->rule_count < LISTED_RULES ? result->rule_count : LISTED_RULES;

	if (!count)
		return;
	perun_buffer_add_text(body, "<h2>Rules</h2>\n<table class=\"list\"><thead><tr><th>rule</th>"
				    "<th class=\"number\">inputs kept</th><th class=\"number\">"
				    "tried</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < count; i++) {
		perun_buffer_add_text(body, "<tr><td>");
		views_add_markup(body, result->rules[i].name);
		perun_buffer_printf(body,
				    "</td><td class=\"number\">%llu</td><td class=\"number\">"
				    "%llu</td></tr>\n",
				    (unsigned long long)result->rules[i].kept,
				    (unsigned long long)result->rules[i].tried);
	}
	perun_buffer_add_text(body, "</tbody></table>\n");
}

static char *title_of(char *const *command)
{
	struct perun_buffer title = {0};

	perun_buffer_add_text(&title, "Slow inputs of");
	for (; *command; command++)
		perun_buffer_printf(&title, " %s", *command);
	return perun_buffer_take(&title);
}

int fuzz_write_page(struct perun_ctx *ctx, const struct perun_fuzz_result *result,
		    char *const *command, const char *directory, const char *path)
{
	struct symbols *symbols = collectors_symbols_new(".");
	struct perun_buffer summary = {0}, finds = {0}, body = {0}, page = {0};
	char *title = title_of(command);
	struct views_figure *figure;
	struct perun_output *output;
	int status;

	fuzz_add_summary(&summary, result);
	figure = views_figure_new(title, summary.data);
	for (size_t i = 0; i < result->find_count; i++) {
		if (i < DRAWN_FINDS)
			add_growth(figure, result, fuzz_find_at(result, i));
		add_find(&finds, result, fuzz_find_at(result, i), symbols, directory);
	}
	if (!result->find_count)
		perun_buffer_add_text(&finds,
				      "<p>No input costs more than its length explains.</p>\n");
	add_search(figure, result);
	add_rules(&body, result);
	figure->page_intro = &finds;
	figure->page_body = &body;
	views_figure_html(figure, &page);
	status = perun_output_open(ctx, path, &output);
	if (!status) {
		perun_output_write(output, page.data, page.length);
		status = perun_output_commit(ctx, output);
		perun_output_close(output);
	}
	views_figure_free(figure);
	collectors_symbols_free(symbols);
	perun_free(title);
	perun_buffer_free(&summary);
	perun_buffer_free(&finds);
	perun_buffer_free(&body);
	perun_buffer_free(&page);
	return status;
}
