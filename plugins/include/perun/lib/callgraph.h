/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks of a profile: filters, granularity, and the call graph and call tree of what is left. Of the growing
 * part of the interface: see perun/lib/version.h.
 * Threads: stacks, graphs and trees may be read from any thread; while one is changed it belongs to one.
 */
#ifndef PERUN_LIB_CALLGRAPH_H
#define PERUN_LIB_CALLGRAPH_H

#include <perun/lib/version.h>
#include <perun/profile.h>
#include <perun/regex.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Three objects, one for each step:
 *
 *   struct perun_stacks     the samples of a profile (rows of "resources" with a stack) that filters
 *                           left, with their stacks cut, and what they weigh
 *   struct perun_callgraph  flat and cumulative values of functions (or files, lines ...), and edges
 *   struct perun_calltree   the same values by path: what a flame graph draws
 *
 * Filters work on the distinct stacks, locations and label sets of the profile, once each, never on
 * every sample; nothing is copied but what they change. A profile without stacks but with a table
 * "calls" (caller, callee, count, inclusive costs: callgrind) has a call graph too, but no tree of
 * more than one level; name filters then work on the functions.
 *
 * Weights are whole numbers: sums are exact, and the order in which samples come has no influence. A
 * metric of fractions is multiplied by a power of two before, so large that its sum still fits; values
 * times `scale` are in the metric's unit again.
 */

/* ---- samples --------------------------------------------------------------------------------- */

struct perun_stacks; /* and the graphs and trees that are made of it: on one thread at a time */

/* All samples of the profile (a reference is kept). Fails (PERUN_INPUT) when it has no stacks. */
PERUN_EXPORT int perun_stacks_new(struct perun_ctx *ctx, struct perun_profile *profile,
				  struct perun_stacks **stacks);
PERUN_EXPORT void perun_stacks_free(struct perun_stacks *stacks); /* NULL is fine */
PERUN_EXPORT struct perun_profile *perun_stacks_profile(const struct perun_stacks *stacks);
/* The column of the profile's "resources" that holds them. */
PERUN_EXPORT const struct perun_column *perun_stacks_column(const struct perun_stacks *stacks);

/*
 * Which names a filter compares: of each line the function's name and file, and the file of the
 * location's mapping. Any member may be NULL. A sample is kept when some location matches `focus` and
 * none matches `ignore`; lines that match `hide` are removed, and with `show` those that do not match
 * it; a sample that has nothing left is dropped. Focus and ignore look at the lines before any is
 * hidden. With any expression given, samples with an empty stack are dropped.
 */
struct perun_name_filter {
	struct perun_regex *focus, *ignore, *hide, *show;
};
/* Which of the expressions met a name (pprof: "matched no samples"). */
struct perun_name_found {
	bool focus, ignore, hide, show;
};
PERUN_EXPORT void perun_stacks_filter(struct perun_stacks *stacks,
				      const struct perun_name_filter *filter,
				      struct perun_name_found *found);
/* Cut what is above (towards the root of) the match nearest to the root; no match: drop. */
PERUN_EXPORT bool perun_stacks_show_from(struct perun_stacks *stacks, struct perun_regex *regex);
/*
 * drop_frames and keep_frames of pprof: from the root, after the first frame that stays, the first
 * that matches `drop` (and not `keep`, may be NULL) is cut with all below it. Names are compared
 * simplified: without a leading dot and without parameters.
 */
PERUN_EXPORT void perun_stacks_prune(struct perun_stacks *stacks, struct perun_regex *drop,
				     struct perun_regex *keep);
/* From the leaf, what is below the first match is cut; the match stays. Simplified names. */
PERUN_EXPORT void perun_stacks_prune_from(struct perun_stacks *stacks, struct perun_regex *regex);

/* Keep the samples whose label set `keep` wants (PERUN_NO_ID: no labels). Each set is asked once. */
PERUN_EXPORT void perun_stacks_filter_labels(struct perun_stacks *stacks,
					     bool (*keep)(void *data, perun_id labels), void *data);
/* Keep any rows: `rows` is a selection (perun/query.h); borrowed during the call. */
PERUN_EXPORT void perun_stacks_filter_rows(struct perun_stacks *stacks, const uint64_t *rows);

