/* SPDX-License-Identifier: BSD-3-Clause */
/* The flame graph of a profile, or of two: trees, frames, values, and what the user asked for. */
#ifndef PERUN_VIEWS_FLAMEGRAPH_FLAME_H
#define PERUN_VIEWS_FLAMEGRAPH_FLAME_H

#include <perun/lib/callgraph.h>
#include <perun/view.h>

#include "views/common/data.h"

enum flame_kind { FLAME_TREE, FLAME_CALLERS, FLAME_TIME, FLAME_SANDWICH };
enum flame_order { FLAME_HEAVY, FLAME_BY_NAME };
enum flame_color {
	FLAME_COLOR_PACKAGE,
	FLAME_COLOR_FILE,
	FLAME_COLOR_MODULE,
	FLAME_COLOR_NAME,
	FLAME_COLOR_OWN,
	FLAME_COLOR_TIME
};
enum flame_change { FLAME_CHANGE_OWN, FLAME_CHANGE_TOTAL, FLAME_CHANGE_RELATIVE };
enum flame_width { FLAME_WIDTH_NEW, FLAME_WIDTH_BASE, FLAME_WIDTH_BOTH };

/* The options as they were given; texts are borrowed from them. */
struct flame_settings {
	const struct perun_options *options;   /* for the filters */
	const char *metric, *title, *function; /* NULL: none */
	const char *file;                      /* write there, NULL: to the canvas */
	enum flame_kind kind;
	enum flame_order order;
	enum flame_color color;
	enum flame_change change;
	enum flame_width width_from;
	enum perun_granularity granularity;
	bool no_inlines, flame, normalize;
	double minimum_share;              /* negative: let the size of the tree decide */
	double minimum_width;              /* pixels (SVG) */
	unsigned width, row_height, depth; /* pixels; depth 0 = all rows */
};
extern const struct perun_option flame_options[];
struct flame_settings flame_settings_read(const struct perun_options *options);

/* What a node's `frame` is when it is none. */
#define FLAME_ROOT UINT32_MAX
#define FLAME_REST (UINT32_MAX - 1)

/* Nodes are in the order of a walk: each is followed by all below it, up to `end`. */
struct flame_node {
	uint32_t parent, end, depth, frame;
	uint32_t merged; /* FLAME_REST: the number of boxes that were put together, 0 = unknown */
};
struct flame_tree {
	struct flame_node *nodes; /* the first is the root; NULL: there is no such tree */
	size_t count, capacity;
	unsigned weights;
	bool inverted; /* a box has a caller: what is measured in it is the callee's, see flame_values_of() */
	double share; /* boxes with less of the total were put together; 0: none */
	int64_t *own[PERUN_WEIGHTS], *total[PERUN_WEIGHTS];
};
void flame_tree_free(struct flame_tree *tree);
/* Append a node; its values are 0. Returns its number. */
/* How many boxes were put together in others. */
size_t flame_tree_merged(const struct flame_tree *tree);
uint32_t flame_tree_add(struct flame_tree *tree, const struct flame_node *node);

/* Texts are ids of strings of the profile, but names, which are texts of their own. */
struct flame_frame {
	struct perun_frame frame;
	const char *name; /* as it is; owned by the flame graph */
	size_t name_length;
	const char *shown; /* as visible text (see look.h); the same, or owned, too */
	size_t shown_length;
	perun_id file, module; /* PERUN_NO_ID: unknown */
	double moment;         /* when it was met, 0 (the first row) to 1 (the last) */
};

