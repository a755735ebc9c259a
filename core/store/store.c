/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding, opening and making stores. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/json.h>

#include "core/config/config.h"
#include "core/path/path.h"
#include "core/store/store.h"

#define STORE_NAME ".perun"

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Join a directory and a name, without a double slash at the root. */
static char *join(const char *directory, const char *name)
{
	return perun_format("%s%s%s", directory, strcmp(directory, "/") == 0 ? "" : "/", name);
}

static int open_at(struct perun_ctx *ctx, const char *root, struct perun_store **result)
{
	char *path = join(root, STORE_NAME), *inside = perun_format("%s/.", path);
	int fd = perun_path_open(inside, O_RDONLY | O_DIRECTORY, 0);
	struct perun_store *store;

	perun_free(inside);
	if (fd < 0) {
		/* Unlike .git, a repository can bring it along: so it leads nowhere else. */
		int status =
			errno == ELOOP
				? perun_fail(ctx, PERUN_INPUT,
					     "%s is a symbolic link, which is not followed; "
					     "put the directory itself there",
					     path)
				: perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", path);

		perun_free(path);
		return status;
	}
	store = perun_alloc_zero(1, sizeof *store);
	store->path = path;
	store->root = perun_strdup(root);
	store->directory = fd;
	store->settings = perun_settings_new();
	*result = store;
	return PERUN_OK;
}

void perun_store_close(struct perun_store *store)
{
	if (!store)
		return;
	perun_vcs_close(store->vcs);
	perun_names_forget(store);
	perun_settings_free(store->settings);
	close(store->directory);
	perun_free(store->path);
	perun_free(store->root);
	perun_free(store->work_tree);
	perun_free(store);
}

const char *perun_store_path(const struct perun_store *store)
{
	return store->path;
}

const char *perun_store_root(const struct perun_store *store)
{
	return store->root;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Cut the last component off; false at the root. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash[1] == '\0')
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* The nearest directory upwards from `start` that holds a store, or NULL. */
static char *find_upwards(const char *start)
{
	char *path = perun_strdup(start);

	do {
		char *store = join(path, STORE_NAME);
		bool found = is_directory(store);

		perun_free(store);
		if (found)
			return path;
	} while (go_up(path));
	perun_free(path);
	return NULL;
}

/* The store of the main work tree, if `start` lies in a linked one of this vcs. */
static int find_common(struct perun_ctx *ctx, const char *type, const char *start,
		       struct perun_store **store)
{
	struct perun_vcs *vcs = NULL, *attached = NULL;
	char *root = NULL, *common = NULL, *found;
	int status = perun_vcs_load(ctx, type, &vcs);

	if (!status)
		status = perun_vcs_discover(ctx, vcs, start, &root);
	if (!status && root)
		status = perun_vcs_open(ctx, type, root, &attached);
	if (!status && attached)
		status = perun_vcs_common_directory(ctx, attached, &common);
	found = !status && common ? join(common, STORE_NAME) : NULL;
	if (found && is_directory(found)) {
		status = open_at(ctx, common, store);
		if (!status) {
			(*store)->work_tree = root;
			root = NULL;
		}
	}
	perun_free(found);
	perun_free(common);
	perun_free(root);
	perun_vcs_close(attached);
	perun_vcs_close(vcs);
	return status;
}

/* Ask every installed vcs; one that cannot be loaded is not asked. */
static int find_in_work_trees(struct perun_ctx *ctx, const char *start, struct perun_store **store)
{
	size_t count;
	char **names = perun_supported_modules(ctx, PERUN_KIND_VCS, &count);

	for (size_t i = 0; i < count && !*store; i++) {
		struct perun_ctx *quiet = perun_ctx_new(NULL);

		find_common(quiet, names[i], start, store);
		perun_ctx_free(quiet);
	}
	perun_free(names);
	return PERUN_OK;
}

static int absolute_directory(struct perun_ctx *ctx, const char *start, char **path)
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

int perun_store_find(struct perun_ctx *ctx, const char *start, struct perun_store **store)
{
	char *path, *root;
	int status = absolute_directory(ctx, start, &path);

	*store = NULL;
	if (status)
		return status;
	root = find_upwards(path);
	status = root ? open_at(ctx, root, store) : find_in_work_trees(ctx, path, store);
	perun_free(root);
	perun_free(path);
	return status;
}

