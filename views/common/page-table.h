/* SPDX-License-Identifier: BSD-3-Clause */
/* A page of tables that sort and are searched, and of trees that fold; it needs nothing else. */
#ifndef PERUN_VIEWS_COMMON_PAGE_TABLE_H
#define PERUN_VIEWS_COMMON_PAGE_TABLE_H

#include <perun/format.h>

/* The files of page/, as embed.sh makes them parts of the library. */
extern const unsigned char views_table_html[], views_table_css[], views_table_js[];
extern const unsigned long views_table_html_size, views_table_css_size, views_table_js_size;

/*
 * Write the page. `heading` is plain text: its first line the title, the others a summary; `add` writes the markup of what is below:
 * elements table with thead and tbody. Cells of class n hold numbers: data-value, or else their text.
 * Rows with data-depth make a tree. Returns the status of `add` or the output's sticking error.
 */
int views_table_page(const char *heading, int (*add)(void *data, struct perun_output *output),
		     void *data, struct perun_output *output);

/* Lines of plain text as markup, with markup `between` them. Appended. */
void views_add_lines(struct perun_buffer *markup, const char *text, const char *between);

#endif
