/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions that are built once for all cells of all runs. */
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

#include <perun/format.h>
#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/path/write.h"
#include "core/run/builds.h"

/*
 * BUILDS/VERSION-HASH: `source` (the files as they were checked out), `tree` (what is built of them), `log`, and then `complete`
 * or `failed`, a text. `tree` is made from `source` whenever it is begun, so that what a killed build left does no harm; what is
 * built may contain its own path, so it is built where it stays. Locks are not needed for that: of two builds at once
 * the second one waits where the file system has locks, and a scheduler starts one of them.
 *
 * Who measures the cells itself builds here as well. What only such runs named has a file `used`: of these the latest are kept, and
 * programs run in a copy, which they may write into (here-version.c).
 */

char *cells_build_path(const struct perun_run_cells *cells, size_t at)
{
	return perun_format("%s/%s-%s", cells->builds, cells->versions.items[at], cells->hash);
}

static bool is_there(const char *base, const char *name)
{
	char *path = perun_format("%s/%s", base, name);
	struct stat facts;
	bool there = perun_path_stat(path, &facts) == 0;

	perun_free(path);
	return there;
}

static void remove_in(const char *base, const char *name)
{
	char *path = perun_format("%s/%s", base, name);

	perun_path_remove_tree(path);
	perun_free(path);
}

static int note(struct perun_ctx *ctx, const char *base, const char *name, const char *reason)
{
	char *path = perun_format("%s/%s", base, name);
	struct perun_json *fact = perun_json_object();
	int status;

	if (reason)
		perun_json_set(fact, "reason", perun_json_text(reason));
	status = cells_write(ctx, path, fact);
	perun_json_free(fact);
	perun_free(path);
	return status;
}

enum cells_build cells_build_state(const struct perun_run_cells *cells, size_t at, char **reason)
{
	char *base = cells->builds ? cells_build_path(cells, at) : NULL, *path;
	enum cells_build state = CELLS_UNBUILT;
	struct perun_ctx *quiet;
	struct perun_json *fact = NULL;

	if (!base || is_there(base, "complete"))
		state = CELLS_BUILT;
	else if (is_there(base, "failed"))
		state = CELLS_BUILD_FAILED;
	if (reason)
		*reason = NULL;
	if (reason && state == CELLS_BUILD_FAILED) {
		quiet = perun_ctx_new(NULL);
		path = perun_format("%s/failed", base);
		if (cells_read(quiet, path, 1 << 20, &fact))
			fact = NULL;
		*reason = perun_printable(perun_json_get_text(fact, "reason"));
		perun_json_free(fact);
		perun_free(path);
		perun_ctx_free(quiet);
	}
	perun_free(base);
	return state;
}

/* ---- where the run is planned -------------------------------------------------------------------- */

/* It is an executor's from now on, and is not removed for lack of room. */
static int claim(struct perun_ctx *ctx, const char *base)
{
	int lock = -1, status;

	if (!is_there(base, CELLS_USED))
		return PERUN_OK;
	status = cells_lock(ctx, base, "lock", &lock);
	if (!status)
		remove_in(base, CELLS_USED);
	if (lock >= 0)
		close(lock);
	/* It may have been removed while we waited. */
	return status ? status : path_make_directories(ctx, base);
}

/* What cannot be checked out fails its cells as what cannot be built. */
static int prepare_version(struct perun_ctx *ctx, struct perun_builds *builds,
			   const struct perun_run_cells *cells, size_t at, bool again)
{
	char *base = cells_build_path(cells, at);
	int lock = -1, status;

	status = path_make_directories(ctx, base);
	if (!status && !cells->inlined)
		status = claim(ctx, base);
	if (!status && again)
		remove_in(base, "failed");
	if (!status && !is_there(base, "complete") && !is_there(base, "source") &&
	    !is_there(base, "failed"))
		status = cells_lock(ctx, base, "lock", &lock);
	if (!status && lock >= 0 && !is_there(base, "complete") && !is_there(base, "source")) {
		status = perun_builds_export(ctx, builds, cells->versions.items[at], base,
					     "source.new");
		if (!status) {
			char *from = perun_format("%s/source.new", base);
			char *to = perun_format("%s/source", base);

			if (perun_path_rename(from, to) < 0)
				status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s",
							  to);
			perun_free(from);
			perun_free(to);
		}
	}
	if (lock >= 0)
		close(lock);
	perun_free(base);
	return status;
}

