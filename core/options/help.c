/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables as text: --help, usage lines, and lists for manual pages. */
#include <ctype.h>
#include <string.h>

#include "core/options/table.h"
#include "core/options/value.h"

/* Where the explanations start, and how narrow they may get. */
enum { COLUMN = 28, NARROWEST = 24 };

/* A metavar of several words names all values of the option, one word each of them. */
static size_t metavar_repeats(const struct perun_option *option, const char *metavar)
{
	return strchr(metavar, ' ') ? 1 : option_arity(option);
}

static void add_metavar(const struct perun_option *option, struct perun_buffer *text)
{
	char *metavar = option_metavar(option);

	for (size_t i = 0; i < metavar_repeats(option, metavar); i++)
		perun_buffer_printf(text, "%s%s", i ? " " : "", metavar);
	perun_free(metavar);
}

/* "-n, -ot, --name N" or "FILE...". */
static void add_heading(const struct perun_option *option, struct perun_buffer *text)
{
	const char *aliases = option->aliases, *alias;
	bool any = false;
	size_t length;

	if (option_is_positional(option)) {
		add_metavar(option, text);
		perun_buffer_add_text(text, option->flags & PERUN_OPTION_REPEATABLE ? "..." : "");
		return;
	}
	while ((alias = option_next_word(&aliases, &length))) {
		if (length > 1 && alias[1] != '-') {
			perun_buffer_printf(text, "%s%.*s", any ? ", " : "", (int)length, alias);
			any = true;
		}
	}
	perun_buffer_printf(text, "%s--%s%s", any ? ", " : "    ",
			    option->flags & PERUN_OPTION_NEGATABLE ? "[no-]" : "", option->name);
	if (option_arity(option) > 0) {
		perun_buffer_add_char(text, ' ');
		add_metavar(option, text);
	}
}

static void add_choices(const char *list, struct perun_buffer *text)
{
	const char *word;
	size_t length;

	for (bool any = false; (word = option_next_word(&list, &length)); any = true)
		perun_buffer_printf(text, "%s%.*s", any ? ", " : "", (int)length, word);
}

/* Whether there is a default worth mentioning: that a flag is off goes without saying. */
static bool has_default(const struct perun_option *option)
{
	return option->type != PERUN_OPTION_FLAG && option->default_value && *option->default_value;
}

static bool is_on_by_default(const struct perun_option *option)
{
	bool on = false;

	return option->type == PERUN_OPTION_FLAG && option->default_value &&
	       option_parse_flag(option->default_value, &on) && on;
}

/* The help sentence with choices and default. */
static void add_explanation(const struct perun_option *option, struct perun_buffer *text)
{
	perun_buffer_add_text(text, option->help ? option->help : "");
	if (option->type == PERUN_OPTION_CHOICE && option->choices) {
		perun_buffer_add_text(text, " (");
		add_choices(option->choices, text);
		perun_buffer_add_char(text, ')');
	}
	if (option->flags & PERUN_OPTION_REQUIRED && !option_is_positional(option))
		perun_buffer_add_text(text, " [required]");
	if (option->flags & PERUN_OPTION_REPEATABLE && !option_is_positional(option))
		perun_buffer_add_text(text, " [may be repeated]");
	if (is_on_by_default(option))
		perun_buffer_add_text(text, " [default: on]");
	else if (has_default(option))
		perun_buffer_printf(text, " [default: %s]", option->default_value);
}

/* Fill `text` with the words of `words` from `column` on; lines after the first are indented. */
static void add_wrapped(const char *words, size_t column, size_t width, struct perun_buffer *text)
{
	size_t at = column;
	const char *word;
	size_t length;

	if (width < column + NARROWEST)
		width = column + NARROWEST;
	for (bool first = true; (word = option_next_word(&words, &length)); first = false) {
		if (!first && at + 1 + length > width) {
			perun_buffer_printf(text, "\n%*s", (int)column, "");
			at = column;
			first = true;
		}
		if (!first)
			perun_buffer_add_char(text, ' ');
		perun_buffer_add(text, word, length);
		at += length + !first;
	}
	perun_buffer_add_char(text, '\n');
}

