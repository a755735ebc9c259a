/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings that Perun knows, and what values they may have. */
#include <string.h>

#include <perun/lib/advice.h>
#include <perun/lib/options.h>
#include <perun/lib/settings.h>

#include "core/config/config.h"
#include "core/options/value.h"

#define FORMATTED "%collector%-%cmd%-%workload%-%date%"

static const struct perun_setting settings[] = {
	{.key = "args", .help = "arguments of the programs", .type = PERUN_OPTION_LIST},
	{.key = "cmds", .help = "programs to measure", .type = PERUN_OPTION_LIST},
	{.key = "collectors",
	 .help = "what to measure with",
	 .type = PERUN_OPTION_LIST,
	 .has_parts = true,
	 .form = "[time, {name: time}]"},
	/* Each other part is an option of a method, which the checks know. */
	{.key = "degradation",
	 .help = "options of the methods of checks, by name",
	 .type = PERUN_OPTION_STRING,
	 .has_parts = true},
	{.key = "degradation.apply",
	 .help = "which rules that fit a profile are used",
	 .default_value = "all",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "all first"},
	{.key = "degradation.collect_before_check",
	 .help = "measure what a version lacks before it is checked",
	 .default_value = "false",
	 .type = PERUN_OPTION_FLAG},
	{.key = "degradation.log_collect",
	 .help = "of the Python program",
	 .default_value = "false",
	 .type = PERUN_OPTION_FLAG},
	{.key = "degradation.strategies",
	 .help = "rules that choose the method of a check",
	 .type = PERUN_OPTION_LIST,
	 .has_parts = true,
	 .form = "[{method: shift}]"},
	{.key = "degradation.thresholds",
	 .help = "the smallest changes that count, benchmark by benchmark",
	 .type = PERUN_OPTION_STRING,
	 .has_parts = true,
	 .form = "{BenchmarkParse: 5}"},
	{.key = "execute.files",
	 .help = "files that each version gets before it is built",
	 .type = PERUN_OPTION_LIST},
	{.key = "execute.pre_run",
	 .help = "commands that build a version before it is measured",
	 .type = PERUN_OPTION_LIST},
	{.key = "executors",
	 .help = "who measures cells, by site and class of machines",
	 .type = PERUN_OPTION_LIST,
	 .has_parts = true,
	 .form = "[{name: local}]"},
	{.key = "format.output_profile_template",
	 .help = "the name of a new profile",
	 .default_value = FORMATTED,
	 .type = PERUN_OPTION_STRING},
	{.key = "format.output_show_template",
	 .help = "of the Python program",
	 .default_value = FORMATTED,
	 .type = PERUN_OPTION_STRING},
	{.key = "format.shortlog",
	 .help = "the columns of the short log",
	 .default_value = "%checksum:6% (%stats%) %desc% %changes%",
	 .type = PERUN_OPTION_STRING},
	{.key = "format.sort_profiles_by",
	 .help = "the order in which profiles are listed and numbered",
	 .default_value = "time",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "time source type cmd workload collector checksum realpath"},
	{.key = "format.sort_profiles_order",
	 .help = "whether the first one listed is the largest (desc) or the smallest (asc)",
	 .default_value = "desc",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "asc desc"},
	{.key = "format.status",
	 .help = "the columns of status",
	 .default_value = "\xe2\x94\x83 %type% \xe2\x94\x83 %collector%  \xe2\x94\x83 (%time%) "
			  "\xe2\x94\x83 %source% \xe2\x94\x83",
	 .type = PERUN_OPTION_STRING},
	{.key = "general.editor",
	 .help = "the editor of config edit",
	 .default_value = "vim",
	 .type = PERUN_OPTION_STRING},
	{.key = "general.paging",
	 .help = "which commands write into a pager",
	 .default_value = "only-log",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "always only-log only-status never"},
	{.key = "generators",
	 .help = "generators of workloads",
	 .type = PERUN_OPTION_LIST,
	 .has_parts = true,
	 .form = "{workload: [{id: sizes, type: integer}]}"},
	{.key = "hooks.on_degradation",
	 .help = "commands after a check that found a degradation",
	 .type = PERUN_OPTION_LIST},
	{.key = "hooks.post_job",
	 .help = "commands after each job of a run",
	 .type = PERUN_OPTION_LIST},
	{.key = "hooks.post_run", .help = "commands after a run", .type = PERUN_OPTION_LIST},
	{.key = "hooks.pre_job",
	 .help = "commands before each job of a run",
	 .type = PERUN_OPTION_LIST},
	{.key = "hooks.pre_run", .help = "commands before a run", .type = PERUN_OPTION_LIST},
	{.key = "parameters",
	 .help = "values that replace names in commands",
	 .type = PERUN_OPTION_STRING,
	 .has_parts = true,
	 .form = "{processes: [1, 2]}"},
	{.key = "postprocessors",
	 .help = "what to do with new profiles",
	 .type = PERUN_OPTION_LIST,
	 .has_parts = true,
	 .form = "[normalizer, {name: normalizer}]"},
	{.key = "profiles.overwrite",
	 .help = "of the Python program",
	 .default_value = "false",
	 .type = PERUN_OPTION_FLAG},
	{.key = "profiles.register_after_run",
	 .help = "register new profiles at once",
	 .default_value = "false",
	 .type = PERUN_OPTION_FLAG},
	{.key = "safe.store",
	 .help = "stores of other users that may be used",
	 .type = PERUN_OPTION_LIST},
	{.key = "store.expanded_rows",
	 .help = "up to this many rows of other formats are stored as Perun resources, too",
	 .default_value = "500",
	 .type = PERUN_OPTION_INTEGER},
	{.key = "store.lock_timeout",
	 .help = "how many seconds a command waits for another one that changes the store",
	 .default_value = "120",
	 .type = PERUN_OPTION_INTEGER},
	{.key = "store.object_limit",
	 .help = "the largest object that is read, in bytes",
	 .default_value = "17179869184",
	 .type = PERUN_OPTION_INTEGER},
	{.key = "store.retention.all",
	 .help = "how long perun gc keeps all profiles; without it, for ever",
	 .type = PERUN_OPTION_DURATION},
	{.key = "store.retention.hourly",
	 .help = "up to which age it then keeps the newest profile of each hour; later that of "
		 "each day",
	 .type = PERUN_OPTION_DURATION},
	{.key = "vcs.options",
	 .help = "a map with options of the plugin for the version control system",
	 .type = PERUN_OPTION_STRING,
	 .has_parts = true,
	 .form = "{NAME: VALUE}"},
	{.key = "vcs.type",
	 .help = "the plugin for the version control system",
	 .type = PERUN_OPTION_STRING},
	{.key = "vcs.url",
	 .help = "the place of the repository, relative to .perun",
	 .type = PERUN_OPTION_STRING},
	{.key = "workloads", .help = "what the programs are given", .type = PERUN_OPTION_LIST},
};
#define COUNT (sizeof settings / sizeof *settings)

