/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of page/ and uplot/, as embed.sh makes them parts of the library. */
#ifndef PERUN_VIEWS_COMMON_CHART_ASSETS_H
#define PERUN_VIEWS_COMMON_CHART_ASSETS_H

extern const unsigned char chart_page_html[], chart_page_css[], chart_page_js[];
extern const unsigned long chart_page_html_size, chart_page_css_size, chart_page_js_size;
extern const unsigned char chart_uplot_js[], chart_uplot_css[], chart_uplot_licence[];
extern const unsigned long chart_uplot_js_size, chart_uplot_css_size, chart_uplot_licence_size;

#endif
