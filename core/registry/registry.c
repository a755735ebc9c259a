/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry: the plugins of this process. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <perun/command.h>
#include <perun/lib/options.h>
#include <perun/lib/path.h>

#include "core/context/context.h"
#include "core/registry/entries.h"

/* Filled once, never emptied: what it holds lives as long as the process. */
static struct {
	pthread_mutex_t lock;
	bool filled;
	struct plugin_entries entries;
	struct perun_plugin_info *infos; /* of each entry that was read */
	char **warnings;                 /* that nobody has heard yet */
	size_t warning_count, warning_capacity;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool perun_same_name(const char *one, const char *other)
{
	for (; *one && *other; one++, other++) {
		if ((*one == '_' ? '-' : *one) != (*other == '_' ? '-' : *other))
			return false;
	}
	return *one == *other;
}

/* ---- filling --------------------------------------------------------------------------------- */

static struct perun_plugin_info info_of(const struct plugin_entry *entry)
{
	const struct plugin_text *facts = entry->facts;

	return (struct perun_plugin_info){
		.kind = entry->kind,
		.name = entry->name,
		.summary = facts->summary,
		.file = entry->file,
		.patterns = (const char *const *)facts->patterns,
		.magic = facts->magic,
		.contains = (const char *const *)facts->contains,
		.reads_directories = facts->reads_directories,
		.aliases = (const char *const *)facts->aliases,
		.commands = (const char *const *)facts->commands,
		.linked_in = plugins_are_linked(),
		.problem = entry->problem,
		.version = facts->version,
		.license = facts->license,
		.abi_major = facts->abi_major,
		.abi_minor = facts->abi_minor,
		.undescribed = entry->undescribed,
		.shadowed = (const char *const *)entry->shadowed,
	};
}

static void keep_warning(void *data, const char *message)
{
	(void)data;
	PERUN_GROW(registry.warnings, registry.warning_count, registry.warning_capacity);
	registry.warnings[registry.warning_count++] = perun_strdup(message);
}

/* Who asks first may have nobody to warn, such as one that only looks whether there is a view. */
static void warn(struct perun_ctx *ctx)
{
	if (!perun_ctx_is_heard(ctx))
		return;
	for (size_t i = 0; i < registry.warning_count; i++) {
		perun_warn(ctx, "%s", registry.warnings[i]);
		perun_free(registry.warnings[i]);
	}
	registry.warning_count = 0;
}

/* Its warnings wait for somebody who hears them. */
static struct perun_ctx *new_keeper(void)
{
	const struct perun_handlers handlers = {.struct_size = sizeof handlers,
						.warn = keep_warning};

