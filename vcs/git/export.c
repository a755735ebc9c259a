/* SPDX-License-Identifier: BSD-3-Clause */
/* Other versions in work trees of their own, which no one but us knows of and which do not stay. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "gitvcs.h"

/*
 * A work tree of git's own, so that filters, large files and attributes are as they should be. Hooks
 * of the user's do not run: they belong to the work that goes on in the user's work tree.
 * GIT_COMMON_DIR/perun-exports holds a file for each, with its directory's path, locked while its run
 * lives: one without a lock was left by a killed run, and the next run removes what it names. The repository
 * may be another's work, though: only what the user's own record of the same name says, too, is removed.
 * What git keeps of the work tree is moved there, too (.NAME of the file NAME), before it is filled: `git
 * worktree` does not list it, whatever becomes of the run.
 */
#define EXPORT_HEAD "perun-export 1\n"

struct gitvcs_export {
	struct gitvcs_export *next;
	char *name;      /* as the host calls it */
	char *directory; /* the same without links, as git calls it */
	char *journal;
	int lock;
};

/* The path with the links of its existing part resolved; git compares paths as texts. */
static char *without_links(const char *path)
{
	char *head = perun_strdup(path), *slash, *real = NULL, *result;

	while (!(real = realpath(head, NULL)) && (slash = strrchr(head, '/')) && slash > head)
		*slash = '\0';
	result = real ? perun_format("%s%s", strcmp(real, "/") ? real : "", path + strlen(head))
		      : perun_strdup(path);
	free(real);
	perun_free(head);
	return result;
}

/* The user's own record of an export; NULL without a home. The caller frees it. */
static char *record_path(const char *journal)
{
	char *directory = perun_state_directory("exports"), *path = NULL;

	if (directory)
		path = perun_format("%s/%s", directory, perun_path_base_name(journal));
	perun_free(directory);
	return path;
}

enum { OLD_SECONDS = 24 * 3600 };

/* Remove records of exports that are gone: their repository was removed with its journals. */
static void remove_stale_records(void)
{
	char *folder = perun_state_directory("exports");
	DIR *stream = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *path = perun_format("%s/%s", folder, entry->d_name);
		struct perun_buffer content = {0};
		struct stat info;
		bool found = false;

		/* One that is young may be of an export that is about to be made. */
		if (lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
		    info.st_mtime < time(NULL) - OLD_SECONDS &&
		    gitvcs_file_read(NULL, path, &content, &found) == PERUN_OK && found &&
		    content.length && lstat(content.data, &info) != 0 && errno == ENOENT)
			unlink(path);
		perun_buffer_free(&content);
		perun_free(path);
	}
	if (stream)
		closedir(stream);
	perun_free(folder);
}

/* Without it a killed run's directory stays, which does not keep it from running. */
static void make_record(const struct gitvcs_export *export)
{
	char *path = record_path(export->journal);
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	ssize_t length = (ssize_t)strlen(export->directory);

	remove_stale_records();
	if (fd >= 0 && write(fd, export->directory, (size_t)length) != length)
		unlink(path);
	if (fd >= 0)
		close(fd);
	perun_free(path);
}

static bool is_recorded(const char *journal, const char *directory)
{
	char *path = record_path(journal);
	struct perun_buffer content = {0};
	bool found = false, same;

	same = path && gitvcs_file_read(NULL, path, &content, &found) == PERUN_OK && found &&
	       !strcmp(content.data, directory);
	perun_buffer_free(&content);
	perun_free(path);
	return same;
}

static void remove_record(const char *journal)
{
	char *path = record_path(journal);

	if (path)
		unlink(path);
	perun_free(path);
}

static void export_free(struct gitvcs_export *export)
{
	if (export->lock >= 0)
		close(export->lock);
	perun_free(export->name);
	perun_free(export->directory);
	perun_free(export->journal);
	perun_free(export);
}

