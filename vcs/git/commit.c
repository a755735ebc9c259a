/* SPDX-License-Identifier: BSD-3-Clause */
/* One commit: its bytes taken apart, and handed to a visitor. */
#include <stdlib.h>
#include <string.h>

#include "gitvcs.h"
#include "plain.h"

#define PARENT_LINE (7 + GIT_OID_HEXSZ + 1) /* "parent HEX\n" */

/* "Name <email> seconds zone": name and email, each trimmed of blanks. */
static void parse_person(const char *line, size_t length, struct gitvcs_text *name,
			 struct gitvcs_text *email)
{
	const char *open = memchr(line, '<', length), *end = line + length, *close;

	*name = (struct gitvcs_text){line, open ? (size_t)(open - line) : length};
	while (name->length && name->data[0] == ' ') {
		name->data++;
		name->length--;
	}
	while (name->length && name->data[name->length - 1] == ' ')
		name->length--;
	*email = (struct gitvcs_text){"", 0};
	if (!open)
		return;
	close = memchr(open, '>', (size_t)(end - open));
	if (close)
		*email = (struct gitvcs_text){open + 1, (size_t)(close - open - 1)};
}

/* The seconds after the last '>', 0 when there are none, as git takes it. */
static int64_t parse_date(const char *line, size_t length)
{
	const char *close = memrchr(line, '>', length), *end = line + length;
	uint64_t seconds = 0;

	if (!close)
		return 0;
	for (close++; close < end && *close == ' ';)
		close++;
	for (; close < end && *close >= '0' && *close <= '9'; close++) {
		if (seconds > INT64_MAX / 10 - 1)
			return INT64_MAX;
		seconds = seconds * 10 + (uint64_t)(*close - '0');
	}
	return (int64_t)seconds;
}

static bool take_line(const char *line, size_t length, const char *key, struct gitvcs_text *value)
{
	size_t key_length = strlen(key);

	if (length < key_length || memcmp(line, key, key_length) != 0)
		return false;
	*value = (struct gitvcs_text){line + key_length, length - key_length};
	return true;
}

/* Header lines "key value", a blank line, the message. False when that is not a commit. */
static bool parse_commit(struct gitvcs_commit *commit, const char *data, size_t size)
{
	const char *p = data, *end = data + size;
	struct gitvcs_text value;
	bool tree = false;
	git_oid id;

	while (p < end && *p != '\n') {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t length = (size_t)((newline ? newline : end) - p);

		if (take_line(p, length, "parent ", &value)) {
			if (!newline || length + 1 != PARENT_LINE ||
			    git_oid_fromstrn(&id, value.data, GIT_OID_HEXSZ) < 0)
				return false;
			/* Others, after the head's lines, would belong to something else. */
			if (!commit->parents)
				commit->parents = p;
			if (p == commit->parents + commit->parent_count * PARENT_LINE)
				commit->parent_count++;
		} else if (take_line(p, length, "tree ", &value)) {
			tree = true;
		} else if (take_line(p, length, "author ", &value)) {
			parse_person(value.data, value.length, &commit->author, &commit->email);
			commit->authored = parse_date(value.data, value.length);
		} else if (take_line(p, length, "committer ", &value)) {
			commit->date = parse_date(value.data, value.length);
		} else if (take_line(p, length, "encoding ", &value)) {
			commit->encoding = value;
		}
		p += length + (newline ? 1 : 0);
	}
	if (p < end)
		p++;
	commit->message = (struct gitvcs_text){p, (size_t)(end - p)};
	return tree;
}

/* By libgit2, for all that is not plain. */
static int read_object(struct gitvcs *vcs, struct perun_ctx *ctx, const git_oid *stored,
		       const char *hex, struct gitvcs_commit *commit)
{
	git_object_t type;
	size_t size;
	int error, status = gitvcs_need_repository(vcs, ctx);

	if (status != PERUN_OK)
		return status;
	error = git_odb_read_header(&size, &type, vcs->objects, stored);
	if (!error && size > MAX_COMMIT)
		return perun_fail(ctx, PERUN_INPUT,
				  "commit %s in %s has %zu bytes; more than %d are not read", hex,
				  vcs->common_dir, size, (int)MAX_COMMIT);
	if (!error)
		error = git_odb_read(&commit->object, vcs->objects, stored);
	if (error == GIT_ENOTFOUND)
		return perun_fail(ctx, PERUN_INPUT,
				  "commit %s is missing in %s: the repository is damaged; "
				  "git fsck says more",
				  hex, vcs->common_dir);
	if (error < 0)
		return gitvcs_fail(ctx, PERUN_INPUT, "cannot read commit %s of %s", hex,
				   vcs->common_dir);
	return PERUN_OK;
}

