/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame that all pages of a site have. */
#ifndef PERUN_CLI_SITE_PAGE_H
#define PERUN_CLI_SITE_PAGE_H

#include "cli/site/site.h"

/* Up to the inside of <main>. `kind`: overview, versions, metric, version. */
void site_page_begin(struct perun_buffer *out, const struct site *site, const char *kind,
		     const char *title, bool chart);
/* `facts`: JSON for the page's script, safe in markup, or NULL. */
void site_page_end(struct perun_buffer *out, const struct perun_buffer *facts);

#endif
