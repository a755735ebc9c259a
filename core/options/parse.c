/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing the words of a command line by option tables. */
#include <string.h>

#include <perun/lib/advice.h>
#include <perun/lib/options.h>

#include "core/options/table.h"
#include "core/options/value.h"

struct parse {
	struct perun_ctx *ctx;
	struct perun_options *options;
	const char *const *words;
	size_t at; /* the next word */
	const char **positionals;
	size_t positional_count, positional_capacity;
	size_t places; /* how many positional words the tables take; SIZE_MAX = any number */
	unsigned flags;
};

/* Whether words of a command are before the option: it may be the command's own. */
static bool is_after_command(const struct parse *parse)
{
	for (size_t i = 0; i < parse->options->count; i++) {
		const struct perun_option *option = &parse->options->items[i].option;

		if (option_is_positional(option) && strcmp(option->name, "command") == 0)
			return parse->positional_count > 0;
	}
	return false;
}

/* "unknown option --repat; did you mean --repeat?" */
static int unknown_option(struct parse *parse, const char *word, size_t length)
{
	char *given = perun_strndup(word, length);
	const char **names = perun_alloc_zero(parse->options->count + 1, sizeof *names);
	const char *near;
	size_t count = 0;
	int status;

	for (size_t i = 0; i < parse->options->count; i++) {
		const struct perun_option *option = &parse->options->items[i].option;

		if (!option_is_positional(option) && !(option->flags & PERUN_OPTION_HIDDEN))
			names[count++] = option->name;
	}
	near = perun_suggest(given + strspn(given, "-"), names, count);
	if (is_after_command(parse))
		status = perun_fail(
			parse->ctx, PERUN_USAGE,
			"unknown option %s; if it is one of the command, put -- before the "
			"command",
			given);
	else if (near)
		status = perun_fail(parse->ctx, PERUN_USAGE,
				    "unknown option %s; did you mean --%s?", given, near);
	else
		status = perun_fail(parse->ctx, PERUN_USAGE,
				    "unknown option %s%s", given,
				    perun_advice(PERUN_ADVICE_LIST_OPTIONS));
	perun_free(given);
	perun_free(names);
	return status;
}

static void set_flag(struct option_item *item, bool on)
{
	item->on = on;
	item->occurrences = on ? item->occurrences + 1 : 0;
	item->given = true;
}

/* A list of a configuration has the name of its option before each value: "--range 1 --range 2" is "--range 1 2". */
static bool is_named_again(const struct option_item *item, const char *word)
{
	return word && strncmp(word, "--", 2) == 0 &&
	       option_name_equal(word + 2, strlen(word + 2), item->option.name);
}

/* Take the values of an option: `first` (after "=" or in the same word) or the words that follow. */
static int take_values(struct parse *parse, struct option_item *item, const char *spelling,
		       size_t length, const char *first)
{
	size_t arity = option_arity(&item->option);

	if (!(item->option.flags & PERUN_OPTION_REPEATABLE))
		option_item_clear(item);
	item->given = true;
	for (size_t i = 0; i < arity; i++) {
		const char *value = i == 0 ? first : NULL;
		int status;

		if (i > 0 && is_named_again(item, parse->words[parse->at]))
			parse->at++;
		if (!value)
			value = parse->words[parse->at];
		if (!value && arity == 1)
			return perun_fail(parse->ctx, PERUN_USAGE, "option %.*s needs a value",
					  (int)length, spelling);
		if (!value)
			return perun_fail(parse->ctx, PERUN_USAGE,
					  "option %.*s needs %zu values, got %zu", (int)length,
					  spelling, arity, i);
		if (i > 0 || !first)
			parse->at++;
		status = option_item_add(parse->ctx, item, value);
		if (status != PERUN_OK)
			return status;
	}
	return PERUN_OK;
}

/* An option that was found, with what was after its "=" (NULL = nothing). */
static int apply(struct parse *parse, const struct option_match *match, const char *spelling,
		 size_t length, const char *value)
{
	if (option_arity(&match->item->option) > 0)
		return take_values(parse, match->item, spelling, length, value);
	if (value)
		return perun_fail(parse->ctx, PERUN_USAGE, "option %.*s takes no value",
				  (int)length, spelling);
	set_flag(match->item, !match->negated);
	return PERUN_OK;
}

/* "--name", "--name=value", "--nam". */
static int parse_long(struct parse *parse, const char *word)
{
	size_t length = strcspn(word, "=");
	const char *value = word[length] ? word + length + 1 : NULL;
	struct perun_buffer candidates = {0};
	struct option_match match;
	size_t found;
	int status;

	if (option_find(parse->options, word, length, &match))
		return apply(parse, &match, word, length, value);
	found = option_find_prefix(parse->options, word, length, &match, &candidates);
	if (found == 1)
		status = apply(parse, &match, word, length, value);
	else if (found > 1)
		status = perun_fail(parse->ctx, PERUN_USAGE, "option %.*s is ambiguous: %s",
				    (int)length, word, candidates.data);
	else
		status = unknown_option(parse, word, length);
	perun_buffer_free(&candidates);
	return status;
}

