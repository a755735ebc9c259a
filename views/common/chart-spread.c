/* SPDX-License-Identifier: BSD-3-Clause */
/* How values of repeated measurements are spread: quartiles, whiskers, outliers, density. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "views/common/chart-draw.h"
#include "views/common/chart-spread.h"

enum { NAMED = 5 }; /* outliers */

struct placed {
	double value;
	uint32_t row;
};

static int by_value(const void *a, const void *b)
{
	const struct placed *one = a, *other = b;

	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	return one->row < other->row ? -1 : 1;
}

static void find_whiskers(struct views_spread *spread)
{
	double reach = 1.5 * (spread->quartiles[3] - spread->quartiles[1]);

	spread->end = spread->count;
	while (spread->first < spread->count &&
	       spread->values[spread->first] < spread->quartiles[1] - reach)
		spread->first++;
	while (spread->end > spread->first + 1 &&
	       spread->values[spread->end - 1] > spread->quartiles[3] + reach)
		spread->end--;
}

void views_spread_of(const struct views_table *table, const double *values,
		     const struct views_categories *categories, size_t category,
		     struct views_spread *spread)
{
	struct placed *sorted = perun_alloc_zero(table->count + 1, sizeof *sorted);
	size_t count = 0;

	for (size_t row = 0; row < table->count; row++) {
		if (categories->of_row[row] == category && isfinite(values[row]))
			sorted[count++] = (struct placed){values[row], (uint32_t)row};
	}
	qsort(sorted, count, sizeof *sorted, by_value);
	*spread = (struct views_spread){.count = count};
	spread->values = perun_alloc_zero(count + 1, sizeof *spread->values);
	spread->rows = perun_alloc_zero(count + 1, sizeof *spread->rows);
	for (size_t i = 0; i < count; i++) {
		spread->values[i] = sorted[i].value;
		spread->rows[i] = sorted[i].row;
	}
	perun_free(sorted);
	for (int i = 0; i < 5 && count; i++)
		spread->quartiles[i] =
			perun_quantile_of_sorted(spread->values, spread->count, i / 4.0);
	find_whiskers(spread);
}

void views_spread_clear(struct views_spread *spread)
{
	perun_free(spread->values);
	perun_free(spread->rows);
}

static void add_outlier(const struct views_table *table, const struct views_spread *spread,
			size_t i, const struct views_scale *scale, struct perun_buffer *out)
{
	const struct perun_column *order = perun_table_column(table->rows, "order");

	views_scale_add_value(scale, spread->values[i], out);
	perun_buffer_add_text(out, order ? " (order " : " (resource ");
	if (order)
		perun_column_print(order, spread->rows[i], out);
	else
		perun_buffer_printf(out, "%u", spread->rows[i] + 1);
	perun_buffer_add_char(out, ')');
}

void views_spread_add_outliers(const struct views_table *table, const struct views_spread *spread,
			       const char *unit, struct perun_buffer *out)
{
	const struct views_scale scale = {.unit = perun_unit_of(unit)};
	size_t low = 0, high = spread->count, all = spread->first + (high - spread->end);

	if (!all)
		return;
	perun_buffer_printf(out, "%zu outlier%s: ", all, all == 1 ? "" : "s");
	for (size_t k = 0; k < NAMED && k < all; k++) {
		bool below = low < spread->first;
		bool above = high > spread->end;

		/* The farther one of both ends. */
		if (below && above)
			below = spread->quartiles[2] - spread->values[low] >
				spread->values[high - 1] - spread->quartiles[2];
		perun_buffer_add_text(out, k ? ", " : "");
		add_outlier(table, spread, below ? low++ : --high, &scale, out);
	}
	if (all > NAMED)
		perun_buffer_add_text(out, " ...");
}

size_t views_spread_bins(const struct views_spread *spread)
{
	const double range = spread->quartiles[4] - spread->quartiles[0];
	const double n = (double)spread->count;
	double sturges = log2(n > 0 ? n : 1) + 1, width, bins;

	if (!(range > 0))
		return 1;
	width = 2 * (spread->quartiles[3] - spread->quartiles[1]) / cbrt(n);
	bins = width > 0 ? fmax(sturges, range / width) : sturges;
	return bins < 200 ? (size_t)ceil(bins) : 200;
}

double views_spread_bandwidth(const struct views_spread *spread)
{
	double mean = 0, squares = 0, deviation, range, n = (double)spread->count;

	for (size_t i = 0; i < spread->count; i++)
		mean += spread->values[i] / n;
	for (size_t i = 0; i < spread->count; i++)
		squares += (spread->values[i] - mean) * (spread->values[i] - mean);
	deviation = spread->count > 1 ? sqrt(squares / (n - 1)) : 0;
	range = (spread->quartiles[3] - spread->quartiles[1]) / 1.34;
	if (range > 0)
		deviation = fmin(deviation, range);
	return 0.9 * deviation * pow(n > 0 ? n : 1, -0.2);
}

double views_spread_density(const struct views_spread *spread, double bandwidth, double x)
{
	double sum = 0;

	for (size_t i = 0; i < spread->count; i++) {
		double z = (x - spread->values[i]) / bandwidth;

		if (fabs(z) < 8)
			sum += exp(-z * z / 2);
	}
	return sum / ((double)spread->count * bandwidth * sqrt(2 * M_PI));
}
