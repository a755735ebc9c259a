/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry: the plugins of this process. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/command.h>
#include <perun/lib/options.h>
#include <perun/lib/path.h>

#include "core/registry/crash.h"
#include "core/registry/guard.h"
#include "core/context/context.h"
#include "core/registry/registry-private.h"

struct entry {
	struct plugin_text facts;
	char *text; /* of the facts; NULL where they are of an index or of the plugin */
	char *file;
	char *problem;
	bool undescribed;
	char **shadowed; /* ends with NULL */
	size_t shadowed_count, shadowed_capacity;
	const struct perun_plugin *plugin; /* NULL until it is loaded */
};

/* Filled once, never emptied: what it holds lives as long as the process. */
static struct {
	pthread_mutex_t lock;
	bool filled;
	struct entry *entries;
	uint64_t *hashes;                /* of their kinds and names, while it is filled */
	struct perun_plugin_info *infos; /* of each entry */
	size_t count, capacity;
	struct plugin_index **indexes; /* whose texts the facts are of */
	size_t index_count, index_capacity;
	char **warnings; /* that nobody has heard yet */
	size_t warning_count, warning_capacity;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- filling --------------------------------------------------------------------------------- */

bool perun_same_name(const char *one, const char *other)
{
	for (; *one && *other; one++, other++) {
		if ((*one == '_' ? '-' : *one) != (*other == '_' ? '-' : *other))
			return false;
	}
	return *one == *other;
}

/* "perun-KIND-NAME.so": `*name` is the caller's. */
static bool parse_file_name(const char *file, enum perun_kind *kind, char **name)
{
	size_t length = strlen(file);

	if (length < 3 || strcmp(file + length - 3, ".so") != 0 || strncmp(file, "perun-", 6) != 0)
		return false;
	for (unsigned k = 0; k < PERUN_KINDS; k++) {
		const char *word = perun_kind_name((enum perun_kind)k);
		size_t start = 6 + strlen(word) + 1;

		if (strncmp(file + 6, word, strlen(word)) == 0 && file[start - 1] == '-' &&
		    length > start + 3) {
			*kind = (enum perun_kind)k;
			*name = perun_strndup(file + start, length - 3 - start);
			return true;
		}
	}
	return false;
}

static struct entry *find_entry(enum perun_kind kind, const char *name)
{
	for (size_t i = 0; i < registry.count; i++) {
		if (registry.entries[i].facts.kind == kind &&
		    perun_same_name(registry.entries[i].facts.name, name))
			return &registry.entries[i];
	}
	return NULL;
}

/* From the .plugin text beside the file; false when it is missing or of no use. */
static bool facts_from_text(struct entry *entry, enum perun_kind kind, const char *name)
{
	char *path = plugin_text_path(entry->file), *text = NULL;
	struct perun_ctx *trouble = perun_ctx_new(NULL);
	bool good = false;

	if (access(path, F_OK) == 0 && plugin_file_check(trouble, path) == PERUN_OK)
		text = plugin_text_read(path);
	if (text && plugin_text_parse(trouble, text, &entry->facts) == PERUN_OK) {
		good = entry->facts.kind == kind && strcmp(entry->facts.name, name) == 0;
		if (!good)
			plugin_text_free(&entry->facts);
	}
	if (good)
		entry->text = text;
	else
		perun_free(text);
	perun_free(path);
	perun_ctx_free(trouble);
	return good;
}

/* What is wrong with the file is kept as the entry's problem and said once. */
static void set_problem(struct perun_ctx *ctx, struct entry *entry, const char *problem)
{
	entry->problem = perun_strdup(problem);
	perun_warn(ctx, "plugin skipped: %s", problem);
}

static void fill_facts(struct perun_ctx *ctx, struct entry *entry, enum perun_kind kind,
		       const char *name)
{
	struct perun_ctx *trouble = perun_ctx_new(NULL);
	struct stat status;

	/* What is not a file at all is said only to those who ask for it. */
	if (stat(entry->file, &status) == 0 && !S_ISREG(status.st_mode))
		entry->problem = perun_format("cannot load %s: not a file", entry->file);
	else if (plugin_file_check(trouble, entry->file) == PERUN_OK)
		entry->undescribed = !facts_from_text(entry, kind, name);
	if (!entry->facts.name) {
		entry->text = perun_strdup(name);
		entry->facts =
			(struct plugin_text){.kind = kind, .name = entry->text, .summary = ""};
	}
	if (perun_ctx_error(trouble))
		set_problem(ctx, entry, perun_ctx_error(trouble));
	perun_ctx_free(trouble);
}

/* Made without a format: there are more than a hundred at each start. */
static char *path_in(const char *directory, const char *file)
{
	size_t length = strlen(directory), rest = strlen(file) + 1;
	char *path = perun_alloc(length + 1 + rest);

	memcpy(path, directory, length);
	path[length] = '/';
	memcpy(path + length + 1, file, rest);
	return path;
}

/* The same for names that perun_same_name() says are the same. */
static uint64_t hash_of(enum perun_kind kind, const char *name)
{
	uint64_t hash = (uint64_t)kind;

	for (; *name; name++)
		hash = hash * 31 + (unsigned char)(*name == '_' ? '-' : *name);
	return hash;
}

/* Whether a plugin of that kind and name was found before, which notes the file that it hides. */
static bool is_shadowed(enum perun_kind kind, const char *name, char *file)
{
	const uint64_t hash = hash_of(kind, name), *hashes = registry.hashes;
	size_t count = registry.count;
	struct entry *known;

	/* Most often there is none, for which not each name is compared. */
	while (count > 0 && hashes[count - 1] != hash)
		count--;
	known = count ? find_entry(kind, name) : NULL;
	if (!known)
		return false;
	PERUN_GROW(known->shadowed, known->shadowed_count + 1, known->shadowed_capacity);
	known->shadowed[known->shadowed_count++] = file;
	known->shadowed[known->shadowed_count] = NULL;
	return true;
}

static void add_entry(const struct entry *entry)
{
	if (registry.count == registry.capacity) {
		registry.capacity = registry.capacity ? 2 * registry.capacity : 256;
		registry.entries = perun_realloc_array(registry.entries, registry.capacity,
						       sizeof *registry.entries);
		registry.hashes = perun_realloc_array(registry.hashes, registry.capacity,
						      sizeof *registry.hashes);
	}
	registry.hashes[registry.count] = hash_of(entry->facts.kind, entry->facts.name);
	registry.entries[registry.count++] = *entry;
}

/* A file of a directory; false when it has no text, or cannot be used. */
static bool add_file(struct perun_ctx *ctx, const char *directory, const char *file)
{
	struct entry entry = {0};
	enum perun_kind kind;
	char *name;

	if (!parse_file_name(file, &kind, &name))
		return true;
	entry.file = path_in(directory, file);
	if (!is_shadowed(kind, name, entry.file)) {
		fill_facts(ctx, &entry, kind, name);
		add_entry(&entry);
	}
	perun_free(name);
	return !entry.undescribed && !entry.problem;
}

/* "perun-KIND-NAME.so" of these facts. */
static bool is_named_so(const char *file, const struct plugin_text *facts)
{
	const char *const parts[] = {"perun-", perun_kind_name(facts->kind), "-", facts->name,
				     ".so"};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		size_t length = strlen(parts[i]);

		if (strncmp(file, parts[i], length) != 0)
			return false;
		file += length;
	}
	return !*file;
}

