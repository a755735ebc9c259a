/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a chart as SVG: points, lines, bands, bars, heat; and how they look. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-svg.h"
#include "views/common/contours.h"

enum { MANY_POINTS = 400, MAX_POINTS = 60000 };

/* ---- style ----------------------------------------------------------------------------------- */

static void add_colors(struct perun_buffer *out, bool dark)
{
	for (unsigned i = 0; i < VIEWS_PALETTE; i++) {
		struct views_rgb rgb = views_palette(i, dark);

		perun_buffer_printf(out, ".s%u{stroke:#%02x%02x%02x}.f%u{fill:#%02x%02x%02x}", i,
				    rgb.red, rgb.green, rgb.blue, i, rgb.red, rgb.green, rgb.blue);
	}
	perun_buffer_add_char(out, '\n');
}

void views_svg_rules(struct perun_buffer *out)
{
	perun_buffer_add_text(
		out,
		"text{font:12px system-ui,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu "
		"Sans\",sans-serif;"
		"fill:#333}\n"
		".h1{font-size:16px;font-weight:650;fill:#111}.h2{font-size:13px;font-weight:650;"
		"fill:#111}\n"
		".note,.axis{fill:#555}.mid{text-anchor:middle}.end{text-anchor:end}\n"
		".paper{fill:#fff}.grid,.minor,.frame,.rule{fill:none;stroke:#e3e3e3}.minor{stroke:"
		"#f1f1f1}\n"
		".contour{fill:none;stroke:#fff;stroke-opacity:.75}"
		".level{fill:#000;stroke:#fff;stroke-width:3px;paint-order:stroke;text-anchor:"
		"middle}"
		".frame{stroke:#999}.rule{stroke:#666;stroke-dasharray:5 4}\n"
		".rule+text{paint-order:stroke;stroke:#fff;stroke-width:3px}"
		".change .rule,.worse .rule,.better .rule{stroke-dasharray:none;stroke-width:2}"
		".change text,.worse text,.better text{font-weight:600}\n"
		".worse .rule{stroke:#b3261e}.worse text{fill:#b3261e}"
		".better .rule{stroke:#00734d}.better text{fill:#00734d}\n"
		".line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.dashed{"
		"stroke-dasharray:7 "
		"4}\n"
		".axes{fill:none;stroke:#bbb}.face{fill-opacity:.8;stroke:#fff;stroke-width:.6}\n"
		".dots{fill:none;stroke-linecap:round;stroke-width:6}.many{stroke-width:2.5}\n"
		".shape{stroke:none}.band{fill-opacity:.2;stroke:none}.area{fill-opacity:.8;stroke:"
		"none}.bar{stroke:#fff;stroke-"
		"width:.5}\n");
	add_colors(out, false);
	perun_buffer_add_text(
		out,
		"@media screen and (prefers-color-scheme:dark){\n"
		"text{fill:#ccc}.h1,.h2{fill:#eee}.note,.axis{fill:#aaa}.paper{fill:#17181a}\n"
		".axes{stroke:#555}.face,.rule+text{stroke:#17181a}"
		".grid{stroke:#333639}.minor{stroke:#25282b}.frame{stroke:#777}.rule{stroke:#aaa}"
		".bar{stroke:#17181a}\n"
		".worse .rule{stroke:#ff8a80}.worse text{fill:#ff8a80}"
		".better .rule{stroke:#4cc29a}.better text{fill:#4cc29a}\n");
	add_colors(out, true);
	perun_buffer_add_text(out, "}\n");
}

