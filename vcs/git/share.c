/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of writers: commits under refs/perun/WRITER, whose trees only grow. Those of a remote are fetched to
 * refs/perun-remotes/REMOTE/WRITER. Each writer moves its own reference forward, so pushes at once do not conflict and
 * none is forced.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "gitvcs.h"

#define OWN    "refs/perun/"
#define REMOTE "refs/perun-remotes/"
/* Larger files of others are refused. */
enum { MAX_FILE = 1 << 30 };

/*
 * Remove the locks that a killed git left on the references of a folder below refs/. No git that lives has one: they are
 * ours, and the host lets nobody else in.
 */
static void unlock_references(struct gitvcs *vcs, const char *folder)
{
	char *path = perun_format("%s/%s", vcs->common_dir, folder);
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);

		if (length > 5 && strcmp(entry->d_name + length - 5, ".lock") == 0)
			(void)unlinkat(dirfd(directory), entry->d_name, 0);
	}
	if (directory)
		closedir(directory);
	perun_free(path);
}

/* ---- adding ----------------------------------------------------------------------------------- */

static int write_commit(FILE *stream, const char *writer, bool first)
{
	static const char message[] = "perun push\n";

	fprintf(stream, "feature done\ncommit " OWN "%s\ncommitter %s <> %lld +0000\ndata %zu\n%s",
		writer, writer, (long long)time(NULL), sizeof message - 1, message);
	if (!first)
		fprintf(stream, "from " OWN "%s^0\n", writer);
	return PERUN_OK;
}

/* What git fast-import takes: all files are in its stream before it begins. */
static int write_stream(struct perun_ctx *ctx, FILE *stream, perun_vcs_next_file *next, void *data)
{
	struct perun_vcs_file file;
	int status;

	while (!(status = next(data, ctx, &file)) && file.path) {
		fprintf(stream, "M 100644 inline %s\ndata %zu\n", file.path, file.size);
		fwrite(file.data, 1, file.size, stream);
		fputc('\n', stream);
	}
	fputs("done\n", stream);
	if (!status && (fflush(stream) != 0 || ferror(stream)))
		status = perun_fail(ctx, PERUN_INPUT, "cannot write a temporary file");
	return status;
}

static bool exists(struct gitvcs *vcs, const char *reference)
{
	git_oid id;

	return git_reference_name_to_id(&id, vcs->repository, reference) == 0;
}

int gitvcs_share_add(void *instance, struct perun_ctx *ctx, const char *writer,
		     perun_vcs_next_file *next, void *data)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS};
	char *reference = perun_format(OWN "%s", writer);
	int status = gitvcs_need_repository(vcs, ctx);
	FILE *stream = status ? NULL : tmpfile();

	if (!status && !stream)
		status = perun_fail(ctx, PERUN_INPUT, "cannot make a temporary file");
	if (!status)
		status = write_commit(stream, writer, !exists(vcs, reference));
	if (!status)
		status = write_stream(ctx, stream, next, data);
	if (!status) {
		unlock_references(vcs, OWN);
		rewind(stream);
		run.input = fileno(stream);
		status = gitvcs_git(vcs, ctx, &run, "fast-import", "--quiet", NULL);
	}
	if (stream)
		fclose(stream);
	gitvcs_run_free(&run);
	perun_free(reference);
	return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* A reference "refs/perun/WRITER" or "refs/perun-remotes/REMOTE/WRITER"; anything else is passed over. */
static int visit_reference(struct perun_ctx *ctx, const char *name, const char *id,
			   perun_vcs_writer_visit *visit, void *data)
{
	const char *slash;
	char *remote;
	int status;

	if (strncmp(name, OWN, strlen(OWN)) == 0)
		return strchr(name + strlen(OWN), '/')
			       ? PERUN_OK
			       : visit(data, ctx, NULL, name + strlen(OWN), id);
	name += strlen(REMOTE);
	slash = strrchr(name, '/');
	if (!slash)
		return PERUN_OK;
	remote = perun_strndup(name, (size_t)(slash - name));
	status = visit(data, ctx, remote, slash + 1, id);
	perun_free(remote);
	return status;
}

