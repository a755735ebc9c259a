/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `perun afperf`: what its actions share. */
#ifndef AFPERF_COMMAND_H
#define AFPERF_COMMAND_H

#include <perun/command.h>
#include <perun/json.h>
#include <perun/view.h>

#include "formats/common/afperf/filter.h"
#include "formats/common/afperf/read.h"

/* Problems that are listed one by one; more are counted. */
#define AFPERF_LISTED 1000

struct afperf_call {
	struct perun_ctx *ctx;
	struct perun_output *output;
	const struct perun_options *options;
	struct perun_canvas canvas; /* what tables are drawn on: the output */
	bool json, lenient;
	size_t limit;
	const char *name; /* of the file being read */
	/* What was left out. */
	struct afperf_problem *left_out;
	size_t left_out_count, left_out_capacity;
	size_t violations; /* all of them, also those that are not kept */
	uint64_t warnings;
};

extern const struct perun_option afperf_options[];
int afperf_run_command(struct perun_ctx *ctx, const struct perun_command_call *call);

/*
 * Read a file by its path: violations are an error, or with --lenient remembered. `listener` needs
 * `record`, `closed` and `restart` only; may be NULL.
 */
int afperf_call_read(struct afperf_call *call, const char *path, struct afperf_file *file,
		     const struct afperf_listener *listener);
/* After the result: what was left out, on standard error. */
void afperf_call_report_left_out(struct afperf_call *call);
/* End a document with what was left out, and print its text, which is freed. */
int afperf_call_end_json(struct afperf_call *call, struct perun_json_writer *writer,
			 struct perun_buffer *text);

int afperf_run_check(struct afperf_call *call, const char *path);
int afperf_run_info(struct afperf_call *call, const char *path);
int afperf_run_reduce(struct afperf_call *call, const char *path);
int afperf_run_filter(struct afperf_call *call, const char *path);
int afperf_run_split(struct afperf_call *call, const char *path);
int afperf_run_merge(struct afperf_call *call);
int afperf_run_append(struct afperf_call *call);

/* What the options say is wanted. Clear it in any case. */
int afperf_call_filter(struct afperf_call *call, struct afperf_filter *filter);
void afperf_filter_clear(struct afperf_filter *filter);

/* The file of --output, or standard output; closing it commits unless `status` is a failure. */
int afperf_call_open(struct afperf_call *call, struct perun_output **output);
int afperf_call_close(struct afperf_call *call, struct perun_output *output, int status);
/* A profile in a format to --output; reports what was lost. */
int afperf_call_write(struct afperf_call *call, const struct perun_profile *profile,
		      const char *format);

/* The id of a run for people ("12", "no id") and for JSON. */
void afperf_print_run_id(const struct afperf_run *run, struct perun_buffer *text);
void afperf_write_run_id(const struct afperf_run *run, struct perun_json_writer *writer);

#endif
