/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings that Perun knows, described as data: help, checks of values, completion and lists come from it.
 * Of the growing part of the interface: see perun/lib/version.h.
 * The table is constant; it may be read from any thread.
 */
#ifndef PERUN_LIB_SETTINGS_H
#define PERUN_LIB_SETTINGS_H

#include <perun/lib/version.h>
#include <perun/option.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_setting {
	const char *key;           /* "format.sort_profiles_by" */
	const char *help;          /* one sentence, no full stop */
	const char *default_value; /* as in a file of the configuration; NULL = none */
	const char *choices;       /* blank-separated words, for PERUN_OPTION_CHOICE */
	/* FLAG, INTEGER, CHOICE, STRING (any one value) or LIST (values or maps, one or many) */
	enum perun_option_type type;
	bool has_parts; /* keys below it belong to it: "hooks.pre_run", options of methods */
	/*
	 * Where values are maps: an example in YAML, such as "{processes: [1, 2]}"; NULL elsewhere. The values of a map are
	 * of the kind of its first one, the entries of a list of the kind of one of its entries; a map in a list has
	 * its first key.
	 */
	const char *form;
};

/* Setting `i`, in the order of their keys; NULL after the last. Lives as long as the library. */
PERUN_EXPORT const struct perun_setting *perun_setting_at(size_t i);
/* The one that a key means, be it a part of it; NULL when there is none. */
PERUN_EXPORT const struct perun_setting *perun_setting_find(const char *key);
/*
 * Whether there is such a setting and `value`, the text of a scalar or of YAML, fits it: PERUN_OK, or
 * PERUN_USAGE with what was expected. A `value` of NULL asks for the key alone.
 */
PERUN_EXPORT int perun_setting_check(struct perun_ctx *ctx, const char *key, const char *value);

/* Where a value comes from; each counts before those above it. */
enum perun_setting_origin {
	PERUN_ORIGIN_NOWHERE, /* it is not set and has no default */
	PERUN_ORIGIN_DEFAULT,
	PERUN_ORIGIN_SHARED, /* the user's shared.yml */
	PERUN_ORIGIN_LOCAL,  /* .perun/local.yml */
	PERUN_ORIGIN_RUN     /* -c KEY=VALUE */
};
/*
 * The value that counts, to be shown and not to be run (see perun_config_inspect()), or NULL, and where it comes from.
 * The caller frees `*value`. `store` may be NULL.
 */
PERUN_EXPORT int perun_setting_read(struct perun_ctx *ctx, struct perun_store *store,
				    const char *key, struct perun_json **value,
				    enum perun_setting_origin *origin);

#ifdef __cplusplus
}
#endif
#endif
