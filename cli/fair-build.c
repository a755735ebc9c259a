/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions that were checked out and built, kept in the store's cache. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perun/json.h>

#include "cli/fair.h"
#include "cli/worktree.h"
#include "core/path/path.h"

/*
 * .perun/cache/builds/VERSION-HASH: `lock`, `tree` (the files) and `complete`, an empty file that is
 * made last. While it is checked out and built, `tree` is a work tree that the version control system
 * knows and takes away should we be killed; then it is cut loose, but stays where it is: what is built
 * may contain its own path.
 */
#define MOST_KEPT 24

/* ---- the commands ---------------------------------------------------------------------------- */

int cli_builder_start(struct cli *cli, struct perun_vcs *vcs, const char *command, bool again,
		      struct cli_builder *builder)
{
	*builder = (struct cli_builder){.cli = cli, .vcs = vcs, .again = again};
	if (!command)
		return cli_commands_read(cli, "execute.pre_run", &builder->commands);
	if (*command)
		perun_words_add(&builder->commands, command, strlen(command));
	return PERUN_OK;
}

void cli_builder_free(struct cli_builder *builder)
{
	perun_words_free(&builder->commands);
	*builder = (struct cli_builder){0};
}

/* Different commands make different builds: FNV-1a of their texts, zeros included. */
static uint64_t hash_commands(const struct cli_builder *builder)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < builder->commands.count; i++) {
		const char *c = builder->commands.items[i];

		do
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
		while (*c++);
	}
	return hash;
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
static void forget_killed(const struct cli_builder *builder, const struct cli_build *build)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *path = perun_format("%s/aside", build->base);

	if (!perun_vcs_export_version(quiet, builder->vcs, build->minor, path))
		perun_vcs_remove_export(quiet, builder->vcs, path);
	perun_free(path);
	perun_ctx_free(quiet);
}

/* Remove what killed runs left, and what was not used for the longest time. */
static void tidy(const struct cli_builder *builder, const char *folder,
		 const struct cli_build *build)
{
	const char *own = build->base;
	struct entries entries = {0};
	size_t kept = 0;
	bool killed = false;

	list_entries(folder, &entries);
	for (size_t i = 0; i < entries.count; i++) {
		struct entry *entry = &entries.items[i];

		if (strcmp(entry->base, own) != 0 && entry->used == 0)
			killed |= remove_unused(entry->base);
		else
			kept++;
	}
	if (killed && build->cached)
		forget_killed(builder, build);
	while (kept > MOST_KEPT) {
		struct entry *oldest = NULL;

		for (size_t i = 0; i < entries.count; i++) {
			struct entry *entry = &entries.items[i];

			if (entry->used && strcmp(entry->base, own) != 0 &&
			    (!oldest || entry->used < oldest->used))
				oldest = entry;
		}
		if (!oldest)
			break;
		remove_unused(oldest->base);
		oldest->used = 0;
		kept--;
	}
	for (size_t i = 0; i < entries.count; i++)
		perun_free(entries.items[i].base);
	perun_free(entries.items);
}

/* ---- building -------------------------------------------------------------------------------- */

static int run_commands(const struct cli_builder *builder, struct cli_build *build,
			const char *root)
{
	char *path;
	int log = cli_log_open(builder->cli, build->minor, "build", &path);
	int status = cli_commands_build(builder->cli, &builder->commands, build->minor, root, log,
					path, &build->unbuilt);

	if (log >= 0)
		close(log);
	perun_free(path);
	return status;
}

