/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts from anywhere in Markdown, HTML and XML. */
#ifndef PERUN_COMMANDS_COMMON_MARKUP_H
#define PERUN_COMMANDS_COMMON_MARKUP_H

#include <perun/context.h>

/*
 * Append such a text, which may be NULL, for XML, HTML or Markdown: valid UTF-8 without control characters or
 * what XML forbids, and with the characters of `special` as &#N;.
 */
void commands_add_escaped(struct perun_buffer *out, const char *text, const char *special);
/*
 * A name as code: within it sites link neither addresses nor people (@name), issues (#1) and commits, as they
 * do after the Markdown, where characters that were written by their numbers are plain ones again. `cell`: of a table.
 */
void commands_add_code(struct perun_buffer *out, const char *text, bool cell);
/* Prose, where nothing in it would become a link. */
void commands_add_prose(struct perun_buffer *out, const char *text, bool cell);

#endif
