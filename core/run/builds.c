/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions that were checked out and built, kept in the store's cache. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/hash.h>
#include <perun/lib/path.h>

#include "core/context/structs.h"
#include "core/path/write.h"
#include "core/run/builds.h"
#include "core/run/toolchain.h"
#include "core/run/worktree.h"

/*
 * .perun/cache/builds/VERSION-HASH: `lock`, `tree` (the files) and `complete`, an empty file that is
 * made last. While it is checked out and built, `tree` is a work tree that the version control system
 * knows and takes away should we be killed; then it is ours, and stays where it is: what is built
 * may contain its own path.
 */
#define MAX_KEPT 24
/* Copies of trees that were changed and built: likewise, beside them. */
#define COPY       "copy-"
#define MAX_COPIES 24

/* ---- the commands ---------------------------------------------------------------------------- */

int perun_builds_new(struct perun_ctx *ctx, struct perun_store *store,
		     const struct perun_builds_options *given, struct perun_builds **made)
{
	struct perun_builds *builds = perun_alloc_zero(1, sizeof *builds);
	struct perun_builds_options options = {0};
	int status = perun_store_vcs(ctx, store, &builds->vcs);

	PERUN_STRUCT_TAKE(&options, given);
	builds->store = store;
	builds->again = options.again;
	builds->listener = options.listener;
	if (!status && !options.command)
		status = perun_texts_read(ctx, store, "execute.pre_run", &builds->commands);
	else if (!status && *options.command)
		perun_words_add(&builds->commands, options.command, strlen(options.command));
	if (!status)
		status = perun_files_read(ctx, store, builds->vcs, &builds->files);
	if (!status)
		status = perun_files_hash(ctx, &builds->files, &builds->files_hash);
	if (status) {
		perun_builds_free(builds);
		builds = NULL;
	}
	*made = builds;
	return status;
}

void perun_builds_free(struct perun_builds *builds)
{
	if (!builds)
		return;
	perun_words_free(&builds->commands);
	perun_words_free(&builds->made);
	perun_files_free(&builds->files);
	perun_free(builds);
}

/* Different commands, files and compilers make different builds: a hash of the texts, zeros included. */
uint64_t perun_builds_hash(const struct perun_builds *builds)
{
	/* Where there is nothing to build nothing is built by any compiler. */
	uint64_t hash = builds->commands.count ? perun_toolchain_hash() : PERUN_FNV1A;

	for (size_t i = 0; i < builds->commands.count; i++)
		hash = perun_fnv1a(builds->commands.items[i], strlen(builds->commands.items[i]) + 1,
				   hash);
	return hash ^ builds->files_hash;
}

/* Whether a version is to be built though it is there: once, for who builds it again may be using it. */
static bool is_unwanted(const struct perun_builds *builds, const struct perun_build *build)
{
	for (size_t i = 0; i < builds->made.count; i++) {
		if (strcmp(builds->made.items[i], build->minor) == 0)
			return false;
	}
	return builds->again;
}

/* ---- removing -------------------------------------------------------------------------------- */

static void remove_in(const char *base, const char *name)
{
	char *path = perun_format("%s/%s", base, name);

	perun_path_remove_tree(path);
	perun_free(path);
}

/* What was found in the cache. */
struct entry {
	char *base;
	int64_t used; /* seconds; 0 = it was not built to its end */
};

struct entries {
	struct entry *items;
	size_t count, capacity;
};

static void list_entries(const char *folder, struct entries *entries)
{
	int fd = perun_path_open(folder, O_RDONLY | O_DIRECTORY, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *found;

	while (stream && (found = readdir(stream))) {
		struct entry entry = {0};
		struct stat facts;
		char *mark;

		if (found->d_name[0] == '.')
			continue;
		entry.base = perun_format("%s/%s", folder, found->d_name);
		mark = perun_format("%s/complete", entry.base);
		if (perun_path_stat(mark, &facts) == 0)
			entry.used = facts.st_mtime;
		perun_free(mark);
		PERUN_GROW(entries->items, entries->count, entries->capacity);
		entries->items[entries->count++] = entry;
	}
	if (stream)
		closedir(stream);
}

/* Remove an entry that nobody uses. */
static bool remove_unused(const char *base)
{
	char *path = perun_format("%s/lock", base);
	int lock = perun_path_open_locked(path, 0, LOCK_EX);

	if (lock >= 0) {
		/* The mark goes first: what is half removed does not count as built. */
		remove_in(base, "complete");
		perun_path_remove_tree(base);
		close(lock);
	}
	perun_free(path);
	return lock >= 0;
}

/* A checkout is when the version control system looks for those of killed runs and forgets them. */
static void forget_killed(struct perun_vcs *vcs, const char *version, const char *folder)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *path = perun_format("%s/aside", folder);

	if (!perun_vcs_export_version(quiet, vcs, version, path))
		perun_vcs_remove_export(quiet, vcs, path);
	perun_free(path);
	perun_ctx_free(quiet);
}

