/* SPDX-License-Identifier: BSD-3-Clause */
/* A map of both profiles: each function has an area as large as its own cost, the larger one of the two. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/markup.h"
#include "views/common/quantity.h"
#include "views/report/page.h"

/* Smaller boxes cannot be seen: the rest of the functions share one. */
enum { MAX_BOXES = 120 };
#define MIN_SHARE 0.001
/* How wide the map is to its height, for which boxes are made as square as can be. */
#define ASPECT 2.6
/* Parts of width and height from which on a name has room. */
#define NAMED_WIDTH  0.04
#define NAMED_HEIGHT 0.05

struct box {
	const struct views_row *row; /* NULL = the rest */
	long double size;
	double x, y, width, height; /* of 1 */
};

static long double size_of(const struct views_row *row)
{
	return fmaxl(fabsl(row->self[0]), fabsl(row->self[1]));
}

static int by_size(const void *a, const void *b)
{
	const struct box *one = a, *other = b;

	if (one->size != other->size)
		return one->size < other->size ? 1 : -1;
	return strcmp(one->row->name, other->row->name);
}

/* The boxes by size; the last one is the rest, where there is one. Returns their sum. */
static long double choose_boxes(const struct views_rows *rows, struct box *boxes, size_t *count)
{
	long double sum = 0, rest = 0;
	size_t used = 0;

	for (size_t i = 0; i < rows->count; i++) {
		boxes[i] = (struct box){.row = &rows->items[i], .size = size_of(&rows->items[i])};
		sum += boxes[i].size;
	}
	qsort(boxes, rows->count, sizeof *boxes, by_size);
	while (used < rows->count && used < MAX_BOXES && boxes[used].size > MIN_SHARE * sum)
		used++;
	for (size_t i = used; i < rows->count; i++)
		rest += boxes[i].size;
	if (rest > 0)
		boxes[used++] = (struct box){.size = rest};
	*count = used;
	return sum;
}

/* The worst ratio of sides in a strip of this length that has boxes of these areas. */
static double worst_ratio(const struct box *boxes, size_t count, double strip, double scale)
{
	double sum = 0, worst = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)boxes[i].size * scale;
	for (size_t i = 0; i < count; i++) {
		double area = (double)boxes[i].size * scale, depth = sum / strip,
		       length = area / depth;

		worst = fmax(worst, fmax(depth / length, length / depth));
	}
	return worst;
}

/*
 * Squarified treemaps (Bruls, Huizing, van Wijk, 2000): boxes fill a strip along the shorter side of what is left while
 * that makes them squarer.
 */
static void place_boxes(struct box *boxes, size_t count, long double sum)
{
	double x = 0, y = 0, width = ASPECT, height = 1, scale = ASPECT / (double)sum;

	for (size_t first = 0, in_strip; first < count; first += in_strip) {
		struct box *strip = &boxes[first];
		const bool upright = width > height; /* a strip from top to bottom, at the left */
		double side = upright ? height : width, area = 0, depth, at = 0;

		for (in_strip = 1; first + in_strip < count; in_strip++) {
			if (worst_ratio(strip, in_strip + 1, side, scale) >
			    worst_ratio(strip, in_strip, side, scale))
				break;
		}
		for (size_t i = 0; i < in_strip; i++)
			area += (double)strip[i].size * scale;
		depth = side > 0 ? area / side : 0;
		for (size_t i = 0; i < in_strip; i++) {
			double length = area > 0 ? side * (double)strip[i].size * scale / area : 0;

			strip[i].x = (upright ? x : x + at) / ASPECT;
			strip[i].y = upright ? y + at : y;
			strip[i].width = (upright ? depth : length) / ASPECT;
			strip[i].height = upright ? length : depth;
			at += length;
		}
		x += upright ? depth : 0;
		y += upright ? 0 : depth;
		width -= upright ? depth : 0;
		height -= upright ? 0 : depth;
	}
}

/* How a box is drawn: by what became of its function. */
static const char *class_of(const struct views_row *row)
{
	const long double base = row ? row->self[0] : 1, new = row ? row->self[1] : 1;
	const long double change = base != 0 ? (new - base) / fabsl(base) : 0;

	if (base == 0)
		return "new";
	if (new == 0)
		return "gone";
	if (fabsl(change) < 0.05L)
		return "same";
	if (change > 0)
		return change < 0.5L ? "up" : "up more";
	return change > -0.33L ? "down" : "down more";
}

static void add_title(struct perun_buffer *out, const struct report *report, const struct box *box)
{
	if (!box->row) {
		perun_buffer_add_text(out, "smaller ones, together");
		return;
	}
	views_add_markup(out, box->row->name);
	perun_buffer_add_text(out, ": ");
	views_add_amount(out, box->row->self[0], &report->new->unit, false, false);
	perun_buffer_add_text(out, " → ");
	views_add_amount(out, box->row->self[1], &report->new->unit, false, false);
}

static void add_box(struct perun_buffer *out, const struct report *report, const struct box *box)
{
	perun_buffer_printf(out,
			    "<svg class=\"%s\" x=\"%.3f%%\" y=\"%.3f%%\" width=\"%.3f%%\" "
			    "height=\"%.3f%%\"><title>",
			    class_of(box->row), 100 * box->x, 100 * box->y, 100 * box->width,
			    100 * box->height);
	add_title(out, report, box);
	perun_buffer_add_text(out, "</title><rect width=\"100%\" height=\"100%\"/>");
	if (box->width > NAMED_WIDTH && box->height > NAMED_HEIGHT) {
		perun_buffer_add_text(out, "<text x=\"5\" y=\"15\">");
		views_add_markup(out, box->row ? box->row->name : "…");
		perun_buffer_add_text(out, "</text>");
	}
	perun_buffer_add_text(out, "</svg>\n");
}

void report_add_treemap(const struct report *report, struct perun_buffer *out)
{
	static const char *const legend[][2] = {{"new", "new"},   {"up more", "+50 % and more"},
						{"up", "more"},   {"same", "the same"},
						{"down", "less"}, {"down more", "-33 % and less"},
						{"gone", "gone"}};
	struct box *boxes = perun_alloc_zero(report->rows.count + 1, sizeof *boxes);
	size_t count;
	long double sum = choose_boxes(&report->rows, boxes, &count);

	if (sum > 0 && isfinite((double)sum)) {
		place_boxes(boxes, count, sum);
		perun_buffer_add_text(
			out,
			"<svg class=\"map\" role=\"img\" aria-label=\"Each function has an "
			"area as large as its own cost in the profile where it costs more\">\n");
		for (size_t i = 0; i < count; i++)
			add_box(out, report, &boxes[i]);
		perun_buffer_add_text(out, "</svg>\n<p class=\"legend\">");
		for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
			perun_buffer_printf(out,
					    "<span><svg class=\"%s\" aria-hidden=\"true\"><rect "
					    "width=\"100%%\" height=\"100%%\"/></svg> %s</span> ",
					    legend[i][0], legend[i][1]);
		perun_buffer_add_text(out, "</p>\n");
	}
	perun_free(boxes);
}
