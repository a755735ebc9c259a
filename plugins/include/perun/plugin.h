/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a plugin declares itself. A plugin includes this and the header of its kind, nothing else.
 * Threads: what a plugin declares is constant, and is read from any thread.
 */
#ifndef PERUN_PLUGIN_H
#define PERUN_PLUGIN_H

#include <perun/context.h>
#include <perun/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Version of this interface. A plugin with another major is refused; so is one with a newer minor.
 * Structs only grow at their end, and each carries its size: an older plugin works with a newer host.
 */
#define PERUN_ABI_MAJOR 1
#define PERUN_ABI_MINOR 0

enum perun_kind {
	PERUN_KIND_VCS,
	PERUN_KIND_COLLECT,
	PERUN_KIND_POSTPROCESS,
	PERUN_KIND_VIEW,
	PERUN_KIND_FORMAT,
	PERUN_KIND_CHECK,
	PERUN_KIND_COMMAND,
	PERUN_KIND_EXECUTOR,
	PERUN_KINDS
};

/* A variant of a plugin with options of its own: "moving-average sma". A table ends with a name of NULL; its
 * stride is the `subcommand_size` beside it. */
struct perun_subcommand {
	const char *name, *summary;
	const struct perun_option *options;
	uint32_t option_size;
};

struct perun_command; /* perun/command.h */

struct perun_plugin {
	uint32_t struct_size; /* sizeof(struct perun_plugin) when the plugin was built */
	uint16_t abi_major, abi_minor;
	enum perun_kind kind;
	unsigned flags;
	const char *name;    /* "regression-analysis": lower case, digits, dashes */
	const char *summary; /* one line for lists */
	const char *version, *license;
	const struct perun_option *options; /* may be NULL */
	uint32_t option_size;
	const struct perun_subcommand *subcommands; /* may be NULL; the first is the default */
	uint32_t subcommand_size;
	const struct perun_command *commands; /* may be NULL; any kind of plugin may bring some */
	uint32_t command_size;
	const void *ops; /* struct perun_format_ops, ... by kind; NULL for the kind command */
	uint32_t ops_size;
};

/*
 * Defines the entry symbol of the plugin. KIND is one of vcs, collect, postprocess, view, format,
 * check, command, executor; NAME is the name with underscores for dashes. The file is perun-KIND-NAME.so.
 *
 *	PERUN_PLUGIN(format, csv) = {
 *		PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "csv", "comma-separated values"),
 *		PERUN_PLUGIN_OPS(csv_ops),
 *	};
 */
#define PERUN_PLUGIN(KIND, NAME)                                                    \
	PERUN_EXPORT extern const struct perun_plugin perun_plugin_##KIND##_##NAME; \
	const struct perun_plugin perun_plugin_##KIND##_##NAME
#define PERUN_PLUGIN_HEAD(KIND, NAME, SUMMARY)                                    \
	.struct_size = sizeof(struct perun_plugin), .abi_major = PERUN_ABI_MAJOR, \
	.abi_minor = PERUN_ABI_MINOR, .kind = (KIND), .name = (NAME), .summary = (SUMMARY)
#define PERUN_PLUGIN_OPS(OPS) .ops = &(OPS), .ops_size = sizeof(OPS)
#define PERUN_PLUGIN_OPTIONS(OPTIONS) \
	.options = (OPTIONS), .option_size = sizeof(struct perun_option)
#define PERUN_PLUGIN_SUBCOMMANDS(SUBCOMMANDS) \
	.subcommands = (SUBCOMMANDS), .subcommand_size = sizeof(struct perun_subcommand)

/*
 * Every operation of a plugin works on an instance: open(ctx, options, subcommand, &instance) makes
 * it, close(instance) ends it. `options` holds the values of the plugin's table followed by those of
 * the chosen subcommand (whose name is `subcommand`, NULL when the plugin has none); both are borrowed
 * until close. open and close may be absent: then the instance is NULL.
 */
#define PERUN_INSTANCE_OPS                                                       \
	int (*open)(struct perun_ctx * ctx, const struct perun_options *options, \
		    const char *subcommand, void **instance);                    \
	void (*close)(void *instance)

/*
 * The installed plugins of one kind, sorted by name (the specification's
 * get_supported_module_names). The array and its strings are the caller's: free the array with
 * perun_free() (one block). Reads the .plugin texts and loads nothing.
 */
PERUN_EXPORT char **perun_supported_modules(struct perun_ctx *ctx, enum perun_kind kind,
					    size_t *count);

/* "vcs", "collect", ...; NULL for an unknown kind. And back; returns PERUN_KINDS if unknown. */
PERUN_EXPORT const char *perun_kind_name(enum perun_kind kind);
PERUN_EXPORT enum perun_kind perun_kind_from_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
