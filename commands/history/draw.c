/* SPDX-License-Identifier: BSD-3-Clause */
/* perun history as SVG and HTML. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include <perun/lib/page.h>

#include "history.h"
#include "views/common/markup.h"
#include "views/common/quantity.h"

/* Pixels: of a panel, and around its plot. */
#define WIDTH  900.0
#define HEIGHT 240.0
#define LEFT   70.0
#define RIGHT  15.0
#define TOP    52.0
#define BOTTOM 30.0
/* Values side by side that are drawn one by one, with a word for each. */
#define MAX_POINTS 1000

struct panel {
	const struct perun_history *history;
	const struct perun_strand *strand;
	double low, high; /* values at the bottom and at the top */
	double unit;      /* they are multiplied with before their differences are taken */
};

static void add_escaped(struct perun_buffer *out, const char *text)
{
	views_add_markup(out, text ? text : "");
}

static double x_of(const struct panel *panel, size_t i)
{
	size_t count = panel->strand->count;
	double share = count > 1 ? (double)i / (double)(count - 1) : 0.5;

	return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct panel *panel, double value)
{
	double low = panel->low * panel->unit, high = panel->high * panel->unit;
	double share = (value * panel->unit - low) / (high - low);

	return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

static void find_range(struct panel *panel)
{
	const struct perun_strand *series = panel->strand;
	double margin, most;

	panel->low = INFINITY;
	panel->high = -INFINITY;
	for (size_t i = 0; i < series->count; i++) {
		double low, high;

		if (isnan(series->values[i]))
			continue;
		perun_strand_interval(series, i, &low, &high);
		panel->low = fmin(panel->low, low);
		panel->high = fmax(panel->high, high);
	}
	if (!(panel->low <= panel->high))
		return;
	most = fmax(fabs(panel->low), fabs(panel->high));
	/* Of very large values the difference is more than a double holds. */
	panel->unit = most > DBL_MAX / 8 ? 0.125 : 1;
	margin = panel->high / 20 - panel->low / 20;
	if (!(margin > 0))
		margin = panel->high != 0 ? fabs(panel->high) / 20 : 1;
	/* The grid steps by whole fractions of the range, which must make a difference. */
	margin = fmax(margin, fmax(most * 1e-12, DBL_MIN * 16));
	panel->low = fmax(panel->low - margin, -DBL_MAX);
	panel->high = fmin(panel->high + margin, DBL_MAX);
}

static void draw_value(const struct panel *panel, size_t i, struct perun_buffer *out)
{
	const struct perun_strand *series = panel->strand;
	char *subject = commands_history_subject(panel->history, i);
	double low, high, x = x_of(panel, i);

	perun_strand_interval(series, i, &low, &high);
	perun_buffer_add_text(out, "<g class=\"value\"><title>");
	perun_buffer_printf(out, "%.8s %.5g ", series->labels[i], series->values[i]);
	add_escaped(out, subject);
	perun_buffer_printf(out,
			    "</title><path d=\"M%.1f %.1fV%.1f\"/>"
			    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/></g>\n",
			    x, y_of(panel, low), y_of(panel, high), x,
			    y_of(panel, series->values[i]));
	perun_free(subject);
}

/* Where there are more than pixels: of each half pixel's versions the extremes. */
static void draw_many(const struct panel *panel, struct perun_buffer *out)
{
	const struct perun_strand *series = panel->strand;
	const size_t columns = (size_t)(WIDTH - LEFT - RIGHT) * 2;
	struct perun_buffer medians = {0};

	perun_buffer_add_text(out, "<path class=\"interval\" d=\"");
	for (size_t c = 0, i = 0; c < columns; c++) {
		const size_t end = (c + 1) * series->count / columns;
		const double x = LEFT + ((double)c + 0.5) / 2;
		double least = INFINITY, most = -INFINITY, bottom = INFINITY, top = -INFINITY;

		for (; i < end; i++) {
			double low, high;

			if (isnan(series->values[i]))
				continue;
			perun_strand_interval(series, i, &low, &high);
			bottom = fmin(bottom, low);
			top = fmax(top, high);
			least = fmin(least, series->values[i]);
			most = fmax(most, series->values[i]);
		}
		if (!(least <= most))
			continue;
		perun_buffer_printf(out, "M%.1f %.1fV%.1f", x, y_of(panel, bottom),
				    y_of(panel, top) - 0.5);
		perun_buffer_printf(&medians, "M%.1f %.1fV%.1f", x, y_of(panel, least) + 0.7,
				    y_of(panel, most) - 0.7);
	}
	perun_buffer_printf(out, "\"/>\n<path class=\"medians\" d=\"%s\"/>\n",
			    medians.data ? medians.data : "");
	perun_buffer_free(&medians);
}

static void draw_values(const struct panel *panel, struct perun_buffer *out)
{
	const struct perun_strand *series = panel->strand;

	if (series->count > MAX_POINTS) {
		draw_many(panel, out);
		return;
	}
	for (size_t i = 0; i < series->count; i++) {
		if (!isnan(series->values[i]))
			draw_value(panel, i, out);
	}
}

/* The levels between changes, and the changes. */
/* The class of a change, which has its colour. */
static const char *class_of(enum perun_result result)
{
	if (perun_result_is_degradation(result))
		return "worse";
	return perun_result_is_optimization(result) ? "better" : "changed";
}

static void draw_changes(const struct panel *panel, struct perun_buffer *out)
{
	const struct perun_segmentation *changes = panel->strand->changes;
	double written = -INFINITY;

	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_change_point *point = &changes->points[i];
		enum perun_result result = perun_strand_result(panel->strand, point);
		double x = (x_of(panel, point->index) + x_of(panel, point->index - 1)) / 2;
		char *subject = commands_history_subject(panel->history, point->index);

		perun_buffer_printf(
			out, "<g class=\"%s\"><title>%s at %.8s: %.5g to %.5g ", class_of(result),
			result == PERUN_RESULT_UNKNOWN ? "Change" : perun_result_name(result),
			panel->strand->labels[point->index], point->before, point->after);
		add_escaped(out, subject);
		perun_buffer_printf(out, "</title><path d=\"M%.1f %.1fV%.1f\"/>", x, TOP,
				    HEIGHT - BOTTOM);
		/* What it changed, where the word before leaves room. */
		if (x - written > 56 && isfinite(perun_relative_change(point))) {
			perun_buffer_printf(out, "<text x=\"%.1f\" y=\"%.0f\">%+.3g %%</text>",
					    fmin(x, WIDTH - RIGHT - 20), TOP - 5,
					    perun_relative_change(point) * 100);
			written = x;
		}
		perun_buffer_add_text(out, "</g>\n");
		perun_buffer_printf(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
				    x_of(panel, point->first), y_of(panel, point->before), x);
		if (i + 1 == changes->count)
			perun_buffer_printf(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
					    x, y_of(panel, point->after),
					    x_of(panel, point->end - 1));
		perun_free(subject);
	}
}

