/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report of `perun pprof` works on, and what reports share. */
#ifndef PERUN_COMMAND_PPROF_REPORT_H
#define PERUN_COMMAND_PPROF_REPORT_H

#include <perun/lib/callgraph.h>
#include <perun/format.h>

#include "measurement.h"
#include "settings.h"

/*
 * A report is a function in a file of its own, and a line in the table of commands.c. By the time it runs
 * the inputs are merged, bases taken off, frames dropped, label frames made, the total computed and
 * all filters done: it looks at `stacks` (what is left of samples), at `values` and at `settings`, and
 * writes to `output`.
 */

/* What a profile says of itself. Texts are owned by the report. */
struct pprof_facts {
	int64_t time, duration, period;
	char *period_type, *period_unit; /* "" = not known */
	char *doc_url, *default_sample_type, *drop_frames, *keep_frames;
	char **comments;
	size_t comment_count;
};

/* A sample type: a column of whole numbers. */
struct pprof_type {
	char *type, *unit; /* as the file has them; owned by the report */
	const struct perun_column *values;
};

struct pprof_report {
	struct perun_ctx *ctx;
	struct pprof_settings settings; /* after pprof_override_settings() */
	struct perun_profile *profile;
	struct perun_stacks *stacks; /* its samples, filtered */
	struct pprof_facts facts;

	struct pprof_type *types;
	size_t type_count;
	size_t shown;                       /* index of the type that is reported */
	const struct perun_column *values;  /* of it */
	const struct perun_column *divisor; /* -mean: what values are divided by; else NULL */
	char *type_name;                    /* "cpu", "mean_delay" */
	const char *unit;                   /* of the values */
	const char *output_unit;            /* what they are printed in; a report may set it */
	double ratio;                       /* 1 / -divide_by */
	int64_t total;                      /* what percentages are of; computed before filters */

	const struct perun_column *labels; /* or NULL */
	const char **label_units; /* by string id of a key: unit of its numbers; NULL = no number */
	const uint8_t
		*hidden_keys; /* by string id: 1 = -tagshow or -taghide hide it; NULL = none */
	uint8_t *hidden;      /* owns it */

	uint64_t *location_ids, *mapping_ids; /* see pprof_id_of_location() */

	struct perun_output *output;
	bool terminal; /* output is a terminal */
};

/* A report. */
struct pprof_command {
	const char *name;
	const char *help; /* NULL: known, but not supported; `refusal` says why */
	int (*run)(struct pprof_report *report);
	const char *refusal;
	bool pattern;    /* takes a regular expression */
	bool binary;     /* not for terminals */
	bool untrimmed;  /* has all nodes and edges */
	bool all_nodes;  /* without -nodecount it has all nodes that are large enough */
	bool addresses;  /* by address, whatever is asked for, and untrimmed */
	bool lines;      /* by line */
	bool code;       /* looks at machine code: addresses are those of the files */
	const char *dot; /* made of a drawing by "dot -T..." */
};
/* The command of a name, or NULL. The table ends with a name of NULL. */
const struct pprof_command *pprof_find_command(const char *name);
extern const struct pprof_command pprof_commands[];

/* ---- what reports share (report.c) ------------------------------------------------------------- */

/* A value of the shown type: divided by -divide_by, in the unit of the report. Appends. */
void pprof_add_value(const struct pprof_report *report, int64_t value, struct perun_buffer *out);
/* The same, padded with blanks on the left to `width` characters. */
void pprof_add_value_padded(const struct pprof_report *report, int64_t value, size_t width,
			    struct perun_buffer *out);
/* In ten characters; "." for 0. */
void pprof_add_value_or_dot(const struct pprof_report *report, int64_t value,
			    struct perun_buffer *out);
/*
 * The lines that are above reports, joined by '\n', without one at the end (pprof's profile labels):
 * file, build id, comments, type, doc, time, duration. Returns whether there are any.
 */
bool pprof_add_profile_labels(const struct pprof_report *report, struct perun_buffer *out);
/* "Active filters:" and its lines; each with '\n' before it unless `out` is empty. */
void pprof_add_active_filters(const struct pprof_report *report, struct perun_buffer *out);
/* The text that a frame is known by (pprof's printable name); appends. */
void pprof_add_name(const struct perun_profile *profile, const struct perun_frame *frame,
		    struct perun_buffer *out);
/* A path without "//", "/./" and "a/../"; "." when nothing is left of it; "" stays. Appends. */
void pprof_add_clean_path(const char *path, struct perun_buffer *out);
/* The last component of a path, as Go's filepath.Base() has it: "." for "", "/" for "//". Appends. */
void pprof_add_base_name(const char *path, struct perun_buffer *out);
/* The frame of a line (of a location) at the granularity of the report. */
struct perun_frame pprof_frame(const struct pprof_report *report, perun_id location,
			       const struct perun_line *line);