static int visit_references(struct gitvcs *vcs, struct perun_ctx *ctx, const char *pattern,
			    perun_vcs_writer_visit *visit, void *data)
{
	git_reference_iterator *iterator;
	git_reference *reference;
	int status = PERUN_OK;

	if (git_reference_iterator_glob_new(&iterator, vcs->repository, pattern) != 0)
		return gitvcs_fail(ctx, PERUN_INPUT, "cannot list references");
	while (!status && git_reference_next(&reference, iterator) == 0) {
		const git_oid *target = git_reference_target(reference);

		if (target)
			status = visit_reference(ctx, git_reference_name(reference),
						 gitvcs_oid_tostr_s(target), visit, data);
		git_reference_free(reference);
	}
	git_reference_iterator_free(iterator);
	return status;
}

int gitvcs_share_writers(void *instance, struct perun_ctx *ctx, perun_vcs_writer_visit *visit,
			 void *data)
{
	struct gitvcs *vcs = instance;
	int status = gitvcs_need_repository(vcs, ctx);

	if (!status)
		status = visit_references(vcs, ctx, OWN "*", visit, data);
	if (!status)
		status = visit_references(vcs, ctx, REMOTE "*", visit, data);
	return status == PERUN_STOP ? PERUN_OK : status;
}

/* The tree of a commit; NULL where it is not there. */
static git_tree *tree_of(struct gitvcs *vcs, const char *state)
{
	git_object *commit = NULL, *tree = NULL;

	if (git_revparse_single(&commit, vcs->repository, state) != 0)
		return NULL;
	if (git_object_peel(&tree, commit, GIT_OBJECT_TREE) != 0)
		tree = NULL;
	git_object_free(commit);
	return (git_tree *)tree;
}

/*
 * Many small files are read by git at once, which takes a fifth of the time that they take one by one; while it reads some those
 * before are visited.
 */
enum { MIN_TOGETHER = 64, MAX_TOGETHER = 1 << 15, MAX_SMALL = 1 << 20 };
#define MAX_TOGETHER_BYTES ((size_t)32 << 20)

struct together {
	struct gitvcs *vcs;
	const git_diff_file *files[MAX_TOGETHER];
	size_t count, bytes;
	struct perun_buffer printed;
	bool asked, answered; /* git was: by the thread, if there is one */
	bool has_thread;
	pthread_t thread;
};

struct reading {
	struct gitvcs *vcs;
	struct perun_ctx *ctx;
	perun_vcs_file_visit *visit;
	void *data;                /* of visit */
	struct together halves[2]; /* one is filled, the other one read */
	size_t filled;
};

static int cannot_read(struct reading *reading, const git_diff_file *added)
{
	return gitvcs_fail(reading->ctx, PERUN_INPUT, "%s cannot be read", added->path);
}

static int visit_one(struct reading *reading, const git_diff_file *added)
{
	struct perun_vcs_file file = {.path = added->path};
	git_odb_object *blob;
	int status;

	if (git_odb_read(&blob, reading->vcs->objects, &added->id) != 0)
		return cannot_read(reading, added);
	file.data = git_odb_object_data(blob);
	file.size = git_odb_object_size(blob);
	status = reading->visit(reading->data, reading->ctx, &file);
	git_odb_object_free(blob);
	return status;
}

/*
 * What git cat-file prints of the files, one after the other; not answered where git cannot be asked. Into a file: git writes each of
 * them apart, and through a pipe we would be woken for each.
 */
static void *ask_git(void *of)
{
	struct together *together = of;
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY | GITVCS_NO_FETCH};
	FILE *names = tmpfile(), *output = tmpfile();
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	bool done = names && output;

	for (size_t i = 0; done && i < together->count; i++) {
		char digits[GIT_OID_HEXSZ + 1];

		git_oid_tostr(digits, sizeof digits, &together->files[i]->id);
		fprintf(names, "%s\n", digits);
	}
	done = done && fflush(names) == 0 && !ferror(names);
	if (done) {
		rewind(names);
		run.input = fileno(names);
		run.output = fileno(output);
		done = gitvcs_git(together->vcs, quiet, &run, "--no-replace-objects", "cat-file",
				  "--batch", "--buffer", NULL) == PERUN_OK &&
		       lseek(run.output, 0, SEEK_SET) == 0 &&
		       perun_read_all(run.output, &together->printed) == 0;
	}
	gitvcs_run_free(&run);
	perun_ctx_free(quiet);
	if (names)
		fclose(names);
	if (output)
		fclose(output);
	together->answered = done;
	return NULL;
}

