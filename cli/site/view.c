/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of profiles as pages: all of them with --full, or one on request. */
#include <config.h>

#include <string.h>

#include "cli/draw.h"
#include "cli/site/page.h"
#include "core/registry/registry.h"

/* The views that draw pages of single profiles. */
int site_list_views(struct site *site)
{
	struct perun_ctx *ctx = site->cli->ctx;
	size_t count = 0;
	char **names = perun_supported_modules(ctx, PERUN_KIND_VIEW, &count);
	int status = PERUN_OK;

	site->views = perun_alloc_zero(count + 1, sizeof *site->views);
	for (size_t i = 0; !status && i < count; i++) {
		const char *words[] = {names[i], NULL};
		struct cli_module module = {0};
		struct perun_view_ops ops;

		if (cli_module_parse(site->cli, PERUN_KIND_VIEW, words, &module) == PERUN_OK) {
			perun_plugin_ops(module.plugin, &ops, sizeof ops);
			if ((ops.forms & PERUN_FORM_HTML) && ops.minimum <= 1)
				site->views[site->view_count++] = perun_strdup(names[i]);
		} else {
			perun_ctx_clear(ctx);
		}
		cli_module_free(&module);
	}
	perun_free(names);
	return status;
}

int site_draw(struct cli *cli, const char *view, struct perun_profile *profile, const char *name,
	      struct perun_buffer *page)
{
	const char *words[] = {view, NULL};
	struct cli_drawing drawing = {.cli = cli};
	struct perun_option_table tables[2] = {{0}};
	int status = cli_module_parse(cli, PERUN_KIND_VIEW, words, &drawing.module);
	const struct cli_module *module = &drawing.module;

	perun_buffer_clear(page);
	if (!status) {
		perun_plugin_ops(module->plugin, &drawing.ops, sizeof drawing.ops);
		tables[0] = (struct perun_option_table){module->plugin->options,
							module->plugin->option_size};
		if (module->subcommand)
			tables[1] = (struct perun_option_table){module->subcommand->options,
								module->subcommand->option_size};
		status = perun_options_parse(cli->ctx, tables, module->subcommand ? 2 : 1,
					     module->arguments, 0, &drawing.options, NULL);
	}
	if (!status && !(drawing.ops.forms & PERUN_FORM_HTML))
		status = perun_fail(cli->ctx, PERUN_USAGE, "the view %s draws no pages", view);
	if (!status) {
		drawing.canvas = (struct perun_canvas){.struct_size = sizeof drawing.canvas,
						       .form = PERUN_FORM_HTML,
						       .output = perun_output_to_buffer(page)};
		status = cli_drawing_add(&drawing, &profile, &name, 1);
		status = cli_drawing_end(&drawing, status);
	}
	cli_drawing_free(&drawing);
	return status;
}

char *site_view_path(const char *profile, const char *view)
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
	struct perun_ctx *ctx = site->cli->ctx;
	char *path = site_view_path(entry->checksum, view);
	char *refused = refused_path(entry->checksum, view);
	uint64_t key = site_hash_text(SITE_FORM, entry->checksum) | 1;
	struct perun_buffer page = {0};
	int status = PERUN_OK;

	*shown = site_is_current(site->files, path, key);
	if (*shown || site_is_noted(site->files, refused, key))
		goto out;
	if (!*profile)
		status = perun_store_load(ctx, site->cli->store, entry->checksum, profile);
	if (!status)
		status = site_draw(site->cli, view, *profile, entry->path, &page);
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
