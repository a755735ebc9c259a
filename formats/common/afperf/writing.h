/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writers share: fields of records. */
#ifndef AFPERF_WRITING_H
#define AFPERF_WRITING_H

#include <perun/format.h>
#include <perun/json.h>

#include "record.h"

/* Text is gathered and handed over in blocks. */
struct afperf_writing {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	struct perun_output *output;
	struct perun_buffer text;
};

void afperf_put_type(struct afperf_writing *writing, enum afperf_type type);
void afperf_put_text(struct afperf_writing *writing, const char *text, size_t length);
void afperf_put_word(struct afperf_writing *writing, const char *text);
void afperf_put_uint64(struct afperf_writing *writing, uint64_t value);
void afperf_put_int64(struct afperf_writing *writing, int64_t value);
void afperf_put_double(struct afperf_writing *writing, double value);
void afperf_put_blank(struct afperf_writing *writing);
void afperf_end_record(struct afperf_writing *writing);

/* The labels of a set as tags. */
void afperf_put_labels(struct afperf_writing *writing, perun_id labels);

/* write-own.c: a profile that was read from AFPerf. write-any.c: any other. */
bool afperf_is_own(const struct perun_profile *profile);
/* `only`: the number of a run, or SIZE_MAX for all. */
int afperf_write_own(struct afperf_writing *writing, size_t only);
int afperf_write_any(struct afperf_writing *writing);

#endif
