/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the profiles that the words of a command line name. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/format.h>

#include "cli/lookup.h"
#include "cli/walk.h"

/* From so many paths in a row in one directory on, listing it is quicker than asking for each. */
#define LIST_FROM 256

struct cli_index {
	char *minor;
	struct perun_entries entries; /* sorted as tags number them */
};

void cli_lookup_start(struct cli_lookup *lookup, struct cli *cli, const char *revision)
{
	*lookup = (struct cli_lookup){.cli = cli, .revision = revision};
}

void cli_lookup_free(struct cli_lookup *lookup)
{
	for (size_t i = 0; i < lookup->index_count; i++) {
		perun_entries_free(&lookup->indexes[i].entries);
		perun_free(lookup->indexes[i].minor);
	}
	for (size_t i = 0; i < lookup->text_count; i++)
		perun_free(lookup->texts[i]);
	if (lookup->have_pending)
		perun_entries_free(&lookup->pending);
	cli_names_free(&lookup->names);
	perun_free(lookup->directory);
	perun_free(lookup->indexes);
	perun_free(lookup->texts);
	perun_free(lookup->places);
}

/* Own a text until the lookup ends. */
static const char *keep(struct cli_lookup *lookup, char *text)
{
	PERUN_GROW(lookup->texts, lookup->text_count, lookup->text_capacity);
	return lookup->texts[lookup->text_count++] = text;
}

static struct cli_place *add_place(struct cli_lookup *lookup, enum cli_source source)
{
	struct cli_place *place;

	PERUN_GROW(lookup->places, lookup->count, lookup->capacity);
	place = &lookup->places[lookup->count++];
	*place = (struct cli_place){.source = source};
	return place;
}

static void add_registered(struct cli_lookup *lookup, const char *minor,
			   const struct perun_entry *entry)
{
	struct cli_place *place = add_place(lookup, CLI_REGISTERED);

	place->entry = entry;
	place->minor = keep(lookup, perun_strdup(minor));
	place->name = entry->path;
}

static void add_pending(struct cli_lookup *lookup, const struct perun_entry *entry)
{
	struct cli_place *place = add_place(lookup, CLI_PENDING);

	place->entry = entry;
	place->name = entry->path;
	place->path = keep(lookup, perun_format("%s/jobs/%s", perun_store_path(lookup->cli->store),
						entry->path));
}

static void add_file(struct cli_lookup *lookup, const char *path)
{
	struct cli_place *place = add_place(lookup, CLI_FILE);

	place->path = keep(lookup, perun_strdup(path));
	place->name = cli_base_name(place->path);
}

/* ---- the lists ------------------------------------------------------------------------------- */

/* The sorted entries of a revision. Each minor version is read once. */
static int read_index(struct cli_lookup *lookup, const char *revision, struct cli_index **index)
{
	struct cli *cli = lookup->cli;
	struct cli_index *made;
	char *minor;
	int status = cli_minor(cli, revision, &minor);

	if (status)
		return status;
	for (size_t i = 0; i < lookup->index_count; i++) {
		if (strcmp(lookup->indexes[i].minor, minor) == 0) {
			*index = &lookup->indexes[i];
			perun_free(minor);
			return PERUN_OK;
		}
	}
	PERUN_GROW(lookup->indexes, lookup->index_count, lookup->index_capacity);
	made = &lookup->indexes[lookup->index_count];
	*made = (struct cli_index){.minor = minor};
	status = perun_store_entries(cli->ctx, cli->store, minor, &made->entries);
	if (!status) {
		lookup->index_count++;
		status = perun_store_sort(cli->ctx, cli->store, &made->entries, NULL);
	} else {
		perun_free(minor);
	}
	*index = made;
	return status;
}