void views_svg_style(struct perun_buffer *out)
{
	perun_buffer_add_text(out, "<style>");
	views_svg_rules(out);
	perun_buffer_add_text(out, "</style>\n");
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void add_point(const struct views_plot *plot, unsigned shape, double x, double y)
{
	static const char *const shapes[] = {"h0", "m-3-3h6v6h-6z", "m0-4l4 7h-8z",
					     "m0-4.3l4.3 4.3l-4.3 4.3l-4.3-4.3z"};

	perun_buffer_printf(plot->out, "M%.1f %.1f%s", x, y, shapes[shape]);
}

/* Few points are all drawn, also those that hide others. Returns how many are `kept`. */
static size_t choose_points(const struct views_plot *plot, const struct views_series *series,
			    size_t *kept)
{
	size_t count = 0;

	if (series->count <= MANY_POINTS) {
		for (size_t i = 0; i < series->count; i++) {
			if (isfinite(views_plot_x(plot, series->x[i])) &&
			    isfinite(views_plot_y(plot, series->y[i])))
				kept[count++] = i;
		}
		return count;
	}
	for (double grain = 1;; grain *= 1.5) {
		count = views_thin_points(series, &plot->x, &plot->y,
					  (size_t)(plot->width * 2 / grain) + 1,
					  (size_t)(plot->height * 2 / grain) + 1, kept);
		if (count <= MAX_POINTS)
			return count;
	}
}

static size_t add_points(const struct views_plot *plot, const struct views_series *series)
{
	size_t *kept = perun_alloc_zero(series->count + 1, sizeof *kept);
	const size_t count = choose_points(plot, series, kept);
	const bool many = count > MANY_POINTS;
	const unsigned shape = many ? 0 : series->color % 4;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || series->hints)
			perun_buffer_printf(plot->out, "<path class=\"%s %c%u%s\" d=\"",
					    shape ? "shape" : "dots", shape ? 'f' : 's',
					    series->color % VIEWS_PALETTE, many ? " many" : "");
		add_point(plot, shape, views_plot_x(plot, series->x[kept[i]]),
			  views_plot_y(plot, series->y[kept[i]]));
		if (series->hints) {
			perun_buffer_add_text(plot->out, "\"><title>");
			views_add_markup(plot->out, series->hints[kept[i]]);
			perun_buffer_add_text(plot->out, "</title></path>\n");
		}
	}
	if (count && !series->hints)
		perun_buffer_add_text(plot->out, "\"/>\n");
	perun_free(kept);
	return count;
}

/* What represents an infinite place, or one that is far outside. */
static double tame(double place)
{
	return fmax(fmin(place, 1e5), -1e5);
}

static size_t add_line(const struct views_plot *plot, const struct views_series *series)
{
	const size_t columns = (size_t)plot->width + 1;
	size_t *kept = perun_alloc_zero(4 * columns + 4, sizeof *kept);
	size_t count = views_thin_line(series, &plot->x, columns, kept);
	char step = 'M';

	if (series->frame)
		perun_buffer_add_text(plot->out, "<path class=\"axes\" d=\"");
	else
		perun_buffer_printf(plot->out, "<path class=\"line s%u%s\" d=\"",
				    series->color % VIEWS_PALETTE, series->dashed ? " dashed" : "");
	for (size_t i = 0; i < count; i++) {
		double x = views_plot_x(plot, series->x[kept[i]]);
		double y = views_plot_y(plot, series->y[kept[i]]);

		if (isnan(x) || isnan(y)) {
			step = 'M';
			continue;
		}
		perun_buffer_printf(plot->out, "%c%.1f %.1f", step, tame(x), tame(y));
		/* One point alone is a dot. */
		if (step == 'M' && (i + 1 == count || isnan(series->x[kept[i + 1]]) ||
				    isnan(series->y[kept[i + 1]])))
			perun_buffer_add_text(plot->out, "h0");
		step = 'L';
	}
	perun_buffer_add_text(plot->out, "\"/>\n");
	perun_free(kept);
	return count;
}

static size_t add_faces(const struct views_plot *plot, const struct views_series *series)
{
	perun_buffer_printf(plot->out, "<path class=\"face f%u\" d=\"",
			    series->color % VIEWS_PALETTE);
	for (size_t i = 0; i < series->count; i++)
		perun_buffer_printf(plot->out, "%c%.1f %.1f%s", i % 4 ? 'L' : 'M',
				    tame(views_plot_x(plot, series->x[i])),
				    tame(views_plot_y(plot, series->y[i])), i % 4 == 3 ? "Z" : "");
	perun_buffer_add_text(plot->out, "\"/>\n");
	return series->count;
}

static void add_words(const struct views_plot *plot)
{
	for (size_t i = 0; i < plot->chart->word_count; i++) {
		const struct views_word *word = &plot->chart->words[i];

		perun_buffer_printf(plot->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">",
				    word->end ? "end" : "mid", views_plot_x(plot, word->x),
				    views_plot_y(plot, word->y) + 4);
		views_add_markup(plot->out, word->text);
		perun_buffer_add_text(plot->out, "</text>\n");
	}
}

/* What is below a logarithmic axis reaches down to its end. */
static double floor_of(const struct views_plot *plot, double value)
{
	double y = views_plot_y(plot, value);

	return isnan(y) && !isnan(value) ? plot->top + plot->height : tame(y);
}

