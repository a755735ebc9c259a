/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking settings up: runtime, local, shared, built in. */
#include <string.h>

#include <perun/lib/trust.h>

#include "core/config/config.h"
#include "core/config/shared.h"

#include "core/store/store.h"

#define FILE_LIMIT ((uint64_t)16 << 20)

struct perun_settings *perun_settings_new(void)
{
	struct perun_settings *settings = perun_alloc_zero(1, sizeof *settings);

	settings->runtime = perun_json_object();
	return settings;
}

void perun_settings_forget(struct perun_settings *settings)
{
	perun_json_free(settings->local);
	perun_json_free(settings->shared);
	perun_json_free(settings->executing);
	settings->local = settings->shared = settings->executing = NULL;
	settings->local_read = settings->shared_read = false;
}

void perun_settings_free(struct perun_settings *settings)
{
	if (!settings)
		return;
	perun_settings_forget(settings);
	perun_json_free(settings->runtime);
	perun_json_free(settings->defaults);
	perun_free(settings);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Whether a key is words of letters, digits and underscores joined by dots. */
static bool is_key(const char *key)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	for (;;) {
		size_t length = strspn(key, letters);

		if (length == 0)
			return false;
		if (key[length] == '\0')
			return true;
		if (key[length] != '.')
			return false;
		key += length + 1;
	}
}

static int check_key(struct perun_ctx *ctx, const char *key)
{
	if (is_key(key))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE,
			  "'%s' is not a key; keys are words joined by dots, such as "
			  "format.sort_profiles_by",
			  key);
}

struct perun_json *perun_config_lookup(const struct perun_json *document, const char *key)
{
	for (;;) {
		size_t length = strcspn(key, ".");
		struct perun_json *value = perun_json_get_n(document, key, length);

		if (!value || key[length] == '\0')
			return value;
		document = value;
		key += length + 1;
	}
}

void perun_config_put(struct perun_json *document, const char *key, struct perun_json *value)
{
	for (;;) {
		size_t length = strcspn(key, ".");
		struct perun_json *inner;

		if (key[length] == '\0') {
			perun_json_set_n(document, key, length, value);
			return;
		}
		inner = perun_json_get_n(document, key, length);
		if (!inner || perun_json_type(inner) != PERUN_JSON_TYPE_OBJECT) {
			inner = perun_json_object();
			perun_json_set_n(document, key, length, inner);
		}
		document = inner;
		key += length + 1;
	}
}

/* ---- the files ------------------------------------------------------------------------------- */

static int parse_file(struct perun_ctx *ctx, const char *path, const struct perun_buffer *text,
		      struct perun_json **document)
{
	int status =
		perun_yaml_parse(ctx, path, text->data ? text->data : "", text->length, document);

	if (!status && perun_json_type(*document) != PERUN_JSON_TYPE_OBJECT) {
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s: line 1, column 1: expected keys with values, found %s",
				    path, perun_json_type_name(perun_json_type(*document)));
		perun_json_free(*document);
		*document = NULL;
	}
	return status;
}

int perun_config_local(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_json **document)
{
	struct perun_settings *settings = store->settings;
	struct perun_buffer text = {0};
	struct stat info;
	char *path;
	int status;

	if (!settings->local_read) {
		status = perun_file_read(ctx, store, PERUN_LOCAL_CONFIG, FILE_LIMIT, &text, &info);
		path = perun_format("%s/" PERUN_LOCAL_CONFIG, store->path);
		if (!status)
			status = parse_file(ctx, path, &text, &settings->local);
		perun_free(path);
		perun_buffer_free(&text);
		if (status)
			return status;
		settings->local_read = true;
	}
	*document = settings->local;
	return PERUN_OK;
}

/* Whether the text of the built-in settings has "WORD:". */
static bool is_default_word(const char *word, size_t length)
{
	const char *at = perun_config_defaults, *end = at + strlen(at);

	while ((at = memmem(at, (size_t)(end - at), word, length)) && at[length] != ':')
		at++;
	return at != NULL;
}

/* Whether all words of a key are there: seldom is it parsed for one that it does not have. */
static bool may_be_default(const char *key)
{
	for (;;) {
		size_t length = strcspn(key, ".");

		if (!is_default_word(key, length))
			return false;
		if (key[length] == '\0')
			return true;
		key += length + 1;
	}
}