/*
 * A new profile with a frame for each of `keys` put at the root (or leaf) of every stack: function =
 * the values of the sample's label of that key, joined by ",", file = the key; "" without such a label.
 */
PERUN_EXPORT int perun_label_frames(struct perun_ctx *ctx, struct perun_profile *profile,
				    const char *const *keys, size_t count, bool leaf,
				    struct perun_profile **result);
/* The same, with the way to write numbers; `found` (may be NULL): whether any sample has such a label. */
struct perun_label_frames_options {
	const char *const *keys;
	size_t count;
	bool leaf;
	/* Append the text of a number ("unit" may be ""). NULL: "4096 bytes". */
	void (*number)(void *data, int64_t value, const char *unit, struct perun_buffer *out);
	void *data;
};
PERUN_EXPORT int perun_label_frames_with(struct perun_ctx *ctx, struct perun_profile *profile,
					 const struct perun_label_frames_options *options,
					 bool *found, struct perun_profile **result);

/* Whether a row is left, and its stack: locations [*first, *end) of perun_profile_stack(), leaf first. */
PERUN_EXPORT bool perun_stacks_row(const struct perun_stacks *stacks, size_t row, perun_id *stack,
				   size_t *first, size_t *end);
/* The lines of a location that are left (0: it is passed over). Borrowed until the next filter. */
PERUN_EXPORT const struct perun_line *perun_stacks_lines(const struct perun_stacks *stacks,
							 perun_id location, size_t *count);
/*
 * What is left as a profile of its own: rows that were dropped are gone, stacks are cut, locations
 * have the lines that are left. Functions, mappings and locations stay, used or not, with their ids.
 */
PERUN_EXPORT int perun_stacks_to_profile(struct perun_ctx *ctx, const struct perun_stacks *stacks,
					 struct perun_profile **profile);

/* ---- weights --------------------------------------------------------------------------------- */

enum perun_weigh_flags {
	/* Sums that leave 64 bits wrap around, as pprof's do, instead of being an error. */
	PERUN_WEIGH_WRAP = 1
};
/*
 * Choose what samples weigh: up to PERUN_WEIGHTS columns of "resources" (INT64, UINT64, DOUBLE), which
 * the graphs below then carry side by side: several metrics, or base and new. Sums them for each
 * distinct stack (rows that `rows` of the weight selects, NULL = all). May be called again, after
 * filters too: it looks at the rows that are left. Fails (PERUN_INPUT) when the sum of the absolute
 * values does not fit into 63 bits.
 */
enum { PERUN_WEIGHTS = 8 };
struct perun_weight {
	const struct perun_column *values;
	const uint64_t
		*rows; /* a selection, borrowed until the weights are chosen again; or NULL */
};
PERUN_EXPORT int perun_stacks_weigh(struct perun_ctx *ctx, struct perun_stacks *stacks,
				    const struct perun_weight *weights, size_t count,
				    unsigned flags);
/* Of weight i: the multiplier back to the metric's unit, and the sum of (absolute) sample values. */
PERUN_EXPORT double perun_stacks_scale(const struct perun_stacks *stacks, size_t i);
PERUN_EXPORT int64_t perun_stacks_sum(const struct perun_stacks *stacks, size_t i);
PERUN_EXPORT int64_t perun_stacks_absolute_sum(const struct perun_stacks *stacks, size_t i);

/* ---- frames ---------------------------------------------------------------------------------- */

enum perun_granularity {
	PERUN_BY_FUNCTION,      /* the name alone */
	PERUN_BY_FILE_FUNCTION, /* name and file */
	PERUN_BY_FILE,
	PERUN_BY_LINE,    /* name, file, line, start line */
	PERUN_BY_ADDRESS, /* all there is */
	PERUN_BY_MODULE   /* the mapping's file, or the file's folder */
};

/* What a node is; members that the granularity leaves out are 0. Strings of the profile. */
struct perun_frame {
	perun_id name, system_name, file;
	perun_id object; /* file of the mapping; only where there is no name, or `objects` is set */
	uint64_t address;
	int64_t line, column, start_line;
	bool folder; /* `file` is any file of its folder, which counts as one */
};

