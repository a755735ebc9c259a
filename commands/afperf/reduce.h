/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw values of a file made aggregates: by run, level, label and measurement. */
#ifndef AFPERF_REDUCE_H
#define AFPERF_REDUCE_H

#include "formats/common/afperf/filter.h"
#include "tally.h"

/* The tally of a measurement type in a group of a file. */
struct afperf_cell {
	struct afperf_key key; /* group << 32 | measurement, 0 */
	struct afperf_tally tally;
};

struct afperf_reduction {
	struct afperf_cell *cells;
	uint32_t count, capacity;
	struct afperf_map map;
	uint32_t *guesses; /* where pair i of the record before went */
	size_t guess_count, guess_capacity;
	bool deduct_pauses;
	const struct afperf_filter *filter; /* NULL: everything */
};

/* As a listener's members; `data` is a reduction. */
void afperf_reduce_record(void *data, struct afperf_file *file, const struct afperf_data *record);
void afperf_reduce_restart(void *data);
void afperf_reduction_free(struct afperf_reduction *reduction);

/* A result. Texts are ids of the file's. */
struct afperf_row {
	uint32_t run, place; /* place: of the run among the RunInfo records */
	enum afperf_level level;
	uint32_t label;
	bool duration; /* the built-in one */
	const char *measurement, *units;
	size_t measurement_length, units_length;
	uint32_t first_type; /* a measurement of the file; AFPERF_NONE for durations */
	struct afperf_tally tally;
	struct afperf_summary summary; /* of durations in seconds */
	int64_t start, end;            /* the span of what was reduced: that of the run */
};

/* After the file was read: rows in their order. The caller frees them. */
struct afperf_row *afperf_reduce_rows(struct afperf_file *file, struct afperf_reduction *reduction,
				      size_t *count);

#endif
