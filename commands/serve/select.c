/* SPDX-License-Identifier: BSD-3-Clause */
/* Which profile a request is about; those that were read last are kept. */
#include <config.h>

#include <string.h>

#include <perun/lib/lookup.h>
#include <perun/lib/merge.h>

#include "commands/common/merged.h"
#include "commands/common/symbolize.h"
#include "serve.h"

/* What names are looked up in, and what they name so far. */
struct selecting {
	struct serve *serve;
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_lookup *lookup;
	struct perun_buffer key, title;
};

static bool is_among(const struct perun_words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++) {
		if (strcmp(words->items[i], word) == 0)
			return true;
	}
	return false;
}

/* Files are named by the user alone, on the command line: a request must not choose what is read. */
static int add_word(struct selecting *what, const char *word, bool given)
{
	unsigned kinds = PERUN_PLACE_REGISTERED | PERUN_PLACE_PENDING;

	given = given || is_among(what->serve->given, word) || is_among(what->serve->base, word);
	if (!given && !what->store)
		return perun_fail(what->ctx, PERUN_USAGE, "no profile is called %s", word);
	if (perun_lookup_is_version(what->ctx, what->lookup, word))
		return perun_lookup_add_version(what->ctx, what->lookup, word);
	return perun_lookup_add(what->ctx, what->lookup, word,
				given ? kinds | PERUN_PLACE_FILE : kinds);
}

/* `name`: the argument that names profiles. */
static int look_up(struct selecting *what, const struct server_request *request, const char *name)
{
	const char *first = server_argument(request, name);
	bool named = first && *first;
	int status = PERUN_OK;

	for (size_t i = 0; named && i < request->argument_count && !status; i++) {
		if (strcmp(request->arguments[i].name, name) == 0)
			status = add_word(what, request->arguments[i].value, false);
	}
	for (size_t i = 0; !named && i < what->serve->given->count && !status; i++)
		status = add_word(what, what->serve->given->items[i], true);
	if (!status && !named && !what->serve->given->count)
		status = perun_lookup_add_version(what->ctx, what->lookup, NULL);
	if (!status && !perun_lookup_count(what->lookup))
		status = perun_fail(what->ctx, PERUN_USAGE, "no profile is there to be shown");
	return status;
}

/* "cpu-app.perf and 3 more". */
static void set_title(struct selecting *what, const struct perun_place *first, size_t count)
{
	perun_buffer_clear(&what->title);
	perun_buffer_add_text(&what->title, first->name);
	if (count > 1)
		perun_buffer_printf(&what->title, " and %zu more", count - 1);
}

/* Objects never change under their checksum; files are read once. */
static void name_places(struct selecting *what)
{
	size_t count = perun_lookup_count(what->lookup);

	for (size_t i = 0; i < count; i++) {
		const struct perun_place *place = perun_lookup_at(what->lookup, i);

		perun_buffer_printf(&what->key, "%s\n",
				    place->kind == PERUN_PLACE_REGISTERED ? place->entry->checksum
									  : place->path);
	}
	set_title(what, perun_lookup_at(what->lookup, 0), count);
}

static struct serve_kept *find_kept(struct serve *serve, const char *key)
{
	for (size_t i = 0; i < SERVE_KEPT; i++) {
		if (serve->kept[i].key && strcmp(serve->kept[i].key, key) == 0)
			return &serve->kept[i];
	}
	return NULL;
}

/* In the place of the one that was asked for longest ago. */
static void keep(struct serve *serve, const char *key, const char *title,
		 struct perun_profile *profile)
{
	struct serve_kept *place = &serve->kept[0];

	for (size_t i = 1; i < SERVE_KEPT; i++) {
		if (serve->kept[i].used < place->used)
			place = &serve->kept[i];
	}
	perun_free(place->key);
	perun_free(place->title);
	perun_profile_unref(place->profile);
	*place = (struct serve_kept){perun_strdup(key), perun_strdup(title),
				     perun_profile_ref(profile), ++serve->clock};
}

/* What is kept, until the next one is; NULL = it is not. Under the lock. */
static const struct serve_kept *recall(struct serve *serve, const char *key)
{
	struct serve_kept *kept = find_kept(serve, key);

	if (kept)
		kept->used = ++serve->clock;
	return kept;
}