/* Let the files stay where they are, but nothing in the repository know of them. */
static int cut_loose(const struct cli_builder *builder, const char *base, const char *root)
{
	struct perun_ctx *ctx = builder->cli->ctx;
	char *aside = perun_format("%s/aside", base), *link = perun_format("%s/.git", root);
	char *mark = perun_format("%s/complete", base);
	int status = PERUN_OK, file = -1;

	if ((perun_path_unlink(link) < 0 && errno != ENOENT) || perun_path_rename(root, aside) < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot keep %s", root);
	if (!status)
		status = perun_vcs_remove_export(ctx, builder->vcs, root);
	if (!status &&
	    (perun_path_rename(aside, root) < 0 || (file = perun_path_open_own(mark, O_CREAT)) < 0))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot keep %s", root);
	if (file >= 0)
		close(file);
	perun_free(aside);
	perun_free(link);
	perun_free(mark);
	return status;
}

static int make(const struct cli_builder *builder, struct cli_build *build)
{
	struct perun_ctx *ctx = builder->cli->ctx;
	char *root = perun_format("%s/tree", build->base);
	int status;

	remove_in(build->base, "complete");
	remove_in(build->base, "aside");
	perun_path_remove_tree(root);
	status = perun_vcs_export_version(ctx, builder->vcs, build->minor, root);
	if (!status) {
		status = run_commands(builder, build, root);
		if (!status)
			status = cut_loose(builder, build->base, root);
		if (status && access(root, F_OK) == 0) {
			struct perun_ctx *quiet = perun_ctx_new(NULL);

			perun_vcs_remove_export(quiet, builder->vcs, root);
			perun_ctx_free(quiet);
		}
	}
	perun_free(root);
	return status;
}

/* ---- taking ---------------------------------------------------------------------------------- */

static int make_folders(struct cli *cli, const char *base)
{
	char *path = perun_strdup(base);
	int status = PERUN_OK;

	for (char *slash = path + strlen(perun_store_path(cli->store)) + 1; !status; slash++) {
		slash = strchrnul(slash, '/');
		char kept = *slash;

		*slash = '\0';
		if (perun_path_ensure_directory(path, 0777) < 0)
			status = perun_fail_errno(cli->ctx, PERUN_INPUT, errno, "cannot make %s",
						  path);
		*slash = kept;
		if (!kept)
			break;
	}
	perun_free(path);
	return status;
}

/* Lock the entry, once nobody else builds it. */
static int take_lock(const struct cli_builder *builder, struct cli_build *build)
{
	struct perun_ctx *ctx = builder->cli->ctx;
	char *path = perun_format("%s/lock", build->base);
	struct timespec pause = {.tv_nsec = 100000000};
	int status = PERUN_OK;

	for (bool told = false; !status;) {
		build->lock = perun_path_open_locked(path, O_CREAT, LOCK_EX);
		if (build->lock >= 0)
			break;
		if (errno == ENOENT) { /* removed meanwhile with the whole entry */
			status = make_folders(builder->cli, build->base);
			continue;
		}
		if (errno != EWOULDBLOCK) {
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
			break;
		}
		if (!told)
			perun_note(ctx, "waiting for another run that uses version %.8s",
				   build->minor);
		told = true;
		nanosleep(&pause, NULL);
		if (cli_interrupted())
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	}
	perun_free(path);
	return status;
}

static bool is_complete(const struct cli_build *build)
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
static bool take_ready(const struct cli_builder *builder, struct cli_build *build)
{
	char *path = perun_format("%s/lock", build->base);

	if (builder->again) {
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

int cli_build_open(const struct cli_builder *builder, const char *minor, struct cli_build *build)
{
	struct cli *cli = builder->cli;
	char *folder = perun_format("%s/cache/builds", perun_store_path(cli->store)), *root;
	int status = PERUN_OK;

	*build = (struct cli_build){.lock = -1, .minor = perun_strdup(minor)};
	build->base = perun_format("%s/%s-%016llx", folder, minor,
				   (unsigned long long)hash_commands(builder));
	if (!take_ready(builder, build)) {
		status = make_folders(cli, build->base);
		if (!status)
			status = take_lock(builder, build);
		/* Another run may have built it while we waited. */
		build->cached = !status && !builder->again && is_complete(build);
		if (!status && !build->cached)
			status = make(builder, build);
		if (!status)
			flock(build->lock, LOCK_SH);
	}
	if (!status)
		tidy(builder, folder, build);
	root = perun_format("%s/tree", build->base);
	if (!status)
		build->directory = cli_worktree_directory(cli, builder->vcs, root);
	else if (build->unbuilt)
		perun_path_remove_tree(build->base);
	perun_free(root);
	perun_free(folder);
	if (status) {
		bool unbuilt = build->unbuilt;

		cli_build_close(build);
		build->unbuilt = unbuilt;
	}
	return status;
}

void cli_build_close(struct cli_build *build)
{
	if (build->lock >= 0)
		close(build->lock);
	perun_free(build->minor);
	perun_free(build->base);
	perun_free(build->directory);
	*build = (struct cli_build){.lock = -1};
}
