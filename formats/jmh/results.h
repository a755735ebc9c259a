/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of JMH as its JSON has them, whatever the file was. */
#ifndef PERUN_FORMATS_JMH_RESULTS_H
#define PERUN_FORMATS_JMH_RESULTS_H

#include "formats/common/benchmark.h"

struct jmh_reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	struct perun_buffer uid; /* of the result that is taken */
};

/* Take an element of the JSON's list; `at` is its place, for messages. */
int jmh_take_result(struct jmh_reading *reading, const struct perun_json *result, size_t at);
/* Take a metric of a profiler, "·gc.alloc.rate"; `result` has a benchmark, its mode and parameters. */
int jmh_take_metric(struct jmh_reading *reading, const struct perun_json *result, const char *name,
		    const struct perun_json *metric);

/* Read the CSV, or what JMH prints: each iteration where the log is there, else the table at its end. */
int jmh_read_csv(struct jmh_reading *reading, struct perun_input *input);
int jmh_read_console(struct jmh_reading *reading, struct perun_input *input);

#endif
