/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that were measured at other versions than the head are added to these. */
#include <stdlib.h>
#include <string.h>

#include "core/store/prepare.h"

/* One that was refused. */
struct stray {
	const char *minor, *path;
	size_t number; /* among all */
};

static int compare_strays(const void *one, const void *other)
{
	const struct stray *a = one, *b = other;
	int order = strcmp(a->minor, b->minor);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* Those that say another version, whether the project has it or not. */
static size_t find_strays(const struct perun_additions *additions, const char *const *paths,
			  struct stray *strays)
{
	size_t count = 0;

	for (size_t i = 0; i < additions->count; i++) {
		const struct perun_added *added = &additions->items[i];

		if (added->status && *added->minor)
			strays[count++] = (struct stray){added->minor, paths[i], i};
	}
	qsort(strays, count, sizeof *strays, compare_strays);
	return count;
}

static bool is_known(struct perun_store *store, const char *minor)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_vcs *vcs;
	bool known = perun_check_minor(quiet, minor) == PERUN_OK &&
		     perun_store_vcs(quiet, store, &vcs) == PERUN_OK &&
		     perun_vcs_check_minor_version_validity(quiet, vcs, minor) == PERUN_OK;

	perun_ctx_free(quiet);
	return known;
}

/* Add those of one version, and put what became of them in the place of what was. */
static int add_strays(struct perun_ctx *ctx, struct perun_store *store, const struct stray *strays,
		      size_t count, const struct perun_add_options *options,
		      struct perun_additions *additions)
{
	const char **paths = perun_alloc_zero(count + 1, sizeof *paths);
	struct perun_additions *added;
	int status;

	for (size_t i = 0; i < count; i++)
		paths[i] = strays[i].path;
	status = perun_store_add(ctx, store, strays[0].minor, paths, count, options, &added);
	for (size_t i = 0; added && i < count; i++) {
		struct perun_added *item = &additions->items[strays[i].number], old = *item;

		*item = added->items[i];
		added->items[i] = old;
	}
	perun_free((void *)paths);
	/* What is wrong with a file is said of the file. */
	status = added ? PERUN_OK : status;
	perun_additions_free(added);
	return status;
}

static int first_failure(struct perun_ctx *ctx, const struct perun_additions *additions)
{
	perun_ctx_clear(ctx);
	for (size_t i = 0; i < additions->count; i++) {
		const struct perun_added *added = &additions->items[i];

		if (added->status)
			return perun_fail(ctx, added->status, "%s", added->error);
	}
	return PERUN_OK;
}

int perun_add_to_origins(struct perun_ctx *ctx, struct perun_store *store, const char *const *paths,
			 const struct perun_add_options *options, struct perun_additions *additions)
{
	struct stray *strays = perun_alloc_zero(additions->count + 1, sizeof *strays);
	size_t count = find_strays(additions, paths, strays), end;
	int status = PERUN_OK;

	for (size_t first = 0; first < count && !status; first = end) {
		for (end = first + 1; end < count; end++) {
			if (strcmp(strays[end].minor, strays[first].minor) != 0)
				break;
		}
		if (is_known(store, strays[first].minor))
			status = add_strays(ctx, store, strays + first, end - first, options,
					    additions);
	}
	perun_free(strays);
	return status ? status : first_failure(ctx, additions);
}
