/* SPDX-License-Identifier: BSD-3-Clause */
/* The page as bytes: see local.mk. */
#ifndef PERUN_COMMANDS_SERVE_ASSETS_H
#define PERUN_COMMANDS_SERVE_ASSETS_H

extern const unsigned char serve_page_html[], serve_page_css[], serve_page_js[];
extern const unsigned long serve_page_html_size, serve_page_css_size, serve_page_js_size;

#endif
