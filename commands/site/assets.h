/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts and styles of the site, embedded at build time. */
#ifndef PERUN_COMMANDS_SITE_ASSETS_H
#define PERUN_COMMANDS_SITE_ASSETS_H

extern const unsigned char site_js[], site_css[], site_chart_js[], site_chart_css[];
extern const unsigned long site_js_size, site_css_size, site_chart_js_size, site_chart_css_size;

#endif