int gitvcs_commit_read(struct gitvcs *vcs, struct perun_ctx *ctx, const git_oid *id,
		       struct gitvcs_commit *commit)
{
	const git_oid *stored = gitvcs_stand_in(vcs, id);
	char hex[GIT_OID_HEXSZ + 1];
	size_t size = 0;
	bool good;
	int status;

	*commit = (struct gitvcs_commit){
		.author = {"", 0}, .email = {"", 0}, .encoding = {"", 0}, .message = {"", 0}};
	git_oid_tostr(hex, sizeof(hex), id);
	if (vcs->plain &&
	    gitvcs_plain_commit(vcs->plain, stored, MAX_COMMIT, &commit->bytes, &size)) {
		good = parse_commit(commit, commit->bytes, size);
	} else {
		status = read_object(vcs, ctx, stored, hex, commit);
		if (status != PERUN_OK)
			return status;
		good = git_odb_object_type(commit->object) == GIT_OBJECT_COMMIT &&
		       parse_commit(commit, git_odb_object_data(commit->object),
				    git_odb_object_size(commit->object));
	}
	if (!good) {
		gitvcs_commit_free(commit);
		return perun_fail(ctx, PERUN_INPUT, "%s in %s is not a well-formed commit", hex,
				  vcs->common_dir);
	}
	if (gitvcs_at_boundary(vcs, id))
		commit->parent_count = 0;
	return PERUN_OK;
}

void gitvcs_commit_free(struct gitvcs_commit *commit)
{
	if (commit->object)
		git_odb_object_free(commit->object);
	perun_free(commit->bytes);
	commit->object = NULL;
	commit->bytes = NULL;
}

void gitvcs_commit_parent(const struct gitvcs_commit *commit, size_t i, git_oid *id)
{
	/* parse_commit() has seen that these are digits */
	git_oid_fromstrn(id, commit->parents + i * PARENT_LINE + 7, GIT_OID_HEXSZ);
}

void gitvcs_words_free(struct gitvcs_words *words)
{
	perun_buffer_free(&words->author);
	perun_buffer_free(&words->email);
	perun_buffer_free(&words->message);
	perun_free(words->parents);
	perun_free(words->parent_pointers);
}

int gitvcs_commit_visit(struct gitvcs_words *words, const git_oid *id,
			const struct gitvcs_commit *commit, perun_minor_version_visit *visit,
			void *data)
{
	struct perun_minor_version version = {.struct_size = sizeof(version)};
	size_t count = commit->parent_count;

	if (count > words->parent_capacity) {
		words->parent_capacity = count;
		words->parents =
			perun_realloc_array(words->parents, count, sizeof(*words->parents));
		words->parent_pointers = perun_realloc_array(words->parent_pointers, count,
							     sizeof(*words->parent_pointers));
	}
	for (size_t i = 0; i < count; i++) {
		memcpy(words->parents[i], commit->parents + i * PARENT_LINE + 7, GIT_OID_HEXSZ);
		words->parents[i][GIT_OID_HEXSZ] = '\0';
		words->parent_pointers[i] = words->parents[i];
	}
	gitvcs_utf8(&words->author, commit->author, commit->encoding);
	gitvcs_utf8(&words->email, commit->email, commit->encoding);
	gitvcs_utf8(&words->message, commit->message, commit->encoding);
	git_oid_tostr(words->checksum, sizeof(words->checksum), id);
	version.checksum = words->checksum;
	version.author = words->author.data;
	version.email = words->email.data;
	version.date = commit->date;
	version.description = words->message.data;
	version.parents = words->parent_pointers;
	version.parent_count = count;
	version.authored = commit->authored;
	return visit(data, &version);
}

int gitvcs_get_minor_version_info(void *instance, struct perun_ctx *ctx, const char *checksum,
				  perun_minor_version_visit *visit, void *data)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_words words = {0};
	struct gitvcs_commit commit;
	git_oid id;
	int status = gitvcs_resolve(vcs, ctx, checksum, &id);

	if (status == PERUN_OK)
		status = gitvcs_read_grafts(vcs, ctx);
	if (status == PERUN_OK)
		status = gitvcs_commit_read(vcs, ctx, &id, &commit);
	if (status != PERUN_OK)
		return status;
	status = gitvcs_commit_visit(&words, &id, &commit, visit, data);
	gitvcs_words_free(&words);
	gitvcs_commit_free(&commit);
	return status == PERUN_STOP ? PERUN_OK : status;
}
