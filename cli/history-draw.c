/* SPDX-License-Identifier: BSD-3-Clause */
/* perun history as SVG and HTML. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "cli/history.h"

/* Pixels: of a panel, and around its plot. */
#define WIDTH  900.0
#define HEIGHT 240.0
#define LEFT   70.0
#define RIGHT  15.0
#define TOP    34.0
#define BOTTOM 22.0

struct panel {
	const struct cli_history *history;
	const struct cli_strand *strand;
	double low, high; /* values at the bottom and at the top */
};

static void add_escaped(struct perun_buffer *out, const char *text)
{
	char *safe = perun_printable(text ? text : "");

	for (const char *c = safe; *c; c++) {
		if (strchr("&<>\"'", *c))
			perun_buffer_printf(out, "&#%d;", *c);
		else
			perun_buffer_add_char(out, *c);
	}
	perun_free(safe);
}

static double x_of(const struct panel *panel, size_t i)
{
	size_t count = panel->strand->series.count;
	double share = count > 1 ? (double)i / (double)(count - 1) : 0.5;

	return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct panel *panel, double value)
{
	double share = (value - panel->low) / (panel->high - panel->low);

	return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

static void find_range(struct panel *panel)
{
	const struct cli_series *series = &panel->strand->series;
	double margin;

	panel->low = INFINITY;
	panel->high = -INFINITY;
	for (size_t i = 0; i < series->count; i++) {
		double low, high;

		if (isnan(series->values[i]))
			continue;
		cli_series_interval(series, i, &low, &high);
		panel->low = fmin(panel->low, low);
		panel->high = fmax(panel->high, high);
	}
	margin = (panel->high - panel->low) / 20;
	if (!(margin > 0))
		margin = panel->high != 0 ? fabs(panel->high) / 20 : 1;
	panel->low -= margin;
	panel->high += margin;
}

static void draw_values(const struct panel *panel, struct perun_buffer *out)
{
	const struct cli_series *series = &panel->strand->series;

	for (size_t i = 0; i < series->count; i++) {
		double low, high, x = x_of(panel, i);
		char *subject;

		if (isnan(series->values[i]))
			continue;
		cli_series_interval(series, i, &low, &high);
		subject = cli_history_subject(panel->history, i);
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
}

/* The levels between changes, and the changes. */
static void draw_changes(const struct panel *panel, struct perun_buffer *out)
{
	const struct perun_changes *changes = &panel->strand->changes;

	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_change_point *point = &changes->points[i];
		bool worse = cli_change_result(point, panel->strand->higher) == PERUN_DEGRADATION;
		double x = (x_of(panel, point->index) + x_of(panel, point->index - 1)) / 2;
		char *subject = cli_history_subject(panel->history, point->index);

		perun_buffer_printf(
			out, "<g class=\"%s\"><title>%s at %.8s: %.5g to %.5g ",
			worse ? "worse" : "better", worse ? "Degradation" : "Optimization",
			panel->strand->series.labels[point->index], point->before, point->after);
		add_escaped(out, subject);
		perun_buffer_printf(out, "</title><path d=\"M%.1f %.1fV%.1f\"/></g>\n", x, TOP,
				    HEIGHT - BOTTOM);
		perun_buffer_printf(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
				    x_of(panel, point->first), y_of(panel, point->before), x);
		if (i + 1 == changes->count)
			perun_buffer_printf(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
					    x, y_of(panel, point->after),
					    x_of(panel, point->end - 1));
		perun_free(subject);
	}
}

static void draw_panel(const struct panel *panel, double top, struct perun_buffer *out)
{
	const struct cli_strand *strand = panel->strand;

	perun_buffer_printf(out,
			    "<g transform=\"translate(0 %.0f)\">\n<text x=\"%.0f\" y=\"20\" "
			    "class=\"title\">",
			    top, LEFT);
	add_escaped(out, strand->location);
	perun_buffer_add_text(out, ", ");
	add_escaped(out, strand->series.metric);
	if (strand->series.unit && *strand->series.unit) {
		perun_buffer_add_text(out, " in ");
		add_escaped(out, strand->series.unit);
	}
	if (*strand->command) {
		perun_buffer_add_text(out, " ($ ");
		add_escaped(out, strand->command);
		perun_buffer_add_char(out, ')');
	}
	perun_buffer_add_text(out, "</text>\n");
	for (int i = 0; i <= 4; i++) {
		double value = panel->low + (panel->high - panel->low) * i / 4;

		perun_buffer_printf(out,
				    "<path class=\"grid\" d=\"M%.0f %.1fH%.0f\"/><text x=\"%.0f\" "
				    "y=\"%.1f\" class=\"tick\">%.4g</text>\n",
				    LEFT, y_of(panel, value), WIDTH - RIGHT, LEFT - 6,
				    y_of(panel, value) + 4, value);
	}
	draw_changes(panel, out);
	draw_values(panel, out);
	perun_buffer_add_text(out, "</g>\n");
}

static const char style[] =
	"text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.tick{text-anchor:end}"
	"path{fill:none}.grid{stroke:#ddd}.value path{stroke:#9bd}.value circle{fill:#246}"
	".level{stroke:#246;stroke-width:1.5;opacity:.6}.worse path{stroke:#c22;stroke-width:2}"
	".better path{stroke:#2a2;stroke-width:2}";

void cli_history_svg(const struct cli_history *history, struct perun_buffer *out)
{
	double height = HEIGHT * (double)history->strand_count;

	perun_buffer_printf(out,
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
			    "width=\"%.0f\" height=\"%.0f\">\n<style>%s</style>\n"
			    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
			    WIDTH, height, WIDTH, height, style);
	for (size_t s = 0; s < history->strand_count; s++) {
		struct panel panel = {.history = history, .strand = &history->strands[s]};

		find_range(&panel);
		if (panel.low < panel.high)
			draw_panel(&panel, HEIGHT * (double)s, out);
	}
	perun_buffer_add_text(out, "</svg>\n");
}

void cli_history_html(const struct cli_history *history, struct perun_buffer *out)
{
	perun_buffer_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta "
				   "charset=\"utf-8\"><title>Performance history</title></head>\n"
				   "<body>\n");
	cli_history_svg(history, out);
	perun_buffer_add_text(out, "</body>\n</html>\n");
}
