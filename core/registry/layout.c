/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugins built with other versions of the structs: everything is copied into the host's layout. */
#include <stddef.h>
#include <string.h>

#include <perun/command.h>

#include "core/registry/registry-private.h"

int plugin_check_abi(struct perun_ctx *ctx, const char *file, const struct perun_plugin *plugin)
{
	if (plugin->abi_major != PERUN_ABI_MAJOR || plugin->abi_minor > PERUN_ABI_MINOR)
		return perun_fail(
			ctx, PERUN_MISSING,
			"%s is built for plugin interface %u.%u, this perun has %d.%d: %s", file,
			plugin->abi_major, plugin->abi_minor, PERUN_ABI_MAJOR, PERUN_ABI_MINOR,
			plugin->abi_major < PERUN_ABI_MAJOR ? "rebuild the plugin"
							    : "update perun");
	if (plugin->struct_size < offsetof(struct perun_plugin, flags))
		return perun_fail(ctx, PERUN_MISSING,
				  "%s is not a plugin: descriptor is only %u bytes", file,
				  (unsigned)plugin->struct_size);
	return PERUN_OK;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Copy a table that ends with an entry whose first member, a pointer, is NULL, from one stride to
 * another. NULL gives NULL.
 */
static void *copy_table(const void *table, size_t stride, size_t host_stride)
{
	size_t count = 0, capacity = 0;
	char *copy = NULL;

	if (!table)
		return NULL;
	for (const char *at = table;; at += stride) {
		const void *name;

		memcpy(&name, at, sizeof name);
		if (count == capacity) {
			capacity = capacity ? capacity * 2 : 8;
			copy = perun_realloc_array(copy, capacity, host_stride);
		}
		memset(copy + count * host_stride, 0, host_stride);
		if (!name)
			return copy;
		memcpy(copy + count * host_stride, at, least(stride, host_stride));
		count++;
	}
}

static const struct perun_option *copy_options(const struct perun_option *options, uint32_t *stride)
{
	size_t from = *stride ? *stride : sizeof *options;

	*stride = sizeof *options;
	return copy_table(options, from, sizeof *options);
}

const struct perun_plugin *plugin_in_host_layout(const struct perun_plugin *plugin)
{
	struct perun_plugin *copy = perun_alloc_zero(1, sizeof *copy);
	struct perun_subcommand *subcommands;
	struct perun_command *commands;

	memcpy(copy, plugin, least(plugin->struct_size, sizeof *copy));
	copy->options = copy_options(copy->options, &copy->option_size);
	subcommands =
		copy_table(copy->subcommands,
			   copy->subcommand_size ? copy->subcommand_size : sizeof *subcommands,
			   sizeof *subcommands);
	for (struct perun_subcommand *sub = subcommands; sub && sub->name; sub++)
		sub->options = copy_options(sub->options, &sub->option_size);
	copy->subcommands = subcommands;
	copy->subcommand_size = sizeof *subcommands;
	commands = copy_table(copy->commands,
			      copy->command_size ? copy->command_size : sizeof *commands,
			      sizeof *commands);
	for (struct perun_command *command = commands; command && command->name; command++)
		command->options = copy_options(command->options, &command->option_size);
	copy->commands = commands;
	copy->command_size = sizeof *commands;
	return copy;
}

void plugin_free_layout(const struct perun_plugin *plugin)
{
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++)
		perun_free((void *)sub->options);
	for (const struct perun_command *command = plugin->commands; command && command->name;
	     command++)
		perun_free((void *)command->options);
	perun_free((void *)plugin->options);
	perun_free((void *)plugin->subcommands);
	perun_free((void *)plugin->commands);
	perun_free((void *)plugin);
}

void perun_plugin_ops(const struct perun_plugin *plugin, void *ops, size_t size)
{
	memset(ops, 0, size);
	if (plugin->ops)
		memcpy(ops, plugin->ops, least(plugin->ops_size, size));
}