static void add_help(const struct perun_option *option, unsigned width, struct perun_buffer *text)
{
	struct perun_buffer heading = {0}, explanation = {0};

	add_heading(option, &heading);
	add_explanation(option, &explanation);
	perun_buffer_printf(text, "  %s", heading.data);
	if (heading.length + 4 > COLUMN)
		perun_buffer_printf(text, "\n%*s", COLUMN, "");
	else
		perun_buffer_printf(text, "%*s", (int)(COLUMN - 2 - heading.length), "");
	add_wrapped(explanation.data, COLUMN, width, text);
	perun_buffer_free(&heading);
	perun_buffer_free(&explanation);
}

void perun_options_help(const struct perun_option_table *tables, size_t table_count, unsigned width,
			struct perun_buffer *text)
{
	struct perun_options *options = option_table_new(tables, table_count);

	for (int positional = 1; positional >= 0; positional--) {
		bool any = false;

		for (size_t i = 0; i < options->count; i++) {
			const struct perun_option *option = &options->items[i].option;

			if ((option->flags & PERUN_OPTION_HIDDEN) ||
			    option_is_positional(option) != positional)
				continue;
			if (!any && text->length)
				perun_buffer_add_char(text, '\n');
			if (!any)
				perun_buffer_add_text(text,
						      positional ? "Arguments:\n" : "Options:\n");
			any = true;
			add_help(option, width, text);
		}
	}
	perun_options_free(options);
}

static void add_usage(const struct perun_option *option, struct perun_buffer *text)
{
	bool required = (option->flags & PERUN_OPTION_REQUIRED) != 0;

	if (text->length && text->data[text->length - 1] != ' ')
		perun_buffer_add_char(text, ' ');
	perun_buffer_add_text(text, required ? "" : "[");
	if (!option_is_positional(option))
		perun_buffer_printf(text, "--%s", option->name);
	if (option_arity(option) > 0) {
		if (!option_is_positional(option))
			perun_buffer_add_char(text, ' ');
		add_metavar(option, text);
	}
	perun_buffer_add_text(text, required ? "" : "]");
	if (option->flags & PERUN_OPTION_REPEATABLE)
		perun_buffer_add_text(text, "...");
}

void perun_options_usage(const struct perun_option_table *tables, size_t table_count,
			 struct perun_buffer *text)
{
	/* More than these are not listed one by one. */
	enum { FEW = 5 };
	struct perun_options *options = option_table_new(tables, table_count);
	size_t optional = 0;

	for (size_t i = 0; i < options->count; i++) {
		const struct perun_option *option = &options->items[i].option;

		optional += !option_is_positional(option) &&
			    !(option->flags & (PERUN_OPTION_HIDDEN | PERUN_OPTION_REQUIRED));
	}
	if (optional > FEW) {
		if (text->length && text->data[text->length - 1] != ' ')
			perun_buffer_add_char(text, ' ');
		perun_buffer_add_text(text, "[OPTION...]");
	}
	for (int positional = 0; positional < 2; positional++) {
		for (size_t i = 0; i < options->count; i++) {
			const struct perun_option *option = &options->items[i].option;

			if ((option->flags & PERUN_OPTION_HIDDEN) ||
			    option_is_positional(option) != positional)
				continue;
			if (positional || optional <= FEW ||
			    (option->flags & PERUN_OPTION_REQUIRED))
				add_usage(option, text);
		}
	}
	perun_options_free(options);
}

/* ---- mdoc ------------------------------------------------------------------------------------ */