/* One part of a band without gaps: there along `y`, back along `low`. */
static void add_band_part(const struct views_plot *plot, const struct views_series *series,
			  const size_t *kept, size_t first, size_t end)
{
	if (first >= end)
		return;
	for (size_t i = first; i < end; i++)
		perun_buffer_printf(plot->out, "%c%.1f %.1f", i == first ? 'M' : 'L',
				    tame(views_plot_x(plot, series->x[kept[i]])),
				    floor_of(plot, series->y[kept[i]]));
	for (size_t i = end; i-- > first;)
		perun_buffer_printf(plot->out, "L%.1f %.1f",
				    tame(views_plot_x(plot, series->x[kept[i]])),
				    floor_of(plot, series->low[kept[i]]));
	perun_buffer_add_char(plot->out, 'Z');
}

static size_t add_band(const struct views_plot *plot, const struct views_series *series)
{
	const size_t columns = (size_t)plot->width + 1;
	size_t *kept = perun_alloc_zero(4 * columns + 4, sizeof *kept);
	size_t count = views_thin_line(series, &plot->x, columns, kept), first = 0;

	perun_buffer_printf(plot->out, "<path class=\"%s f%u\" d=\"",
			    series->solid ? "area" : "band", series->color % VIEWS_PALETTE);
	for (size_t i = 0; i < count; i++) {
		if (isnan(views_plot_x(plot, series->x[kept[i]])) || isnan(series->y[kept[i]]) ||
		    isnan(series->low[kept[i]])) {
			add_band_part(plot, series, kept, first, i);
			first = i + 1;
		}
	}
	add_band_part(plot, series, kept, first, count);
	perun_buffer_add_text(plot->out, "\"/>\n");
	perun_free(kept);
	return count;
}

static size_t add_bars(const struct views_plot *plot, const struct views_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		double left = views_plot_x(plot, series->x[i] + series->left);
		double right = views_plot_x(plot, series->x[i] + series->right);
		double top = views_plot_y(plot, series->y[i]);
		double bottom = floor_of(plot, series->low[i]);

		if (isnan(left) || isnan(right) || isnan(top) || isnan(bottom))
			continue;
		perun_buffer_printf(plot->out,
				    "<rect class=\"bar f%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				    "height=\"%.1f\"><title>",
				    series->color % VIEWS_PALETTE, tame(left),
				    fmin(tame(top), bottom), tame(right) - tame(left),
				    fabs(bottom - tame(top)));
		if (plot->chart->x.category_count && series->x[i] >= 0 &&
		    series->x[i] < (double)plot->chart->x.category_count) {
			views_add_markup(plot->out,
					 plot->chart->x.categories[(size_t)series->x[i]]);
			perun_buffer_add_text(plot->out, ", ");
		}
		views_add_markup(plot->out, series->name);
		perun_buffer_add_text(plot->out, *series->name ? ": " : "");
		views_scale_add_value(&plot->y, series->y[i] - series->low[i], plot->out);
		perun_buffer_add_text(plot->out, "</title></rect>\n");
	}
	return series->count;
}

/* A rule's line; returns where its word, as wide as this, begins, or with `*end` ends. */
static double add_rule_line(const struct views_plot *plot, const struct views_rule *rule,
			    double width, bool *end)
{
	double x = views_plot_x(plot, rule->at), y = views_plot_y(plot, rule->at);

	*end = !rule->horizontal && x - 5 - width >= plot->left &&
	       (x > plot->left + plot->width * 0.7 || x + 5 + width > plot->left + plot->width);
	if (rule->horizontal)
		perun_buffer_printf(plot->out, "<path class=\"rule\" d=\"M%.1f %.1fh%.1f\"/>",
				    plot->left, y, plot->width);
	else
		perun_buffer_printf(plot->out, "<path class=\"rule\" d=\"M%.1f %.1fv%.1f\"/>", x,
				    plot->top, plot->height);
	return rule->horizontal ? plot->left + 6 : x + (*end ? -5 : 5);
}

