/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree that trials are made in: one set of changes after the other, and what depends on them. */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/dissect/file-kinds.h"
#include "core/dissect/dissect.h"
#include "core/dissect/mirror.h"

/* ---- headers --------------------------------------------------------------------------------- */

/*
 * Hand-written build files often do not know which files include a header. Those that include one that was changed,
 * or one of these, get the time of now.
 */

/* Whether a text includes a file called `name`, in whatever directory. */
static bool includes(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, "include")); at++) {
		const char *line = at + strlen("include");
		size_t end = strcspn(line, "\n");

		for (const char *found = line; (found = strstr(found, name)); found++) {
			if ((size_t)(found - line) >= end)
				break;
			if (found > line && strchr("\"</", found[-1]) &&
			    (found[length] == '"' || found[length] == '>'))
				return true;
		}
	}
	return false;
}

static char *read_text(const char *root, const char *name)
{
	char *path = perun_format("%s/%s", root, name);
	struct perun_buffer text = {0};

	/* One that cannot be read includes nothing. */
	if (perun_path_read(path, &text) != 0)
		perun_buffer_add(&text, "", 0);
	perun_free(path);
	return perun_buffer_take(&text);
}

static void touch(const char *root, const char *name)
{
	char *path = perun_format("%s/%s", root, name);

	utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
	perun_free(path);
}

static void touch_includers(const struct perun_dissect *search, const char *root,
			    const struct perun_words *written)
{
	struct perun_words headers = {0};
	size_t count = search->pristine.count;
	bool *touched = perun_alloc_zero(count + 1, sizeof *touched);
	char **texts = NULL;

	for (size_t i = 0; i < written->count; i++) {
		if (file_is_header(written->items[i]))
			perun_words_add(&headers, perun_path_base_name(written->items[i]),
					strlen(perun_path_base_name(written->items[i])));
	}
	if (headers.count)
		texts = perun_alloc_zero(count + 1, sizeof *texts);
	for (size_t h = 0; h < headers.count; h++) {
		for (size_t i = 0; i < count; i++) {
			const char *name = search->pristine.items[i];

			if (touched[i] || (!file_is_source(name) && !file_is_header(name)))
				continue;
			if (!texts[i])
				texts[i] = read_text(root, name);
			if (!includes(texts[i], headers.items[h]))
				continue;
			touched[i] = true;
			touch(root, name);
			if (file_is_header(name))
				perun_words_add(&headers, perun_path_base_name(name),
						strlen(perun_path_base_name(name)));
		}
	}
	for (size_t i = 0; texts && i < count; i++)
		perun_free(texts[i]);
	perun_free(texts);
	perun_free(touched);
	perun_words_free(&headers);
}

/* ---- changing -------------------------------------------------------------------------------- */

/* Whether a set changes files that say how others are built: then nothing that was built may stay. */
static bool needs_reset(const struct perun_dissect *search, const struct workspace *tree,
			const bool *set)
{
	for (size_t i = 0; i < search->changes.count; i++) {
		const char *path = search->changes.items[i].file;

		if (set[i] != tree->present[i] && !file_is_source(path) && !file_is_header(path) &&
		    !file_is_text(path))
			return true;
	}
	return false;
}

/* Give the tree the changes of `set`, and see to it that building makes all again that depends on them. */
static int change(struct perun_ctx *ctx, const struct perun_dissect *search, struct workspace *tree,
		  const bool *set)
{
	struct perun_words written = {0};
	int status = PERUN_OK;

	if (tree->built && needs_reset(search, tree, set)) {
		status = perun_build_reset(ctx, search->builds, tree->build);
		tree->built = false;
	}
	if (!status)
		status = changes_apply(ctx, &search->changes, set, search->base_root,
				       search->head_files, tree->root, &written);
	if (!status) {
		memcpy(tree->present, set, search->changes.count * sizeof *set);
		if (tree->built)
			touch_includers(search, tree->root, &written);
	}
	perun_words_free(&written);
	return status;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Trees of more bytes are not copied. */
#define MAX_COPIED ((int64_t)256 << 20)

/* Make the tree what it was when this was built before; where that fails halfway, begin again. */
static int restore(struct perun_ctx *ctx, const struct perun_dissect *search,
		   struct workspace *tree, const bool *set, const char *copied, bool *restored)
{
	int status;

	*restored = mirror_tree(copied, tree->root, NULL, INT64_MAX);
	if (*restored)
		return PERUN_OK;
	tree->built = false;
	status = perun_build_reset(ctx, search->builds, tree->build);
	return status ? status : change(ctx, search, tree, set);
}

static int build(struct perun_ctx *ctx, const struct perun_dissect *search,
		 const struct perun_builds *builds, struct workspace *tree, const bool *set,
		 struct perun_build *copy, struct made *made)
{
	char *copied = copy ? perun_build_root(copy) : NULL;
	int status = PERUN_OK;

	if (copy && copy->cached)
		status = restore(ctx, search, tree, set, copied, &made->kept);
	if (!status && !made->kept)
		status = perun_build_make(ctx, builds, tree->build, &made->failed, &made->log);
	tree->built = true;
	if (copy && !copy->cached)
		perun_build_finish_copy(
			ctx, builds, copy,
			!status && perun_path_ensure_directory(copied, 0777) == 0 &&
				mirror_tree(tree->root, copied, tree->copied, MAX_COPIED));
	if (copied) {
		perun_free(tree->copied);
		tree->copied = copied;
	}
	return status;
}

int tree_make(struct perun_ctx *ctx, const struct perun_dissect *search,
	      const struct perun_builds *builds, struct workspace *tree, const bool *set,
	      struct made *made)
{
	struct perun_build *copy = NULL;
	char content[CHANGES_NAME];
	int status = change(ctx, search, tree, set);

	*made = (struct made){0};
	if (!status)
		status = changes_name(ctx, &search->changes, tree->root, content);
	/* Who asks for versions to be built again does not want what was built before either. */
	if (!status && !builds->again)
		copy = perun_build_open_copy(builds, tree->build, content);
	if (!status)
		status = build(ctx, search, builds, tree, set, copy, made);
	perun_build_close(copy);
	return status;
}

int tree_open(struct perun_ctx *ctx, const struct perun_dissect *search, const char *base,
	      const char *name, struct workspace **made)
{
	struct workspace *tree = perun_alloc_zero(1, sizeof *tree);
	int status = perun_build_open_tree(ctx, search->builds, base, name, &tree->build);

	if (!status) {
		tree->root = perun_build_root(tree->build);
		tree->present = perun_alloc_zero(search->changes.count + 1, sizeof *tree->present);
	} else {
		tree_close(tree);
		tree = NULL;
	}
	*made = tree;
	return status;
}

void tree_close(struct workspace *tree)
{
	if (!tree)
		return;
	perun_build_close(tree->build);
	perun_free(tree->root);
	perun_free(tree->present);
	perun_free(tree->copied);
	perun_free(tree);
}
