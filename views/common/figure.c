/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts: making their descriptions, and choosing how they are drawn. */
#include <config.h>

#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "views/common/chart-draw.h"

struct views_figure *views_figure_new(const char *title, const char *subtitle)
{
	struct views_figure *figure = perun_alloc_zero(1, sizeof *figure);

	figure->title = perun_strdup(title);
	figure->subtitle = perun_strdup(subtitle);
	return figure;
}

static void axis_clear(struct views_axis *axis)
{
	for (size_t i = 0; i < axis->category_count; i++)
		perun_free(axis->categories[i]);
	perun_free(axis->categories);
	perun_free(axis->title);
	perun_free(axis->unit);
}

void views_chart_free(struct views_chart *chart)
{
	for (size_t i = 0; i < chart->series_count; i++) {
		perun_free(chart->series[i].name);
		perun_free(chart->series[i].x);
		perun_free(chart->series[i].y);
		perun_free(chart->series[i].low);
		for (size_t k = 0; chart->series[i].hints && k < chart->series[i].count; k++)
			perun_free(chart->series[i].hints[k]);
		perun_free(chart->series[i].hints);
	}
	perun_free(chart->series);
	for (size_t i = 0; i < chart->rule_count; i++) {
		perun_free(chart->rules[i].text);
		perun_free(chart->rules[i].hint);
	}
	perun_free(chart->rules);
	for (size_t i = 0; i < chart->word_count; i++)
		perun_free(chart->words[i].text);
	perun_free(chart->words);
	if (chart->heat) {
		perun_free(chart->heat->x);
		perun_free(chart->heat->y);
		perun_free(chart->heat->values);
		perun_free(chart->heat->title);
		perun_free(chart->heat->unit);
		perun_free(chart->heat);
	}
	axis_clear(&chart->x);
	axis_clear(&chart->y);
	perun_free(chart->title);
	perun_free(chart->note);
	perun_free(chart);
}

void views_figure_free(struct views_figure *figure)
{
	if (!figure)
		return;
	for (size_t i = 0; i < figure->chart_count; i++)
		views_chart_free(figure->charts[i]);
	perun_free(figure->charts);
	perun_free(figure->title);
	perun_free(figure->subtitle);
	perun_free(figure);
}

struct views_chart *views_figure_add(struct views_figure *figure, const char *title,
				     const char *note)
{
	struct views_chart *chart = perun_alloc_zero(1, sizeof *chart);

	PERUN_GROW(figure->charts, figure->chart_count, figure->chart_capacity);
	figure->charts[figure->chart_count++] = chart;
	chart->title = perun_strdup(title);
	chart->note = perun_strdup(note);
	chart->x.low = chart->x.high = chart->y.low = chart->y.high = NAN;
	chart->x.margin = chart->y.margin = NAN;
	views_axis_set(&chart->x, "", "");
	views_axis_set(&chart->y, "", "");
	return chart;
}

void views_axis_set(struct views_axis *axis, const char *title, const char *unit)
{
	perun_free(axis->title);
	perun_free(axis->unit);
	axis->title = perun_strdup(title);
	axis->unit = perun_strdup(unit ? unit : "");
}

size_t views_axis_add_category(struct views_axis *axis, const char *name)
{
	axis->categories = perun_realloc_array(axis->categories, axis->category_count + 1,
					       sizeof *axis->categories);
	axis->categories[axis->category_count] = perun_strdup(name);
	return axis->category_count++;
}

struct views_series *views_chart_add(struct views_chart *chart, const char *name,
				     enum views_mark mark, unsigned color)
{
	PERUN_GROW(chart->series, chart->series_count, chart->series_capacity);
	chart->series[chart->series_count] = (struct views_series){.name = perun_strdup(name),
								   .mark = mark,
								   .color = color,
								   .left = -0.4,
								   .right = 0.4};
	return &chart->series[chart->series_count++];
}

void views_series_add(struct views_series *series, double x, double y, double low)
{
	const bool has_low = series->mark == VIEWS_BAND || series->mark == VIEWS_BARS;

	if (series->count >= series->capacity) {
		series->capacity = series->capacity ? series->capacity * 2 : 16;
		series->x = perun_realloc_array(series->x, series->capacity, sizeof *series->x);
		series->y = perun_realloc_array(series->y, series->capacity, sizeof *series->y);
		if (has_low)
			series->low = perun_realloc_array(series->low, series->capacity,
							  sizeof *series->low);
	}
	series->x[series->count] = x;
	series->y[series->count] = y;
	if (has_low)
		series->low[series->count] = low;
	series->count++;
}

void views_series_hint(struct views_series *series, const char *hint)
{
	series->hints = perun_realloc_array(series->hints, series->capacity, sizeof *series->hints);
	series->hints[series->count - 1] = perun_strdup(hint);
}

struct views_rule *views_chart_add_rule(struct views_chart *chart, bool horizontal, double at,
					const char *text)
{
	PERUN_GROW(chart->rules, chart->rule_count, chart->rule_capacity);
	chart->rules[chart->rule_count] =
		(struct views_rule){.horizontal = horizontal, .at = at, .text = perun_strdup(text)};
	return &chart->rules[chart->rule_count++];
}

