/* SPDX-License-Identifier: BSD-3-Clause */
/* Words about a timeline, and the timeline in a terminal. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "timeline.h"
#include "views/common/bars.h"
#include "views/common/chart-terminal.h"
#include "views/common/text.h"

enum { GUTTER = 16, MIN_WIDTH = 40, MAX_LANES = 60 };

/* ---- words ----------------------------------------------------------------------------------- */

static void add_time(const struct timeline *timeline, double time, bool ascii,
		     struct perun_buffer *out)
{
	views_add_amount(out, time, &timeline->scale.unit, false, ascii);
}

void timeline_add_summary(const struct timeline *timeline, struct perun_buffer *out)
{
	perun_buffer_add_text(out, timeline->profile_name);
	if (timeline->run && *timeline->run)
		perun_buffer_printf(out, ", run %s", timeline->run);
	if (timeline->run_count > 1)
		perun_buffer_printf(out, " (of %zu runs)", timeline->run_count);
	perun_buffer_printf(out, ": %zu interval%s in ", timeline->bar_count,
			    timeline->bar_count == 1 ? "" : "s");
	add_time(timeline, timeline->span, false, out);
	if (timeline->pause_count)
		perun_buffer_printf(out, ", %zu pause%s", timeline->pause_count,
				    timeline->pause_count == 1 ? "" : "s");
}

void timeline_add_bar_text(const struct timeline *timeline, const struct timeline_bar *bar,
			   struct perun_buffer *out)
{
	perun_buffer_add_text(out, timeline->names[bar->name]);
	perun_buffer_add_text(out, ", ");
	add_time(timeline, bar->end - bar->start, false, out);
	perun_buffer_add_text(out, " from ");
	add_time(timeline, bar->start, false, out);
	perun_buffer_add_text(out, " on");
}

unsigned timeline_color(const struct timeline *timeline, uint32_t name)
{
	const char *text = timeline->names[name];
	uint32_t hash = perun_fnv1a_32(text, strlen(text), PERUN_FNV1A_32);

	return (hash ^ hash >> 16) % (VIEWS_PALETTE - 1);
}

size_t timeline_merge(const struct timeline *timeline, size_t first, double least, double *end)
{
	const struct timeline_bar *bars = timeline->bars;
	size_t at = first;

	*end = bars[first].end;
	if (bars[first].end - bars[first].start >= least)
		return 0;
	while (at + 1 < timeline->bar_count && bars[at + 1].lane == bars[first].lane &&
	       bars[at + 1].end - bars[at + 1].start < least && bars[at + 1].start - *end < least) {
		at++;
		*end = bars[at].end > *end ? bars[at].end : *end;
	}
	return at - first;
}

/* ---- a terminal ------------------------------------------------------------------------------ */

struct screen {
	const struct timeline *timeline;
	const struct perun_canvas *canvas;
	struct perun_buffer *out;
	size_t width; /* columns of the plot */
};

static size_t column_of(const struct screen *screen, double time)
{
	double place = time / screen->timeline->span * (double)screen->width;

	return place <= 0 ? 0 : place >= (double)screen->width ? screen->width : (size_t)place;
}

static void add_gutter(const struct screen *screen, const char *text)
{
	size_t used = views_add_fitted(screen->out, text, GUTTER - 1, screen->canvas->ascii);

	views_add_repeated(screen->out, " ", GUTTER - used);
}

static void paint(const struct screen *screen, unsigned color)
{
	unsigned ground;

	if (!screen->canvas->color)
		return;
	ground = views_terminal_color(views_palette(color, true));
	perun_buffer_printf(screen->out, "\x1b[38;5;16;48;5;%um", ground);
}

static void end_paint(const struct screen *screen)
{
	if (screen->canvas->color)
		perun_buffer_add_text(screen->out, "\x1b[0m");
}

/* A bar of at least one column: its name in its colour, or between brackets. */
static void add_bar(const struct screen *screen, const struct timeline_bar *bar, size_t columns,
		    size_t merged)
{
	const char *name = merged ? "" : screen->timeline->names[bar->name];
	size_t used = 0, room = columns;

	if (screen->canvas->color) {
		paint(screen,
		      merged ? VIEWS_PALETTE - 1 : timeline_color(screen->timeline, bar->name));
		if (room > 2)
			used = views_add_fitted(screen->out, name, room, screen->canvas->ascii);
		views_add_repeated(screen->out, " ", room - used);
		end_paint(screen);
	} else if (columns < 3) {
		views_add_repeated(screen->out, merged ? ":" : "|", columns);
	} else {
		perun_buffer_add_char(screen->out, '[');
		used = views_add_fitted(screen->out, name, columns - 2, screen->canvas->ascii);
		views_add_repeated(screen->out, merged ? ":" : "-", columns - 2 - used);
		perun_buffer_add_char(screen->out, ']');
	}
}

/* The bars of a lane, from number `first` on; returns the number after them. */
static size_t add_lane(const struct screen *screen, uint32_t lane, size_t first)
{
	const struct timeline *timeline = screen->timeline;
	double least = timeline->span / (double)screen->width;
	size_t at = first, column = 0;

	for (; at < timeline->bar_count && timeline->bars[at].lane == lane; at++) {
		const struct timeline_bar *bar = &timeline->bars[at];
		double end;
		size_t merged = timeline_merge(timeline, at, least, &end);
		size_t from = column_of(screen, bar->start), to = column_of(screen, end);

		at += merged;
		from = from < column ? column : from;
		if (to <= from)
			to = from + 1;
		if (to > screen->width)
			continue;
		views_add_repeated(screen->out, " ", from - column);
		add_bar(screen, bar, to - from, merged);
		column = to;
	}
	perun_buffer_add_char(screen->out, '\n');
	return at;
}

