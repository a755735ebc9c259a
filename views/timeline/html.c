/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline as a page, whose script draws the data on a canvas; and the same data as JSON. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "timeline.h"
#include "views/common/template.h"

/* ---- data of the page ------------------------------------------------------------------------ */

static void add_colors(struct perun_buffer *out)
{
	for (int dark = 0; dark < 2; dark++) {
		perun_buffer_add_text(out, dark ? "],\"dark\":[" : "\"light\":[");
		for (unsigned i = 0; i < VIEWS_PALETTE; i++) {
			struct views_rgb rgb = views_palette(i, dark);

			perun_buffer_printf(out, "%s\"#%02x%02x%02x\"", i ? "," : "", rgb.red,
					    rgb.green, rgb.blue);
		}
	}
	perun_buffer_add_char(out, ']');
}

static void add_names(struct perun_buffer *out, const struct timeline *timeline)
{
	perun_buffer_add_text(out, ",\n\"names\":[");
	for (uint32_t i = 0; i < timeline->name_count; i++) {
		if (i)
			perun_buffer_add_char(out, ',');
		views_add_script_text(out, timeline->names[i]);
	}
	perun_buffer_add_text(out, "],\"colors\":[");
	for (uint32_t i = 0; i < timeline->name_count; i++)
		perun_buffer_printf(out, "%s%u", i ? "," : "", timeline_color(timeline, i));
	perun_buffer_add_char(out, ']');
}

/* Of each lane its name, or -1, and its bars: start, end, name, one after the other. */
static void add_lanes(struct perun_buffer *out, const struct timeline *timeline)
{
	size_t at = 0;

	perun_buffer_add_text(out, ",\n\"lanes\":[");
	for (uint32_t lane = 0; lane < timeline->lane_count; lane++) {
		const struct timeline_lane *one = &timeline->lanes[lane];
		bool first = true;

		perun_buffer_printf(
			out, "%s\n{\"name\":%" PRId64 ",\"depth\":%" PRIu32 ",\"bars\":[",
			lane ? "," : "", one->name == TIMELINE_NO_NAME ? -1 : (int64_t)one->name,
			one->depth);
		for (; at < timeline->bar_count && timeline->bars[at].lane == lane; at++) {
			if (!first)
				perun_buffer_add_char(out, ',');
			first = false;
			views_add_script_number(out, timeline->bars[at].start);
			perun_buffer_add_char(out, ',');
			views_add_script_number(out, timeline->bars[at].end);
			perun_buffer_printf(out, ",%" PRIu32, timeline->bars[at].name);
		}
		perun_buffer_add_text(out, "]}");
	}
	perun_buffer_add_char(out, ']');
}

static void add_pauses(struct perun_buffer *out, const struct timeline *timeline)
{
	perun_buffer_add_text(out, ",\n\"pauses\":[");
	for (size_t i = 0; i < timeline->pause_count; i++) {
		if (i)
			perun_buffer_add_char(out, ',');
		views_add_script_number(out, timeline->pauses[i].start);
		perun_buffer_add_char(out, ',');
		views_add_script_number(out, timeline->pauses[i].end);
	}
	perun_buffer_add_char(out, ']');
}

static void add_numbers(struct perun_buffer *out, const char *key, const double *numbers,
			size_t count)
{
	perun_buffer_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < count; i++) {
		if (i)
			perun_buffer_add_char(out, ',');
		views_add_script_number(out, numbers[i]);
	}
	perun_buffer_add_char(out, ']');
}

/* For the page: what an amount of this unit is multiplied with to be in `base`; 0 where it does not convert. */
static void add_factor(struct perun_buffer *out, const char *key, const char *unit,
		       const char *base)
{
	perun_buffer_printf(out, ",\"%s\":", key);
	views_add_script_number(out, (double)perun_unit_factor(unit, base));
}

static void add_values(struct perun_buffer *out, const struct timeline *timeline, bool page)
{
	perun_buffer_add_text(out, ",\n\"values\":[");
	for (size_t i = 0; i < timeline->value_count; i++) {
		const struct timeline_values *values = &timeline->values[i];

		perun_buffer_add_text(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		views_add_script_text(out, values->name);
		perun_buffer_add_text(out, ",\"unit\":");
		views_add_script_text(out, values->unit);
		if (page) {
			add_factor(out, "seconds", values->unit, "s");
			add_factor(out, "bytes", values->unit, "B");
		}
		add_numbers(out, "times", values->times, values->count);
		add_numbers(out, "values", values->values, values->count);
		perun_buffer_add_char(out, '}');
	}
	perun_buffer_add_char(out, ']');
}

/* `page`: with what only the page needs. */
static void add_data(struct perun_buffer *out, const struct timeline *timeline, bool page)
{
	perun_buffer_add_text(out, "{\"unit\":");
	views_add_script_text(out, timeline->unit);
	perun_buffer_add_text(out, ",\"run\":");
	if (timeline->run)
		views_add_script_text(out, timeline->run);
	else
		perun_buffer_add_text(out, "null");
	perun_buffer_add_text(out, ",\"span\":");
	views_add_script_number(out, timeline->span);
	if (page) {
		add_factor(out, "seconds", timeline->unit, "s");
		perun_buffer_add_char(out, ',');
		add_colors(out);
	}
	add_names(out, timeline);
	add_lanes(out, timeline);
	add_pauses(out, timeline);
	add_values(out, timeline, page);
	perun_buffer_add_text(out, "}\n");
}

int timeline_write_json(const struct timeline *timeline, const struct perun_canvas *canvas)
{
	struct perun_buffer out = {0};
	int status;

	add_data(&out, timeline, false);
	status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void fill_mark(struct perun_buffer *out, const struct timeline *timeline,
		      const struct views_template *template)
{
	struct perun_buffer summary = {0};

	if (views_template_at(template, "POLICY")) {
		views_add_policy(out, timeline_page_css, timeline_page_css_size, timeline_page_js,
				 timeline_page_js_size);
	} else if (views_template_at(template, "TITLE")) {
		perun_buffer_add_text(out, "timeline of ");
		views_add_markup(out, timeline->profile_name);
	} else if (views_template_at(template, "SUMMARY")) {
		timeline_add_summary(timeline, &summary);
		views_add_markup(out, summary.data);
	} else if (views_template_at(template, "STYLE")) {
		perun_buffer_add(out, timeline_page_css, timeline_page_css_size);
	} else if (views_template_at(template, "SCRIPT")) {
		perun_buffer_add(out, timeline_page_js, timeline_page_js_size);
	} else if (views_template_at(template, "DATA")) {
		add_data(out, timeline, true);
	}
	perun_buffer_free(&summary);
}

int timeline_write_html(const struct timeline *timeline, const struct perun_canvas *canvas)
{
	struct views_template template =
		views_template(timeline_page_html, timeline_page_html_size);
	struct perun_buffer out = {0};
	int status;

	while (views_template_next(&template)) {
		perun_buffer_add(&out, template.piece, template.length);
		fill_mark(&out, timeline, &template);
	}
	status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}
