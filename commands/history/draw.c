/* SPDX-License-Identifier: BSD-3-Clause */
/* perun history as SVG and HTML: a chart for each strand. */
#include <config.h>

#include <math.h>
#include <string.h>
#include <time.h>

#include <perun/lib/page.h>
#include <perun/lib/units.h>

#include "commands/common/change-line.h"
#include "history.h"
#include "views/common/chart-svg.h"

/* Up to this many values have a word each, of the version and its subject. */
#define MAX_HINTS 1000

enum { BLUE = 0, SKY = 5, GREY = 7 }; /* views_palette() */
static const struct views_size size = {.width = 900, .height = 210};

static const char *date_of(const struct perun_history *history, size_t i, char text[32])
{
	time_t time = (time_t)commands_history_version(history, i)->date;
	struct tm parts;

	if (!localtime_r(&time, &parts) || !strftime(text, 32, "%Y-%m-%d", &parts))
		text[0] = '\0';
	return text;
}

/* "20.2 ms" of the values of a strand; the caller frees it. */
static char *amount(const struct perun_strand *strand, double value)
{
	struct perun_buffer text = {0};

	commands_add_value(&text, value, strand->unit);
	return perun_buffer_take(&text);
}

static void add_values(const struct perun_history *history, const struct perun_strand *strand,
		       struct views_chart *chart)
{
	const bool hints = strand->count <= MAX_HINTS;
	struct views_series *series = views_chart_add(chart, "", VIEWS_BAND, SKY);

	for (size_t i = 0; i < strand->count; i++) {
		double low, high;

		perun_strand_interval(strand, i, &low, &high);
		if (!isnan(strand->values[i]))
			views_series_add(series, (double)i, high, low);
	}
	series = views_chart_add(chart, "", hints ? VIEWS_POINTS : VIEWS_LINE, BLUE);
	for (size_t i = 0; i < strand->count; i++) {
		char *subject, *hint, *value;

		if (isnan(strand->values[i]))
			continue;
		views_series_add(series, (double)i, strand->values[i], NAN);
		if (!hints)
			continue;
		subject = commands_history_subject(history, i);
		value = amount(strand, strand->values[i]);
		hint = perun_format("%.8s %s %s", strand->labels[i], value, subject ? subject : "");
		perun_free(value);
		views_series_hint(series, hint);
		perun_free(hint);
		perun_free(subject);
	}
}

/* The name of a change's colour, in pages as well. */
static enum views_tone tone_of(enum perun_result result)
{
	if (perun_result_is_degradation(result))
		return VIEWS_WORSE;
	return perun_result_is_optimization(result) ? VIEWS_BETTER : VIEWS_CHANGE;
}

/* The levels between changes, and the changes. */
static void add_changes(const struct perun_history *history, const struct perun_strand *strand,
			struct views_chart *chart)
{
	const struct perun_segmentation *changes = strand->changes;
	struct views_series *levels = views_chart_add(chart, "", VIEWS_LINE, GREY);

	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_change_point *point = &changes->points[i];
		const enum perun_result result = perun_strand_result(strand, point);
		const double at = (double)point->index - 0.5, share = perun_relative_change(point);
		char *subject = commands_history_subject(history, point->index);
		char *before = amount(strand, point->before);
		char *after = amount(strand, point->after);
		char *percent =
			isfinite(share) ? perun_format("%+.3g %%", share * 100) : perun_strdup("");
		struct views_rule *rule = views_chart_add_rule(chart, false, at, percent);

		rule->tone = tone_of(result);
		rule->hint = perun_format("%s at %.8s: %s to %s %s",
					  perun_result_is_degradation(result)    ? "Regression"
					  : perun_result_is_optimization(result) ? "Improvement"
										 : "Change",
					  strand->labels[point->index], before, after,
					  subject ? subject : "");
		views_series_add(levels, (double)point->first, point->before, NAN);
		views_series_add(levels, at, point->before, NAN);
		views_series_add(levels, at, NAN, NAN);
		if (i + 1 == changes->count) {
			views_series_add(levels, at, point->after, NAN);
			views_series_add(levels, (double)point->end - 1, point->after, NAN);
		}
		perun_free(before);
		perun_free(after);
		perun_free(percent);
		perun_free(subject);
	}
}

static void add_chart(const struct perun_history *history, const struct perun_strand *strand,
		      struct views_figure *figure)
{
	const bool command = *strand->command != '\0';
	char *title = perun_format(
		"%s, %s%s%s%s", strand->location, strand->metric, command ? " ($ " : "",
		strand->command + strspn(strand->command, " "), command ? ")" : "");
	struct views_chart *chart = views_figure_add(figure, title, "");
	char date[32];

	views_axis_set(&chart->y, "", strand->unit);
	chart->y.margin = 0.15; /* for the words of changes */
	for (size_t i = 0; i < strand->count; i++)
		views_axis_add_category(&chart->x, date_of(history, i, date));
	add_values(history, strand, chart);
	add_changes(history, strand, chart);
	perun_free(title);
}

static char *describe(const struct perun_history *history)
{
	return perun_format("%zu versions, %zu measured; medians with their 95 %% intervals",
			    perun_version_line_count(perun_history_line(history)),
			    perun_history_measured(history));
}

