/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a file: where, in which field, and by which paragraph of the specification. */
#ifndef AFPERF_PROBLEM_H
#define AFPERF_PROBLEM_H

#include <perun/context.h>

struct afperf_problem {
	uint64_t line;         /* 0 = the whole file */
	const char *record;    /* name of the record type, or NULL; static */
	const char *field;     /* name of the field, or NULL; static */
	const char *paragraph; /* of the specification; static */
	char message[200];
};

/* Fill a problem in; long texts are cut. */
void afperf_report(struct afperf_problem *problem, uint64_t line, const char *record,
		   const char *field, const char *paragraph, const char *format, ...)
	PERUN_PRINTF(6, 7);

/* "line 5, RegionPoint, value: expected an int64, found "0.5" [MeasurementType: datatype]" */
void afperf_problem_text(const struct afperf_problem *problem, struct perun_buffer *text);

/* A text from a file for a message: at most 40 bytes, printable, in quotes. */
struct afperf_quoted {
	char text[64];
};
struct afperf_quoted afperf_quote(const char *data, size_t length);

#endif
