/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for other programs: comma- and tab-separated values, HTML, LaTeX. */
#ifndef PERUN_VIEWS_TABLEOF_MARKUP_H
#define PERUN_VIEWS_TABLEOF_MARKUP_H

#include "layout.h"

/* Each escapes what its language would take for its own; returns the output's sticking error. */
int markup_csv(const struct table *table, struct perun_output *output);   /* RFC 4180, \n */
int markup_tsv(const struct table *table, struct perun_output *output);   /* \t, \n, \\ escaped */
int markup_html(const struct table *table, struct perun_output *output);  /* a whole page */
int markup_latex(const struct table *table, struct perun_output *output); /* a tabular */

/* For pages: append a cell; whether all cells of a column are numbers. */
void markup_escape_html(struct perun_buffer *out, const char *text);
bool markup_is_numeric(const struct table *table, size_t column);

#endif