/* "-n5", "-abc", "-abn 5": letters that are options of their own. */
static int parse_letters(struct parse *parse, const char *word)
{
	for (size_t i = 1; word[i]; i++) {
		char spelling[3] = {'-', word[i], '\0'};
		struct option_match match;

		if (!option_find(parse->options, spelling, 2, &match))
			return unknown_option(parse, word, strlen(word));
		if (option_arity(&match.item->option) > 0) {
			const char *value = word[i + 1] == '=' ? word + i + 2 : word + i + 1;

			return take_values(parse, match.item, spelling, 2,
					   word[i + 1] ? value : NULL);
		}
		set_flag(match.item, !match.negated);
	}
	return PERUN_OK;
}

/* "-n", "-ot" and "-ot=value" as they are in the table; else letters. */
static int parse_short(struct parse *parse, const char *word)
{
	size_t length = strcspn(word, "=");
	struct option_match match;

	if (option_find(parse->options, word, strlen(word), &match))
		return apply(parse, &match, word, strlen(word), NULL);
	if (word[length] && option_find(parse->options, word, length, &match))
		return apply(parse, &match, word, length, word + length + 1);
	return parse_letters(parse, word);
}

/* A word that begins with a dash and is a number, not the name of an option. */
static bool is_negative_number(struct parse *parse, const char *word)
{
	struct option_match match;
	double number;

	return option_parse_number(word, &number) && !option_find(parse->options, word, 2, &match);
}

static size_t count_places(const struct perun_options *options)
{
	size_t places = 0;

	for (size_t i = 0; i < options->count; i++) {
		const struct perun_option *option = &options->items[i].option;

		if (!option_is_positional(option))
			continue;
		if (option->flags & PERUN_OPTION_REPEATABLE)
			return SIZE_MAX;
		places += option_arity(option);
	}
	return places;
}

static int parse_words(struct parse *parse)
{
	bool options_end = false;

	while (parse->words[parse->at]) {
		const char *word = parse->words[parse->at];
		int status = PERUN_OK;

		if (options_end || word[0] != '-' || word[1] == '\0' ||
		    is_negative_number(parse, word)) {
			if (parse->positional_count >= parse->places &&
			    (parse->flags & PERUN_PARSE_STOP_AT_POSITIONAL))
				return PERUN_OK;
			PERUN_GROW(parse->positionals, parse->positional_count,
				   parse->positional_capacity);
			parse->positionals[parse->positional_count++] = word;
			parse->at++;
			continue;
		}
		parse->at++;
		if (strcmp(word, "--") == 0)
			options_end = true;
		else if (word[1] == '-')
			status = parse_long(parse, word);
		else
			status = parse_short(parse, word);
		if (status != PERUN_OK)
			return status;
	}
	return PERUN_OK;
}

/* The words that the required positionals from item `first` on need. */
static size_t needed_from(const struct perun_options *options, size_t first)
{
	size_t needed = 0;

	for (size_t i = first; i < options->count; i++) {
		const struct perun_option *option = &options->items[i].option;

		if (option_is_positional(option) && (option->flags & PERUN_OPTION_REQUIRED))
			needed += option_arity(option);
	}
	return needed;
}

/*
 * Give the words without dashes to the positionals in the order of the table; one that repeats takes
 * what the required ones after it leave.
 */
static int assign_positionals(struct parse *parse)
{
	struct perun_options *options = parse->options;
	size_t next = 0;

	for (size_t i = 0; i < options->count; i++) {
		struct option_item *item = &options->items[i];
		size_t left = parse->positional_count - next, take = option_arity(&item->option);
		size_t later = needed_from(options, i + 1);

		if (!option_is_positional(&item->option) || left == 0)
			continue;
		if (item->option.flags & PERUN_OPTION_REPEATABLE)
			take = left > later ? left - later : 0;
		else if (!(item->option.flags & PERUN_OPTION_REQUIRED) && left < take + later)
			take = 0;
		if (take > left)
			take = left;
		for (size_t j = 0; j < take; j++) {
			int status = option_item_add(parse->ctx, item, parse->positionals[next++]);

			if (status != PERUN_OK)
				return status;
			item->given = true;
		}
	}
	if (next < parse->positional_count)
		return perun_fail(parse->ctx, PERUN_USAGE, "unexpected argument '%s'",
				  parse->positionals[next]);
	return PERUN_OK;
}

int perun_options_parse(struct perun_ctx *ctx, const struct perun_option_table *tables,
			size_t table_count, const char *const *words, unsigned flags,
			struct perun_options **options, size_t *used)
{
	struct parse parse = {.ctx = ctx, .words = words, .flags = flags};
	int status;

	parse.options = option_table_new(tables, table_count);
	parse.places = count_places(parse.options);
	status = parse_words(&parse);
	if (status == PERUN_OK)
		status = assign_positionals(&parse);
	if (status == PERUN_OK)
		status = option_table_finish(ctx, parse.options);
	perun_free(parse.positionals);
	if (used)
		*used = parse.at;
	*options = NULL;
	if (status == PERUN_OK)
		*options = parse.options;
	else
		perun_options_free(parse.options);
	return status;
}