static int read_pending(struct cli_lookup *lookup)
{
	struct cli *cli = lookup->cli;
	int status;

	if (lookup->have_pending)
		return PERUN_OK;
	status = cli_open_store(cli);
	if (!status)
		status = perun_store_pending(cli->ctx, cli->store, &lookup->pending);
	if (!status) {
		lookup->have_pending = true;
		status = perun_store_sort(cli->ctx, cli->store, &lookup->pending, NULL);
	}
	return status;
}

/* ---- tags ------------------------------------------------------------------------------------ */

struct tag {
	unsigned long first, last;
	char kind; /* 'i' or 'p' */
	bool range;
};

/* "12@i": the number and the kind; NULL when it is no tag. */
static const char *parse_tag_end(const char *text, unsigned long *number, char *kind)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > 9 || text[digits] != '@' ||
	    (text[digits + 1] != 'i' && text[digits + 1] != 'p'))
		return NULL;
	*number = strtoul(text, NULL, 10);
	*kind = text[digits + 1];
	return text + digits + 2;
}

/* "0@i", "1@p-3@p". */
static bool parse_tag(const char *word, struct tag *tag)
{
	char kind;
	const char *end = parse_tag_end(word, &tag->first, &tag->kind);

	tag->last = tag->first;
	tag->range = end && *end == '-';
	if (tag->range) {
		end = parse_tag_end(end + 1, &tag->last, &kind);
		if (end && kind != tag->kind)
			return false;
	}
	return end && *end == '\0';
}

/* What looks like a tag and is none: "0@x", "@i". */
static bool is_bad_tag(const char *word)
{
	const char *at = strchr(word, '@');

	return at && !strchr(word, '/') && !strchr(word, '.') &&
	       strspn(word, "0123456789") == (size_t)(at - word) && strlen(at) <= 2;
}

static int bad_number(struct cli_lookup *lookup, const char *word, const struct tag *tag,
		      size_t count)
{
	const char *what = tag->kind == 'i' ? "registered" : "pending";

	if (count == 0)
		return perun_fail(lookup->cli->ctx, PERUN_USAGE,
				  "wrong tag %s: there are no %s profiles%s; see perun status",
				  word, what, tag->kind == 'i' ? " in this version" : "");
	return perun_fail(
		lookup->cli->ctx, PERUN_USAGE,
		"wrong tag %s: the %s profiles are numbered 0@%c to %zu@%c; see perun status", word,
		what, tag->kind, count - 1, tag->kind);
}

