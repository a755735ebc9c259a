/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the plugins: in the directories of the search path, or linked in. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context/context.h"
#include "core/registry/crash.h"
#include "core/registry/entries.h"

/* What is needed while the entries are filled. */
struct filling {
	struct plugin_entries *entries;
	uint64_t seen[64]; /* a bit for each hash of a kind and name, by its last twelve bits */
};

bool plugins_are_linked(void)
{
	return perun_linked_plugins != NULL;
}

bool plugin_file_name(const char *file, enum perun_kind *kind, const char **name, size_t *length)
{
	size_t all = strlen(file);

	if (all < 3 || strcmp(file + all - 3, ".so") != 0 || strncmp(file, "perun-", 6) != 0)
		return false;
	for (unsigned k = 0; k < PERUN_KINDS; k++) {
		const char *word = perun_kind_name((enum perun_kind)k);
		size_t start = 6 + strlen(word) + 1;

		if (strncmp(file + 6, word, strlen(word)) == 0 && file[start - 1] == '-' &&
		    all > start + 3) {
			*kind = (enum perun_kind)k;
			*name = file + start;
			*length = all - 3 - start;
			return true;
		}
	}
	return false;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static struct plugin_text *new_facts(void)
{
	return perun_alloc_zero(1, sizeof(struct plugin_text));
}

/* From a text, which is kept; false where it is of no use or of another plugin, and nothing has changed then. */
static bool take_text(struct plugin_entry *entry, char *text)
{
	struct plugin_text *facts = new_facts();
	bool good = plugin_text_parse(NULL, text, facts) == PERUN_OK;

	if (good && (facts->kind != entry->kind || strcmp(facts->name, entry->name) != 0)) {
		plugin_text_free(facts);
		good = false;
	}
	if (good)
		entry->facts = facts;
	else
		perun_free(facts);
	return good;
}

/* From the .plugin text beside the file; false when it is missing or of no use. */
static bool facts_from_text(struct plugin_entry *entry)
{
	char *path = plugin_text_path(entry->file), *text = NULL;
	struct perun_ctx *trouble = perun_ctx_new(NULL);
	bool good;

	if (access(path, F_OK) == 0 && plugin_file_check(trouble, path) == PERUN_OK)
		text = plugin_text_read(path);
	good = text && take_text(entry, text);
	if (!good)
		perun_free(text);
	perun_free(path);
	perun_ctx_free(trouble);
	return good;
}

/* What is wrong with the file is kept as the entry's problem and said once. */
static void set_problem(struct perun_ctx *ctx, struct plugin_entry *entry, const char *problem)
{
	entry->problem = perun_strdup(problem);
	perun_warn(ctx, "plugin skipped: %s", problem);
}

static void fill_facts(struct perun_ctx *ctx, struct plugin_entry *entry)
{
	struct perun_ctx *trouble = perun_ctx_new(NULL);
	struct stat status;

	/* What is not a file at all is said only to those who ask for it. */
	if (stat(entry->file, &status) == 0 && !S_ISREG(status.st_mode))
		entry->problem = perun_format("cannot load %s: not a file", entry->file);
	else if (plugin_file_check(trouble, entry->file) == PERUN_OK)
		entry->undescribed = !facts_from_text(entry);
	if (!entry->facts) {
		entry->facts = new_facts();
		*entry->facts = (struct plugin_text){
			.kind = entry->kind, .name = entry->name, .summary = ""};
	}
	if (perun_ctx_error(trouble))
		set_problem(ctx, entry, perun_ctx_error(trouble));
	perun_ctx_free(trouble);
}

static char *path_of(const char *directory, enum perun_kind kind, const char *name)
{
	return perun_format("%s/perun-%s-%s.so", directory, perun_kind_name(kind), name);
}

void plugin_entry_read(struct perun_ctx *ctx, struct plugin_entry *entry)
{
	char *text = entry->unread;

	if (!text)
		return;
	entry->unread = NULL;
	entry->file = path_of(entry->directory, entry->kind, entry->name);
	/* The file was found good when the index was written, and is as it was. */
	if (!take_text(entry, text))
		fill_facts(ctx, entry);
}

int plugin_entry_load(struct perun_ctx *ctx, struct plugin_entry *entry)
{
	if (entry->problem)
		return perun_fail(ctx, PERUN_MISSING, "%s", entry->problem);
	if (entry->plugin)
		return PERUN_OK;
	return plugin_load_file(ctx, entry->file, entry->kind, entry->name, &entry->plugin);
}

void plugin_entry_describe(struct perun_ctx *ctx, struct plugin_entry *entry)
{
	struct perun_ctx *trouble = perun_ctx_new(NULL);

	if (plugin_entry_load(trouble, entry) == PERUN_OK) {
		plugin_text_free(entry->facts);
		plugin_text_from(entry->plugin, entry->facts);
		entry->undescribed = false;
	} else {
		set_problem(ctx, entry, perun_ctx_error(trouble));
	}
	perun_ctx_free(trouble);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The same for names that perun_same_name() says are the same. */
static unsigned hash_of(enum perun_kind kind, const char *name)
{
	unsigned hash = (unsigned)kind;

	for (; *name; name++)
		hash = hash * 31 + (unsigned char)(*name == '_' ? '-' : *name);
	return (hash ^ hash >> 12) & 4095;
}

/* `hash`: of its kind and name. */
static void add_entry(struct filling *filling, unsigned hash, const struct plugin_entry *entry)
{
	struct plugin_entries *entries = filling->entries;

	if (entries->count == entries->capacity) {
		entries->capacity = entries->capacity ? 2 * entries->capacity : 256;
		entries->list = perun_realloc_array(entries->list, entries->capacity,
						    sizeof *entries->list);
	}
	filling->seen[hash / 64] |= UINT64_C(1) << hash % 64;
	entries->list[entries->count++] = *entry;
}

/* The one of that kind and name that was found before, which hides others; NULL when there is none. */
static struct plugin_entry *find_known(struct filling *filling, unsigned hash, enum perun_kind kind,
				       const char *name)
{
	struct plugin_entries *entries = filling->entries;

	if (!(filling->seen[hash / 64] >> hash % 64 & 1))
		return NULL;
	for (size_t i = 0; i < entries->count; i++) {
		if (entries->list[i].kind == kind && perun_same_name(entries->list[i].name, name))
			return &entries->list[i];
	}
	return NULL;
}

/* Note the file, which is taken. */
static void add_shadowed(struct plugin_entry *known, char *file)
{
	PERUN_GROW(known->shadowed, known->shadowed_count + 1, known->shadowed_capacity);
	known->shadowed[known->shadowed_count++] = file;
	known->shadowed[known->shadowed_count] = NULL;
}

/* ---- directories ----------------------------------------------------------------------------- */

/* A file of a directory; false when it has no text, or cannot be used. */
static bool add_file(struct perun_ctx *ctx, struct filling *filling, const char *directory,
		     const char *file)
{
	struct plugin_entry entry = {0}, *known;
	const char *name;
	size_t length;
	unsigned hash;
	char *own;

	if (!plugin_file_name(file, &entry.kind, &name, &length))
		return true;
	entry.name = own = perun_strndup(name, length);
	entry.file = path_of(directory, entry.kind, entry.name);
	hash = hash_of(entry.kind, entry.name);
	known = find_known(filling, hash, entry.kind, entry.name);
	if (known) {
		add_shadowed(known, entry.file);
		perun_free(own);
		return true;
	}
	fill_facts(ctx, &entry);
	add_entry(filling, hash, &entry);
	return !entry.undescribed && !entry.problem;
}

static void add_indexed(struct filling *filling, const char *directory,
			const struct plugin_record *record)
{
	unsigned hash = hash_of(record->kind, record->name);
	struct plugin_entry *known = find_known(filling, hash, record->kind, record->name);

	if (known)
		add_shadowed(known, path_of(directory, record->kind, record->name));
	else
		add_entry(filling, hash,
			  &(struct plugin_entry){.kind = record->kind,
						 .name = record->name,
						 .directory = directory,
						 .unread = record->text,
						 .brings_commands = record->brings_commands});
}

static int is_plugin_file(const struct dirent *entry)
{
	enum perun_kind kind;
	const char *name;
	size_t length;

	return plugin_file_name(entry->d_name, &kind, &name, &length);
}

static int compare_kinds(enum perun_kind one, enum perun_kind other)
{
	return (one > other) - (one < other);
}

/* In the order of the entries, so that those of an index need not be sorted. */
static int compare_files(const struct dirent **one, const struct dirent **other)
{
	enum perun_kind kind = PERUN_KINDS, other_kind = PERUN_KINDS;
	const char *name = "", *other_name = "";
	size_t length = 0, other_length = 0;
	int order;

	plugin_file_name((*one)->d_name, &kind, &name, &length);
	plugin_file_name((*other)->d_name, &other_kind, &other_name, &other_length);
	order = compare_kinds(kind, other_kind);
	if (!order)
		order = memcmp(name, other_name, length < other_length ? length : other_length);
	return order ? order : (length > other_length) - (length < other_length);
}

static void scan_directory(struct perun_ctx *ctx, struct filling *filling, const char *directory)
{
	struct dirent **files;
	const char **names;
	int count = scandir(directory, &files, is_plugin_file, compare_files);
	bool good = count > 0;

	if (count < 0) {
		perun_warn(ctx, "plugin directory %s cannot be read", directory);
		return;
	}
	names = perun_alloc_zero((size_t)count + 1, sizeof *names);
	for (int i = 0; i < count; i++) {
		names[i] = files[i]->d_name;
		good = add_file(ctx, filling, directory, names[i]) && good;
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
	struct filling *filling = data;
	struct plugin_entries *entries = filling->entries;
	struct plugin_index *index = plugin_index_open(directory);
	struct plugin_record record;

	if (!index) {
		scan_directory(ctx, filling, directory);
		return PERUN_OK;
	}
	while (plugin_index_next(index, &record))
		add_indexed(filling, plugin_index_directory(index), &record);
	PERUN_GROW(entries->indexes, entries->index_count, entries->index_capacity);
	entries->indexes[entries->index_count++] = index;
	return PERUN_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void add_linked(struct perun_ctx *ctx, struct filling *filling)
{
	for (const struct perun_plugin *const *plugin = perun_linked_plugins; *plugin; plugin++) {
		struct plugin_entry entry = {.file = perun_strdup("")};
		struct perun_ctx *trouble = perun_ctx_new(NULL);

		if (plugin_check_abi(trouble, "a plugin linked in", *plugin) == PERUN_OK) {
			entry.plugin = plugin_in_host_layout(*plugin);
			plugin_remember(entry.plugin, "");
			entry.facts = new_facts();
			plugin_text_from(entry.plugin, entry.facts);
			entry.kind = entry.facts->kind;
			entry.name = entry.facts->name;
			add_entry(filling, hash_of(entry.kind, entry.name), &entry);
		} else {
			perun_warn(ctx, "plugin skipped: %s", perun_ctx_error(trouble));
		}
		perun_ctx_free(trouble);
	}
}

static int compare_entries(const void *one, const void *other)
{
	const struct plugin_entry *a = one, *b = other;

	int order = compare_kinds(a->kind, b->kind);

	return order ? order : strcmp(a->name, b->name);
}

static void sort_entries(struct plugin_entries *entries)
{
	size_t sorted = 1;

	while (sorted < entries->count &&
	       compare_entries(&entries->list[sorted - 1], &entries->list[sorted]) < 0)
		sorted++;
	if (sorted < entries->count)
		qsort(entries->list, entries->count, sizeof *entries->list, compare_entries);
}

void plugin_entries_fill(struct perun_ctx *ctx, struct plugin_entries *entries)
{
	struct filling filling = {.entries = entries};

	if (plugins_are_linked())
		add_linked(ctx, &filling);
	else
		plugin_path_walk(ctx, add_directory, &filling);
	sort_entries(entries);
}
