/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and making stores. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/path.h>

#include <perun/lib/trust.h>

#include "core/config/config.h"

#include "core/store/owner.h"
#include "core/store/labels.h"
#include "core/store/store.h"

/* Join a directory and a name, without a double slash at the root. */
static char *join(const char *directory, const char *name)
{
	return perun_format("%s%s%s", directory, strcmp(directory, "/") == 0 ? "" : "/", name);
}

int perun_store_open_at(struct perun_ctx *ctx, const char *root, struct perun_store **result)
{
	char *path = join(root, PERUN_STORE_NAME), *inside = perun_format("%s/.", path);
	int fd = perun_path_open(inside, O_RDONLY | O_DIRECTORY, 0);
	struct perun_store *store;
	int status = PERUN_OK;

	*result = NULL;
	perun_free(inside);
	/* Unlike .git, a repository can bring it along: so it leads nowhere else. */
	if (fd < 0 && errno == ELOOP)
		status = perun_fail(
			ctx, PERUN_INPUT,
			"%s is a symbolic link, which is not followed; put the directory "
			"itself there",
			path);
	else if (fd < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", path);
	else
		status = perun_owner_check(ctx, root, path, fd);
	if (status) {
		if (fd >= 0)
			close(fd);
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

int perun_store_reopen(struct perun_ctx *ctx, const struct perun_store *store,
		       struct perun_store **result)
{
	int fd = fcntl(store->directory, F_DUPFD_CLOEXEC, 0);
	struct perun_store *other;

	*result = NULL;
	if (fd < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", store->path);
	other = perun_alloc_zero(1, sizeof *other);
	other->path = perun_strdup(store->path);
	other->root = perun_strdup(store->root);
	other->work_tree = perun_strdup(store->work_tree);
	other->directory = fd;
	other->settings = perun_settings_new();
	perun_json_free(other->settings->runtime);
	other->settings->runtime = perun_json_clone(store->settings->runtime);
	*result = other;
	return PERUN_OK;
}

void perun_store_close(struct perun_store *store)
{
	if (!store)
		return;
	perun_vcs_close(store->vcs);
	perun_names_forget(store);
	perun_label_notes_free(store->label_notes);
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
	bool made = false, trusted;
	int status;

	if (faccessat(store->directory, PERUN_LOCAL_CONFIG, F_OK, 0) == 0)
		return PERUN_OK;
	trusted = perun_trust_may_follow(store);
	status = perun_transaction_begin(ctx, store, "init", &transaction);
	/* Another process may have made it while this one waited. */
	if (!status && faccessat(store->directory, PERUN_LOCAL_CONFIG, F_OK, 0) != 0) {
		status = perun_transaction_write(ctx, transaction, PERUN_STAGE_LAST,
						 PERUN_LOCAL_CONFIG, &piece, 1, NULL);
		if (!status)
			status = perun_transaction_commit(ctx, transaction);
		made = !status;
	}
	perun_transaction_end(transaction);
	perun_settings_forget(store->settings);
	if (made)
		perun_trust_follow(ctx, store, trusted);
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
		status = perun_store_start(ctx, path, &root);
	if (status)
		return status;
	directory = join(root, PERUN_STORE_NAME);
	status = make_directory(ctx, AT_FDCWD, directory, directory);
	perun_free(directory);
	if (!status)
		status = perun_store_open_at(ctx, root, store);
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

/* ---- limits ---------------------------------------------------------------------------- */

int64_t perun_store_limit(struct perun_ctx *ctx, const struct perun_store *store, const char *key,
			  int64_t standard)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_store *other;
	struct perun_json *value = NULL;
	int64_t limit = standard;

	(void)ctx;
	/* A broken configuration is reported by whoever needs more than a limit from it. */
	if (perun_store_reopen(quiet, store, &other) == PERUN_OK) {
		if (!perun_config_document(quiet, other, PERUN_CONFIG_NEAREST, key, &value) &&
		    value)
			perun_json_as_int64(value, &limit);
		perun_store_close(other);
	}
	perun_json_free(value);
	perun_ctx_free(quiet);
	return limit;
}
