/* SPDX-License-Identifier: BSD-3-Clause */
/* Which parts of a file are wanted: by run, label, tag and time. */
#ifndef AFPERF_FILTER_H
#define AFPERF_FILTER_H

#include "file.h"

struct afperf_filter {
	/* Run ids as numbers; "label" patterns of fnmatch(); "name=value" or "name". Empty: all. */
	const uint64_t *runs;
	const char *const *labels, *const *tags;
	size_t run_count, label_count, tag_count;
	/* Seconds since the start of the run: what overlaps [from, to] is wanted. */
	bool timed;
	double from, to;
};

/* NULL as a filter wants everything. */
bool afperf_wants_run(const struct afperf_filter *filter, const struct afperf_run *run);
/* A label and the tags it has (0 = none); AFPERF_NONE: what belongs to the run itself. */
bool afperf_wants_span(const struct afperf_filter *filter, const struct afperf_run *run,
		       int64_t start, int64_t end);
bool afperf_wants_record(const struct afperf_filter *filter, const struct afperf_file *file,
			 const struct afperf_data *record);
/* Regions and intervals after the end of the file. */
bool afperf_wants_region(const struct afperf_filter *filter, const struct afperf_file *file,
			 uint32_t region);
bool afperf_wants_section(const struct afperf_filter *filter, const struct afperf_file *file,
			  uint32_t section);
bool afperf_wants_interval(const struct afperf_filter *filter, const struct afperf_file *file,
			   uint32_t interval);

#endif