	return perun_ctx_new(&handlers);
}

static void fill(void)
{
	struct perun_ctx *ctx;

	if (registry.filled)
		return;
	ctx = new_keeper();
	registry.filled = true;
	plugin_entries_fill(ctx, &registry.entries);
	registry.infos =
		perun_realloc_array(NULL, registry.entries.count + 1, sizeof *registry.infos);
	perun_ctx_free(ctx);
}

static void lock_filled(void)
{
	pthread_mutex_lock(&registry.lock);
	fill();
}

static void warn_and_unlock(struct perun_ctx *ctx)
{
	warn(ctx);
	pthread_mutex_unlock(&registry.lock);
}

/* What is known of an entry, which is read for it; under the lock. */
static const struct perun_plugin_info *read_info(size_t i)
{
	struct plugin_entry *entry = &registry.entries.list[i];
	struct perun_ctx *ctx;

	if (entry->unread) {
		ctx = new_keeper();
		plugin_entry_read(ctx, entry);
		perun_ctx_free(ctx);
	}
	if (!entry->has_info)
		registry.infos[i] = info_of(entry);
	entry->has_info = true;
	return &registry.infos[i];
}

void perun_registry_describe(struct perun_ctx *ctx)
{
	lock_filled();
	for (size_t i = 0; i < registry.entries.count; i++) {
		struct plugin_entry *entry = &registry.entries.list[i];

		if (entry->unread || !entry->undescribed || entry->problem)
			continue;
		plugin_entry_describe(ctx, entry);
		registry.infos[i] = info_of(entry);
		entry->has_info = true;
	}
	warn_and_unlock(ctx);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const struct perun_plugin_info *perun_registry_list(struct perun_ctx *ctx, size_t *count)
{
	lock_filled();
	for (size_t i = 0; i < registry.entries.count; i++)
		read_info(i);
	*count = registry.entries.count;
	warn_and_unlock(ctx);
	return registry.infos;
}

const struct perun_plugin_info *perun_registry_next_with_commands(struct perun_ctx *ctx, size_t *at)
{
	const struct perun_plugin_info *found = NULL;

	lock_filled();
	while (!found && *at < registry.entries.count) {
		const struct plugin_entry *entry = &registry.entries.list[*at];

		if (!entry->unread || entry->brings_commands)
			found = read_info(*at);
		if (found && !found->commands)
			found = NULL;
		++*at;
	}
	warn_and_unlock(ctx);
	return found;
}

/* What a plugin without a text says of itself; NULL when it cannot be loaded, which is not said. */
static const struct perun_plugin *open_undescribed(const struct perun_plugin_info *info)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	const struct perun_plugin *plugin = NULL;

	if (info->undescribed && !info->problem)
		perun_registry_load(quiet, info->kind, info->name, &plugin);
	perun_ctx_free(quiet);
	return plugin;
}

static bool has_alias(const struct perun_plugin *plugin, const char *name)
{
	struct plugin_text facts;
	bool has = false;

	plugin_text_from(plugin, &facts);
	for (size_t i = 0; i < facts.alias_count && !has; i++)
		has = perun_same_name(facts.aliases[i], name);
	plugin_text_free(&facts);
	return has;
}

static bool has_text(const char *const *texts, const char *name)
{
	for (; texts && *texts; texts++) {
		if (perun_same_name(*texts, name))
			return true;
	}
	return false;
}

/* By its name, or by a short one of those that are read; under the lock. */
static const struct perun_plugin_info *find_read(enum perun_kind kind, const char *name)
{
	const struct perun_plugin_info *by_alias = NULL;

	for (size_t i = 0; i < registry.entries.count; i++) {
		const struct plugin_entry *entry = &registry.entries.list[i];

		if (entry->kind == kind && perun_same_name(entry->name, name))
			return read_info(i);
	}
	for (size_t i = 0; i < registry.entries.count; i++) {
		if (registry.entries.list[i].kind == kind && has_text(read_info(i)->aliases, name))
			by_alias = &registry.infos[i];
	}
	return by_alias;
}

const struct perun_plugin_info *perun_registry_find(struct perun_ctx *ctx, enum perun_kind kind,
						    const char *name)
{
	const struct perun_plugin_info *infos, *found;
	size_t count;

	lock_filled();
	found = find_read(kind, name);
	warn_and_unlock(ctx);
	if (found || kind != PERUN_KIND_CHECK)
		return found;
	infos = perun_registry_list(ctx, &count);
	for (size_t i = 0; i < count && !found; i++) {
		const struct perun_plugin *plugin =
			infos[i].kind == kind ? open_undescribed(&infos[i]) : NULL;

		if (plugin && has_alias(plugin, name))
			found = &infos[i];
	}
	return found;
}

static bool names_command(const char *const *pairs, const char *command)
{
	for (; pairs && pairs[0] && pairs[1]; pairs += 2) {
		if (strcmp(pairs[0], command) == 0)
			return true;
	}
	return false;
}

const struct perun_plugin_info *perun_registry_find_command(struct perun_ctx *ctx,
							    const char *command)
{
	const struct perun_plugin_info *infos, *info;
	size_t count, at = 0;

	while ((info = perun_registry_next_with_commands(ctx, &at))) {
		if (names_command(info->commands, command))
			return info;
	}
	infos = perun_registry_list(ctx, &count);
	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin *plugin = open_undescribed(&infos[i]);
		const struct perun_command *one = plugin ? plugin->commands : NULL;

		for (; one && one->name; one++) {
			if (strcmp(one->name, command) == 0)
				return &infos[i];
		}
	}
	return NULL;
}

/* What configurations of the Python program may name, and nothing can bring back. */
static const char *gone_because(enum perun_kind kind, const char *name)
{
	if (kind == PERUN_KIND_COLLECT && perun_same_name(name, "bounds"))
		return "it needs Loopus, which is no longer available; how costs grow is measured "
		       "with the "
		       "collector trace and postprocessed by regression-analysis";
	return NULL;
}