static void begin_asking(struct together *together)
{
	sigset_t all, before;

	/* Signals are for the threads of the host. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	together->asked = together->count >= MIN_TOGETHER;
	together->has_thread =
		together->asked && pthread_create(&together->thread, NULL, ask_git, together) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (together->asked && !together->has_thread)
		ask_git(together);
}

/* "ID blob SIZE", a newline, the content, a newline; what is anything else is read in the other way. */
static int visit_printed(struct reading *reading, const struct together *together)
{
	const struct perun_buffer *out = &together->printed;
	size_t at = 0;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < together->count; i++) {
		struct perun_vcs_file file = {.path = together->files[i]->path};
		char expected[GIT_OID_HEXSZ + 7], digits[GIT_OID_HEXSZ + 1], *end;
		const char *line = out->data + at;

		git_oid_tostr(digits, sizeof digits, &together->files[i]->id);
		snprintf(expected, sizeof expected, "%s blob ", digits);
		if (at >= out->length || strncmp(line, expected, strlen(expected)) != 0)
			return cannot_read(reading, together->files[i]);
		file.size = strtoull(line + strlen(expected), &end, 10);
		at = (size_t)(end - out->data) + 1;
		if (*end != '\n' || at > out->length || file.size >= out->length - at)
			return cannot_read(reading, together->files[i]);
		file.data = out->data + at;
		at += file.size + 1;
		status = reading->visit(reading->data, reading->ctx, &file);
	}
	return status;
}

/* Visit what was asked for, unless something failed; either way nothing is left of it. */
static int visit_together(struct reading *reading, struct together *together, int status)
{
	if (together->has_thread)
		pthread_join(together->thread, NULL);
	if (!status && together->answered)
		status = visit_printed(reading, together);
	else
		for (size_t i = 0; !status && i < together->count; i++)
			status = visit_one(reading, together->files[i]);
	perun_buffer_free(&together->printed);
	together->asked = together->answered = together->has_thread = false;
	together->count = together->bytes = 0;
	return status;
}

/* Have git read what was filled, and visit what it read before. */
static int turn(struct reading *reading)
{
	begin_asking(&reading->halves[reading->filled]);
	reading->filled = !reading->filled;
	return visit_together(reading, &reading->halves[reading->filled], PERUN_OK);
}

/* All that is left, in order. */
static int finish_reading(struct reading *reading, int status)
{
	if (!status)
		status = turn(reading);
	for (size_t i = 0; i < 2; i++)
		status = visit_together(reading, &reading->halves[(reading->filled + i) % 2],
					status);
	return status;
}

/* The order stays that of paths. */
static int take_file(struct reading *reading, const git_diff_file *added)
{
	struct together *filled = &reading->halves[reading->filled];
	git_object_t type;
	size_t size;
	int status = PERUN_OK;

	if (git_odb_read_header(&size, &type, reading->vcs->objects, &added->id) != 0)
		return cannot_read(reading, added);
	if (type != GIT_OBJECT_BLOB || size > MAX_FILE)
		return PERUN_OK;
	if (size > MAX_SMALL)
		status = finish_reading(reading, PERUN_OK);
	else if (filled->count == MAX_TOGETHER || filled->bytes + size > MAX_TOGETHER_BYTES)
		status = turn(reading);
	if (!status && size > MAX_SMALL)
		return visit_one(reading, added);
	filled = &reading->halves[reading->filled];
	filled->files[filled->count++] = added;
	filled->bytes += size;
	return status;
}