const struct perun_setting *perun_setting_at(size_t i)
{
	return i < COUNT ? &settings[i] : NULL;
}

const struct perun_setting *perun_setting_find(const char *key)
{
	const struct perun_setting *whole = NULL;

	for (size_t i = 0; i < COUNT; i++) {
		size_t length = strlen(settings[i].key);

		if (strncmp(key, settings[i].key, length) != 0)
			continue;
		if (key[length] == '\0')
			return &settings[i];
		if (key[length] == '.' && settings[i].has_parts)
			whole = &settings[i];
	}
	return whole;
}

/* "format" is the beginning of keys, but nothing that could be set. */
static bool is_section(const char *key)
{
	size_t length = strlen(key);

	for (size_t i = 0; i < COUNT; i++) {
		if (strncmp(settings[i].key, key, length) == 0 && settings[i].key[length] == '.')
			return true;
	}
	return false;
}

static int fail_unknown(struct perun_ctx *ctx, const char *key)
{
	const char *names[COUNT], *near;

	if (is_section(key))
		return perun_fail(ctx, PERUN_USAGE, "%s is a group of settings: name one of them",
				  key);
	for (size_t i = 0; i < COUNT; i++)
		names[i] = settings[i].key;
	near = perun_suggest(key, names, COUNT);
	return near ? perun_fail(ctx, PERUN_USAGE, "there is no setting %s; did you mean %s?", key,
				 near)
		    : perun_fail(ctx, PERUN_USAGE, "there is no setting %s%s", key,
				 perun_advice(PERUN_ADVICE_LIST_SETTINGS));
}

/* The words of a choice, with commas. */
static char *list_choices(const char *choices)
{
	struct perun_buffer text = {0};

	for (const char *at = choices; *at; at++) {
		if (*at == ' ')
			perun_buffer_add_text(&text, ", ");
		else
			perun_buffer_add_char(&text, *at);
	}
	return perun_buffer_take(&text);
}