int cells_builds_prepare(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_run_cells *cells, bool again)
{
	struct perun_builds *builds;
	int status;

	if (!cells->builds)
		return PERUN_OK;
	status = perun_builds_new(ctx, store, NULL, &builds);
	for (size_t i = 0; !status && i < cells->versions.count; i++) {
		perun_progress(ctx, "versions", i, cells->versions.count);
		status = prepare_version(ctx, builds, cells, i, again);
		if (!status && perun_cancelled(ctx))
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		if (status)
			perun_fail(ctx, PERUN_OK, "version %.8s", cells->versions.items[i]);
	}
	perun_progress(ctx, "versions", cells->versions.count, cells->versions.count);
	perun_builds_free(builds);
	return status;
}

int perun_run_cells_prepare(struct perun_ctx *ctx, struct perun_store *store,
			    const struct perun_run_cells *cells)
{
	return cells_builds_prepare(ctx, store, cells, false);
}

/* ---- where it is built -------------------------------------------------------------------------- */

/* No one writes into what was built: its cells are measured at once, and those to come find it as it is. */
static void make_read_only(int parent, const char *name)
{
	int file = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat facts;
	DIR *stream;
	struct dirent *entry;

	if (file < 0)
		return;
	if (fstat(file, &facts) != 0 || (!S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode))) {
		close(file);
		return;
	}
	stream = S_ISDIR(facts.st_mode) ? fdopendir(dup(file)) : NULL;
	while (stream && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			make_read_only(file, entry->d_name);
	if (stream)
		closedir(stream);
	if (fchmod(file, facts.st_mode & 07555) != 0)
		errno = 0; /* somebody else's: as it is */
	close(file);
}

static int run_in(struct perun_ctx *ctx, struct perun_preparation place, const char *directory,
		  const struct perun_words *commands)
{
	bool failed;

	place.directory = directory;
	return perun_prepare(ctx, commands, &place, &failed);
}

/*
 * Begin `tree` from `source`. Who can export the files again, should the build be killed, and knows that no other machine is to build
 * them, needs no copy.
 */
static int begin_tree(struct perun_ctx *ctx, const struct perun_preparation *place,
		      const char *base, bool movable)
{
	const char copy[] = "cp -a source tree";
	char *from = perun_format("%s/source", base), *to = perun_format("%s/tree", base);
	struct perun_words copying = {0};
	int status = PERUN_OK;

	remove_in(base, "tree");
	perun_words_add(&copying, copy, strlen(copy));
	if (!movable || perun_path_rename(from, to) < 0)
		status = run_in(ctx, *place, base, &copying);
	perun_words_free(&copying);
	perun_free(from);
	perun_free(to);
	return status;
}

/* Make `tree` of `source`. `by`: of who measures it itself, where output is and who is informed; or NULL. */
static int run_commands(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t at,
			const char *base, const struct perun_preparation *by)
{
	char *path = perun_format("%s/log", base), *tree = perun_format("%s/tree", base);
	struct perun_preparation place = {.version = cells->versions.items[at],
					  .log_path = by ? by->log_path : path};
	struct perun_words commands = {0};
	int status;

	perun_path_unlink(path);
	place.log = perun_path_open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666);
	cells_texts(perun_json_get(cells->document, "build"), "commands", &commands);
	status = begin_tree(ctx, &place, base, by && is_there(base, CELLS_USED));
	if (by)
		place.listener = by->listener;
	if (!status) {
		status = run_in(ctx, place, tree, &commands);
		if (by && status == PERUN_INPUT)
			perun_fail(ctx, PERUN_OK, "execute.pre_run");
	}
	if (place.log >= 0)
		close(place.log);
	perun_words_free(&commands);
	perun_free(path);
	perun_free(tree);
	return status;
}

static int build(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t at,
		 const char *base, const struct perun_preparation *by)
{
	int status = is_there(base, "source")
			     ? run_commands(ctx, cells, at, base, by)
			     : perun_fail(ctx, PERUN_INPUT, "%s/source is not there", base);
	int parent = status ? -1 : open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (parent >= 0) {
		make_read_only(parent, "tree");
		close(parent);
	}
	if (!status)
		status = note(ctx, base, "complete", NULL);
	if (!status)
		remove_in(base, "source");
	/* An interruption is not a failure of the version. */
	if (status && status != PERUN_CANCELLED && !perun_cancelled(ctx)) {
		struct perun_ctx *quiet = perun_ctx_new(NULL);

		note(quiet, base, "failed", perun_ctx_error(ctx));
		perun_ctx_free(quiet);
	}
	return status;
}

