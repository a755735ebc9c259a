/* SPDX-License-Identifier: BSD-3-Clause */
/* Deflating thousands of small, similar texts; private to core/store. */
#ifndef PERUN_CORE_STORE_DEFLATE_SMALL_H
#define PERUN_CORE_STORE_DEFLATE_SMALL_H

#include <perun/context.h>

/*
 * Of a text of a few hundred bytes most of zlib's time goes into finding the codes of its letters. Here
 * one text in many gives the codes for those after it, which takes an eighth of the time and gives a
 * sixth more bytes: none on a disk, where such a file fills one block anyway.
 */
struct perun_quick;

/* NULL where ISA-L was not built in. */
struct perun_quick *perun_quick_new(void);
void perun_quick_free(struct perun_quick *quick);

/* The largest text worth it, with what comes before it: it takes one block however well it is packed. */
#define PERUN_QUICK_LIMIT ((size_t)4096)

/* Put the zlib stream of a text into `out`. False, and nothing done, where zlib must do it. */
bool perun_quick_pack(struct perun_quick *quick, const void *data, size_t size,
		      struct perun_buffer *out);

#endif