/* The granularity in the engine's words. */
void pprof_graph_options(const struct pprof_report *report, struct perun_graph_options *options);
/* A double as a whole number, as Go does it: towards 0; the smallest one where it does not fit. */
int64_t pprof_to_integer(double value);
/* The lowest number has none, and stays. */
static inline int64_t pprof_magnitude(int64_t value)
{
	return value < 0 ? (int64_t)(0 - (uint64_t)value) : value;
}
/* A row's value of the shown type. */
int64_t pprof_value(const struct pprof_report *report, size_t row);
/* The same divided by that of the first type, with -mean. */
int64_t pprof_mean_value(const struct pprof_report *report, size_t row);
/* Whether -tagshow and -taghide leave a label. */
static inline bool pprof_label_shown(const struct pprof_report *report,
				     const struct perun_label *label)
{
	return !report->hidden_keys || !report->hidden_keys[label->key];
}
/* The number of a numeric label as text in its key's unit; `unit` "" = the best. Appends. */
void pprof_add_label_number(const struct pprof_report *report, const struct perun_label *label,
			    const char *unit, struct perun_buffer *out);
/* The ids that a pprof file has for them; those that have none get the numbers after the largest. */
uint64_t pprof_id_of_location(const struct pprof_report *report, perun_id location);
uint64_t pprof_id_of_mapping(const struct pprof_report *report, perun_id mapping);
/* Compile the argument of an option, in RE2's syntax; the error names the option. */
int pprof_compile(struct perun_ctx *ctx, const char *option, const char *expression,
		  struct perun_regex **regex);

/* ---- steps (pipeline.c and what it calls) -------------------------------------------------------- */

/* Do all that comes before the report. Free with pprof_report_free(), also after a failure. */
int pprof_prepare(struct pprof_report *report);
void pprof_report_free(struct pprof_report *report);
/* Read the inputs and bases and merge them (inputs.c). */
int pprof_fetch(struct perun_ctx *ctx, const struct pprof_settings *settings,
		struct perun_profile **profile);
/* What -symbolize says; then names for the addresses of a profile (symbolize.c). */
void pprof_read_symbolize(struct perun_ctx *ctx, struct pprof_settings *settings);
int pprof_symbolize(struct perun_ctx *ctx, const struct pprof_settings *settings,
		    struct perun_profile **profile);
/*
 * Bring a profile of another shape into pprof's (convert.c): metrics that rows name become columns,
 * fractions of a unit whole numbers of a finer one, else they are rounded, with a warning. `*profile` is
 * replaced; it is NULL after a failure.
 */
int pprof_convert(struct perun_ctx *ctx, struct perun_profile **profile);
/* facts.c */
void pprof_read_facts(const struct perun_profile *profile, struct pprof_facts *facts);
void pprof_free_facts(struct pprof_facts *facts);
/* The sample types in the order of the file; false when the profile is not of pprof's shape. */
bool pprof_read_types(const struct perun_profile *profile, struct pprof_type **types,
		      size_t *count);
void pprof_free_types(struct pprof_type *types, size_t count);
/* Choose `shown` and what follows from it (types.c). */
int pprof_choose_type(struct pprof_report *report);
/* The unit of each numeric label (label-units.c); `warn`: of those that are used in several. */
void pprof_find_label_units(struct pprof_report *report, bool warn);
/* Filters by name and label (filters.c). */
int pprof_filter(struct pprof_report *report);
/* The filter of -tagfocus and -tagignore (label-filter.c). */
struct pprof_label_filter;
int pprof_label_filter_new(struct pprof_report *report, const char *option, const char *text,
			   struct pprof_label_filter **filter);
void pprof_label_filter_free(struct pprof_label_filter *filter);
bool pprof_label_filter_matches(struct pprof_label_filter *filter, perun_id labels);
/*
 * What is left of the samples as a profile with the same functions, mappings and locations, whose lines
 * are cut in place (flatten.c). `divide`: values times report->ratio.
 */
int pprof_flatten(struct pprof_report *report, bool divide, struct perun_profile **profile);

/* ---- reports -------------------------------------------------------------------------------------- */

int pprof_report_raw(struct pprof_report *report);
int pprof_report_proto(struct pprof_report *report);
int pprof_report_comments(struct pprof_report *report);
int pprof_report_tags(struct pprof_report *report);
int pprof_report_traces(struct pprof_report *report);
int pprof_report_list(struct pprof_report *report);
int pprof_report_weblist(struct pprof_report *report);
int pprof_report_disasm(struct pprof_report *report);
int pprof_report_image(struct pprof_report *report);
/* Of the graph. */
int pprof_report_top(struct pprof_report *report);
int pprof_report_tree(struct pprof_report *report); /* and -peek: settings.pattern */
int pprof_report_dot(struct pprof_report *report);
int pprof_report_callgrind(struct pprof_report *report);
int pprof_report_topproto(struct pprof_report *report);

#endif
