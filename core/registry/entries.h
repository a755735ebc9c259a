/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugins that were found, as the registry keeps them; private to core/registry. */
#ifndef PERUN_CORE_REGISTRY_ENTRIES_H
#define PERUN_CORE_REGISTRY_ENTRIES_H

#include "core/registry/registry-private.h"

/*
 * A plugin. Of one that an index names the kind and the name are known at once, and the rest of its text is read when
 * somebody asks: a start has more than a hundred of them and needs few. All of it lives as long as the process.
 */
struct plugin_entry {
	enum perun_kind kind;
	const char *name;
	const char *directory;     /* of what is unread */
	char *unread;              /* its text; NULL once it was read */
	bool brings_commands;      /* the unread text names some */
	struct plugin_text *facts; /* NULL while it is unread */
	char *file;
	char *problem;
	bool undescribed;
	char **shadowed; /* ends with NULL */
	size_t shadowed_count, shadowed_capacity;
	const struct perun_plugin *plugin; /* NULL until it is loaded */
	bool has_info;                     /* the registry made it */
};

struct plugin_entries {
	struct plugin_entry *list; /* sorted by kind and name */
	size_t count, capacity;
	struct plugin_index **indexes; /* whose texts the entries point into */
	size_t index_count, index_capacity;
};

/* Find all plugins: those that are linked in, or those of the search path. */
void plugin_entries_fill(struct perun_ctx *ctx, struct plugin_entries *entries);
/* Read what an index says of an entry; the text beside the plugin where that is damaged. */
void plugin_entry_read(struct perun_ctx *ctx, struct plugin_entry *entry);
/* Load the plugin of an entry unless it is. */
int plugin_entry_load(struct perun_ctx *ctx, struct plugin_entry *entry);
/* Load one without a text, and keep what it says of itself. */
void plugin_entry_describe(struct perun_ctx *ctx, struct plugin_entry *entry);

/* Whether the plugins are linked in, and no others are loaded. */
bool plugins_are_linked(void);

#endif
