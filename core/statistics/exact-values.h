/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program should repeat exactly, and does not quite: means over as many operations as the time allowed. */
#ifndef PERUN_CORE_STATISTICS_EXACT_VALUES_H
#define PERUN_CORE_STATISTICS_EXACT_VALUES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What `count` changes of exact values between the same two versions (shares) show: where small ones go both ways, the
 * program does not repeat them. `rise` and `fall`: how far they go; 0 = it does.
 */
struct exact_noise {
	double rise, fall;
};
struct exact_noise exact_noise_of(const double *changes, size_t count);
/* Whether one of these changes is no more than the others show; `before`, `after` and their unit as printed. */
bool exact_is_noise(const struct exact_noise *noise, double before, double after, const char *unit);

#endif
