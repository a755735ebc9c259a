/* SPDX-License-Identifier: BSD-3-Clause */
/* Which check methods a profile is compared by. */
#include <string.h>

#include <perun/check.h>
#include <perun/lib/advice.h>
#include <perun/lib/registry.h>

#include "core/compare/checker.h"
#include "core/history/values.h"
#include "core/options/value.h"

/* A setting as text; NULL when unset or unreadable. */
static char *setting(struct perun_store *store, const char *key)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *value = NULL;

	if (perun_config_get(quiet, store, PERUN_CONFIG_NEAREST, key, &value))
		value = NULL;
	perun_ctx_free(quiet);
	return value;
}

/* The same method with the same conditions says the same again. */
static bool is_known(const struct check_strategies *strategies, const char *method,
		     const struct perun_json *rule)
{
	for (size_t i = 0; i < strategies->count; i++) {
		const struct check_rule *other = &strategies->rules[i];

		if (strcmp(other->method, method) != 0)
			continue;
		if (!rule || !other->conditions || perun_json_count(other->conditions) == 1)
			return true; /* applied to every profile already */
		/* With other options, where the new rule is the one of the defaults. */
		if ((perun_json_get(rule, "repeats") || perun_json_count(rule) == 1) &&
		    perun_json_count(other->conditions) == 2 &&
		    perun_json_get(other->conditions, "params"))
			return true;
		if (perun_json_count(rule) == perun_json_count(other->conditions)) {
			bool same = true;

			for (size_t j = 0; same && j < perun_json_count(rule); j++) {
				const char *key = perun_json_key_at(rule, j, NULL);

				same = strcmp(key, "method") == 0 ||
				       perun_json_equal(perun_json_at(rule, j),
							perun_json_get(other->conditions, key));
			}
			if (same)
				return true;
		}
	}
	return false;
}

static bool has_parameter(const struct perun_json *params, const char *name)
{
	for (size_t i = 0; i < perun_json_count(params); i++) {
		if (perun_same_name(perun_json_key_at(params, i, NULL), name))
			return true;
	}
	return false;
}

/* "paired: yes" is a text to YAML, as to options. */
static void set_param(struct perun_json *params, const struct perun_option *option,
		      const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	bool on;

	perun_json_set(params, option->name,
		       option->type == PERUN_OPTION_FLAG && text && option_parse_flag(text, &on)
			       ? perun_json_bool(on)
			       : perun_json_clone(value));
}

/* A rule's options, before which those of the command line come that the method has. */
static struct perun_json *join_params(struct check_strategies *strategies,
				      const struct perun_plugin *plugin,
				      const struct perun_json *configured)
{
	struct perun_json *params = configured ? perun_json_clone(configured) : perun_json_object();
	const char *at = (const char *)plugin->options;

	for (; at && ((const struct perun_option *)at)->name; at += plugin->option_size) {
		const struct perun_option *option = (const struct perun_option *)at;
		const char *name = option->name;
		const struct perun_json *own = perun_json_get(params, name);

		if (own)
			set_param(params, option, own);
		for (size_t i = 0; i < perun_json_count(strategies->given); i++) {
			const char *key = perun_json_key_at(strategies->given, i, NULL);

			if (!perun_same_name(key, name))
				continue;
			for (size_t j = perun_json_count(params); j-- > 0;) {
				if (perun_same_name(perun_json_key_at(params, j, NULL), name))
					perun_json_remove_at(params, j);
			}
			set_param(params, option, perun_json_at(strategies->given, i));
			strategies->used[i] = true;
		}
	}
	return params;
}

/* Settings degradation.NAME are options of every method that has one of that name. */
static void add_settings(struct perun_store *store, struct perun_module *unit,
			 const struct perun_plugin *plugin, const struct perun_json *params)
{
	const char *at;

	if (!plugin->options)
		return;
	for (at = (const char *)plugin->options; ((const struct perun_option *)at)->name;
	     at += plugin->option_size) {
		const struct perun_option *option = (const struct perun_option *)at;
		char *key = perun_format("degradation.%s", option->name), *value = NULL;

		for (char *c = key; *c; c++)
			*c = *c == '-' ? '_' : *c;
		if (option->type != PERUN_OPTION_FLAG && !has_parameter(params, option->name))
			value = setting(store, key);
		if (value) {
			char *word = perun_format("--%s=%s", option->name, value);

			perun_module_word(unit, word);
			perun_free(word);
		}
		perun_free(value);
		perun_free(key);
	}
}

