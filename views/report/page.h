/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as one page: its parts that are pages of their own, and the page around them. */
#ifndef PERUN_VIEWS_REPORT_PAGE_H
#define PERUN_VIEWS_REPORT_PAGE_H

#include <perun/query.h>

#include "views/report/report.h"

/* The sections of a page, in the order that they have where nobody asks for another. */
enum report_section {
	REPORT_METRICS,
	REPORT_CHANGES,
	REPORT_TOTALS,
	REPORT_MAP,
	REPORT_FLAMES,
	REPORT_BOXES,
	REPORT_MODELS,
	REPORT_CURVES,
	REPORT_FACTS,
	REPORT_REMARKS,
	REPORT_SECTIONS
};
struct report_layout {
	enum report_section sections[REPORT_SECTIONS];
	size_t count;
};
/* `text`: names with commas between them, "" = all. PERUN_USAGE: one is unknown, or there twice. */
int report_read_layout(struct perun_ctx *ctx, const char *text, struct report_layout *layout);
bool report_has(const struct report_layout *layout, enum report_section section);

/*
 * Pages that are parts of the page, appended to `out`; nothing where there is nothing to show. What goes
 * wrong in one of them does not prevent the report: it is reported as a remark on the page.
 */
struct report_pictures {
	struct perun_buffer flames;        /* the difference flame graph */
	struct perun_buffer distributions; /* repeated measurements of both as boxes */
	struct perun_buffer curves;        /* models of both */
	unsigned boxes, charts;            /* how many these hold: their height */
};
void report_draw_pictures(struct report *report, const struct report_layout *layout,
			  struct perun_profile *const *profiles, const char *const *names,
			  struct report_pictures *pictures);
void report_free_pictures(struct report_pictures *pictures);

/* A uid with a model in one of both, or in both. Those whose curves differ most come first. */
struct report_curve {
	char *uid;
	struct perun_model models[2];
	bool has[2];
	double change; /* of the value at the end of the interval, relative to base; NaN = unknown */
};
struct report_curve *report_find_curves(struct perun_profile *const *profiles, size_t *count);
void report_free_curves(struct report_curve *curves, size_t count);

/* A map of the functions of both profiles by their own cost, as SVG of the page; nothing where all cost nothing. */
void report_add_treemap(const struct report *report, struct perun_buffer *out);

/* The whole page. */
int report_write_page(struct report *report, const struct report_layout *layout,
		      struct perun_profile *const *profiles, const char *const *names,
		      const struct perun_canvas *canvas);

extern const unsigned char report_page_html[], report_page_css[], report_page_js[];
extern const unsigned long report_page_html_size, report_page_css_size, report_page_js_size;

#endif
