/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as they are with some of the changes of a commit. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "core/hash/hash.h"
#include "core/dissect/changes.h"

/* A file as it is, or as it is to be. */
struct content {
	bool there, link;
	mode_t mode;
	struct perun_buffer bytes; /* or the target of the link */
};

/* ---- reading --------------------------------------------------------------------------------- */

static int read_link(int root, const char *path, struct perun_buffer *bytes)
{
	const char *name;
	int parent = perun_beneath_parent(root, path, &name);
	char target[4096];
	ssize_t length = parent < 0 ? -1 : readlinkat(parent, name, target, sizeof target);

	if (parent >= 0)
		perun_beneath_leave(root, parent);
	if (length < 0)
		return -1;
	perun_buffer_add(bytes, target, (size_t)length);
	return 0;
}

/* What is at a path; nothing there is fine. */
static int read_content(struct perun_ctx *ctx, int root, const char *path, struct content *content)
{
	struct stat facts;
	int file, error;

	*content = (struct content){0};
	if (perun_beneath_stat(root, path, &facts) < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? PERUN_OK
			       : perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
	content->there = true;
	content->link = S_ISLNK(facts.st_mode);
	content->mode = facts.st_mode & 0777;
	if (content->link) {
		error = read_link(root, path, &content->bytes) ? errno : 0;
	} else if (S_ISREG(facts.st_mode)) {
		file = perun_beneath_open(root, path, O_RDONLY, 0);
		error = file < 0 ? errno : perun_read_all(file, &content->bytes);
		if (file >= 0)
			close(file);
	} else {
		return perun_fail(ctx, PERUN_INPUT, "%s is not a file", path);
	}
	return error ? perun_fail_errno(ctx, PERUN_INPUT, error, "cannot read %s", path) : PERUN_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_same(const struct content *one, const struct content *other)
{
	if (!one->there || !other->there)
		return one->there == other->there;
	return one->link == other->link &&
	       (one->link || (one->mode & 0111) == (other->mode & 0111)) &&
	       one->bytes.length == other->bytes.length &&
	       memcmp(one->bytes.data, other->bytes.data, one->bytes.length) == 0;
}

static int write_link(int root, const char *path, const struct perun_buffer *target)
{
	const char *name;
	int parent = perun_beneath_parent(root, path, &name), failed;

	if (parent < 0)
		return -1;
	failed = symlinkat(target->data ? target->data : "", parent, name);
	perun_beneath_leave(root, parent);
	return failed;
}

static int write_file(int root, const char *path, const struct content *content)
{
	int file = perun_beneath_open(root, path, O_WRONLY | O_CREAT | O_EXCL, content->mode);
	size_t done = 0;

	if (file < 0)
		return -1;
	while (done < content->bytes.length) {
		ssize_t put = write(file, content->bytes.data + done, content->bytes.length - done);

		if (put < 0 && errno != EINTR)
			break;
		done += put > 0 ? (size_t)put : 0;
	}
	return close(file) < 0 || done < content->bytes.length ? -1 : 0;
}

/* Make a path have the content, with a time of now, unless it has it already. */
static int put_content(struct perun_ctx *ctx, int root, const char *path,
		       const struct content *content, struct perun_words *written)
{
	struct content present;
	int status = read_content(ctx, root, path, &present), failed = 0;

	if (!status && !is_same(&present, content)) {
		if (present.there)
			failed = perun_beneath_unlink(root, path, 0);
		if (!failed && content->there)
			failed = perun_beneath_ensure_parents(root, path, 0777);
		if (!failed && content->there)
			failed = content->link ? write_link(root, path, &content->bytes)
					       : write_file(root, path, content);
		if (failed)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
		perun_words_add(written, path, strlen(path));
	}
	perun_buffer_free(&present.bytes);
	return status;
}

/* ---- hunks ----------------------------------------------------------------------------------- */

/* The byte after `count` lines from `at` on. */
static size_t skip_lines(const struct perun_buffer *text, size_t at, size_t count)
{
	while (count-- && at < text->length) {
		const char *end = memchr(text->data + at, '\n', text->length - at);

		at = end ? (size_t)(end - text->data) + 1 : text->length;
	}
	return at;
}

/* Where the lines that a hunk removes begin, from the line `*line` (0 = the first) at byte `at` on. */
static size_t find_hunk(const struct perun_buffer *text, const struct perun_dissect_change *change,
			size_t *line, size_t at)
{
	size_t first = change->old_lines ? change->old_start - 1 : change->old_start;

	at = skip_lines(text, at, first > *line ? first - *line : 0);
	*line = first + change->old_lines;
	return at;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text += *text == '\n')
		text += strcspn(text, "\n"), count++;
	return count;
}

/* Whether the hunks of a file remove what the base has there, and are texts as a whole. */
static bool fits(const struct changes *changes, const struct changed_file *file,
		 const struct perun_buffer *base)
{
	size_t at = 0, line = 0;

	for (size_t i = file->first; i < file->first + file->count; i++) {
		const struct perun_dissect_change *change = &changes->items[i];
		size_t length;

		if (change->kind != PERUN_DISSECT_CHANGE_LINES)
			continue;
		at = find_hunk(base, change, &line, at);
		length = strlen(change->removed);
		if (length > base->length - at ||
		    count_lines(change->removed) != change->old_lines ||
		    count_lines(change->added) != change->new_lines ||
		    memcmp(base->data + at, change->removed, length) != 0)
			return false;
		at += length;
	}
	return true;
}

static void apply_hunks(const struct changes *changes, const struct changed_file *file,
			const bool *set, struct perun_buffer *text)
{
	struct perun_buffer made = {0};
	size_t at = 0, line = 0;

	for (size_t i = file->first; i < file->first + file->count; i++) {
		const struct perun_dissect_change *change = &changes->items[i];
		size_t begin;

		if (change->kind != PERUN_DISSECT_CHANGE_LINES)
			continue;
		begin = find_hunk(text, change, &line, at);
		perun_buffer_add(&made, text->data + at, begin - at);
		at = begin;
		if (set[i]) {
			perun_buffer_add_text(&made, change->added);
			at += strlen(change->removed);
		} else {
			perun_buffer_add(&made, text->data + at, strlen(change->removed));
			at += strlen(change->removed);
		}
	}
	if (text->length > at)
		perun_buffer_add(&made, text->data + at, text->length - at);
	perun_buffer_free(text);
	*text = made;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What a file is with the changes of `set`, and its path, which is borrowed. */
static int make_content(struct perun_ctx *ctx, const struct changes *changes,
			const struct changed_file *file, const bool *set, int base, int head,
			const char **path, struct content *content)
{
	enum perun_dissect_kind kind = changes->items[file->first + file->count - 1].kind;
	size_t last = file->first + file->count - 1;
	bool renamed = file->rename != SIZE_MAX && set[file->rename];
	struct content other;
	int status;

	*path = renamed ? file->new_path : file->old_path;
	if (file->whole && set[last])
		status = read_content(ctx, head, file->new_path, content);
	else if (kind == PERUN_DISSECT_CHANGE_ADDED)
		status = (*content = (struct content){0}, PERUN_OK);
	else
		status = read_content(ctx, base, file->old_path, content);
	if (file->whole && kind == PERUN_DISSECT_CHANGE_REMOVED && set[last]) {
		perun_buffer_free(&content->bytes);
		*content = (struct content){0};
	}
	if (!status && !file->whole && content->there && !content->link)
		apply_hunks(changes, file, set, &content->bytes);
	if (!status && file->mode != SIZE_MAX && set[file->mode]) {
		status = read_content(ctx, head, file->new_path, &other);
		content->mode = other.mode;
		perun_buffer_free(&other.bytes);
	}
	return status;
}

static int apply_file(struct perun_ctx *ctx, const struct changes *changes,
		      const struct changed_file *file, const bool *set, const int roots[3],
		      struct perun_words *written)
{
	struct content content = {0}, none = {0};
	const char *path, *other;
	int status = make_content(ctx, changes, file, set, roots[0], roots[1], &path, &content);

	if (!status)
		status = put_content(ctx, roots[2], path, &content, written);
	other = path == file->old_path ? file->new_path : file->old_path;
	if (!status && file->rename != SIZE_MAX)
		status = put_content(ctx, roots[2], other, &none, written);
	perun_buffer_free(&content.bytes);
	return status;
}

static int open_root(struct perun_ctx *ctx, const char *path, int *root)
{
	*root = perun_path_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	return *root < 0 ? perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", path)
			 : PERUN_OK;
}

int changes_apply(struct perun_ctx *ctx, const struct changes *changes, const bool *set,
		  const char *base_root, const char *head_root, const char *root,
		  struct perun_words *written)
{
	const char *const paths[3] = {base_root, head_root, root};
	int roots[3] = {-1, -1, -1}, status = PERUN_OK;

	for (int i = 0; !status && i < 3; i++)
		status = open_root(ctx, paths[i], &roots[i]);
	for (size_t i = 0; !status && i < changes->file_count; i++)
		status = apply_file(ctx, changes, &changes->files[i], set, roots, written);
	for (int i = 0; i < 3; i++) {
		if (roots[i] >= 0)
			close(roots[i]);
	}
	return status;
}

/* Whether a file is there, what it is, and its bytes. */
static int hash_file(struct perun_ctx *ctx, int root, const char *path, struct perun_hash *hash)
{
	struct content content;
	int status = read_content(ctx, root, path, &content);
	const uint64_t facts[4] = {content.there, content.link, content.mode & 0111,
				   content.bytes.length};

	perun_hash_add(hash, path, strlen(path) + 1);
	perun_hash_add(hash, facts, sizeof facts);
	if (content.bytes.length)
		perun_hash_add(hash, content.bytes.data, content.bytes.length);
	perun_buffer_free(&content.bytes);
	return status;
}

int changes_name(struct perun_ctx *ctx, const struct changes *changes, const char *path,
		 char name[CHANGES_NAME])
{
	struct perun_hash hash;
	int root, status = open_root(ctx, path, &root);

	perun_sha256_start(&hash);
	for (size_t i = 0; !status && i < changes->file_count; i++) {
		const struct changed_file *file = &changes->files[i];

		status = hash_file(ctx, root, file->old_path, &hash);
		if (!status && strcmp(file->new_path, file->old_path) != 0)
			status = hash_file(ctx, root, file->new_path, &hash);
	}
	perun_hash_end_text(&hash, name, CHANGES_NAME / 2);
	if (root >= 0)
		close(root);
	return status;
}

/* One change of a file's hunks, which say where they are no longer. */
static void make_whole(struct changes *changes, struct changed_file *file)
{
	for (size_t i = file->first; i < file->first + file->count; i++) {
		struct perun_dissect_change *change = &changes->items[i];

		if (change->kind == PERUN_DISSECT_CHANGE_LINES)
			change->kind = PERUN_DISSECT_CHANGE_REPLACED;
	}
	file->whole = true;
}

int changes_check(struct perun_ctx *ctx, struct changes *changes, const char *base_root)
{
	int root, status = open_root(ctx, base_root, &root);

	for (size_t i = 0; !status && i < changes->file_count; i++) {
		struct changed_file *file = &changes->files[i];
		struct content content;

		if (file->whole)
			continue;
		status = read_content(ctx, root, file->old_path, &content);
		if (!status && !fits(changes, file, &content.bytes))
			make_whole(changes, file);
		perun_buffer_free(&content.bytes);
	}
	if (root >= 0)
		close(root);
	return status;
}