static void draw_title(const struct panel *panel, struct perun_buffer *out)
{
	const struct perun_strand *strand = panel->strand;

	perun_buffer_printf(out, "<text x=\"%.0f\" y=\"20\" class=\"title\">", LEFT);
	add_escaped(out, strand->location);
	perun_buffer_add_text(out, ", ");
	add_escaped(out, strand->metric);
	if (strand->unit && *strand->unit) {
		perun_buffer_add_text(out, " in ");
		add_escaped(out, strand->unit);
	}
	if (*strand->command) {
		perun_buffer_add_text(out, " <tspan>($ ");
		add_escaped(out, strand->command);
		perun_buffer_add_text(out, ")</tspan>");
	}
	perun_buffer_add_text(out, "</text>\n");
}

static void format_time(int64_t seconds, char text[32])
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!localtime_r(&time, &parts) || !strftime(text, 32, "%Y-%m-%d", &parts))
		text[0] = '\0';
}

static void add_date(const struct panel *panel, size_t i, struct perun_buffer *out)
{
	char text[32];

	format_time(commands_history_version(panel->history, i)->date, text);
	perun_buffer_add(out, text, strcspn(text, " "));
}

static void draw_axes(const struct panel *panel, struct perun_buffer *out)
{
	const double unit = panel->unit;
	const double step = views_nice_step(panel->high * unit - panel->low * unit, 6) / unit;
	const size_t count = panel->strand->count, wanted = count < 6 ? count : 6;

	for (double k = ceil(panel->low / step); k * step <= panel->high; k++)
		perun_buffer_printf(out,
				    "<path class=\"grid\" d=\"M%.0f %.1fH%.0f\"/><text x=\"%.0f\" "
				    "y=\"%.1f\" class=\"tick\">%.6g</text>\n",
				    LEFT, y_of(panel, k * step), WIDTH - RIGHT, LEFT - 8,
				    y_of(panel, k * step) + 4, k == 0 ? 0 : k * step);
	for (size_t k = 0; k < wanted; k++) {
		const size_t i = wanted > 1 ? k * (count - 1) / (wanted - 1) : 0;

		perun_buffer_printf(out, "<text x=\"%.1f\" y=\"%.0f\" class=\"%s\">",
				    x_of(panel, i), HEIGHT - BOTTOM + 18,
				    k + 1 == wanted && k ? "tick"
				    : k                  ? "date"
							 : "");
		add_date(panel, i, out);
		perun_buffer_add_text(out, "</text>\n");
	}
}

