/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reader and the number functions share: a decimal number before it is rounded. */
#ifndef PERUN_JSON_NUMBER_H
#define PERUN_JSON_NUMBER_H

#include <float.h>
#include <string.h>

#include "core/context/wide.h"
#include "perun/json.h"

/* significand * 10^exponent; of more than 19 digits the significand holds the first 19. */
struct decimal {
	uint64_t significand;
	int64_t exponent;
	bool negative;
	bool integer;       /* neither fraction nor exponent */
	bool truncated;     /* digits other than 0 are missing in the significand */
	size_t digit_count; /* all digits before the exponent */
};

/* Bytes that must be readable after the byte that ends a number. */
#define DECIMAL_PADDING 16

/* Powers of ten that a double holds exactly: 10^0 to 10^22. */
extern const double perun_exact_powers[23];

/* The leading 128 bits (high, low) of 10^POWER_FIRST .. 10^POWER_LAST; how rounded: powers.py. */
#define POWER_FIRST (-342)
#define POWER_LAST  324
extern const uint64_t perun_powers_of_ten[POWER_LAST - POWER_FIRST + 1][2];

/*
 * The bits of the double nearest to the decimal (without sign). `text` is what it was scanned
 * from, without sign; only looked at when digits are missing in the significand.
 */
uint64_t perun_decimal_bits(const struct decimal *decimal, const char *text, size_t length);

/*
 * The same by exact arithmetic on the digits in `text`, for what the quick way cannot settle.
 * `guess` are the bits of a double near the result.
 */
uint64_t perun_decimal_exact(const char *text, size_t length, uint64_t guess);

/* Fill in significand, exponent and truncated for a number of more than 19 digits. */
void perun_decimal_recount(const char *text, const char *end, int64_t exponent,
			   struct decimal *decimal);

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Digits into `*value`, modulo 2^64; eight at a time where the byte order allows it. */
static inline const char *scan_digits(const char *p, uint64_t *value)
{
	uint64_t w = *value;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (;;) {
		uint64_t word;

		memcpy(&word, p, sizeof word);
		if ((((word + 0x4646464646464646) | (word - 0x3030303030303030)) &
		     0x8080808080808080) != 0)
			break;
		/* D. Lemire: pairs, then fours, then eight digits by three multiplications. */
		word -= 0x3030303030303030;
		word = word * 10 + (word >> 8);
		word = ((word & 0x000000ff000000ff) * 0x000f424000000064 +
			((word >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
		       32;
		w = w * 100000000 + word;
		p += 8;
	}
#endif
	for (; is_digit(*p); p++)
		w = w * 10 + (uint64_t)(*p - '0');
	*value = w;
	return p;
}

/* The exponent after its 'e', saturated. NULL with `*bad` set when there is no digit. */
static inline const char *scan_exponent(const char *p, int64_t *exponent, const char **bad)
{
	bool minus = *p == '-';
	int64_t value = 0;

	if (*p == '-' || *p == '+')
		p++;
	if (!is_digit(*p)) {
		*bad = p;
		return NULL;
	}
	for (; is_digit(*p); p++) {
		if (value < 1000000000000)
			value = value * 10 + (*p - '0');
	}
	*exponent += minus ? -value : value;
	return p;
}

/* Of all digits of a number at `text` those from the first that is not 0 on. */
static inline size_t significant_digits(const char *text, size_t digit_count)
{
	for (; digit_count && (*text == '0' || *text == '.'); text++)
		digit_count -= *text == '0';
	return digit_count;
}

/*
 * Scan a number at `text` (no sign) by JSON's grammar. The text must go on, at the latest after
 * its end, with a byte that no number has, and DECIMAL_PADDING more. Returns the end, or NULL with
 * `*bad` at the byte that should have been a digit. Leaves decimal->negative alone.
 */
static inline const char *scan_decimal(const char *text, struct decimal *decimal, const char **bad)
{
	const char *p = text;
	uint64_t significand = 0;
	int64_t exponent = 0;

	if (*p == '0') {
		p++;
	} else {
		for (; is_digit(*p); p++)
			significand = significand * 10 + (uint64_t)(*p - '0');
		if (p == text)
			goto no_digit;
	}
	decimal->digit_count = (size_t)(p - text);
	decimal->integer = true;
	if (*p == '.') {
		const char *fraction = ++p;

		p = scan_digits(p, &significand);
		if (p == fraction)
			goto no_digit;
		exponent = fraction - p;
		decimal->digit_count += (size_t)(p - fraction);
		decimal->integer = false;
	}
	if (*p == 'e' || *p == 'E') {
		p = scan_exponent(p + 1, &exponent, bad);
		if (p == NULL)
			return NULL;
		decimal->integer = false;
	}
	decimal->significand = significand;
	decimal->exponent = exponent;
	decimal->truncated = false;
	if (decimal->digit_count > 19 && !decimal->integer &&
	    significant_digits(text, decimal->digit_count) > 19)
		perun_decimal_recount(text, p, exponent, decimal);
	return p;
no_digit:
	*bad = p;
	return NULL;
}

/* The double nearest to a decimal; arguments as of perun_decimal_bits(). */
static inline double decimal_to_double(const struct decimal *decimal, const char *text,
				       size_t length)
{
	uint64_t bits;
	double value;

#if FLT_EVAL_METHOD == 0
	/* Clinger's fast path: both operands are exact, so the one operation rounds right. */
	if (decimal->significand <= (uint64_t)1 << 53 && !decimal->truncated &&
	    decimal->exponent >= -22 && decimal->exponent <= 22) {
		value = (double)decimal->significand;
		if (decimal->exponent < 0)
			value /= perun_exact_powers[-decimal->exponent];
		else
			value *= perun_exact_powers[decimal->exponent];
		return decimal->negative ? -value : value;
	}
#endif
	bits = perun_decimal_bits(decimal, text, length);
	bits |= (uint64_t)decimal->negative << 63;
	memcpy(&value, &bits, sizeof value);
	return value;
}

#endif
