/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of options as JSON. */
#include "option-json.h"

#include <string.h>

static const char *const types[] = {
	[PERUN_OPTION_FLAG] = "flag",         [PERUN_OPTION_INTEGER] = "integer",
	[PERUN_OPTION_NUMBER] = "number",     [PERUN_OPTION_STRING] = "string",
	[PERUN_OPTION_PATH] = "path",         [PERUN_OPTION_CHOICE] = "choice",
	[PERUN_OPTION_LIST] = "list",         [PERUN_OPTION_SIZE] = "size",
	[PERUN_OPTION_DURATION] = "duration",
};

static const struct {
	unsigned flag;
	const char *name;
} flags[] = {{PERUN_OPTION_REQUIRED, "required"},
	     {PERUN_OPTION_REPEATABLE, "repeatable"},
	     {PERUN_OPTION_POSITIONAL, "positional"},
	     {PERUN_OPTION_NEGATABLE, "negatable"},
	     {PERUN_OPTION_COUNTED, "counted"}};

static struct perun_json *text_or_null(const char *text)
{
	return text ? perun_json_text(text) : perun_json_null();
}

static struct perun_json *words(const char *text)
{
	struct perun_json *list = perun_json_array();

	while (text && *text) {
		size_t length = strcspn(text, " ");
		char *word = perun_strndup(text, length);

		perun_json_append(list, perun_json_text(word));
		perun_free(word);
		text += length + (text[length] == ' ');
	}
	return list;
}

static struct perun_json *option_json(const struct perun_option *option)
{
	struct perun_json *fact = perun_json_object(), *list = perun_json_array();

	perun_json_set(fact, "name", perun_json_text(option->name));
	perun_json_set(fact, "aliases", words(option->aliases));
	perun_json_set(fact, "metavar", text_or_null(option->metavar));
	perun_json_set(fact, "help", text_or_null(option->help));
	perun_json_set(fact, "default", text_or_null(option->default_value));
	perun_json_set(fact, "choices", words(option->choices));
	perun_json_set(fact, "type", perun_json_text(types[option->type]));
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (option->flags & flags[i].flag)
			perun_json_append(list, perun_json_text(flags[i].name));
	}
	perun_json_set(fact, "flags", list);
	return fact;
}

struct perun_json *commands_json_options(const struct perun_option *options)
{
	struct perun_json *list = perun_json_array();

	for (; options && options->name; options++) {
		if (!(options->flags & PERUN_OPTION_HIDDEN))
			perun_json_append(list, option_json(options));
	}
	return list;
}