static void draw_panel(const struct panel *panel, double top, struct perun_buffer *out)
{
	perun_buffer_printf(out, "<g transform=\"translate(0 %.0f)\">\n", top);
	draw_title(panel, out);
	draw_axes(panel, out);
	draw_values(panel, out);
	draw_changes(panel, out);
	perun_buffer_add_text(out, "</g>\n");
}

#define FONT "12px system-ui,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif"

/* `ink`, `soft`, grid, interval, median, worse, better, paper. */
#define COLORS(ink, soft, grid, interval, median, worse, better, paper)          \
	"svg{--ink:" ink ";--soft:" soft ";--grid:" grid ";--interval:" interval \
	";--median:" median ";--worse:" worse ";--better:" better ";--paper:" paper "}"
#define LIGHT \
	COLORS("#1c1c1a", "#5d5d58", "#dededa", "#9cc4e4", "#0b4f86", "#b3261e", "#00734d", "#fff")
#define DARK                                                                                \
	COLORS("#ececea", "#a2a4a8", "#37393d", "#2c5a80", "#8cc8f5", "#ff8a80", "#4cc29a", \
	       "#17181a")

static const char style[] = LIGHT
	"@media screen and (prefers-color-scheme:dark){" DARK "}"
	"text{font:" FONT ";fill:var(--soft)}.title{font-weight:650;fill:var(--ink)}"
	".title "
	"tspan{font-weight:400;fill:var(--soft)}.tick{text-anchor:end}.date{text-anchor:middle}"
	"path{fill:none}.grid{stroke:var(--grid)}.value path,.interval{stroke:var(--interval)}"
	".value circle{fill:var(--median)}.medians{stroke:var(--median)}.paper{fill:var(--paper)}"
	".level{stroke:var(--ink);stroke-width:1.5;opacity:.7}"
	".worse text,.better text,.changed text{text-anchor:middle;font-weight:600}"
	".changed path{stroke:var(--soft);stroke-width:2}"
	".worse path{stroke:var(--worse);stroke-width:2}.worse text{fill:var(--worse)}"
	".better path{stroke:var(--better);stroke-width:2}.better text{fill:var(--better)}";

static bool is_drawn(const struct perun_strand *strand, const struct perun_strand *only)
{
	return only ? strand == only : history_is_shown(strand);
}

/* `only` NULL = all strands, one below the other. */
static void draw(const struct perun_history *history, const struct perun_strand *only,
		 struct perun_buffer *out)
{
	size_t count = 0, next = 0;
	double height;

	for (size_t s = 0; s < perun_history_count(history); s++)
		count += is_drawn(perun_history_strand(history, s), only);
	height = HEIGHT * (double)count;