/* "no collector called tme; did you mean time? installed are: memory, time" */
static int not_found(struct perun_ctx *ctx, enum perun_kind kind, const char *name)
{
	struct perun_buffer list = {0};
	const char *near;
	char **names;
	size_t count;
	int status;

	if (gone_because(kind, name))
		return perun_fail(ctx, PERUN_MISSING, "there is no %s %s any more: %s",
				  plugin_kind_words(kind), name, gone_because(kind, name));
	status = perun_registry_packaged(ctx, kind, name);
	if (status)
		return status;
	names = perun_supported_modules(ctx, kind, &count);
	near = perun_suggest(name, (const char *const *)names, count);
	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(&list, "%s %s", i ? "," : "", names[i]);
	status = perun_fail(ctx, PERUN_MISSING, "no %s called %s;%s%s%s %s%s%s",
			    plugin_kind_words(kind), *name ? name : "''",
			    near ? " did you mean " : "", near ? near : "", near ? "?" : "",
			    count ? "installed are:" : "none is installed", count ? list.data : "",
			    plugins_are_linked()
				    ? " (this perun has its plugins linked in and loads no others)"
				    : "");
	perun_buffer_free(&list);
	perun_free(names);
	return status;
}

int perun_registry_load(struct perun_ctx *ctx, enum perun_kind kind, const char *name,
			const struct perun_plugin **plugin)
{
	const struct perun_plugin_info *info = perun_registry_find(ctx, kind, name);
	struct plugin_entry *entry;
	int status;

	*plugin = NULL;
	if (!info)
		return not_found(ctx, kind, name);
	pthread_mutex_lock(&registry.lock);
	entry = &registry.entries.list[info - registry.infos];
	status = plugin_entry_load(ctx, entry);
	*plugin = entry->plugin;
	pthread_mutex_unlock(&registry.lock);
	return status;
}

int perun_registry_load_file(struct perun_ctx *ctx, const char *file,
			     const struct perun_plugin **plugin)
{
	char *path, *name;
	const char *found;
	size_t length;
	enum perun_kind kind;
	int status;

	*plugin = NULL;
	if (!plugin_file_name(perun_path_base_name(file), &kind, &found, &length))
		return perun_fail(ctx, PERUN_USAGE, "%s is not called perun-KIND-NAME.so", file);
	name = perun_strndup(found, length);
	path = realpath(file, NULL);
	if (path) {
		pthread_mutex_lock(&registry.lock);
		status = plugin_load_file(ctx, path, kind, name, plugin);
		pthread_mutex_unlock(&registry.lock);
	} else {
		status =
			perun_fail(ctx, PERUN_MISSING, "cannot load %s: %s", file, strerror(errno));
	}
	free(path);
	perun_free(name);
	return status;
}

/* The text beside the file must say what the tables say; that it is missing is not a fault. */
static int check_text(struct perun_ctx *ctx, const char *file, const struct perun_plugin *plugin)
{
	char *path = plugin_text_path(file), *text = plugin_text_read(path);
	struct perun_buffer expected = {0};
	int status = PERUN_OK;

	perun_plugin_describe(plugin, &expected);
	if (text && strcmp(text, expected.data) != 0)
		status = perun_fail(
			ctx, PERUN_INPUT,
			"%s does not say what the plugin says; install the plugin again or "
			"remove this text",
			path);
	perun_buffer_free(&expected);
	perun_free(text);
	perun_free(path);
	return status;
}

int perun_registry_check(struct perun_ctx *ctx, enum perun_kind kind, const char *name)
{
	const struct perun_plugin *plugin;
	int status = perun_registry_load(ctx, kind, name, &plugin);

	if (status == PERUN_OK && !plugins_are_linked())
		status = check_text(ctx, perun_registry_find(ctx, kind, name)->file, plugin);
	return status;
}

/* Under the lock. */
static bool is_usable(size_t i, enum perun_kind kind)
{
	return registry.entries.list[i].kind == kind && !read_info(i)->problem;
}

char **perun_supported_modules(struct perun_ctx *ctx, enum perun_kind kind, size_t *count)
{
	size_t bytes = 0, n = 0;
	char **names, *text;

	lock_filled();
	for (size_t i = 0; i < registry.entries.count; i++) {
		if (is_usable(i, kind)) {
			bytes += strlen(registry.entries.list[i].name) + 1;
			n++;
		}
	}
	names = perun_alloc((n + 1) * sizeof *names + bytes);
	text = (char *)(names + n + 1);
	n = 0;
	for (size_t i = 0; i < registry.entries.count; i++) {
		if (is_usable(i, kind)) {
			names[n++] = text;
			text = stpcpy(text, registry.entries.list[i].name) + 1;
		}
	}
	warn_and_unlock(ctx);
	names[n] = NULL;
	*count = n;
	return names;
}
