/* SPDX-License-Identifier: BSD-3-Clause */
/* core/json: numbers, against strtod(), printf() and known hard cases. */
#include <locale.h>

#include "perun/json.h"
#include "tests/unit/check.h"

/* How many random numbers; "test-json-number 100000000" soaks. */
static uint64_t rounds = 200000;

/* splitmix64 (S. Vigna): the same numbers on every run. */
static uint64_t random_bits(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t to_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* Parse as strtod() does, to the bit. */
static bool same_as_strtod(const char *text)
{
	double value = 0, expected = strtod(text, NULL);

	if (!perun_json_parse_double(text, strlen(text), &value)) {
		CHECK_FAIL("%s is refused", text);
		return false;
	}
	if (to_bits(value) == to_bits(expected))
		return true;
	CHECK_FAIL("%s is %.17g, not %.17g", text, value, expected);
	return false;
}

static void check_prefix(const char *text)
{
	char *end, *expected_end;
	double value = perun_strtod(text, &end), expected = strtod(text, &expected_end);

	if (to_bits(value) != to_bits(expected) || end != expected_end)
		CHECK_FAIL("'%s' is %.17g and %zu bytes, not %.17g and %zu", text, value,
			   (size_t)(end - text), expected, (size_t)(expected_end - text));
}

/* Texts of the letters that numbers are made of: each is read as by strtod(), up to the same place. */
TEST(test_numbers_in_texts)
{
	static const char letters[] = "0000123456789999....-+eExX np";
	static const char *const texts[] = {"",
					    "-",
					    ".",
					    "-.5",
					    "1.",
					    "1.e3",
					    "1e",
					    "1e+",
					    "0x10",
					    "0X.8p1",
					    "-0",
					    "-0.0",
					    "00012.50x",
					    " 7",
					    "1.2.3",
					    "12-",
					    "1.0E2",
					    "inf",
					    "nan(1)",
					    "1 2",
					    "999999999999999",
					    "9999999999999999",
					    "123456789.123456",
					    "123456789.1234567",
					    "0.000000000000001",
					    "0.0000000000000001",
					    "12345678901234567890",
					    "9007199254740993"};
	char text[24];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_prefix(texts[i]);
	for (uint64_t state = 5, i = 0; i < 200000; i++) {
		size_t length = random_bits(&state) % (sizeof text - 1);

		for (size_t k = 0; k < length; k++)
			text[k] = letters[random_bits(&state) % (sizeof letters - 1)];
		text[length] = '\0';
		check_prefix(text);
	}
}

/* What is printed reads back, and no text with fewer digits would; the closest of its length. */
static bool is_shortest(double value)
{
	char text[PERUN_JSON_NUMBER_SIZE], other[40];
	double back = 0;
	int digits = 0, i;
	const char *p;

	perun_json_print_double(value, text);
	if (!perun_json_parse_double(text, strlen(text), &back) ||
	    to_bits(back) != to_bits(value)) {
		CHECK_FAIL("%.17g is printed as %s", value, text);
		return false;
	}
	/* Significant digits: without leading zeros, and zeros at the end. */
	for (p = text, i = 0; *p && *p != 'e'; p++) {
		if (*p >= '0' && *p <= '9' && (i > 0 || *p != '0')) {
			i++;
			if (*p != '0')
				digits = i;
		}
	}
	if (digits < 1)
		digits = 1;
	if (digits > 1) {
		snprintf(other, sizeof other, "%.*e", digits - 2, value);
		if (to_bits(strtod(other, NULL)) == to_bits(value)) {
			CHECK_FAIL("%s could be shorter: %s", text, other);
			return false;
		}
	}
	snprintf(other, sizeof other, "%.*e", digits - 1, value);
	if (to_bits(strtod(other, NULL)) == to_bits(value) &&
	    strtod(other, NULL) != strtod(text, NULL)) {
		CHECK_FAIL("%s is not the closest: %s", text, other);
		return false;
	}
	return true;
}

TEST(test_random_bits)
{
	uint64_t state = 1, i;
	char text[40];

	for (i = 0; i < rounds; i++) {
		double value = to_double(random_bits(&state));

		if (!isfinite(value))
			continue;
		snprintf(text, sizeof text, "%.*e", (int)(i % 20), value);
		if (!same_as_strtod(text) || !is_shortest(value))
			return;
	}
}

/* What profiles hold: few digits, small exponents. */
TEST(test_random_decimals)
{
	uint64_t state = 2, i;
	char text[64];

	for (i = 0; i < rounds; i++) {
		uint64_t bits = random_bits(&state), whole = random_bits(&state) >> bits % 64;
		unsigned point = (unsigned)(bits >> 8) % 12, exponent = (unsigned)(bits >> 16) % 40;

		snprintf(text, sizeof text, "%llu.%0*llue%d", (unsigned long long)(whole / 1000),
			 (int)point + 1, (unsigned long long)(whole % 1000), (int)exponent - 20);
		if (!same_as_strtod(text) || !is_shortest(strtod(text, NULL)))
			return;
		if (!is_shortest((double)(whole >> 12)) || !is_shortest((double)whole / 1e6))
			return;
	}
}

/* Halfway between two doubles, and a little beside: the exact way must decide. */
TEST(test_halfway)
{
	uint64_t state = 3, i;
	char text[1200];
	size_t length;

	for (i = 0; i < rounds / 100 && i < 20000; i++) {
		uint64_t bits = random_bits(&state) & 0x7fffffffffffffff;
		long double middle;

		if (bits >= 0x7fe0000000000000)
			continue;
		if (i % 4 == 0)
			bits &= 0x001fffffffffffff; /* subnormal or tiny */
		middle = ((long double)to_double(bits) + (long double)to_double(bits + 1)) / 2;
		snprintf(text, sizeof text, "%.800Le", middle);
		if (!same_as_strtod(text))
			return;
		/* The exponent stays, the last digit changes. */
		*strchr(text, 'e') = '\0';
		length = strlen(text);
		text[length - 1] = (char)('0' + i % 10);
		snprintf(text + length, sizeof text - length, "e%d", (int)floorl(log10l(middle)));
		if (!same_as_strtod(text))
			return;
	}
}

TEST(test_hard_cases)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"0.0",
		"-0.0",
		"0e5",
		"1",
		"-1",
		"0.1",
		"1e22",
		"1e23",
		"9007199254740993",
		"9007199254740992.999999999999",
		"9007199254740993.0000000000000000000000000001",
		"18446744073709551615",
		"18446744073709551616",
		"123456789012345678901234567890",
		"1.7976931348623157e308",
		"1.7976931348623158e308",
		"1.7976931348623159e308",
		"1e309",
		"1e400",
		"-1e400",
		"1e999999999999999999999",
		"1e-999999999999999999999",
		"0e999999999999999999999",
		"4.9e-324",
		"2.4703282292062327e-324",
		"2.4703282292062328e-324",
		"2.2250738585072011e-308",
		"2.2250738585072012e-308",
		"2.2250738585072014e-308",
		"6.631236846766476e-316",
		"3.2378839133029012895883524125015321749e-319",
		"8.988465674311580536566680721305e307",
		"1.00000000000000011102230246251565404e0",
		"1.00000000000000011102230246251565405",
		"1.00000000000000011102230246251565403",
		"0.000000000000000000000000000000000000000000000000001234567890123456789012345",
		"100000000000000000000000000000000000000000000000000000000000000000000000001",
		"6929495644600919.5",
		"3.7455744005952583e15",
		"2.2250738585072011e-308",
		"1797693134862315807937289714053034150799341327100378269361737789804449682927647509"
		"46649"
		"0179775872070963302864166928879109465555478519404026306574886715058206819089020007"
		"08383"
		"6762738548458177115317644757302700698555713669596228429148198608349364752927190741"
		"68444"
		"365510704342711559699508093042880",
		"1797693134862315807937289714053034150799341327100378269361737789804449682927647509"
		"46649"
		"0179775872070963302864166928879109465555478519404026306574886715058206819089020007"
		"08383"
		"6762738548458177115317644757302700698555713669596228429148198608349364752927190741"
		"68444"
		"36551070434271155969950809304287999999",
	};
	static const char *const bad[] = {"",    "-",    "+1",    "01",   "-01",    "1.",
					  ".5",  "1e",   "1e+",   "0x1",  "nan",    "inf",
					  "1 ",  " 1",   "1.e5",  "--1",  "1e5.",   "1_0",
					  "Inf", "-NaN", "1.2.3", "NaNN", "Infinit"};
	double value = 7;
	size_t i;

	for (i = 0; i < sizeof texts / sizeof *texts; i++)
		same_as_strtod(texts[i]);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (perun_json_parse_double(bad[i], strlen(bad[i]), &value))
			CHECK_FAIL("%s is accepted", bad[i]);
	}
	CHECK_DOUBLE(value, 7, 0);
	CHECK(perun_json_parse_double("NaN", 3, &value) && isnan(value));
	CHECK(perun_json_parse_double("Infinity", 8, &value) && value == INFINITY);
	CHECK(perun_json_parse_double("-Infinity", 9, &value) && value == -INFINITY);
}

