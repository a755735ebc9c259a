/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Option tables at work: parsing, help, completion, manual lists; and "did you mean".
 * Of the growing part of the interface: see perun/lib/version.h.
 * Any thread may call these; a result belongs to one thread at a time.
 */
#ifndef PERUN_LIB_OPTIONS_H
#define PERUN_LIB_OPTIONS_H

#include <perun/lib/version.h>
#include <perun/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A table and its stride, as plugins give them. `options` may be NULL. */
struct perun_option_table {
	const struct perun_option *options;
	uint32_t option_size; /* 0 = sizeof(struct perun_option) */
};

enum perun_parse_flags {
	PERUN_PARSE_STOP_AT_POSITIONAL =
		1 /* stop at the first word that is not an option and that no
					      positional of the tables takes: a sub-command */
};

/*
 * Parse words by up to 4 tables taken together. The tables are borrowed as long as the result lives,
 * the words are copied. `words` ends with NULL; the command's name is not among them. "--" ends the
 * options. `*used`, if not NULL, becomes the number of words taken. Fails with PERUN_USAGE: "unknown
 * option --repat; did you mean --repeat?". `*options` is freed with perun_options_free().
 */
PERUN_EXPORT int perun_options_parse(struct perun_ctx *ctx, const struct perun_option_table *tables,
				     size_t table_count, const char *const *words, unsigned flags,
				     struct perun_options **options, size_t *used);
/*
 * The same from a document {"repeat": 3, "names": ["a", "b"]} as a configuration or a job has it
 * (`params`). Unknown keys are errors.
 */
PERUN_EXPORT int perun_options_from_document(struct perun_ctx *ctx,
					     const struct perun_option_table *tables,
					     size_t table_count, const struct perun_json *document,
					     struct perun_options **options);
PERUN_EXPORT void perun_options_free(struct perun_options *options);
/*
 * Fails with PERUN_INPUT when this thread has asked for an option that its table lacks since the last call, and names
 * it. Calls of plugins end with it; so should the commands of a program with tables of its own.
 */
PERUN_EXPORT int perun_options_check(struct perun_ctx *ctx);

/* Append the options' part of a --help text, wrapped to `width` columns. */
PERUN_EXPORT void perun_options_help(const struct perun_option_table *tables, size_t table_count,
				     unsigned width, struct perun_buffer *text);
/* Append "[-n N] [--flag] FILE..." for a usage line. */
PERUN_EXPORT void perun_options_usage(const struct perun_option_table *tables, size_t table_count,
				      struct perun_buffer *text);
/* Append the list of options as mdoc (.Bl ... .El). */
PERUN_EXPORT void perun_options_manual(const struct perun_option_table *tables, size_t table_count,
				       struct perun_buffer *text);
/*
 * Append completions of the last of `words` (the one under the cursor), a line each:
 * "--repeat<TAB>number of runs"; "<file>" alone where a file name is expected.
 */
PERUN_EXPORT void perun_options_complete(const struct perun_option_table *tables,
					 size_t table_count, const char *const *words,
					 struct perun_buffer *text);

/* The option whose value the last word is, as far as it is written. */
struct perun_option_value {
	struct perun_option option; /* its texts belong to the table */
	const char *before;         /* where the word begins: "--minor=" of --minor=HE, or the value itself */
	const char *text;           /* the value: HE. Both point into the last word. */
};
/*
 * Which option or positional the last of `words` is a value of; false when it is none: the name of an option, or a
 * word that no positional takes. The part of a list after its last comma is the value.
 */
PERUN_EXPORT bool perun_options_expected(const struct perun_option_table *tables,
					 size_t table_count, const char *const *words,
					 struct perun_option_value *value);

/* ---- the nearest of some names ----------------------------------------------------------------- */

/*
 * Steps between two words: letters inserted, removed, changed, or neighbours swapped (optimal string
 * alignment distance; F. Damerau, "A technique for computer detection and correction of spelling
 * errors", CACM 7 (1964)). Dashes and underscores are the same, upper and lower case are not far.
 */
PERUN_EXPORT size_t perun_word_distance(const char *one, const char *other);
/* The nearest of `count` names, NULL when none is near enough to be meant. Borrowed from `names`. */
PERUN_EXPORT const char *perun_suggest(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif
