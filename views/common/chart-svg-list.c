/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a list below the charts, as SVG. */
#include <config.h>

#include <math.h>

#include "views/common/chart-svg.h"
#include "views/common/text.h"

enum { LIST_ROW = 20, LIST_LEFT = 16, LIST_GAP = 18 };

/* Where the columns begin, how wide they are; 0 = is not there. */
struct columns {
	double x[1 + VIEWS_LIST_COLUMNS], width[1 + VIEWS_LIST_COLUMNS];
};

static void lay_out(const struct views_list *list, double width, struct columns *columns)
{
	double right = LIST_LEFT;

	for (int k = 0; k <= VIEWS_LIST_COLUMNS; k++) {
		columns->width[k] = list->titles[k] ? views_text_width(list->titles[k]) : 0;
		for (size_t i = 0; i < list->count && list->titles[k]; i++) {
			const struct views_list_row *row = &list->rows[i];
			const char *text = k ? row->columns[k - 1] : row->name;
			double wanted = text ? views_text_width(text) : 0;

			if (!k)
				wanted += 12.0 * fmin(row->depth, 20) + 18;
			columns->width[k] = fmax(columns->width[k], wanted);
		}
		columns->width[k] = fmin(columns->width[k], k == 0 ? width * 0.45 : width * 0.25);
		columns->x[k] = right;
		/* The last one has what is left. */
		if (k == VIEWS_LIST_COLUMNS && list->titles[k])
			columns->width[k] = width - right - LIST_LEFT;
		right += columns->width[k] ? columns->width[k] + LIST_GAP : 0;
	}
}

/* A phrase that is too long loses its end. */
static void add_cell(const char *text, double x, double y, double width, bool right,
		     struct perun_buffer *out)
{
	struct perun_buffer clipped = {0};
	const size_t letters = width > 14 ? (size_t)(width / 6.4) : 2;

	views_add_clipped(&clipped, text, letters, false);
	perun_buffer_printf(out, "<text%s x=\"%.1f\" y=\"%.1f\">", right ? " class=\"end\"" : "",
			    right ? x + width : x, y);
	views_add_markup(out, clipped.data ? clipped.data : "");
	perun_buffer_add_text(out, "</text>");
	perun_buffer_free(&clipped);
}

static void add_name(const struct views_list_row *row, const struct columns *columns, double y,
		     struct perun_buffer *out)
{
	const double x = columns->x[0] + 12.0 * fmin(row->depth, 20);
	struct views_rgb rgb = views_share_color(row->share);

	if (!isnan(row->share))
		perun_buffer_printf(out,
				    "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" "
				    "rx=\"2\" fill=\"#%02x%02x%02x\"/>",
				    x, y - 10, rgb.red, rgb.green, rgb.blue);
	perun_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\">",
			    x + (isnan(row->share) && !row->depth ? 0 : 18), y);
	views_add_fitted_markup(out, row->name, columns->x[0] + columns->width[0] - x - 17);
	perun_buffer_add_text(out, "</text>");
}

double views_svg_list(const struct views_list *list, double top, double width,
		      struct perun_buffer *out)
{
	struct columns columns;
	double y = top + LIST_ROW;

	lay_out(list, width, &columns);
	perun_buffer_add_text(out, "<g class=\"note\">");
	for (int k = 0; k <= VIEWS_LIST_COLUMNS; k++) {
		if (list->titles[k])
			add_cell(list->titles[k], columns.x[k], top + 14, columns.width[k],
				 k > 0 && k <= VIEWS_LIST_WORDS, out);
	}
	perun_buffer_add_text(out, "</g>\n");
	for (size_t i = 0; i < list->count; i++) {
		const struct views_list_row *row = &list->rows[i];
		double end = y + LIST_ROW;

		add_name(row, &columns, y + 14, out);
		for (int k = 1; k <= VIEWS_LIST_WORDS; k++) {
			if (row->columns[k - 1] && list->titles[k])
				add_cell(row->columns[k - 1], columns.x[k], y + 14,
					 columns.width[k], true, out);
		}
		perun_buffer_add_char(out, '\n');
		if (row->columns[VIEWS_LIST_WORDS] && list->titles[VIEWS_LIST_COLUMNS])
			end = views_svg_lines(row->columns[VIEWS_LIST_WORDS], "",
					      columns.x[VIEWS_LIST_COLUMNS], y - 2,
					      columns.width[VIEWS_LIST_COLUMNS], out) +
			      2;
		y = end > y + LIST_ROW ? end : y + LIST_ROW;
	}
	return y - top + 12;
}
