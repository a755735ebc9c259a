/* SPDX-License-Identifier: BSD-3-Clause */
/* From decimal to double: Lemire's algorithm, and the public functions that parse numbers. */
#include "number.h"

/*
 * D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51
 * (2021), after M. Eisel; that it needs no fallback up to 19 digits: N. Mushtak, D. Lemire, "Fast
 * number parsing without fallback" (2023).
 */

const double perun_exact_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define INFINITY_BITS ((uint64_t)0x7ff << 52)

/* significand * 10^exponent as far as the double's 53 bits and a few more can express it. */
static struct perun_product approximate(uint64_t significand, int exponent)
{
	const uint64_t *power = perun_powers_of_ten[exponent - POWER_FIRST];
	struct perun_product first = perun_multiply(significand, power[0]);

	if ((first.high & 0x1ff) == 0x1ff) {
		struct perun_product second = perun_multiply(significand, power[1]);

		first.low += second.high;
		if (first.low < second.high)
			first.high++;
	}
	return first;
}

static uint64_t round_subnormal(uint64_t mantissa, int shift)
{
	if (shift >= 64)
		return 0;
	mantissa >>= shift;
	mantissa += mantissa & 1;
	/* A carry into bit 52 makes the smallest normal number, as it should. */
	return mantissa >> 1;
}

/* The double nearest to significand * 10^exponent. */
static uint64_t nearest(uint64_t significand, int64_t exponent)
{
	struct perun_product product;
	uint64_t mantissa;
	int zeros, upper, shift, power;

	if (significand == 0 || exponent < POWER_FIRST)
		return 0;
	if (exponent > 308)
		return INFINITY_BITS;
	zeros = __builtin_clzll(significand);
	product = approximate(significand << zeros, (int)exponent);
	upper = (int)(product.high >> 63);
	shift = upper + 9;
	mantissa = product.high >> shift;
	/* floor(exponent * log2(10)) by a multiplication, biased. */
	power = (int)((217706 * exponent) >> 16) + 63 + upper - zeros + 1023;
	if (power <= 0)
		return round_subnormal(mantissa, 1 - power);
	/* Halfway between two doubles, exactly: round to even. Possible for small powers only. */
	if (product.low <= 1 && exponent >= -4 && exponent <= 23 && (mantissa & 3) == 1 &&
	    mantissa << shift == product.high)
		mantissa &= ~(uint64_t)1;
	mantissa += mantissa & 1;
	mantissa >>= 1;
	if (mantissa >= (uint64_t)1 << 53) {
		mantissa = (uint64_t)1 << 52;
		power++;
	}
	if (power >= 0x7ff)
		return INFINITY_BITS;
	return (mantissa & (((uint64_t)1 << 52) - 1)) | (uint64_t)power << 52;
}

uint64_t perun_decimal_bits(const struct decimal *decimal, const char *text, size_t length)
{
	uint64_t bits = nearest(decimal->significand, decimal->exponent);

	/* The digits left out lie between these two; mostly they do not matter. */
	if (decimal->truncated && bits != nearest(decimal->significand + 1, decimal->exponent))
		return perun_decimal_exact(text, length, bits);
	return bits;
}

void perun_decimal_recount(const char *text, const char *end, int64_t exponent,
			   struct decimal *decimal)
{
	uint64_t significand = 0;
	int count = 0;
	bool fraction = false;
	const char *p;

	/* `exponent` counts from after the last digit; count again from after the point. */
	for (p = text; p < end && (is_digit(*p) || *p == '.'); p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		exponent += fraction;
		if (count == 0 && *p == '0') {
			exponent -= fraction;
		} else if (count < 19) {
			significand = significand * 10 + (uint64_t)(*p - '0');
			count++;
			exponent -= fraction;
		} else {
			exponent += !fraction;
			decimal->truncated |= *p != '0';
		}
	}
	decimal->significand = significand;
	decimal->exponent = exponent;
}

/* A number short enough is copied here, so that scanning needs no bounds. */
#define LOCAL_SIZE 128

static bool parse_special(const char *text, size_t length, double *value)
{
	bool negative = length > 0 && *text == '-';
	const char *name = negative ? text + 1 : text;
	size_t rest = length - negative;

	if (rest == 8 && memcmp(name, "Infinity", 8) == 0)
		*value = negative ? -__builtin_inf() : __builtin_inf();
	else if (length == 3 && memcmp(text, "NaN", 3) == 0)
		*value = __builtin_nan("");
	else
		return false;
	return true;
}

