/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure as data: for programs, and for the script of its page. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-json.h"
#include "views/common/contours.h"

enum {
	GRID = 4096,         /* of places that many points are rounded to */
	MANY_POINTS = 20000, /* more than these are packed */
	LINE_COLUMNS = 4096
};

static void add_key_text(struct perun_buffer *out, const char *key, const char *text)
{
	perun_buffer_printf(out, "\"%s\": ", key);
	views_add_script_text(out, text);
}

static void add_numbers(struct perun_buffer *out, const char *key, const double *values,
			const size_t *kept, size_t count)
{
	perun_buffer_printf(out, ", \"%s\": [", key);
	for (size_t i = 0; i < count; i++) {
		if (i)
			perun_buffer_add_char(out, ',');
		views_add_script_number(out, values[kept ? kept[i] : i]);
	}
	perun_buffer_add_char(out, ']');
}

/* ---- points ---------------------------------------------------------------------------------- */

static void pack_number(struct perun_buffer *bytes, uint64_t number)
{
	for (; number > 127; number >>= 7)
		perun_buffer_add_char(bytes, (char)(number | 128));
	perun_buffer_add_char(bytes, (char)number);
}

void views_add_base64(struct perun_buffer *out, const void *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;
		char four[4];

		if (i + 1 < size)
			three |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < size)
			three |= bytes[i + 2];
		for (int k = 0; k < 4; k++)
			four[k] = digits[three >> (18 - 6 * k) & 63];
		if (i + 1 >= size)
			four[2] = '=';
		if (i + 2 >= size)
			four[3] = '=';
		perun_buffer_add(out, four, 4);
	}
}

/* The cells of a grid that hold points, column by column, as differences. Returns how many. */
static size_t pack_cells(const uint64_t *seen, struct perun_buffer *bytes)
{
	size_t all = 0, before = 0;

	for (size_t column = 0; column < GRID; column++) {
		const uint64_t *words = seen + column * (GRID / 64);
		size_t count = 0, last = 0;

		for (size_t i = 0; i < GRID / 64; i++)
			count += (size_t)__builtin_popcountll(words[i]);
		if (!count)
			continue;
		all += count;
		pack_number(bytes, column - before);
		pack_number(bytes, count);
		before = column;
		for (size_t row = 0; row < GRID; row++) {
			if (!words[row / 64]) {
				row |= 63;
				continue;
			}
			if (words[row / 64] >> row % 64 & 1) {
				pack_number(bytes, row - last);
				last = row;
			}
		}
	}
	return all;
}

/* Many points, each at the nearest place of a grid, once: two bytes or less for each. */
static void add_packed(struct perun_buffer *out, const struct views_series *series,
		       const struct views_scale *x, const struct views_scale *y)
{
	uint64_t *seen = perun_alloc_zero((size_t)GRID * GRID / 64, sizeof *seen);
	struct perun_buffer bytes = {0};
	size_t count;

	for (size_t i = 0; i < series->count; i++) {
		double across = views_scale_place(x, series->x[i]);
		double up = views_scale_place(y, series->y[i]);
		size_t cell;

		if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1))
			continue;
		cell = (size_t)lround(across * (GRID - 1)) * GRID + (size_t)lround(up * (GRID - 1));
		seen[cell / 64] |= UINT64_C(1) << cell % 64;
	}
	count = pack_cells(seen, &bytes);
	perun_buffer_printf(out, ", \"grid\": %d, \"count\": %zu, \"among\": %zu, \"packed\": \"",
			    GRID, count, series->count);
	views_add_base64(out, bytes.data, bytes.length);
	perun_buffer_add_char(out, '"');
	perun_buffer_free(&bytes);
	perun_free(seen);
}

/* ---- series ---------------------------------------------------------------------------------- */

static void add_values(struct perun_buffer *out, const struct views_series *series,
		       const struct views_scale *x, const struct views_scale *y, bool page)
{
	size_t *kept = NULL, count = series->count;

	if (page && series->mark == VIEWS_POINTS && series->count > MANY_POINTS) {
		add_packed(out, series, x, y);
		return;
	}
	if (page && (series->mark == VIEWS_LINE || series->mark == VIEWS_BAND) &&
	    series->count > 4 * LINE_COLUMNS) {
		kept = perun_alloc_zero(4 * LINE_COLUMNS + 4, sizeof *kept);
		count = views_thin_line(series, x, LINE_COLUMNS, kept);
		perun_buffer_printf(out, ", \"among\": %zu", series->count);
	}
	add_numbers(out, "x", series->x, kept, count);
	add_numbers(out, "y", series->y, kept, count);
	if (series->low)
		add_numbers(out, "low", series->low, kept, count);
	perun_free(kept);
}

