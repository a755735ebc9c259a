/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of the user's work tree that each version gets: benchmarks that old versions do not have. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/hash.h>
#include <perun/lib/path.h>

#include "core/path/write.h"
#include "core/run/files.h"
#include "core/run/shell-commands.h"

#define MAX_DEPTH 32
#define PART      65536

/* All files below a root, by name; no link is followed. */
struct walk {
	struct perun_ctx *ctx;
	int root;
	/* A regular file, opened to be read. */
	int (*visit)(struct walk *walk, const char *name, int file, const struct stat *facts);
	int target;    /* copies go below it */
	uint64_t hash; /* a sum: directories are not in order */
};

static int fail(const struct walk *walk, const char *what, const char *name)
{
	return perun_fail_errno(walk->ctx, PERUN_INPUT, errno, "execute.files: %s %s", what, name);
}

static int visit_name(struct walk *walk, const char *name, int depth);

static int visit_directory(struct walk *walk, const char *name, int directory, int depth)
{
	DIR *stream = fdopendir(directory);
	struct dirent *entry;
	int status = PERUN_OK;

	if (!stream) {
		status = fail(walk, "cannot read", name);
		close(directory);
		return status;
	}
	while (!status && (entry = readdir(stream))) {
		char *inner;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    strcmp(entry->d_name, ".git") == 0 || strcmp(entry->d_name, ".perun") == 0)
			continue;
		inner = perun_format("%s/%s", name, entry->d_name);
		status = visit_name(walk, inner, depth + 1);
		perun_free(inner);
	}
	closedir(stream);
	return status;
}

static int visit_name(struct walk *walk, const char *name, int depth)
{
	int file = perun_beneath_open(walk->root, name, O_RDONLY | O_NONBLOCK, 0);
	struct stat facts;
	int status = PERUN_OK;

	if (file < 0 || fstat(file, &facts) != 0)
		status = fail(walk, "cannot read", name);
	else if (S_ISREG(facts.st_mode))
		status = walk->visit(walk, name, file, &facts);
	else if (!S_ISDIR(facts.st_mode))
		status = perun_fail(walk->ctx, PERUN_INPUT,
				    "execute.files: %s is neither a file nor a directory", name);
	else if (depth >= MAX_DEPTH)
		status = perun_fail(walk->ctx, PERUN_INPUT,
				    "execute.files: %s has more than %d directories in each other",
				    name, MAX_DEPTH);
	else
		return visit_directory(walk, name, file, depth);
	if (file >= 0)
		close(file);
	return status;
}

static int visit_all(struct perun_ctx *ctx, const struct perun_files *files, struct walk *walk)
{
	int status = PERUN_OK;

	walk->ctx = ctx;
	walk->root = open(files->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (walk->root < 0)
		return fail(walk, "cannot read", files->root);
	for (size_t i = 0; !status && i < files->names.count; i++)
		status = visit_name(walk, files->names.items[i], 0);
	close(walk->root);
	return status;
}

/* ---- what is listed -------------------------------------------------------------------------- */

/* Relative to the root and below it: no part of it is "..". */
static bool is_below_root(const char *name)
{
	if (*name == '/' || !*name || strcmp(name, ".") == 0)
		return false;
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
			return false;
	}
	return true;
}

int perun_files_read(struct perun_ctx *ctx, struct perun_store *store, struct perun_vcs *vcs,
		     struct perun_files *files)
{
	char *above;
	int status;

	*files = (struct perun_files){0};
	status = perun_texts_read(ctx, store, "execute.files", &files->names);
	if (status || files->names.count == 0)
		return status;
	for (size_t i = 0; !status && i < files->names.count; i++) {
		const char *name = files->names.items[i];

		if (!is_below_root(name))
			status = perun_fail(ctx, PERUN_INPUT,
					    "execute.files: '%s' is not a path below the root of "
					    "the repository: copy the file there (it need not be "
					    "committed)",
					    name);
	}
	above = perun_format("%s/..", perun_store_path(store));
	if (!status)
		status = perun_vcs_discover(ctx, vcs, above, &files->root);
	if (!status && !files->root)
		files->root = perun_strdup(above);
	perun_free(above);
	return status;
}

void perun_files_free(struct perun_files *files)
{
	perun_words_free(&files->names);
	perun_free(files->root);
	*files = (struct perun_files){0};
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool copy_bytes(int from, int to)
{
	char part[PART];
	ssize_t length;

	while ((length = read(from, part, sizeof part)) > 0) {
		errno = perun_write_all(to, part, (size_t)length);
		if (errno)
			return false;
	}
	return length == 0;
}

static int copy_file(struct walk *walk, const char *name, int file, const struct stat *facts)
{
	int target, status = PERUN_OK;

	/* A new file: what the version has there may be a link. */
	if (perun_beneath_ensure_parents(walk->target, name, 0777) < 0 ||
	    (perun_beneath_unlink(walk->target, name, 0) < 0 && errno != ENOENT))
		return fail(walk, "cannot write", name);
	target = perun_beneath_open(walk->target, name, O_WRONLY | O_CREAT | O_EXCL,
				    facts->st_mode & 0777);
	if (target < 0 || !copy_bytes(file, target))
		status = fail(walk, "cannot write", name);
	if (target >= 0 && close(target) < 0 && !status)
		status = fail(walk, "cannot write", name);
	return status;
}

int perun_files_copy(struct perun_ctx *ctx, const struct perun_files *files, const char *tree)
{
	struct walk walk = {.ctx = ctx, .visit = copy_file};
	int status;

	if (files->names.count == 0)
		return PERUN_OK;
	walk.target = perun_path_open(tree, O_RDONLY | O_DIRECTORY, 0);
	if (walk.target < 0)
		return fail(&walk, "cannot write", tree);
	status = visit_all(ctx, files, &walk);
	close(walk.target);
	return status;
}

/* ---- what is in them ------------------------------------------------------------------------- */

static int hash_file(struct walk *walk, const char *name, int file, const struct stat *facts)
{
	uint64_t hash = perun_fnv1a(name, strlen(name) + 1, PERUN_FNV1A);
	char part[PART];
	ssize_t length;

	(void)facts;
	while ((length = read(file, part, sizeof part)) > 0)
		hash = perun_fnv1a(part, (size_t)length, hash);
	walk->hash += hash;
	return length < 0 ? fail(walk, "cannot read", name) : PERUN_OK;
}

int perun_files_hash(struct perun_ctx *ctx, const struct perun_files *files, uint64_t *hash)
{
	struct walk walk = {.visit = hash_file};
	int status = files->names.count ? visit_all(ctx, files, &walk) : PERUN_OK;

	*hash = walk.hash;
	return status;
}

/* ---- whether they are there ------------------------------------------------------------------ */

static int accept_file(struct walk *walk, const char *name, int file, const struct stat *facts)
{
	(void)walk;
	(void)name;
	(void)file;
	(void)facts;
	return PERUN_OK;
}

int perun_files_check(struct perun_ctx *ctx, struct perun_store *store, struct perun_vcs *vcs)
{
	struct walk walk = {.visit = accept_file};
	struct perun_files files;
	int status = perun_files_read(ctx, store, vcs, &files);

	if (!status && files.names.count)
		status = visit_all(ctx, &files, &walk);
	perun_files_free(&files);
	return status;
}
