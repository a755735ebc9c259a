/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of `perf script`: the first of a sample, and those of its stack. */
#ifndef PERUN_FORMATS_COMMON_PERF_SCRIPT_H
#define PERUN_FORMATS_COMMON_PERF_SCRIPT_H

#include <perun/format.h>
#include <perun/json.h>

/* A piece of a line. */
struct piece {
	const char *text;
	size_t length;
};

/* "comm pid/tid [cpu] time: period event: rest", of which perf prints what -F names. */
struct sample_line {
	struct piece comm, event;
	struct piece rest;     /* after the event: a tracepoint's text, or a stack of one frame */
	int64_t pid, tid, cpu; /* -1 = not there */
	int64_t time;          /* nanoseconds; -1 = not there */
	int64_t period;        /* -1 = not there */
	bool aligned;          /* the rest may be an address without an object after it */
	bool weak;             /* might be another text: a stack has to follow */
};
/* Whether the line begins a sample. The pieces point into it. */
bool perfscript_parse_sample(const char *line, struct sample_line *sample);

/* "\t  7f12ab symbol+0x1f (/lib/x.so)", leaf first. */
struct frame_line {
	uint64_t address;
	struct piece symbol; /* without its offset; empty when unknown */
	struct piece object; /* empty when unknown or inlined */
	bool inlined;        /* into the frame that follows */
};
bool perfscript_parse_frame(const char *line, size_t length, struct frame_line *frame);

/*
 * "  file.c:12", the source of the frame before it (-F +srcline); the file is empty where perf prints that
 * it does not know it.
 */
bool perfscript_parse_source(const char *line, size_t length, struct piece *file, int64_t *number);

/* Lines that say more of a sample than is read: the bytes of the instruction. */
bool perfscript_is_detail(const char *line);
/* The same at the end of a line. */
void perfscript_cut_detail(struct piece *rest);

/* ---- what recordings have in common, however they are read ------------------------------------ */

/* The columns of stacks, labels and times, in a table that has none. */
void perfscript_add_columns(struct perun_table_builder *table, struct perun_column_builder **stacks,
			    struct perun_column_builder **labels,
			    struct perun_column_builder **times);
/* A metric for an event, which is the `number`th from 0 on; `periods`: its samples have periods. */
struct perun_column_builder *perfscript_add_metric(struct perun_table_builder *table,
						   const char *event, bool periods, size_t number);
/* Say in the header what a line such as "/usr/bin/perf record -g ./w 100" records. */
void perfscript_note_command(struct perun_json *header, const char *line);
/* What the samples of an event add up to, and their squares. */
struct perfscript_sums {
	double sum, squares;
};
void perfscript_count(struct perfscript_sums *sums, double period);
/*
 * Say in the document what one sample adds to each metric: periods differ where perf keeps to a frequency, and sums of
 * them scatter as if all were of the mean of their squares by their mean.
 */
void perfscript_note_samples(struct perun_json *document,
			     struct perun_column_builder *const *metrics,
			     const struct perfscript_sums *const *sums, size_t count);
/* Say in the header which of the metrics, of which there is one at least, a recording is about. */
void perfscript_note_leading(struct perun_json *header, struct perun_column_builder *const *metrics,
			     size_t count);

int perfscript_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder);

#endif
