/* SPDX-License-Identifier: BSD-3-Clause */
/* What readers of call stacks share: frames, paths of indented trees, rows of samples with their metrics. */
#ifndef PERUN_FORMATS_COMMON_STACKS_H
#define PERUN_FORMATS_COMMON_STACKS_H

#include <perun/format.h>
#include <perun/json.h>

#include "formats/common/plugin.h"
#include "formats/common/stacks-numbers.h"

/* Options of formats that write stacks as trees: what is short there is long as stacks. */
struct stacks_options {
	uint64_t frame_limit;
};

#define STACKS_FRAME_LIMIT                                                                         \
	{                                                                                          \
		.name = "frame-limit", .type = PERUN_OPTION_INTEGER, .ranged = true, .minimum = 1, \
		.maximum = 1e12, .default_value = "33554432",                                      \
		.help = "reading: how many frames the stacks may have in all, besides 128 for "    \
			"each sample"                                                              \
	}
extern const struct perun_option stacks_option_table[];
/* Operations `open` and `close`, where there are no other options. */
int stacks_open(struct perun_ctx *ctx, const struct perun_options *given, const char *subcommand,
		void **instance);
void stacks_close(void *instance);

/* A profile in the making: rows of a stack, values of metrics, labels and times. */
struct stacks;

/*
 * Begin: `tool` is what measured ("stackprof"), `options` those of stacks_open(); NULL where all frames are written out.
 * All borrowed until stacks_end().
 */
struct stacks *stacks_begin(struct perun_ctx *ctx, struct perun_builder *builder, const char *tool,
			    const struct stacks_options *options);
/*
 * End it with the `status` so far: that there is no row is then an error, as is a metric too many. Frees `stacks`,
 * returns the status.
 */
int stacks_end(struct stacks *stacks, int status);

/* The number of a metric, made if it is not there; the first one is the default. A second unit gets "NAME#2". */
unsigned stacks_metric(struct stacks *stacks, const char *name, const char *unit);
/* The same of what timers in the program measured: times are not counts of samples. */
unsigned stacks_measured(struct stacks *stacks, const char *name, const char *unit);
/* The same of all else that is read from clocks and counters of the processor whenever a function begins or ends. */
unsigned stacks_unsampled(struct stacks *stacks, const char *name, const char *unit);
/* The same of what was counted: a program repeats it. */
unsigned stacks_exact(struct stacks *stacks, const char *name, const char *unit);
/* What one sample adds to a metric, in its unit, where the file says it: how much chance there is in sums depends on it. */
void stacks_sample(struct stacks *stacks, unsigned metric, double amount);
/* Give a metric another unit, which the file only shows later. */
void stacks_unit(struct stacks *stacks, unsigned metric, const char *unit);
/* Make a metric the default one. */
void stacks_lead(struct stacks *stacks, unsigned metric);
/* What was measured, where the file names it. */
void stacks_command(struct stacks *stacks, const char *command);
/* What the tool says of itself, put under `key` of extra.TOOL. `value` is taken. */
void stacks_fact(struct stacks *stacks, const char *key, struct perun_json *value);

/* A place in the program; all members but the name may be missing (0, NULL). */
struct stacks_frame {
	const char *name;
	size_t length;    /* of the name; 0: NUL-terminated */
	const char *file; /* source file */
	size_t file_length;
	const char *module; /* program or library */
	size_t module_length;
	int64_t line, column, start_line;
	uint64_t address;
	perun_id name_id, file_id, module_id; /* strings of the profile, instead of the above */
};

/* The location of a frame; equal frames have the same one. */
perun_id stacks_frame(struct stacks *stacks, const struct stacks_frame *frame);
/* The same for a name alone. */
perun_id stacks_name(struct stacks *stacks, const char *name, size_t length);

/*
 * The location that a text was found to be lately, else PERUN_NO_ID: for readers of lines, which ask before they take a
 * text apart, and then give the location that it is, stacks_keep() returns it.
 */
perun_id stacks_recall(struct stacks *stacks, const char *text, size_t length);
perun_id stacks_keep(struct stacks *stacks, perun_id location);

/* Cells of the row that stacks_add() ends. The text of a label may be anything; the same key once. */
void stacks_value(struct stacks *stacks, unsigned metric, double value);
void stacks_label(struct stacks *stacks, const char *key, const char *text, size_t length);
/* The same for strings of the profile, however long. */
void stacks_label_ids(struct stacks *stacks, perun_id key, perun_id text);
void stacks_label_set(struct stacks *stacks, perun_id labels);
void stacks_times(struct stacks *stacks, double start, double end, const char *unit);

/*
 * Make a stack of locations; `leaf_first` says their order. PERUN_INPUT when all together have more frames than the
 * option frame-limit allows, PERUN_CANCELLED when the user wants to stop.
 */
