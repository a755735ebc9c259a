/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranges of a chart's axes, and where values lie on them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/common/chart-draw.h"

/* ---- what there is --------------------------------------------------------------------------- */

struct extent {
	double low, high;
	bool logarithmic;
};

static void extent_add(struct extent *extent, double value)
{
	if (!isfinite(value) || (extent->logarithmic && value <= 0))
		return;
	extent->low = fmin(extent->low, value);
	extent->high = fmax(extent->high, value);
}

static void add_series(const struct views_series *series, struct extent *x, struct extent *y)
{
	const bool bars = series->mark == VIEWS_BARS;

	/* A band that reaches far down would take a logarithmic axis for itself. */
	const bool wide = y->logarithmic && series->mark == VIEWS_BAND && !series->solid;

	for (size_t i = 0; i < series->count && !wide; i++) {
		if (!isfinite(series->x[i]) || !isfinite(series->y[i]))
			continue;
		extent_add(x, series->x[i] + (bars ? series->left : 0));
		if (bars)
			extent_add(x, series->x[i] + series->right);
		extent_add(y, series->y[i]);
		if (series->low)
			extent_add(y, series->low[i]);
	}
}

static bool has_mark(const struct views_chart *chart, enum views_mark mark)
{
	for (size_t i = 0; i < chart->series_count; i++) {
		if (chart->series[i].mark == mark && chart->series[i].count)
			return true;
	}
	return false;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static void widen_point(struct extent *extent, unsigned base)
{
	if (extent->low > extent->high) {
		extent->low = extent->logarithmic ? 1 : 0;
		extent->high = extent->logarithmic ? base : 1;
	} else if (extent->low == extent->high && extent->logarithmic) {
		extent->low /= base;
		extent->high *= base;
	} else if (extent->low == extent->high) {
		double room = extent->low == 0 ? 1 : fabs(extent->low) / 2;

		extent->low -= room;
		extent->high += room;
	}
}

/* Room beside the outermost values; beyond zero when that is an end only where points would be cut. */
static void pad(struct extent *extent, double share, bool beyond_zero)
{
	if (extent->logarithmic) {
		double ratio = pow(extent->high / extent->low, share);

		extent->low /= ratio;
		extent->high *= ratio;
	} else {
		double room = (extent->high / 2 - extent->low / 2) * 2 * share;

		if (extent->low != 0 || beyond_zero)
			extent->low -= room;
		if (extent->high != 0 || beyond_zero)
			extent->high += room;
	}
}

static void choose_unit(struct views_scale *scale, const char *name)
{
	static const struct {
		long double factor;
		const char *name;
	} times[] = {{1e9L, "s"}, {1e6L, "ms"}, {1e3L, "\u00b5s"}, {1, "ns"}},
	  sizes[] = {{1125899906842624, "PiB"}, {1099511627776, "TiB"}, {1073741824, "GiB"},
		     {1048576, "MiB"},          {1024, "KiB"},          {1, "B"}};
	const double most = fmax(fabs(scale->low), fabs(scale->high));

	scale->unit = perun_unit_of(name);
	scale->factor = 1;
	if (scale->unit.kind == PERUN_UNIT_OTHER)
		snprintf(scale->shown, sizeof scale->shown, "%.31s", name);
	if (scale->log_base ||
	    (scale->unit.kind != PERUN_UNIT_TIME && scale->unit.kind != PERUN_UNIT_BYTES))
		return;
	for (size_t i = 0; i < (scale->unit.kind == PERUN_UNIT_TIME ? 4 : 6); i++) {
		long double factor =
			scale->unit.kind == PERUN_UNIT_TIME ? times[i].factor : sizes[i].factor;

		scale->factor = factor / scale->unit.factor;
		snprintf(scale->shown, sizeof scale->shown, "%s",
			 scale->unit.kind == PERUN_UNIT_TIME ? times[i].name : sizes[i].name);
		if (most >= scale->factor)
			break;
	}
}

static struct views_scale settle(const struct views_axis *axis, struct extent extent, double share,
				 bool points, bool upright)
{
	double few = 0;
	struct views_scale scale = {.log_base = axis->log_base, .whole = axis->whole};

	if (axis->category_count) {
		scale.categories = axis->category_count;
		scale.log_base = 0;
		/* A bar or two are not as wide as the picture. */
		if (!upright && axis->category_count < VIEWS_FEW)
			few = (double)(VIEWS_FEW - axis->category_count) / 2;
		scale.low = -0.5 - few;
		scale.high = (double)axis->category_count - 0.5 + few;
		scale.factor = 1;
		scale.unit = perun_unit_of("");
		return scale;
	}
	if (axis->from_zero)
		extent_add(&extent, 0);
	widen_point(&extent, axis->log_base);
	pad(&extent, isnan(axis->margin) ? share : axis->margin, points && !axis->from_zero);
	scale.low = isfinite(axis->low) ? axis->low : extent.low;
	scale.high = isfinite(axis->high) ? axis->high : extent.high;
	if (!(scale.low < scale.high) || (axis->log_base && scale.low <= 0)) {
		scale.low = extent.low;
		scale.high = extent.high;
	}
	/* The difference of both must be a number, too. */
	scale.low = fmax(scale.low, -1e307);
	scale.high = fmin(scale.high, 1e307);
	choose_unit(&scale, axis->unit);
	return scale;
}

void views_chart_scales(const struct views_chart *chart, struct views_scale *x,
			struct views_scale *y)
{
	struct extent across = {INFINITY, -INFINITY, chart->x.log_base != 0};
	struct extent up = {INFINITY, -INFINITY, chart->y.log_base != 0};
	const bool points = has_mark(chart, VIEWS_POINTS);

	for (size_t i = 0; i < chart->series_count; i++)
		add_series(&chart->series[i], &across, &up);
	for (size_t i = 0; i < chart->rule_count; i++)
		extent_add(chart->rules[i].horizontal ? &up : &across, chart->rules[i].at);
	if (chart->heat) {
		extent_add(&across, chart->heat->x[0]);
		extent_add(&across, chart->heat->x[chart->heat->columns]);
		extent_add(&up, chart->heat->y[0]);
		extent_add(&up, chart->heat->y[chart->heat->rows]);
	}
	*x = settle(&chart->x, across, points && !chart->heat ? 0.03 : 0, points && !chart->heat,
		    false);
	*y = settle(&chart->y, up, chart->heat ? 0 : 0.05, points && !chart->heat, true);
}

/* ---- places ---------------------------------------------------------------------------------- */

double views_scale_place(const struct views_scale *scale, double value)
{
	if (!isfinite(value))
		return NAN;
	if (!scale->log_base)
		return (value - scale->low) / (scale->high - scale->low);
	if (value <= 0)
		return NAN;
	return log(value / scale->low) / log(scale->high / scale->low);
}

double views_scale_value(const struct views_scale *scale, double place)
{
	if (scale->log_base)
		return scale->low * pow(scale->high / scale->low, place);
	return scale->low + place * (scale->high - scale->low);
}

bool views_scale_is_outside(const struct views_scale *scale, double value)
{
	return !(value >= scale->low && value <= scale->high);
}
