/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the profiles that a word names. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context/structs.h"
#include "core/lookup/lookup.h"
#include "core/store/store.h"
#include "perun/lib/advice.h"

struct perun_lookup *perun_lookup_new(const struct perun_lookup_options *options)
{
	struct perun_lookup *lookup = perun_alloc_zero(1, sizeof *lookup);

	PERUN_STRUCT_TAKE(&lookup->options, options);
	lookup->store = lookup->options.store;
	lookup->revision = perun_strdup(lookup->options.revision);
	return lookup;
}

static void forget_format(struct perun_lookup *lookup)
{
	for (size_t i = 0; lookup->format_options && lookup->format_options[i]; i++)
		perun_free(lookup->format_options[i]);
	perun_free(lookup->format_options);
	perun_free(lookup->format);
}

void perun_lookup_read_as(struct perun_lookup *lookup, const char *format,
			  const char *const *options)
{
	size_t count = 0;

	forget_format(lookup);
	while (options && options[count])
		count++;
	lookup->format = perun_strdup(format);
	lookup->format_options = perun_alloc_zero(count + 1, sizeof *lookup->format_options);
	for (size_t i = 0; i < count; i++)
		lookup->format_options[i] = perun_strdup(options[i]);
}

void perun_lookup_free(struct perun_lookup *lookup)
{
	if (!lookup)
		return;
	for (size_t i = 0; i < lookup->index_count; i++) {
		perun_entries_free(&lookup->indexes[i].entries);
		perun_free(lookup->indexes[i].version);
	}
	for (size_t i = 0; i < lookup->text_count; i++)
		perun_free(lookup->texts[i]);
	for (size_t i = 0; i < lookup->count; i++)
		perun_free(lookup->places[i]);
	if (lookup->have_pending)
		perun_entries_free(&lookup->pending);
	perun_file_names_free(&lookup->names);
	perun_matching_files_free(&lookup->candidates);
	perun_free(lookup->directory);
	perun_free(lookup->indexes);
	perun_free(lookup->texts);
	perun_free(lookup->places);
	perun_free(lookup->revision);
	forget_format(lookup);
	if (lookup->owned)
		perun_store_close(lookup->store);
	perun_free(lookup);
}

/* ---- the store and its lists ----------------------------------------------------------------- */

static int open_store(struct perun_ctx *ctx, struct perun_lookup *lookup, bool required)
{
	int status;

	if (lookup->options.open)
		return lookup->options.open(lookup->options.data, ctx, required, &lookup->store);
	status = required ? perun_store_open(ctx, NULL, &lookup->store)
			  : perun_store_find(ctx, NULL, &lookup->store);
	lookup->owned = !status && lookup->store;
	return status;
}

int perun_lookup_find_store(struct perun_ctx *ctx, struct perun_lookup *lookup)
{
	int status;

	if (lookup->store || lookup->sought)
		return PERUN_OK;
	status = open_store(ctx, lookup, false);
	lookup->sought = !status;
	return status;
}

/* The store; fails where there is none. */
int perun_lookup_need_store(struct perun_ctx *ctx, struct perun_lookup *lookup)
{
	return lookup->store ? PERUN_OK : open_store(ctx, lookup, true);
}

static void keep_wanted(struct perun_entries *entries, perun_lookup_wanted wanted, void *data,
			int *status)
{
	size_t kept = 0;

	for (size_t i = 0; i < entries->count && !*status; i++) {
		if (wanted(data, &entries->items[i], status))
			entries->items[kept++] = entries->items[i];
	}
	entries->count = kept;
}

/* Takes the version. */
static int read_index(struct perun_ctx *ctx, struct perun_lookup *lookup, char *version,
		      perun_lookup_wanted wanted, void *data,
		      const struct perun_lookup_index **index)
{
	struct perun_lookup_index *made;
	int status;

	PERUN_GROW(lookup->indexes, lookup->index_count, lookup->index_capacity);
	made = &lookup->indexes[lookup->index_count];
	*made = (struct perun_lookup_index){.version = version, .partial = wanted};
	*index = made;
	status = perun_store_entries(ctx, lookup->store, version, &made->entries);
	if (status) {
		perun_free(version);
		return status;
	}
	lookup->index_count++;
	if (wanted)
		keep_wanted(&made->entries, wanted, data, &status);
	return status ? status : perun_store_sort(ctx, lookup->store, &made->entries, NULL);
}

