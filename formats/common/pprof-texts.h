/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings of a profile are any bytes; those of a document are UTF-8. */
#ifndef PERUN_FORMATS_COMMON_PPROF_TEXTS_H
#define PERUN_FORMATS_COMMON_PPROF_TEXTS_H

#include <perun/json.h>

/*
 * Bytes that are not UTF-8 become lone surrogates U+DC80 to U+DCFF in the form that a document holds
 * (Python's "surrogateescape", PEP 383), so that they survive in JSON. Whether there were any is reported.
 */
struct perun_json *pprof_to_json(const char *text, size_t length, bool *clean);
/* Append the bytes that a string of a document represents; nothing for other values. */
void pprof_from_json(const struct perun_json *value, struct perun_buffer *bytes);

#endif
