/* SPDX-License-Identifier: BSD-3-Clause */
/* What a view looks at: one metric of a profile, filtered as the options say. */
#ifndef PERUN_VIEWS_COMMON_DATA_H
#define PERUN_VIEWS_COMMON_DATA_H

#include <perun/lib/callgraph.h>
#include <perun/json.h>
#include <perun/option.h>
#include <perun/view.h>

#include "views/common/quantity.h"
#include "views/common/repeats.h"

/* The options that views_open() reads: elements of a table. A view may give them other aliases. */
#ifndef VIEWS_FOCUS_ALIASES
#define VIEWS_FOCUS_ALIASES "-f"
#define VIEWS_WHERE_ALIASES "-w"
#endif
#ifndef VIEWS_METRIC_ALIASES
#define VIEWS_METRIC_ALIASES "-m"
#endif
#define VIEWS_DATA_OPTIONS                                                                       \
	{.name = "metric",                                                                       \
	 .aliases = VIEWS_METRIC_ALIASES,                                                        \
	 .metavar = "NAME",                                                                      \
	 .type = PERUN_OPTION_STRING,                                                            \
	 .help = "what is measured: one of the profile's metrics (default: the profile's own)"}, \
		{.name = "by",                                                                   \
		 .aliases = "-g --granularity",                                                  \
		 .metavar = "WHAT",                                                              \
		 .type = PERUN_OPTION_CHOICE,                                                    \
		 .choices = "function file-function file line address module",                   \
		 .default_value = "function",                                                    \
		 .help = "what is one line of the view"},                                        \
		{.name = "no-inlines",                                                           \
		 .help = "count inlined functions as the one that they were inlined into"},      \
		{.name = "focus",                                                                \
		 .aliases = VIEWS_FOCUS_ALIASES,                                                 \
		 .metavar = "REGEX",                                                             \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .help = "only stacks with a frame that matches"},                               \
		{.name = "ignore",                                                               \
		 .metavar = "REGEX",                                                             \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .help = "no stacks with a frame that matches"},                                 \
		{.name = "hide",                                                                 \
		 .metavar = "REGEX",                                                             \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .help = "leave frames that match out of their stacks"},                         \
		{.name = "show",                                                                 \
		 .metavar = "REGEX",                                                             \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .help = "leave frames that do not match out of their stacks"},                  \
		{.name = "show-from",                                                            \
		 .metavar = "REGEX",                                                             \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .help = "begin stacks at the outermost frame that matches, drop the others"},   \
		{.name = "prune-from",                                                           \
		 .metavar = "REGEX",                                                             \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .help = "end stacks at the innermost frame that matches"},                      \
		{.name = "label",                                                                \
		 .metavar = "KEY=REGEX",                                                         \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .flags = PERUN_OPTION_REPEATABLE,                                               \
		 .help = "only samples with such a label; several: all of them"},                \
		{.name = "no-label",                                                             \
		 .metavar = "KEY=REGEX",                                                         \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .flags = PERUN_OPTION_REPEATABLE,                                               \
		 .help = "no samples with such a label"},                                        \
		{.name = "where",                                                                \
		 .aliases = VIEWS_WHERE_ALIASES,                                                 \
		 .metavar = "CONDITION",                                                         \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .flags = PERUN_OPTION_REPEATABLE,                                               \
		 .help = "only resources that fulfil it, such as 'amount > 3'"},                 \
		{.name = "root-label",                                                           \
		 .metavar = "KEY",                                                               \
		 .type = PERUN_OPTION_LIST,                                                      \
		 .flags = PERUN_OPTION_REPEATABLE,                                               \
		 .help = "put the value of the label above the root of each stack"},             \
		{.name = "leaf-label",                                                           \
		 .metavar = "KEY",                                                               \
		 .type = PERUN_OPTION_LIST,                                                      \
		 .flags = PERUN_OPTION_REPEATABLE,                                               \
		 .help = "put the value of the label below the leaf of each stack"},             \
		{.name = "all-frames",                                                           \
		 .help = "keep also the frames that the profile itself asks to drop"},           \
	{                                                                                        \
		.name = "relative", .help = "shares of what filters left, not of everything"     \
	}

/*
 * Where a profile of memory has a metric for each function that allocates, "memory(malloc)" and others,
 * and names no other default: what they are together, called "memory". False elsewhere; borrows from the profile.
 */
struct views_combined {
	struct perun_metric metric;
	const struct perun_metric *without; /* rows that free memory, or NULL */
};
bool views_combined_metric(const struct perun_profile *profile, struct views_combined *combined);
/* The metric of a name, also the combined one, which NULL asks for; NULL when there is none. */
const struct perun_metric *views_metric(const struct perun_profile *profile, const char *name,
					struct views_combined *combined);