static void add_rules(const struct views_plot *plot)
{
	static const char *const tones[] = {"", "change", "worse", "better"};
	double free_from = -INFINITY;

	for (size_t i = 0; i < plot->chart->rule_count; i++) {
		const struct views_rule *rule = &plot->chart->rules[i];
		const double width = fmin(views_text_width(rule->text), plot->width / 2);
		double x, y = rule->horizontal ? views_plot_y(plot, rule->at) - 5 : plot->top + 14;
		bool end;

		if (isnan(rule->horizontal ? y : views_plot_x(plot, rule->at)))
			continue;
		perun_buffer_printf(plot->out, "<g class=\"%s\">", tones[rule->tone]);
		if (rule->hint) {
			perun_buffer_add_text(plot->out, "<title>");
			views_add_markup(plot->out, rule->hint);
			perun_buffer_add_text(plot->out, "</title>");
		}
		x = add_rule_line(plot, rule, width, &end);
		if (rule->horizontal || x - (end ? width : 0) >= free_from) {
			perun_buffer_printf(plot->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">",
					    end ? "end" : "start", x, y);
			views_add_fitted_markup(plot->out, rule->text, plot->width / 2);
			perun_buffer_add_text(plot->out, "</text>");
			if (!rule->horizontal)
				free_from = x + (end ? 10 : width + 5);
		}
		perun_buffer_add_text(plot->out, "</g>\n");
	}
}

/* ---- heat ------------------------------------------------------------------------------------ */

static void heat_range(const struct views_heat *heat, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < heat->columns * heat->rows; i++) {
		if (!isfinite(heat->values[i]) || (heat->logarithmic && heat->values[i] <= 0))
			continue;
		*low = fmin(*low, heat->values[i]);
		*high = fmax(*high, heat->values[i]);
	}
}

static void add_heat(const struct views_plot *plot)
{
	const struct views_heat *heat = plot->chart->heat;
	struct views_scale scale = views_heat_scale(heat);

	for (size_t i = 0; i < heat->columns * heat->rows; i++) {
		size_t column = i % heat->columns, row = i / heat->columns;
		double left = views_plot_x(plot, heat->x[column]);
		double right = views_plot_x(plot, heat->x[column + 1]);
		double bottom = views_plot_y(plot, heat->y[row]);
		double top = views_plot_y(plot, heat->y[row + 1]);
		double share = views_scale_place(&scale, heat->values[i]);
		struct views_rgb rgb = views_ramp(share);

		if (isnan(share))
			continue;
		perun_buffer_printf(
			plot->out,
			"<path fill=\"#%02x%02x%02x\" d=\"M%.1f %.1fH%.1fV%.1fH%.1fz\"/>\n",
			rgb.red, rgb.green, rgb.blue, left, top, right + 0.4, bottom + 0.4, left);
	}
}

static void add_contour(const struct views_plot *plot, const struct views_contour *contour)
{
	perun_buffer_add_text(plot->out, "<path class=\"contour\" d=\"");
	for (size_t i = 0; i < contour->count; i++) {
		const double *piece = contour->pieces + 4 * i;

		perun_buffer_printf(plot->out, "M%.1f %.1fL%.1f %.1f", views_plot_x(plot, piece[0]),
				    views_plot_y(plot, piece[1]), views_plot_x(plot, piece[2]),
				    views_plot_y(plot, piece[3]));
	}
	perun_buffer_add_text(plot->out, "\"/>\n");
}

/* Its value, which points do not cover. */
static void add_level(const struct views_plot *plot, const struct views_scale *scale,
		      const struct views_contour *contour)
{
	struct perun_buffer text = {0};

	views_scale_add_value(scale, contour->value, &text);
	perun_buffer_printf(plot->out, "<text class=\"level\" x=\"%.1f\" y=\"%.1f\">",
			    views_plot_x(plot, contour->x), views_plot_y(plot, contour->y) + 4);
	views_add_markup(plot->out, text.data);
	perun_buffer_add_text(plot->out, "</text>\n");
	perun_buffer_free(&text);
}

static void add_levels(const struct views_plot *plot, const struct views_contours *contours)
{
	struct views_scale scale;

	if (contours->count)
		scale = views_heat_scale(plot->chart->heat);
	for (size_t i = 0; i < contours->count; i++)
		add_level(plot, &scale, &contours->contours[i]);
}

struct views_scale views_heat_scale(const struct views_heat *heat)
{
	struct views_scale scale = {.unit = perun_unit_of(heat->unit), .factor = 1};

	heat_range(heat, &scale.low, &scale.high);
	scale.log_base = heat->logarithmic ? 10 : 0;
	if (!(scale.low < scale.high)) {
		scale.low = scale.low <= scale.high ? scale.low : 1;
		scale.high = scale.low + (scale.low == 0 ? 1 : fabs(scale.low));
	}
	return scale;
}

