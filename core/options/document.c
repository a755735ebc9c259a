/* SPDX-License-Identifier: BSD-3-Clause */
/* Options from and to JSON documents: configurations, jobs, and the parameters a profile keeps. */
#include <perun/json.h>
#include <perun/lib/options.h>

#include "core/options/table.h"
#include "core/options/value.h"

/* ---- to a document --------------------------------------------------------------------------- */

static struct perun_json *value_json(const struct perun_option *option, const char *text)
{
	int64_t integer;
	uint64_t size;
	double number;

	switch (option->type) {
	case PERUN_OPTION_INTEGER:
		if (option_parse_integer(text, &integer))
			return perun_json_int64(integer);
		break;
	case PERUN_OPTION_NUMBER:
		if (option_parse_number(text, &number))
			return perun_json_double(number);
		break;
	case PERUN_OPTION_SIZE:
		if (option_parse_size(text, &size))
			return perun_json_uint64(size);
		break;
	case PERUN_OPTION_DURATION:
		if (option_parse_duration(text, &number))
			return perun_json_double(number);
		break;
	default:
		break;
	}
	return perun_json_text(text);
}

/* NULL when the option has no value. */
static struct perun_json *item_json(const struct option_item *item)
{
	const struct perun_option *option = &item->option;
	struct perun_json *array;
	bool several = option_arity(option) > 1 || option->type == PERUN_OPTION_LIST ||
		       (option->flags & PERUN_OPTION_REPEATABLE);

	if ((option->flags & PERUN_OPTION_HIDDEN) && !item->given)
		return NULL;
	if (option->type == PERUN_OPTION_FLAG && (option->flags & PERUN_OPTION_COUNTED))
		return perun_json_int64((int64_t)item->occurrences);
	if (option->type == PERUN_OPTION_FLAG)
		return perun_json_bool(item->on);
	if (item->count == 0)
		return NULL;
	if (!several)
		return value_json(option, item->values[item->count - 1]);
	array = perun_json_array();
	for (size_t i = 0; i < item->count; i++)
		perun_json_append(array, value_json(option, item->values[i]));
	return array;
}

struct perun_json *perun_options_document(const struct perun_options *options)
{
	struct perun_json *document = perun_json_object();

	for (size_t i = 0; i < options->count; i++) {
		struct perun_json *value = item_json(&options->items[i]);
		char *name;

		if (!value)
			continue;
		name = perun_strdup(options->items[i].option.name);
		for (char *c = name; *c; c++)
			*c = *c == '-' ? '_' : *c;
		perun_json_set(document, name, value);
		perun_free(name);
	}
	return document;
}

/* ---- from a document ------------------------------------------------------------------------- */

static int add_value(struct perun_ctx *ctx, struct option_item *item,
		     const struct perun_json *value);

static int add_scalar(struct perun_ctx *ctx, struct option_item *item,
		      const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	struct perun_buffer buffer = {0};
	int status;

	if (!text) {
		perun_json_print(value, &buffer, PERUN_JSON_PYTHON, 0);
		text = buffer.data;
	}
	/* 3.0 is an integer where one is wanted: YAML and Python are not particular. */
	if (item->option.type == PERUN_OPTION_INTEGER && buffer.length > 2 &&
	    strcmp(buffer.data + buffer.length - 2, ".0") == 0)
		buffer.data[buffer.length - 2] = '\0';
	status = option_item_add(ctx, item, text);
	perun_buffer_free(&buffer);
	return status;
}

static int set_flag(struct perun_ctx *ctx, struct option_item *item, const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	int64_t number;
	bool on;

	if (perun_json_as_int64(value, &number) && number >= 0) {
		item->occurrences = (size_t)number;
		item->on = number > 0;
		return PERUN_OK;
	}
	if (!perun_json_as_bool(value, &on) && !(text && option_parse_flag(text, &on)))
		return perun_fail(ctx, PERUN_USAGE, "option %s: expected true or false, found %s",
				  item->option.name, perun_json_type_name(perun_json_type(value)));
	item->on = on;
	item->occurrences = on;
	return PERUN_OK;
}

