/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes to an output, as one gzip member that several threads compress, or as they are. */
#ifndef PERUN_FORMAT_PPROF_DEFLATE_H
#define PERUN_FORMAT_PPROF_DEFLATE_H

#include <perun/format.h>

struct pprof_stream;

struct pprof_stream *pprof_stream_new(struct perun_ctx *ctx, struct perun_output *output,
				      bool plain);
/*
 * Room for `size` bytes (at most 1 MiB) that follow; the caller says with _advance how many it wrote.
 * NULL after a failure.
 */
unsigned char *pprof_stream_reserve(struct pprof_stream *stream, size_t size);
void pprof_stream_advance(struct pprof_stream *stream, size_t size);
/* Any number of bytes. */
void pprof_stream_write(struct pprof_stream *stream, const void *data, size_t size);
/* Write what is left and free the stream. Returns the first failure. */
int pprof_stream_finish(struct pprof_stream *stream);

#endif
