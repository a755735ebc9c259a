/* SPDX-License-Identifier: BSD-3-Clause */
/* What pprof's command line says: the report, its options, the inputs. */
#ifndef PERUN_COMMAND_PPROF_SETTINGS_H
#define PERUN_COMMAND_PPROF_SETTINGS_H

#include <perun/context.h>

/* The names of a granularity are pprof's. */
enum pprof_granularity {
	PPROF_FUNCTIONS,
	PPROF_FILE_FUNCTIONS,
	PPROF_FILES,
	PPROF_LINES,
	PPROF_ADDRESSES
};

struct pprof_texts {
	const char **items;
	size_t count, capacity;
};

/* Append a borrowed text. Free `items` at the end. */
void pprof_add_text(struct pprof_texts *texts, const char *text);

/* Texts are borrowed from the arguments; "" is what is not given. */
struct pprof_settings {
	/* Options of reports. */
	bool call_tree, relative_percentages, compact_labels, intel_syntax, mean, normalize;
	bool drop_negative, trim, no_inlines, show_columns;
	bool cumulative; /* sort by it */
	bool json;       /* -top as JSON */
	const char *unit, *source_path, *trim_path, *sample_index;
	const char *tag_root, *tag_leaf;
	const char *focus, *ignore, *prune_from, *hide, *show, *show_from;
	const char *tag_focus, *tag_ignore, *tag_show, *tag_hide;
	double divide_by, node_fraction, edge_fraction;
	int64_t node_count; /* -1: as the report has it; 0: all */
	enum pprof_granularity granularity;

	/* What is to be done. */
	const struct pprof_command *command;
	const char *pattern;       /* argument of -peek, -list, -weblist, -disasm; else NULL */
	const char *output, *http; /* HOST:PORT */
	const char *binary, *build_id, *comment;
	const char *symbolize, *demangle; /* as given; the mode that it means */
	const char *tools;                /* where objdump and nm are; "" = PATH */
	bool no_symbols, force_symbols;
	bool all_frames, difference /* -diff_base */, help;
	struct pprof_texts inputs, bases;
};

/* Read the arguments. Free with pprof_settings_free(), also after a failure (PERUN_USAGE). */
int pprof_read_arguments(struct perun_ctx *ctx, int argc, char *const *argv,
			 struct pprof_settings *settings);
void pprof_settings_free(struct pprof_settings *settings);
/* Append the text of -help. */
void pprof_print_help(struct perun_buffer *out);
/* Print what may be in place of the last word: see PERUN_COMMAND_COMPLETES. */
struct perun_command_call;
void pprof_complete(struct perun_ctx *ctx, const struct perun_command_call *call);
/* Show the profiles on a page: perun serve in the place of this program. Returns when that is impossible. */
int pprof_serve(struct perun_ctx *ctx, const struct pprof_settings *settings);
/* What pprof's reports do to the options that are given to them. */
void pprof_override_settings(struct pprof_settings *settings);

#endif
