/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a chart as characters of a terminal. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/bars.h"
#include "views/common/chart-terminal.h"
#include "views/common/text.h"

const char *views_series_glyph(const struct views_series *series, const struct perun_canvas *canvas)
{
	static const char *const points[] = {"●", "■", "▲", "◆", "○", "□", "△", "◇"};
	static const char *const plain[] = {"o", "#", "^", "*", "x", "+", "%", "@"};
	static const char *const shades[] = {"█", "▓", "▒", "░"};

	if (canvas->ascii)
		return plain[series->color % VIEWS_PALETTE];
	if (series->mark == VIEWS_LINE && canvas->color)
		return series->dashed ? "┄" : "─";
	if (series->mark == VIEWS_BARS || series->solid)
		return canvas->color ? "█" : shades[series->color % 4];
	if (series->mark == VIEWS_BAND)
		return "░";
	return points[series->color % VIEWS_PALETTE];
}

static uint16_t color_of(const struct views_series *series)
{
	if (series->frame)
		return VIEWS_NO_COLOR;
	return (uint16_t)views_terminal_color(views_palette(series->color, true));
}

/* ---- dots ------------------------------------------------------------------------------------ */

/* The dot of a place: 2 columns and 4 rows in each cell; NULL outside. */
static struct views_cell *find_dot(struct views_raster *raster, double x, double y, uint8_t *bit)
{
	static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	long column = lround(x * (double)(2 * raster->width - 1));
	long row = lround((1 - y) * (double)(4 * raster->height - 1));

	if (column < 0 || row < 0 || (size_t)column >= 2 * raster->width ||
	    (size_t)row >= 4 * raster->height)
		return NULL;
	*bit = bits[row % 4][column % 2];
	return &raster->cells[(size_t)row / 4 * raster->width + (size_t)column / 2];
}

static void set_dot(struct views_raster *raster, double x, double y, uint16_t color)
{
	uint8_t bit;
	struct views_cell *cell = find_dot(raster, x, y, &bit);

	if (!cell)
		return;
	/* A line over a shade takes its place, but not that of a mark. */
	if (cell->marked)
		return;
	cell->glyph = NULL;
	cell->ground = VIEWS_NO_COLOR;
	cell->dots |= bit;
	cell->color = color;
}

static bool is_near(double place)
{
	return place > -10 && place < 11;
}

/*
 * Whether a line is to have marks: there are others, and no points of its own, which distinguish it from others
 * and which marks would look like.
 */
static bool wants_marks(const struct views_chart *chart, const struct views_series *series)
{
	bool others = false;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct views_series *other = &chart->series[i];
		bool same = strcmp(other->name, series->name) == 0;

		if (other->mark == VIEWS_POINTS && same)
			return false;
		others = others || (other->mark == VIEWS_LINE && !same);
	}
	return others && *series->name;
}

/* Without colour, what distinguishes lines: a glyph every twelve columns. */
static void mark_line(struct views_raster *raster, const struct views_series *series, double x,
		      double y)
{
	long column = lround(x * (double)(2 * raster->width - 1)) / 2;
	long row = lround((1 - y) * (double)(4 * raster->height - 1)) / 4;
	struct views_cell *cell;

	if (column < 0 || row < 0 || (size_t)column >= raster->width ||
	    (size_t)row >= raster->height || column % 12 != (5 + 3 * (long)series->color) % 12)
		return;
	cell = &raster->cells[(size_t)row * raster->width + (size_t)column];
	cell->glyph = views_series_glyph(series, raster->canvas);
	cell->color = cell->ground = VIEWS_NO_COLOR;
	cell->marked = true;
}

/* From one place to another. */
static void draw_stroke(struct views_raster *raster, double x, double y, double to_x, double to_y,
			uint16_t color)
{
	double across = fabs(to_x - x) * (double)(2 * raster->width);
	double up = fabs(to_y - y) * (double)(4 * raster->height);
	long steps;

	if (isnan(across) || isnan(up) || !is_near(x) || !is_near(y) || !is_near(to_x) ||
	    !is_near(to_y))
		return;
	steps = lround(fmax(across, up)) + 1;
	for (long k = 0; k <= steps; k++) {
		double part = (double)k / (double)steps;

		set_dot(raster, x + part * (to_x - x), y + part * (to_y - y), color);
	}
}

