/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the configuration share; private to core. */
#ifndef PERUN_CORE_CONFIG_CONFIG_H
#define PERUN_CORE_CONFIG_CONFIG_H

#include <perun/json.h>
#include <perun/lib/settings.h>
#include <perun/lib/yaml.h>
#include <perun/store.h>

/* Relative to .perun. */
#define PERUN_LOCAL_CONFIG "local.yml"

/* The settings of an open store; files are read at first use. */
struct perun_settings {
	struct perun_json *runtime; /* an object, never NULL */
	struct perun_json *local, *shared;
	bool local_read, shared_read;
	bool shared_missing;         /* the defaults are in its place */
	struct perun_json *defaults; /* NULL = no key that they may have was asked for */
	struct perun_json
		*executing; /* what of `local` can run something (trust.c), NULL = not looked for */
	int trust;          /* enum perun_trust, of `executing` */
	bool refused;       /* something was wanted of it that is not trusted */
};
struct perun_settings *perun_settings_new(void);
void perun_settings_free(struct perun_settings *settings);
/* Read the files again at the next use. */
void perun_settings_forget(struct perun_settings *settings);

/* One value given on a command line: YAML if it is that, else a string. */
struct perun_json *perun_yaml_value(const char *text);

/*
 * Set a dotted key in a YAML text: the lines concerned change, all others stay as they are.
 * `name` is for messages. `out` gets the new text.
 */
int perun_yaml_set(struct perun_ctx *ctx, const char *name, const char *text, size_t length,
		   const char *key, const char *value, struct perun_buffer *out);

/* The settings of local.yml, which the store owns. */
int perun_config_local(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_json **document);
/* The value of a dotted key, NULL when there is none. */
struct perun_json *perun_config_lookup(const struct perun_json *document, const char *key);
/* Set a dotted key of a document; values in the way are replaced. Takes `value`. */
void perun_config_put(struct perun_json *document, const char *key, struct perun_json *value);

/* The text of a new shared.yml. */
extern const char perun_config_defaults[];

/* Replace a file outside of a store durably, keeping its mode; links are followed. */
int perun_config_write_file(struct perun_ctx *ctx, const char *path, const char *text,
			    size_t length);

#endif
