/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of page/, as embed.sh makes them parts of the plugin. */
#ifndef PERUN_VIEWS_TABLEOF_ASSETS_H
#define PERUN_VIEWS_TABLEOF_ASSETS_H

extern const unsigned char tableof_page_html[], tableof_page_css[], tableof_page_js[];
extern const unsigned long tableof_page_html_size, tableof_page_css_size, tableof_page_js_size;

#endif