static void draw_line(struct views_raster *raster, const struct views_series *series)
{
	const bool marks = !raster->canvas->color && wants_marks(raster->chart, series);
	double before_x = NAN, before_y = NAN;
	long drawn = 0;

	for (size_t i = 0; i < series->count; i++) {
		double x = views_scale_place(&raster->x, series->x[i]);
		double y = views_scale_place(&raster->y, series->y[i]);

		if (!isnan(x) && !isnan(y) && !isnan(before_x) && !isnan(before_y) && is_near(x) &&
		    is_near(y) && is_near(before_x) && is_near(before_y)) {
			double across = fabs(x - before_x) * (double)(2 * raster->width);
			double up = fabs(y - before_y) * (double)(4 * raster->height);
			long steps = lround(fmax(across, up)) + 1;

			for (long k = 0; k <= steps; k++) {
				double part = (double)k / (double)steps;

				if (series->dashed && drawn++ / 3 % 2)
					continue;
				set_dot(raster, before_x + part * (x - before_x),
					before_y + part * (y - before_y), color_of(series));
				if (marks)
					mark_line(raster, series, before_x + part * (x - before_x),
						  before_y + part * (y - before_y));
			}
		}
		before_x = x;
		before_y = y;
	}
}

/* ---- faces ------------------------------------------------------------------------------------ */

/* Whether a place is within a convex quadrangle. */
static bool is_inside(const double *x, const double *y, double across, double up)
{
	int left = 0, right = 0;

	for (int k = 0; k < 4; k++) {
		const int next = (k + 1) % 4;
		double side = (x[next] - x[k]) * (up - y[k]) - (y[next] - y[k]) * (across - x[k]);

		left += side > 0;
		right += side < 0;
	}
	return !left || !right;
}

/* What a face hides is wiped away. */
static void wipe(struct views_raster *raster, const double *x, const double *y)
{
	const double columns = (double)(2 * raster->width - 1),
		     rows = (double)(4 * raster->height - 1);
	double low[2] = {1, 1}, high[2] = {0, 0};

	for (int k = 0; k < 4; k++) {
		low[0] = fmin(low[0], x[k]);
		high[0] = fmax(high[0], x[k]);
		low[1] = fmin(low[1], y[k]);
		high[1] = fmax(high[1], y[k]);
	}
	for (double column = ceil(fmax(low[0], 0) * columns); column <= fmin(high[0], 1) * columns;
	     column++)
		for (double row = ceil(fmax(low[1], 0) * rows); row <= fmin(high[1], 1) * rows;
		     row++) {
			uint8_t bit;
			struct views_cell *cell =
				find_dot(raster, column / columns, row / rows, &bit);

			if (cell && is_inside(x, y, column / columns, row / rows))
				cell->dots &= (uint8_t)~bit;
		}
}

/* A net of lines; what is behind it is hidden. */
static void draw_faces(struct views_raster *raster, const struct views_series *series)
{
	for (size_t i = 0; i + 3 < series->count; i += 4) {
		double x[4], y[4];

		for (size_t k = 0; k < 4; k++) {
			x[k] = views_scale_place(&raster->x, series->x[i + k]);
			y[k] = views_scale_place(&raster->y, series->y[i + k]);
		}
		wipe(raster, x, y);
		for (size_t k = 0; k < 4; k++)
			draw_stroke(raster, x[k], y[k], x[(k + 1) % 4], y[(k + 1) % 4],
				    color_of(series));
	}
}

/* Words take the place of what is below them. */
static void draw_words(struct views_raster *raster)
{
	for (size_t i = 0; i < raster->chart->word_count; i++) {
		const struct views_word *word = &raster->chart->words[i];
		const long width = (long)views_width(word->text);
		long column =
			lround(views_scale_place(&raster->x, word->x) * (double)raster->width);
		long row = lround((1 - views_scale_place(&raster->y, word->y)) *
				  (double)(raster->height - 1));

		column -= word->end ? width : width / 2;
		if (row < 0 || (size_t)row >= raster->height)
			continue;
		column = column < 0 ? 0 : column;
		for (const char *c = word->text; *c && (size_t)column < raster->width; column++) {
			struct views_cell *cell =
				&raster->cells[(size_t)row * raster->width + (size_t)column];
			size_t length = 1;

			while ((c[length] & 0xc0) == 0x80)
				length++;
			*cell = (struct views_cell){.color = VIEWS_NO_COLOR,
						    .ground = VIEWS_NO_COLOR};
			cell->letters = length < sizeof cell->letter ? length : 1;
			memcpy(cell->letter, c, cell->letters);
			c += length;
		}
	}
}

