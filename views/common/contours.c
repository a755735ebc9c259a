/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of equal value in a map of colours. */
#include <config.h>

#include "views/common/contours.h"

#include <math.h>

#include "views/common/chart-draw.h"

/*
 * Marching squares (Maple, "Geometric design and space planning using the marching squares and marching cube
 * algorithms", GMAG 2003) over the middles of the cells; a saddle is resolved by the mean of its corners.
 */
struct march {
	const struct views_chart *chart;
	const struct views_heat *heat;
	struct views_contour *contour;
};

/* The value of an axis at a place among the middles of its cells. */
static double place_value(const double *edges, double place, bool logarithmic)
{
	size_t i = (size_t)(place + 0.5);
	double part = place + 0.5 - (double)i;

	if (part == 0)
		return edges[i];
	return logarithmic ? edges[i] * pow(edges[i + 1] / edges[i], part)
			   : edges[i] + (edges[i + 1] - edges[i]) * part;
}

static double cell(const struct march *march, size_t column, size_t row)
{
	double value = march->heat->values[row * march->heat->columns + column];

	return march->heat->logarithmic ? log(value) : value;
}

/* Sides of a square, from the bottom on against the clock; the place where the line crosses one. */
static void crossing(const double corners[4], double level, unsigned side, double *x, double *y)
{
	static const double starts[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
	static const double steps[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
	double part = (level - corners[side]) / (corners[(side + 1) % 4] - corners[side]);

	*x = starts[side][0] + part * steps[side][0];
	*y = starts[side][1] + part * steps[side][1];
}

static void add_piece(struct march *march, size_t column, size_t row, const double corners[4],
		      double level, unsigned from, unsigned to)
{
	struct views_contour *contour = march->contour;
	double place[4];

	if (contour->count == contour->room) {
		contour->room = 2 * contour->room + 16;
		contour->pieces = perun_realloc_array(contour->pieces, contour->room,
						      4 * sizeof *contour->pieces);
	}
	crossing(corners, level, from, &place[0], &place[1]);
	crossing(corners, level, to, &place[2], &place[3]);
	for (int i = 0; i < 4; i++)
		contour->pieces[4 * contour->count + (size_t)i] =
			i % 2 ? place_value(march->heat->y, place[i] + (double)row,
					    march->chart->y.log_base)
			      : place_value(march->heat->x, place[i] + (double)column,
					    march->chart->x.log_base);
	contour->count++;
}

static void march_square(struct march *march, size_t column, size_t row, double level)
{
	/* For each set of corners above the level the sides that the line crosses, in pairs. */
	static const signed char sides[16][2] = {
		{-1, -1}, {3, 0}, {0, 1},   {3, 1}, {1, 2}, {-1, -1}, {0, 2}, {3, 2},
		{2, 3},   {0, 2}, {-1, -1}, {1, 2}, {1, 3}, {0, 1},   {0, 3}, {-1, -1}};
	const double corners[4] = {cell(march, column, row), cell(march, column + 1, row),
				   cell(march, column + 1, row + 1), cell(march, column, row + 1)};
	double sum = corners[0] + corners[1] + corners[2] + corners[3];
	unsigned above = 0;

	if (!isfinite(sum))
		return;
	for (unsigned i = 0; i < 4; i++)
		above |= (unsigned)(corners[i] > level) << i;
	if (above == 5 || above == 10) {
		bool joined = (sum / 4 > level) == (above == 5);

		add_piece(march, column, row, corners, level, 0, joined ? 1 : 3);
		add_piece(march, column, row, corners, level, 2, joined ? 3 : 1);
	} else if (sides[above][0] >= 0) {
		add_piece(march, column, row, corners, level, (unsigned)sides[above][0],
			  (unsigned)sides[above][1]);
	}
}

static void march_level(struct march *march, double value)
{
	struct views_contour *contour = march->contour;
	double level = march->heat->logarithmic ? log(value) : value;
	const double *middle;

	*contour = (struct views_contour){.value = value};
	for (size_t column = 0; column + 1 < march->heat->columns; column++)
		for (size_t row = 0; row + 1 < march->heat->rows; row++)
			march_square(march, column, row, level);
	if (!contour->count)
		return;
	middle = contour->pieces + 4 * (contour->count / 2);
	contour->x = march->chart->x.log_base ? sqrt(middle[0] * middle[2])
					      : (middle[0] + middle[2]) / 2;
	contour->y = march->chart->y.log_base ? sqrt(middle[1] * middle[3])
					      : (middle[1] + middle[3]) / 2;
}

void views_contours_find(const struct views_chart *chart, size_t wanted,
			 struct views_contours *contours)
{
	struct march march = {.chart = chart, .heat = chart->heat};
	struct views_scale scale = views_heat_scale(chart->heat);
	struct views_ticks ticks;

	views_scale_ticks(&scale, wanted, &ticks);
	*contours = (struct views_contours){
		.contours = perun_alloc_zero(ticks.count, sizeof *contours->contours)};
	for (size_t i = 0; i < ticks.count; i++) {
		march.contour = &contours->contours[contours->count];
		if (ticks.minor[i])
			continue;
		march_level(&march, ticks.values[i]);
		if (march.contour->count)
			contours->count++;
	}
}

void views_contours_clear(struct views_contours *contours)
{
	for (size_t i = 0; i < contours->count; i++)
		perun_free(contours->contours[i].pieces);
	perun_free(contours->contours);
}