static void add_series(struct perun_buffer *out, const struct views_series *series,
		       const struct views_scale *x, const struct views_scale *y, bool page)
{
	static const char *const marks[] = {"points", "line", "band", "bars", "faces"};

	perun_buffer_add_char(out, '{');
	add_key_text(out, "name", series->name);
	perun_buffer_printf(out, ", \"mark\": \"%s\"", marks[series->mark]);
	if (page)
		perun_buffer_printf(out, ", \"color\": %u", series->color);
	if (series->dashed && page)
		perun_buffer_add_text(out, ", \"dashed\": true");
	if (series->frame && page)
		perun_buffer_add_text(out, ", \"frame\": true");
	if (series->solid && page)
		perun_buffer_add_text(out, ", \"solid\": true");
	if (series->mark == VIEWS_BARS) {
		perun_buffer_add_text(out, ", \"left\": ");
		views_add_script_number(out, series->left);
		perun_buffer_add_text(out, ", \"right\": ");
		views_add_script_number(out, series->right);
	}
	add_values(out, series, x, y, page);
	perun_buffer_add_char(out, '}');
}

static void add_unit(struct perun_buffer *out, const char *name)
{
	struct perun_unit unit = perun_unit_of(name);

	add_key_text(out, "unit", name);
	perun_buffer_printf(out, ", \"kind\": \"%s\", \"factor\": ",
			    unit.kind == PERUN_UNIT_TIME    ? "time"
			    : unit.kind == PERUN_UNIT_BYTES ? "bytes"
							    : "other");
	views_add_script_number(out, (double)unit.factor);
}

static void add_axis(struct perun_buffer *out, const char *key, const struct views_axis *axis,
		     const struct views_scale *scale)
{
	perun_buffer_printf(out, ", \"%s\": {", key);
	add_key_text(out, "title", axis->title);
	perun_buffer_add_text(out, ", ");
	add_unit(out, axis->unit);
	perun_buffer_printf(out, ", \"log\": %u, \"low\": ", scale->log_base);
	views_add_script_number(out, scale->low);
	perun_buffer_add_text(out, ", \"high\": ");
	views_add_script_number(out, scale->high);
	if (axis->whole)
		perun_buffer_add_text(out, ", \"whole\": true");
	if (axis->category_count) {
		perun_buffer_add_text(out, ", \"categories\": [");
		for (size_t i = 0; i < axis->category_count; i++) {
			perun_buffer_add_text(out, i ? ", " : "");
			views_add_script_text(out, axis->categories[i]);
		}
		perun_buffer_add_char(out, ']');
	}
	perun_buffer_add_char(out, '}');
}

/* Each with its value, its pieces and the place of its label. */
static void add_contours(struct perun_buffer *out, const struct views_chart *chart)
{
	enum { WANTED = 8 };
	struct views_contours contours;

	views_contours_find(chart, WANTED, &contours);
	perun_buffer_add_text(out, ", \"contours\": [");
	for (size_t i = 0; i < contours.count; i++) {
		const struct views_contour *contour = &contours.contours[i];

		perun_buffer_add_text(out, i ? ", {\"value\": " : "{\"value\": ");
		views_add_script_number(out, contour->value);
		perun_buffer_add_text(out, ", \"x\": ");
		views_add_script_number(out, contour->x);
		perun_buffer_add_text(out, ", \"y\": ");
		views_add_script_number(out, contour->y);
		add_numbers(out, "pieces", contour->pieces, NULL, 4 * contour->count);
		perun_buffer_add_char(out, '}');
	}
	perun_buffer_add_char(out, ']');
	views_contours_clear(&contours);
}

static void add_heat(struct perun_buffer *out, const struct views_chart *chart, bool page)
{
	const struct views_heat *heat = chart->heat;
	struct views_scale scale = views_heat_scale(heat);

	perun_buffer_add_text(out, ", \"heat\": {");
	add_key_text(out, "title", heat->title);
	perun_buffer_add_text(out, ", ");
	add_unit(out, heat->unit);
	perun_buffer_printf(out, ", \"log\": %u, \"low\": ", scale.log_base);
	views_add_script_number(out, scale.low);
	perun_buffer_add_text(out, ", \"high\": ");
	views_add_script_number(out, scale.high);
	perun_buffer_printf(out, ", \"columns\": %zu, \"rows\": %zu", heat->columns, heat->rows);
	add_numbers(out, "x", heat->x, NULL, heat->columns + 1);
	add_numbers(out, "y", heat->y, NULL, heat->rows + 1);
	add_numbers(out, "values", heat->values, NULL, heat->columns * heat->rows);
	if (page && heat->contours)
		add_contours(out, chart);
	perun_buffer_add_char(out, '}');
}

