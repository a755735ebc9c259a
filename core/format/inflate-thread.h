/* SPDX-License-Identifier: BSD-3-Clause */
/* Decompressing on a thread of its own, ahead of the reader; for the files of this folder only. */
#ifndef PERUN_CORE_FORMAT_INFLATE_THREAD_H
#define PERUN_CORE_FORMAT_INFLATE_THREAD_H

#include "perun/format.h"

struct perun_ahead;

/* Fill `buffer`; `*got` < size only at the end. Called on the thread. */
typedef int perun_ahead_source(struct perun_ctx *ctx, struct perun_input *input, void *buffer,
			       size_t size, size_t *got);

/* Start to read ahead; NULL when there is no thread to be had. */
struct perun_ahead *perun_ahead_start(struct perun_input *input, perun_ahead_source *source);
/* The next bytes; `*got` is 0 only at the end. */
int perun_ahead_read(struct perun_ctx *ctx, struct perun_ahead *ahead, void *buffer, size_t size,
		     size_t *got);
/* End the thread, wherever it is; NULL is fine. */
void perun_ahead_stop(struct perun_ahead *ahead);

#endif