/* A file of a directory whose index has its text: the file was found good then, and is as it was. */
static void add_indexed(struct perun_ctx *ctx, const char *directory, const char *file, char *text)
{
	struct entry entry = {0};

	if (plugin_text_parse(ctx, text, &entry.facts) != PERUN_OK ||
	    !is_named_so(file, &entry.facts)) {
		plugin_text_free(&entry.facts);
		add_file(ctx, directory, file);
		return;
	}
	entry.file = path_in(directory, file);
	if (is_shadowed(entry.facts.kind, entry.facts.name, entry.file))
		plugin_text_free(&entry.facts);
	else
		add_entry(&entry);
}

static int is_plugin_file(const struct dirent *entry)
{
	enum perun_kind kind;
	char *name;
	bool is = parse_file_name(entry->d_name, &kind, &name);

	if (is)
		perun_free(name);
	return is;
}

static void scan_directory(struct perun_ctx *ctx, const char *directory)
{
	struct dirent **files;
	const char **names;
	int count = scandir(directory, &files, is_plugin_file, alphasort);
	bool good = count > 0;

	if (count < 0) {
		perun_warn(ctx, "plugin directory %s cannot be read", directory);
		return;
	}
	names = perun_alloc_zero((size_t)count + 1, sizeof *names);
	for (int i = 0; i < count; i++) {
		names[i] = files[i]->d_name;
		good = add_file(ctx, directory, names[i]) && good;
	}
	/* What there is to warn of is said every time. */
	if (good)
		plugin_index_write(directory, names, (size_t)count);
	for (int i = 0; i < count; i++)
		free(files[i]);
	perun_free(names);
	free(files);
}

