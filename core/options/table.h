/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables in the host's own layout, with the values parsed so far; private to core/options. */
#ifndef PERUN_CORE_OPTIONS_TABLE_H
#define PERUN_CORE_OPTIONS_TABLE_H

#include <perun/lib/options.h>

/* One option and its values as validated texts, over all occurrences. */
struct option_item {
	struct perun_option option; /* in the host's layout */
	char **values;
	size_t count, capacity;
	size_t occurrences; /* of a flag: how often it was switched on */
	bool given;
	bool on; /* of a flag */
};

struct perun_options {
	struct option_item *items;
	size_t count, capacity;
};

/* The items of the tables, with their default values not yet set. */
struct perun_options *option_table_new(const struct perun_option_table *tables, size_t count);

/* The number of values that one occurrence takes: 0 for flags. */
size_t option_arity(const struct perun_option *option);
static inline bool option_is_positional(const struct perun_option *option)
{
	return (option->flags & PERUN_OPTION_POSITIONAL) != 0;
}

/* Equal texts, where underscores are dashes; of `length` bytes of `text` and the whole `name`. */
bool option_name_equal(const char *text, size_t length, const char *name);
/* The next alias in a blank-separated list: its start, NULL at the end; `*list` moves on. */
const char *option_next_word(const char **list, size_t *length);

/* How a word matched an option. */
struct option_match {
	struct option_item *item;
	bool negated;
};
/*
 * Find the option with exactly this spelling, dashes included ("--repeat", "-ot", "--no-color").
 */
bool option_find(struct perun_options *options, const char *word, size_t length,
		 struct option_match *match);
/*
 * The same for "--rep", the beginning of one long name. Returns the number of different options that
 * fit; appends their spellings to `candidates` ("--repeat or --report") when it is not NULL.
 */
size_t option_find_prefix(struct perun_options *options, const char *word, size_t length,
			  struct option_match *match, struct perun_buffer *candidates);

/* "--repeat", or the metavar of a positional, for messages. Appended to a buffer of the caller. */
void option_spelling(const struct perun_option *option, struct perun_buffer *text);
/* The metavar, or the name in capitals with dashes as underscores; owned by the caller. */
char *option_metavar(const struct perun_option *option);

/* Forget the values (the last occurrence wins). */
void option_item_clear(struct option_item *item);
/*
 * Check one value against type, range and choices, and add it (a list: each of its parts). `where` is
 * put before the message: "option --repeat". Fails with PERUN_USAGE.
 */
int option_item_add(struct perun_ctx *ctx, struct option_item *item, const char *value);
/* After all values: required ones are there, defaults in place of what was not given. */
int option_table_finish(struct perun_ctx *ctx, struct perun_options *options);

#endif