/* Make and lock a journal file of a new name. */
static int make_journal(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_export *export)
{
	char *folder = perun_format("%s/perun-exports", vcs->common_dir);
	char *text = perun_format(EXPORT_HEAD "%s\n", export->directory);
	int status = PERUN_OK;
	struct stat info;
	bool busy = true;

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", folder);
	else if (lstat(folder, &info) < 0 || !S_ISDIR(info.st_mode))
		status = perun_fail(ctx, PERUN_INPUT, "%s is not a directory", folder);
	while (status == PERUN_OK && busy) {
		uint64_t name = 0;

		if (getrandom(&name, sizeof(name), 0) < 0)
			name = (uint64_t)getpid();
		perun_free(export->journal);
		export->journal = perun_format("%s/%016llx", folder, (unsigned long long)name);
		status = gitvcs_lock(ctx, export->journal, &export->lock, &busy);
	}
	if (status == PERUN_OK)
		make_record(export);
	if (status == PERUN_OK &&
	    (write(export->lock, text, strlen(text)) != (ssize_t)strlen(text) ||
	     fsync(export->lock) < 0))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s",
					  export->journal);
	perun_free(folder);
	perun_free(text);
	return status;
}

/* Where what git keeps of an export lies. The caller frees it. */
static char *hidden_place(const char *journal)
{
	const char *name = perun_path_base_name(journal);

	return perun_format("%.*s.%s", (int)(name - journal), journal, name);
}

/* Where git made it: what is in the work tree's file .git. NULL = not there. The caller frees it. */
static char *listed_place(const char *directory)
{
	char *path = perun_format("%s/.git", directory), *place = NULL;
	struct perun_buffer content = {0};
	bool found;

	if (gitvcs_file_read(NULL, path, &content, &found) == PERUN_OK && found &&
	    !strncmp(content.data, "gitdir: ", 8)) {
		content.data[strcspn(content.data, "\n")] = '\0';
		place = content.data[8] == '/' ? perun_strdup(content.data + 8)
					       : perun_format("%s/%s", directory, content.data + 8);
	}
	perun_free(path);
	perun_buffer_free(&content);
	return place;
}

/* Move what git keeps to a place of the same depth, so that its own paths hold, and name that. */
static int hide(struct perun_ctx *ctx, const struct gitvcs_export *export)
{
	char *from = listed_place(export->directory), *to = hidden_place(export->journal);
	char *path = perun_format("%s/.git", export->directory);
	char *text = perun_format("gitdir: %s\n", to);
	int status = PERUN_OK;

	if (!from || rename(from, to) < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, from ? errno : ENOENT,
					  "cannot make the work tree %s", export->directory);
	if (status == PERUN_OK)
		status = gitvcs_file_write(ctx, path, text, strlen(text));
	perun_free(from);
	perun_free(to);
	perun_free(path);
	perun_free(text);
	return status;
}

/* Whether `directory` is a linked work tree of this repository (its .git file says so). */
static bool is_linked(const struct gitvcs *vcs, const char *directory)
{
	char *path = listed_place(directory), *wanted = realpath(vcs->common_dir, NULL), *real,
	     *slash;
	bool linked = false;

	if (wanted && path) {
		/* GIT_COMMON_DIR/worktrees/NAME, even when NAME is gone */
		for (int i = 0; i < 2 && (slash = strrchr(path, '/')); i++)
			*slash = '\0';
		real = realpath(path, NULL);
		linked = real && !strcmp(real, wanted);
		free(real);
	}
	free(wanted);
	perun_free(path);
	return linked;
}

/* Remove what git keeps of an export, where it was hidden, and the journal. */
static int remove_hidden(struct perun_ctx *ctx, const char *journal)
{
	char *hidden = hidden_place(journal);
	int status = gitvcs_tree_remove(ctx, hidden);

	perun_free(hidden);
	if (status == PERUN_OK) {
		remove_record(journal);
		status = gitvcs_file_remove(ctx, journal);
	}
	return status;
}

/* Remove the directory, what git knows of it, and the journal, in this order. */
static int remove_parts(struct gitvcs *vcs, struct perun_ctx *ctx, const char *directory,
			const char *journal)
{
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS | GITVCS_MAY_FAIL};
	char *hidden = hidden_place(journal);
	int status = PERUN_OK;

	if (is_linked(vcs, directory))
		status = gitvcs_tree_remove(ctx, directory);
	else
		rmdir(directory); /* made, but not filled; anything else is not ours */
	/* Killed before it was hidden; fails when git does not know it. */
	if (status == PERUN_OK && access(hidden, F_OK) != 0)
		status = gitvcs_git(vcs, ctx, &run, "worktree", "remove", "--force", "--force",
				    directory, NULL);
	gitvcs_run_free(&run);
	perun_free(hidden);
	return status == PERUN_OK ? remove_hidden(ctx, journal) : status;
}

