/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing profiles in a view: which form, where to, with what options. */
#include <config.h>

#include <stdlib.h>
#include <locale.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/registry.h>

#include "cli/print/draw.h"

static const struct {
	const char *name, *suffix;
	enum perun_form form;
} forms[] = {{"terminal", ".txt", PERUN_FORM_TERMINAL}, {"svg", ".svg", PERUN_FORM_SVG},
	     {"html", ".html", PERUN_FORM_HTML},        {"json", ".json", PERUN_FORM_JSON},
	     {"csv", ".csv", PERUN_FORM_CSV},           {"markdown", ".md", PERUN_FORM_MARKDOWN}};
enum { FORMS = sizeof forms / sizeof *forms };

/* ---- form ------------------------------------------------------------------------------------ */

static const char *form_names(unsigned bits, struct perun_buffer *text)
{
	for (size_t i = 0; i < FORMS; i++) {
		if (bits & forms[i].form)
			perun_buffer_printf(text, "%s%s", text->length ? ", " : "", forms[i].name);
	}
	return text->length ? text->data : "nothing";
}

/* What the command takes, too, for those who write it after the view. */
static const struct perun_option drawing_options[] = {CLI_DRAWING_OPTIONS("-o --output-file"), {0}};

/* Options of the same name that a view has itself come first; then none of these are taken. */
static bool has_own(const struct perun_plugin *view)
{
	const char *options = (const char *)view->options;

	for (; options && ((const struct perun_option *)options)->name;
	     options += view->option_size) {
		for (size_t i = 0; drawing_options[i].name; i++) {
			if (strcmp(((const struct perun_option *)options)->name,
				   drawing_options[i].name) == 0)
				return true;
		}
	}
	return false;
}

/* The value after the view, else that of the command. */
static const char *asked(const struct cli_drawing *drawing, const struct perun_options *options,
			 const char *name)
{
	if (drawing->after_view && perun_option_given(drawing->module.options, name))
		return perun_option_string(drawing->module.options, name);
	return perun_option_string(options, name);
}

/* The form that is asked for, by its name or by the name of the file; 0 = none. */
static enum perun_form asked_form(const struct cli_drawing *drawing,
				  const struct perun_options *options)
{
	const char *name = asked(drawing, options, "form");
	const char *suffix = drawing->path ? strrchr(drawing->path, '.') : NULL;
	bool json = perun_option_flag(options, "json") ||
		    (drawing->after_view && perun_option_flag(drawing->module.options, "json"));

	for (size_t i = 0; i < FORMS; i++) {
		if (json && forms[i].form == PERUN_FORM_JSON)
			return forms[i].form;
		if (name && strcmp(forms[i].name, name) == 0)
			return forms[i].form;
		if (!name && suffix && strcasecmp(forms[i].suffix, suffix) == 0)
			return forms[i].form;
	}
	return 0;
}

static int choose_form(struct cli_drawing *drawing, const struct perun_options *options)
{
	struct cli *cli = drawing->cli;
	unsigned can = drawing->ops.forms;
	enum perun_form form = asked_form(drawing, options);
	struct perun_buffer names = {0};
	int status = PERUN_OK;

	if (!form && (can & PERUN_FORM_TERMINAL))
		form = PERUN_FORM_TERMINAL;
	for (size_t i = 0; !form && i < FORMS; i++) {
		if (can == (unsigned)forms[i].form)
			form = forms[i].form; /* the only one */
	}
	if (!form || !(can & form))
		status = perun_fail(cli->ctx, PERUN_USAGE,
				    "the view %s draws %s: choose with --form or by the name of "
				    "--output",
				    drawing->module.plugin->name, form_names(can, &names));
	perun_buffer_free(&names);
	drawing->canvas = (struct perun_canvas){.struct_size = sizeof drawing->canvas,
						.form = form,
						.color = cli->color && !drawing->path,
						.screen = cli->terminal && !drawing->path,
						.width = cli->width,
						.ascii = !cli_has_unicode()};
	return status;
}

/* ---- the drawing ----------------------------------------------------------------------------- */

