/* SPDX-License-Identifier: BSD-3-Clause */
/* Units and numbers as pprof writes them. */
#ifndef PERUN_COMMAND_PPROF_MEASUREMENT_H
#define PERUN_COMMAND_PPROF_MEASUREMENT_H

#include <perun/context.h>

/*
 * The value in another unit, and the name of that. `to` may be "minimum" or "auto": the largest unit in
 * which it is at least 1. A unit of no known kind: the value as it is, `*unit` is `to`, or "" when that
 * says nothing (count, sample, unit, minimum, auto). `*unit` is static or `to`.
 */
double pprof_scale(int64_t value, const char *from, const char *to, const char **unit);
/* The same as text, with at most two decimals: "1.50kB", "0". Appends. */
void pprof_add_scaled(int64_t value, const char *from, const char *to, struct perun_buffer *out);
/* |value / total| in percent: "12.34%", " 1.25%", "  100%", six characters. Appends. */
void pprof_add_percentage(int64_t value, int64_t total, struct perun_buffer *out);

#endif
