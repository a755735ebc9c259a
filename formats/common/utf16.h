/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in UTF-16, as PowerShell redirects them. */
#ifndef PERUN_FORMATS_COMMON_UTF16_H
#define PERUN_FORMATS_COMMON_UTF16_H

#include <perun/context.h>

/* Whether the bytes begin with the byte order mark of UTF-16. */
bool utf16_begins(const void *data, size_t size);
/* Append the text in UTF-8, without the mark; a lone surrogate becomes U+FFFD. */
void utf16_to_utf8(const void *data, size_t size, struct perun_buffer *out);

#endif
