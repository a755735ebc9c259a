/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin vcs hg: Mercurial. What needs no hg, and the table of all. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hg.h"

static int open_hg(struct perun_ctx *ctx, const struct perun_options *options,
		   const char *subcommand, void **instance)
{
	(void)ctx, (void)options, (void)subcommand;
	*instance = perun_alloc_zero(1, sizeof(struct hg));
	return PERUN_OK;
}

static void close_hg(void *instance)
{
	struct hg *hg = instance;

	perun_free(hg->root);
	perun_free(hg);
}

/* The nearest directory from `path` upwards with a .hg. The caller frees it. */
static char *find_root(const char *path)
{
	char *root = realpath(path, NULL), *found = NULL;
	struct stat info;

	for (size_t length = root ? strlen(root) : 0; length && !found;) {
		char *folder = perun_format("%s/.hg", root);

		if (lstat(folder, &info) == 0 && S_ISDIR(info.st_mode))
			found = perun_strdup(root);
		perun_free(folder);
		while (length && root[--length] != '/')
			;
		root[length] = '\0';
	}
	free(root);
	return found;
}

/* Without hg: perun init asks every plugin. */
static int discover(void *instance, struct perun_ctx *ctx, const char *path, char **root)
{
	(void)instance, (void)ctx;
	*root = find_root(path);
	return PERUN_OK;
}

static int attach(void *instance, struct perun_ctx *ctx, const char *url)
{
	struct hg *hg = instance;

	perun_free(hg->root);
	hg->root = find_root(url);
	return hg->root ? PERUN_OK
			: perun_fail(ctx, PERUN_INPUT,
				     "%s is not in a Mercurial repository; hg init makes one", url);
}

static int init(void *instance, struct perun_ctx *ctx, const char *path,
		const struct perun_vcs_parameter *parameters, size_t count)
{
	const struct hg nowhere = {0};
	char *folder = perun_format("%s/.hg", path);
	bool exists = access(folder, F_OK) == 0;

	(void)instance;
	perun_free(folder);
	if (count)
		return perun_fail(ctx, PERUN_USAGE, "hg has no parameter %s", parameters[0].name);
	return exists ? PERUN_OK : hg_run(ctx, &nowhere, NULL, NULL, HG("init", "--", path));
}

/* The first line of a small file; NULL when there is none. The caller frees it. */
static char *read_line(const char *path)
{
	char text[PATH_MAX + 2];
	FILE *file = fopen(path, "re");
	bool read = file && fgets(text, sizeof text, file);

	if (file)
		fclose(file);
	if (!read)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return perun_strdup(text);
}

/* hg share: the .hg of the repository that this one shares its history with, absolute or from this .hg. */
static int common_directory(void *instance, struct perun_ctx *ctx, char **directory)
{
	const struct hg *hg = instance;
	char *file = perun_format("%s/.hg/sharedpath", hg->root), *shared = read_line(file);
	char *path = shared && *shared != '/' ? perun_format("%s/.hg/%s", hg->root, shared)
					      : perun_strdup(shared);
	char *real = path ? realpath(path, NULL) : NULL;
	char *slash = real ? strrchr(real, '/') : NULL;

	(void)ctx;
	*directory = slash ? perun_strndup(real, (size_t)(slash - real)) : NULL;
	free(real);
	perun_free(path);
	perun_free(shared);
	perun_free(file);
	return PERUN_OK;
}

#define IGNORED ".hg/perun-ignore"

/* Write a file in one step, with what is appended to its old content. */
static int append(struct perun_ctx *ctx, const char *path, const char *added, bool keep)
{
	char *temporary = perun_format("%s.perun-new", path), block[4096];
	FILE *old = keep ? fopen(path, "re") : NULL, *new = fopen(temporary, "we");
	bool good = new != NULL;
	size_t got;

	while (good && old && (got = fread(block, 1, sizeof block, old)) > 0)
		good = fwrite(block, 1, got, new) == got;
	good = good && !(old && ferror(old)) && fputs(added, new) != EOF && fflush(new) == 0 &&
	       fsync(fileno(new)) == 0;
	if (old)
		fclose(old);
	if (new &&fclose(new) != 0)
		good = false;
	good = good && rename(temporary, path) == 0;
	if (!good)
		perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
	if (!good && new)
		unlink(temporary);
	perun_free(temporary);
	return good ? PERUN_OK : PERUN_INPUT;
}

/* In this clone only: a file of patterns that its own configuration names. */
static int ignore(void *instance, struct perun_ctx *ctx, const char *name)
{
	const struct hg *hg = instance;
	char *patterns = perun_format("%s/" IGNORED, hg->root);
	char *settings = perun_format("%s/.hg/hgrc", hg->root);
	char *line = perun_format("syntax: glob\n%.*s\n", (int)strcspn(name, "/"), name);
	int status = PERUN_OK;

	if (access(patterns, F_OK) != 0) {
		status = append(ctx, settings, "\n[ui]\nignore.perun = " IGNORED "\n", true);
		if (!status)
			status = append(ctx, patterns, line, false);
	}
	perun_free(line);
	perun_free(settings);
	perun_free(patterns);
	return status;
}

/* No share_*: stores are shared through git only. No recover: Perun's own journal has what hg_save_state() returns. */
static const struct perun_vcs_ops operations = {
	.open = open_hg,
	.close = close_hg,
	.attach = attach,
	.init = init,
	.walk_minor_versions = hg_walk,
	.walk_major_versions = hg_walk_branches,
	.get_minor_head = hg_head,
	.get_head_major_version = hg_branch,
	.get_minor_version_info = hg_info,
	.check_minor_version_validity = hg_check,
	.massage_parameter = hg_resolve,
	.is_dirty = hg_is_dirty,
	.save_state = hg_save_state,
	.restore_state = hg_restore_state,
	.checkout = hg_checkout,
	.walk_range = hg_walk_range,
	.merge_base = hg_merge_base,
	.export_version = hg_export,
	.remove_export = hg_remove_export,
	.common_directory = common_directory,
	.ignore = ignore,
	.discover = discover,
	.is_tracked = hg_is_tracked,
	.read_file = hg_read_file,
	.walk_names = hg_walk_names,
	.diff = hg_diff,
};

PERUN_PLUGIN(vcs, hg) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VCS, "hg", "Mercurial repositories"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(operations),
};
