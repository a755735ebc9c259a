/* SPDX-License-Identifier: BSD-3-Clause */
/* From number to text: Giulietti's Schubfach, laid out as Python's repr() does; integers. */
#include "number.h"

/* R. Giulietti, "The Schubfach way to render doubles" (2020); names as there. */

struct shortest {
	uint64_t digits; /* at most 17; may end in zeros */
	int exponent;
};

static const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
				     "25262728293031323334353637383940414243444546474849"
				     "50515253545556575859606162636465666768697071727374"
				     "75767778798081828384858687888990919293949596979899";

/* floor(log2(10^power)), |power| <= 1233 */
static int log2_of_power(int power)
{
	return (power * 1741647) >> 19;
}

/* 10^power in 128 bits, rounded up. */
static struct perun_product power_rounded_up(int power)
{
	const uint64_t *entry = perun_powers_of_ten[power - POWER_FIRST];
	struct perun_product g = {entry[0], entry[1]};

	/* The table is exact or rounded up from 10^-27 to 10^55, and rounded down elsewhere. */
	if (power < -27 || power > 55) {
		g.low++;
		g.high += g.low == 0;
	}
	return g;
}

/* g * factor / 2^128, with the last bit set when anything was cut off. */
static uint64_t round_to_odd(struct perun_product g, uint64_t factor)
{
	struct perun_product x = perun_multiply(g.low, factor), y = perun_multiply(g.high, factor);

	y.low += x.high;
	y.high += y.low < x.high;
	return y.high | (y.low > 1);
}

static struct shortest find_shortest(uint64_t mantissa, int biased)
{
	uint64_t c = biased > 0 ? mantissa | (uint64_t)1 << 52 : mantissa;
	int q = (biased > 0 ? biased : 1) - 1075, k, h;
	uint64_t lower, upper, vb, s, sp, outside = c & 1;
	bool closer = mantissa == 0 && biased > 1, up, down;
	struct perun_product g;

	if (q <= 0 && q > -53 && (c & (((uint64_t)1 << -q) - 1)) == 0)
		return (struct shortest){c >> -q, 0};
	k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
	h = q + log2_of_power(-k) + 1;
	g = power_rounded_up(-k);
	/* An odd mantissa does not own the ends of its interval. */
	lower = round_to_odd(g, (4 * c - 2 + closer) << h) + outside;
	vb = round_to_odd(g, (4 * c) << h);
	upper = round_to_odd(g, (4 * c + 2) << h) - outside;
	s = vb / 4;
	if (s >= 10) {
		sp = s / 10;
		down = lower <= 40 * sp;
		up = 40 * sp + 40 <= upper;
		if (down != up)
			return (struct shortest){sp + up, k + 1};
	}
	down = lower <= 4 * s;
	up = 4 * s + 4 <= upper;
	if (down != up)
		return (struct shortest){s + up, k};
	up = vb > 4 * s + 2 || (vb == 4 * s + 2 && (s & 1) != 0);
	return (struct shortest){s + up, k};
}

/* Write the digits of `value` so that they end at `end`; returns where they begin. */
static char *put_digits(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * value, 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

static char *put(char *out, const char *text, size_t length)
{
	memcpy(out, text, length);
	return out + length;
}

/* repr()'s layout with an exponent: 1e-05, 1.5e+300 */
static char *put_scientific(char *out, const char *digits, int count, int exponent)
{
	*out++ = *digits;
	if (count > 1) {
		*out++ = '.';
		out = put(out, digits + 1, (size_t)count - 1);
	}
	*out++ = 'e';
	*out++ = exponent < 0 ? '-' : '+';
	if (exponent < 0)
		exponent = -exponent;
	if (exponent >= 100) {
		*out++ = (char)('0' + exponent / 100);
		exponent %= 100;
	}
	return put(out, digit_pairs + 2 * exponent, 2);
}

/* repr()'s layout without: `point` digits before the point, or that many zeros after it. */
static char *put_fixed(char *out, const char *digits, int count, int point)
{
	if (point <= 0) {
		out = put(out, "0.", 2);
		out = put(out, "000", (size_t)-point);
		return put(out, digits, (size_t)count);
	}
	if (point >= count) {
		out = put(out, digits, (size_t)count);
		out = put(out, "000000000000000", (size_t)(point - count));
		return put(out, ".0", 2);
	}
	out = put(out, digits, (size_t)point);
	*out++ = '.';
	return put(out, digits + point, (size_t)(count - point));
}

static size_t finish(char *out, char *end)
{
	*end = '\0';
	return (size_t)(end - out);
}

size_t perun_json_print_double(double value, char out[PERUN_JSON_NUMBER_SIZE])
{
	char digits[24], *first, *p = out;
	struct shortest shortest;
	uint64_t bits, mantissa;
	int biased, count, point;

	memcpy(&bits, &value, sizeof bits);
	mantissa = bits & (((uint64_t)1 << 52) - 1);
	biased = (int)(bits >> 52 & 0x7ff);
	if (biased == 0x7ff && mantissa != 0)
		return finish(out, put(out, "NaN", 3));
	if (bits >> 63 != 0)
		*p++ = '-';
	if (biased == 0x7ff)
		return finish(out, put(p, "Infinity", 8));
	if (bits << 1 == 0)
		return finish(out, put(p, "0.0", 3));
	shortest = find_shortest(mantissa, biased);
	first = put_digits(digits + sizeof digits, shortest.digits);
	count = (int)(digits + sizeof digits - first);
	point = count + shortest.exponent;
	while (count > 1 && first[count - 1] == '0')
		count--;
	if (point > 16 || point < -3)
		p = put_scientific(p, first, count, point - 1);
	else
		p = put_fixed(p, first, count, point);
	return finish(out, p);
}

static size_t print_integer(char *out, uint64_t value, bool negative)
{
	char digits[24], *first = put_digits(digits + sizeof digits, value);

	if (negative)
		*--first = '-';
	return finish(out, put(out, first, (size_t)(digits + sizeof digits - first)));
}

size_t perun_json_print_uint64(uint64_t value, char out[PERUN_JSON_NUMBER_SIZE])
{
	return print_integer(out, value, false);
}

size_t perun_json_print_int64(int64_t value, char out[PERUN_JSON_NUMBER_SIZE])
{
	return print_integer(out, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}
