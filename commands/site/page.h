/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame that all pages of a site have. */
#ifndef PERUN_COMMANDS_SITE_PAGE_H
#define PERUN_COMMANDS_SITE_PAGE_H

#include "site.h"

/* Up to the inside of <main>. `kind`: overview, versions, metric, version. */
void site_page_begin(struct perun_buffer *out, const struct site *site, const char *kind,
		     const char *title, bool chart);
/* `facts`: JSON for the page's script, safe in markup, or NULL. */
void site_page_end(struct perun_buffer *out, const struct perun_buffer *facts);

/* Fills `views` of the site: those that draw pages of single profiles. */
int site_list_views(struct site *site);
/* The views that pages link to for what changed, where they can show it; ended by NULL. */
extern const char *const site_comparisons[];
/* The last profile of a version that measured the same; NULL = it has none. The caller's. */
int site_find_before(struct perun_ctx *ctx, struct perun_store *store, const char *version,
		     const struct perun_entry *like, char **checksum);
/* Draw one, with its default options. */
int site_draw(struct perun_ctx *ctx, const char *view, struct perun_profile *const *profiles,
	      const char *const *names, size_t count, struct perun_buffer *page);
/* Write all views that can show a profile; `names` gets theirs, separated by blanks. */
int site_write_views(struct site *site, const struct perun_entry *entry,
		     struct perun_buffer *names);
/* The same of comparisons with what the version `before` measured, of a profile of `version`. */
int site_write_comparisons(struct site *site, const char *before, const char *version,
			   const struct perun_entry *entry, struct perun_buffer *names);

#endif
