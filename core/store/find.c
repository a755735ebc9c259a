/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the store that a directory belongs to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/store/owner.h"
#include "core/store/store.h"
#include "perun/lib/advice.h"

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_store(const char *directory)
{
	char *store = perun_format("%s/" PERUN_STORE_NAME, directory);
	bool has = is_directory(store);

	perun_free(store);
	return has;
}

/* Cut the last component off; false at the root. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash[1] == '\0')
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Whether `path` lies strictly below `directory`. */
static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (strcmp(directory, "/") == 0)
		return path[1] != '\0';
	return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* ---- the work tree --------------------------------------------------------------------------- */

/* The innermost work tree that `start` lies in, asked of every installed vcs. */
struct work_tree {
	char *type, *root; /* NULL = none */
	char *problem;     /* why a vcs could not say */
};

static void free_work_tree(struct work_tree *tree)
{
	perun_free(tree->type);
	perun_free(tree->root);
	perun_free(tree->problem);
	*tree = (struct work_tree){0};
}

static void ask_vcs(const char *type, const char *start, struct work_tree *tree)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_vcs *vcs = NULL;
	char *root = NULL;

	/* One that cannot be loaded is not asked. */
	if (!perun_vcs_load(quiet, type, &vcs) && perun_vcs_discover(quiet, vcs, start, &root) &&
	    !tree->problem)
		tree->problem = perun_strdup(perun_ctx_error(quiet));
	/* GIT_DIR may name a repository elsewhere. */
	if (root && (strcmp(start, root) == 0 || is_below(start, root)) &&
	    (!tree->root || is_below(root, tree->root))) {
		perun_free(tree->type);
		perun_free(tree->root);
		tree->type = perun_strdup(type);
		tree->root = root;
		root = NULL;
	}
	perun_free(root);
	perun_vcs_close(vcs);
	perun_ctx_free(quiet);
}

static void find_work_tree(const char *start, struct work_tree *tree)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	size_t count;
	char **names = perun_supported_modules(quiet, PERUN_KIND_VCS, &count);

	*tree = (struct work_tree){0};
	for (size_t i = 0; i < count; i++)
		ask_vcs(names[i], start, tree);
	perun_free(names);
	perun_ctx_free(quiet);
}

/* ---- upwards --------------------------------------------------------------------------------- */

struct search {
	const char *start;
	struct work_tree tree;
	bool asked;    /* for the work tree, which only stores above `start` need */
	char *ignored; /* the nearest store that was not taken, and why; or NULL */
};

static const struct work_tree *work_tree_of(struct search *search)
{
	if (!search->asked)
		find_work_tree(search->start, &search->tree);
	search->asked = true;
	return &search->tree;
}

/* Why the store of a directory above is not taken; NULL when it is. */
static const char *refusal(struct search *search, const char *directory)
{
	const struct work_tree *tree;

	if (strcmp(directory, search->start) == 0 || perun_owner_listed(directory))
		return NULL;
	tree = work_tree_of(search);
	if (tree->root && is_below(tree->root, directory))
		return "it lies outside of this repository";
	if (!tree->root && tree->problem)
		return tree->problem;
	/* Whoever may write to the repository itself can do worse than put a store there. */
	if (perun_owner_shared(directory) && !(tree->root && strcmp(tree->root, directory) == 0))
		return "everybody may write to this directory";
	return NULL;
}

/* The nearest directory upwards that holds a store to be taken, or NULL. File systems are not left. */
static char *find_upwards(struct search *search)
{
	char *path = perun_strdup(search->start);
	struct stat first, info;
	const char *why;

	if (stat(path, &first) != 0)
		first.st_dev = 0;
	do {
		if (stat(path, &info) != 0 || info.st_dev != first.st_dev)
			break;
		if (!has_store(path))
			continue;
		why = refusal(search, path);
		if (!why)
			return path;
		if (!search->ignored)
			search->ignored = perun_format("%s/" PERUN_STORE_NAME " is not used: %s",
						       strcmp(path, "/") == 0 ? "" : path, why);
	} while (go_up(path));
	perun_free(path);
	return NULL;
}

/* ---- linked work trees ----------------------------------------------------------------------- */

/* The directory that all work trees of the repository share, if it has a store; else NULL. */
static char *common_directory(const struct work_tree *tree)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_vcs *vcs = NULL;
	char *common = NULL;

	if (perun_vcs_open(quiet, tree->type, tree->root, &vcs) ||
	    perun_vcs_common_directory(quiet, vcs, &common))
		common = NULL;
	if (common && !has_store(common)) {
		perun_free(common);
		common = NULL;
	}
	perun_vcs_close(vcs);
	perun_ctx_free(quiet);
	return common;
}

static int find_common(struct perun_ctx *ctx, struct search *search, struct perun_store **store)
{
	const struct work_tree *tree = work_tree_of(search);
	char *common = tree->root ? common_directory(tree) : NULL;
	int status = common ? perun_store_open_at(ctx, common, store) : PERUN_OK;

	if (!status && common)
		(*store)->work_tree = perun_strdup(tree->root);
	perun_free(common);
	return status;
}

/* ---- finding --------------------------------------------------------------------------------- */

int perun_store_start(struct perun_ctx *ctx, const char *start, char **path)
{
	char *real = realpath(start ? start : ".", NULL);

	if (!real)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot look for a store in %s",
					start ? start : "the current directory");
	*path = perun_strdup(real);
	free(real);
	if (!is_directory(*path))
		go_up(*path);
	return PERUN_OK;
}

/* `*ignored`: what was found and not taken, or NULL. */
static int find(struct perun_ctx *ctx, const char *start, struct perun_store **store,
		char **ignored)
{
	struct search search = {0};
	char *path = NULL, *root;
	int status = perun_store_start(ctx, start, &path);

	*store = NULL;
	*ignored = NULL;
	if (status)
		return status;
	search.start = path;
	root = find_upwards(&search);
	status = root ? perun_store_open_at(ctx, root, store) : find_common(ctx, &search, store);
	*ignored = search.ignored;
	free_work_tree(&search.tree);
	perun_free(root);
	perun_free(path);
	return status;
}

int perun_store_find(struct perun_ctx *ctx, const char *start, struct perun_store **store)
{
	char *ignored;
	int status = find(ctx, start, store, &ignored);

	perun_free(ignored);
	return status;
}

int perun_store_open(struct perun_ctx *ctx, const char *start, struct perun_store **store)
{
	char *ignored;
	int status = find(ctx, start, store, &ignored);

	if (!status && !*store)
		status = perun_fail(ctx, PERUN_USAGE,
				    "there is no " PERUN_STORE_NAME
				    " in %s or above%s%s%s%s",
				    start ? start : "this directory", ignored ? " (" : "",
				    ignored ? ignored : "", ignored ? ")" : "",
				    perun_advice(PERUN_ADVICE_INIT));
	perun_free(ignored);
	return status;
}
