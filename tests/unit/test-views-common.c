/* SPDX-License-Identifier: BSD-3-Clause */
/* What views of stacks share: names in columns, amounts, bars, joined rows. */
#include <config.h>

#include <math.h>
#include <stdio.h>

#include <perun/lib/units.h>

#include "check.h"
#include "views/common/bars.h"
#include "views/common/rows.h"
#include "views/common/text.h"

static struct perun_buffer out;

static const char *fitted(const char *text, size_t width, bool ascii)
{
	size_t used;

	perun_buffer_clear(&out);
	perun_buffer_add(&out, "", 0);
	used = views_add_fitted(&out, text, width, ascii);
	CHECK(used <= width);
	CHECK_INT(used, out.length ? views_width(out.data) : 0);
	return out.length ? out.data : "";
}

TEST(test_width)
{
	CHECK_INT(views_width(""), 0);
	CHECK_INT(views_width("main"), 4);
	CHECK_INT(views_width("\u010cesk\u00fd"), 5);
	CHECK_INT(views_width("e\u0301"), 1);
	CHECK_INT(views_width("\u4e2d\u6587"), 4);
	CHECK_INT(views_width("\xff\xfe"), 2); /* not UTF-8: no more than the bytes */
}

TEST(test_names)
{
	static const char vector[] = "std::vector<std::pair<int, char>, std::allocator<std::pair"
				     "<int, char> > >::emplace_back<int>(int&&)";

	CHECK_STR(fitted("main", 10, false), "main");
	CHECK_STR(fitted("f(int, char const*)", 10, false), "f(\u2026)");
	CHECK_STR(fitted("f(int, char const*)", 10, true), "f(..)");
	CHECK_STR(fitted("f(int, char const*) const", 14, false), "f(\u2026) const");
	CHECK_STR(fitted(vector, 200, false), vector);
	CHECK_STR(fitted(vector, 90, false),
		  "std::vector<std::pair<int, char>, std::allocator<std::pair<\u2026> > "
		  ">::emplace_back<int>(\u2026)");
	CHECK_STR(fitted(vector, 40, false), "std::vector<\u2026>::emplace_back<\u2026>(\u2026)");
	CHECK_STR(fitted(vector, 25, false), "\u2026::emplace_back<\u2026>(\u2026)");
	CHECK_STR(fitted("operator<<(Stream&, Thing const&)", 16, false), "operator<<(\u2026)");
	CHECK_STR(fitted("<m::shapes::Square<f64> as m::shapes::Area>::area", 27, false),
		  "<Square<f64> as Area>::area");
	CHECK_STR(fitted("<m::shapes::Square<f64> as m::shapes::Area>::area", 26, false),
		  "<Square<\u2026> as Area>::area");
	CHECK_STR(fitted("<a>b", 3, false), "<a>");
	CHECK_STR(fitted("(anonymous namespace)::parse(char const*)", 32, false),
		  "(anonymous namespace)::parse(\u2026)");
	CHECK_STR(fitted("github.com/user/project/package.(*Type).Method", 32, false),
		  "\u2026/project/package.(*Type).Method");
	CHECK_STR(fitted("sort.partition /usr/lib/go/src/sort/z.go:157", 40, false),
		  "sort.partition \u2026/z.go:157");
	CHECK_STR(fitted("sort.partition /usr/lib/go/src/sort/z.go:157", 16, false),
		  "sort.\u2026/z.go:157");
	CHECK_STR(fitted("a_name_without_any_parts", 11, false), "a_n\u2026y_parts");
	CHECK_STR(fitted("abcdef", 2, false), "ab");
	CHECK_STR(fitted("abcdef", 0, false), "");
}