struct perun_graph_options {
	uint32_t struct_size;
	enum perun_granularity granularity;
	bool no_inlines;  /* of each location only the outermost line */
	bool columns;     /* by line or address: columns count too */
	bool no_edges;    /* flat and cumulative values only: faster */
	bool by_path;     /* a node for each path instead of each frame (pprof's call_tree) */
	bool objects;     /* the mapping's file and the function's first line count too */
	bool start_lines; /* the first line counts where there is no name (as in pprof) */
	/*
	 * The text by which a file is known, NULL: as it is. Files with the same text are one; frames
	 * have the first of them. The result is borrowed until the next call.
	 */
	const char *(*file_text)(void *data, const char *file);
	void *data;
};

/* ---- the graph ------------------------------------------------------------------------------- */

/*
 * Of each sample a node gets the value once (cumulative), however often it is in the stack, and
 * the leaf's node gets it flat; an edge gets it once, too; a node has no edge to itself. Samples whose
 * weights are all 0 make no nodes. Nodes and edges are in order of first appearance. Many stacks are
 * counted on several threads; the graph is the same for any number of them.
 *
 * Where the profile has a table "calls" (caller, callee: stacks of one location; inclusive costs in
 * columns named as the metrics), its rows make the edges. A node's cumulative value is then its flat
 * one and the costs of its calls to others. Calls within a cycle of recursion may count the same
 * cost several times, so no node of a cycle has more than the cycle spends: the flat values of its
 * nodes and the costs of the calls that leave it. Weights of selected rows have no calls.
 */
struct perun_callgraph;
PERUN_EXPORT int perun_callgraph_new(struct perun_ctx *ctx, const struct perun_stacks *stacks,
				     const struct perun_graph_options *options,
				     struct perun_callgraph **graph);
/*
 * The graph again with only those nodes whose bit in `keep` is set: frames of others are passed over,
 * an edge over them is marked `residual`. It has edges, even if `graph` was made without them. The flat
 * value of a leaf that is left out is lost when `lose_leaves` (as pprof has it), else to the
 * nearest kept caller.
 */
PERUN_EXPORT int perun_callgraph_keep(struct perun_ctx *ctx, const struct perun_callgraph *graph,
				      const uint64_t *keep, bool lose_leaves,
				      struct perun_callgraph **kept);
PERUN_EXPORT void perun_callgraph_free(struct perun_callgraph *graph); /* NULL is fine */

enum perun_inlining {
	PERUN_NOT_INLINED,
	PERUN_PARTLY_INLINED, /* into some callers, not into others */
	PERUN_INLINED         /* into all of its callers */
};
/*
 * Which nodes are inlined, when only those whose bit in `keep` is set are there and edges count from an
 * absolute value of `least` (of weight 0) on. An edge is inlined when it is in every sample. `graph`, not
 * by path, may have been made without edges: they are counted only as far as is needed.
 * `how`: an enum perun_inlining for each node of `graph`.
 */
PERUN_EXPORT int perun_callgraph_inlining(struct perun_ctx *ctx,
					  const struct perun_callgraph *graph, const uint64_t *keep,
					  int64_t least, uint8_t *how);

PERUN_EXPORT const struct perun_frame *perun_callgraph_nodes(const struct perun_callgraph *graph,
							     size_t *count);
/* One value a node, of weight i; owned by the graph. */
PERUN_EXPORT const int64_t *perun_callgraph_flat(const struct perun_callgraph *graph, size_t i);
PERUN_EXPORT const int64_t *perun_callgraph_cumulative(const struct perun_callgraph *graph,
						       size_t i);

struct perun_edge {
	uint32_t caller, callee; /* nodes */
	bool residual;           /* some node between them was left out, in some sample */
	bool inlined;            /* the callee was inlined into the caller, in every sample */
};
PERUN_EXPORT const struct perun_edge *perun_callgraph_edges(const struct perun_callgraph *graph,
							    size_t *count);
/* One value an edge, of weight i. */
PERUN_EXPORT const int64_t *perun_callgraph_edge_values(const struct perun_callgraph *graph,
							size_t i);
/* The edges to a node from its callers, and from it to its callees: numbers of edges. */
PERUN_EXPORT const uint32_t *perun_callgraph_callers(const struct perun_callgraph *graph,
						     uint32_t node, size_t *count);
PERUN_EXPORT const uint32_t *perun_callgraph_callees(const struct perun_callgraph *graph,
						     uint32_t node, size_t *count);
