/* SPDX-License-Identifier: BSD-3-Clause */
/* Where history ends early (shallow clones) or is replaced (git replace): libgit2 knows neither. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitvcs.h"

static int compare_ids(const void *one, const void *other)
{
	return git_oid_cmp(one, other);
}

/* The file GIT_COMMON_DIR/shallow: a line of 40 digits for each commit at the boundary. */
static int read_boundary(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	char *path = perun_format("%s/shallow", vcs->common_dir);
	struct perun_buffer content = {0};
	size_t capacity = 0;
	bool found;
	int status = gitvcs_file_read(ctx, path, &content, &found);

	for (char *line = content.data; status == PERUN_OK && line && *line;) {
		char *end = strchrnul(line, '\n');
		git_oid id;

		if (end - line != GIT_OID_HEXSZ || git_oid_fromstrn(&id, line, GIT_OID_HEXSZ) < 0) {
			status = perun_fail(ctx, PERUN_INPUT, "%s: expected lines of 40 digits",
					    path);
			break;
		}
		PERUN_GROW(vcs->boundary, vcs->boundary_count, capacity);
		vcs->boundary[vcs->boundary_count++] = id;
		line = *end ? end + 1 : end;
	}
	if (vcs->boundary_count)
		qsort(vcs->boundary, vcs->boundary_count, sizeof(git_oid), compare_ids);
	perun_buffer_free(&content);
	perun_free(path);
	return status;
}

/*
 * Whether there may be replaced objects. libgit2 would read all packed references to say no, which
 * can be many.
 */
static bool may_have_replacements(const struct gitvcs *vcs)
{
	char *loose = perun_format("%s/refs/replace", vcs->common_dir);
	char *packed = perun_format("%s/packed-refs", vcs->common_dir);
	bool may = !access(loose, F_OK);
	struct stat info;
	int fd = -1;

	if (!may && (fd = open(packed, O_RDONLY | O_CLOEXEC)) >= 0 && !fstat(fd, &info) &&
	    info.st_size > 0) {
		size_t size = (size_t)info.st_size;
		void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

		may = text == MAP_FAILED || memmem(text, size, " refs/replace/", 14);
		if (text != MAP_FAILED)
			munmap(text, size);
	}
	if (fd >= 0)
		close(fd);
	perun_free(loose);
	perun_free(packed);
	return may;
}

/* References refs/replace/HEX that point at what replaces HEX. */
static int read_replacements(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	const size_t prefix = strlen("refs/replace/");
	git_reference_iterator *iterator = NULL;
	git_reference *reference = NULL;
	size_t pairs = 0, capacity = 0;
	git_oid(*found)[2] = NULL;
	int error, status;

	if (getenv("GIT_NO_REPLACE_OBJECTS") || !may_have_replacements(vcs))
		return PERUN_OK;
	status = gitvcs_need_repository(vcs, ctx);
	if (status != PERUN_OK)
		return status;
	error = git_reference_iterator_glob_new(&iterator, vcs->repository, "refs/replace/*");
	while (!error && !(error = git_reference_next(&reference, iterator))) {
		const git_oid *target = git_reference_target(reference);
		const char *name = git_reference_name(reference);

		PERUN_GROW(found, pairs, capacity);
		if (target && strlen(name) == prefix + GIT_OID_HEXSZ &&
		    !git_oid_fromstr(&found[pairs][0], name + prefix))
			git_oid_cpy(&found[pairs++][1], target);
		git_reference_free(reference);
	}
	git_reference_iterator_free(iterator);
	if (pairs)
		qsort(found, pairs, sizeof(*found), compare_ids);
	vcs->replaced = (git_oid *)found;
	vcs->replaced_count = pairs;
	if (error != GIT_ITEROVER)
		return gitvcs_fail(ctx, PERUN_INPUT, "cannot read the references");
	return PERUN_OK;
}

int gitvcs_read_grafts(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	int status;

	if (vcs->grafts_read)
		return PERUN_OK;
	status = read_boundary(vcs, ctx);
	if (status == PERUN_OK)
		status = read_replacements(vcs, ctx);
	vcs->grafts_read = status == PERUN_OK;
	return status;
}

bool gitvcs_at_boundary(const struct gitvcs *vcs, const git_oid *id)
{
	return vcs->boundary_count &&
	       bsearch(id, vcs->boundary, vcs->boundary_count, sizeof(git_oid), compare_ids);
}

const git_oid *gitvcs_stand_in(const struct gitvcs *vcs, const git_oid *id)
{
	/* A replacement may be replaced in turn; git gives up after five. */
	for (int depth = 0; vcs->replaced_count && depth < 5; depth++) {
		const git_oid *pair = bsearch(id, vcs->replaced, vcs->replaced_count,
					      2 * sizeof(git_oid), compare_ids);

		if (!pair)
			break;
		id = &pair[1];
	}
	return id;
}

int gitvcs_is_boundary(void *instance, struct perun_ctx *ctx, const char *checksum, bool *is)
{
	struct gitvcs *vcs = instance;
	git_oid id;
	int status;

	*is = false;
	status = gitvcs_resolve(vcs, ctx, checksum, &id);
	if (status == PERUN_OK)
		status = gitvcs_read_grafts(vcs, ctx);
	if (status == PERUN_OK)
		*is = gitvcs_at_boundary(vcs, &id);
	return status;
}
