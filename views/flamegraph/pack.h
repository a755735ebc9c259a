/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of numbers in few characters: base64 of numbers of 7 bits a byte. */
#ifndef PERUN_VIEWS_FLAMEGRAPH_PACK_H
#define PERUN_VIEWS_FLAMEGRAPH_PACK_H

#include <perun/context.h>

/* Append a number: 7 bits a byte, the lowest first, the top bit of all but the last set. */
void pack_number(struct perun_buffer *bytes, uint64_t value);
/* The same of one that may be negative: its sign goes to the lowest bit. */
void pack_signed(struct perun_buffer *bytes, int64_t value);
/* Append `"KEY":"base64"` and empty `bytes`. */
void pack_column(struct perun_buffer *out, const char *key, struct perun_buffer *bytes);
/* The same without a key. */
void pack_text(struct perun_buffer *out, struct perun_buffer *bytes);

#endif