/* The built-in settings, or NULL for a key that they do not have; `*own` is what the caller has to free. */
static const struct perun_json *read_defaults(struct perun_settings *settings, const char *key,
					      struct perun_json **own)
{
	struct perun_json *read = settings ? settings->defaults : NULL;

	*own = NULL;
	if (read || !may_be_default(key) ||
	    perun_yaml_parse(NULL, "defaults", perun_config_defaults, strlen(perun_config_defaults),
			     &read))
		return read;
	if (settings)
		settings->defaults = read;
	else
		*own = read;
	return read;
}

/* The user's file once it is known to be there; `*own` as below. */
static int read_file(struct perun_ctx *ctx, struct perun_settings *settings, const char *path,
		     const struct perun_buffer *text, const struct perun_json **document,
		     struct perun_json **own)
{
	struct perun_json *read = NULL;
	int status = parse_file(ctx, path, text, &read);

	*document = read;
	if (settings)
		settings->shared = read;
	else
		*own = read;
	return status;
}

/*
 * The shared settings, or the defaults while there is no such file, NULL if these do not have the key; `*own` is what the
 * caller has to free (without a store nobody keeps them).
 */
static int read_shared(struct perun_ctx *ctx, struct perun_store *store, const char *key,
		       const struct perun_json **document, struct perun_json **own,
		       enum perun_setting_origin *origin)
{
	struct perun_settings *settings = store ? store->settings : NULL;
	bool known = settings && settings->shared_read, missing;
	struct perun_buffer text = {0};
	char *path = NULL;
	int status = PERUN_OK;

	*own = NULL;
	missing = known ? settings->shared_missing : !perun_shared_read(&text, &path);
	if (missing)
		*document = read_defaults(settings, key, own);
	else if (known)
		*document = settings->shared;
	else
		status = read_file(ctx, settings, path, &text, document, own);
	if (settings && !status) {
		settings->shared_missing = missing;
		settings->shared_read = true;
	}
	perun_buffer_free(&text);
	perun_free(path);
	*origin = missing ? PERUN_ORIGIN_DEFAULT : PERUN_ORIGIN_SHARED;
	return status;
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* What a shared.yml of older times may lack; for showing, also what those who use a setting take for it. */
static struct perun_json *default_of(struct perun_store *store, const char *key, bool to_use)
{
	const struct perun_setting *setting = to_use ? NULL : perun_setting_find(key);
	struct perun_json *own, *value = NULL;
	const struct perun_json *found =
		perun_config_lookup(read_defaults(store ? store->settings : NULL, key, &own), key);

	if (found)
		value = perun_json_clone(found);
	else if (setting && strcmp(setting->key, key) == 0 && setting->default_value)
		value = perun_yaml_value(setting->default_value);
	perun_json_free(own);
	return value;
}

/* `to_use`: what local.yml says counts only if it cannot run anything, or is trusted. */
static int look_up(struct perun_ctx *ctx, struct perun_store *store, enum perun_config_scope scope,
		   const char *key, bool to_use, struct perun_json **value,
		   enum perun_setting_origin *origin)
{
	const struct perun_json *document = NULL, *found = NULL;
	struct perun_json *own = NULL;
	int status = PERUN_OK;

