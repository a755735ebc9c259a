/* SPDX-License-Identifier: BSD-3-Clause */
/* Large series as pictures show them: no more points than pixels, extremes kept. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-draw.h"

static bool is_ascending(const struct views_series *series)
{
	for (size_t i = 1; i < series->count; i++) {
		if (!(series->x[i] >= series->x[i - 1]))
			return false;
	}
	return true;
}

/* The column of pixels a value lies in; SIZE_MAX outside. */
static size_t cell_of(const struct views_scale *scale, double value, size_t cells)
{
	double place = views_scale_place(scale, value);

	if (!(place >= 0 && place <= 1))
		return SIZE_MAX;
	return place >= 1 ? cells - 1 : (size_t)(place * (double)cells);
}

struct column {
	size_t first, lowest, highest, last;
};

static size_t keep_column(const struct column *column, size_t *kept, size_t count)
{
	size_t four[4] = {column->first, column->lowest, column->highest, column->last};

	if (four[1] > four[2]) {
		four[1] = column->highest;
		four[2] = column->lowest;
	}
	for (int i = 0; i < 4; i++) {
		if (i == 0 || four[i] != four[i - 1])
			kept[count++] = four[i];
	}
	return count;
}

static size_t keep_evenly(size_t from, size_t most, size_t *kept)
{
	for (size_t i = 0; i < most; i++)
		kept[i] = (size_t)((double)i * (double)from / (double)most);
	return most;
}

size_t views_thin_line(const struct views_series *series, const struct views_scale *x,
		       size_t columns, size_t *kept)
{
	const size_t most = 4 * columns + 4;
	struct column column = {0, 0, 0, 0};
	size_t count = 0, cell = SIZE_MAX, before = 0, begun = 0;

	if (series->count <= most) {
		for (size_t i = 0; i < series->count; i++)
			kept[i] = i;
		return series->count;
	}
	if (!is_ascending(series))
		return keep_evenly(series->count, most, kept);
	for (size_t i = 0; i < series->count; i++) {
		double value = series->y[i];

		cell = cell_of(x, series->x[i], columns);
		if (cell == SIZE_MAX || isnan(value))
			continue;
		if (!begun || cell != before) {
			if (begun)
				count = keep_column(&column, kept, count);
			column = (struct column){i, i, i, i};
			before = cell;
			begun = 1;
			continue;
		}
		column.last = i;
		if (value < series->y[column.lowest])
			column.lowest = i;
		if (value > series->y[column.highest])
			column.highest = i;
	}
	return begun ? keep_column(&column, kept, count) : 0;
}

size_t views_thin_points(const struct views_series *series, const struct views_scale *x,
			 const struct views_scale *y, size_t columns, size_t rows, size_t *kept)
{
	uint64_t *seen = perun_alloc_zero(columns * rows / 64 + 1, sizeof *seen);
	size_t count = 0;

	for (size_t i = 0; i < series->count; i++) {
		size_t column = cell_of(x, series->x[i], columns);
		size_t row = cell_of(y, series->y[i], rows), cell;

		if (column == SIZE_MAX || row == SIZE_MAX)
			continue;
		cell = row * columns + column;
		if (!perun_bit(seen, cell))
			kept[count++] = i;
		seen[cell / 64] |= UINT64_C(1) << cell % 64;
	}
	perun_free(seen);
	return count;
}

size_t views_legend(const struct views_chart *chart, size_t *numbers, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < chart->series_count && count < room; i++) {
		bool known = !*chart->series[i].name;

		for (size_t k = 0; k < count && !known; k++)
			known = strcmp(chart->series[numbers[k]].name, chart->series[i].name) == 0;
		if (!known)
			numbers[count++] = i;
	}
	return count;
}

double views_thinned(const struct views_series *series, size_t kept)
{
	const size_t among = series->among > series->count ? series->among : series->count;

	return kept ? (double)among / (double)kept : 1;
}

void views_add_thinned(struct perun_buffer *out, double thinned)
{
	if (thinned >= 9.5)
		perun_buffer_printf(out, "thinned 1:%.0f", thinned);
	else if (thinned >= 1.05)
		perun_buffer_printf(out, "thinned 1:%.1f", thinned);
}