/* The one version that all of it is of; NULL: there is none. */
static char *version_of(const struct selecting *what)
{
	size_t count = perun_lookup_count(what->lookup);
	const char *version = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct perun_place *place = perun_lookup_at(what->lookup, i);

		if (place->kind != PERUN_PLACE_REGISTERED || !*place->version ||
		    (version && strcmp(version, place->version) != 0))
			return NULL;
		version = place->version;
	}
	return version ? perun_strdup(version) : NULL;
}

static const char *collector_at(const struct selecting *what, size_t i)
{
	const char *collector = perun_lookup_at(what->lookup, i)->entry->collector;

	return collector ? collector : "";
}

/*
 * The profiles of the collector of number `at`, as all cannot be added up for the reason `why`; none where one before it has
 * that collector as well.
 */
static int load_collector(struct selecting *what, size_t at, const char *why,
			  struct perun_profile **profile)
{
	const size_t all = perun_lookup_count(what->lookup);
	const struct perun_place **places = perun_alloc_zero(all + 1, sizeof *places);
	size_t count = 0;
	bool is_first = true;
	int status = PERUN_INPUT;

	for (size_t i = 0; i < all && is_first; i++) {
		if (strcmp(collector_at(what, i), collector_at(what, at)) != 0)
			continue;
		is_first = i >= at;
		places[count++] = perun_lookup_at(what->lookup, i);
	}
	if (is_first)
		status = commands_load_merged(what->ctx, what->lookup, places, count, false,
					      profile);
	if (!status && !perun_profile_stacks(*profile)) {
		perun_profile_unref(*profile);
		*profile = NULL;
		status = PERUN_INPUT;
	}
	if (!status) {
		set_title(what, places[0], count);
		perun_note(what->ctx, "%zu of %zu profiles are shown, those by %s: %s", count, all,
			   collector_at(what, at), why);
	}
	perun_free((void *)places);
	return status;
}

/* Of a version whose profiles cannot be added up those of the first collector that has stacks. */
static int load_together(struct selecting *what, struct perun_profile **profile)
{
	int status = commands_lookup_load_merged(what->ctx, what->lookup, profile);
	char *version = status == PERUN_INPUT ? version_of(what) : NULL, *why;

	if (!version)
		return status;
	why = perun_strdup(perun_ctx_error(what->ctx));
	for (size_t i = 0; status == PERUN_INPUT && i < perun_lookup_count(what->lookup); i++) {
		perun_ctx_clear(what->ctx);
		status = load_collector(what, i, why, profile);
	}
	if (status == PERUN_INPUT) {
		perun_ctx_clear(what->ctx);
		perun_fail(what->ctx, status, "%s", why);
	}
	perun_free(version);
	perun_free(why);
	return status;
}

/* One at a time reads, so that many who ask for the same do not all read it. */
static int load(struct selecting *what, struct perun_profile **profile)
{
	struct serve *serve = what->serve;
	const struct serve_kept *kept;
	int status = PERUN_OK;

	*profile = NULL;
	pthread_mutex_lock(&serve->lock);
	kept = recall(serve, what->key.data);
	if (kept) {
		*profile = perun_profile_ref(kept->profile);
		perun_buffer_clear(&what->title);
		perun_buffer_add_text(&what->title, kept->title);
	} else {
		status = load_together(what, profile);
		if (!status)
			keep(serve, what->key.data, what->title.data, *profile);
	}
	pthread_mutex_unlock(&serve->lock);
	return status;
}

/* What the argument `name` names; to be ended also after a failure. */
static int begin(struct selecting *what, const struct serve_question *question, const char *name)
{
	struct perun_lookup_options options = {.struct_size = sizeof options};
	struct serve *serve = question->serve;
	int status = PERUN_OK;

	*what = (struct selecting){.serve = serve, .ctx = question->ctx};
	if (serve->store)
		status = perun_store_reopen(question->ctx, serve->store, &what->store);
	options.store = what->store;
	what->lookup = perun_lookup_new(&options);
	if (!status)
		status = look_up(what, question->request, name);
	if (!status)
		name_places(what);
	return status;
}