bool perun_json_parse_double(const char *text, size_t length, double *value)
{
	char local[LOCAL_SIZE];
	char *copy = local;
	struct decimal decimal;
	const char *digits, *end, *bad;
	bool done;

	if (length == 0)
		return false;
	if (parse_special(text, length, value))
		return true;
	if (length > sizeof local - DECIMAL_PADDING)
		copy = perun_alloc(length + DECIMAL_PADDING);
	memcpy(copy, text, length);
	memset(copy + length, 0, DECIMAL_PADDING);
	decimal.negative = *copy == '-';
	digits = copy + decimal.negative;
	end = scan_decimal(digits, &decimal, &bad);
	done = end == copy + length;
	if (done) {
		if (decimal.integer && decimal.digit_count > 19)
			perun_decimal_recount(digits, end, 0, &decimal);
		*value = decimal_to_double(&decimal, digits, (size_t)(end - digits));
	}
	if (copy != local)
		perun_free(copy);
	return done;
}

/* The length of `word` when `text` begins with it in either case, else 0. */
static size_t begins_with(const char *text, size_t length, const char *word)
{
	size_t count = strlen(word), i;

	if (length < count)
		return 0;
	for (i = 0; i < count; i++) {
		if ((text[i] | 0x20) != word[i])
			return 0;
	}
	return count;
}

static size_t scan_special(const char *text, size_t length, double *value)
{
	size_t used = begins_with(text, length, "infinity");

	if (used == 0)
		used = begins_with(text, length, "inf");
	if (used > 0) {
		*value = __builtin_inf();
		return used;
	}
	used = begins_with(text, length, "nan");
	if (used > 0)
		*value = __builtin_nan("");
	return used;
}

/* The parts of a number in strtod()'s wider grammar; ends after the number. */
struct span {
	size_t whole, fraction, end; /* whole: digits before the point; fraction: after it */
	size_t exponent;             /* where the exponent's sign or digit is, 0 = none */
};

static size_t count_digits(const char *text, size_t length, size_t from)
{
	size_t i = from;

	while (i < length && is_digit(text[i]))
		i++;
	return i - from;
}

static struct span find_span(const char *text, size_t length)
{
	struct span span = {.whole = count_digits(text, length, 0)};
	size_t i = span.whole, sign;

	if (i < length && text[i] == '.') {
		span.fraction = count_digits(text, length, i + 1);
		if (span.whole + span.fraction > 0)
			i += 1 + span.fraction;
	}
	span.end = i;
	if (i > 0 && i < length && (text[i] | 0x20) == 'e') {
		i++;
		sign = i < length && (text[i] == '+' || text[i] == '-');
		if (count_digits(text, length, i + sign) > 0) {
			span.exponent = i;
			span.end = i + sign + count_digits(text, length, i + sign);
		}
	}
	return span;
}

size_t perun_json_scan_double(const char *text, size_t length, double *value)
{
	size_t sign = length > 0 && (*text == '+' || *text == '-'), used;
	struct perun_buffer copy = {0};
	const char *number = text + sign;
	struct span span;
	double result;
	bool minus = sign > 0 && *text == '-';

	length -= sign;
	span = find_span(number, length);
	if (span.end == 0) {
		used = scan_special(number, length, value);
		if (used > 0 && minus)
			*value = -*value;
		return used > 0 ? used + sign : 0;
	}
	/* In JSON's grammar: no leading zeros, a digit on both sides of the point. */
	for (used = 0; used + 1 < span.whole && number[used] == '0'; used++)
		;
	if (span.whole == 0)
		perun_buffer_add_char(&copy, '0');
	perun_buffer_add(&copy, number + used, span.whole - used);
	if (span.fraction > 0)
		perun_buffer_add(&copy, number + span.whole, 1 + span.fraction);
	if (span.exponent > 0) {
		perun_buffer_add_char(&copy, 'e');
		perun_buffer_add(&copy, number + span.exponent, span.end - span.exponent);
	}
	if (!perun_json_parse_double(copy.data, copy.length, &result))
		result = 0; /* cannot be: the copy follows the grammar */
	perun_buffer_free(&copy);
	*value = minus ? -result : result;
	return span.end + sign;
}
