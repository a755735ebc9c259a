/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that are over and whose profiles are in the store, and builds that no run needs. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/cells/cells.h"

/* What is being removed has a name that no run and no build has, so that nobody takes half of it for one. */
#define REMOVED "removed-"

/* Runs that this many later ones have followed are of no interest. */
#define MAX_INLINED 32
/* How many of the builds that only inlined runs named are kept. */
#define MAX_BUILDS 24

struct tidying {
	struct perun_ctx *ctx; /* quiet: what cannot be read is left alone */
	const char *runs;
	time_t before;
	bool dry_run;
	bool unplanned; /* only builds that no executor's run was planned with */
	void (*visit)(void *data, const char *path);
	void *data;
	struct perun_words needed; /* builds of runs that stay */
};

static bool is_old(const struct tidying *tidying, const char *path)
{
	struct stat facts;

	return perun_path_stat(path, &facts) == 0 && facts.st_mtime <= tidying->before;
}

/* Unless somebody works in it, and has its lock. */
static void discard(struct tidying *tidying, const char *directory, const char *name)
{
	char *path = perun_format("%s/%s", directory, name);
	char *other = perun_format("%s/" REMOVED "%s", directory, name);
	char *lock = perun_format("%s/lock", path), *used = perun_format("%s/" CELLS_USED, path);
	int file = tidying->dry_run ? -1 : perun_path_open_locked(lock, O_CREAT, LOCK_EX);
	int use = tidying->dry_run ? -1 : perun_path_open_locked(used, 0, LOCK_EX);
	/* Only builds have the other one, and not all of these. */
	bool free = file >= 0 && (use >= 0 || (errno == ENOENT && !tidying->unplanned));

	if (tidying->dry_run || (free && perun_path_rename(path, other) == 0))
		tidying->visit(tidying->data, path);
	if (use >= 0)
		close(use);
	if (file >= 0) {
		perun_path_remove_tree(other);
		close(file);
	}
	perun_free(used);
	perun_free(lock);
	perun_free(other);
	perun_free(path);
}

/* Every cell has ended, and what they measured is in the store. */
static bool is_over(struct tidying *tidying, const struct perun_run_cells *cells)
{
	size_t count = perun_run_cells_count(cells);
	bool *collected = cells_collected(cells), over = true;

	for (size_t cell = 1; over && cell <= count; cell++) {
		struct perun_json *outcome = NULL;

		if (collected[cell - 1])
			continue;
		over = cells_outcome(tidying->ctx, cells, cell, &outcome) == PERUN_OK &&
		       !*perun_json_get_text(outcome, "profile") &&
		       !perun_json_count(perun_json_get(outcome, "profiles"));
		perun_json_free(outcome);
	}
	perun_free(collected);
	return over;
}

static void keep_builds(struct tidying *tidying, const struct perun_run_cells *cells)
{
	for (size_t i = 0; cells->builds && i < cells->versions.count; i++) {
		char *path = cells_build_path(cells, i);

		perun_words_add(&tidying->needed, path, strlen(path));
		perun_free(path);
	}
}

/* Whether the builds that it needs are known, and stay or go with it. */
static bool tidy_run(struct tidying *tidying, const char *id)
{
	char *path = perun_format("%s/%s", tidying->runs, id);
	struct perun_run_cells *cells = NULL;
	bool known = perun_run_cells_open(tidying->ctx, tidying->runs, path, &cells) == PERUN_OK;

	if (known && is_old(tidying, path) && is_over(tidying, cells))
		discard(tidying, tidying->runs, id);
	else if (known)
		keep_builds(tidying, cells);
	perun_run_cells_free(cells);
	perun_free(path);
	return known;
}

