/* SPDX-License-Identifier: BSD-3-Clause */
/* From decimal to double exactly, by comparing big integers. Slow, and hardly ever needed. */
#include "number.h"

/*
 * A point halfway between two doubles has at most 767 significant digits. Of longer numbers the
 * first DIGIT_LIMIT decide, with one more that says whether anything else follows.
 */
#define DIGIT_LIMIT 769

/*
 * The biggest numbers that are compared: 770 digits (2,558 bits) shifted by at most 21 bits, or few
 * digits scaled up to the same size; 53 bits times 5^1,112 (2,583 bits). Twice that is plenty.
 */
#define LIMB_COUNT 170

struct big {
	uint32_t limbs[LIMB_COUNT];
	size_t count;
};

struct digits {
	char digits[DIGIT_LIMIT + 1]; /* values, not characters; no leading zeros */
	size_t count;
	int64_t exponent; /* of ten, of the last digit */
};

static void collect(const char *text, size_t length, struct digits *out)
{
	const char *end = text + length, *bad;
	bool fraction = false, more = false;
	int64_t exponent = 0;

	out->count = 0;
	for (; text < end && (is_digit(*text) || *text == '.'); text++) {
		if (*text == '.') {
			fraction = true;
		} else if (out->count < DIGIT_LIMIT) {
			exponent -= fraction;
			if (out->count > 0 || *text != '0')
				out->digits[out->count++] = (char)(*text - '0');
		} else {
			exponent += !fraction;
			more |= *text != '0';
		}
	}
	if (more) {
		out->digits[out->count++] = 1;
		exponent--;
	}
	if (text < end)
		scan_exponent(text + 1, &exponent, &bad);
	out->exponent = exponent;
}

/* big = big * factor + addend */
static void multiply_add(struct big *big, uint32_t factor, uint32_t addend)
{
	uint64_t carry = addend;
	size_t i;

	for (i = 0; i < big->count; i++) {
		carry += (uint64_t)big->limbs[i] * factor;
		big->limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry > 0 && big->count < LIMB_COUNT)
		big->limbs[big->count++] = (uint32_t)carry;
}

static void multiply_power_of_five(struct big *big, int64_t power)
{
	for (; power >= 13; power -= 13)
		multiply_add(big, 1220703125, 0); /* 5^13 */
	for (; power > 0; power--)
		multiply_add(big, 5, 0);
}

static void shift_left(struct big *big, int64_t bits)
{
	for (; bits >= 31; bits -= 31)
		multiply_add(big, (uint32_t)1 << 31, 0);
	multiply_add(big, (uint32_t)1 << bits, 0);
}

static int compare(const struct big *a, const struct big *b)
{
	size_t i;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (i = a->count; i-- > 0;) {
		if (a->limbs[i] != b->limbs[i])
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
	}
	return 0;
}

/* Compare the decimal with the point halfway between double `bits` and the next larger one. */
static int compare_halfway(const struct digits *digits, uint64_t bits)
{
	struct big left = {.count = 0}, right = {.count = 0};
	uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
	int64_t binary = (int64_t)(bits >> 52), shift;
	size_t i;

	if (binary > 0)
		mantissa |= (uint64_t)1 << 52;
	else
		binary = 1;
	binary -= 1075 + 1; /* of 2 * mantissa + 1 */
	mantissa = 2 * mantissa + 1;
	right.limbs[0] = (uint32_t)mantissa;
	right.limbs[1] = (uint32_t)(mantissa >> 32);
	right.count = right.limbs[1] > 0 ? 2 : 1;
	for (i = 0; i < digits->count; i++)
		multiply_add(&left, 10, (uint32_t)digits->digits[i]);
	if (digits->exponent >= 0)
		multiply_power_of_five(&left, digits->exponent);
	else
		multiply_power_of_five(&right, -digits->exponent);
	shift = digits->exponent - binary;
	if (shift >= 0)
		shift_left(&left, shift);
	else
		shift_left(&right, -shift);
	return compare(&left, &right);
}

uint64_t perun_decimal_exact(const char *text, size_t length, uint64_t guess)
{
	const uint64_t infinity = (uint64_t)0x7ff << 52;
	struct digits digits;
	int order;

	collect(text, length, &digits);
	/* Beyond these the guess is surely right, and the big integers stay small. */
	if (digits.count == 0 || digits.exponent + (int64_t)digits.count > 310)
		return guess;
	if (digits.exponent + (int64_t)digits.count < -326)
		return guess;
	for (;;) {
		if (guess < infinity) {
			order = compare_halfway(&digits, guess);
			if (order > 0 || (order == 0 && (guess & 1) != 0)) {
				guess++;
				continue;
			}
		}
		if (guess > 0) {
			order = compare_halfway(&digits, guess - 1);
			if (order < 0 || (order == 0 && (guess & 1) != 0)) {
				guess--;
				continue;
			}
		}
		return guess;
	}
}