int perun_run_cells_build(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t at)
{
	char *base;
	int lock, status;

	if (at >= cells->versions.count || !cells->builds)
		return perun_fail(ctx, PERUN_USAGE, "the run has no version %zu to build", at);
	base = cells_build_path(cells, at);
	status = cells_lock(ctx, base, "lock", &lock);
	if (!status && !is_there(base, "complete"))
		status = build(ctx, cells, at, base, NULL);
	if (status)
		perun_fail(ctx, PERUN_OK, "cannot build version %.8s", cells->versions.items[at]);
	if (lock >= 0)
		close(lock);
	perun_free(base);
	return status;
}

/* ---- for who measures it himself ----------------------------------------------------------------- */

bool cells_build_has_commands(const struct perun_run_cells *cells)
{
	const struct perun_json *build = perun_json_get(cells->document, "build");

	return perun_json_count(perun_json_get(build, "commands")) > 0;
}

/* Make its directory, or use what is there; only what no executor's run was planned with has the file that says so. */
static int begin_use(struct perun_ctx *ctx, const char *builds, const char *base, int *use)
{
	char *path = perun_format("%s/" CELLS_USED, base);
	const struct timespec pause = {.tv_nsec = 50000000};
	int status = path_make_directories(ctx, builds);

	*use = -1;
	while (!status) {
		bool made = perun_path_make_directory(base, 0777) == 0;

		if (!made && errno != EEXIST) {
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", base);
			break;
		}
		*use = perun_path_open_locked(path, made ? O_CREAT : 0, LOCK_SH);
		if (*use >= 0 || errno != EWOULDBLOCK)
			break;
		/* It is being removed. */
		nanosleep(&pause, NULL);
		if (perun_cancelled(ctx))
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	}
	if (*use >= 0 && futimens(*use, NULL) != 0)
		errno = 0; /* as old as it is */
	perun_free(path);
	return status;
}

/* The log of the build is a part of that of the run. */
static void copy_log(const char *base, int log)
{
	char *path = perun_format("%s/log", base), part[65536];
	int file = perun_path_open(path, O_RDONLY | O_NONBLOCK, 0);
	ssize_t length;

	while (file >= 0 && log >= 0 && (length = read(file, part, sizeof part)) > 0)
		if (perun_write_all(log, part, (size_t)length) != 0)
			break;
	if (file >= 0)
		close(file);
	perun_free(path);
}

/* Whoever tries it next begins from the start; an executor's cells want to know why it failed. */
static void drop_failed(const char *base)
{
	static const char *const parts[] = {"failed", "source", "tree"};

	for (size_t i = 0; is_there(base, CELLS_USED) && i < sizeof parts / sizeof *parts; i++)
		remove_in(base, parts[i]);
}

static int build_inline(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_run_cells *cells, size_t at, const char *base,
			const struct perun_preparation *place)
{
	struct perun_builds *builds;
	int lock = -1, status = perun_builds_new(ctx, store, NULL, &builds);

	if (!status)
		status = prepare_version(ctx, builds, cells, at, true);
	if (!status)
		status = cells_lock(ctx, base, "lock", &lock);
	if (!status && !is_there(base, "complete")) {
		status = build(ctx, cells, at, base, place);
		if (status == PERUN_INPUT && !perun_cancelled(ctx))
			drop_failed(base);
	}
	if (lock >= 0)
		close(lock);
	perun_builds_free(builds);
	return status;
}

int cells_build_inline(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_run_cells *cells, size_t at,
		       const struct perun_preparation *place, int *use)
{
	char *base = cells_build_path(cells, at);
	int status = begin_use(ctx, cells->builds, base, use);
	bool built = !status && is_there(base, "complete");

	if (!status && !built)
		status = build_inline(ctx, store, cells, at, base, place);
	if (built && place->log >= 0)
		dprintf(place->log, "perun: built before, in %s\n", base);
	copy_log(base, place->log);
	if (!status && !built)
		cells_tidy_builds(cells->builds, base);
	if (status && *use >= 0) {
		close(*use);
		*use = -1;
	}
	perun_free(base);
	return status;
}