/* ---- cells ----------------------------------------------------------------------------------- */

static size_t cell_at(double place, size_t cells)
{
	if (!(place >= 0 && place <= 1))
		return SIZE_MAX;
	return place >= 1 ? cells - 1 : (size_t)(place * (double)cells);
}

static void draw_points(struct views_raster *raster, const struct views_series *series)
{
	const bool glyphs = series->count <= 2 * raster->width;

	for (size_t i = 0; i < series->count; i++) {
		double x = views_scale_place(&raster->x, series->x[i]);
		double y = views_scale_place(&raster->y, series->y[i]);
		size_t column = cell_at(x, raster->width), row = cell_at(y, raster->height);
		struct views_cell *cell;

		if (column == SIZE_MAX || row == SIZE_MAX)
			continue;
		if (!glyphs) {
			set_dot(raster, x, y, color_of(series));
			continue;
		}
		cell = &raster->cells[(raster->height - 1 - row) * raster->width + column];
		cell->glyph = views_series_glyph(series, raster->canvas);
		cell->color = color_of(series);
		cell->ground = VIEWS_NO_COLOR;
	}
}

/* Of a column of characters what lies between two places, rounded to whole ones. */
static void fill_column(struct views_raster *raster, size_t column, double low, double high,
			const char *glyph, uint16_t color)
{
	for (size_t row = 0; row < raster->height; row++) {
		double middle = ((double)row + 0.5) / (double)raster->height;
		struct views_cell *cell =
			&raster->cells[(raster->height - 1 - row) * raster->width + column];

		if (middle < low || middle > high)
			continue;
		cell->glyph = glyph;
		cell->dots = 0;
		cell->color = color;
	}
}

/* The value of a polyline at a place, between its points. */
static bool at_place(const struct views_raster *raster, const struct views_series *series,
		     double place, size_t *from, double *low, double *high)
{
	for (size_t i = *from; i + 1 < series->count; i++) {
		double a = views_scale_place(&raster->x, series->x[i]);
		double b = views_scale_place(&raster->x, series->x[i + 1]), part;
		double y[4];

		if (!(b >= place))
			continue;
		if (!(a <= place))
			return false;
		*from = i;
		part = b > a ? (place - a) / (b - a) : 0;
		for (int k = 0; k < 2; k++) {
			y[k] = views_scale_place(&raster->y, series->low[i + (size_t)k]);
			y[k] = isnan(y[k]) && !isnan(series->low[i + (size_t)k]) ? 0 : y[k];
			y[2 + k] = views_scale_place(&raster->y, series->y[i + (size_t)k]);
		}
		*low = y[0] + part * (y[1] - y[0]);
		*high = y[2] + part * (y[3] - y[2]);
		return true;
	}
	return false;
}

static void draw_band(struct views_raster *raster, const struct views_series *series)
{
	const bool ascii = raster->canvas->ascii;
	static const char *const shades[] = {"░", "▒", "▓", "█"};
	/* Without colour several bands differ by their shade. */
	const char *glyph = ascii || series->solid  ? views_series_glyph(series, raster->canvas)
			    : raster->canvas->color ? "░"
						    : shades[series->color % 4];
	size_t from = 0;

	if (ascii && series->color < 1 && !series->solid)
		glyph = ":";
	for (size_t column = 0; column < raster->width; column++) {
		double low, high, place = ((double)column + 0.5) / (double)raster->width;

		if (at_place(raster, series, place, &from, &low, &high))
			fill_column(raster, column, low, high, glyph, color_of(series));
	}
}

/* Vertical bars: whole cells, and an eighth block on top. */
static void draw_bars(struct views_raster *raster, const struct views_series *series)
{
	const char *full = raster->canvas->ascii ? "#" : "█";

	for (size_t i = 0; i < series->count; i++) {
		double left = views_scale_place(&raster->x, series->x[i] + series->left);
		double right = views_scale_place(&raster->x, series->x[i] + series->right);
		double top = views_scale_place(&raster->y, series->y[i]);
		double low = views_scale_place(&raster->y, series->low[i]);
		size_t first, last;
		double height;

		if (isnan(left) || isnan(right) || isnan(top) || !(top > 0))
			continue;
		low = isnan(low) ? 0 : low;
		first = (size_t)lround(fmax(left, 0) * (double)raster->width);
		last = (size_t)lround(fmin(right, 1) * (double)raster->width);
		last = last <= first ? first + 1 : last;
		height = top * (double)raster->height;
		for (size_t column = first; column < last && column < raster->width; column++) {
			size_t row = (size_t)height;
			long part = lround((height - (double)row) * 8);
			struct views_cell *cell;

			fill_column(raster, column, low,
				    ((double)row - 0.25) / (double)raster->height, full,
				    color_of(series));
			if (part < 1 || row >= raster->height)
				continue;
			cell = &raster->cells[(raster->height - 1 - row) * raster->width + column];
			cell->glyph = !raster->canvas->ascii ? views_height((size_t)part, false)
				      : part > 3             ? "#"
							     : NULL;
			cell->color = color_of(series);
		}
	}
}

