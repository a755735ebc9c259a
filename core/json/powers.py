#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print powers.c: the first 128 bits of the powers of ten that double precision needs.

Run: ./powers.py > powers.c

Reading (Lemire) wants 10^-342 .. 10^308, rounded down, but up from 10^-27 to 10^-1. Writing
(Giulietti) wants 10^-292 .. 10^324, rounded up: one more than the entry except where it is exact or
up already.
"""

FIRST, LAST = -342, 324


def entry(power):
    """The leading 128 bits of 10^power; the factor 2^power drops out."""
    five = 5 ** abs(power)
    if power >= 0:
        shift = five.bit_length() - 128
        return five >> shift if shift > 0 else five << -shift
    bits = five.bit_length() + 127
    value = (1 << bits) // five
    assert value.bit_length() == 128
    return value + 1 if power >= -27 else value


# REUSE-IgnoreStart
print("/* SPDX-License-Identifier: BSD-3-Clause */")
# REUSE-IgnoreEnd
print("/* The leading 128 bits (high, low) of the powers of ten. Made by powers.py; do not edit. */")
print('#include "number.h"')
print()
print("_Static_assert(POWER_FIRST == %d && POWER_LAST == %d, \"number.h and powers.py differ\");" % (FIRST, LAST))
print()
print("const uint64_t perun_powers_of_ten[POWER_LAST - POWER_FIRST + 1][2] = {")
for power in range(FIRST, LAST + 1):
    value = entry(power)
    print("\t{0x%016x, 0x%016x}, /* %d */" % (value >> 64, value & (2**64 - 1), power))
print("};")