static void add_rule(struct perun_buffer *out, const struct views_rule *rule)
{
	static const char *const tones[] = {"", "change", "worse", "better"};

	perun_buffer_printf(out,
			    "{\"horizontal\": %s, \"at\": ", rule->horizontal ? "true" : "false");
	views_add_script_number(out, rule->at);
	perun_buffer_add_text(out, ", ");
	add_key_text(out, "text", rule->text);
	if (rule->tone)
		perun_buffer_printf(out, ", \"tone\": \"%s\"", tones[rule->tone]);
	if (rule->hint) {
		perun_buffer_add_text(out, ", ");
		add_key_text(out, "hint", rule->hint);
	}
	perun_buffer_add_char(out, '}');
}

/* Of a picture of space: its words with their places. */
static void add_words(struct perun_buffer *out, const struct views_chart *chart)
{
	perun_buffer_add_text(out, ", \"projected\": true, \"words\": [");
	for (size_t i = 0; i < chart->word_count; i++) {
		perun_buffer_add_text(out, i ? ", {\"x\": " : "{\"x\": ");
		views_add_script_number(out, chart->words[i].x);
		perun_buffer_add_text(out, ", \"y\": ");
		views_add_script_number(out, chart->words[i].y);
		perun_buffer_printf(out, ", \"end\": %s, ", chart->words[i].end ? "true" : "false");
		add_key_text(out, "text", chart->words[i].text);
		perun_buffer_add_char(out, '}');
	}
	perun_buffer_add_char(out, ']');
}

static void add_chart(struct perun_buffer *out, const struct views_chart *chart, bool page)
{
	struct views_scale x, y;

	views_chart_scales(chart, &x, &y);
	perun_buffer_add_char(out, '{');
	add_key_text(out, "title", chart->title);
	perun_buffer_add_text(out, ", ");
	add_key_text(out, "note", chart->note);
	add_axis(out, "x", &chart->x, &x);
	add_axis(out, "y", &chart->y, &y);
	perun_buffer_add_text(out, ", \"series\": [");
	for (size_t i = 0; i < chart->series_count; i++) {
		perun_buffer_add_text(out, i ? ",\n" : "\n");
		add_series(out, &chart->series[i], &x, &y, page);
	}
	perun_buffer_add_text(out, "], \"rules\": [");
	for (size_t i = 0; i < chart->rule_count; i++) {
		if (i)
			perun_buffer_add_text(out, ", ");
		add_rule(out, &chart->rules[i]);
	}
	perun_buffer_add_char(out, ']');
	if (chart->projected)
		add_words(out, chart);
	if (chart->heat)
		add_heat(out, chart, page);
	perun_buffer_add_char(out, '}');
}

void views_add_charts(const struct views_figure *figure, bool page, struct perun_buffer *out)
{
	add_key_text(out, "title", figure->title);
	perun_buffer_add_text(out, ", ");
	add_key_text(out, "subtitle", figure->subtitle);
	perun_buffer_add_text(out, ", \"charts\": [");
	for (size_t i = 0; i < figure->chart_count; i++) {
		perun_buffer_add_text(out, i ? ",\n" : "\n");
		add_chart(out, figure->charts[i], page);
	}
	perun_buffer_add_char(out, ']');
}

static void add_list(const struct views_list *list, struct perun_buffer *out)
{
	perun_buffer_add_text(out, ", \"rows\": [");
	for (size_t i = 0; i < list->count; i++) {
		const struct views_list_row *row = &list->rows[i];

		perun_buffer_add_text(out, i ? ",\n{" : "\n{");
		add_key_text(out, "name", row->name);
		perun_buffer_printf(out, ", \"depth\": %u, \"share\": ", row->depth);
		views_add_script_number(out, row->share);
		perun_buffer_add_text(out, ", \"columns\": [");
		for (int k = 0; k < VIEWS_LIST_COLUMNS; k++) {
			if (!list->titles[k + 1])
				continue;
			perun_buffer_add_text(out, k ? ", " : "");
			views_add_script_text(out, row->columns[k] ? row->columns[k] : "");
		}
		perun_buffer_add_text(out, "]}");
	}
	perun_buffer_add_char(out, ']');
}

void views_figure_json(const struct views_figure *figure, struct perun_buffer *out)
{
	perun_buffer_add_char(out, '{');
	views_add_charts(figure, false, out);
	if (figure->list)
		add_list(figure->list, out);
	perun_buffer_add_text(out, "}\n");
}