static int add_rule(struct perun_ctx *ctx, struct check_strategies *strategies, const char *method,
		    const struct perun_json *rule)
{
	const struct perun_plugin *plugin;
	struct perun_check_ops ops;
	struct perun_json *params;
	struct perun_module *unit;
	int status;

	if (is_known(strategies, method, rule))
		return PERUN_OK;
	status = perun_registry_load(ctx, PERUN_KIND_CHECK, method, &plugin);
	if (status)
		return status;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	PERUN_GROW(strategies->rules, strategies->count, strategies->capacity);
	strategies->rules[strategies->count++] =
		(struct check_rule){.method = method,
				    .conditions = rule,
				    .wants_sessions = ops.wants_sessions,
				    .history_decides = ops.history_decides};
	unit = perun_modules_add(&strategies->units, method);
	params = join_params(strategies, plugin, perun_json_get(rule, "params"));
	status = perun_module_document(ctx, unit, params);
	if (!status)
		add_settings(strategies->store, unit, plugin, params);
	perun_json_free(params);
	return status;
}

/* How many entries a list has in a scope. */
static int count_entries(struct perun_ctx *ctx, struct perun_store *store,
			 enum perun_config_scope scope, const char *key, size_t *count)
{
	struct perun_json *list = NULL;
	int status = perun_config_document(ctx, store, scope, key, &list);

	*count = 0;
	if (list && perun_json_type(list) != PERUN_JSON_TYPE_NULL)
		*count =
			perun_json_type(list) == PERUN_JSON_TYPE_ARRAY ? perun_json_count(list) : 1;
	perun_json_free(list);
	return status;
}

static int add_configured(struct perun_ctx *ctx, struct check_strategies *strategies,
			  const struct perun_json *list, bool shared, size_t count)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		const struct perun_json *rule = perun_json_at(list, i);
		const char *name = perun_json_as_string(perun_json_get(rule, "method"), NULL);
		const char *method;

		if (!name)
			return perun_fail(ctx, PERUN_INPUT,
					  "the setting degradation.strategies: entry %zu has no "
					  "method",
					  i + 1);
		method = perun_check_method(ctx, name);
		/* The Python program writes it for every user: it must not judge what it cannot judge. */
		if (method && shared && perun_same_name(method, "average_amount_threshold"))
			continue;
		if (method) {
			size_t before = strategies->count;

			status = add_rule(ctx, strategies, method, rule);
			if (strategies->count > before)
				strategies->rules[before].origin =
					shared ? "the user's shared.yml" : "the store's local.yml";
		} else {
			perun_warn(ctx, "degradation.strategies: %s", perun_ctx_error(ctx));
			perun_ctx_clear(ctx);
		}
	}
	return status;
}

/* Where the store names no method, the default judges every profile, before what the user has configured. */
static int add_default(struct perun_ctx *ctx, struct check_strategies *strategies)
{
	const char *method = perun_check_method(ctx, PERUN_DEFAULT_METHOD);

	if (method)
		return add_rule(ctx, strategies, method, NULL);
	perun_ctx_clear(ctx);
	return PERUN_OK;
}

/* The run's or the store's list replaces the user's, which comes last among all entries. */
static int load_configured(struct perun_ctx *ctx, struct check_strategies *strategies)
{
	/* The templates of older versions write `strategy`, which nothing ever read. */
	static const char *const keys[] = {"degradation.strategies", "degradation.strategy"};
	char *apply = setting(strategies->store, "degradation.apply");
	bool own = false;
	int status = PERUN_OK;

	strategies->first = apply && strcmp(apply, "first") == 0;
	perun_free(apply);
	for (size_t i = 0; !status && i < 2; i++) {
		size_t shared = 0, nearest = 0;

		status =
			perun_config_gather(ctx, strategies->store, keys[i], &strategies->lists[i]);
		if (!status)
			status = count_entries(ctx, strategies->store, PERUN_CONFIG_SHARED, keys[i],
					       &shared);
		if (!status && perun_json_count(strategies->lists[i]) > shared) {
			own = true;
			status = count_entries(ctx, strategies->store, PERUN_CONFIG_NEAREST,
					       keys[i], &nearest);
			if (!status)
				status = add_configured(ctx, strategies, strategies->lists[i],
							false, nearest);
		}
	}
	if (!status && !own) {
		status = add_default(ctx, strategies);
		for (size_t i = 0; !status && i < 2; i++)
			status = add_configured(ctx, strategies, strategies->lists[i], true,
						perun_json_count(strategies->lists[i]));
	}
	if (!status && strategies->count == 0)
		status = perun_fail(ctx, PERUN_MISSING,
				    "none of the configured check methods is installed%s",
				    perun_advice(PERUN_ADVICE_LIST_CHECKS));
	return status;
}