static bool is_choice(const char *choices, const char *value)
{
	size_t length = strlen(value);

	for (const char *at = choices; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (length && strncmp(at, value, length) == 0 &&
		    (at[length] == ' ' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* YAML takes false, 3 and 1.5 for other things than texts. */
static bool is_bare_scalar(const char *value)
{
	struct perun_json *read = perun_yaml_value(value);
	enum perun_json_type type = perun_json_type(read);

	perun_json_free(read);
	return type != PERUN_JSON_TYPE_NULL && type != PERUN_JSON_TYPE_STRING &&
	       type != PERUN_JSON_TYPE_ARRAY && type != PERUN_JSON_TYPE_OBJECT;
}

enum kind { NOTHING, SCALAR, LIST, MAP };

static enum kind kind_of(const struct perun_json *value)
{
	enum perun_json_type type = perun_json_type(value);

	if (!value || type == PERUN_JSON_TYPE_NULL)
		return NOTHING;
	if (type == PERUN_JSON_TYPE_OBJECT)
		return MAP;
	return type == PERUN_JSON_TYPE_ARRAY ? LIST : SCALAR;
}

static bool is_number(const struct perun_json *value)
{
	double number;

	return perun_json_as_double(value, &number);
}

/* Whether a value is of the kind of an example; `listed`: they are entries of lists, whose maps have a fixed key. */
static bool fits_form(const struct perun_json *value, const struct perun_json *form, bool listed)
{
	const char *key = perun_json_key_at(form, 0, NULL);
	enum kind kind = kind_of(form);

	if (kind != kind_of(value))
		return false;
	if (kind == SCALAR)
		return listed || is_number(form) == is_number(value);
	if (kind == MAP && listed)
		return fits_form(perun_json_get(value, key), perun_json_at(form, 0), false);
	for (size_t i = 0; i < perun_json_count(value); i++) {
		bool fits = false;

		for (size_t j = 0; !fits && j < perun_json_count(form); j++)
			fits = fits_form(perun_json_at(value, i), perun_json_at(form, j),
					 kind == LIST);
		if (!fits)
			return false;
	}
	return true;
}

static int check_form(struct perun_ctx *ctx, const struct perun_setting *setting, const char *text)
{
	struct perun_json *value = perun_yaml_value(text), *form = perun_yaml_value(setting->form);
	int status = PERUN_OK;

	if (!fits_form(value, form, false))
		status = perun_fail(ctx, PERUN_USAGE, "%s: expected a value such as %s, not '%s'",
				    setting->key, setting->form, text);
	perun_json_free(form);
	perun_json_free(value);
	return status;
}

int perun_setting_check(struct perun_ctx *ctx, const char *key, const char *value)
{
	const struct perun_setting *setting = perun_setting_find(key);
	int64_t number;
	double seconds;
	bool flag;
	char *choices;
	int status = PERUN_OK;

	if (!setting)
		return fail_unknown(ctx, key);
	if (!value || strcmp(setting->key, key) != 0)
		return PERUN_OK;
	if (setting->type == PERUN_OPTION_FLAG && !option_parse_flag(value, &flag))
		status = perun_fail(ctx, PERUN_USAGE, "%s: expected yes or no, not '%s'", key,
				    value);
	if (setting->type == PERUN_OPTION_INTEGER &&
	    (!option_parse_integer(value, &number) || number < 0))
		status = perun_fail(ctx, PERUN_USAGE, "%s: expected a whole number, not '%s'", key,
				    value);
	if (setting->type == PERUN_OPTION_DURATION && !option_parse_duration(value, &seconds))
		status = perun_fail(ctx, PERUN_USAGE, "%s: expected a time such as 7d, not '%s'",
				    key, value);
	if (setting->type == PERUN_OPTION_LIST && is_bare_scalar(value))
		status = perun_fail(
			ctx, PERUN_USAGE,
			"%s: YAML reads %s as a number or a boolean; for text, write \"'%s'\"", key,
			value, value);
	if (setting->type == PERUN_OPTION_CHOICE && !is_choice(setting->choices, value)) {
		choices = list_choices(setting->choices);
		status = perun_fail(ctx, PERUN_USAGE, "%s: expected one of %s, not '%s'", key,
				    choices, value);
		perun_free(choices);
	}
	return status || !setting->form ? status : check_form(ctx, setting, value);
}