static void end(struct selecting *what)
{
	perun_lookup_free(what->lookup);
	perun_store_close(what->store);
	perun_buffer_free(&what->key);
	perun_buffer_free(&what->title);
}

/* The profile with the addresses that files themselves have, which is kept as well; `*profile` is replaced. */
static int locate(struct selecting *what, struct perun_profile **profile)
{
	struct commands_symbolizing how = {.locate = true, .quiet = true};
	struct serve *serve = what->serve;
	char *key = perun_format("located\n%s", what->key.data);
	const struct serve_kept *located;
	int status = PERUN_OK;

	pthread_mutex_lock(&serve->lock);
	located = recall(serve, key);
	if (located) {
		perun_profile_unref(*profile);
		*profile = perun_profile_ref(located->profile);
	} else {
		status = commands_symbolize(what->ctx, &how, profile);
		if (!status)
			keep(serve, key, what->title.data, *profile);
	}
	pthread_mutex_unlock(&serve->lock);
	perun_free(key);
	return status;
}

int serve_select(struct serve_question *question)
{
	struct selecting what;
	int status = begin(&what, question, "profile");

	if (!status)
		status = load(&what, &question->profile);
	if (!status && serve_wants_code(question->request) && commands_can_symbolize())
		status = locate(&what, &question->profile);
	if (!status) {
		question->title = perun_buffer_take(&what.title);
		question->version = version_of(&what);
	}
	end(&what);
	return status;
}

/* ---- two ------------------------------------------------------------------------------------- */

/* Units are made one, and places that are the same become one. */
static int merge_sides(struct perun_ctx *ctx, struct perun_profile *const sides[2],
		       struct perun_profile **both)
{
	static const char *const names[] = {"base", "new"};
	struct perun_merge_input inputs[2];

	for (size_t i = 0; i < 2; i++)
		inputs[i] = (struct perun_merge_input){.struct_size = sizeof *inputs,
						       .profile = sides[i],
						       .label_key = SERVE_SIDE,
						       .label_text = names[i]};
	return perun_merge(ctx, inputs, 2, 0, both);
}

static int load_pair(struct selecting what[2], const char *key, char **title,
		     struct perun_profile **both)
{
	struct serve *serve = what->serve;
	struct perun_profile *sides[2] = {NULL, NULL};
	int status = load(&what[0], &sides[0]);

	if (!status)
		status = load(&what[1], &sides[1]);
	for (size_t i = 0; i < 2 && !status; i++) {
		if (!perun_profile_stacks(sides[i]))
			status = perun_fail(what->ctx, PERUN_USAGE,
					    "%s has no stacks to compare: see perun showdiff",
					    what[i].title.data);
	}
	if (!status)
		status = merge_sides(what->ctx, sides, both);
	if (!status) {
		*title = perun_format("%s → %s", what[0].title.data, what[1].title.data);
		pthread_mutex_lock(&serve->lock);
		keep(serve, key, *title, *both);
		pthread_mutex_unlock(&serve->lock);
	}
	perun_profile_unref(sides[0]);
	perun_profile_unref(sides[1]);
	return status;
}

int serve_select_pair(struct serve_question *question)
{
	struct serve *serve = question->serve;
	const struct serve_kept *kept;
	struct selecting what[2];
	char *key = NULL;
	int status = begin(&what[0], question, "base-profile");
	int other = begin(&what[1], question, "profile");

	status = status ? status : other;
	if (!status) {
		key = perun_format("%s\n%s", what[0].key.data, what[1].key.data);
		question->version = version_of(&what[1]);
		pthread_mutex_lock(&serve->lock);
		kept = recall(serve, key);
		if (kept) {
			question->profile = perun_profile_ref(kept->profile);
			question->title = perun_strdup(kept->title);
		}
		pthread_mutex_unlock(&serve->lock);
	}
	if (!status && !question->profile)
		status = load_pair(what, key, &question->title, &question->profile);
	end(&what[0]);
	end(&what[1]);
	perun_free(key);
	return status;
}

void serve_forget(struct serve *serve)
{
	for (size_t i = 0; i < SERVE_KEPT; i++) {
		perun_free(serve->kept[i].key);
		perun_free(serve->kept[i].title);
		perun_profile_unref(serve->kept[i].profile);
		serve->kept[i] = (struct serve_kept){0};
	}
}