int cli_drawing_start(struct cli *cli, const char *const *words,
		      const struct perun_options *options, struct cli_drawing *drawing)
{
	struct cli_module *module = &drawing->module;
	int status;

	*drawing = (struct cli_drawing){.cli = cli};
	status = cli_module_parse(cli, PERUN_KIND_VIEW, words, &drawing->module);
	if (status)
		return status;
	perun_plugin_ops(module->plugin, &drawing->ops, sizeof drawing->ops);
	drawing->after_view = !has_own(module->plugin);
	status = cli_module_options(cli, module, drawing->after_view ? drawing_options : NULL);
	if (status)
		return status;
	drawing->path = asked(drawing, options, "output");
	return choose_form(drawing, options);
}

void cli_drawing_free(struct cli_drawing *drawing)
{
	cli_module_free(&drawing->module);
	*drawing = (struct cli_drawing){0};
}

int cli_drawing_takes(const struct cli_drawing *drawing, size_t count)
{
	const struct perun_view_ops *ops = &drawing->ops;
	const char *wanted = ops->minimum > 1 && ops->maximum != 2 ? "several profiles"
			     : ops->minimum > 1                    ? "two profiles"
			     : ops->maximum == 1                   ? "one profile"
								   : "one or two profiles";

	if (count >= ops->minimum && (!ops->maximum || count <= ops->maximum))
		return PERUN_OK;
	return perun_fail(drawing->cli->ctx, PERUN_USAGE, "the view %s takes %s, got %zu",
			  drawing->module.plugin->name, wanted, count);
}

int cli_drawing_open(struct cli_drawing *drawing, const char *command)
{
	const char *term = getenv("TERM");

	drawing->canvas.interactive = drawing->ops.interactive && !drawing->path &&
				      drawing->cli->terminal && isatty(STDIN_FILENO) && term &&
				      strcmp(term, "dumb") != 0 &&
				      drawing->canvas.form == PERUN_FORM_TERMINAL;
	/* What a view draws with asks the locale of the process what the terminal shows. */
	if (drawing->canvas.interactive)
		setlocale(LC_CTYPE, "");
	if (!drawing->path && !drawing->canvas.interactive)
		cli_page(drawing->cli, command);
	return perun_output_open(drawing->cli->ctx, drawing->path ? drawing->path : "-",
				 &drawing->canvas.output);
}

/* Where measuring dominated what was measured, no view of it may be read without knowing that. */
static void note_overhead(struct cli *cli, const struct perun_profile *profile, const char *name)
{
	const struct perun_json *overhead =
		perun_json_path(perun_profile_document(profile), "/header/overhead");
	double share;

	if (perun_json_as_double(perun_json_get(overhead, "share"), &share) && share >= 0.1)
		perun_note(cli->ctx, "%s: overhead %.0f %% of this run: measuring took that much",
			   name, 100 * share);
}

int cli_drawing_add(struct cli_drawing *drawing, struct perun_profile *const *profiles,
		    const char *const *names, size_t count)
{
	const struct cli_module *module = &drawing->module;
	struct perun_ctx *ctx = drawing->cli->ctx;
	void *instance = NULL;
	int status = PERUN_OK;

	for (size_t i = 0; i < count; i++)
		note_overhead(drawing->cli, profiles[i], names[i]);
	if (drawing->ops.open)
		status = PERUN_PLUGIN_CALL(
			ctx, module->plugin,
			drawing->ops.open(ctx, drawing->module.options,
					  module->subcommand ? module->subcommand->name : NULL,
					  &instance));
	if (status)
		return status;
	status = PERUN_PLUGIN_CALL(
		ctx, module->plugin,
		drawing->ops.show(instance, ctx, profiles, names, count, &drawing->canvas));
	if (drawing->ops.close)
		PERUN_PLUGIN_CALL_VOID(module->plugin, drawing->ops.close(instance));
	return status;
}

int cli_drawing_end(struct cli_drawing *drawing, int status)
{
	if (!status)
		status = perun_output_commit(drawing->cli->ctx, drawing->canvas.output);
	perun_output_close(drawing->canvas.output);
	return status;
}