struct flame {
	const struct flame_settings *settings;
	struct perun_buffer name_text, shown_text; /* scratch */
	char *title;
	const char *names[2]; /* what the user called the profiles; borrowed */
	bool diff; /* weights 2m are of the base, 2m + 1 of the new profile; else weight m */
	double overheads[2]; /* of the profiles: see views_overhead() */
	size_t merged;       /* how many profiles are one; 0: one, or two that are compared */
	struct perun_profile *profile; /* the one, or both in one */
	size_t base_rows;              /* diff: rows of the base, which come first */
	struct perun_stacks *stacks;
	uint64_t *selected[PERUN_WEIGHTS]; /* rows of a weight, NULL: all */
	const struct perun_metric *metrics[PERUN_WEIGHTS];
	struct views_combined combined;   /* what one of them may point to */
	const char *units[PERUN_WEIGHTS]; /* of metrics; NULL: what the metric says */
	struct perun_weight chosen[PERUN_WEIGHTS];
	double scales[PERUN_WEIGHTS];
	unsigned metric_count, weight_count;
	double minimum_share; /* what was in use; 0: everything is there */
	double most;          /* the largest own value or change: see look.h */
	struct flame_frame *frames;
	size_t frame_count, frame_capacity;
	uint32_t *frame_slots; /* a hash table of frames; see frames.c */
	size_t slot_count;
	/* Of frames, exact: own values, and with callees; NULL when not asked for. */
	int64_t *flat[PERUN_WEIGHTS], *cumulative[PERUN_WEIGHTS];
	bool has_moments;
	struct flame_tree tree, callers, time; /* time: rows as they were recorded */
	struct flame_tree function_callers, function_callees;
};

/*
 * Read profiles: one, or base and new. Fails (PERUN_INPUT) when there are no stacks or nothing is
 * left of them. Free with flame_free(), also after a failure.
 */
int flame_load(struct perun_ctx *ctx, struct flame *flame, struct perun_profile *const *profiles,
	       const char *const *names, size_t count);
void flame_free(struct flame *flame);

/* What trees are wanted. The two of one function need settings->function. */
enum flame_want { FLAME_WANT_TREE = 1, FLAME_WANT_CALLERS = 2, FLAME_WANT_FUNCTION = 4 };
/* `room`: this many nodes are kept when the user said nothing of a minimum share. */
int flame_build(struct perun_ctx *ctx, struct flame *flame, unsigned wants, size_t room);
/* The tree in time order, with moments, if there is an order in time; and cumulative values of all frames. */
int flame_build_time(struct perun_ctx *ctx, struct flame *flame, size_t room);
/* The share to try when a tree has more nodes than there is room for. */
double flame_next_share(double share);

/* The number of an engine's frame, added if it is new. */
uint32_t flame_frame_number(struct flame *flame, const struct perun_frame *frame);
/* Files and modules of all frames, as far as the profile says. Call after the trees are built. */
void flame_frame_places(struct flame *flame);

/* Values of a node in the unit of metric m, the base multiplied as `normalize` says. */
struct flame_values {
	double own, total, own_base, total_base;
};
struct flame_values flame_values_of(const struct flame *flame, const struct flame_tree *tree,
				    unsigned metric, uint32_t node);
const char *flame_unit(const struct flame *flame, unsigned metric);
/* Of all samples; `own` values are 0. */
struct flame_values flame_total(const struct flame *flame, unsigned metric);
/*
 * Build what settings->kind asks for, and nothing else: `trees` become one tree, or the callers and
 * the callees of a function.
 */
int flame_build_kind(struct perun_ctx *ctx, struct flame *flame, size_t room,
		     const struct flame_tree *trees[2], unsigned *count);
/* "main", "all", "(12 small boxes)"; appended as it is in the profile. */
void flame_node_name(const struct flame *flame, const struct flame_tree *tree, uint32_t node,
		     struct perun_buffer *out);

/* The forms. */
int flame_write_html(struct perun_ctx *ctx, struct flame *flame, struct perun_output *output);
int flame_write_svg(struct perun_ctx *ctx, struct flame *flame, struct perun_output *output);
int flame_write_json(struct perun_ctx *ctx, struct flame *flame, struct perun_output *output);
int flame_write_terminal(struct perun_ctx *ctx, struct flame *flame,
			 const struct perun_canvas *canvas);

#endif
