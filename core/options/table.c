/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables: their layout, and finding an option by its spelling. */
#include <ctype.h>
#include <string.h>

#include "core/options/table.h"

static bool has_name(const struct perun_options *options, const char *name)
{
	for (size_t i = 0; i < options->count; i++) {
		if (option_name_equal(name, strlen(name), options->items[i].option.name))
			return true;
	}
	return false;
}

static void add_table(struct perun_options *options, const struct perun_option_table *table)
{
	size_t stride = table->option_size ? table->option_size : sizeof(struct perun_option);
	size_t size = stride < sizeof(struct perun_option) ? stride : sizeof(struct perun_option);

	for (const char *at = (const char *)table->options; at; at += stride) {
		struct perun_option option = {0};

		memcpy(&option, at, size);
		if (!option.name)
			break;
		if (has_name(options, option.name))
			continue; /* the first table wins */
		PERUN_GROW(options->items, options->count, options->capacity);
		options->items[options->count++] = (struct option_item){.option = option};
	}
}

struct perun_options *option_table_new(const struct perun_option_table *tables, size_t count)
{
	struct perun_options *options = perun_alloc_zero(1, sizeof *options);

	for (size_t i = 0; i < count; i++)
		add_table(options, &tables[i]);
	return options;
}

void perun_options_free(struct perun_options *options)
{
	if (!options)
		return;
	for (size_t i = 0; i < options->count; i++) {
		option_item_clear(&options->items[i]);
		perun_free(options->items[i].values);
	}
	perun_free(options->items);
	perun_free(options);
}

void option_item_clear(struct option_item *item)
{
	for (size_t i = 0; i < item->count; i++)
		perun_free(item->values[i]);
	item->count = 0;
}

size_t option_arity(const struct perun_option *option)
{
	if (option->type == PERUN_OPTION_FLAG)
		return 0;
	return option->values ? option->values : 1;
}

static char dash(char c)
{
	return c == '_' ? '-' : c;
}

static bool begins_with(const char *name, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (dash(text[i]) != dash(name[i]))
			return false; /* also at the end of `name` */
	}
	return true;
}

bool option_name_equal(const char *text, size_t length, const char *name)
{
	return strlen(name) == length && begins_with(name, text, length);
}

const char *option_next_word(const char **list, size_t *length)
{
	const char *word = *list;

	if (!word)
		return NULL;
	word += strspn(word, " ");
	*length = strcspn(word, " ");
	*list = word + *length;
	return *length ? word : NULL;
}

static bool is_long(const char *word, size_t length)
{
	return length > 2 && word[0] == '-' && word[1] == '-';
}

/* "no-color" of the negatable option "color". */
static bool is_negation(const struct perun_option *option, const char *name, size_t length)
{
	return (option->flags & PERUN_OPTION_NEGATABLE) && length > 3 &&
	       begins_with("no-", name, 3) && option_name_equal(name + 3, length - 3, option->name);
}

static bool has_alias(const struct perun_option *option, const char *word, size_t length)
{
	const char *aliases = option->aliases, *alias;
	size_t alias_length;

	while ((alias = option_next_word(&aliases, &alias_length))) {
		if (alias_length == length && begins_with(alias, word, length))
			return true;
	}
	return false;
}

bool option_find(struct perun_options *options, const char *word, size_t length,
		 struct option_match *match)
{
	for (size_t i = 0; i < options->count; i++) {
		struct option_item *item = &options->items[i];
		bool negated = false;

		if (option_is_positional(&item->option))
			continue;
		if (is_long(word, length))
			negated = is_negation(&item->option, word + 2, length - 2);
		if (negated || has_alias(&item->option, word, length) ||
		    (is_long(word, length) &&
		     option_name_equal(word + 2, length - 2, item->option.name))) {
			*match = (struct option_match){item, negated};
			return true;
		}
	}
	return false;
}

/* Whether the beginning of a long name fits; `*negated`: only its --no- form. */
static bool prefix_fits(const struct perun_option *option, const char *word, size_t length,
			bool *negated)
{
	const char *aliases = option->aliases, *alias;
	size_t alias_length;

	*negated = false;
	if (begins_with(option->name, word + 2, length - 2))
		return true;
	while ((alias = option_next_word(&aliases, &alias_length))) {
		if (alias_length > length && begins_with(alias, word, length))
			return true;
	}
	*negated = (option->flags & PERUN_OPTION_NEGATABLE) && length > 5 &&
		   begins_with("no-", word + 2, 3) &&
		   begins_with(option->name, word + 5, length - 5);
	return *negated;
}

size_t option_find_prefix(struct perun_options *options, const char *word, size_t length,
			  struct option_match *match, struct perun_buffer *candidates)
{
	size_t found = 0;

	for (size_t i = 0; i < options->count; i++) {
		struct option_item *item = &options->items[i];
		bool negated;

		if (option_is_positional(&item->option) ||
		    (item->option.flags & PERUN_OPTION_HIDDEN) ||
		    !prefix_fits(&item->option, word, length, &negated))
			continue;
		*match = (struct option_match){item, negated};
		if (candidates)
			perun_buffer_printf(candidates, "%s--%s%s", found ? " or " : "",
					    negated ? "no-" : "", item->option.name);
		found++;
	}
	return found;
}

char *option_metavar(const struct perun_option *option)
{
	char *text;

	if (option->metavar)
		return perun_strdup(option->metavar);
	text = perun_strdup(option->name);
	for (char *c = text; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
	return text;
}

void option_spelling(const struct perun_option *option, struct perun_buffer *text)
{
	if (option_is_positional(option)) {
		char *metavar = option_metavar(option);

		perun_buffer_printf(text, "argument %s", metavar);
		perun_free(metavar);
	} else {
		perun_buffer_printf(text, "option --%s", option->name);
	}
}
