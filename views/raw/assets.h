/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of page/, as embed.sh makes them parts of the plugin. */
#ifndef PERUN_VIEWS_RAW_ASSETS_H
#define PERUN_VIEWS_RAW_ASSETS_H

extern const unsigned char raw_page_html[], raw_page_css[], raw_page_js[];
extern const unsigned long raw_page_html_size, raw_page_css_size, raw_page_js_size;

#endif
