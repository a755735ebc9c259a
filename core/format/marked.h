/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts with more than their own: as shells of Windows write them, programs for a terminal, and runners into their logs. */
#ifndef PERUN_CORE_FORMAT_MARKED_H
#define PERUN_CORE_FORMAT_MARKED_H

#include <perun/context.h>

enum perun_marks {
	PERUN_MARKS_NONE,
	PERUN_MARKS_FIRST, /* UTF-8 after a byte order mark of 3 bytes */
	PERUN_MARKS_OTHER /* UTF-16, codes for a terminal, times before lines: formats get it converted */
};
enum { PERUN_MARK_SIZE = 3 };

/* Of the first bytes of an input, as many as a probe sees. */
enum perun_marks perun_marks_of(const void *data, size_t size);
/*
 * Append the text in UTF-8, without the mark that it begins with and what is meant for a terminal: colours, links, lines
 * that were erased; nor what GitHub's logs have before each line. A lone surrogate becomes U+FFFD.
 */
void perun_plain_text(const void *data, size_t size, struct perun_buffer *out);

#endif