void views_chart_add_word(struct views_chart *chart, double x, double y, bool end, const char *text)
{
	PERUN_GROW(chart->words, chart->word_count, chart->word_capacity);
	chart->words[chart->word_count++] = (struct views_word){x, y, end, perun_strdup(text)};
}

struct views_heat *views_chart_add_heat(struct views_chart *chart, size_t columns, size_t rows,
					const char *title, const char *unit)
{
	struct views_heat *heat = perun_alloc_zero(1, sizeof *heat);

	heat->columns = columns;
	heat->rows = rows;
	heat->x = perun_alloc_zero(columns + 1, sizeof *heat->x);
	heat->y = perun_alloc_zero(rows + 1, sizeof *heat->y);
	heat->values = perun_alloc_zero(columns * rows + 1, sizeof *heat->values);
	heat->title = perun_strdup(title);
	heat->unit = perun_strdup(unit ? unit : "");
	chart->heat = heat;
	return heat;
}

struct views_list_row *views_list_add(struct views_list *list, const char *name, unsigned depth)
{
	PERUN_GROW(list->rows, list->count, list->capacity);
	list->rows[list->count] =
		(struct views_list_row){.name = perun_strdup(name), .depth = depth, .share = NAN};
	return &list->rows[list->count++];
}

void views_list_clear(struct views_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		perun_free(list->rows[i].name);
		for (int k = 0; k < VIEWS_LIST_COLUMNS; k++)
			perun_free(list->rows[i].columns[k]);
	}
	perun_free(list->rows);
	list->rows = NULL;
	list->count = list->capacity = 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void replace(char **text, const char *given)
{
	if (!given)
		return;
	perun_free(*text);
	*text = perun_strdup(given);
}

static enum perun_form form_of(const char *path)
{
	const char *suffix = strrchr(path, '.');

	if (suffix && strcasecmp(suffix, ".svg") == 0)
		return PERUN_FORM_SVG;
	return suffix && strcasecmp(suffix, ".json") == 0 ? PERUN_FORM_JSON : PERUN_FORM_HTML;
}

static int write_form(const struct views_figure *figure, const struct views_size *size,
		      const struct perun_canvas *canvas)
{
	struct perun_buffer out = {0};
	int status;

	if (canvas->form == PERUN_FORM_HTML)
		views_figure_html(figure, &out);
	else if (canvas->form == PERUN_FORM_SVG)
		views_figure_svg(figure, size, &out);
	else if (canvas->form == PERUN_FORM_JSON)
		views_figure_json(figure, &out);
	else
		views_figure_terminal(figure, size, canvas, &out);
	status = perun_output_write(canvas->output, out.data ? out.data : "", out.length);
	perun_buffer_free(&out);
	return status;
}

/* A name without an ending is that of a page. NULL = no file is asked for. */
static char *path_of(const struct views_figure *figure, const char *given, bool browser)
{
	const char *name = given ? strrchr(given, '/') : NULL;

	if (!given)
		return browser ? perun_strdup(figure->file ? figure->file : "chart.html") : NULL;
	name = name ? name + 1 : given;
	return strchr(name, '.') ? perun_strdup(given) : perun_format("%s.html", given);
}

enum perun_form views_figure_form(const struct perun_options *options,
				  const struct perun_canvas *canvas)
{
	const struct views_figure nothing = {0};
	char *path = path_of(&nothing, perun_option_string(options, "filename"),
			     perun_option_flag(options, "view-in-browser"));
	enum perun_form form = path ? form_of(path) : canvas->form;

	perun_free(path);
	return form;
}

/* The page is there, so it is not a failure when nothing can show it. */
static void open_in_browser(struct perun_ctx *ctx, const char *path)
{
	const char *browser = getenv("BROWSER");
	char *program = perun_strdup(browser && *browser ? browser : "xdg-open");
	char *words[] = {program, (char *)path, NULL};
	pid_t process;

	program[strcspn(program, ":")] = '\0';
	if (posix_spawnp(&process, program, NULL, NULL, words, environ) != 0)
		perun_note(ctx, "%s is written; no %s to open it", path, program);
	perun_free(program);
}

int views_figure_write(struct perun_ctx *ctx, struct views_figure *figure,
		       const struct perun_options *options, const struct perun_canvas *canvas)
{
	const bool browser = perun_option_flag(options, "view-in-browser");
	char *path = path_of(figure, perun_option_string(options, "filename"), browser);
	const struct views_size size = {
		.width = (unsigned)perun_option_integer(options, "width"),
		.height = (unsigned)perun_option_integer(options, "height"),
	};
	struct perun_canvas file = {.struct_size = sizeof file};
	int status;

	replace(&figure->title, perun_option_string(options, "title"));
	for (size_t i = 0; i < figure->chart_count; i++) {
		replace(&figure->charts[i]->x.title, perun_option_string(options, "x-title"));
		replace(&figure->charts[i]->y.title, perun_option_string(options, "y-title"));
	}
	if (!path)
		return write_form(figure, &size, canvas);
	file.form = form_of(path);
	status = perun_output_open(ctx, path, &file.output);
	if (!status) {
		status = write_form(figure, &size, &file);
		if (!status)
			status = perun_output_commit(ctx, file.output);
		perun_output_close(file.output);
	}
	if (!status && browser)
		open_in_browser(ctx, path);
	perun_free(path);
	return status;
}