static void add_lanes(const struct screen *screen)
{
	const struct timeline *timeline = screen->timeline;
	size_t at = 0, left_out = 0;

	for (uint32_t lane = 0; lane < timeline->lane_count; lane++) {
		const struct timeline_lane *one = &timeline->lanes[lane];

		if (lane >= MAX_LANES) {
			left_out++;
			continue;
		}
		add_gutter(screen, one->name == TIMELINE_NO_NAME || one->depth
					   ? ""
					   : timeline->names[one->name]);
		at = add_lane(screen, lane, at);
	}
	if (left_out)
		perun_buffer_printf(screen->out,
				    "%zu more lanes: a page has them all (-o FILE.html)\n",
				    left_out);
}

static void add_pauses(const struct screen *screen)
{
	const struct timeline *timeline = screen->timeline;
	char *line;

	if (!timeline->pause_count)
		return;
	line = perun_alloc_zero(screen->width + 1, 1);
	for (size_t i = 0; i < timeline->pause_count; i++) {
		size_t from = column_of(screen, timeline->pauses[i].start);
		size_t to = column_of(screen, timeline->pauses[i].end);

		for (size_t k = from; k <= to && k < screen->width; k++)
			line[k] = 1;
	}
	add_gutter(screen, "(pauses)");
	for (size_t i = 0; i < screen->width; i++)
		perun_buffer_add_text(screen->out, !line[i]                ? " "
						   : screen->canvas->ascii ? "/"
									   : "▒");
	perun_buffer_add_char(screen->out, '\n');
	perun_free(line);
}

/* The largest value of each column as a block between the lowest and the highest. */
static void add_values(const struct screen *screen, const struct timeline_values *values)
{
	struct perun_unit unit = perun_unit_of(values->unit);
	double *most = perun_alloc((screen->width + 1) * sizeof *most), range;

	for (size_t i = 0; i <= screen->width; i++)
		most[i] = -INFINITY;
	for (size_t i = 0; i < values->count; i++) {
		size_t column = column_of(screen, values->times[i]);

		column = column >= screen->width ? screen->width - 1 : column;
		most[column] = fmax(most[column], values->values[i]);
	}
	add_gutter(screen, values->name);
	range = values->high - values->low;
	for (size_t i = 0; i < screen->width; i++) {
		double share = range > 0 ? (most[i] - values->low) / range : 0.5;
		size_t level = share >= 0 && share <= 1 ? (size_t)(share * 7 + 0.5) : 0;

		if (!isfinite(most[i]))
			perun_buffer_add_char(screen->out, ' ');
		else
			perun_buffer_add_text(screen->out,
					      views_height(level + 1, screen->canvas->ascii));
	}
	perun_buffer_add_text(screen->out, "\n");
	views_add_repeated(screen->out, " ", GUTTER);
	views_add_amount(screen->out, values->low, &unit, false, screen->canvas->ascii);
	perun_buffer_add_text(screen->out, " to ");
	views_add_amount(screen->out, values->high, &unit, false, screen->canvas->ascii);
	perun_buffer_printf(screen->out, ", %zu value%s\n", values->count,
			    values->count == 1 ? "" : "s");
	perun_free(most);
}

static void add_axis(const struct screen *screen)
{
	struct views_ticks ticks;
	size_t column = 0, used = 0;

	views_scale_ticks(&screen->timeline->scale, screen->width / 14 + 1, &ticks);
	add_gutter(screen, "");
	for (size_t i = 0; i < screen->width; i++) {
		bool tick = false;

		for (size_t k = 0; k < ticks.count; k++)
			tick |= !ticks.minor[k] && column_of(screen, ticks.values[k]) == i;
		perun_buffer_add_text(screen->out, screen->canvas->ascii ? (tick ? "+" : "-")
						   : tick                ? "┴"
									 : "─");
	}
	perun_buffer_add_char(screen->out, '\n');
	add_gutter(screen, "");
	for (size_t k = 0; k < ticks.count; k++) {
		column = column_of(screen, ticks.values[k]);
		if (ticks.minor[k] || column < used ||
		    column + views_width(ticks.texts[k]) > screen->width)
			continue;
		views_add_repeated(screen->out, " ", column - used);
		views_terminal_plain(screen->out, ticks.texts[k], screen->canvas->ascii);
		used = column + views_width(ticks.texts[k]) + 1;
		perun_buffer_add_char(screen->out, ' ');
	}
	if (*screen->timeline->scale.shown) {
		perun_buffer_add_char(screen->out, '[');
		views_terminal_plain(screen->out, screen->timeline->scale.shown,
				     screen->canvas->ascii);
		perun_buffer_add_char(screen->out, ']');
	}
	perun_buffer_add_char(screen->out, '\n');
}

int timeline_write_text(const struct timeline *timeline, const struct perun_canvas *canvas)
{
	struct perun_buffer out = {0}, summary = {0};
	struct screen screen = {.timeline = timeline, .canvas = canvas, .out = &out};
	size_t width = canvas->width ? canvas->width : 80;
	int status;

	if (perun_option_given(timeline->options, "width"))
		width = (size_t)perun_option_integer(timeline->options, "width");
	if (width < MIN_WIDTH)
		width = MIN_WIDTH;
	screen.width = width - GUTTER;
	timeline_add_summary(timeline, &summary);
	views_add_clipped(&out, summary.data, width, canvas->ascii);
	perun_buffer_add_text(&out, "\n\n");
	add_lanes(&screen);
	add_pauses(&screen);
	add_axis(&screen);
	for (size_t i = 0; i < timeline->value_count; i++)
		add_values(&screen, &timeline->values[i]);
	status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	perun_buffer_free(&summary);
	return status;
}
