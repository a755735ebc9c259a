/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the registry share; private to core/registry. */
#ifndef PERUN_CORE_REGISTRY_PRIVATE_H
#define PERUN_CORE_REGISTRY_PRIVATE_H

#include <perun/lib/registry.h>

/*
 * The facts of a .plugin text, as arrays that the info of the registry points into. The strings are those of the text or
 * of the plugin that the facts were taken out of, which must outlive them.
 */
struct plugin_text {
	enum perun_kind kind;
	const char *name, *summary, *version, *license;
	uint16_t abi_major, abi_minor;
	struct perun_magic *magic; /* ends with size 0; NULL when there is none */
	size_t magic_count, magic_capacity;
	const char **patterns, **aliases, **commands; /* end with NULL; NULL when there are none */
	const char **contains; /* the same, but NULL only when the plugin has no list */
	size_t contains_count, contains_capacity;
	bool reads_directories;
	size_t pattern_count, pattern_capacity, alias_count, alias_capacity;
	size_t command_count, command_capacity;
	char *words; /* what patterns or aliases of a plugin point into; owned */
};

/*
 * Parse a .plugin text, in place: its lines are cut into strings. Fails with PERUN_INPUT when it is damaged; unknown
 * lines are passed over.
 */
int plugin_text_parse(struct perun_ctx *ctx, char *text, struct plugin_text *facts);
/* Take the facts out of a loaded plugin's own tables. */
void plugin_text_from(const struct perun_plugin *plugin, struct plugin_text *facts);
void plugin_text_free(struct plugin_text *facts);

/* The path of the text of a plugin's file, and its content (NULL with errno); the caller's. */
char *plugin_text_path(const char *file);
char *plugin_text_read(const char *path);

struct plugin_index;

/* "perun-KIND-NAME.so": `*name` is in `file`, and `*length` long. */
bool plugin_file_name(const char *file, enum perun_kind *kind, const char **name, size_t *length);

/* What the user's cache says of a directory, where that is as it was then; else NULL. */
struct plugin_index *plugin_index_open(const char *directory);
/* The directory, as it was named. */
const char *plugin_index_directory(const struct plugin_index *index);
/* What an index says of a plugin; all of it is the index's. */
struct plugin_record {
	enum perun_kind kind;
	const char *name;
	char *text; /* to be parsed in place */
	bool brings_commands;
};
/* The next plugin; false at the end. */
bool plugin_index_next(struct plugin_index *index, struct plugin_record *record);
void plugin_index_close(struct plugin_index *index);
/* Keep the texts of the plugins of a directory, in the order of their files `names`, if nothing there was changed just now. */
void plugin_index_write(const char *directory, const char *const *names, size_t count);

/* A directory of the search path. */
typedef int plugin_directory_visit(struct perun_ctx *ctx, const char *directory, void *data);
/*
 * Visit the directories of the search path in order, each once: PERUN_PLUGIN_PATH, the user's, the
 * installed one. Those that are missing are passed over; unsafe ones are warned about.
 */
void plugin_path_walk(struct perun_ctx *ctx, plugin_directory_visit *visit, void *data);
/*
 * Whether nobody but root and the user can have put the file there, or can put another in its place:
 * PERUN_OK, or PERUN_MISSING and the reason. Every directory up to the root is inspected, and every
 * link and where it leads.
 */
int plugin_path_check(struct perun_ctx *ctx, const char *path);
/* The same of a file whose directory was checked just now: those of a directory share one check of it. */
int plugin_file_check(struct perun_ctx *ctx, const char *path);

/*
 * Load a file and check that it is the plugin that it should be. `*plugin` is made by
 * plugin_in_host_layout().
 */
int plugin_load_file(struct perun_ctx *ctx, const char *file, enum perun_kind kind,
		     const char *name, const struct perun_plugin **plugin);
/* Free such a copy, of a plugin that is not used. */
void plugin_free_layout(const struct perun_plugin *plugin);
/* Whether the host can work with it: interface version and the least members. */
int plugin_check_abi(struct perun_ctx *ctx, const char *file, const struct perun_plugin *plugin);
/*
 * A copy of the plugin and its tables in the layouts of this host: what an older plugin lacks is
 * zero, what a newer one has more is left out. Owned by the registry, which keeps it for ever.
 */
const struct perun_plugin *plugin_in_host_layout(const struct perun_plugin *plugin);

/*
 * In a static build (--disable-shared) the program holds this table, generated from the list of
 * plugins: NULL-terminated. Elsewhere there is none and the symbol is NULL.
 */
PERUN_EXPORT extern const struct perun_plugin *const perun_linked_plugins[] __attribute__((weak));

/* "version control system", "collector" ...: for messages. */
const char *plugin_kind_words(enum perun_kind kind);

/*
 * The package that brings a plugin by a table of lines "KIND NAME PACKAGE", which end with ';'; NULL when none does. The
 * caller frees it.
 */
char *plugin_package(const char *table, enum perun_kind kind, const char *name);

#endif