/* Text as mdoc has it: no word that begins a request or reads as a macro, backslashes escaped. */
static void add_mdoc_word(const char *word, size_t length, bool argument, struct perun_buffer *text)
{
	if (length && (word[0] == '.' || word[0] == '\'' ||
		       (argument && (length <= 3 || ispunct((unsigned char)word[0])))))
		perun_buffer_add_text(text, "\\&");
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '\\')
			perun_buffer_add_text(text, "\\e");
		else if (argument && word[i] == '"')
			perun_buffer_add_text(text, "\\(dq");
		else if (!argument && i && word[i] == ' ' && strchr(".!?", word[i - 1]))
			perun_buffer_add_text(text, "\n\\&"); /* a sentence, a line */
		else
			perun_buffer_add_char(text, word[i]);
	}
}

static void add_mdoc_metavar(const struct perun_option *option, struct perun_buffer *text)
{
	char *metavar = option_metavar(option);

	for (char *c = metavar; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; i < metavar_repeats(option, metavar); i++) {
		const char *words = metavar, *word;
		size_t length;

		while ((word = option_next_word(&words, &length))) {
			perun_buffer_add_text(text, " Ar ");
			add_mdoc_word(word, length, true, text);
		}
	}
	perun_free(metavar);
}

static void add_mdoc_heading(const struct perun_option *option, struct perun_buffer *text)
{
	const char *aliases = option->aliases, *alias;
	size_t length;

	perun_buffer_add_text(text, ".It");
	if (!option_is_positional(option)) {
		while ((alias = option_next_word(&aliases, &length))) {
			perun_buffer_add_text(text, " Fl ");
			add_mdoc_word(alias + 1, length - 1, false, text);
			perun_buffer_add_text(text, " ,");
		}
		perun_buffer_printf(text, " Fl -%s", option->name);
		if (option->flags & PERUN_OPTION_NEGATABLE)
			perun_buffer_printf(text, " , Fl -no-%s", option->name);
	}
	add_mdoc_metavar(option, text);
	if (option_is_positional(option) && (option->flags & PERUN_OPTION_REPEATABLE))
		perun_buffer_add_text(text, " ...");
	perun_buffer_add_char(text, '\n');
}

static void add_mdoc_text(const char *sentence, struct perun_buffer *text)
{
	size_t start = text->length;

	add_mdoc_word(sentence, strlen(sentence), false, text);
	text->data[start] = (char)toupper((unsigned char)text->data[start]);
	perun_buffer_add_text(text, ".\n");
}

static void add_mdoc_item(const struct perun_option *option, struct perun_buffer *text)
{
	add_mdoc_heading(option, text);
	if (option->help && *option->help)
		add_mdoc_text(option->help, text);
	if (option->type == PERUN_OPTION_CHOICE && option->choices) {
		perun_buffer_add_text(text, "One of: ");
		add_choices(option->choices, text);
		perun_buffer_add_text(text, ".\n");
	}
	if (option->flags & PERUN_OPTION_REQUIRED && !option_is_positional(option))
		perun_buffer_add_text(text, "It must be given.\n");
	if (option->flags & PERUN_OPTION_REPEATABLE && !option_is_positional(option))
		perun_buffer_add_text(text, "It may be given more than once.\n");
	if (is_on_by_default(option)) {
		perun_buffer_add_text(text, "On by default.\n");
	} else if (has_default(option)) {
		perun_buffer_add_text(text, "The default is\n.Ql ");
		add_mdoc_word(option->default_value, strlen(option->default_value), true, text);
		perun_buffer_add_text(text, " .\n");
	}
}

void perun_options_manual(const struct perun_option_table *tables, size_t table_count,
			  struct perun_buffer *text)
{
	struct perun_options *options = option_table_new(tables, table_count);
	bool any = false;

	for (int positional = 1; positional >= 0; positional--) {
		for (size_t i = 0; i < options->count; i++) {
			const struct perun_option *option = &options->items[i].option;

			if ((option->flags & PERUN_OPTION_HIDDEN) ||
			    option_is_positional(option) != positional)
				continue;
			if (!any)
				perun_buffer_add_text(text, ".Bl -tag -width Ds\n");
			any = true;
			add_mdoc_item(option, text);
		}
	}
	if (any)
		perun_buffer_add_text(text, ".El\n");
	perun_options_free(options);
}
