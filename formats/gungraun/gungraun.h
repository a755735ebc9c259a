/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of Gungraun (before: Iai-Callgrind) and Iai: what they print, and their summaries. */
#ifndef GUNGRAUN_H
#define GUNGRAUN_H

#include "formats/common/benchmark.h"

/* Add a count: `tool` is Valgrind's ("CALLGRIND", "DHAT", "Memcheck" ...), `metric` its name as it is printed. */
void gungraun_add(struct benchmark *benchmark, const char *uid, const char *tool,
		  const char *metric, double value);
/* A summary, an object of JSON. What is another object is passed over. */
void gungraun_read_summary(struct benchmark *benchmark, const struct perun_json *document);

#endif
