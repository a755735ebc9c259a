/* SPDX-License-Identifier: BSD-3-Clause */
/* The working directory: what is changed in it, and other versions in it or beside it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "hg.h"

static int has_output(struct perun_ctx *ctx, const struct hg *hg, const char *const *words,
		      bool *has)
{
	struct perun_buffer text = {0};
	int status = hg_run(ctx, hg, &text, NULL, words);

	*has = text.length > 0;
	perun_buffer_free(&text);
	return status;
}

int hg_is_dirty(void *instance, struct perun_ctx *ctx, bool *dirty)
{
	return has_output(ctx, instance, HG("status", "-mard"), dirty);
}

/* ---- putting changes aside --------------------------------------------------------------------- */

/*
 * The state is a JSON object of node, branch (where it is not the one of the version), bookmark, shelf (the name under
 * which hg shelve has the changes) and missing: files that were removed without hg, which shelve would bring back.
 * Perun keeps it in a journal, so that a run that was killed can be undone.
 */

static int find_missing(struct perun_ctx *ctx, const struct hg *hg, struct perun_json *missing)
{
	struct perun_buffer text = {0};
	int status = hg_run(ctx, hg, &text, NULL, HG("status", "-dn0"));
	const char *name = text.data;

	for (; !status && name < text.data + text.length; name += strlen(name) + 1)
		perun_json_append(missing, perun_json_text(name));
	perun_buffer_free(&text);
	return status;
}

static void remove_missing(const struct hg *hg, const struct perun_json *missing)
{
	for (size_t i = 0; i < perun_json_count(missing); i++) {
		const char *name = perun_json_as_string(perun_json_at(missing, i), NULL);
		char *path = perun_format("%s/%s", hg->root, name ? name : "");

		if (name)
			unlink(path);
		perun_free(path);
	}
}

/* `state` gets shelf and missing. */
static int put_aside(struct perun_ctx *ctx, const struct hg *hg, struct perun_json *state)
{
	struct perun_json *missing = perun_json_array();
	char digits[PERUN_RANDOM_SIZE], *shelf;
	bool changed = false;
	int status = find_missing(ctx, hg, missing);

	perun_json_set(state, "missing", missing);
	if (!status)
		status = has_output(ctx, hg, HG("status", "-mar"), &changed);
	if (!status && perun_json_count(missing))
		status = hg_run(ctx, hg, NULL, NULL,
				HG("revert", "-q", "--no-backup", "set:deleted()"));
	if (!status && changed) {
		perun_random_digits(digits);
		shelf = perun_format("perun-%s", digits);
		status = hg_run(ctx, hg, NULL, NULL, HG("shelve", "-q", "--name", shelf));
		perun_json_set(state, "shelf", perun_json_text(shelf));
		perun_free(shelf);
	}
	if (status)
		remove_missing(hg, missing);
	return status;
}

int hg_save_state(void *instance, struct perun_ctx *ctx, bool *saved, char **state)
{
	struct perun_json *place, *kept = perun_json_object();
	struct perun_buffer text = {0};
	int status = hg_place(ctx, instance, &place);
	const char *branch = perun_json_get_text(place, "branch");

	if (!status)
		status = put_aside(ctx, instance, kept);
	*saved = *perun_json_get_text(kept, "shelf") ||
		 perun_json_count(perun_json_get(kept, "missing"));
	perun_json_set(kept, "node", perun_json_text(perun_json_get_text(place, "node")));
	perun_json_set(kept, "bookmark", perun_json_text(perun_json_get_text(place, "bookmark")));
	if (strcmp(branch, perun_json_get_text(place, "committed")) != 0)
		perun_json_set(kept, "branch", perun_json_text(branch));
	perun_json_print(kept, &text, PERUN_JSON_COMPACT, 0);
	*state = perun_buffer_take(&text);
	perun_json_free(kept);
	perun_json_free(place);
	return status;
}