static bool is_gone(const char *directory)
{
	struct stat info;

	return lstat(directory, &info) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* A journal of a killed run: undo what it names. Counts those in `*removed`. */
static int prune_one(struct gitvcs *vcs, struct perun_ctx *ctx, const char *journal,
		     size_t *removed)
{
	struct perun_buffer content = {0};
	const size_t head = strlen(EXPORT_HEAD);
	size_t begun;
	int lock, status;
	bool busy, found;

	status = gitvcs_lock(ctx, journal, &lock, &busy);
	if (status != PERUN_OK || busy)
		return status;
	status = gitvcs_file_read(ctx, journal, &content, &found);
	begun = content.length < head ? content.length : head;
	if (status != PERUN_OK || memcmp(content.data, EXPORT_HEAD, begun) != 0) {
		/* Not a journal: it stays. */
	} else if (content.length > head + 1 && content.data[head] == '/' &&
		   content.data[content.length - 1] == '\n') {
		content.data[content.length - 1] = '\0';
		/* Without the user's own record nothing but the journal is known to be ours. */
		if (is_recorded(journal, content.data + head)) {
			status = remove_parts(vcs, ctx, content.data + head, journal);
			*removed += status == PERUN_OK;
		} else if (is_gone(content.data + head)) {
			status = remove_hidden(ctx, journal);
		}
	} else { /* not written to the end: nothing had been made */
		remove_record(journal);
		status = gitvcs_file_remove(ctx, journal);
	}
	perun_buffer_free(&content);
	close(lock);
	return status;
}

/* 16 digits; a file of its own and not another name for somebody's. */
static bool is_journal(int folder, const char *name)
{
	struct stat info;

	return strlen(name) == 16 && name[strspn(name, "0123456789abcdef")] == '\0' &&
	       !fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) && S_ISREG(info.st_mode) &&
	       info.st_nlink == 1;
}

int gitvcs_prune_exports(struct gitvcs *vcs, struct perun_ctx *ctx, size_t *removed)
{
	char *folder = perun_format("%s/perun-exports", vcs->common_dir);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), status = PERUN_OK;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*removed = 0;
	while (stream && status == PERUN_OK && (entry = readdir(stream))) {
		char *path = perun_format("%s/%s", folder, entry->d_name);

		if (is_journal(fd, entry->d_name))
			status = prune_one(vcs, ctx, path, removed);
		perun_free(path);
	}
	if (stream)
		closedir(stream);
	perun_free(folder);
	return status;
}

int gitvcs_export_version(void *instance, struct perun_ctx *ctx, const char *checksum,
			  const char *directory)
{
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS};
	struct gitvcs *vcs = instance;
	struct gitvcs_export *export;
	char hex[GIT_OID_HEXSZ + 1];
	struct stat info;
	size_t removed;
	git_oid id;
	int status = gitvcs_resolve(vcs, ctx, checksum, &id);

	if (status != PERUN_OK)
		return status;
	if (directory[0] != '/' || strchr(directory, '\n'))
		return perun_fail(ctx, PERUN_USAGE, "%s: expected an absolute path", directory);
	if (!lstat(directory, &info) || errno != ENOENT)
		return perun_fail(ctx, PERUN_INPUT, "%s is there already", directory);
	status = gitvcs_prune_exports(vcs, ctx, &removed);
	if (status != PERUN_OK)
		return status;
	export = perun_alloc_zero(1, sizeof(*export));
	export->name = perun_strdup(directory);
	export->directory = without_links(directory);
	export->lock = -1;
	status = make_journal(vcs, ctx, export);
	export->next = vcs->exports;
	vcs->exports = export;
	git_oid_tostr(hex, sizeof(hex), &id);
	if (status == PERUN_OK)
		status = gitvcs_git(vcs, ctx, &run, "-c", "core.fsmonitor=false", "worktree", "add",
				    "--quiet", "--detach", "--no-checkout", export->directory, hex,
				    NULL);
	if (status == PERUN_OK)
		status = hide(ctx, export);
	run.directory = export->directory;
	run.flags |= GITVCS_PLAIN_PLACE;
	if (status == PERUN_OK)
		status = gitvcs_git(vcs, ctx, &run, "-c", "core.fsmonitor=false", "reset", "--hard",
				    "--quiet", "--no-recurse-submodules", NULL);
	gitvcs_run_free(&run);
	if (status == PERUN_OK)
		status = gitvcs_fill_submodules(vcs, ctx, vcs->common_dir, directory, 0);
	if (status != PERUN_OK)
		gitvcs_remove_export(vcs, NULL, directory);
	return status;
}