static int add_directory(struct perun_ctx *ctx, const char *directory, void *data)
{
	struct plugin_index *index = plugin_index_open(directory);
	const char *name;
	char *text;

	(void)data;
	if (!index) {
		scan_directory(ctx, directory);
		return PERUN_OK;
	}
	while (plugin_index_next(index, &name, &text))
		add_indexed(ctx, directory, name, text);
	PERUN_GROW(registry.indexes, registry.index_count, registry.index_capacity);
	registry.indexes[registry.index_count++] = index;
	return PERUN_OK;
}

static void add_linked(struct perun_ctx *ctx)
{
	for (const struct perun_plugin *const *plugin = perun_linked_plugins; *plugin; plugin++) {
		struct entry entry = {.file = perun_strdup("")};
		struct perun_ctx *trouble = perun_ctx_new(NULL);

		if (plugin_check_abi(trouble, "a plugin linked in", *plugin) == PERUN_OK) {
			entry.plugin = plugin_in_host_layout(*plugin);
			plugin_remember(entry.plugin, "");
			plugin_text_from(entry.plugin, &entry.facts);
			add_entry(&entry);
		} else {
			perun_warn(ctx, "plugin skipped: %s", perun_ctx_error(trouble));
		}
		perun_ctx_free(trouble);
	}
}

static int compare_entries(const void *one, const void *other)
{
	const struct entry *a = one, *b = other;

	if (a->facts.kind != b->facts.kind)
		return a->facts.kind < b->facts.kind ? -1 : 1;
	return strcmp(a->facts.name, b->facts.name);
}

static bool is_static(void)
{
	return perun_linked_plugins != NULL;
}

static struct perun_plugin_info info_of(const struct entry *entry)
{
	const struct plugin_text *facts = &entry->facts;