TEST(test_hostile)
{
	char *deep = malloc(20001);
	struct perun_buffer text = {0};

	CHECK_STR(fitted("a\033[31mb\nc", 10, false), "ab c");
	CHECK_STR(fitted("na\xc3\xafve", 10, true), "na?ve");
	memset(deep, '<', 10000);
	memset(deep + 10000, '>', 10000);
	deep[20000] = '\0';
	fitted(deep, 40, false);
	memset(deep, '(', 20000);
	fitted(deep, 40, false);
	memset(deep, ')', 20000);
	fitted(deep, 40, false);
	for (size_t i = 0; i < 1000; i++)
		perun_buffer_add_text(&text, "\u4e2d<\u0301>::");
	for (size_t width = 0; width < 60; width++)
		fitted(text.data, width, width % 2);
	perun_buffer_free(&text);
	free(deep);
}

static const char *amount(long double value, const char *unit, bool sign)
{
	struct perun_unit known = perun_unit_of(unit);

	perun_buffer_clear(&out);
	views_add_amount(&out, value, &known, sign, false);
	return out.data;
}

static const char *share(long double value, bool sign)
{
	perun_buffer_clear(&out);
	views_add_share(&out, value, sign);
	return out.data;
}

TEST(test_amounts)
{
	CHECK_STR(amount(0, "ns", false), "0");
	CHECK_STR(amount(12, "ns", false), "12 ns");
	CHECK_STR(amount(1500, "nanoseconds", false), "1.50 \u00b5s");
	CHECK_STR(amount(999.96L, "ms", false), "1.00 s");
	CHECK_STR(amount(12345, "s", false), "12,345 s");
	CHECK_STR(amount(64, "KB", false), "64.0 KiB");
	CHECK_STR(amount(1023, "bytes", false), "1,023 B");
	CHECK_STR(amount(1234567, "count", false), "1,234,567");
	CHECK_STR(amount(12345678, "", true), "+12.3 M");
	CHECK_STR(amount(-3, "ms", true), "-3.00 ms");
	CHECK_STR(amount(0.5, "ns", false), "0.50 ns");
	CHECK_STR(amount(42, "fathoms", false), "42");
	CHECK_STR(amount(1e300L, "", false), "1e+285 P");
	CHECK_STR(amount(1e300L, "bytes", false), "8.88e+284 PiB");
	CHECK_STR(amount((long double)NAN, "ms", false), "-");
	CHECK(perun_unit_factor("ms", "ns") == 1e6L);
	CHECK(perun_unit_factor("ms", "bytes") == 0);
	CHECK(perun_unit_factor("fathoms", "fathoms") == 1);
	CHECK(perun_unit_factor("fathoms", "miles") == 0);
	CHECK(perun_unit_factor("ms/frame", "us/frame") == 1000);
	CHECK(perun_unit_factor("MB/s", "KB/s") == 1024);
	CHECK(perun_unit_factor("ms/frame", "ms/call") == 0);
	CHECK(perun_unit_factor("ms/frame", "ms") == 0);
}

static const char *short_amount(double value, const char *unit)
{
	perun_buffer_clear(&out);
	perun_add_amount(&out, value, unit);
	return out.data;
}

