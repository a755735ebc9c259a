/* SPDX-License-Identifier: BSD-3-Clause */
/* Shell completion by option tables. */
#include <string.h>

#include "core/options/table.h"

/* What is before the word under the cursor. */
struct scan {
	struct perun_options *options;
	const struct option_item *expects; /* the option whose value the word is, or NULL */
	size_t positionals;
	bool options_end;
};

static void scan_option(struct scan *scan, const char *word, const char *const *words, size_t *i)
{
	size_t length = strcspn(word, "=");
	struct option_match match;
	size_t arity;

	if (!option_find(scan->options, word, length, &match) &&
	    (word[1] != '-' || option_find_prefix(scan->options, word, length, &match, NULL) != 1))
		return;
	match.item->given = true;
	arity = option_arity(&match.item->option);
	if (word[length] == '=' && arity > 0)
		arity--;
	for (; arity > 0 && words[*i + 1]; arity--) {
		if (!words[*i + 2]) {
			scan->expects = match.item;
			return;
		}
		(*i)++;
	}
}

/* Walk over all words but the last, which is returned. */
static const char *scan_words(struct scan *scan, const char *const *words)
{
	size_t i = 0;

	if (!words[0])
		return "";
	for (; words[i + 1] && !scan->expects; i++) {
		const char *word = words[i];

		if (scan->options_end || word[0] != '-' || word[1] == '\0')
			scan->positionals++;
		else if (strcmp(word, "--") == 0)
			scan->options_end = true;
		else
			scan_option(scan, word, words, &i);
		if (scan->expects)
			break;
	}
	while (words[i + 1])
		i++;
	return words[i];
}

static void add_values(const struct perun_option *option, const char *before, const char *word,
		       struct perun_buffer *text)
{
	const char *choices = option->choices, *choice;
	size_t length;

	while ((choice = option_next_word(&choices, &length))) {
		if (strlen(word) <= length && strncmp(choice, word, strlen(word)) == 0)
			perun_buffer_printf(text, "%s%.*s\t\n", before, (int)length, choice);
	}
	if (option->type == PERUN_OPTION_PATH)
		perun_buffer_add_text(text, "<file>\n");
}

static void add_name(const char *name, const char *word, const struct perun_option *option,
		     struct perun_buffer *text)
{
	if (strncmp(name, word, strlen(word)) == 0)
		perun_buffer_printf(text, "%s\t%s\n", name, option->help ? option->help : "");
}

static void add_names(const struct perun_options *options, const char *word,
		      struct perun_buffer *text)
{
	for (size_t i = 0; i < options->count; i++) {
		const struct option_item *item = &options->items[i];
		const struct perun_option *option = &item->option;
		char *name;

		if (option_is_positional(option) || (option->flags & PERUN_OPTION_HIDDEN) ||
		    (item->given &&
		     !(option->flags & (PERUN_OPTION_REPEATABLE | PERUN_OPTION_COUNTED))))
			continue;
		name = perun_format("--%s", option->name);
		add_name(name, word, option, text);
		perun_free(name);
		if (option->flags & PERUN_OPTION_NEGATABLE) {
			name = perun_format("--no-%s", option->name);
			add_name(name, word, option, text);
			perun_free(name);
		}
	}
}

/* The positional that the word under the cursor belongs to, NULL when there is none left. */
static const struct perun_option *positional_at(const struct perun_options *options, size_t i)
{
	for (size_t j = 0; j < options->count; j++) {
		const struct perun_option *option = &options->items[j].option;

		if (!option_is_positional(option))
			continue;
		if ((option->flags & PERUN_OPTION_REPEATABLE) || i < option_arity(option))
			return option;
		i -= option_arity(option);
	}
	return NULL;
}

void perun_options_complete(const struct perun_option_table *tables, size_t table_count,
			    const char *const *words, struct perun_buffer *text)
{
	struct scan scan = {.options = option_table_new(tables, table_count)};
	const char *word = scan_words(&scan, words);
	const char *equals = strchr(word, '=');
	const struct perun_option *positional = positional_at(scan.options, scan.positionals);
	struct option_match match;

	if (scan.expects) {
		add_values(&scan.expects->option, "", word, text);
	} else if (word[0] == '-' && !scan.options_end && equals) {
		if (option_find(scan.options, word, (size_t)(equals - word), &match)) {
			char *before = perun_strndup(word, (size_t)(equals - word) + 1);

			add_values(&match.item->option, before, equals + 1, text);
			perun_free(before);
		}
	} else if (word[0] == '-' && !scan.options_end) {
		add_names(scan.options, word, text);
	} else {
		if (positional)
			add_values(positional, "", word, text);
		if (!*word && !scan.options_end)
			add_names(scan.options, word, text);
	}
	perun_options_free(scan.options);
}

bool perun_options_expected(const struct perun_option_table *tables, size_t table_count,
			    const char *const *words, struct perun_option_value *value)
{
	struct scan scan = {.options = option_table_new(tables, table_count)};
	const char *word = scan_words(&scan, words), *equals = strchr(word, '='), *comma;
	const struct perun_option *option = positional_at(scan.options, scan.positionals);
	struct option_match match;

	*value = (struct perun_option_value){.before = word, .text = word};
	if (scan.expects) {
		option = &scan.expects->option;
	} else if (word[0] == '-' && word[1] && !scan.options_end) {
		option = NULL;
		if (equals && option_find(scan.options, word, (size_t)(equals - word), &match)) {
			option = &match.item->option;
			value->text = equals + 1;
		}
	}
	if (option)
		value->option = *option;
	comma = option && option->type == PERUN_OPTION_LIST ? strrchr(value->text, ',') : NULL;
	if (comma)
		value->text = comma + 1;
	perun_options_free(scan.options);
	return option != NULL;
}