int gitvcs_share_files(void *instance, struct perun_ctx *ctx, const char *since, const char *state,
		       perun_vcs_file_visit *visit, void *data)
{
	struct gitvcs *vcs = instance;
	git_tree *before, *now;
	git_diff *diff = NULL;
	struct reading *reading;
	int status = gitvcs_need_repository(vcs, ctx);

	if (status)
		return status;
	reading = perun_alloc_zero(1, sizeof *reading);
	*reading = (struct reading){.vcs = vcs, .ctx = ctx, .visit = visit, .data = data};
	reading->halves[0].vcs = reading->halves[1].vcs = vcs;
	before = since ? tree_of(vcs, since) : NULL;
	now = tree_of(vcs, state);
	if (!now || git_diff_tree_to_tree(&diff, vcs->repository, before, now, NULL) != 0)
		status = gitvcs_fail(ctx, PERUN_INPUT, "cannot read the shared files %.12s", state);
	for (size_t i = 0; !status && i < git_diff_num_deltas(diff); i++) {
		const git_diff_delta *delta = git_diff_get_delta(diff, i);

		if (delta->status == GIT_DELTA_ADDED || delta->status == GIT_DELTA_MODIFIED)
			status = take_file(reading, &delta->new_file);
	}
	status = finish_reading(reading, status);
	perun_free(reading);
	if (diff)
		git_diff_free(diff);
	if (before)
		git_tree_free(before);
	if (now)
		git_tree_free(now);
	return status == PERUN_STOP ? PERUN_OK : status;
}

/* ---- other repositories ------------------------------------------------------------------------ */

/* Only what the configuration of the repository names: a word must not become an option or an address. */
static int check_remote(struct gitvcs *vcs, struct perun_ctx *ctx, const char *remote)
{
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY | GITVCS_MAY_FAIL};
	char *key = perun_format("remote.%s.url", remote);
	int status = gitvcs_need_repository(vcs, ctx);

	if (!status && (*remote == '-' || !*remote))
		status =
			perun_fail(ctx, PERUN_USAGE, "'%s' cannot be the name of a remote", remote);
	if (!status)
		status = gitvcs_git(vcs, ctx, &run, "config", "--get", key, NULL);
	if (!status && run.code)
		status = perun_fail(ctx, PERUN_USAGE,
				    "there is no remote '%s'; git remote add makes one", remote);
	gitvcs_run_free(&run);
	perun_free(key);
	return status;
}

/* Whether there are references that begin so. */
static bool exist(struct gitvcs *vcs, const char *pattern)
{
	git_reference_iterator *iterator;
	git_reference *reference = NULL;
	bool any;

	if (git_reference_iterator_glob_new(&iterator, vcs->repository, pattern) != 0)
		return false;
	any = git_reference_next(&reference, iterator) == 0;
	if (any)
		git_reference_free(reference);
	git_reference_iterator_free(iterator);
	return any;
}

int gitvcs_share_push(void *instance, struct perun_ctx *ctx, const char *remote, const char *writer)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS};
	char *own = perun_format(OWN "%s", writer), *all = perun_format("%s-*", own);
	char *plain = perun_format("%s:%s", own, own), *pattern = perun_format("%s:%s", all, all);
	const char *words[8] = {"push", "--quiet", "--no-follow-tags", "--recurse-submodules=no",
				remote};
	size_t count = 5;
	int status = check_remote(vcs, ctx, remote);

	if (!status && exists(vcs, own))
		words[count++] = plain;
	if (!status && exist(vcs, all))
		words[count++] = pattern;
	if (!status && count > 5)
		status = gitvcs_git_argv(vcs, ctx, &run, words);
	gitvcs_run_free(&run);
	perun_free(own);
	perun_free(all);
	perun_free(plain);
	perun_free(pattern);
	return status;
}