/* Zeros in great number, before or behind the point, change nothing. */
TEST(test_long_texts)
{
	size_t zeros, length;
	char *text = malloc(100100);
	double value = 0;

	for (zeros = 1; zeros < 100000; zeros = zeros * 3 + 1) {
		memset(text, '0', zeros + 2);
		text[1] = '.';
		length = zeros + 2;
		length += (size_t)sprintf(text + length, "7e%zu", zeros + 1);
		CHECK(perun_json_parse_double(text, length, &value) && value == 7);
		text[0] = '1';
		memset(text + 1, '0', zeros);
		length = zeros + 1;
		length += (size_t)sprintf(text + length, "e-%zu", zeros);
		CHECK(perun_json_parse_double(text, length, &value) && value == 1);
		memset(text, '9', zeros);
		text[zeros] = '\0';
		same_as_strtod(text);
	}
	free(text);
}

TEST(test_repr)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0.1, "0.1"},
		{1e-5, "1e-05"},
		{0.0001, "0.0001"},
		{0.00012345, "0.00012345"},
		{1.5e-5, "1.5e-05"},
		{1e16, "1e+16"},
		{1e15, "1000000000000000.0"},
		{9999999999999998.0, "9999999999999998.0"},
		{12345678901234567.0, "1.2345678901234568e+16"},
		{100000.0, "100000.0"},
		{1e22, "1e+22"},
		{1e100, "1e+100"},
		{1.5e300, "1.5e+300"},
		{-0.0, "-0.0"},
		{0.0, "0.0"},
		{-1.0, "-1.0"},
		{5e-324, "5e-324"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{2.2250738585072014e-308, "2.2250738585072014e-308"},
		{1.0 / 3, "0.3333333333333333"},
		{2.0 / 3, "0.6666666666666666"},
		{123.456, "123.456"},
		{1e21, "1e+21"},
		{9007199254740992.0, "9007199254740992.0"},
		{4503599627370495.5, "4503599627370495.5"},
		{9.5367431640625e-07, "9.5367431640625e-07"},
		{2e-44, "2e-44"},
		{5e22, "5e+22"},
		{1e23, "1e+23"},
		{NAN, "NaN"},
		{-NAN, "NaN"},
		{INFINITY, "Infinity"},
		{-INFINITY, "-Infinity"},
	};
	char text[PERUN_JSON_NUMBER_SIZE];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHECK_INT(perun_json_print_double(cases[i].value, text), strlen(cases[i].text));
		CHECK_STR(text, cases[i].text);
	}
	/* All powers of two: where the gap below is half the gap above. */
	for (i = 0; i < 0x7ff; i++)
		is_shortest(to_double((uint64_t)i << 52));
}

