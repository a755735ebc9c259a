/* SPDX-License-Identifier: BSD-3-Clause */
/* Units with parameters: collectors and postprocessors of a job. */
#include <config.h>

#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/lib/module.h>

#include "core/config/config.h"

enum { MAX_TEXT = 1 << 20 };

struct perun_module *perun_modules_add(struct perun_modules *modules, const char *name)
{
	struct perun_module *module;

	PERUN_GROW(modules->items, modules->count, modules->capacity);
	module = &modules->items[modules->count++];
	*module = (struct perun_module){.name = perun_strdup(name)};
	module->arguments = perun_alloc_zero(8, sizeof *module->arguments);
	module->capacity = 8;
	return module;
}

void perun_modules_free(struct perun_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		for (size_t j = 0; j < modules->items[i].count; j++)
			perun_free(modules->items[i].arguments[j]);
		perun_free(modules->items[i].arguments);
		perun_free(modules->items[i].name);
	}
	perun_free(modules->items);
	*modules = (struct perun_modules){0};
}

void perun_module_word(struct perun_module *module, const char *word)
{
	if (module->count + 1 >= module->capacity) {
		module->capacity *= 2;
		module->arguments = perun_realloc_array(module->arguments, module->capacity,
							sizeof *module->arguments);
	}
	module->arguments[module->count++] = perun_strdup(word);
	module->arguments[module->count] = NULL;
}

static void add_word(struct perun_module *module, const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	struct perun_buffer buffer = {0};

	if (!text) {
		perun_json_print(value, &buffer, PERUN_JSON_PYTHON, 0);
		text = buffer.data;
	}
	perun_module_word(module, text);
	perun_buffer_free(&buffer);
}

/* [f, 2] and {func: f, sample: 2}, as the Python program writes it, are the values of one occurrence. */
static void add_value(struct perun_module *module, const char *option,
		      const struct perun_json *value)
{
	enum perun_json_type type = perun_json_type(value);

	perun_module_word(module, option);
	if (type != PERUN_JSON_TYPE_ARRAY && type != PERUN_JSON_TYPE_OBJECT)
		add_word(module, value);
	else
		for (size_t i = 0; i < perun_json_count(value); i++)
			add_word(module, perun_json_at(value, i));
}

static void add_parameter(struct perun_module *module, const char *key,
			  const struct perun_json *value)
{
	char *option = perun_format("--%s", key);
	bool on;

	if (perun_json_as_bool(value, &on)) {
		/* A flag that is off is left out: most cannot be negated. */
		if (on)
			perun_module_word(module, option);
	} else if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY) {
		for (size_t i = 0; i < perun_json_count(value); i++)
			add_value(module, option, perun_json_at(value, i));
	} else if (perun_json_type(value) != PERUN_JSON_TYPE_NULL) {
		add_value(module, option, value);
	}
	perun_free(option);
}

static int add_parameters(struct perun_ctx *ctx, struct perun_module *module,
			  const struct perun_json *params)
{
	enum perun_json_type type = perun_json_type(params);
	const char *text = perun_json_as_string(params, NULL);

	/* The Python program takes an empty text for no parameters, and fails with any other. */
	if (type == PERUN_JSON_TYPE_NULL || (text && !*text))
		return PERUN_OK;
	if (text)
		return perun_fail(
			ctx, PERUN_USAGE,
			"parameters of %s: expected names and values such as 'repeat: 5', "
			"found the text '%s'",
			module->name, text);
	if (type != PERUN_JSON_TYPE_OBJECT)
		return perun_fail(
			ctx, PERUN_USAGE,
			"parameters of %s: expected names and values such as 'repeat: 5', "
			"found %s",
			module->name, perun_json_type_name(type));
	for (size_t i = 0; i < perun_json_count(params); i++)
		add_parameter(module, perun_json_key_at(params, i, NULL), perun_json_at(params, i));
	return PERUN_OK;
}

/* A map, or a list of maps, as the documents of the Python program write it: [method: full, steps: 10]. */
int perun_module_document(struct perun_ctx *ctx, struct perun_module *module,
			  const struct perun_json *params)
{
	int status = PERUN_OK;

	if (perun_json_type(params) != PERUN_JSON_TYPE_ARRAY)
		return add_parameters(ctx, module, params);
	for (size_t i = 0; i < perun_json_count(params) && !status; i++)
		status = add_parameters(ctx, module, perun_json_at(params, i));
	return status;
}

/* "repeat=5", as options are written elsewhere, as YAML; the caller frees it. */
static char *as_yaml(const char *text)
{
	size_t name = strcspn(text, "= :\n");

	if (name == 0 || text[name] != '=')
		return perun_strdup(text);
	return perun_format("%.*s: %s", (int)name, text, text + name + 1);
}

int perun_params_yaml(struct perun_ctx *ctx, const char *whose, const char *text,
		      struct perun_json **document)
{
	struct perun_input *input = NULL;
	char *yaml = as_yaml(text);
	const void *data = yaml;
	size_t size = strlen(yaml);
	bool file = access(text, F_OK) == 0;
	int status = PERUN_OK;

	*document = NULL;
	if (file) {
		status = perun_input_open(ctx, text, &input);
		if (!status)
			status = perun_input_map(ctx, input, MAX_TEXT, &data, &size);
	}
	if (!status)
		status = perun_yaml_parse(ctx, file ? text : "text", data, size, document);
	if (status)
		perun_fail(ctx, PERUN_OK, "parameters of %s", whose);
	else if (!file && perun_json_type(*document) == PERUN_JSON_TYPE_STRING)
		status = perun_fail(ctx, PERUN_USAGE,
				    "parameters of %s: '%s' is neither a file nor names and values "
				    "such as 'repeat: 5'",
				    whose, text);
	perun_input_close(input);
	perun_free(yaml);
	return status;
}

int perun_module_yaml(struct perun_ctx *ctx, struct perun_module *module, const char *text)
{
	struct perun_json *document;
	int status = perun_params_yaml(ctx, module->name, text, &document);

	if (!status)
		status = perun_module_document(ctx, module, document);
	perun_json_free(document);
	return status;
}

int perun_modules_configured(struct perun_ctx *ctx, struct perun_store *store, const char *key,
			     struct perun_modules *modules)
{
	struct perun_json *list = NULL;
	int status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, key, &list);

	for (size_t i = 0; !status && i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		const char *name = perun_json_as_string(item, NULL);

		if (!name)
			name = perun_json_as_string(perun_json_get(item, "name"), NULL);
		if (!name)
			status = perun_fail(ctx, PERUN_INPUT,
					    "the setting %s: entry %zu has no name", key, i + 1);
		else
			status = perun_module_document(ctx, perun_modules_add(modules, name),
						       perun_json_get(item, "params"));
	}
	perun_json_free(list);
	return status;
}