/* Fetch what the stream says, a line each. */
static int fetch_references(struct gitvcs *vcs, struct perun_ctx *ctx, const char *remote,
			    FILE *stream)
{
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS};
	char *folder = perun_format(REMOTE "%s", remote);
	int status = PERUN_OK;

	if (fflush(stream) != 0 || ferror(stream))
		status = perun_fail(ctx, PERUN_INPUT, "cannot write a temporary file");
	unlock_references(vcs, folder);
	rewind(stream);
	run.input = fileno(stream);
	if (!status)
		status = gitvcs_git(vcs, ctx, &run, "fetch", "--quiet", "--no-tags", "--no-prune",
				    "--no-write-fetch-head", "--no-recurse-submodules",
				    "--no-auto-gc", "--refmap=", "--stdin", remote, NULL);
	gitvcs_run_free(&run);
	perun_free(folder);
	return status;
}

/* With force: a writer who moves a reference of his own back must not keep all others from fetching. */
int gitvcs_share_fetch_some(void *instance, struct perun_ctx *ctx, const char *remote,
			    const char *const *writers)
{
	struct gitvcs *vcs = instance;
	int status = check_remote(vcs, ctx, remote);
	FILE *stream = status ? NULL : tmpfile();

	if (!status && !stream)
		status = perun_fail(ctx, PERUN_INPUT, "cannot make a temporary file");
	for (size_t i = 0; !status && writers[i]; i++)
		fprintf(stream, "+" OWN "%s:" REMOTE "%s/%s\n", writers[i], remote, writers[i]);
	/* Without any, git would fetch branches. */
	if (!status && writers[0])
		status = fetch_references(vcs, ctx, remote, stream);
	if (stream)
		fclose(stream);
	return status;
}

int gitvcs_share_fetch(void *instance, struct perun_ctx *ctx, const char *remote)
{
	static const char *const all[] = {"*", NULL};

	return gitvcs_share_fetch_some(instance, ctx, remote, all);
}

int gitvcs_share_list(void *instance, struct perun_ctx *ctx, const char *remote,
		      perun_vcs_writer_visit *visit, void *data)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY};
	char *rest, *line;
	int status = check_remote(vcs, ctx, remote);

	if (!status)
		status = gitvcs_git(vcs, ctx, &run, "ls-remote", "--quiet", "--refs", remote,
				    OWN "*", NULL);
	for (rest = run.out.data; !status && rest && (line = strsep(&rest, "\n"));) {
		char *name = strchr(line, '\t');

		if (!name || strncmp(name + 1, OWN, strlen(OWN)) != 0)
			continue;
		*name = '\0';
		status = visit(data, ctx, remote, name + 1 + strlen(OWN), line);
	}
	gitvcs_run_free(&run);
	return status == PERUN_STOP ? PERUN_OK : status;
}

/* Our own becomes known before it goes: killed in between, it is neither lost nor sent again. */
int gitvcs_share_drop(void *instance, struct perun_ctx *ctx, const char *remote, const char *writer)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS};
	char *own = perun_format(OWN "%s", writer), *removal = perun_format(":%s", own);
	char *known = perun_format(REMOTE "%s/%s", remote, writer);
	char *folder = perun_format(REMOTE "%s", remote);
	int status = check_remote(vcs, ctx, remote);

	if (!status && exists(vcs, own)) {
		unlock_references(vcs, OWN);
		unlock_references(vcs, folder);
		status = gitvcs_git(vcs, ctx, &run, "update-ref", known, own, NULL);
		if (!status)
			status = gitvcs_git(vcs, ctx, &run, "update-ref", "-d", own, NULL);
	}
	if (!status)
		status = gitvcs_git(vcs, ctx, &run, "push", "--quiet", "--no-follow-tags",
				    "--recurse-submodules=no", remote, removal, NULL);
	gitvcs_run_free(&run);
	perun_free(own);
	perun_free(removal);
	perun_free(known);
	perun_free(folder);
	return status;
}

int gitvcs_walk_remotes(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
			void *data)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY};
	int status = gitvcs_need_repository(vcs, ctx);

	if (!status)
		status = gitvcs_git(vcs, ctx, &run, "remote", NULL);
	for (char *name = run.out.data, *end; !status && name && *name; name = end) {
		const struct perun_major_version remote = {.name = name};

		end = name + strcspn(name, "\n");
		if (*end)
			*end++ = '\0';
		status = visit(data, &remote);
	}
	gitvcs_run_free(&run);
	return status == PERUN_STOP ? PERUN_OK : status;
}