/* Whether hg was killed halfway through a command of this kind. */
static bool is_unfinished(const struct hg *hg, const char *file)
{
	char *path = perun_format("%s/.hg/%s", hg->root, file);
	bool is = access(path, F_OK) == 0;

	perun_free(path);
	return is;
}

/*
 * Changes of tracked files make it fail rather than be merged or lost. After an update that was killed there are none
 * but that update's, since what was the user's is shelved.
 */
static int update(struct perun_ctx *ctx, const struct hg *hg, const char *node)
{
	bool killed = is_unfinished(hg, "updatestate");

	return hg_run(ctx, hg, NULL, NULL,
		      HG("update", "-q", killed ? "--clean" : "--check", "-r", node));
}

int hg_checkout(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	return update(ctx, instance, checksum);
}

int hg_restore_state(void *instance, struct perun_ctx *ctx, bool saved, const char *state)
{
	const struct hg *hg = instance;
	struct perun_json *kept = NULL;
	int code, status = perun_json_parse(ctx, state, strlen(state), NULL, &kept);
	const char *branch = perun_json_get_text(kept, "branch"),
		   *bookmark = perun_json_get_text(kept, "bookmark");

	if (!status && is_unfinished(hg, "shelvedstate"))
		status = hg_run(ctx, hg, NULL, NULL, HG("unshelve", "-q", "--abort"));
	if (!status)
		status = update(ctx, hg, perun_json_get_text(kept, "node"));
	/* Active again, unless it was moved or removed meanwhile. */
	if (!status && *bookmark && hg_run(NULL, hg, NULL, &code, HG("bookmark", "-q", bookmark)))
		perun_warn(ctx, "the bookmark %s is not active any more", bookmark);
	if (!status && *branch)
		status = hg_run(ctx, hg, NULL, NULL, HG("branch", "-q", "-f", branch));
	if (!status && saved && *perun_json_get_text(kept, "shelf"))
		status = hg_run(ctx, hg, NULL, NULL,
				HG("unshelve", "-q", "--name", perun_json_get_text(kept, "shelf")));
	if (!status)
		remove_missing(hg, perun_json_get(kept, "missing"));
	perun_json_free(kept);
	return status;
}

/* ---- other versions beside it ------------------------------------------------------------------ */

/* With the filters and sub-repositories of a checkout, and with .hg_archival.txt, by which builds know the version. */
int hg_export(void *instance, struct perun_ctx *ctx, const char *checksum, const char *directory)
{
	return hg_run(ctx, instance, NULL, NULL,
		      HG("archive", "-q", "-S", "-t", "files", "-r", checksum, "--", directory));
}

int hg_remove_export(void *instance, struct perun_ctx *ctx, const char *directory)
{
	(void)instance;
	return perun_path_remove_tree(directory) == 0
		       ? PERUN_OK
		       : perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot remove %s", directory);
}

int hg_is_tracked(void *instance, struct perun_ctx *ctx, const char *path, bool *is)
{
	char *pattern = perun_format("path:%s", path);
	int code = 1, status = hg_run(ctx, instance, NULL, &code, HG("files", "-q", pattern));

	*is = !status && code == 0;
	perun_free(pattern);
	return status;
}

int hg_diff(void *instance, struct perun_ctx *ctx, const char *base, const char *head,
	    struct perun_buffer *out)
{
	return hg_run(ctx, instance, out, NULL,
		      HG("diff", "--git", "-U", "0", "-r", base, head ? "-r" : NULL, head));
}

int hg_read_file(void *instance, struct perun_ctx *ctx, const char *checksum, const char *path,
		 struct perun_buffer *out, bool *found)
{
	char *pattern = perun_format("path:%s", path);
	int code = 1, status = hg_run(ctx, instance, out, &code, HG("cat", "-r", checksum, pattern));

	*found = !status && code == 0;
	perun_free(pattern);
	return status;
}