	perun_buffer_printf(out,
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
			    "width=\"%.0f\" height=\"%.0f\" role=\"img\">\n<style>%s</style>\n"
			    "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
			    WIDTH, height, WIDTH, height, style);
	for (size_t s = 0; s < perun_history_count(history); s++) {
		struct panel panel = {.history = history,
				      .strand = perun_history_strand(history, s)};

		if (!is_drawn(panel.strand, only))
			continue;
		find_range(&panel);
		if (panel.low < panel.high)
			draw_panel(&panel, HEIGHT * (double)next, out);
		next++;
	}
	perun_buffer_add_text(out, "</svg>\n");
}

void history_svg(const struct perun_history *history, struct perun_buffer *out)
{
	draw(history, NULL, out);
}

/* ---- the page -------------------------------------------------------------------------------- */

static const char page_style[] =
	"body{margin:0;padding:14px 18px;font:" FONT ";color:#1c1c1a;background:#fff}"
	"h1{font-size:17px;margin:0}p{margin:1px 0 8px;color:#5d5d58}"
	"svg{max-width:100%;height:auto;display:block}"
	"table{border-collapse:collapse;margin:0 0 22px;font-variant-numeric:tabular-nums}"
	"th,td{text-align:left;padding:3px 16px 3px 0;border-bottom:1px solid "
	"#dededa;vertical-align:top;"
	"overflow-wrap:anywhere}th{font-weight:600;color:#5d5d58}.n{text-align:right;white-space:"
	"nowrap}"
	".worse{color:#b3261e}.better{color:#00734d}code{font:12px ui-monospace,monospace}"
	"@media(max-width:560px){th,td{padding-right:9px}td:last-child,th:last-child{display:none}}"
	"@media screen and "
	"(prefers-color-scheme:dark){body{color:#ececea;background:#17181a}p,th{color:#a2a4a8}"
	"th,td{border-color:#37393d}.worse{color:#ff8a80}.better{color:#4cc29a}:root{color-scheme:"
	"dark}}";

static void add_change(const struct panel *panel, const struct perun_change_point *point,
		       struct perun_buffer *out)
{
	const char *result = class_of(perun_strand_result(panel->strand, point));
	char *subject = commands_history_subject(panel->history, point->index);

	perun_buffer_printf(out, "<tr><td class=\"n %s\">", result);
	if (isfinite(perun_relative_change(point)))
		perun_buffer_printf(out, "%+.3g %%", perun_relative_change(point) * 100);
	perun_buffer_printf(
		out, "</td><td class=\"n\">%.5g \342\206\222 %.5g</td><td><code>%.8s</code> ",
		point->before, point->after, panel->strand->labels[point->index]);
	add_escaped(out, subject);
	perun_buffer_add_text(out, "</td><td class=\"n\">");
	add_date(panel, point->index, out);
	perun_buffer_add_text(out, "</td></tr>\n");
	perun_free(subject);
}

static void add_changes(const struct panel *panel, struct perun_buffer *out)
{
	const struct perun_segmentation *changes = panel->strand->changes;

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
		add_change(panel, &changes->points[i], out);
	perun_buffer_add_text(out, "</tbody></table>\n");
}

void history_html(const struct perun_history *history, struct perun_buffer *out)
{
	struct perun_page_policy policy = {0};

	perun_page_allow_style(&policy, page_style, strlen(page_style));
	perun_page_allow_style(&policy, style, strlen(style));
	perun_buffer_add_text(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">");
	perun_page_add_policy(&policy, out);
	perun_buffer_printf(
		out,
		"<meta name=\"viewport\" "
		"content=\"width=device-width\"><title>Performance history</title>\n"
		"<style>%s</style></head>\n<body>\n<h1>Performance history</h1>\n"
		"<p>%zu versions, %zu measured; medians with their 95 %% intervals</p>\n",
		page_style, perun_version_line_count(perun_history_line(history)),
		perun_history_measured(history));
	for (size_t s = 0; s < perun_history_count(history); s++) {
		const struct panel panel = {.history = history,
					    .strand = perun_history_strand(history, s)};

		if (!history_is_shown(panel.strand))
			continue;
		draw(history, panel.strand, out);
		add_changes(&panel, out);
	}
	perun_buffer_add_text(out, "</body>\n</html>\n");
}
