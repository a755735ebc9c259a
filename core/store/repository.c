/* SPDX-License-Identifier: BSD-3-Clause */
/* The repository that belongs to a store. */
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/advice.h>

#include "core/config/config.h"
#include "core/store/store.h"
#include "core/vcs/open.h"

/* Without links; NULL when there is nothing. Free with free(). */
static char *resolve(const struct perun_store *store, const char *url)
{
	char *place = url[0] == '/' ? perun_strdup(url) : perun_format("%s/%s", store->path, url);
	char *real = realpath(place, NULL);

	perun_free(place);
	return real;
}

/* ---- whether it is the one that the store lies in --------------------------------------------- */

/* The root of the repository of this type that the store lies in; NULL when there is none. */
static char *surrounding(const struct perun_store *store, const char *type)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_vcs *vcs = NULL;
	char *root = NULL;

	if (perun_vcs_load(quiet, type, &vcs) || perun_vcs_discover(quiet, vcs, store->root, &root))
		root = NULL;
	perun_vcs_close(vcs);
	perun_ctx_free(quiet);
	return root;
}

static bool is_surrounding(const struct perun_store *store, const char *type, const char *real)
{
	char *root = strcmp(real, store->root) == 0 ? NULL : surrounding(store, type);
	bool is = strcmp(real, root ? root : store->root) == 0;

	perun_free(root);
	return is;
}

bool perun_store_url_leaves(const struct perun_store *store, const struct perun_json *local)
{
	const char *url = perun_json_as_string(perun_config_lookup(local, "vcs.url"), NULL);
	const char *type = perun_json_as_string(perun_config_lookup(local, "vcs.type"), NULL);
	/* An absolute one that leads elsewhere is refused, trusted or not: check_absolute(). */
	char *real = url && url[0] != '/' ? resolve(store, url) : NULL;
	bool leaves = real && !is_surrounding(store, type ? type : "git", real);

	free(real);
	return leaves;
}

bool perun_store_is_tracked(const struct perun_store *store)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	size_t count;
	char **types = perun_supported_modules(quiet, PERUN_KIND_VCS, &count);
	bool tracked = false;

	for (size_t i = 0; !tracked && i < count; i++) {
		struct perun_vcs *vcs = NULL;
		char *root = surrounding(store, types[i]);

		perun_ctx_clear(quiet);
		/* What cannot be asked may track it. */
		if (root && (perun_vcs_open(quiet, types[i], root, &vcs) ||
			     perun_vcs_is_tracked(quiet, vcs, store->path, &tracked)))
			tracked = true;
		perun_vcs_close(vcs);
		perun_free(root);
	}
	perun_free(types);
	perun_ctx_free(quiet);
	return tracked;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The place of a url is that of the store's own repository, or what the user asks for in this run. */
static int check_absolute(struct perun_ctx *ctx, const struct perun_store *store, const char *type,
			  const char *url, const char *real)
{
	if (url[0] != '/' || perun_config_lookup(store->settings->runtime, "vcs.url") ||
	    (real && is_surrounding(store, type, real)))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "vcs.url in %s/" PERUN_LOCAL_CONFIG " is %s, but the store lies in %s%s",
			  store->path, url, store->root, perun_advice(PERUN_ADVICE_MOVED));
}

static int open_vcs(struct perun_ctx *ctx, struct perun_store *store, const char *type,
		    const char *url)
{
	char *real = resolve(store, url), *place = NULL;
	struct perun_json *options = NULL;
	int status = check_absolute(ctx, store, type, url, real);

	if (!status)
		status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, "vcs.options",
					       &options);
	if (!status) {
		/* The head is that of the work tree in which the user is. */
		if (store->work_tree && real && strcmp(real, store->root) == 0)
			place = perun_strdup(store->work_tree);
		else
			place = real ? perun_strdup(real) : perun_format("%s/%s", store->path, url);
		status = perun_vcs_open_with(ctx, type, place, options, &store->vcs);
	}
	perun_json_free(options);
	perun_free(place);
	free(real);
	return status;
}

int perun_store_vcs(struct perun_ctx *ctx, struct perun_store *store, struct perun_vcs **vcs)
{
	char *type = NULL, *url = NULL;
	int status;

	*vcs = store->vcs;
	if (store->vcs)
		return PERUN_OK;
	status = perun_config_get(ctx, store, PERUN_CONFIG_NEAREST, "vcs.type", &type);
	if (!status && !type)
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s/" PERUN_LOCAL_CONFIG " does not say vcs.type%s",
				    store->path, perun_advice(PERUN_ADVICE_INIT_WRITES));
	if (!status)
		status = perun_config_get(ctx, store, PERUN_CONFIG_NEAREST, "vcs.url", &url);
	if (!status)
		status = open_vcs(ctx, store, type, url ? url : "..");
	perun_free(type);
	perun_free(url);
	*vcs = status ? NULL : store->vcs;
	return status;
}