/* The export of a directory; `*link` refers to it. */
static int find_export(struct gitvcs *vcs, struct perun_ctx *ctx, const char *directory,
		       struct gitvcs_export ***link)
{
	int status = gitvcs_need_repository(vcs, ctx);

	*link = &vcs->exports;
	while (!status && **link && strcmp((**link)->name, directory) != 0)
		*link = &(**link)->next;
	if (!status && !**link)
		status = perun_fail(ctx, PERUN_USAGE, "%s was not exported by this run", directory);
	return status;
}

/* Of a file that need not be there. */
static int copy_file(struct perun_ctx *ctx, const char *from, const char *to, const char *name)
{
	char *source = perun_format("%s/%s", from, name), *copy = perun_format("%s/%s", to, name);
	struct perun_buffer content = {0};
	bool found = false;
	int status = PERUN_OK;

	if (rename(source, copy) < 0)
		status = gitvcs_file_read(ctx, source, &content, &found);
	if (!status && found)
		status = gitvcs_file_write(ctx, copy, content.data, content.length);
	perun_buffer_free(&content);
	perun_free(source);
	perun_free(copy);
	return status;
}

/*
 * What git needs to know there which version it is, in `own`: a work tree with the objects and references of this repository,
 * which does not list it.
 */
static int make_own(const struct gitvcs *vcs, struct perun_ctx *ctx,
		    const struct gitvcs_export *export, const char *own)
{
	static const char *const files[] = {"HEAD", "index", "config.worktree"};
	char *hidden = hidden_place(export->journal), *real = realpath(vcs->common_dir, NULL);
	char *common = perun_format("%s/commondir", own),
	     *text = perun_format("%s\n", real ? real : "");
	int status = real && mkdir(own, 0777) == 0
			     ? gitvcs_file_write(ctx, common, text, strlen(text))
			     : perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", own);

	for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++)
		status = copy_file(ctx, hidden, own, files[i]);
	free(real);
	perun_free(hidden);
	perun_free(common);
	perun_free(text);
	return status;
}

/* The user's record goes last: without it a journal whose directory is there counts as somebody else's. */
static int forget_kept(struct perun_ctx *ctx, const char *journal)
{
	char *hidden = hidden_place(journal);
	int status = gitvcs_tree_remove(ctx, hidden);

	if (status == PERUN_OK)
		status = gitvcs_file_remove(ctx, journal);
	if (status == PERUN_OK)
		remove_record(journal);
	perun_free(hidden);
	return status;
}

/* Killed in between, the files are what nobody finished, and the next run forgets the journal. */
int gitvcs_keep_export(void *instance, struct perun_ctx *ctx, const char *directory)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_export **link, *export;
	char *place, *own;
	int status = find_export(vcs, ctx, directory, &link);

	if (status != PERUN_OK)
		return status;
	export = *link;
	place = perun_format("%s/.git", export->directory);
	own = perun_format("%s/.git-perun", export->directory);
	status = make_own(vcs, ctx, export, own);
	if (!status && (unlink(place) < 0 || rename(own, place) < 0))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", place);
	if (!status)
		status = forget_kept(ctx, export->journal);
	perun_free(place);
	perun_free(own);
	if (status != PERUN_OK)
		return status;
	*link = export->next;
	export_free(export);
	return PERUN_OK;
}

int gitvcs_remove_export(void *instance, struct perun_ctx *ctx, const char *directory)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_export **link, *export;
	int status = find_export(vcs, ctx, directory, &link);

	if (status != PERUN_OK)
		return status;
	export = *link;
	*link = export->next;
	if (export->lock >= 0)
		status = remove_parts(vcs, ctx, export->directory, export->journal);
	export_free(export);
	return status;
}

void gitvcs_drop_exports(struct gitvcs *vcs)
{
	while (vcs->exports) {
		struct gitvcs_export *export = vcs->exports;

		vcs->exports = export->next;
		if (export->lock >= 0)
			remove_parts(vcs, NULL, export->directory, export->journal);
		export_free(export);
	}
}