void history_svg(const struct history_found *found, struct perun_buffer *out)
{
	char *subtitle = describe(found->history);
	struct views_figure *figure = views_figure_new("Performance history", subtitle);
	size_t count;
	const struct perun_strand **shown = history_shown(found, &count);

	for (size_t s = 0; s < count; s++)
		add_chart(found->history, shown[s], figure);
	perun_free(shown);
	views_figure_svg(figure, &size, out);
	views_figure_free(figure);
	perun_free(subtitle);
}

/* ---- the page -------------------------------------------------------------------------------- */

static const char page_style[] =
	"body{margin:0;padding:14px 18px;font:12px system-ui,\"Segoe UI\",Roboto,\"Noto "
	"Sans\",\"DejaVu Sans\",sans-serif;color:#1c1c1a;background:#fff}"
	"h1{font-size:17px;margin:0}p{margin:1px 0 8px;color:#5d5d58}"
	"svg{max-width:100%;height:auto;display:block}.chart{overflow-x:auto}"
	"table{border-collapse:collapse;margin:0 0 22px;font-variant-numeric:tabular-nums}"
	"th,td{text-align:left;padding:3px 16px 3px 0;border-bottom:1px solid "
	"#dededa;vertical-align:top;"
	"overflow-wrap:anywhere}th{font-weight:600;color:#5d5d58}.n{text-align:right;white-space:"
	"nowrap}"
	".worse{color:#b3261e}.better{color:#00734d}code{font:12px ui-monospace,monospace}"
	"@media(max-width:560px){svg{max-width:none;width:700px}th,td{padding-right:9px}td:last-"
	"child,th:last-child{display:none}}"
	"@media screen and "
	"(prefers-color-scheme:dark){body{color:#ececea;background:#17181a}p,th{color:#a2a4a8}"
	"th,td{border-color:#37393d}.worse{color:#ff8a80}.better{color:#4cc29a}:root{color-scheme:"
	"dark}}";

static void add_row(const struct perun_history *history, const struct perun_strand *strand,
		    const struct perun_change_point *point, struct perun_buffer *out)
{
	static const char *const classes[] = {
		[VIEWS_CHANGE] = "changed", [VIEWS_WORSE] = "worse", [VIEWS_BETTER] = "better"};
	const char *result = classes[tone_of(perun_strand_result(strand, point))];
	char *subject = commands_history_subject(history, point->index), date[32];
	char *before = amount(strand, point->before), *after = amount(strand, point->after);

	perun_buffer_printf(out, "<tr><td class=\"n %s\">", result);
	if (isfinite(perun_relative_change(point)))
		perun_buffer_printf(out, "%+.3g %%", perun_relative_change(point) * 100);
	else if (point->before == 0)
		perun_buffer_add_text(out, "new");
	perun_buffer_printf(out,
			    "</td><td class=\"n\">%s \342\206\222 %s</td><td><code>%.8s</code> ",
			    before, after, strand->labels[point->index]);
	views_add_markup(out, subject ? subject : "");
	perun_buffer_printf(out, "</td><td class=\"n\">%s</td></tr>\n",
			    date_of(history, point->index, date));
	perun_free(before);
	perun_free(after);
	perun_free(subject);
}

static void add_table(const struct perun_history *history, const struct perun_strand *strand,
		      struct perun_buffer *out)
{
	const struct perun_segmentation *changes = strand->changes;

	if (!changes->count) {
		perun_buffer_add_text(out, "<p>no changes</p>\n");
		return;
	}
	perun_buffer_add_text(out,
			      "<table><thead><tr><th class=\"n\">change</th><th class=\"n\">before "
			      "\342\206\222 after</th><th>commit</th><th class=\"n\">date</th></tr>"
			      "</thead><tbody>\n");
	/* The latest first. */
	for (size_t i = changes->count; i-- > 0;)
		add_row(history, strand, &changes->points[i], out);
	perun_buffer_add_text(out, "</tbody></table>\n");
}

void history_html(const struct history_found *found, struct perun_buffer *out)
{
	const struct perun_history *history = found->history;
	size_t count;
	const struct perun_strand **shown = history_shown(found, &count);
	struct perun_page_policy policy = {0};
	struct perun_buffer style = {0};
	char *subtitle = describe(history);

	views_svg_rules(&style);
	perun_page_allow_style(&policy, page_style, strlen(page_style));
	perun_page_allow_style(&policy, style.data, style.length);
	perun_buffer_add_text(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">");
	perun_page_add_policy(&policy, out);
	perun_buffer_printf(out,
			    "<meta name=\"viewport\" "
			    "content=\"width=device-width\"><title>Performance history</title>\n"
			    "<style>%s</style></head>\n<body><main>\n<h1>Performance "
			    "history</h1>\n"
			    "<p>%s</p>\n",
			    page_style, subtitle);
	for (size_t s = 0; s < count; s++) {
		struct views_figure *figure = views_figure_new("", "");

		figure->number = s;
		add_chart(history, shown[s], figure);
		perun_buffer_add_text(out, "<div class=\"chart\" tabindex=\"0\">");
		views_figure_svg(figure, &size, out);
		perun_buffer_add_text(out, "</div>\n");
		views_figure_free(figure);
		add_table(history, shown[s], out);
	}
	perun_free(shown);
	perun_buffer_add_text(out, "</main></body>\n</html>\n");
	perun_buffer_free(&style);
	perun_free(subtitle);
}