static int add_array(struct perun_ctx *ctx, struct option_item *item,
		     const struct perun_json *value)
{
	bool several = option_arity(&item->option) > 1 || item->option.type == PERUN_OPTION_LIST ||
		       (item->option.flags & PERUN_OPTION_REPEATABLE);

	if (!several && perun_json_count(value) != 1)
		return perun_fail(ctx, PERUN_USAGE, "option %s: expected one value, found %zu",
				  item->option.name, perun_json_count(value));
	for (size_t i = 0; i < perun_json_count(value); i++) {
		int status = add_value(ctx, item, perun_json_at(value, i));

		if (status != PERUN_OK)
			return status;
	}
	return PERUN_OK;
}

static int add_value(struct perun_ctx *ctx, struct option_item *item,
		     const struct perun_json *value)
{
	switch (perun_json_type(value)) {
	case PERUN_JSON_TYPE_ARRAY:
		return add_array(ctx, item, value);
	case PERUN_JSON_TYPE_OBJECT:
	case PERUN_JSON_TYPE_NULL:
		return perun_fail(ctx, PERUN_USAGE, "option %s: expected a value, found %s",
				  item->option.name, perun_json_type_name(perun_json_type(value)));
	default:
		return add_scalar(ctx, item, value);
	}
}

/* A key is a name or one of the spellings, without dashes before it. */
static struct option_item *find_key(struct perun_options *options, const char *key)
{
	for (size_t i = 0; i < options->count; i++) {
		struct option_item *item = &options->items[i];
		const char *aliases = item->option.aliases, *alias;
		size_t length;

		if (option_name_equal(key, strlen(key), item->option.name))
			return item;
		while ((alias = option_next_word(&aliases, &length))) {
			char *name = perun_strndup(alias, length);
			bool same = option_name_equal(key, strlen(key), name + strspn(name, "-"));

			perun_free(name);
			if (same)
				return item;
		}
	}
	return NULL;
}

static int unknown_key(struct perun_ctx *ctx, const struct perun_options *options, const char *key)
{
	const char **names = perun_alloc_zero(options->count + 1, sizeof *names);
	const char *near;
	int status;

	for (size_t i = 0; i < options->count; i++)
		names[i] = options->items[i].option.name;
	near = perun_suggest(key, names, options->count);
	if (near)
		status = perun_fail(ctx, PERUN_USAGE, "unknown option %s; did you mean %s?", key,
				    near);
	else
		status = perun_fail(ctx, PERUN_USAGE, "unknown option %s", key);
	perun_free(names);
	return status;
}

static int set_member(struct perun_ctx *ctx, struct perun_options *options, const char *key,
		      const struct perun_json *value)
{
	struct option_item *item = find_key(options, key);
	size_t arity;
	int status;

	if (!item)
		return unknown_key(ctx, options, key);
	if (perun_json_type(value) == PERUN_JSON_TYPE_NULL)
		return PERUN_OK; /* as if it were not there */
	item->given = true;
	arity = option_arity(&item->option);
	if (arity == 0)
		return set_flag(ctx, item, value);
	status = add_value(ctx, item, value);
	if (status == PERUN_OK && item->count % arity != 0 &&
	    item->option.type != PERUN_OPTION_LIST)
		return perun_fail(ctx, PERUN_USAGE, "option %s needs %zu values, got %zu", key,
				  arity, item->count);
	return status;
}

int perun_options_from_document(struct perun_ctx *ctx, const struct perun_option_table *tables,
				size_t table_count, const struct perun_json *document,
				struct perun_options **options)
{
	struct perun_options *made = option_table_new(tables, table_count);
	int status = PERUN_OK;

	*options = NULL;
	if (document && perun_json_type(document) != PERUN_JSON_TYPE_OBJECT &&
	    perun_json_type(document) != PERUN_JSON_TYPE_NULL)
		status = perun_fail(ctx, PERUN_USAGE,
				    "options: expected an object of names and values, found %s",
				    perun_json_type_name(perun_json_type(document)));
	for (size_t i = 0; status == PERUN_OK && i < perun_json_count(document); i++)
		status = set_member(ctx, made, perun_json_key_at(document, i, NULL),
				    perun_json_at(document, i));
	if (status == PERUN_OK)
		status = option_table_finish(ctx, made);
	if (status == PERUN_OK)
		*options = made;
	else
		perun_options_free(made);
	return status;
}
