/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: what models predict over two parameters, as surfaces in space. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "views/common/chart-draw.h"

#include "scaling.h"

/* Turned by 35 degrees, seen from 25 degrees above; the height is three quarters of the sides. The page turns it. */
#define AZIMUTH   0.61
#define ELEVATION 0.44
#define HEIGHT    0.75

enum { CELLS = 18, EDGES = CELLS + 1, MAX_SURFACES = 4 };

struct space {
	const struct scaling *scaling;
	struct views_chart *chart;
	struct views_scale scales[3]; /* of both parameters and of the costs */
	size_t surfaces;
	struct views_heat *values; /* one surface after another */
};

/* One quadrangle of a surface. */
struct face {
	double x[4], y[4], depth;
	unsigned color;
	size_t number;
};

struct spot {
	double x, y, depth;
};

/* Where on the picture a place in the cube from 0 to 1 is, and how far away. */
static struct spot project(double across, double along, double up)
{
	const double u = across - 0.5, v = along - 0.5, w = HEIGHT * (up - 0.5);
	const double back = u * sin(AZIMUTH) + v * cos(AZIMUTH);

	return (struct spot){u * cos(AZIMUTH) - v * sin(AZIMUTH),
			     back * sin(ELEVATION) + w * cos(ELEVATION),
			     back * cos(ELEVATION) - w * sin(ELEVATION)};
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void add_stroke(struct views_series *lines, struct spot from, struct spot to)
{
	views_series_add(lines, from.x, from.y, NAN);
	views_series_add(lines, to.x, to.y, NAN);
	views_series_add(lines, NAN, NAN, NAN);
}

/* Lines on the floor and on both walls behind, and words at the edges in front, where its ticks are. */
static void add_axis(const struct space *space, int axis, struct views_series *lines)
{
	struct perun_buffer text = {0};
	struct views_ticks ticks;

	views_scale_ticks(&space->scales[axis], 5, &ticks);
	for (size_t i = 0; i < ticks.count; i++) {
		const double at = views_scale_place(&space->scales[axis], ticks.values[i]);
		struct spot word;

		if (ticks.minor[i] || !(at >= -1e-9 && at <= 1 + 1e-9))
			continue;
		if (axis == 0) {
			add_stroke(lines, project(at, 0, 0), project(at, 1, 0));
			add_stroke(lines, project(at, 1, 0), project(at, 1, 1));
			word = project(at, -0.09, 0);
		} else if (axis == 1) {
			add_stroke(lines, project(0, at, 0), project(1, at, 0));
			add_stroke(lines, project(1, at, 0), project(1, at, 1));
			word = project(-0.09, at, 0);
		} else {
			add_stroke(lines, project(0, 1, at), project(1, 1, at));
			add_stroke(lines, project(1, 1, at), project(1, 0, at));
			word = project(0, 1, at);
			word.x -= 0.02;
		}
		if (axis == 2)
			views_scale_add_value(&space->scales[2], ticks.values[i], &text);
		else
			perun_buffer_add_text(&text, ticks.texts[i]);
		views_chart_add_word(space->chart, word.x, word.y, axis == 2, text.data);
		perun_buffer_clear(&text);
	}
	perun_buffer_free(&text);
}

static void add_title(struct views_chart *chart, const char *title, struct spot spot)
{
	views_chart_add_word(chart, spot.x, spot.y, false, title);
}

static void add_axes(const struct space *space)
{
	const struct perun_experiment *experiment = space->scaling->experiment;
	const size_t across = space->scaling->parameter, along = across == 0;
	struct views_series *lines = views_chart_add(space->chart, "", VIEWS_LINE, 0);

	lines->frame = true;
	for (int axis = 0; axis < 3; axis++)
		add_axis(space, axis, lines);
	for (int end = 0; end < 2; end++) {
		add_stroke(lines, project(0, end, 0), project(1, end, 0));
		add_stroke(lines, project(end, 0, 0), project(end, 1, 0));
		add_stroke(lines, project(end, 1, 0), project(end, 1, 1));
	}
	add_stroke(lines, project(1, 0, 0), project(1, 0, 1));
	add_title(space->chart, experiment->parameter_names[across], project(0.5, -0.26, 0));
	add_title(space->chart, experiment->parameter_names[along], project(-0.26, 0.5, 0));
	add_title(space->chart, experiment->metrics[space->scaling->metric], project(0, 1, 1.13));
}

/* ---- surfaces -------------------------------------------------------------------------------- */

static void fill_values(struct space *space)
{
	const struct scaling *scaling = space->scaling;
	const size_t across = scaling->parameter, along = across == 0;
	double *at = perun_memdup(scaling->at, scaling->experiment->parameters * sizeof *at);
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < space->surfaces * EDGES * EDGES; i++) {
		double *value = &space->values->values[i];

		at[across] = views_scale_value(&space->scales[0], (double)(i % EDGES) / CELLS);
		at[along] =
			views_scale_value(&space->scales[1], (double)(i / EDGES % EDGES) / CELLS);
		*value = scaling_predicted(scaling, scaling->chosen[i / (EDGES * EDGES)], at);
		low = fmin(low, *value);
		high = fmax(high, *value);
	}
	space->values->logarithmic =
		low > 0 && high > 10 * low && !scaling_has_linear_axes(scaling);
	space->scales[2] = views_heat_scale(space->values);
	if (!space->values->logarithmic)
		space->scales[2].low = fmin(space->scales[2].low, 0);
	perun_free(at);
}

