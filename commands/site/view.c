/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of profiles as pages: all of them with --full, or one on request. */
#include <config.h>

#include <string.h>

#include <perun/lib/registry.h>
#include <perun/view.h>

#include "page.h"

/* The views that draw pages of single profiles. */
int site_list_views(struct site *site)
{
	size_t count = 0;
	const struct perun_plugin_info *list = perun_registry_list(site->ctx, &count);

	site->views = perun_alloc_zero(count + 1, sizeof *site->views);
	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin *plugin;
		struct perun_view_ops ops;

		if (list[i].kind != PERUN_KIND_VIEW)
			continue;
		if (perun_registry_load(site->ctx, PERUN_KIND_VIEW, list[i].name, &plugin)) {
			perun_ctx_clear(site->ctx);
			continue;
		}
		perun_plugin_ops(plugin, &ops, sizeof ops);
		if ((ops.forms & PERUN_FORM_HTML) && ops.minimum <= 1)
			site->views[site->view_count++] = perun_strdup(list[i].name);
	}
	return PERUN_OK;
}

int site_draw(struct perun_ctx *ctx, const char *view, struct perun_profile *profile,
	      const char *name, struct perun_buffer *page)
{
	struct perun_canvas canvas = {.struct_size = sizeof canvas, .form = PERUN_FORM_HTML};
	int status;

	perun_buffer_clear(page);
	canvas.output = perun_output_to_buffer(page);
	status = perun_show_profiles(ctx, view, NULL, &profile, &name, 1, &canvas);
	if (!status)
		status = perun_output_commit(ctx, canvas.output);
	perun_output_close(canvas.output);
	return status;
}

/* "view/CHECKSUM-VIEW.html"; the caller's. */
static char *site_view_path(const char *profile, const char *view)
{
	return perun_format("view/%s-%s.html", profile, view);
}

/* Where a view that cannot show a profile is noted, so that it is not tried each time. */
static char *refused_path(const char *profile, const char *view)
{
	return perun_format(SITE_STATE "/refused/%s-%s", profile, view);
}

static int write_view(struct site *site, const struct perun_entry *entry, const char *view,
		      struct perun_profile **profile, bool *shown)
{
	struct perun_ctx *ctx = site->ctx;
	char *path = site_view_path(entry->checksum, view);
	char *refused = refused_path(entry->checksum, view);
	uint64_t key = site_hash_text(SITE_FORM, entry->checksum) | 1;
	struct perun_buffer page = {0};
	int status = PERUN_OK;

	*shown = site_is_current(site->files, path, key);
	if (*shown || site_is_noted(site->files, refused, key))
		goto out;
	if (!*profile)
		status = perun_store_load(ctx, site->store, entry->checksum, profile);
	if (!status)
		status = site_draw(ctx, view, *profile, entry->path, &page);
	if (status == PERUN_OK) {
		status = site_write(ctx, site->files, path, key, page.data, page.length);
		*shown = !status;
	} else if (status != PERUN_CANCELLED) {
		perun_ctx_clear(ctx);
		site_note(site->files, refused, key);
		status = PERUN_OK;
	}
out:
	perun_buffer_free(&page);
	perun_free(refused);
	perun_free(path);
	return status;
}

int site_write_views(struct site *site, const struct perun_entry *entry, struct perun_buffer *names)
{
	struct perun_profile *profile = NULL;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < site->view_count; i++) {
		bool shown = false;

		status = write_view(site, entry, site->views[i], &profile, &shown);
		if (shown)
			perun_buffer_printf(names, "%s%s", names->length ? " " : "",
					    site->views[i]);
	}
	perun_profile_unref(profile);
	return status;
}
