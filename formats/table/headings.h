/* SPDX-License-Identifier: BSD-3-Clause */
/* What the heading of a column says of it. */
#ifndef PERUN_FORMATS_TABLE_HEADINGS_H
#define PERUN_FORMATS_TABLE_HEADINGS_H

#include <stdbool.h>

/*
 * Of OTHER are repeats, commits, dates and remarks, which are neither names nor values; of PARAMETER what a benchmark was
 * run with, which is a part of its name, and of QUANTITY numbers that may be that or a result.
 */
enum { NAME, VALUE, UNIT, METRIC, BETTER, KINDS, OTHER = KINDS, PARAMETER, QUANTITY };

/* Whether the heading is a word of that kind, without its unit; of "metric.name" the last part counts. */
bool heading_is(const char *heading, int kind);
/* The same of its last word: "Task Name", "benchmark_name", "time_unit". */
bool heading_ends_in(const char *heading, int kind);
/* A word for values, or a unit: "latency_ns", "size [MB]". */
bool heading_says_value(const char *heading);
/*
 * "time (ms)", "size [MB]", "latency_ns", "vm_ms_median": without the unit, which is "" where there is none. Both are
 * copies, the caller's.
 */
char *heading_split(const char *heading, char **unit);

#endif