/* The farthest first. */
static int by_depth(const void *a, const void *b)
{
	const struct face *one = a, *other = b;

	if (one->depth != other->depth)
		return one->depth > other->depth ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

/* False where there is no value at a corner. */
static bool make_face(const struct space *space, size_t number, struct face *face)
{
	static const size_t corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
	const size_t surface = number / (CELLS * CELLS), cell = number % (CELLS * CELLS);

	*face = (struct face){.color = (unsigned)surface, .number = number};
	for (int k = 0; k < 4; k++) {
		const size_t column = cell % CELLS + corners[k][0];
		const size_t row = cell / CELLS + corners[k][1];
		const double value =
			space->values->values[(surface * EDGES + row) * EDGES + column];
		const double up = views_scale_place(&space->scales[2], value);
		struct spot spot;

		if (isnan(up))
			return false;
		spot = project((double)column / CELLS, (double)row / CELLS, fmax(0, fmin(up, 1)));
		face->x[k] = spot.x;
		face->y[k] = spot.y;
		face->depth += spot.depth;
	}
	return true;
}

/* Faces of several surfaces hide each other: a series for each run of the same colour. */
static void add_faces(const struct space *space)
{
	struct face *faces = perun_alloc_zero(space->surfaces * CELLS * CELLS, sizeof *faces);
	struct views_series *series = NULL;
	size_t count = 0;

	/* The legend has the order of the curves. */
	for (size_t k = 0; k < space->surfaces; k++)
		views_chart_add(space->chart,
				scaling_name(space->scaling, space->scaling->chosen[k]),
				VIEWS_FACES, (unsigned)k);
	for (size_t i = 0; i < space->surfaces * CELLS * CELLS; i++)
		count += make_face(space, i, &faces[count]);
	qsort(faces, count, sizeof *faces, by_depth);
	for (size_t i = 0; i < count; i++) {
		if (!series || series->color != faces[i].color)
			series = views_chart_add(
				space->chart,
				scaling_name(space->scaling,
					     space->scaling->chosen[faces[i].color]),
				VIEWS_FACES, faces[i].color);
		for (int k = 0; k < 4; k++)
			views_series_add(series, faces[i].x[k], faces[i].y[k], NAN);
	}
	perun_free(faces);
}

void scaling_draw_surface(const struct scaling *scaling, struct views_figure *figure)
{
	const size_t parameters[] = {scaling->parameter, scaling->parameter == 0};
	struct space space = {.scaling = scaling};
	struct views_chart *made =
		views_figure_add(figure, "Surface", "what the models predict over both parameters");
	struct views_figure *aside = views_figure_new("", "");

	space.chart = made;
	space.surfaces =
		scaling->chosen_count < MAX_SURFACES ? scaling->chosen_count : MAX_SURFACES;
	made->projected = true;
	made->x.low = -1;
	made->x.high = 1;
	made->y.low = -0.78;
	made->y.high = 0.75;
	for (int axis = 0; axis < 2; axis++) {
		struct views_scale *scale = &space.scales[axis];

		*scale = (struct views_scale){.log_base = scaling_base(scaling, parameters[axis]),
					      .unit = perun_unit_of(""),
					      .factor = 1};
		scaling_range(scaling, parameters[axis], &scale->low, &scale->high);
	}
	/* Values of all surfaces have the scale of a map of colours. */
	space.values = views_chart_add_heat(views_figure_add(aside, "", ""), EDGES,
					    EDGES * space.surfaces, "", scaling->unit);
	fill_values(&space);
	add_axes(&space);
	add_faces(&space);
	views_figure_free(aside);
}