void views_svg_color_bar(const struct views_plot *plot, double x)
{
	const struct views_heat *heat = plot->chart->heat;
	struct views_scale scale = views_heat_scale(heat);
	struct views_ticks ticks;
	enum { PARTS = 48 };

	for (int i = 0; i < PARTS; i++) {
		struct views_rgb rgb = views_ramp((i + 0.5) / PARTS);

		perun_buffer_printf(plot->out,
				    "<path fill=\"#%02x%02x%02x\" d=\"M%.1f %.1fh14v%.1fh-14z\"/>",
				    rgb.red, rgb.green, rgb.blue, x,
				    plot->top + plot->height * (1 - (i + 1.0) / PARTS),
				    plot->height / PARTS + 0.3);
	}
	views_scale_ticks(&scale, (size_t)(plot->height / 50), &ticks);
	for (size_t i = 0; i < ticks.count; i++) {
		struct perun_buffer text = {0};

		if (ticks.minor[i])
			continue;
		views_scale_add_value(&scale, ticks.values[i], &text);
		perun_buffer_printf(
			plot->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 19,
			plot->top + 4 +
				plot->height * (1 - views_scale_place(&scale, ticks.values[i])));
		views_add_markup(plot->out, text.data);
		perun_buffer_add_text(plot->out, "</text>");
		perun_buffer_free(&text);
	}
	perun_buffer_add_char(plot->out, '\n');
}

/* ---- everything ------------------------------------------------------------------------------ */

double views_svg_marks(const struct views_plot *plot)
{
	static const enum views_mark order[] = {VIEWS_BAND, VIEWS_BARS, VIEWS_LINE, VIEWS_FACES,
						VIEWS_POINTS};
	size_t (*const draw[])(const struct views_plot *, const struct views_series *) = {
		[VIEWS_POINTS] = add_points, [VIEWS_LINE] = add_line,   [VIEWS_BAND] = add_band,
		[VIEWS_BARS] = add_bars,     [VIEWS_FACES] = add_faces,
	};
	struct views_contours contours = {0};
	double thinned = 1;

	if (plot->chart->heat)
		add_heat(plot);
	if (plot->chart->heat && plot->chart->heat->contours)
		views_contours_find(plot->chart, (size_t)(plot->height / 50), &contours);
	for (size_t i = 0; i < contours.count; i++)
		add_contour(plot, &contours.contours[i]);
	for (int k = 0; k < 5; k++) {
		for (size_t i = 0; i < plot->chart->series_count; i++) {
			const struct views_series *series = &plot->chart->series[i];

			if (series->mark == order[k])
				thinned = fmax(thinned,
					       views_thinned(series, draw[order[k]](plot, series)));
		}
	}
	add_levels(plot, &contours);
	views_contours_clear(&contours);
	add_rules(plot);
	add_words(plot);
	return thinned;
}

void views_svg_swatch(const struct views_chart *chart, const char *name, double x, double y,
		      struct perun_buffer *out)
{
	static const char *const shapes[] = {"h0", "m-3-3h6v6h-6z", "m0-4l4 7h-8z",
					     "m0-4.3l4.3 4.3l-4.3 4.3l-4.3-4.3z"};
	bool line = false, points = false;
	const struct views_series *drawn = NULL;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct views_series *series = &chart->series[i];

		if (strcmp(series->name, name) != 0)
			continue;
		if (!drawn || series->mark == VIEWS_LINE)
			drawn = series;
		line = line || series->mark == VIEWS_LINE;
		points = points || series->mark == VIEWS_POINTS;
	}
	if (!drawn)
		return;
	if (line)
		perun_buffer_printf(out, "<path class=\"line s%u%s\" d=\"M%.1f %.1fh18\"/>",
				    drawn->color % VIEWS_PALETTE, drawn->dashed ? " dashed" : "", x,
				    y);
	if (points)
		perun_buffer_printf(out, "<path class=\"%s %c%u\" d=\"M%.1f %.1f%s\"/>",
				    drawn->color % 4 ? "shape" : "dots",
				    drawn->color % 4 ? 'f' : 's', drawn->color % VIEWS_PALETTE,
				    x + 9, y, shapes[drawn->color % 4]);
	if (!line && !points)
		perun_buffer_printf(out,
				    "<rect class=\"f%u%s\" x=\"%.1f\" y=\"%.1f\" width=\"12\" "
				    "height=\"12\"/>",
				    drawn->color % VIEWS_PALETTE,
				    drawn->mark == VIEWS_BAND && !drawn->solid ? " band" : "",
				    x + 3, y - 6);
}