/* The sum of a combined metric. */
long double views_combined_sum(const struct views_combined *combined);
/* Whether a row carries a metric, which may be the combined one. */
bool views_metric_has_row(const struct perun_metric *metric, const struct views_combined *combined,
			  size_t row);

struct views_data {
	struct perun_ctx *ctx;
	struct perun_profile *profile; /* a reference; it may have been prepared */
	const char *name;              /* what the user called it; borrowed */
	const struct perun_metric *metric;
	struct views_combined combined; /* what `metric` may point to */
	struct perun_unit unit;
	struct perun_stacks *stacks; /* NULL: it has none, only `selection` of rows */
	uint64_t *selection;
	double *medians; /* what rows contribute where they repeat measurements; NULL = their values */
	struct views_repeats repeats;
	enum perun_granularity by;
	bool no_inlines;
	long double scale; /* engine's values times it are in the metric's unit */
	long double all;   /* absolute sum of all values, before any filter */
	long double left;  /* of what filters left */
	long double whole; /* one of both: what shares are shares of */
	size_t samples;    /* rows that carry the metric */
};

/*
 * Choose and filter by the options; `metric` goes before the option (NULL = as the option says). Traces of Perun's own profiles become stacks. Fails with
 * PERUN_USAGE for wrong expressions, names and filters that need stacks where there are none.
 * views_close() also after a failure.
 */
int views_open(struct perun_ctx *ctx, const struct perun_options *options,
	       struct perun_profile *profile, const char *name, const char *metric,
	       struct views_data *data);
void views_close(struct views_data *data);

/* What a row contributes to sums; NaN = nothing. */
double views_row_value(const struct views_data *data, size_t row);

/* Whether values that grow are good news. */
bool views_higher_is_better(const struct views_data *data);

/* "cpu of a.pb.gz: 3.20 s", what filters left, and where it comes from: lines for people. */
void views_add_heading(const struct views_data *data, const struct perun_canvas *canvas,
		       struct perun_buffer *out);

/*
 * Two profiles, base and new, and one metric of both: the one that is asked for, else the new one's
 * own, else the first that both have. Values are comparable when multiplied by `factor`: they are in
 * new's unit then, and base has new's sum if the option `normalize` is given. Fails with PERUN_INPUT
 * when there is no such metric or its units do not convert.
 */
struct views_pair {
	struct views_data data[2];
	long double factor[2];
	bool converted; /* units differed */
	bool normalized;
};
int views_open_pair(struct perun_ctx *ctx, const struct perun_options *options,
		    struct perun_profile *const *profiles, const char *const *names,
		    struct views_pair *pair);
void views_close_pair(struct views_pair *pair);
/* "cpu of a.pb.gz and b.pb.gz: 3.20 s, now 3.84 s (+20.0 %)": lines for people. */
void views_add_pair_heading(const struct views_pair *pair, const struct perun_canvas *canvas,
			    struct perun_buffer *out);
/* Fail: which metrics the profile has instead of the one that is wanted. */
int views_fail_no_metric(struct perun_ctx *ctx, const struct perun_profile *profile,
			 const char *name, const char *wanted);
/* Append a name of the outside world as the canvas's form, a terminal or Markdown, wants it. */
void views_add_word(struct perun_buffer *out, const char *text, const struct perun_canvas *canvas);
/* A unit that amounts do not carry, unless the name of what is measured ends with it: " ms/frame". */
void views_add_unit(struct perun_buffer *out, const char *before, const struct perun_unit *unit,
		    const char *name, const struct perun_canvas *canvas);

/* What a row is: "function", "file", "line", "address", "module"; without stacks "benchmark" or "name". */
const char *views_title(const struct views_data *data);
/* The same of this many of them: "functions". */
const char *views_plural(const struct views_data *data, size_t count);
/* Members of an open object that say what is shown: profile, metric, unit, by, total, unfiltered. */
void views_write_data(struct perun_json_writer *writer, const struct views_data *data);
/* Of two: base, new, metric, unit, by, base_total, new_total, base_factor. */
void views_write_pair(struct perun_json_writer *writer, const struct views_pair *pair);

/* ---- inside ---------------------------------------------------------------------------------- */

/*
 * A profile whose column "trace" (frames, the innermost first) is a column of stacks as well; a new
 * reference. The same profile when it has stacks, or has no traces.
 */
int views_traces_to_stacks(struct perun_ctx *ctx, struct perun_profile *profile,
			   struct perun_profile **result);
/* Apply the filters of the options to data->stacks. */
int views_filter_stacks(struct views_data *data, const struct perun_options *options);
/* Apply those that make sense to data->selection. */
int views_filter_rows(struct views_data *data, const struct perun_options *options);

#endif
