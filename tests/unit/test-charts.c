/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts: ticks, ranges, thinning, escaping, and the three ways they are drawn. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "check.h"
#include "views/common/chart-json.h"
#include "views/common/contours.h"

static struct perun_buffer out;

/* The texts of the ticks, joined by blanks. */
static const char *ticks_of(double low, double high, unsigned base, const char *unit, size_t wanted)
{
	struct views_figure *figure = views_figure_new("", "");
	struct views_chart *chart = views_figure_add(figure, "", "");
	struct views_scale x, y;
	struct views_ticks ticks;

	views_axis_set(&chart->x, "t", unit);
	chart->x.log_base = base;
	chart->x.low = low;
	chart->x.high = high;
	views_chart_scales(chart, &x, &y);
	views_scale_ticks(&x, wanted, &ticks);
	perun_buffer_clear(&out);
	perun_buffer_add(&out, "", 0);
	for (size_t i = 0; i < ticks.count; i++) {
		CHECK(!views_scale_is_outside(&x, ticks.values[i]) ||
		      fabs(views_scale_place(&x, ticks.values[i]) - 0.5) < 0.51);
		if (!ticks.minor[i])
			perun_buffer_printf(&out, "%s%s", out.length ? " " : "", ticks.texts[i]);
	}
	if (*x.shown)
		perun_buffer_printf(&out, " [%s]", x.shown);
	views_figure_free(figure);
	return out.data ? out.data : "";
}

/* Where x * y is one value, on logarithmic axes, and around a saddle. */
TEST(test_contours)
{
	struct views_figure *figure = views_figure_new("", "");
	struct views_chart *chart = views_figure_add(figure, "", "");
	struct views_heat *heat = views_chart_add_heat(chart, 6, 5, "cost", "");
	struct views_contours contours;

	chart->x.log_base = chart->y.log_base = 2;
	heat->logarithmic = true;
	for (size_t i = 0; i <= 6; i++)
		heat->x[i] = heat->y[i < 5 ? i : 5] = pow(2, (double)i);
	heat->y[5] = 32;
	for (size_t i = 0; i < 30; i++)
		heat->values[i] = pow(2, (double)(i % 6 + i / 6) + 1);
	views_contours_find(chart, 6, &contours);
	CHECK(contours.count >= 2);
	for (size_t i = 0; i < contours.count; i++) {
		const struct views_contour *contour = &contours.contours[i];

		CHECK(contour->count > 0);
		for (size_t k = 0; k < 2 * contour->count; k++)
			CHECK(fabs(contour->pieces[2 * k] * contour->pieces[2 * k + 1] /
					   contour->value -
				   1) < 1e-9);
		CHECK(fabs(contour->x * contour->y / contour->value - 1) < 1e-9);
	}
	views_contours_clear(&contours);
	/* Two corners of a square above, two below: two pieces that do not cross. */
	heat->logarithmic = false;
	for (size_t i = 0; i < 30; i++)
		heat->values[i] = (i % 6 + i / 6) % 2 ? 1 : 0;
	views_contours_find(chart, 2, &contours);
	CHECK(contours.count > 0);
	CHECK(contours.contours[0].count == 2 * 5 * 4 || contours.contours[0].count == 0);
	views_contours_clear(&contours);
	for (size_t i = 0; i < 30; i++)
		heat->values[i] = i == 7 ? NAN : 3;
	views_contours_find(chart, 5, &contours);
	CHECK(contours.count == 0);
	views_contours_clear(&contours);
	views_figure_free(figure);
}

TEST(test_steps)
{
	CHECK(views_nice_step(10, 5) == 2);
	CHECK(views_nice_step(10, 10) == 1);
	CHECK(views_nice_step(10, 3) == 5);
	CHECK(views_nice_step(0.3, 3) == 0.1);
	CHECK(views_nice_step(12, 2) == 10);
}

