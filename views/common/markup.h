/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of the outside world for markup and scripts. */
#ifndef PERUN_VIEWS_COMMON_MARKUP_H
#define PERUN_VIEWS_COMMON_MARKUP_H

#include <perun/context.h>

/*
 * A text of the outside world as valid UTF-8 without anything invisible, which is written as \xNN or \uNNNN; with
 * `pictures`, control characters as their pictures. Appended.
 */
void views_add_visible(struct perun_buffer *out, const char *text, size_t size, bool pictures);
/* A text of the outside world for XML and HTML: escaped, valid UTF-8, nothing invisible. Appended. */
void views_add_markup(struct perun_buffer *out, const char *text);
/* As JSON for a script element: no '<' in it. Appended. */
void views_add_script_text(struct perun_buffer *out, const char *text);
void views_add_script_number(struct perun_buffer *out, double number); /* null when not finite */

#endif