static void draw_rule(struct views_raster *raster, const struct views_rule *rule)
{
	const bool ascii = raster->canvas->ascii;
	size_t column = cell_at(views_scale_place(&raster->x, rule->at), raster->width);
	size_t row = cell_at(views_scale_place(&raster->y, rule->at), raster->height);

	for (size_t i = 0; i < (rule->horizontal ? raster->width : raster->height); i++) {
		size_t across = rule->horizontal ? i : column;
		size_t down = rule->horizontal ? row : i;
		struct views_cell *cell;

		if (across == SIZE_MAX || down == SIZE_MAX)
			return;
		down = rule->horizontal ? raster->height - 1 - row : i;
		cell = &raster->cells[down * raster->width + across];
		if (!cell->glyph && !cell->dots)
			cell->glyph = rule->horizontal ? (ascii ? "-" : "┈") : ascii ? "|" : "┊";
	}
}

/* ---- heat ------------------------------------------------------------------------------------ */

static double heat_at(const struct views_raster *raster, const struct views_scale *scale, double x,
		      double y)
{
	const struct views_heat *heat = raster->chart->heat;
	double across = views_scale_value(&raster->x, x), up = views_scale_value(&raster->y, y);
	size_t column = 0, row = 0;

	while (column + 1 < heat->columns && heat->x[column + 1] <= across)
		column++;
	while (row + 1 < heat->rows && heat->y[row + 1] <= up)
		row++;
	return views_scale_place(scale, heat->values[row * heat->columns + column]);
}

static void draw_heat(struct views_raster *raster)
{
	static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
	static const char *const plains[] = {".", ":", "-", "+", "#"};
	const struct views_scale scale = views_heat_scale(raster->chart->heat);

	for (size_t i = 0; i < raster->width * raster->height; i++) {
		double x = ((double)(i % raster->width) + 0.5) / (double)raster->width;
		double row = (double)(raster->height - 1 - i / raster->width);
		double above = heat_at(raster, &scale, x, (row + 0.75) / (double)raster->height);
		double below = heat_at(raster, &scale, x, (row + 0.25) / (double)raster->height);
		struct views_cell *cell = &raster->cells[i];

		if (isnan(above) || isnan(below))
			continue;
		cell->color = (uint16_t)views_terminal_color(views_ramp(above));
		if (raster->canvas->color && !raster->canvas->ascii) {
			cell->glyph = "▀";
			cell->ground = (uint16_t)views_terminal_color(views_ramp(below));
		} else {
			size_t shade = (size_t)fmin(above * 5, 4);

			cell->glyph = (raster->canvas->ascii ? plains : shades)[shade];
		}
	}
}

void views_raster_marks(struct views_raster *raster)
{
	static const enum views_mark order[] = {VIEWS_BAND, VIEWS_BARS, VIEWS_LINE, VIEWS_FACES,
						VIEWS_POINTS};
	void (*const draw[])(struct views_raster *, const struct views_series *) = {
		[VIEWS_POINTS] = draw_points, [VIEWS_LINE] = draw_line,   [VIEWS_BAND] = draw_band,
		[VIEWS_BARS] = draw_bars,     [VIEWS_FACES] = draw_faces,
	};
	const struct views_chart *chart = raster->chart;

	if (chart->heat)
		draw_heat(raster);
	for (int k = 0; k < 5; k++) {
		for (size_t i = 0; i < chart->series_count; i++) {
			if (chart->series[i].mark == order[k])
				draw[order[k]](raster, &chart->series[i]);
		}
	}
	for (size_t i = 0; i < chart->rule_count; i++)
		draw_rule(raster, &chart->rules[i]);
	draw_words(raster);
}
