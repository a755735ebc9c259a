/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectors, postprocessors and checks by name, with the words for their options.
 * Of the growing part of the interface: see perun/lib/version.h.
 * Any thread may call these; a list belongs to one thread at a time.
 */
#ifndef PERUN_LIB_MODULE_H
#define PERUN_LIB_MODULE_H

#include <perun/json.h>
#include <perun/lib/version.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_module {
	char *name;
	char **arguments; /* NULL-terminated */
	size_t count, capacity;
};

/* {0} is an empty list. */
struct perun_modules {
	struct perun_module *items;
	size_t count, capacity;
};

PERUN_EXPORT struct perun_module *perun_modules_add(struct perun_modules *units, const char *name);
PERUN_EXPORT void perun_modules_free(struct perun_modules *units);
/* A further word for the options of a module. */
PERUN_EXPORT void perun_module_word(struct perun_module *unit, const char *word);
/*
 * Parameters from a document {"repeat": 5, "warmup": 1, "all": true} become "--repeat" "5" "--warmup"
 * "1" "--all"; lists repeat their option.
 */
PERUN_EXPORT int perun_module_document(struct perun_ctx *ctx, struct perun_module *unit,
				       const struct perun_json *params);
/* The document of YAML: of a file, or the text itself ("repeat: 5"). `whose` is for messages. */
PERUN_EXPORT int perun_params_yaml(struct perun_ctx *ctx, const char *whose, const char *text,
				   struct perun_json **document);
/* The options of a module from such YAML. */
PERUN_EXPORT int perun_module_yaml(struct perun_ctx *ctx, struct perun_module *unit,
				   const char *text);
/* Modules from a setting: a list of {"name", "params"}. */
PERUN_EXPORT int perun_modules_configured(struct perun_ctx *ctx, struct perun_store *store,
					  const char *key, struct perun_modules *units);

#ifdef __cplusplus
}
#endif
#endif