static double next_double(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* As printf() writes them, between numbers of four digits and half way as well. */
TEST(test_short_amounts)
{
	uint64_t state = 1;

	CHECK_STR(short_amount(0, ""), "0");
	CHECK_STR(short_amount(-1.5, "widgets/s"), "-1.5 widgets/s");
	CHECK_STR(short_amount(9999.4, ""), "9999");
	CHECK_STR(short_amount(9999.6, ""), "10000");
	CHECK_STR(short_amount(999.96, ""), "1000");
	CHECK_STR(short_amount(0.00099996, ""), "0.001");
	CHECK_STR(short_amount(2.5, "ms/op"), "2.5 ms/op");
	for (int i = 0; i < 200000; i++) {
		double value = exp(next_double(&state) * 32 - 10);
		char expected[64];

		if (i % 2) {
			double scale = pow(10, 3 - floor(log10(value)));

			value = (floor(value * scale) + 0.5) / scale;
		}
		if (i % 3 == 0)
			value = nextafter(value, i % 4 ? INFINITY : 0);
		value = i % 5 ? value : -value;
		(void)snprintf(expected, sizeof expected,
			       fabs(value) >= 9999.5 && fabs(value) < 1e9 ? "%.0f" : "%.4g", value);
		CHECK_STR(short_amount(value, ""), expected);
	}
}

TEST(test_shares)
{
	CHECK_STR(share(0.258L, false), "25.8 %");
	CHECK_STR(share(0, false), "0.0 %");
	CHECK_STR(share(0.0001L, false), "<0.1 %");
	CHECK_STR(share(-0.0001L, true), "-<0.1 %");
	CHECK_STR(share(0.5L, true), "+50.0 %");
	CHECK_STR(share(123.456L, true), "+12,346 %");
	CHECK_STR(share((long double)NAN, true), "-");
}

TEST(test_numbers)
{
	perun_buffer_clear(&out);
	views_add_number(&out, 9223372036854775807.0L);
	CHECK_STR(out.data, "9223372036854775807");
	perun_buffer_clear(&out);
	views_add_number(&out, 0.25L);
	CHECK_STR(out.data, "0.25");
	perun_buffer_clear(&out);
	views_add_number(&out, (long double)INFINITY);
	CHECK_STR(out.data, "null");
}

TEST(test_bars)
{
	struct perun_canvas canvas = {.struct_size = sizeof canvas};

	perun_buffer_clear(&out);
	views_add_bar(&out, 0.5L, 0, 4, &canvas);
	CHECK_STR(out.data, "\u2588\u2588  ");
	perun_buffer_clear(&out);
	views_add_bar(&out, 0.0001L, 1, 4, &canvas);
	CHECK_STR(out.data, "\u258f\u2591\u2591\u2591");
	perun_buffer_clear(&out);
	views_add_bar(&out, 7, 0, 2, &canvas); /* never wider than it may be */
	CHECK_STR(out.data, "\u2588\u2588");
	perun_buffer_clear(&out);
	views_add_balance(&out, -0.5L, 8, &canvas);
	CHECK_STR(out.data, "  \u2588\u2588    ");
	canvas.ascii = true;
	perun_buffer_clear(&out);
	views_add_bar(&out, 0.5L, 0.75L, 4, &canvas);
	CHECK_STR(out.data, "##- ");
	perun_buffer_clear(&out);
	views_add_balance(&out, 1, 8, &canvas);
	CHECK_STR(out.data, "    ++++");
}

static void add_row(struct views_rows *rows, const char *name, long double self)
{
	PERUN_GROW(rows->items, rows->count, rows->capacity);
	rows->items[rows->count] = (struct views_row){.name = perun_strdup(name),
						      .file = perun_strdup(""),
						      .self = {self},
						      .total = {self},
						      .source = {rows->count, SIZE_MAX}};
	rows->count++;
}

TEST(test_join)
{
	struct views_rows sides[2] = {{0}, {0}}, joined;
	const long double factors[2] = {2, 1};
	struct views_hidden hidden;

	add_row(&sides[0], "same", 10);
	add_row(&sides[0], "gone", 5);
	add_row(&sides[1], "new", 1);
	add_row(&sides[1], "same", 23);
	views_rows_join(sides, factors, &joined);
	CHECK_INT(sides[0].count, 0);
	CHECK_INT(joined.count, 3);
	views_rows_sort(&joined, VIEWS_BY_DELTA);
	CHECK_STR(joined.items[0].name, "gone");
	CHECK(joined.items[0].self[0] == 10 && joined.items[0].self[1] == 0);
	CHECK_STR(joined.items[1].name, "same");
	CHECK(joined.items[1].self[0] == 20 && joined.items[1].self[1] == 23);
	CHECK_INT(joined.items[1].source[1], 1);
	CHECK_STR(joined.items[2].name, "new");
	CHECK_INT(joined.items[2].source[0] == SIZE_MAX, 1);
	views_rows_limit(&joined, VIEWS_BY_DELTA, 2, 1, &hidden);
	CHECK_INT(joined.count, 1);
	CHECK_INT(hidden.small, 1);
	CHECK_INT(hidden.more, 1);
	CHECK(hidden.more_self[1] == 23);
	views_rows_free(&joined);
}

CHECK_MAIN(, perun_buffer_free(&out))
