/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that begin with a byte order mark, as editors and shells of Windows write them. */
#ifndef PERUN_CORE_FORMAT_MARKED_H
#define PERUN_CORE_FORMAT_MARKED_H

#include <perun/context.h>

enum perun_mark {
	PERUN_MARK_NONE,
	PERUN_MARK_UTF8, /* of 3 bytes */
	PERUN_MARK_UTF16
};
enum {
	PERUN_MARK_SIZE = 3,
	PERUN_MARK_NEEDS = 4 /* what perun_mark_of() looks at */
};

enum perun_mark perun_mark_of(const void *data, size_t size);
/* Append the text in UTF-8, without the mark that it begins with; a lone surrogate becomes U+FFFD. */
void perun_utf16_to_utf8(const void *data, size_t size, struct perun_buffer *out);

#endif