TEST(test_ticks)
{
	CHECK_STR(ticks_of(0, 10, 0, "", 5), "0 2 4 6 8 10");
	CHECK_STR(ticks_of(-1, 1, 0, "", 4), "\u22121.0 \u22120.5 0.0 0.5 1.0");
	CHECK_STR(ticks_of(0, 0.003, 0, "", 3), "0.000 0.001 0.002 0.003");
	CHECK_STR(ticks_of(0, 40000, 0, "", 4), "0 10k 20k 30k 40k");
	CHECK_STR(ticks_of(0, 3e6, 0, "ns", 3), "0 1 2 3 [ms]");
	CHECK_STR(ticks_of(0, 0.25, 0, "s", 5), "0 50 100 150 200 250 [ms]");
	CHECK_STR(ticks_of(0, 4 * 1048576, 0, "B", 4), "0 1 2 3 4 [MiB]");
	CHECK_STR(ticks_of(0, 4, 0, "joule", 4), "0 1 2 3 4 [joule]");
	CHECK_STR(ticks_of(1, 1000, 10, "", 4), "1 10 100 1000");
	CHECK_STR(ticks_of(1, 1e9, 10, "ns", 4), "1 ns 1 \u00b5s 1 ms 1 s");
	CHECK_STR(ticks_of(4, 64, 2, "", 8), "4 8 16 32 64");
	CHECK_STR(ticks_of(10, 100, 10, "", 9), "10 20 50 100");
	CHECK_STR(ticks_of(3, 5, 10, "", 4), "3 3.5 4 4.5 5");
	CHECK_STR(ticks_of(0.2, 8, 10, "s", 5), "200 ms 500 ms 1 s 2 s 5 s");
	CHECK_STR(ticks_of(12, 110, 10, "", 5), "20 50 100");
	/* So near to each other that doubles end. */
	ticks_of(1e300, 1e300 * (1 + 1e-15), 0, "", 5);
	ticks_of(-1e308, 1e308, 0, "", 5);
	ticks_of(1e-300, 1e300, 10, "", 7);
	ticks_of(1e-300, 1e300, 2, "", 7);
}

TEST(test_whole_ticks)
{
	struct views_scale scale = {.low = 0, .high = 2.2, .whole = true, .factor = 1};
	struct views_ticks ticks;

	views_scale_ticks(&scale, 10, &ticks);
	CHECK_INT(ticks.count, 3);
	CHECK_STR(ticks.texts[2], "2");
	scale.high = 300;
	views_scale_ticks(&scale, 3, &ticks);
	CHECK_STR(ticks.texts[1], "100");
}

TEST(test_ranges)
{
	struct views_figure *figure = views_figure_new("", "");
	struct views_chart *chart = views_figure_add(figure, "", "");
	struct views_series *series;
	struct views_scale x, y;

	views_chart_scales(chart, &x, &y);
	CHECK(x.low < x.high && y.low < y.high);
	series = views_chart_add(chart, "a", VIEWS_POINTS, 0);
	views_series_add(series, 3, 7, NAN);
	views_series_add(series, NAN, 700, NAN);
	views_series_add(series, 700, INFINITY, NAN);
	views_chart_scales(chart, &x, &y);
	CHECK(x.low < 3 && x.high > 3 && x.high < 10);
	CHECK(y.low < 7 && y.high > 7 && y.high < 20);
	chart->y.from_zero = true;
	views_chart_scales(chart, &x, &y);
	CHECK(y.low == 0);
	series = views_chart_add(chart, "b", VIEWS_POINTS, 1);
	views_series_add(series, -5, 100, NAN);
	views_series_add(series, 100, 1e5, NAN);
	chart->x.log_base = 10;
	views_chart_scales(chart, &x, &y);
	CHECK(x.low > 0 && x.low < 3 && x.high > 100);
	CHECK(isnan(views_scale_place(&x, -5)));
	CHECK(fabs(views_scale_place(&x, x.low)) < 1e-12);
	CHECK(fabs(views_scale_value(&x, views_scale_place(&x, 42)) - 42) < 1e-9);
	views_figure_free(figure);
}