static int add_tagged(struct cli_lookup *lookup, const char *word, const struct tag *tag,
		      const char *revision)
{
	struct cli_index *index = NULL;
	const struct perun_entries *entries = &lookup->pending;
	int status = tag->kind == 'i' ? read_index(lookup, revision, &index) : read_pending(lookup);

	if (status)
		return status;
	if (index)
		entries = &index->entries;
	if (tag->last < tag->first)
		return perun_fail(lookup->cli->ctx, PERUN_USAGE,
				  "wrong range %s: the first number is larger than the last", word);
	if (tag->first >= entries->count || (!tag->range && tag->last >= entries->count))
		return bad_number(lookup, word, tag, entries->count);
	for (size_t i = tag->first; i <= tag->last; i++) {
		if (i >= entries->count) {
			perun_warn(lookup->cli->ctx,
				   "%zu@%c to %lu@%c of the range %s do not exist", i, tag->kind,
				   tag->last, tag->kind, word);
			break;
		}
		if (index)
			add_registered(lookup, index->minor, &entries->items[i]);
		else
			add_pending(lookup, &entries->items[i]);
	}
	return PERUN_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* An object without an entry, named by its checksum. */
static int add_object(struct cli_lookup *lookup, const char *checksum)
{
	struct perun_entry *entry = perun_alloc_zero(1, sizeof *entry);
	struct cli_place *place = add_place(lookup, CLI_REGISTERED);

	keep(lookup, (char *)entry);
	memcpy(entry->checksum, checksum, PERUN_CHECKSUM_SIZE);
	entry->path = "";
	place->entry = entry;
	place->minor = "";
	place->name = keep(lookup, perun_strdup(checksum));
	return PERUN_OK;
}

static bool object_exists(struct cli_lookup *lookup, const char *checksum)
{
	char *path = perun_format("%s/objects/%.2s/%s", perun_store_path(lookup->cli->store),
				  checksum, checksum + 2);
	bool exists = access(path, F_OK) == 0;

	perun_free(path);
	return exists;
}

/*
 * A name or checksum in the index: `*found`. Without a store, or in a project without versions, there
 * is none: only a word that cannot be anything else needs the reason.
 */
static int find_in_index(struct cli_lookup *lookup, const char *word, const char *revision,
			 bool *found)
{
	struct cli_index *index;
	int status = cli_find_store(lookup->cli);

	if (status || !lookup->cli->store)
		return status;
	status = read_index(lookup, revision, &index);
	for (size_t i = 0; !status && i < index->entries.count; i++) {
		const struct perun_entry *entry = &index->entries.items[i];

		if (strcmp(entry->path, word) == 0 || strcmp(entry->checksum, word) == 0) {
			add_registered(lookup, index->minor, entry);
			*found = true;
			return PERUN_OK;
		}
	}
	if (!status && cli_is_checksum(word) && object_exists(lookup, word)) {
		*found = true;
		return add_object(lookup, word);
	}
	return status;
}

static int find_pending(struct cli_lookup *lookup, const char *word, bool *found)
{
	int status = cli_find_store(lookup->cli);

	if (status || !lookup->cli->store)
		return status;
	status = read_pending(lookup);
	for (size_t i = 0; !status && !*found && i < lookup->pending.count; i++) {
		const struct perun_entry *entry = &lookup->pending.items[i];
		size_t length = strlen(word);

		if (strcmp(entry->path, word) == 0 ||
		    (strncmp(entry->path, word, length) == 0 &&
		     strcmp(entry->path + length, ".perf") == 0)) {
			add_pending(lookup, entry);
			*found = true;
		}
	}
	return status;
}

/* Whether a directory is .perun/jobs of the store; without such a name no store needs to be opened. */
static int is_jobs(struct cli_lookup *lookup, const char *directory, bool *result)
{
	static const char name[] = "/.perun/jobs";
	char *absolute = cli_absolute_path(directory), *jobs;
	size_t length = strlen(absolute);
	int status = PERUN_OK;

	*result = false;
	if (length >= strlen(name) && strcmp(absolute + length - strlen(name), name) == 0) {
		status = cli_find_store(lookup->cli);
		if (!status && lookup->cli->store) {
			jobs = perun_format("%s/jobs", perun_store_path(lookup->cli->store));
			*result = strcmp(absolute, jobs) == 0;
			perun_free(jobs);
		}
	}
	perun_free(absolute);
	return status;
}

/* Whether a path lies in .perun/jobs; thousands of files mostly lie in one directory. */
static int is_in_jobs(struct cli_lookup *lookup, const char *path, bool *result)
{
	size_t length = (size_t)(cli_base_name(path) - path);
	char *directory = length ? perun_strndup(path, length) : perun_strdup(".");
	int status = PERUN_OK;

	if (!lookup->directory || strcmp(lookup->directory, directory) != 0) {
		status = is_jobs(lookup, directory, &lookup->is_jobs);
		perun_free(lookup->directory);
		lookup->directory = directory;
	} else {
		perun_free(directory);
	}
	*result = lookup->is_jobs;
	return status;
}

/* Whether there is such a file. After many paths in one directory, that is listed once. */
static bool file_exists(struct cli_lookup *lookup, const char *path)
{
	const char *name = cli_base_name(path), *directory = lookup->directory;
	size_t length = (size_t)(name - path);
	struct stat facts;
	bool same = directory &&
		    (length ? strncmp(directory, path, length) == 0 && directory[length] == '\0'
			    : strcmp(directory, ".") == 0);

	lookup->in_directory = same ? lookup->in_directory + 1 : 0;
	if (lookup->in_directory == LIST_FROM)
		cli_names_read(&lookup->names, directory);
	return (lookup->in_directory >= LIST_FROM && cli_names_has(&lookup->names, name)) ||
	       stat(path, &facts) == 0;
}

/* A path of a file; one of .perun/jobs is a pending profile. */
static int find_path(struct cli_lookup *lookup, const char *word, unsigned sources, bool *found)
{
	int status = PERUN_OK;

	if (strcmp(word, "-") != 0 && !file_exists(lookup, word))
		return PERUN_OK;
	if (sources & CLI_PENDING && strcmp(word, "-") != 0) {
		bool pending;

		status = is_in_jobs(lookup, word, &pending);
		if (!status && pending)
			status = find_pending(lookup, cli_base_name(word), found);
	}
	if (!status && !*found && sources & CLI_FILE) {
		add_file(lookup, word);
		*found = true;
	}
	return status;
}

/* ---- looking for files ----------------------------------------------------------------------- */

static int not_found(struct cli_lookup *lookup, const char *word, const struct cli_walk *walk)
{
	enum { SHOWN = 5 };
	struct perun_buffer names = {0};
	int status;

	for (size_t i = 0; i < walk->count && i < SHOWN; i++)
		perun_buffer_printf(&names, "%s%s", i ? ", " : "", walk->paths[i]);
	if (walk->count > SHOWN)
		perun_buffer_printf(&names, " and %zu more", walk->count - SHOWN);
	if (walk->count)
		status = perun_fail(lookup->cli->ctx, PERUN_INPUT,
				    "no profile %s; files that match are %s: name one of them",
				    word, names.data);
	else if (lookup->cli->store)
		status = perun_fail(lookup->cli->ctx, PERUN_INPUT,
				    "no profile %s: neither a tag, nor registered, nor a file, nor "
				    "pending; see perun status",
				    word);
	else
		status = perun_fail(
			lookup->cli->ctx, PERUN_INPUT,
			"no profile %s: there is no such file, and no store here to look "
			"in; make one with perun init",
			word);
	perun_buffer_free(&names);
	return status;
}

static int find_by_asking(struct cli_lookup *lookup, const char *word)
{
	struct cli_walk walk = {0};
	int status = PERUN_OK;
	bool found = false;

	cli_walk_matching(&walk, word);
	for (size_t i = 0; !found && i < walk.count; i++) {
		if (!lookup->cli->yes && !cli_interactive())
			break;
		found = cli_confirm(lookup->cli, "No profile is called %s. Use %s?", word,
				    walk.paths[i]);
		if (found)
			add_file(lookup, walk.paths[i]);
	}
	if (!found)
		status = not_found(lookup, word, &walk);
	cli_walk_free(&walk);
	return status;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* "HEAD~1^0@i": the word behind the last '^', and the revision before it in `*revision`. */
static const char *split_revision(struct cli_lookup *lookup, const char *word,
				  const char **revision)
{
	const char *hat = strrchr(word, '^');
	struct stat facts;

	if (!hat || hat == word || hat[1] == '\0' || stat(word, &facts) == 0)
		return word;
	*revision = keep(lookup, perun_strndup(word, (size_t)(hat - word)));
	return hat + 1;
}

int cli_lookup_add(struct cli_lookup *lookup, const char *word, unsigned sources)
{
	const char *revision = lookup->revision;
	const char *name = split_revision(lookup, word, &revision);
	struct tag tag;
	bool found = false;
	int status = PERUN_OK;

	if (parse_tag(name, &tag)) {
		if (tag.kind == 'i' && !(sources & CLI_REGISTERED))
			return perun_fail(
				lookup->cli->ctx, PERUN_USAGE,
				"wrong tag %s: it is registered already; pending profiles "
				"are called 0@p, 1@p ...",
				name);
		return add_tagged(lookup, name, &tag, revision);
	}
	if (is_bad_tag(name))
		return perun_fail(
			lookup->cli->ctx, PERUN_USAGE,
			"wrong tag %s: expected N@i for a registered or N@p for a pending "
			"profile, or a range such as 0@p-3@p",
			name);
	/* A path cannot be a name in an index: no need to open a store for it. */
	if (sources & CLI_REGISTERED && !strchr(name, '/') && strcmp(name, "-") != 0) {
		status = find_in_index(lookup, name, revision, &found);
		if (status && name == word && !revision && access(name, F_OK) == 0) {
			perun_ctx_clear(lookup->cli->ctx); /* a plain file needs no history */
			status = PERUN_OK;
		}
	}
	if (!status && !found)
		status = find_path(lookup, name, sources, &found);
	if (!status && !found && sources & CLI_PENDING)
		status = find_pending(lookup, name, &found);
	if (status || found)
		return status;
	if (sources & CLI_FILE)
		return find_by_asking(lookup, name);
	return perun_fail(lookup->cli->ctx, PERUN_INPUT, "no profile %s in this version or in jobs",
			  name);
}

int cli_lookup_add_version(struct cli_lookup *lookup, const char *revision)
{
	struct cli_index *index;
	int status = read_index(lookup, revision, &index);

	for (size_t i = 0; !status && i < index->entries.count; i++)
		add_registered(lookup, index->minor, &index->entries.items[i]);
	return status;
}

/* By what they are, those found earlier first. */
static int compare_places(const void *one, const void *other)
{
	const struct cli_place *a = *(struct cli_place *const *)one;
	const struct cli_place *b = *(struct cli_place *const *)other;
	int order = (a->entry > b->entry) - (a->entry < b->entry);

	if (order == 0 && !a->entry)
		order = strcmp(a->path, b->path);
	return order;
}

static int compare_found(const void *one, const void *other)
{
	const struct cli_place *a = *(struct cli_place *const *)one;
	const struct cli_place *b = *(struct cli_place *const *)other;
	int order = compare_places(one, other);

	return order ? order : (a > b) - (a < b);
}

void cli_lookup_unique(struct cli_lookup *lookup)
{
	struct cli_place **order = perun_alloc_zero(lookup->count + 1, sizeof(struct cli_place *));
	bool *again = perun_alloc_zero(lookup->count + 1, sizeof *again);
	size_t kept = 0;

	for (size_t i = 0; i < lookup->count; i++)
		order[i] = &lookup->places[i];
	qsort(order, lookup->count, sizeof(struct cli_place *), compare_found);
	for (size_t i = 1; i < lookup->count; i++)
		again[order[i] - lookup->places] = compare_places(&order[i - 1], &order[i]) == 0;
	for (size_t i = 0; i < lookup->count; i++) {
		if (!again[i])
			lookup->places[kept++] = lookup->places[i];
	}
	lookup->count = kept;
	perun_free(again);
	perun_free(order);
}

static int load_file(struct cli *cli, const char *path, struct perun_profile **profile)
{
	int status = perun_read_profile_file(cli->ctx, path, profile);

	if (!status && cli->store)
		perun_store_direct(cli->ctx, cli->store, *profile);
	return status;
}

int cli_lookup_load(struct cli_lookup *lookup, const struct cli_place *place,
		    struct perun_profile **profile)
{
	struct cli *cli = lookup->cli;
	int status;

	if (place->source == CLI_REGISTERED)
		status = perun_store_load(cli->ctx, cli->store, place->entry->checksum, profile);
	else if (place->source == CLI_PENDING)
		status =
			perun_store_load_pending(cli->ctx, cli->store, place->entry->path, profile);
	else
		return load_file(cli, place->path, profile);
	if (status)
		perun_fail(cli->ctx, PERUN_OK, "cannot read the profile %s", place->name);
	return status;
}