/* Options of the command line, of all texts together. */
static int read_given(struct perun_ctx *ctx, const char *const *params,
		      struct check_strategies *strategies)
{
	int status = PERUN_OK;

	strategies->given = perun_json_object();
	for (; !status && params && *params; params++) {
		struct perun_json *document;

		status = perun_params_yaml(ctx, "the methods", *params, &document);
		if (!status && perun_json_type(document) != PERUN_JSON_TYPE_OBJECT)
			status = perun_fail(ctx, PERUN_USAGE,
					    "parameters of the methods: expected names and values "
					    "such as 'threshold: 5', not %s",
					    perun_json_type_name(perun_json_type(document)));
		for (size_t i = 0; !status && i < perun_json_count(document); i++)
			perun_json_set(strategies->given, perun_json_key_at(document, i, NULL),
				       perun_json_clone(perun_json_at(document, i)));
		perun_json_free(document);
	}
	strategies->used = perun_alloc_zero(perun_json_count(strategies->given) + 1, sizeof(bool));
	return status;
}

static int check_used(struct perun_ctx *ctx, const struct check_strategies *strategies)
{
	for (size_t i = 0; i < perun_json_count(strategies->given); i++) {
		if (!strategies->used[i])
			return perun_fail(ctx, PERUN_USAGE,
					  "none of the methods in use has an option '%s'",
					  perun_json_key_at(strategies->given, i, NULL));
	}
	return PERUN_OK;
}

int check_strategies_load(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_check_options *options,
			  struct check_strategies *strategies)
{
	const char *const *method = options->methods;
	int status;

	*strategies = (struct check_strategies){.store = store};
	status = read_given(ctx, options->params, strategies);
	if (!status && !(method && *method))
		status = load_configured(ctx, strategies);
	for (; !status && method && *method; method++) {
		const char *name = perun_check_method(ctx, *method);

		status = name ? add_rule(ctx, strategies, name, NULL) : perun_ctx_status(ctx);
	}
	if (!status)
		status = check_used(ctx, strategies);
	/* The units do not move any more. */
	for (size_t i = 0; i < strategies->count; i++)
		strategies->rules[i].unit = &strategies->units.items[i];
	return status;
}

void check_strategies_free(struct check_strategies *strategies)
{
	perun_modules_free(&strategies->units);
	perun_json_free(strategies->lists[0]);
	perun_json_free(strategies->lists[1]);
	perun_json_free(strategies->given);
	perun_free(strategies->used);
	perun_free(strategies->rules);
}

bool check_rule_is_by_history(const struct check_rule *rule)
{
	return rule->history_decides || perun_json_get(rule->conditions, "repeats");
}

const char *check_history_method(const struct check_strategies *strategies)
{
	for (size_t i = 0; i < strategies->count; i++) {
		if (strategies->rules[i].history_decides)
			return strategies->rules[i].method;
	}
	return PERUN_DEFAULT_METHOD;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool has_postprocessor(const struct perun_profile *profile, const char *name)
{
	const char *words = perun_profile_postprocessors(profile);

	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");
		char *word = perun_strndup(words, length);
		bool same = perun_same_name(word, name);

		perun_free(word);
		if (same)
			return true;
		words += length;
	}
	return false;
}

static bool condition_holds(const char *key, const char *value, const struct perun_profile *profile)
{
	char *path;
	bool holds;

	if (strcmp(key, "postprocessor") == 0)
		return has_postprocessor(profile, value);
	if (strcmp(key, "collector") == 0)
		return perun_same_name(perun_profile_text(profile, "/collector_info/name"), value);
	path = perun_format("/header/%s", key);
	holds = strcmp(perun_profile_text(profile, path), value) == 0;
	perun_free(path);
	return holds;
}

bool check_rule_fits(const struct check_rule *rule, const struct perun_profile *profile)
{
	for (size_t i = 0; i < perun_json_count(rule->conditions); i++) {
		const char *key = perun_json_key_at(rule->conditions, i, NULL);
		const char *value = perun_json_as_string(perun_json_at(rule->conditions, i), NULL);

		if (strcmp(key, "method") == 0 || strcmp(key, "params") == 0)
			continue;
		if (strcmp(key, "repeats") == 0) {
			bool wanted = false;

			if (!perun_json_as_bool(perun_json_at(rule->conditions, i), &wanted) &&
			    value)
				(void)option_parse_flag(value, &wanted);
			if (perun_has_repeats(perun_resources(profile)) != wanted)
				return false;
			continue;
		}
		if (!value || !condition_holds(key, value, profile))
			return false;
	}
	return true;
}