TEST(test_thinning)
{
	enum { COUNT = 100000, COLUMNS = 50 };
	struct views_figure *figure = views_figure_new("", "");
	struct views_chart *chart = views_figure_add(figure, "", "");
	struct views_series *line = views_chart_add(chart, "", VIEWS_LINE, 0);
	size_t *kept = perun_alloc_zero(COUNT, sizeof *kept), count;
	struct views_scale x, y;
	bool peak = false, valley = false;

	for (int i = 0; i < COUNT; i++)
		views_series_add(line, i, i == 77777 ? 1000 : i == 33333 ? -1000 : i % 7, NAN);
	views_chart_scales(chart, &x, &y);
	count = views_thin_line(line, &x, COLUMNS, kept);
	CHECK(count > COLUMNS && count <= 4 * COLUMNS + 4);
	for (size_t i = 0; i < count; i++) {
		CHECK(i == 0 || kept[i] > kept[i - 1]);
		peak = peak || kept[i] == 77777;
		valley = valley || kept[i] == 33333;
	}
	CHECK(peak && valley);
	CHECK_INT(kept[0], 0);
	CHECK_INT(kept[count - 1], COUNT - 1);
	/* Not in order: as it is when it is small, thinned evenly when not. */
	line->x[5] = 1;
	count = views_thin_line(line, &x, COLUMNS, kept);
	CHECK(count <= 4 * COLUMNS + 4);
	count = views_thin_points(line, &x, &y, 20, 20, kept);
	CHECK(count >= 22 && count <= 400);
	perun_free(kept);
	views_figure_free(figure);
}

TEST(test_markup)
{
	perun_buffer_clear(&out);
	views_add_markup(&out, "<a href=\"x\">&'\x01\u202e\xff\xc0\x80 \u010d");
	CHECK_STR(out.data,
		  "&#60;a href=&#34;x&#34;&#62;&#38;&#39;\\u0001\\u202e\\xff\\xc0\\x80 \u010d");
	perun_buffer_clear(&out);
	views_add_script_text(&out, "</script><!--\"\\\n");
	CHECK(!strchr(out.data, '<'));
	CHECK_STR(out.data, "\"\\u003c/script>\\u003c!--\\\"\\\\\\\\u000a\"");
	perun_buffer_clear(&out);
	views_add_script_number(&out, NAN);
	CHECK_STR(out.data, "null");
	perun_buffer_clear(&out);
	views_add_base64(&out, "any", 3);
	views_add_base64(&out, "an", 2);
	views_add_base64(&out, "a", 1);
	CHECK_STR(out.data, "YW55YW4=YQ==");
}

/* A figure with all there is, and a name that would be markup. */
static struct views_figure *make_figure(void)
{
	static const enum views_mark marks[] = {VIEWS_BAND, VIEWS_BARS, VIEWS_LINE, VIEWS_POINTS};
	struct views_figure *figure = views_figure_new("<b>evil</b></title>", "</svg>");
	struct views_chart *chart = views_figure_add(figure, "<i>", "<u>");
	struct views_heat *heat;

	views_axis_set(&chart->x, "<x>", "ns");
	views_axis_set(&chart->y, "<y>", "<unit>");
	for (int m = 0; m < 4; m++) {
		struct views_series *series = views_chart_add(
			chart, "<script>alert(1)</script>\033[31m", marks[m], (unsigned)m);

		for (int i = 0; i < 40; i++)
			views_series_add(series, i, i == 7 ? NAN : i * i, i);
	}
	views_chart_add_rule(chart, false, 5, "</text>");
	views_chart_add_rule(chart, true, 5, "</svg>");
	views_chart_add_rule(chart, false, 9, "+5 %")->tone = VIEWS_WORSE;
	chart->rules[2].hint = perun_strdup("</title>");
	chart = views_figure_add(figure, "", "");
	heat = views_chart_add_heat(chart, 2, 2, "<h>", "s");
	for (int i = 0; i < 3; i++)
		heat->x[i] = heat->y[i] = i;
	for (int i = 0; i < 4; i++)
		heat->values[i] = i == 2 ? NAN : i;
	chart = views_figure_add(figure, "", "");
	views_axis_add_category(&chart->x, "<cat>");
	views_series_add(views_chart_add(chart, "<s>", VIEWS_BARS, 0), 0, 5, 0);
	return figure;
}