	*origin = PERUN_ORIGIN_RUN;
	if (scope == PERUN_CONFIG_LOCAL && !store)
		return perun_fail(ctx, PERUN_USAGE, "there is no store, so no local configuration");
	if (scope == PERUN_CONFIG_NEAREST && store)
		found = perun_config_lookup(store->settings->runtime, key);
	if (!found && scope != PERUN_CONFIG_SHARED && store) {
		*origin = PERUN_ORIGIN_LOCAL;
		status = perun_config_local(ctx, store, &document);
		found = status ? NULL : perun_config_lookup(document, key);
		if (found && to_use)
			status = perun_trust_require(ctx, store, key);
		if (status)
			return status;
	}
	if (!found && scope != PERUN_CONFIG_LOCAL) {
		status = read_shared(ctx, store, key, &document, &own, origin);
		found = status ? NULL : perun_config_lookup(document, key);
	}
	if (found) {
		*value = perun_json_clone(found);
	} else if (scope == PERUN_CONFIG_NEAREST && !status) {
		*value = default_of(store, key, to_use);
		*origin = *value ? PERUN_ORIGIN_DEFAULT : PERUN_ORIGIN_NOWHERE;
	}
	perun_json_free(own);
	return status;
}

static bool is_number(const struct perun_json *value)
{
	return perun_json_type(value) == PERUN_JSON_TYPE_INT ||
	       perun_json_type(value) == PERUN_JSON_TYPE_DOUBLE;
}

/* Workloads and arguments that are numbers, as "- 100", are words of a command line. */
static void make_words(struct perun_json **list)
{
	struct perun_json *words = perun_json_array();

	for (size_t i = 0; i < perun_json_count(*list); i++) {
		const struct perun_json *item = perun_json_at(*list, i);
		struct perun_buffer word = {0};

		if (is_number(item))
			perun_json_print(item, &word, PERUN_JSON_PYTHON, 0);
		perun_json_append(words,
				  word.data ? perun_json_text(word.data) : perun_json_clone(item));
		perun_buffer_free(&word);
	}
	perun_json_free(*list);
	*list = words;
}

int perun_config_document(struct perun_ctx *ctx, struct perun_store *store,
			  enum perun_config_scope scope, const char *key, struct perun_json **value)
{
	enum perun_setting_origin origin;
	int status = check_key(ctx, key);

	*value = NULL;
	if (!status)
		status = look_up(ctx, store, scope, key, true, value, &origin);
	if (!status && perun_json_type(*value) == PERUN_JSON_TYPE_ARRAY &&
	    (strcmp(key, "args") == 0 || strcmp(key, "workloads") == 0))
		make_words(value);
	return status;
}

int perun_config_inspect(struct perun_ctx *ctx, struct perun_store *store,
			 enum perun_config_scope scope, const char *key, struct perun_json **value)
{
	enum perun_setting_origin origin;
	int status = check_key(ctx, key);

	*value = NULL;
	return status ? status : look_up(ctx, store, scope, key, false, value, &origin);
}

int perun_setting_read(struct perun_ctx *ctx, struct perun_store *store, const char *key,
		       struct perun_json **value, enum perun_setting_origin *origin)
{
	int status = check_key(ctx, key);

	*value = NULL;
	*origin = PERUN_ORIGIN_NOWHERE;
	return status ? status
		      : look_up(ctx, store, PERUN_CONFIG_NEAREST, key, false, value, origin);
}

int perun_config_get(struct perun_ctx *ctx, struct perun_store *store,
		     enum perun_config_scope scope, const char *key, char **text)
{
	struct perun_json *value;
	struct perun_buffer out = {0};
	enum perun_setting_origin origin;
	int status = check_key(ctx, key);

	value = NULL;
	if (!status)
		status = look_up(ctx, store, scope, key, true, &value, &origin);
	*text = NULL;
	if (status || !value)
		return status;
	if (perun_json_as_string(value, NULL))
		*text = perun_strdup(perun_json_as_string(value, NULL));
	else
		perun_json_print(value, &out, PERUN_JSON_PYTHON, 0);
	if (!*text)
		*text = perun_buffer_take(&out);
	perun_json_free(value);
	return PERUN_OK;
}

static void gather(const struct perun_json *document, const char *key, struct perun_json *list)
{
	const struct perun_json *value = perun_config_lookup(document, key);

	if (!value || perun_json_type(value) == PERUN_JSON_TYPE_NULL)
		return;
	if (perun_json_type(value) != PERUN_JSON_TYPE_ARRAY) {
		perun_json_append(list, perun_json_clone(value));
		return;
	}
	for (size_t i = 0; i < perun_json_count(value); i++)
		perun_json_append(list, perun_json_clone(perun_json_at(value, i)));
}

int perun_config_gather(struct perun_ctx *ctx, struct perun_store *store, const char *key,
			struct perun_json **list)
{
	const struct perun_json *document;
	struct perun_json *own = NULL;
	enum perun_setting_origin origin;
	int status = check_key(ctx, key);

