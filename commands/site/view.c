/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of profiles as pages: all of them with --full, or one on request. */
#include <config.h>

#include <string.h>

#include <perun/lib/compare.h>
#include <perun/lib/registry.h>
#include <perun/view.h>

#include "commands/common/symbolize.h"
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

const char *const site_comparisons[] = {"flamegraph", "report", "table", NULL};

int site_find_before(struct perun_ctx *ctx, struct perun_store *store, const char *version,
		     const struct perun_entry *like, char **checksum)
{
	struct perun_entries entries = {0};
	int status = perun_store_entries(ctx, store, version, &entries);

	*checksum = NULL;
	for (size_t i = entries.count; !status && !*checksum && i-- > 0;) {
		const struct perun_entry *entry = perun_entries_at(&entries, i);

		if (perun_entries_compatible(entry, like))
			*checksum = perun_strdup(entry->checksum);
	}
	perun_entries_free(&entries);
	return status;
}

int site_draw(struct perun_ctx *ctx, const char *view, struct perun_profile *const *profiles,
	      const char *const *names, size_t count, struct perun_buffer *page)
{
	struct perun_canvas canvas = {.struct_size = sizeof canvas, .form = PERUN_FORM_HTML};
	int status;

	perun_buffer_clear(page);
	canvas.output = perun_output_to_buffer(page);
	status = perun_show_profiles(ctx, view, NULL, profiles, names, count, &canvas);
	if (!status)
		status = perun_output_commit(ctx, canvas.output);
	perun_output_close(canvas.output);
	return status;
}

/* A profile, or one and its like before it, in this order as views take them. */
struct drawn {
	const char *checksums[2];
	const char *names[2];
	struct perun_profile *profiles[2]; /* once they are needed */
	size_t count;
	char *page; /* what pages of it are called, before the view */
};

static void drawn_end(struct drawn *drawn)
{
	for (size_t i = 0; i < drawn->count; i++)
		perun_profile_unref(drawn->profiles[i]);
	perun_free(drawn->page);
}

static int load(struct site *site, const char *checksum, struct perun_profile **profile)
{
	int status = perun_store_load(site->ctx, site->store, checksum, profile);

	return status ? status : commands_symbolize_for_view(site->ctx, profile);
}

static int draw(struct site *site, const char *view, struct drawn *drawn, struct perun_buffer *page)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < drawn->count; i++) {
		if (!drawn->profiles[i])
			status = load(site, drawn->checksums[i], &drawn->profiles[i]);
	}
	return status ? status
		      : site_draw(site->ctx, view, drawn->profiles, drawn->names, drawn->count,
				  page);
}

/* "view/PAGE-VIEW.html"; a view that cannot show it is noted, so that it is not tried each time. */
static int write_view(struct site *site, const char *view, struct drawn *drawn, bool *shown)
{
	struct perun_ctx *ctx = site->ctx;
	char *path = perun_format("view/%s-%s.html", drawn->page, view);
	char *refused = perun_format(SITE_STATE "/refused/%s-%s", drawn->page, view);
	uint64_t key = SITE_FORM;
	struct perun_buffer page = {0};
	int status = PERUN_OK;

	for (size_t i = 0; i < drawn->count; i++)
		key = site_hash_text(key, drawn->checksums[i]);
	key |= 1;
	*shown = site_is_current(site->files, path, key);
	if (*shown || site_is_noted(site->files, refused, key))
		goto out;
	status = draw(site, view, drawn, &page);
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

static int write_views(struct site *site, const char *const *views, struct drawn *drawn,
		       struct perun_buffer *names)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && views[i]; i++) {
		bool shown = false;

		status = write_view(site, views[i], drawn, &shown);
		if (shown)
			perun_buffer_printf(names, "%s%s", names->length ? " " : "", views[i]);
	}
	drawn_end(drawn);
	return status;
}

int site_write_views(struct site *site, const struct perun_entry *entry, struct perun_buffer *names)
{
	struct drawn drawn = {.checksums = {entry->checksum},
			      .names = {entry->path},
			      .count = 1,
			      .page = perun_strdup(entry->checksum)};

	return write_views(site, (const char *const *)site->views, &drawn, names);
}

int site_write_comparisons(struct site *site, const char *before, const char *version,
			   const struct perun_entry *entry, struct perun_buffer *names)
{
	struct drawn drawn = {.count = 2};
	char *checksum, *short_names[2];
	int status = site_find_before(site->ctx, site->store, before, entry, &checksum);

	if (status || !checksum)
		return status;
	short_names[0] = perun_strndup(before, 8);
	short_names[1] = perun_strndup(version, 8);
	drawn.page = perun_format("%s-%s", entry->checksum, before);
	for (int i = 0; i < 2; i++) {
		drawn.checksums[i] = i ? entry->checksum : checksum;
		drawn.names[i] = short_names[i];
	}
	status = write_views(site, site_comparisons, &drawn, names);
	perun_free(short_names[0]);
	perun_free(short_names[1]);
	perun_free(checksum);
	return status;
}