static char *builds_folder(struct perun_store *store)
{
	return perun_format("%s/cache/builds", perun_store_path(store));
}

size_t perun_builds_recover(struct perun_store *store)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *folder = builds_folder(store), *head = NULL;
	struct entries entries = {0};
	struct perun_vcs *vcs;
	size_t removed = 0;

	list_entries(folder, &entries);
	for (size_t i = 0; i < entries.count; i++) {
		removed += entries.items[i].used == 0 && remove_unused(entries.items[i].base);
		perun_free(entries.items[i].base);
	}
	if (removed && !perun_store_vcs(quiet, store, &vcs) &&
	    !perun_vcs_get_minor_head(quiet, vcs, &head))
		forget_killed(vcs, head, folder);
	perun_free(head);
	perun_free(entries.items);
	perun_free(folder);
	perun_ctx_free(quiet);
	return removed;
}

static bool is_copy(const struct entry *entry)
{
	return strncmp(perun_path_base_name(entry->base), COPY, strlen(COPY)) == 0;
}

/* Of versions, or of copies, remove what was not used for the longest time until there are `most`. */
static void remove_oldest(const struct entries *entries, bool copies, size_t most, const char *own)
{
	size_t kept = 0;

	for (size_t i = 0; i < entries->count; i++)
		kept += entries->items[i].used && is_copy(&entries->items[i]) == copies;
	for (; kept > most; kept--) {
		struct entry *oldest = NULL;

		for (size_t i = 0; i < entries->count; i++) {
			struct entry *entry = &entries->items[i];

			if (entry->used && is_copy(entry) == copies &&
			    strcmp(entry->base, own) != 0 &&
			    (!oldest || entry->used < oldest->used))
				oldest = entry;
		}
		if (!oldest)
			break;
		remove_unused(oldest->base);
		oldest->used = 0;
	}
}

/* Remove what killed runs left, and what was not used for the longest time. */
static void tidy(const struct perun_builds *builds, const char *folder,
		 const struct perun_build *build)
{
	const char *own = build->base;
	struct entries entries = {0};
	bool killed = false;

	list_entries(folder, &entries);
	for (size_t i = 0; i < entries.count; i++) {
		struct entry *entry = &entries.items[i];

		if (strcmp(entry->base, own) != 0 && entry->used == 0)
			killed |= remove_unused(entry->base);
	}
	if (killed && build->cached)
		forget_killed(builds->vcs, build->minor, build->base);
	remove_oldest(&entries, false, MAX_KEPT, own);
	remove_oldest(&entries, true, MAX_COPIES, own);
	for (size_t i = 0; i < entries.count; i++)
		perun_free(entries.items[i].base);
	perun_free(entries.items);
}

/* ---- building -------------------------------------------------------------------------------- */

int perun_build_make(struct perun_ctx *ctx, const struct perun_builds *builds,
		     const struct perun_build *build, bool *failed, char **log)
{
	char *root = perun_build_root(build);
	struct perun_preparation place = {
		.version = build->minor, .directory = root, .listener = builds->listener};
	char *path;
	int status;

	place.log = perun_log_open(builds->store, build->minor, build->log ? build->log : "build",
				   &path);
	place.log_path = path;
	status = perun_prepare(ctx, &builds->commands, &place, failed);
	if (place.log >= 0)
		close(place.log);
	perun_free(root);
	if (log)
		*log = path;
	else
		perun_free(path);
	return status;
}

static int mark_complete(struct perun_ctx *ctx, const char *base)
{
	char *mark = perun_format("%s/complete", base);
	int file = perun_path_open_own(mark, O_CREAT), status = PERUN_OK;

	if (file < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot keep %s", base);
	else
		close(file);
	perun_free(mark);
	return status;
}

static void drop_export(const struct perun_builds *builds, const char *root)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	if (access(root, F_OK) == 0)
		perun_vcs_remove_export(quiet, builds->vcs, root);
	perun_ctx_free(quiet);
}

