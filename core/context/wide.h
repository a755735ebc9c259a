/* SPDX-License-Identifier: BSD-3-Clause */
/* Products and sums of 64-bit integers that need 128 bits, also where the compiler has no such type. */
#ifndef PERUN_CORE_CONTEXT_WIDE_H
#define PERUN_CORE_CONTEXT_WIDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- products --------------------------------------------------------------------------------- */

struct perun_product {
	uint64_t high, low;
};

static inline struct perun_product perun_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (struct perun_product){(uint64_t)(product >> 64), (uint64_t)product};
#else
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32);
	uint64_t middle2 = a0 * b1 + (uint32_t)middle;

	return (struct perun_product){a1 * b1 + (middle >> 32) + (middle2 >> 32),
				      (middle2 << 32) | (uint32_t)low};
#endif
}

/* ---- sums: zeroed at first -------------------------------------------------------------------- */

struct perun_wide {
	int64_t high;
	uint64_t low;
};

static inline void perun_wide_add(struct perun_wide *sum, struct perun_wide other)
{
	sum->low += other.low;
	sum->high += other.high + (sum->low < other.low);
}

static inline void perun_wide_add_unsigned(struct perun_wide *sum, uint64_t value)
{
	perun_wide_add(sum, (struct perun_wide){0, value});
}

static inline void perun_wide_add_signed(struct perun_wide *sum, int64_t value)
{
	perun_wide_add(sum, (struct perun_wide){value < 0 ? -1 : 0, (uint64_t)value});
}

/* False if the sum does not fit. */
static inline bool perun_wide_to_int64(struct perun_wide sum, int64_t *value)
{
	*value = (int64_t)sum.low;
	return sum.high == (*value < 0 ? -1 : 0);
}

static inline double perun_wide_to_double(struct perun_wide sum)
{
	int64_t value;

	if (perun_wide_to_int64(sum, &value))
		return (double)value;
	/* By halves, so that only the last addition rounds. */
	return ldexp((double)sum.high, 64) + ldexp((double)(sum.low >> 32), 32) +
	       (double)(uint32_t)sum.low;
}

#endif
