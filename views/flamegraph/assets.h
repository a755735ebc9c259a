/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of page/ and svg/, as embed.sh makes them parts of the plugin. */
#ifndef PERUN_VIEWS_FLAMEGRAPH_ASSETS_H
#define PERUN_VIEWS_FLAMEGRAPH_ASSETS_H

extern const unsigned char flame_page_html[], flame_page_css[], flame_page_js[];
extern const unsigned long flame_page_html_size, flame_page_css_size, flame_page_js_size;
extern const unsigned char flame_picture_css[];
extern const unsigned long flame_picture_css_size;

#endif
