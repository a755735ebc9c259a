/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline as SVG. */
#include <config.h>

#include <math.h>

#include "timeline.h"
#include "views/common/chart-svg.h"

enum { WIDTH = 1000, GUTTER = 130, MARGIN = 14, LANE = 20, VALUES = 84, MAX_LANES = 2000 };

struct picture {
	const struct timeline *timeline;
	struct perun_buffer *out;
	double left, width; /* of the plot */
	double y;           /* where to go on */
};

static double place(const struct picture *picture, double time)
{
	return picture->left + time / picture->timeline->span * picture->width;
}

static void add_text(const struct picture *picture, const char *class, double x, double y,
		     const char *text, double room)
{
	perun_buffer_printf(picture->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	views_add_fitted_markup(picture->out, text, room);
	perun_buffer_add_text(picture->out, "</text>\n");
}

static void add_title(const struct picture *picture, const char *text)
{
	perun_buffer_add_text(picture->out, "<title>");
	views_add_markup(picture->out, text);
	perun_buffer_add_text(picture->out, "</title>");
}

/* A bar, or `merged` more of them that are too narrow to be distinguished. */
static void add_bar(const struct picture *picture, const struct timeline_bar *bar, double end,
		    size_t merged)
{
	const struct timeline *timeline = picture->timeline;
	double from = place(picture, bar->start), width = place(picture, end) - from;
	struct perun_buffer text = {0};

	if (width < 0.8)
		width = 0.8;
	if (merged)
		perun_buffer_printf(&text, "%zu intervals", merged + 1);
	else
		timeline_add_bar_text(timeline, bar, &text);
	perun_buffer_add_text(picture->out, "<g>");
	add_title(picture, text.data);
	perun_buffer_printf(picture->out,
			    "<rect class=\"lane f%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			    "height=\"%d\" rx=\"2\"/>",
			    merged ? VIEWS_PALETTE - 1 : timeline_color(timeline, bar->name), from,
			    picture->y + 1, width, LANE - 2);
	if (!merged && width > 24)
		add_text(picture, "name", from + 4, picture->y + 14.5, timeline->names[bar->name],
			 width - 8);
	perun_buffer_add_text(picture->out, "</g>\n");
	perun_buffer_free(&text);
}

static void add_lanes(struct picture *picture)
{
	const struct timeline *timeline = picture->timeline;
	double least = timeline->span / picture->width;
	size_t at = 0;

	for (uint32_t lane = 0; lane < timeline->lane_count && lane < MAX_LANES; lane++) {
		const struct timeline_lane *one = &timeline->lanes[lane];

		if (one->name != TIMELINE_NO_NAME && !one->depth)
			add_text(picture, "end", picture->left - 8, picture->y + 14,
				 timeline->names[one->name], picture->left - 16);
		for (; at < timeline->bar_count && timeline->bars[at].lane == lane; at++) {
			const struct timeline_bar *bar = &timeline->bars[at];
			double end;
			size_t merged = timeline_merge(timeline, at, least, &end);

			add_bar(picture, bar, end, merged);
			at += merged;
		}
		picture->y += LANE;
	}
	if (timeline->lane_count > MAX_LANES) {
		struct perun_buffer text = {0};

		perun_buffer_printf(&text, "%zu more lanes are left out",
				    timeline->lane_count - MAX_LANES);
		add_text(picture, "note", picture->left, picture->y + 14, text.data,
			 picture->width);
		perun_buffer_free(&text);
		picture->y += LANE;
	}
}

static void add_pauses(const struct picture *picture, double top)
{
	const struct timeline *timeline = picture->timeline;

	for (size_t i = 0; i < timeline->pause_count; i++) {
		double from = place(picture, timeline->pauses[i].start);
		double width = place(picture, timeline->pauses[i].end) - from;

		perun_buffer_printf(picture->out,
				    "<rect class=\"pause\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				    "height=\"%.1f\">",
				    from, top, width < 1 ? 1 : width, picture->y - top);
		add_title(picture, "pause");
		perun_buffer_add_text(picture->out, "</rect>\n");
	}
}

/* The ticks; their lines are below everything else. */
static void add_grid(const struct picture *picture, const struct views_ticks *ticks, double bottom)
{
	for (size_t i = 0; i < ticks->count; i++) {
		if (!ticks->minor[i])
			perun_buffer_printf(picture->out,
					    "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n",
					    place(picture, ticks->values[i]), picture->y, bottom);
	}
}

static void add_axis(struct picture *picture, const struct views_ticks *ticks)
{
	const struct timeline *timeline = picture->timeline;
	struct perun_buffer title = {0};

	for (size_t i = 0; i < ticks->count; i++) {
		if (!ticks->minor[i])
			add_text(picture, "axis mid", place(picture, ticks->values[i]),
				 picture->y + 17, ticks->texts[i], 120);
	}
	perun_buffer_printf(picture->out, "<path class=\"frame\" d=\"M%.1f %.1fh%.1f\"/>\n",
			    picture->left, picture->y, picture->width);
	perun_buffer_printf(&title, "time%s%s%s", *timeline->scale.shown ? " [" : "",
			    timeline->scale.shown, *timeline->scale.shown ? "]" : "");
	add_text(picture, "axis end", picture->left - 18, picture->y + 17, title.data,
		 picture->left - 26);
	perun_buffer_free(&title);
	picture->y += 30;
}

static void add_points(const struct picture *picture, const struct timeline_values *values,
		       double low, double range, double height)
{
	struct views_series series = {
		.count = values->count, .x = values->times, .y = values->values};
	struct views_scale scale = picture->timeline->scale;
	size_t columns = (size_t)picture->width;
	size_t *kept = perun_alloc((4 * columns + 4 + values->count) * sizeof *kept);
	size_t count = views_thin_line(&series, &scale, columns, kept);

	perun_buffer_add_text(picture->out, "<path class=\"line s0\" d=\"");
	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(picture->out, "%s%.1f %.1f", i ? "L" : "M",
				    place(picture, values->times[kept[i]]),
				    picture->y + height -
					    (values->values[kept[i]] - low) / range * height);
	perun_buffer_add_text(picture->out, "\"/>\n");
	for (size_t i = 0; values->count <= 100 && i < values->count; i++)
		perun_buffer_printf(
			picture->out, "<circle class=\"f0\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n",
			place(picture, values->times[i]),
			picture->y + height - (values->values[i] - low) / range * height);
	perun_free(kept);
}

static void add_values(struct picture *picture, const struct timeline_values *values)
{
	struct perun_unit unit = perun_unit_of(values->unit);
	double height = VALUES - 26, range = values->high - values->low, low = values->low;
	struct perun_buffer text = {0};

	if (!(range > 0)) {
		range = 1;
		low -= 0.5;
	}
	add_text(picture, "end", picture->left - 8, picture->y + height / 2 + 4, values->name,
		 picture->left - 16);
	perun_buffer_printf(picture->out,
			    "<path class=\"grid\" d=\"M%.1f %.1fh%.1fM%.1f %.1fh%.1f\"/>\n",
			    picture->left, picture->y, picture->width, picture->left,
			    picture->y + height, picture->width);
	add_points(picture, values, low, range, height);
	views_add_amount(&text, values->high, &unit, false, false);
	add_text(picture, "axis end", picture->left - 8, picture->y + 8, text.data,
		 picture->left - 16);
	text.length = 0;
	views_add_amount(&text, values->low, &unit, false, false);
	if (values->high > values->low)
		add_text(picture, "axis end", picture->left - 8, picture->y + height + 4, text.data,
			 picture->left - 16);
	perun_buffer_free(&text);
	picture->y += VALUES;
}

int timeline_write_svg(const struct timeline *timeline, const struct perun_canvas *canvas)
{
	unsigned width = WIDTH;
	struct perun_buffer body = {0}, out = {0}, summary = {0};
	struct picture picture = {.timeline = timeline, .out = &body, .left = GUTTER, .y = 62};
	struct views_ticks ticks;
	double top = picture.y;
	int status;

	if (perun_option_given(timeline->options, "width"))
		width = (unsigned)perun_option_integer(timeline->options, "width");
	picture.left = width < 3 * GUTTER ? width / 3.0 : GUTTER;
	picture.width = width - picture.left - MARGIN - 10;
	timeline_add_summary(timeline, &summary);
	add_text(&picture, "h1", MARGIN, 26, "timeline", width - 2 * MARGIN);
	add_text(&picture, "note", MARGIN, 46, summary.data, width - 2 * MARGIN);
	views_scale_ticks(&timeline->scale, (size_t)(picture.width / 110) + 1, &ticks);
	add_grid(&picture, &ticks,
		 top +
			 LANE * (double)(timeline->lane_count < MAX_LANES ? timeline->lane_count
									  : MAX_LANES) +
			 4);
	add_lanes(&picture);
	add_pauses(&picture, top);
	add_axis(&picture, &ticks);
	for (size_t i = 0; i < timeline->value_count; i++)
		add_values(&picture, &timeline->values[i]);
	perun_buffer_printf(&out,
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
			    "height=\"%.0f\" viewBox=\"0 0 %u %.0f\">\n",
			    width, picture.y, width, picture.y);
	views_svg_style(&out);
	perun_buffer_add_text(
		&out, "<style>.lane{stroke:none;fill-opacity:.8}.name{font-size:11px;fill:#111;"
		      "pointer-events:none}.pause{fill:#888;fill-opacity:.35}</style>\n");
	perun_buffer_printf(&out, "<rect class=\"paper\" width=\"%u\" height=\"%.0f\"/>\n", width,
			    picture.y);
	perun_buffer_add(&out, body.data, body.length);
	perun_buffer_add_text(&out, "</svg>\n");
	status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	perun_buffer_free(&body);
	perun_buffer_free(&summary);
	return status;
}