TEST(test_integers)
{
	static const int64_t values[] = {0,   1,    -1,        9,         10,       99,
					 100, -100, INT32_MIN, INT64_MAX, INT64_MIN};
	char text[PERUN_JSON_NUMBER_SIZE], expected[40];
	uint64_t state = 4;
	size_t i;

	for (i = 0; i < 1000; i++) {
		uint64_t bits = random_bits(&state) >> i % 64;
		int64_t value = i < sizeof values / sizeof *values ? values[i] : (int64_t)bits;

		snprintf(expected, sizeof expected, "%lld", (long long)value);
		CHECK_INT(perun_json_print_int64(value, text), strlen(expected));
		CHECK_STR(text, expected);
		snprintf(expected, sizeof expected, "%llu", (unsigned long long)bits);
		CHECK_INT(perun_json_print_uint64(bits, text), strlen(expected));
		CHECK_STR(text, expected);
	}
}

TEST(test_scan)
{
	static const struct {
		const char *text;
		size_t used;
		double value;
	} cases[] = {
		{"1", 1, 1},
		{"+1.5x", 4, 1.5},
		{".5", 2, 0.5},
		{"1.", 2, 1},
		{"-.5e2,", 5, -50},
		{"007.25", 6, 7.25},
		{"1e", 1, 1},
		{"1e+", 1, 1},
		{"1e+2", 4, 100},
		{"12abc", 2, 12},
		{".", 0, 9},
		{"-", 0, 9},
		{"", 0, 9},
		{"e5", 0, 9},
		{" 1", 0, 9},
		{"-inf", 4, -INFINITY},
		{"Infinity!", 8, INFINITY},
		{"infin", 3, INFINITY},
		{"NAN", 3, NAN},
		{"0x10", 1, 0},
		{"1..2", 2, 1},
		{"000", 3, 0},
		{"1.e3", 4, 1000},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		double value = 9;

		CHECK_INT(perun_json_scan_double(cases[i].text, strlen(cases[i].text), &value),
			  cases[i].used);
		CHECK_DOUBLE(value, cases[i].value, 0);
	}
}

/* A locale with a decimal comma changes nothing (if this system has one). */
TEST(test_locale)
{
	char text[PERUN_JSON_NUMBER_SIZE];
	double value = 0;

	if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "cs_CZ.UTF-8") == NULL)
		SKIP("no locale with a decimal comma");
	CHECK(perun_json_parse_double("1.5", 3, &value) && value == 1.5);
	perun_json_print_double(1.5, text);
	CHECK_STR(text, "1.5");
	setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = strtoull(argv[1], NULL, 10);
	check_all();
	return check_done();
}