static int by_text(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static bool is_needed(const struct tidying *tidying, const char *path)
{
	const struct perun_words *needed = &tidying->needed;

	return needed->count &&
	       bsearch(&path, needed->items, needed->count, sizeof *needed->items, by_text);
}

/* Of a directory, the entries; what is left there of a removal goes at once. */
static void list(const struct tidying *tidying, const char *directory, struct perun_words *names)
{
	struct perun_words all = {0};

	cells_list_directory(directory, &all);
	for (size_t i = 0; i < all.count; i++) {
		char *path = perun_format("%s/%s", directory, all.items[i]);
		bool left = strncmp(all.items[i], REMOVED, strlen(REMOVED)) == 0;

		if (left && !tidying->dry_run)
			perun_path_remove_tree(path);
		else if (!left && names)
			perun_words_add(names, all.items[i], strlen(all.items[i]));
		perun_free(path);
	}
	perun_words_free(&all);
}

static void tidy_builds(struct tidying *tidying)
{
	char *directory = perun_format("%s/builds", tidying->runs);
	struct perun_words names = {0};

	if (tidying->needed.count)
		qsort(tidying->needed.items, tidying->needed.count, sizeof *tidying->needed.items,
		      by_text);
	list(tidying, directory, &names);
	for (size_t i = 0; i < names.count; i++) {
		char *path = perun_format("%s/%s", directory, names.items[i]);

		if (is_old(tidying, path) && !is_needed(tidying, path))
			discard(tidying, directory, names.items[i]);
		perun_free(path);
	}
	perun_words_free(&names);
	perun_free(directory);
}

void perun_run_cells_tidy(const char *runs, int64_t older_than, bool dry_run,
			  void (*visit)(void *data, const char *path), void *data)
{
	struct tidying tidying = {.ctx = perun_ctx_new(NULL),
				  .runs = runs,
				  .before = time(NULL) - (time_t)older_than,
				  .dry_run = dry_run,
				  .visit = visit,
				  .data = data};
	size_t count;
	char **ids = perun_run_cells_list(runs, &count);
	bool all_known = true;

	list(&tidying, runs, NULL);
	for (size_t i = 0; i < count; i++)
		all_known = tidy_run(&tidying, ids[i]) && all_known;
	/* A plan that cannot be read may need any of them. */
	if (all_known)
		tidy_builds(&tidying);
	perun_free(ids);
	perun_words_free(&tidying.needed);
	perun_ctx_free(tidying.ctx);
}

/* ---- inlined ones -------------------------------------------------------------------------------- */

static void ignore(void *data, const char *path)
{
	(void)data;
	(void)path;
}

/* Their profiles are elsewhere: what goes is how they went, and parts of what was interrupted long ago. */
void cells_tidy_inline(const char *runs)
{
	struct tidying tidying = {.ctx = perun_ctx_new(NULL), .runs = runs, .visit = ignore};
	size_t count;
	char **ids = perun_run_cells_list(runs, &count);

	for (size_t i = MAX_INLINED; i < count; i++) {
		struct perun_run_cells *cells = NULL;

		if (!perun_run_cells_open(tidying.ctx, runs, ids[i], &cells) && cells->inlined &&
		    cells_lock_inline(cells))
			discard(&tidying, runs, ids[i]);
		perun_run_cells_free(cells);
		perun_ctx_clear(tidying.ctx);
	}
	perun_free(ids);
	perun_ctx_free(tidying.ctx);
}

static bool is_before(struct timespec one, struct timespec other)
{
	return one.tv_sec != other.tv_sec ? one.tv_sec < other.tv_sec : one.tv_nsec < other.tv_nsec;
}

/* The one that was not used for the longest time, and how many there are. */
static size_t find_oldest(const char *builds, const struct perun_words *names, const char *own,
			  size_t *oldest)
{
	struct timespec least = {0};
	size_t count = 0;

	*oldest = names->count;
	for (size_t i = 0; i < names->count; i++) {
		char *used = perun_format("%s/%s/" CELLS_USED, builds, names->items[i]);
		struct stat facts;
		bool counts = perun_path_stat(used, &facts) == 0;

		perun_free(used);
		count += counts;
		if (!counts || strcmp(names->items[i], own) == 0 ||
		    (*oldest < names->count && !is_before(facts.st_mtim, least)))
			continue;
		*oldest = i;
		least = facts.st_mtim;
	}
	return count;
}

void cells_tidy_builds(const char *builds, const char *own)
{
	struct tidying tidying = {.ctx = perun_ctx_new(NULL), .visit = ignore, .unplanned = true};
	struct perun_words names = {0};
	size_t oldest;

	list(&tidying, builds, &names);
	/* What is in use stays, and is not asked about again. */
	while (find_oldest(builds, &names, perun_path_base_name(own), &oldest) > MAX_BUILDS &&
	       oldest < names.count) {
		discard(&tidying, builds, names.items[oldest]);
		perun_free(names.items[oldest]);
		names.items[oldest] = names.items[--names.count];
	}
	perun_words_free(&names);
	perun_ctx_free(tidying.ctx);
}