TEST(test_drawing)
{
	static const char *const bad[] = {"<script>alert", "<b>", "<i>", "<u>",    "<x>",     "<y>",
					  "<cat>",         "<s>", "<h>", "<unit>", "\033[31m"};
	struct views_figure *figure = make_figure();
	struct perun_buffer forms[5] = {{0}};
	const struct views_size size = {0, 0}, small = {20, 5};
	struct perun_canvas canvas = {.struct_size = sizeof canvas, .width = 80};

	views_figure_svg(figure, &size, &forms[0]);
	views_figure_html(figure, &forms[1]);
	views_figure_terminal(figure, &size, &canvas, &forms[2]);
	views_figure_json(figure, &forms[3]);
	canvas.ascii = true;
	views_figure_terminal(figure, &small, &canvas, &forms[4]);
	for (int f = 0; f < 2; f++) {
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
			CHECK(!strstr(forms[f].data, bad[i]));
	}
	CHECK(strstr(forms[1].data, "Content-Security-Policy"));
	CHECK(strstr(forms[1].data, "Leon Sorokin"));
	CHECK(!strstr(forms[2].data, "\033"));
	CHECK(strstr(forms[2].data, "<x> [ns]"));
	for (size_t i = 0; i < forms[4].length; i++)
		CHECK((unsigned char)forms[4].data[i] < 0x80);
	CHECK(strstr(forms[3].data, "\"x\": [0.0,1.0,"));
	CHECK(strstr(forms[1].data, "\"tone\": \"worse\", \"hint\": \""));
	for (int i = 0; i < 5; i++)
		perun_buffer_free(&forms[i]);
	views_figure_free(figure);
}

/* Colours begin and end in each line, so that a pager may cut anywhere. */
TEST(test_color)
{
	struct views_figure *figure = make_figure();
	const struct views_size size = {0, 0};
	struct perun_canvas canvas = {.struct_size = sizeof canvas, .width = 80, .color = true};
	struct perun_buffer text = {0};
	size_t begun = 0;

	views_figure_terminal(figure, &size, &canvas, &text);
	for (char *c = text.data; *c; c++) {
		if (strncmp(c, "\033[0m", 4) == 0)
			begun = 0;
		else if (*c == '\033')
			begun++;
		if (*c == '\n')
			CHECK_INT(begun, 0);
	}
	CHECK(strstr(text.data, "\033[38;5;"));
	perun_buffer_free(&text);
	views_figure_free(figure);
}

TEST(test_many_points)
{
	enum { COUNT = 300000 };
	struct views_figure *figure = views_figure_new("many", "");
	struct views_chart *chart = views_figure_add(figure, "", "");
	struct views_series *points = views_chart_add(chart, "", VIEWS_POINTS, 0);
	const struct views_size size = {0, 0};
	struct perun_buffer page = {0}, picture = {0};
	uint32_t random = 1;

	for (int i = 0; i < COUNT; i++) {
		double x = (double)(random >> 8), y;

		random = random * 1664525 + 1013904223;
		y = (double)(random >> 8);
		random = random * 1664525 + 1013904223;
		views_series_add(points, x, y, NAN);
	}
	views_figure_html(figure, &page);
	views_figure_svg(figure, &size, &picture);
	CHECK(page.length < 1500000);
	CHECK(picture.length < 2000000);
	CHECK(strstr(page.data, "\"among\": 300000"));
	perun_buffer_free(&page);
	perun_buffer_free(&picture);
	views_figure_free(figure);
}

CHECK_MAIN(, perun_buffer_free(&out))
