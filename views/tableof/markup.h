/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for other programs: comma- and tab-separated values, HTML, LaTeX. */
#ifndef PERUN_VIEWS_TABLEOF_MARKUP_H
#define PERUN_VIEWS_TABLEOF_MARKUP_H

#include <perun/format.h>

#include "table.h"

/* Each escapes what its language would take for its own; returns the output's sticking error. */
int markup_csv(const struct table *table, struct perun_output *output); /* RFC 4180, \n */
int markup_tsv(const struct table *table, struct perun_output *output); /* \t, \n, \\ escaped */
/* A whole page, with fractions of `precision` digits (0 = all). */
int markup_html(const struct table *table, unsigned precision, struct perun_output *output);
/*
 * A tabular: with plain rules, the same with cells as they are, or with the rules of the package booktabs; a table of the
 * package longtable, which repeats its header on each page.
 */
enum markup_latex { MARKUP_LATEX, MARKUP_LATEX_RAW, MARKUP_LATEX_BOOKTABS, MARKUP_LATEX_LONGTABLE };
int markup_latex(const struct table *table, enum markup_latex kind, struct perun_output *output);
/* The element <table> alone, with cells as they are: whoever asks for it trusts them. */
int markup_unsafe_html(const struct table *table, struct perun_output *output);

/* Whether all cells of a column are numbers. */
bool markup_is_numeric(const struct table *table, size_t column);

#endif
