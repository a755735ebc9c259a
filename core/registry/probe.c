/* SPDX-License-Identifier: BSD-3-Clause */
/* Which format an input has. */
#include <fnmatch.h>
#include <string.h>

#include <perun/lib/registry.h>

#include "core/registry/guard.h"

/* An answer that needs no second opinion. */
enum { CERTAIN = 100 };

struct search {
	struct perun_ctx *ctx;
	const struct perun_probe *probe;
	const struct perun_plugin_info *best;
	const struct perun_plugin_info *rival; /* as sure as the best, or NULL */
	int sure;
};

static bool name_fits(const struct perun_plugin_info *info, const struct perun_probe *probe)
{
	const char *const *pattern = info->patterns;

	for (; pattern && *pattern && probe->name; pattern++) {
		if (fnmatch(*pattern, probe->name, 0) == 0)
			return true;
	}
	return false;
}

/* Without magic bytes, or in a directory, only probe() decides. */
static bool magic_fits(const struct perun_plugin_info *info, const struct perun_probe *probe)
{
	const struct perun_magic *magic = info->magic;

	if (!magic || !magic->size || probe->directory)
		return true;
	for (; magic->size; magic++) {
		if (magic->offset <= probe->size && magic->size <= probe->size - magic->offset &&
		    memcmp((const char *)probe->data + magic->offset, magic->bytes, magic->size) ==
			    0)
			return true;
	}
	return false;
}

static void ask(struct search *search, const struct perun_plugin_info *info)
{
	struct perun_ctx *trouble = perun_ctx_new(NULL);
	const struct perun_plugin *plugin;
	struct perun_format_ops ops = {0};
	int sure = 0;

	if (perun_registry_load(trouble, PERUN_KIND_FORMAT, info->name, &plugin) == PERUN_OK)
		perun_plugin_ops(plugin, &ops, sizeof ops);
	else
		perun_warn(search->ctx, "plugin skipped: %s", perun_ctx_error(trouble));
	perun_ctx_free(trouble);
	if (ops.probe && ops.read)
		PERUN_PLUGIN_CALL_VOID(plugin, sure = ops.probe(search->probe));
	if (sure > search->sure) {
		search->sure = sure;
		search->best = info;
		search->rival = NULL;
	} else if (sure > 0 && sure == search->sure) {
		search->rival = info;
	}
}

static int nothing_fits(struct perun_ctx *ctx, const char *name)
{
	struct perun_buffer list = {0};
	size_t count;
	char **names = perun_supported_modules(ctx, PERUN_KIND_FORMAT, &count);
	int status;

	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
	if (count)
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s has no format that is known here (known are: %s)", name,
				    list.data);
	else
		status = perun_fail(ctx, PERUN_MISSING,
				    "%s cannot be read: no format plugin is installed", name);
	perun_buffer_free(&list);
	perun_free(names);
	return status;
}

int perun_registry_probe(struct perun_ctx *ctx, const struct perun_probe *probe,
			 const struct perun_plugin_info **format)
{
	struct search search = {.ctx = ctx, .probe = probe};
	const char *name = probe->name ? probe->name : "the input";
	const struct perun_plugin_info *infos;
	size_t count;

	*format = NULL;
	infos = perun_registry_list(ctx, &count);
	for (int by_name = 1; by_name >= 0; by_name--) {
		for (size_t i = 0; i < count && search.sure < CERTAIN; i++) {
			if (infos[i].kind == PERUN_KIND_FORMAT && !infos[i].problem &&
			    name_fits(&infos[i], probe) == by_name && magic_fits(&infos[i], probe))
				ask(&search, &infos[i]);
		}
	}
	if (!search.best)
		return nothing_fits(ctx, name);
	if (search.rival)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s may have the format %s or %s; say which one", name,
				  search.best->name, search.rival->name);
	*format = search.best;
	return PERUN_OK;
}