int stacks_make(struct stacks *stacks, const perun_id *locations, size_t count, bool leaf_first,
		perun_id *stack);
/*
 * The same of a path (perun_builder_path()), counted as its frames; PERUN_NO_ID is the empty one. STACKS_NEW_PATH: what readers
 * keep for a node whose path they did not make yet.
 */
#define STACKS_NEW_PATH (PERUN_NO_ID - 1)
int stacks_of_path(struct stacks *stacks, perun_id path, perun_id *stack);
/* Count nodes of a tree that were walked without a frame as frames. Statuses as above. */
int stacks_walk(struct stacks *stacks, size_t steps);
/* End a row of a stack. */
void stacks_add(struct stacks *stacks, perun_id stack);
/* A time that a stack ran for. */
struct stacks_interval {
	double start, end;
	perun_id stack;
};
/* Add a row for each of `count` intervals: the value of `metric` is how long it is. */
void stacks_intervals(struct stacks *stacks, unsigned metric, const char *unit, perun_id labels,
		      const struct stacks_interval *intervals, size_t count);
size_t stacks_rows(const struct stacks *stacks);
struct perun_builder *stacks_builder(struct stacks *stacks);

/*
 * The nodes of a tree that name their callers. The path of one (perun_builder_path()) is made when it is asked for, with those of
 * its callers, and once. Set the first members, the others to 0, and begin.
 */
#define STACKS_NO_NODE SIZE_MAX
struct stacks_nodes {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	void *data;
	/* `*caller`: STACKS_NO_NODE where there is none. Any other status than PERUN_OK is that of stacks_nodes_path(). */
	int (*caller)(void *data, size_t node, size_t *caller);
	/* The location of a node's frame; PERUN_NO_ID: it is left out. Asked twice, first from the leaf on. */
	perun_id (*location)(void *data, size_t node);
	size_t count;
	/* Of each node, less STACKS_NEW_PATH: what nobody asks for stays 0, and takes no memory. */
	perun_id *paths;
	size_t *walked; /* on the way to one whose path is known */
	size_t room;
};

/* So many nodes, with no paths yet. */
void stacks_nodes_begin(struct stacks_nodes *nodes, size_t count);
/* PERUN_INPUT when a node is its own caller. */
int stacks_nodes_path(struct stacks_nodes *nodes, size_t node, perun_id *path);
void stacks_nodes_free(struct stacks_nodes *nodes);

/* The open frames of an indented tree, the root first. */
struct stacks_path {
	perun_id *frames;
	perun_id *paths; /* of each of the first `known` frames, with those before it */
	size_t count, known, room;
};

/* Put a frame at a depth, which is at most the number of open frames; deeper ones end. */
void stacks_path_set(struct stacks_path *path, size_t depth, perun_id frame);
/* The stack of the first `count` open frames: what was said of them before is not walked again. Statuses as of stacks_make(). */
int stacks_path_stack(struct stacks *stacks, struct stacks_path *path, size_t count,
		      perun_id *stack);
void stacks_path_free(struct stacks_path *path);

/*
 * A tree in which each line says what a frame and all below it cost: its own cost is what the frames below leave.
 * `inverted`: the first frames are the leaves, those below them their callers.
 */
struct stacks_tree {
	struct stacks *stacks;
	struct stacks_path path;
	double *left; /* of each open frame */
	size_t room;
	unsigned metric;
	const unsigned *also; /* a second metric with the same values, or NULL */
	perun_id key, label;  /* of all rows; a label 0: there is none */
	bool inverted;
};

/* Open a frame at a depth up to that of the last one plus 1. Rows of frames that end are added. */
int stacks_tree_open(struct stacks_tree *tree, size_t depth, perun_id frame, double cost);
/* End the open frames down to a depth. */
int stacks_tree_close(struct stacks_tree *tree, size_t depth);
void stacks_tree_free(struct stacks_tree *tree);

/* Whether what a probe sees begins with the text, blanks before it left out. */
bool stacks_begins(const struct perun_probe *probe, const char *text);

/*
 * Names of Rust that a tool left half mangled ("_$LT$alloc..vec..Vec$LT$T$GT$$GT$::from::h0123456789abcdef"):
 * with their punctuation and without the hash. Other names stay as they are. Appends to `out`.
 */
void stacks_add_rust_name(struct perun_buffer *out, const char *name, size_t length);

/* "line 12: expected WHAT, found 'TEXT'". Returns PERUN_INPUT. */
int stacks_wrong_at(struct perun_ctx *ctx, uint64_t number, const char *expected, const char *line);
int stacks_wrong_line(struct perun_ctx *ctx, const struct perun_lines *lines, const char *expected,
		      const char *line);
/* Of a tool that ends all its lines: warn when the last one has no end. */
void stacks_warn_open(struct perun_ctx *ctx, const struct perun_lines *lines);

#endif