int perun_store_open(struct perun_ctx *ctx, const char *start, struct perun_store **store)
{
	int status = perun_store_find(ctx, start, store);

	if (!status && !*store)
		status = perun_fail(ctx, PERUN_USAGE,
				    "there is no " STORE_NAME
				    " in %s or above; 'perun init' makes one",
				    start ? start : "this directory");
	return status;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int make_directory(struct perun_ctx *ctx, int at, const char *path, const char *shown)
{
	if (mkdirat(at, path, 0777) == 0 || errno == EEXIST)
		return PERUN_OK;
	return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", shown);
}

static int make_part(struct perun_ctx *ctx, const struct perun_store *store, const char *name)
{
	if (perun_beneath_ensure_directory(store->directory, name, 0777) == 0)
		return PERUN_OK;
	return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s/%s", store->path, name);
}

static int write_configuration(struct perun_ctx *ctx, struct perun_store *store, const char *text)
{
	struct perun_piece piece = {text, strlen(text), -1};
	struct perun_transaction *transaction;
	int status;

	if (faccessat(store->directory, PERUN_LOCAL_CONFIG, F_OK, 0) == 0)
		return PERUN_OK;
	status = perun_transaction_begin(ctx, store, "init", &transaction);
	/* Another process may have made it while this one waited. */
	if (!status && faccessat(store->directory, PERUN_LOCAL_CONFIG, F_OK, 0) != 0) {
		status = perun_transaction_write(ctx, transaction, PERUN_STAGE_LAST,
						 PERUN_LOCAL_CONFIG, &piece, 1, NULL);
		if (!status)
			status = perun_transaction_commit(ctx, transaction);
	}
	perun_transaction_end(transaction);
	perun_settings_forget(store->settings);
	return status;
}

int perun_store_init(struct perun_ctx *ctx, const char *path, const char *configuration,
		     struct perun_store **store)
{
	static const char *const parts[] = {"objects", "jobs", "logs", "cache", "stats", "tmp"};
	char *root, *directory;
	int status = make_directory(ctx, AT_FDCWD, path, path);

	*store = NULL;
	if (!status)
		status = absolute_directory(ctx, path, &root);
	if (status)
		return status;
	directory = join(root, STORE_NAME);
	status = make_directory(ctx, AT_FDCWD, directory, directory);
	perun_free(directory);
	if (!status)
		status = open_at(ctx, root, store);
	perun_free(root);
	for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
		status = make_part(ctx, *store, parts[i]);
	if (!status)
		status = write_configuration(ctx, *store, configuration);
	if (status) {
		perun_store_close(*store);
		*store = NULL;
	}
	return status;
}

/* ---- the vcs --------------------------------------------------------------------------------- */

/* The absolute place of the repository; a place elsewhere is warned about. Caller frees. */
static char *vcs_place(struct perun_ctx *ctx, const struct perun_store *store, const char *url)
{
	char *place = url[0] == '/' ? perun_strdup(url) : join(store->path, url);
	char *real = realpath(place, NULL);

	if (url[0] == '/' && (!real || strcmp(real, store->root) != 0))
		perun_warn(ctx,
			   "vcs.url in %s/" PERUN_LOCAL_CONFIG
			   " is %s, but the store lies in %s; if "
			   "it was moved: perun config --local set vcs.url ..",
			   store->path, url, store->root);
	if (store->work_tree && real && strcmp(real, store->root) == 0) {
		/* The head is that of the work tree in which the user is. */
		free(real);
		perun_free(place);
		return perun_strdup(store->work_tree);
	}
	if (real) {
		perun_free(place);
		place = perun_strdup(real);
		free(real);
	}
	return place;
}

int perun_store_vcs(struct perun_ctx *ctx, struct perun_store *store, struct perun_vcs **vcs)
{
	char *type = NULL, *url = NULL, *place;
	int status;

	*vcs = store->vcs;
	if (store->vcs)
		return PERUN_OK;
	status = perun_config_get(ctx, store, PERUN_CONFIG_NEAREST, "vcs.type", &type);
	if (!status)
		status = perun_config_get(ctx, store, PERUN_CONFIG_NEAREST, "vcs.url", &url);
	if (!status && !type)
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s/" PERUN_LOCAL_CONFIG " does not say vcs.type; 'perun init' "
				    "writes it",
				    store->path);
	if (!status) {
		place = vcs_place(ctx, store, url ? url : "..");
		status = perun_vcs_open(ctx, type, place, &store->vcs);
		perun_free(place);
	}
	perun_free(type);
	perun_free(url);
	*vcs = status ? NULL : store->vcs;
	return status;
}

int64_t perun_store_limit(struct perun_ctx *ctx, struct perun_store *store, const char *key,
			  int64_t standard)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *value = NULL;
	int64_t limit = standard;

	(void)ctx;
	/* A broken configuration is told by whoever needs more than a limit from it. */
	if (!perun_config_document(quiet, store, PERUN_CONFIG_NEAREST, key, &value) && value)
		perun_json_as_int64(value, &limit);
	perun_json_free(value);
	perun_ctx_free(quiet);
	return limit;
}
