/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options described as data: parsing, validation, help, completion and manual lists come from it.
 * Threads: tables are constant; parsed values may be read from any thread.
 */
#ifndef PERUN_OPTION_H
#define PERUN_OPTION_H

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_json; /* perun/json.h */

enum perun_option_type {
	PERUN_OPTION_FLAG = 0, /* no value; true when given */
	PERUN_OPTION_INTEGER,  /* int64 */
	PERUN_OPTION_NUMBER,   /* double */
	PERUN_OPTION_STRING,
	PERUN_OPTION_PATH,    /* completed as a file name */
	PERUN_OPTION_CHOICE,  /* one of `choices` */
	PERUN_OPTION_LIST,    /* comma-separated strings */
	PERUN_OPTION_SIZE,    /* bytes: 4096, 10k, 5M, 2G (powers of 1024) */
	PERUN_OPTION_DURATION /* seconds as a double: 0.5, 10s, 5m, 2h, 20ms */
};

enum perun_option_flags {
	PERUN_OPTION_REQUIRED = 1,
	PERUN_OPTION_REPEATABLE = 2, /* every occurrence counts; otherwise the last one wins */
	PERUN_OPTION_POSITIONAL = 4, /* an argument without dashes; in the order of the table */
	PERUN_OPTION_NEGATABLE = 8,  /* a flag that --no-NAME switches off */
	PERUN_OPTION_HIDDEN = 16,    /* understood, not shown (old spellings) */
	PERUN_OPTION_COUNTED = 32 /* a flag: the number of occurrences is its integer value (-vv) */
};

/*
 * One option. A table is an array that ends with a name of NULL; its stride is the `option_size` that
 * is beside it, so that later versions may add members at the end. Members left out are zero.
 */
struct perun_option {
	const char *name;    /* "bucket-number"; --bucket_number is understood as well */
	const char *aliases; /* further spellings, blank-separated: "-n -bn --buckets"; or NULL */
	const char *metavar; /* "N", "NAME VALUE" (of 2); NULL = the upper-cased name */
	const char *help;    /* one sentence, no full stop */
	const char *default_value; /* as the user would write it; NULL = none */
	const char
		*choices; /* blank-separated words for CHOICE; for other types completion hints */
	enum perun_option_type type;
	unsigned flags;
	uint32_t values; /* values per occurrence ("-d com 3": 2); 0 means 1 */
	bool ranged;     /* check minimum <= value <= maximum */
	double minimum, maximum;
};

/*
 * Parsed values of one table. Made by the host; a plugin borrows it during open(). Names are given in
 * their dash form. A name that is not in the table is like an option that was not given; the host makes the
 * operation fail that asked for it.
 */
struct perun_options;

/* Whether the user gave it (on the command line or in a configuration), not merely its default. */
PERUN_EXPORT bool perun_option_given(const struct perun_options *options, const char *name);
/* The number of values, over all occurrences (of its default when not given). */
PERUN_EXPORT size_t perun_option_count(const struct perun_options *options, const char *name);
/* The value (of a repeatable option: the last). Without value and default: false, 0, NULL. */
PERUN_EXPORT bool perun_option_flag(const struct perun_options *options, const char *name);
PERUN_EXPORT int64_t perun_option_integer(const struct perun_options *options, const char *name);
PERUN_EXPORT double perun_option_number(const struct perun_options *options, const char *name);
PERUN_EXPORT uint64_t perun_option_size(const struct perun_options *options, const char *name);
PERUN_EXPORT const char *perun_option_string(const struct perun_options *options, const char *name);
/* Value i in [0, perun_option_count()), as text; list options are split at their commas. */
PERUN_EXPORT const char *perun_option_string_at(const struct perun_options *options,
						const char *name, size_t i);

/*
 * The values as the `params` document of a profile: {"warmup": 3, "repeat": 10}; names with
 * underscores as the Python program has them; options without value are left out. Caller frees it
 * with perun_json_free().
 */
PERUN_EXPORT struct perun_json *perun_options_document(const struct perun_options *options);

#ifdef __cplusplus
}
#endif
#endif