/*
 * The nodes of a row's stack, leaf first, as the graph has them: at most `room` are stored, all are
 * counted. 0 for rows that were dropped. For what needs single samples (labels of a node).
 */
PERUN_EXPORT size_t perun_callgraph_path(const struct perun_callgraph *graph, size_t row,
					 uint32_t *nodes, size_t room);
/*
 * Row by row those nodes of a set (a bit each, which must stay as long) that a row's path has, each once, in no certain order,
 * and `leaf`, the first node of perun_callgraph_path(), whether it is wanted or not. The nodes hold until the next call. Where
 * stacks are paths, as those of deep calls are, a row takes as long as it has such nodes, however deep it is.
 */
struct perun_row_nodes;
PERUN_EXPORT struct perun_row_nodes *perun_row_nodes_new(const struct perun_callgraph *graph,
							 const uint64_t *wanted);
/* `*leaf` of a row without nodes is UINT32_MAX. */
PERUN_EXPORT const uint32_t *perun_row_nodes_at(struct perun_row_nodes *rows, size_t row,
						uint32_t *leaf, size_t *count);
PERUN_EXPORT void perun_row_nodes_free(struct perun_row_nodes *rows);

/* ---- the tree -------------------------------------------------------------------------------- */

/* Node 0 is the root of all samples; children come after their parent. */
struct perun_tree_node {
	uint32_t parent; /* of the root: itself */
	uint32_t first_child,
		next_sibling; /* 0 = none; siblings are in order of first appearance */
	uint32_t frame;       /* index into perun_calltree_frames(); the root: none */
	bool inlined;         /* into its parent */
	bool rest;       /* small siblings put together; `frame` is meaningless, see `merged` */
	uint32_t merged; /* rest: how many nodes of the full tree it replaces */
};

struct perun_tree_options {
	uint32_t struct_size;
	enum perun_granularity granularity;
	bool no_inlines, columns;
	bool inverted; /* from the leaf: the children of a node are its callers */
	/*
	 * A function (its name), or NULL: only stacks that hold it, from its outermost call towards the
	 * leaf; inverted: from its innermost towards the root. The two halves of a sandwich.
	 */
	const char *function;
	/* Nodes with less than this share of the total, in each weight, are put together in a `rest`. */
	double minimum_share;
	bool uncounted; /* `merged` of a `rest` does not matter: faster */
	/* A tree with more nodes is given up as soon as it has them, and not whole then. 0: of any number. */
	size_t most;
	/*
	 * A node gets its children when perun_calltree_open() asks for them. Inverted trees of one weight only. Of calls that are
	 * nested deeply, a tree from the leaves has as many nodes as all stacks have frames: who follows some callers needs few.
	 */
	bool on_demand;
};

struct perun_calltree;
PERUN_EXPORT int perun_calltree_new(struct perun_ctx *ctx, const struct perun_stacks *stacks,
				    const struct perun_tree_options *options,
				    struct perun_calltree **tree);
PERUN_EXPORT void perun_calltree_free(struct perun_calltree *tree); /* NULL is fine */
/*
 * Make the children of a node of a tree `on_demand`, and find what the node weighs itself; again, nothing. What the functions
 * below returned before is no longer valid.
 */
PERUN_EXPORT void perun_calltree_open(struct perun_calltree *tree, uint32_t node);
PERUN_EXPORT const struct perun_tree_node *perun_calltree_nodes(const struct perun_calltree *tree,
								size_t *count);
PERUN_EXPORT const struct perun_frame *perun_calltree_frames(const struct perun_calltree *tree,
							     size_t *count);
/* One value a node, of weight i: its own, and with all below it. */
PERUN_EXPORT const int64_t *perun_calltree_self(const struct perun_calltree *tree, size_t i);
PERUN_EXPORT const int64_t *perun_calltree_total(const struct perun_calltree *tree, size_t i);

/*
 * What people call a frame: function, else file, else "[object]" or the address in hexadecimal;
 * with line and address where the granularity has them. Appends to `out`, as it is in the profile
 * (not made safe for a terminal).
 */
PERUN_EXPORT void perun_frame_name(const struct perun_profile *profile,
				   const struct perun_frame *frame, struct perun_buffer *out);

#ifdef __cplusplus
}
#endif
#endif