	*list = NULL;
	if (status)
		return status;
	*list = perun_json_array();
	if (store) {
		gather(store->settings->runtime, key, *list);
		status = perun_config_local(ctx, store, &document);
		if (!status && perun_config_lookup(document, key))
			status = perun_trust_require(ctx, store, key);
		if (!status)
			gather(document, key, *list);
	}
	if (!status)
		status = read_shared(ctx, store, key, &document, &own, &origin);
	if (!status)
		gather(document, key, *list);
	perun_json_free(own);
	if (status) {
		perun_json_free(*list);
		*list = NULL;
	}
	return status;
}

/* ---- changing -------------------------------------------------------------------------------- */

int perun_config_set_runtime(struct perun_ctx *ctx, struct perun_store *store, const char *key,
			     const char *value)
{
	int status = check_key(ctx, key);

	if (!status && !store)
		status = perun_fail(ctx, PERUN_USAGE, "a setting for this run needs a store");
	if (!status)
		perun_config_put(store->settings->runtime, key, perun_yaml_value(value));
	return status;
}

static int set_local(struct perun_ctx *ctx, struct perun_store *store, const char *key,
		     const char *value)
{
	const bool trusted = perun_trust_may_follow(store);
	struct perun_transaction *transaction;
	struct perun_buffer text = {0}, changed = {0};
	struct stat info;
	char *path;
	int status = perun_transaction_begin(ctx, store, "config", &transaction);

	if (status)
		return status;
	path = perun_format("%s/" PERUN_LOCAL_CONFIG, store->path);
	status = perun_file_read(ctx, store, PERUN_LOCAL_CONFIG, FILE_LIMIT, &text, &info);
	if (!status)
		status = perun_yaml_set(ctx, path, text.data ? text.data : "", text.length, key,
					value, &changed);
	if (!status) {
		struct perun_piece piece = {changed.data, changed.length, -1};

		status = perun_transaction_write(ctx, transaction, PERUN_STAGE_LAST,
						 PERUN_LOCAL_CONFIG, &piece, 1, NULL);
	}
	if (!status)
		status = perun_transaction_commit(ctx, transaction);
	perun_transaction_end(transaction);
	if (!status)
		perun_trust_follow(ctx, store, trusted);
	perun_free(path);
	perun_buffer_free(&text);
	perun_buffer_free(&changed);
	return status;
}

static int set_shared(struct perun_ctx *ctx, const char *key, const char *value)
{
	struct perun_buffer text = {0}, changed = {0};
	char *path;
	int status = perun_shared_make(ctx, &path);

	if (status)
		return status;
	status = perun_shared_read_file(ctx, path, &text);
	if (!status)
		status = perun_yaml_set(ctx, path, text.data ? text.data : "", text.length, key,
					value, &changed);
	if (!status)
		status = perun_config_write_file(ctx, path, changed.data, changed.length);
	perun_free(path);
	perun_buffer_free(&text);
	perun_buffer_free(&changed);
	return status;
}

int perun_config_set(struct perun_ctx *ctx, struct perun_store *store,
		     enum perun_config_scope scope, const char *key, const char *value)
{
	int status = check_key(ctx, key);

	if (status)
		return status;
	/* The nearest file that can be written: that of the store, if there is one. */
	if (scope == PERUN_CONFIG_LOCAL && !store)
		return perun_fail(ctx, PERUN_USAGE, "there is no store, so no local configuration");
	status = scope == PERUN_CONFIG_SHARED || !store ? set_shared(ctx, key, value)
							: set_local(ctx, store, key, value);
	if (store)
		perun_settings_forget(store->settings);
	return status;
}

int perun_config_path(struct perun_ctx *ctx, struct perun_store *store,
		      enum perun_config_scope scope, char **path)
{
	*path = NULL;
	if (scope == PERUN_CONFIG_LOCAL && !store)
		return perun_fail(ctx, PERUN_USAGE, "there is no store, so no local configuration");
	if (scope == PERUN_CONFIG_SHARED || !store)
		return perun_shared_make(ctx, path);
	*path = perun_format("%s/" PERUN_LOCAL_CONFIG, store->path);
	return PERUN_OK;
}
