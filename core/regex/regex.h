/* SPDX-License-Identifier: BSD-3-Clause */
/* The syntax of RE2 in the words of PCRE2; for the files of this folder. */
#ifndef PERUN_CORE_REGEX_REGEX_H
#define PERUN_CORE_REGEX_REGEX_H

#include "perun/regex.h"

/*
 * Write the RE2 expression as PCRE2 understands it. Fails with PERUN_USAGE at what RE2 has not (back
 * references, look-around ...). What is wrong in both is left to PCRE2 to report.
 */
int perun_regex_from_re2(struct perun_ctx *ctx, const char *expression, struct perun_buffer *out);

#endif
