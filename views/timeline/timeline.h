/* SPDX-License-Identifier: BSD-3-Clause */
/* What a timeline shows: intervals in lanes, pauses, and values on the same axis of time. */
#ifndef PERUN_VIEWS_TIMELINE_H
#define PERUN_VIEWS_TIMELINE_H

#include "views/common/chart-draw.h"
#include "views/common/chart-table.h"

/* Times are doubles in the unit of the profile, from the first time shown on. */
struct timeline_bar {
	double start, end;
	uint32_t lane, name;
};

struct timeline_lane {
	uint32_t name;  /* TIMELINE_NO_NAME: a depth of nested intervals */
	uint32_t depth; /* of these; of others which of the lanes with that name */
};
#define TIMELINE_NO_NAME UINT32_MAX

struct timeline_pause {
	double start, end;
};

/* Values of one column that were measured at points of time, in their order. */
struct timeline_values {
	const char *name, *unit; /* borrowed from the profile */
	double *times, *values;
	size_t count, capacity;
	double low, high;
};

struct timeline {
	struct perun_ctx *ctx;
	const struct perun_options *options;
	struct views_table table;
	const char *profile_name;
	char *run; /* the run that is shown, as text; NULL: the profile has none */
	size_t run_count;
	const char *unit;
	double span; /* of all times */
	char **names;
	size_t name_count, name_capacity;
	struct timeline_bar *bars; /* by lane, then by start */
	size_t bar_count, bar_capacity;
	struct timeline_lane *lanes;
	size_t lane_count, lane_capacity;
	struct timeline_pause *pauses;
	size_t pause_count, pause_capacity;
	struct timeline_values *values;
	size_t value_count, value_capacity;
	struct views_scale scale; /* of times: 0 to span */
};

/* Read the profile; fails with PERUN_INPUT when it holds no intervals. Clear it also then. */
int timeline_gather(struct timeline *timeline);
void timeline_clear(struct timeline *timeline);

/* "sim.afperf, run 1: 12 intervals in 40 ms". Appended. */
void timeline_add_summary(const struct timeline *timeline, struct perun_buffer *out);
/* "read, 1.2 ms at 3.4 ms". Appended. */
void timeline_add_bar_text(const struct timeline *timeline, const struct timeline_bar *bar,
			   struct perun_buffer *out);
/* The number in the palette of a name: the same in every picture. */
unsigned timeline_color(const struct timeline *timeline, uint32_t name);
/* How many of the bars after `first` are so narrow and near each other that they are drawn as one. */
size_t timeline_merge(const struct timeline *timeline, size_t first, double least, double *end);

int timeline_write_text(const struct timeline *timeline, const struct perun_canvas *canvas);
int timeline_write_svg(const struct timeline *timeline, const struct perun_canvas *canvas);
int timeline_write_html(const struct timeline *timeline, const struct perun_canvas *canvas);
int timeline_write_json(const struct timeline *timeline, const struct perun_canvas *canvas);

extern const unsigned char timeline_page_html[], timeline_page_css[], timeline_page_js[];
extern const unsigned long timeline_page_html_size, timeline_page_css_size, timeline_page_js_size;

#endif
