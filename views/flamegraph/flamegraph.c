/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `flamegraph`: stacks of a profile, or the difference of two, as a picture. */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "flame.h"
#include "views/common/plugin.h"

static int flamegraph_open(struct perun_ctx *ctx, const struct perun_options *options,
			   const char *subcommand, void **instance)
{
	struct flame_settings settings = flame_settings_read(options);

	(void)subcommand;
	if (settings.kind == FLAME_SANDWICH && !settings.function)
		return perun_fail(ctx, PERUN_USAGE,
				  "which function? Say it with --sandwich FUNCTION");
	*instance = perun_memdup(&settings, sizeof settings);
	return PERUN_OK;
}

static int write_form(struct perun_ctx *ctx, struct flame *flame, const struct perun_canvas *canvas)
{
	switch (canvas->form) {
	case PERUN_FORM_HTML:
		return flame_write_html(ctx, flame, canvas->output);
	case PERUN_FORM_SVG:
		return flame_write_svg(ctx, flame, canvas->output);
	case PERUN_FORM_JSON:
		return flame_write_json(ctx, flame, canvas->output);
	default:
		return flame_write_terminal(ctx, flame, canvas);
	}
}

/* --filename: a file of its own, whatever the canvas is. */
static int write_file(struct perun_ctx *ctx, struct flame *flame, const char *path)
{
	const char *suffix = strrchr(path, '.');
	struct perun_canvas canvas = {.struct_size = sizeof canvas, .form = PERUN_FORM_SVG};
	int status;

	if (suffix && (strcasecmp(suffix, ".html") == 0 || strcasecmp(suffix, ".htm") == 0))
		canvas.form = PERUN_FORM_HTML;
	if (suffix && strcasecmp(suffix, ".json") == 0)
		canvas.form = PERUN_FORM_JSON;
	status = perun_output_open(ctx, path, &canvas.output);
	if (status)
		return status;
	status = write_form(ctx, flame, &canvas);
	if (!status)
		status = perun_output_commit(ctx, canvas.output);
	perun_output_close(canvas.output);
	return status;
}

static int flamegraph_show(void *instance, struct perun_ctx *ctx,
			   struct perun_profile *const *profiles, const char *const *names,
			   size_t count, const struct perun_canvas *canvas)
{
	const struct flame_settings *settings = instance;
	struct flame flame = {.settings = settings};
	int status = flame_load(ctx, &flame, profiles, names, count);

	if (status)
		status = perun_fail(ctx, PERUN_OK, "%s", names[0]);
	else if (settings->file)
		status = write_file(ctx, &flame, settings->file);
	else
		status = write_form(ctx, &flame, canvas);
	flame_free(&flame);
	return status;
}

VIEW_PLUGIN(flamegraph, "flamegraph", "stacks as a flame graph, also of a change", flame_options,
	    .open = flamegraph_open, .close = perun_free,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	    .minimum = 1, .maximum = 0, .show = flamegraph_show);
