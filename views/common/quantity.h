/* SPDX-License-Identifier: BSD-3-Clause */
/* Amounts with their units, and shares, as people read them. */
#ifndef PERUN_VIEWS_COMMON_QUANTITY_H
#define PERUN_VIEWS_COMMON_QUANTITY_H

#include <perun/context.h>
#include <perun/lib/units.h>

/* Amounts are long doubles: with 64 bits of mantissa they hold every sum of samples exactly. */

/*
 * Append an amount: three significant digits and a unit that suits it ("3.20 s", "64.0 KiB"); counts
 * in full below ten million ("1,234,567"), then "12.3 M". `sign`: also a '+'. `ascii`: us for µs.
 */
void views_add_amount(struct perun_buffer *out, long double amount, const struct perun_unit *unit,
		      bool sign, bool ascii);
/* Append a share as percent: "25.8 %", "<0.1 %", "-" when it is not a number. `sign` as above. */
void views_add_share(struct perun_buffer *out, long double share, bool sign);
/* Append a number for programs: shortest, whole numbers with all their digits. */
void views_add_number(struct perun_buffer *out, long double number);

/* The step 1, 2 or 5 times a power of ten that divides `range` in at most `wanted` parts. */
double views_nice_step(double range, size_t wanted);

#endif
