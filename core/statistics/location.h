/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the values of a sample lie, and how far they scatter. */
#ifndef PERUN_CORE_STATISTICS_LOCATION_H
#define PERUN_CORE_STATISTICS_LOCATION_H

#include <stddef.h>

/*
 * Half the shortest interval with half of the values, as a deviation (Rousseeuw and Leroy, 1987): about the values' most
 * common place, where the MAD is about their median, which second modes move. `half`: how many steps it has from value to
 * value, about half of the values.
 */
double location_shortest_half(const double *values, size_t count, size_t half);
/* The same of values that are in order. */
double location_shortest_half_of_sorted(const double *sorted, size_t count, size_t half);

#endif