int perun_builds_export(struct perun_ctx *ctx, struct perun_builds *builds, const char *version,
			const char *base, const char *name)
{
	char *root = perun_format("%s/%s", base, name);
	int status;

	perun_path_remove_tree(root);
	status = perun_vcs_export_version(ctx, builds->vcs, version, root);
	if (!status)
		status = perun_files_copy(ctx, &builds->files, root);
	if (!status)
		status = perun_vcs_keep_export(ctx, builds->vcs, root);
	if (status)
		drop_export(builds, root);
	perun_free(root);
	return status;
}

static int export_files(struct perun_ctx *ctx, struct perun_builds *builds,
			const struct perun_build *build, const char *root)
{
	int status;

	remove_in(build->base, "complete");
	perun_path_remove_tree(root);
	status = perun_vcs_export_version(ctx, builds->vcs, build->minor, root);
	return status ? status : perun_files_copy(ctx, &builds->files, root);
}

static int make(struct perun_ctx *ctx, struct perun_builds *builds, const struct perun_build *build,
		bool *failed)
{
	char *root = perun_build_root(build);
	int status = export_files(ctx, builds, build, root);

	if (!status)
		status = perun_build_make(ctx, builds, build, failed, NULL);
	if (!status)
		status = perun_vcs_keep_export(ctx, builds->vcs, root);
	if (!status)
		status = mark_complete(ctx, build->base);
	if (status)
		drop_export(builds, root);
	else
		perun_words_add(&builds->made, build->minor, strlen(build->minor));
	perun_free(root);
	return status;
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* Lock the entry, once nobody else builds it. */
static int take_lock(struct perun_ctx *ctx, struct perun_build *build)
{
	char *path = perun_format("%s/lock", build->base);
	struct timespec pause = {.tv_nsec = 100000000};
	int status = PERUN_OK;

	for (bool noted = false; !status;) {
		build->lock = perun_path_open_locked(path, O_CREAT, LOCK_EX);
		if (build->lock >= 0)
			break;
		if (errno == ENOENT) { /* removed meanwhile with the whole entry */
			status = path_make_directories(ctx, build->base);
			continue;
		}
		if (errno != EWOULDBLOCK) {
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
			break;
		}
		if (!noted)
			perun_note(ctx, "waiting for another run that uses version %.8s",
				   build->minor);
		noted = true;
		nanosleep(&pause, NULL);
		if (perun_cancelled(ctx))
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	}
	perun_free(path);
	return status;
}

static bool is_complete(const struct perun_build *build)
{
	char *mark = perun_format("%s/complete", build->base);
	/* It is in use from now on, not from when it was built on. */
	int file = perun_path_open_own(mark, 0);
	bool complete = file >= 0 && futimens(file, NULL) == 0;

	if (file >= 0)
		close(file);
	perun_free(mark);
	return complete;
}

/* Take it shared if it is there. */
static bool take_ready(const struct perun_builds *builds, struct perun_build *build)
{
	char *path = perun_format("%s/lock", build->base);

	if (is_unwanted(builds, build)) {
		perun_free(path);
		return false;
	}
	build->lock = perun_path_open_locked(path, 0, LOCK_SH);
	perun_free(path);
	if (build->lock >= 0 && is_complete(build))
		return build->cached = true;
	if (build->lock >= 0)
		close(build->lock);
	build->lock = -1;
	return false;
}

/*
 * Others may use it as well from now on. The kernel takes a lock away before it gives another one, so that somebody
 * who removes builds may come between: false when it is gone.
 */
static bool share_lock(const struct perun_build *build)
{
	char *path = perun_format("%s/lock", build->base);
	struct stat ours, named;
	bool shared;

	while (!(shared = flock(build->lock, LOCK_SH) == 0) && errno == EINTR)
		;
	shared = shared && fstat(build->lock, &ours) == 0 && perun_path_stat(path, &named) == 0 &&
		 ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
	perun_free(path);
	return shared;
}

/* What is there, or built now, and locked. */
static int take(struct perun_ctx *ctx, struct perun_builds *builds, struct perun_build *build,
		bool *failed)
{
	bool again = is_unwanted(builds, build);
	int status = PERUN_OK;

	while (!status && !take_ready(builds, build)) {
		status = path_make_directories(ctx, build->base);
		if (!status)
			status = take_lock(ctx, build);
		/* Another run may have built it while we waited. */
		build->cached = !status && !again && is_complete(build);
		if (!status && !build->cached)
			status = make(ctx, builds, build, failed);
		if (status || share_lock(build))
			break;
		close(build->lock);
		build->lock = -1;
	}
	return status;
}

int perun_build_open(struct perun_ctx *ctx, struct perun_builds *builds, const char *version,
		     struct perun_build **opened, bool *unbuilt)
{
	struct perun_build *build = perun_alloc_zero(1, sizeof *build);
	char *folder = builds_folder(builds->store), *root;
	bool failed = false;
	int status;

	*build = (struct perun_build){.lock = -1, .minor = perun_strdup(version)};
	build->base = perun_format("%s/%s-%016" PRIx64, folder, version, perun_builds_hash(builds));
	root = perun_build_root(build);
	status = take(ctx, builds, build, &failed);
	if (!status) {
		tidy(builds, folder, build);
		build->directory = perun_worktree_directory(ctx, builds->vcs, root);
	} else {
		if (failed)
			perun_path_remove_tree(build->base);
		perun_build_close(build);
		build = NULL;
	}
	perun_free(root);
	perun_free(folder);
	if (unbuilt)
		*unbuilt = failed;
	*opened = build;
	return status;
}

/* ---- trees that are changed ------------------------------------------------------------------ */

int perun_build_reset(struct perun_ctx *ctx, struct perun_builds *builds,
		      const struct perun_build *build)
{
	char *root = perun_build_root(build);
	int status;

	drop_export(builds, root);
	/* It stays a work tree of its own: programs that ask for its version do not come upon the user's. */
	status = export_files(ctx, builds, build, root);
	if (status)
		drop_export(builds, root);
	perun_free(root);
	return status;
}

int perun_build_open_tree(struct perun_ctx *ctx, struct perun_builds *builds, const char *version,
			  const char *name, struct perun_build **opened)
{
	struct perun_build *build = perun_alloc_zero(1, sizeof *build);
	char *root;
	int status;

	*build = (struct perun_build){.lock = -1,
				      .minor = perun_strdup(version),
				      .log = perun_format("build-%s", name),
				      .changed_by = builds};
	build->base = perun_format("%s/cache/builds/%s-%016" PRIx64 "-%s",
				   perun_store_path(builds->store), version,
				   perun_builds_hash(builds), name);
	root = perun_build_root(build);
	status = path_make_directories(ctx, build->base);
	if (!status)
		status = take_lock(ctx, build);
	if (!status)
		status = perun_build_reset(ctx, builds, build);
	if (!status)
		build->directory = perun_worktree_directory(ctx, builds->vcs, root);
	if (status) {
		perun_build_close(build);
		build = NULL;
	}
	perun_free(root);
	*opened = build;
	return status;
}

/* ---- copies of them -------------------------------------------------------------------------- */

struct perun_build *perun_build_open_copy(const struct perun_builds *builds,
					  const struct perun_build *build, const char *content)
{
	struct perun_build *copy = perun_alloc_zero(1, sizeof *copy);
	char *folder = builds_folder(builds->store), *lock;

	*copy = (struct perun_build){.lock = -1, .minor = perun_strdup(build->minor)};
	copy->base = perun_format("%s/%s%s-%s", folder, COPY, perun_path_base_name(build->base),
				  content);
	lock = perun_format("%s/lock", copy->base);
	if (!take_ready(builds, copy) && perun_path_ensure_directories(copy->base, 0777) == 0)
		copy->lock = perun_path_open_locked(lock, O_CREAT, LOCK_EX);
	if (copy->lock < 0) {
		perun_build_close(copy);
		copy = NULL;
	}
	perun_free(lock);
	perun_free(folder);
	return copy;
}

void perun_build_finish_copy(struct perun_ctx *ctx, const struct perun_builds *builds,
			     struct perun_build *copy, bool whole)
{
	char *folder = builds_folder(builds->store);

	if (whole && !mark_complete(ctx, copy->base)) {
		tidy(builds, folder, copy);
	} else {
		perun_path_remove_tree(copy->base);
		perun_ctx_clear(ctx);
	}
	perun_free(folder);
}

static void remove_changed(const struct perun_build *build)
{
	char *root = perun_build_root(build);

	drop_export(build->changed_by, root);
	perun_path_remove_tree(build->base);
	perun_free(root);
}

char *perun_build_root(const struct perun_build *build)
{
	return perun_format("%s/tree", build->base);
}

const char *perun_build_version(const struct perun_build *build)
{
	return build->minor;
}

const char *perun_build_directory(const struct perun_build *build)
{
	return build->directory;
}

void perun_build_close(struct perun_build *build)
{
	if (!build)
		return;
	if (build->changed_by && build->lock >= 0)
		remove_changed(build);
	if (build->lock >= 0)
		close(build->lock);
	perun_free(build->minor);
	perun_free(build->base);
	perun_free(build->log);
	perun_free(build->directory);
	perun_free(build);
}
