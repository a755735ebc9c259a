/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of profiles in columns of a terminal: how wide they are, and how they are shortened. */
#ifndef PERUN_VIEWS_COMMON_TEXT_H
#define PERUN_VIEWS_COMMON_TEXT_H

#include <perun/context.h>

/* Columns that a UTF-8 text takes: 2 for wide characters of East Asia, 0 for combining ones. */
size_t views_width(const char *text);

/*
 * Append a text of the outside world, safe for a terminal and not wider than `width` columns; what is
 * too wide loses first the parameters of functions, then the arguments of templates from the inside
 * out, then its middle, and an ellipsis represents what is lost. `ascii`: other characters become '?'.
 * Returns the columns taken.
 */
size_t views_add_fitted(struct perun_buffer *out, const char *text, size_t width, bool ascii);

/* The same for a phrase: what is too wide loses its end. */
size_t views_add_clipped(struct perun_buffer *out, const char *text, size_t width, bool ascii);

/* Whether a text is of printable ASCII alone, and so as wide as it is long. */
bool views_is_plain(const char *text, size_t *length);

/*
 * The bytes of `text` that a line of `width` columns holds: up to the last blank that fits, or within a
 * word that is wider than the line. `*next` is what follows after the blanks, NULL when nothing does.
 */
size_t views_line_of(const char *text, size_t width, const char **next);
/* Append `count` times a character (UTF-8 text). */
void views_add_repeated(struct perun_buffer *out, const char *character, size_t count);

#endif