	return (struct perun_plugin_info){
		.kind = facts->kind,
		.name = facts->name,
		.summary = facts->summary,
		.file = entry->file,
		.patterns = (const char *const *)facts->patterns,
		.magic = facts->magic,
		.contains = (const char *const *)facts->contains,
		.reads_directories = facts->reads_directories,
		.aliases = (const char *const *)facts->aliases,
		.commands = (const char *const *)facts->commands,
		.linked_in = is_static(),
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

static void fill(void)
{
	const struct perun_handlers handlers = {.struct_size = sizeof handlers,
						.warn = keep_warning};
	struct perun_ctx *ctx;

	if (registry.filled)
		return;
	ctx = perun_ctx_new(&handlers);
	registry.filled = true;
	if (is_static())
		add_linked(ctx);
	else
		plugin_path_walk(ctx, add_directory, NULL);
	perun_free(registry.hashes);
	registry.hashes = NULL;
	if (registry.count)
		qsort(registry.entries, registry.count, sizeof *registry.entries, compare_entries);
	registry.infos = perun_alloc_zero(registry.count + 1, sizeof *registry.infos);
	for (size_t i = 0; i < registry.count; i++)
		registry.infos[i] = info_of(&registry.entries[i]);
	perun_ctx_free(ctx);
}

static void lock_filled(struct perun_ctx *ctx)
{
	pthread_mutex_lock(&registry.lock);
	fill();
	warn(ctx);
}

/* Loads the plugin of an entry unless it is; under the lock. */
static int load_entry(struct perun_ctx *ctx, struct entry *entry)
{
	if (entry->problem)
		return perun_fail(ctx, PERUN_MISSING, "%s", entry->problem);
	if (entry->plugin)
		return PERUN_OK;
	return plugin_load_file(ctx, entry->file, entry->facts.kind, entry->facts.name,
				&entry->plugin);
}

void perun_registry_describe(struct perun_ctx *ctx)
{
	lock_filled(ctx);
	for (size_t i = 0; i < registry.count; i++) {
		struct entry *entry = &registry.entries[i];
		struct perun_ctx *trouble;

		if (!entry->undescribed || entry->problem)
			continue;
		trouble = perun_ctx_new(NULL);
		if (load_entry(trouble, entry) == PERUN_OK) {
			plugin_text_free(&entry->facts);
			plugin_text_from(entry->plugin, &entry->facts);
			entry->undescribed = false;
		} else {
			set_problem(ctx, entry, perun_ctx_error(trouble));
		}
		registry.infos[i] = info_of(entry);
		perun_ctx_free(trouble);
	}
	pthread_mutex_unlock(&registry.lock);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const struct perun_plugin_info *perun_registry_list(struct perun_ctx *ctx, size_t *count)
{
	lock_filled(ctx);
	pthread_mutex_unlock(&registry.lock);
	*count = registry.count;
	return registry.infos;
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

static bool answers_to(const struct perun_plugin_info *info, const char *name)
{
	if (perun_same_name(info->name, name))
		return true;
	for (const char *const *alias = info->aliases; alias && *alias; alias++) {
		if (perun_same_name(*alias, name))
			return true;
	}
	return false;
}

const struct perun_plugin_info *perun_registry_find(struct perun_ctx *ctx, enum perun_kind kind,
						    const char *name)
{
	const struct perun_plugin_info *infos, *by_alias = NULL;
	size_t count;

	infos = perun_registry_list(ctx, &count);
	for (size_t i = 0; i < count; i++) {
		if (infos[i].kind != kind || !answers_to(&infos[i], name))
			continue;
		if (perun_same_name(infos[i].name, name))
			return &infos[i];
		by_alias = &infos[i];
	}
	for (size_t i = 0; i < count && !by_alias && kind == PERUN_KIND_CHECK; i++) {
		const struct perun_plugin *plugin =
			infos[i].kind == kind ? open_undescribed(&infos[i]) : NULL;

		if (plugin && has_alias(plugin, name))
			by_alias = &infos[i];
	}
	return by_alias;
}

const struct perun_plugin_info *perun_registry_find_command(struct perun_ctx *ctx,
							    const char *command)
{
	const struct perun_plugin_info *infos;
	size_t count;

	infos = perun_registry_list(ctx, &count);
	for (size_t i = 0; i < count; i++) {
		const char *const *pair = infos[i].commands;

		for (; pair && pair[0] && pair[1]; pair += 2) {
			if (strcmp(pair[0], command) == 0)
				return &infos[i];
		}
	}
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
	status = perun_fail(
		ctx, PERUN_MISSING, "no %s called %s;%s%s%s %s%s%s", plugin_kind_words(kind),
		*name ? name : "''", near ? " did you mean " : "", near ? near : "",
		near ? "?" : "", count ? "installed are:" : "none is installed",
		count ? list.data : "",
		is_static() ? " (this perun has its plugins linked in and loads no others)" : "");
	perun_buffer_free(&list);
	perun_free(names);
	return status;
}

int perun_registry_load(struct perun_ctx *ctx, enum perun_kind kind, const char *name,
			const struct perun_plugin **plugin)
{
	const struct perun_plugin_info *info = perun_registry_find(ctx, kind, name);
	struct entry *entry;
	int status;

	*plugin = NULL;
	if (!info)
		return not_found(ctx, kind, name);
	pthread_mutex_lock(&registry.lock);
	entry = &registry.entries[info - registry.infos];
	status = load_entry(ctx, entry);
	*plugin = entry->plugin;
	pthread_mutex_unlock(&registry.lock);
	return status;
}

int perun_registry_load_file(struct perun_ctx *ctx, const char *file,
			     const struct perun_plugin **plugin)
{
	char *path, *name;
	enum perun_kind kind;
	int status;

	*plugin = NULL;
	if (!parse_file_name(perun_path_base_name(file), &kind, &name))
		return perun_fail(ctx, PERUN_USAGE, "%s is not called perun-KIND-NAME.so", file);
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

	if (status == PERUN_OK && !is_static())
		status = check_text(ctx, perun_registry_find(ctx, kind, name)->file, plugin);
	return status;
}

char **perun_supported_modules(struct perun_ctx *ctx, enum perun_kind kind, size_t *count)
{
	const struct perun_plugin_info *infos;
	size_t all, bytes = 0, n = 0;
	char **names, *text;

	infos = perun_registry_list(ctx, &all);
	for (size_t i = 0; i < all; i++) {
		if (infos[i].kind == kind && !infos[i].problem) {
			bytes += strlen(infos[i].name) + 1;
			n++;
		}
	}
	names = perun_alloc((n + 1) * sizeof *names + bytes);
	text = (char *)(names + n + 1);
	n = 0;
	for (size_t i = 0; i < all; i++) {
		if (infos[i].kind == kind && !infos[i].problem) {
			names[n++] = text;
			text = stpcpy(text, infos[i].name) + 1;
		}
	}
	names[n] = NULL;
	*count = n;
	return names;
}