int perun_lookup_index(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *revision,
		       const struct perun_lookup_index **index)
{
	char *version = NULL;
	int status = perun_lookup_need_store(ctx, lookup);

	if (!status)
		status = perun_lookup_version(ctx, lookup->store, revision, &version);
	if (status)
		return status;
	for (size_t i = 0; i < lookup->index_count; i++) {
		if (!lookup->indexes[i].partial &&
		    strcmp(lookup->indexes[i].version, version) == 0) {
			*index = &lookup->indexes[i];
			perun_free(version);
			return PERUN_OK;
		}
	}
	return read_index(ctx, lookup, version, NULL, NULL, index);
}

int perun_lookup_part(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *version,
		      perun_lookup_wanted wanted, void *data,
		      const struct perun_lookup_index **index)
{
	return read_index(ctx, lookup, perun_strdup(version), wanted, data, index);
}

int perun_lookup_pending(struct perun_ctx *ctx, struct perun_lookup *lookup)
{
	int status;

	if (lookup->have_pending)
		return PERUN_OK;
	status = perun_lookup_need_store(ctx, lookup);
	if (!status)
		status = perun_store_pending(ctx, lookup->store, &lookup->pending);
	if (!status) {
		lookup->have_pending = true;
		status = perun_store_sort(ctx, lookup->store, &lookup->pending, NULL);
	}
	return status;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static int bad_number(struct perun_ctx *ctx, const char *word, const struct perun_tag *tag,
		      size_t count)
{
	const char *what = tag->kind == 'i' ? "registered" : "pending";

	if (count == 0)
		return perun_fail(ctx, PERUN_USAGE, "wrong tag %s: there are no %s profiles%s%s",
				  word, what, tag->kind == 'i' ? " in this version" : "",
				  perun_advice(PERUN_ADVICE_STATUS));
	return perun_fail(ctx, PERUN_USAGE,
			  "wrong tag %s: the %s profiles are numbered 0@%c to %zu@%c%s", word, what,
			  tag->kind, count - 1, tag->kind, perun_advice(PERUN_ADVICE_STATUS));
}

static int add_tagged(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word,
		      const struct perun_tag *tag, const char *revision)
{
	const struct perun_lookup_index *index = NULL;
	const struct perun_entries *entries = &lookup->pending;
	int status = tag->kind == 'i' ? perun_lookup_index(ctx, lookup, revision, &index)
				      : perun_lookup_pending(ctx, lookup);

	if (status)
		return status;
	if (index)
		entries = &index->entries;
	if (tag->last < tag->first)
		return perun_fail(ctx, PERUN_USAGE,
				  "wrong range %s: the first number is larger than the last", word);
	if (tag->first >= entries->count || (!tag->range && tag->last >= entries->count))
		return bad_number(ctx, word, tag, entries->count);
	for (size_t i = tag->first; i <= tag->last; i++) {
		if (i >= entries->count) {
			perun_warn(ctx, "%zu@%c to %lu@%c of the range %s do not exist", i,
				   tag->kind, tag->last, tag->kind, word);
			break;
		}
		if (index)
			perun_lookup_add_registered(lookup, index->version, &entries->items[i]);
		else
			perun_lookup_add_pending(lookup, &entries->items[i]);
	}
	return PERUN_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool object_exists(const struct perun_lookup *lookup, const char *checksum)
{
	char *path = perun_format("%s/objects/%.2s/%s", perun_store_path(lookup->store), checksum,
				  checksum + 2);
	bool exists = access(path, F_OK) == 0;

	perun_free(path);
	return exists;
}

/*
 * A name or checksum in the index: `*found`. Without a store, or in a project without versions, there
 * is none: only a word that cannot be anything else needs the reason.
 */
static int find_in_index(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word,
			 const char *revision, bool *found)
{
	const struct perun_lookup_index *index;
	int status = perun_lookup_find_store(ctx, lookup);

	if (status || !lookup->store)
		return status;
	status = perun_lookup_index(ctx, lookup, revision, &index);
	for (size_t i = 0; !status && i < index->entries.count; i++) {
		const struct perun_entry *entry = &index->entries.items[i];

		if (strcmp(entry->path, word) == 0 || strcmp(entry->checksum, word) == 0) {
			perun_lookup_add_registered(lookup, index->version, entry);
			*found = true;
			return PERUN_OK;
		}
	}
	if (!status && perun_is_checksum(word) && object_exists(lookup, word)) {
		*found = true;
		perun_lookup_add_object(lookup, word);
	}
	return status;
}

/* ---- nothing found --------------------------------------------------------------------------- */

bool perun_lookup_is_version(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word)
{
	char *version = NULL;
	bool is;

	if (perun_lookup_is_tag(word) || strcmp(word, "-") == 0 || access(word, F_OK) == 0)
		return false;
	is = !perun_lookup_find_store(ctx, lookup) && lookup->store &&
	     !perun_lookup_version(ctx, lookup->store, word, &version);
	if (!is)
		perun_ctx_clear(ctx);
	perun_free(version);
	return is;
}

static int fail_with_candidates(struct perun_ctx *ctx, struct perun_lookup *lookup,
				const char *word)
{
	enum { SHOWN = 5 };
	const struct perun_matching_files *candidates = &lookup->candidates;
	struct perun_buffer names = {0};
	int status;

	for (size_t i = 0; i < candidates->count && i < SHOWN; i++)
		perun_buffer_printf(&names, "%s%s", i ? ", " : "", candidates->paths[i]);
	if (candidates->count > SHOWN)
		perun_buffer_printf(&names, " and %zu more", candidates->count - SHOWN);
	if (candidates->count)
		status = perun_fail(ctx, PERUN_INPUT,
				    "no profile %s; files that match are %s: name one of them",
				    word, names.data);
	else if (perun_lookup_is_version(ctx, lookup, word))
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s is a version; its first profile is %s^0@i", word, word);
	else if (lookup->store)
		status = perun_fail(ctx, PERUN_INPUT,
				    "no profile %s: neither a tag, nor registered, nor a file, nor "
				    "pending%s",
				    word, perun_advice(PERUN_ADVICE_STATUS));
	else
		status = perun_fail(
			ctx, PERUN_INPUT,
			"no profile %s: there is no such file, and no store here to look "
			"in%s",
			word, perun_advice(PERUN_ADVICE_INIT));
	perun_buffer_free(&names);
	return status;
}

/* Pending profiles by a part of their names, and files. `jobs` is named as the user sees it. */
static void find_candidates(struct perun_lookup *lookup, const char *name)
{
	char *here = getcwd(NULL, 0), *jobs = NULL;
	size_t length = here ? strlen(here) : 0;

	if (lookup->have_pending && here) {
		const char *store = perun_store_path(lookup->store);
		bool below = strncmp(store, here, length) == 0 && store[length] == '/';

		jobs = perun_format("%s/jobs", below ? store + length + 1 : store);
	}
	perun_matching_files_find(&lookup->candidates, name, jobs, &lookup->pending);
	perun_free(jobs);
	free(here);
}

size_t perun_lookup_candidates(const struct perun_lookup *lookup, const char *const **paths)
{
	if (paths)
		*paths = (const char *const *)lookup->candidates.paths;
	return lookup->candidates.count;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* "HEAD~1^0@i": the word after the last '^', and the revision before it in `*revision`. */
static const char *split_revision(struct perun_lookup *lookup, const char *word,
				  const char **revision)
{
	const char *hat = strrchr(word, '^');
	struct stat facts;

	if (!hat || hat == word || hat[1] == '\0' || stat(word, &facts) == 0)
		return word;
	*revision = perun_lookup_keep(lookup, perun_strndup(word, (size_t)(hat - word)));
	return hat + 1;
}

/* A name; `plain`: nothing says that it is of a version. */
static int add_named(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *name,
		     const char *revision, bool plain, unsigned kinds)
{
	bool found = false;
	int status =
		*name ? PERUN_OK : perun_fail(ctx, PERUN_USAGE, "the name of a profile is empty");

	if (status)
		return status;
	/* A path cannot be a name in an index: no need to open a store for it. */
	if (kinds & PERUN_PLACE_REGISTERED && !strchr(name, '/') && strcmp(name, "-") != 0) {
		status = find_in_index(ctx, lookup, name, revision, &found);
		if (status && plain && access(name, F_OK) == 0) {
			perun_ctx_clear(ctx); /* a plain file needs no history */
			status = PERUN_OK;
		}
	}
	if (!status && !found)
		status = perun_lookup_find_path(ctx, lookup, name, kinds, &found);
	if (!status && !found && kinds & PERUN_PLACE_PENDING)
		status = perun_lookup_find_pending(ctx, lookup, name, &found);
	if (status || found)
		return status;
	if (!(kinds & PERUN_PLACE_FILE))
		return perun_fail(ctx, PERUN_INPUT, "no profile %s in this version or in jobs",
				  name);
	find_candidates(lookup, name);
	return fail_with_candidates(ctx, lookup, name);
}

struct ranging {
	struct perun_ctx *ctx;
	struct perun_lookup *lookup;
};

static int add_version_of_range(void *data, const struct perun_minor_version *version)
{
	const struct ranging *ranging = data;

	return perun_lookup_add_version(ranging->ctx, ranging->lookup, version->checksum);
}

static int add_range(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word)
{
	struct ranging ranging = {ctx, lookup};
	struct perun_range range = {.struct_size = sizeof range};
	size_t before = lookup->count;
	struct perun_vcs *vcs;
	int status = perun_lookup_find_store(ctx, lookup);

	if (!status && !lookup->store)
		return fail_with_candidates(ctx, lookup, word);
	if (!status)
		status = perun_store_vcs(ctx, lookup->store, &vcs);
	if (!status)
		status = perun_lookup_range(ctx, lookup->store, word, &range);
	if (!status)
		status = perun_vcs_walk_range(ctx, vcs, range.exclude, range.head,
					      add_version_of_range, &ranging);
	if (!status && lookup->count == before)
		status = perun_fail(ctx, PERUN_INPUT, "no version of %s has profiles", word);
	perun_range_free(&range);
	return status;
}

int perun_lookup_add(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word,
		     unsigned kinds)
{
	const char *revision = lookup->revision;
	const char *name = split_revision(lookup, word, &revision);
	struct perun_tag tag;

	perun_matching_files_free(&lookup->candidates);
	if (name == word && kinds & PERUN_PLACE_REGISTERED && perun_names_versions(word))
		return add_range(ctx, lookup, word);
	if (perun_tag_parse(name, &tag)) {
		if (tag.kind == 'i' && !(kinds & PERUN_PLACE_REGISTERED))
			return perun_fail(
				ctx, PERUN_USAGE,
				"wrong tag %s: it is registered already; pending profiles "
				"are called 0@p, 1@p ...",
				name);
		return add_tagged(ctx, lookup, name, &tag, revision);
	}
	if (perun_tag_is_bad(name))
		return perun_fail(
			ctx, PERUN_USAGE,
			"wrong tag %s: expected N@i for a registered or N@p for a pending "
			"profile, or a range such as 0@p-3@p",
			name);
	return add_named(ctx, lookup, name, revision, name == word && !revision, kinds);
}

int perun_lookup_add_version(struct perun_ctx *ctx, struct perun_lookup *lookup,
			     const char *revision)
{
	const struct perun_lookup_index *index;
	int status = perun_lookup_index(ctx, lookup, revision, &index);

	for (size_t i = 0; !status && i < index->entries.count; i++)
		perun_lookup_add_registered(lookup, index->version, &index->entries.items[i]);
	return status;
}
