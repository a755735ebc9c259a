/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure as one page with the program in page/ and uPlot. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-assets.h"
#include "views/common/chart-json.h"
#include "views/common/chart-svg.h"
#include "views/common/template.h"

enum { RAMP = 64, MAX_STATIC = 400000 };

static void add_color(struct perun_buffer *out, struct views_rgb rgb, bool first)
{
	perun_buffer_printf(out, "%s\"#%02x%02x%02x\"", first ? "" : ",", rgb.red, rgb.green,
			    rgb.blue);
}

static void add_data(struct perun_buffer *out, const struct views_figure *figure)
{
	perun_buffer_add_char(out, '{');
	views_add_charts(figure, true, out);
	perun_buffer_add_text(out, ",\n\"palette\": [[");
	for (unsigned i = 0; i < 2 * VIEWS_PALETTE; i++) {
		if (i == VIEWS_PALETTE)
			perun_buffer_add_text(out, "],[");
		add_color(out, views_palette(i, i >= VIEWS_PALETTE), i % VIEWS_PALETTE == 0);
	}
	perun_buffer_add_text(out, "]],\n\"ramp\": [");
	for (int i = 0; i < RAMP; i++)
		add_color(out, views_ramp(i / (RAMP - 1.0)), i == 0);
	perun_buffer_add_text(out, "],\n\"shares\": [");
	for (int i = 0; i < RAMP; i++)
		add_color(out, views_share_color(pow(i / (RAMP - 1.0), 2)), i == 0);
	perun_buffer_add_char(out, ']');
	if (figure->page_data) {
		perun_buffer_add_text(out, ",\n\"more\": ");
		perun_buffer_add(out, figure->page_data->data, figure->page_data->length);
	}
	perun_buffer_add_char(out, '}');
}

/* For readers without scripts; not when it would make the page large. */
static void add_picture(struct perun_buffer *out, const struct views_figure *figure)
{
	const struct views_size size = {0, 0};
	struct views_figure plain = *figure;
	struct perun_buffer picture = {0};

	plain.list = NULL;
	views_figure_svg(&plain, &size, &picture);
	if (picture.length <= MAX_STATIC)
		perun_buffer_add(out, picture.data, picture.length);
	else
		perun_buffer_add_text(out, "<p>This page draws with a script.</p>");
	perun_buffer_free(&picture);
}

static void add_list_row(struct perun_buffer *out, const struct views_list *list,
			 const struct views_list_row *row)
{
	perun_buffer_printf(out, "<tr data-depth=\"%u\"><td>", row->depth < 30 ? row->depth : 30);
	if (!isnan(row->share)) {
		struct views_rgb rgb = views_share_color(row->share);

		perun_buffer_printf(out, "<svg><rect fill=\"#%02x%02x%02x\"/></svg>", rgb.red,
				    rgb.green, rgb.blue);
	}
	views_add_markup(out, row->name);
	perun_buffer_add_text(out, "</td>");
	for (int k = 0; k < VIEWS_LIST_COLUMNS; k++) {
		if (!list->titles[k + 1])
			continue;
		perun_buffer_printf(out, "<td%s>",
				    k < VIEWS_LIST_WORDS ? " class=\"number\""
							 : " class=\"words\"");
		views_add_markup(out, row->columns[k] ? row->columns[k] : "");
		perun_buffer_add_text(out, "</td>");
	}
	perun_buffer_add_text(out, "</tr>\n");
}

static void add_list(struct perun_buffer *out, const struct views_list *list)
{
	if (!list)
		return;
	perun_buffer_add_text(out, "<table class=\"list\" id=\"list\"><thead><tr>");
	for (int k = 0; k <= VIEWS_LIST_COLUMNS; k++) {
		if (!list->titles[k])
			continue;
		perun_buffer_printf(out, "<th%s>",
				    k == 0                  ? ""
				    : k <= VIEWS_LIST_WORDS ? " class=\"number\""
							    : " class=\"words\"");
		views_add_markup(out, list->titles[k]);
		perun_buffer_add_text(out, "</th>");
	}
	perun_buffer_add_text(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < list->count; i++)
		add_list_row(out, list, &list->rows[i]);
	perun_buffer_add_text(out, "</tbody></table>\n");
}

static void add_style(struct perun_buffer *out)
{
	perun_buffer_add(out, chart_uplot_css, chart_uplot_css_size);
	perun_buffer_add(out, chart_page_css, chart_page_css_size);
}

static void add_script(struct perun_buffer *out, const struct views_figure *figure)
{
	perun_buffer_add(out, chart_page_js, chart_page_js_size);
	perun_buffer_add(out, figure->page_script ? (const char *)figure->page_script : "",
			 figure->page_script_size);
}

/* Also for the picture in <noscript>, which brings its own style. */
static void add_policy(struct perun_buffer *out, const struct views_figure *figure)
{
	struct perun_page_policy policy = {0};
	struct perun_buffer text = {0};

	add_style(&text);
	perun_page_allow_style(&policy, text.data, text.length);
	perun_buffer_clear(&text);
	views_svg_rules(&text);
	perun_page_allow_style(&policy, text.data, text.length);
	perun_buffer_clear(&text);
	add_script(&text, figure);
	perun_page_allow_script(&policy, text.data, text.length);
	perun_page_allow_script(&policy, chart_uplot_js, chart_uplot_js_size);
	perun_buffer_free(&text);
	perun_page_add_policy(&policy, out);
}

/* What is at a mark of the template. */
static void add_part(struct perun_buffer *out, const struct views_figure *figure,
		     const struct views_template *template)
{
	if (views_template_at(template, "POLICY")) {
		add_policy(out, figure);
	} else if (views_template_at(template, "TITLE")) {
		views_add_markup(out, figure->title);
	} else if (views_template_at(template, "SUBTITLE")) {
		views_add_markup(out, figure->subtitle);
	} else if (views_template_at(template, "STYLE")) {
		add_style(out);
	} else if (views_template_at(template, "LICENCE")) {
		perun_buffer_add(out, chart_uplot_licence, chart_uplot_licence_size);
	} else if (views_template_at(template, "UPLOT")) {
		perun_buffer_add(out, chart_uplot_js, chart_uplot_js_size);
	} else if (views_template_at(template, "SCRIPT")) {
		add_script(out, figure);
	} else if (views_template_at(template, "INTRO") && figure->page_intro) {
		perun_buffer_add(out, figure->page_intro->data, figure->page_intro->length);
	} else if (views_template_at(template, "BODY") && figure->page_body) {
		perun_buffer_add(out, figure->page_body->data, figure->page_body->length);
	} else if (views_template_at(template, "LIST")) {
		add_list(out, figure->list);
	} else if (views_template_at(template, "PICTURE")) {
		add_picture(out, figure);
	} else if (views_template_at(template, "DATA")) {
		add_data(out, figure);
	}
}

void views_figure_html(const struct views_figure *figure, struct perun_buffer *out)
{
	struct views_template template = views_template(chart_page_html, chart_page_html_size);

	while (views_template_next(&template)) {
		perun_buffer_add(out, template.piece, template.length);
		add_part(out, figure, &template);
	}
}
