/* SPDX-License-Identifier: BSD-3-Clause */
/* perun show: profiles in a view. */
#include <config.h>

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <perun/view.h>

#include "cli/cli.h"
#include "cli/lookup.h"
#include "cli/module.h"
#include "core/registry/registry.h"

static const char default_view[] = "tableof";
static const char form_choices[] = "terminal svg html json csv markdown";

const struct perun_option cli_show_options[] = {
	{.name = "profile",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_PATH,
	 .help = "a tag such as 0@i or HEAD~1^0@i, a registered or pending profile, or a file"},
	{.name = "minor",
	 .aliases = "-m",
	 .metavar = "REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "the version to look in, the head by default"},
	{.name = "output",
	 .aliases = "-o",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "write there and not to standard output"},
	{.name = "form",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = form_choices,
	 .help = "what is drawn, by default told from the name of the output"},
	{.name = "json", .help = "the same as the form json"},
	{0}};

static const struct {
	const char *name, *suffix;
	enum perun_form form;
} forms[] = {{"terminal", ".txt", PERUN_FORM_TERMINAL}, {"svg", ".svg", PERUN_FORM_SVG},
	     {"html", ".html", PERUN_FORM_HTML},        {"json", ".json", PERUN_FORM_JSON},
	     {"csv", ".csv", PERUN_FORM_CSV},           {"markdown", ".md", PERUN_FORM_MARKDOWN}};
enum { FORMS = sizeof forms / sizeof *forms };

struct showing {
	struct cli_lookup lookup;
	struct cli_module module;
	struct perun_view_ops ops;
	struct perun_profile **profiles;
	const char **names;
	size_t count;
	struct perun_canvas canvas;
};

/* ---- what is shown --------------------------------------------------------------------------- */

/* A word that cannot be the name of a view: a tag or a file. */
static bool is_profile_word(const char *word)
{
	return strchr(word, '@') || strchr(word, '/') || access(word, F_OK) == 0;
}

/*
 * Behind the first profile stand further ones, the name of a view and its options. `*view` becomes
 * the number of the view's word in `rest`, or that of the end.
 */
static int find_profiles(struct cli *cli, const struct cli_call *call, struct showing *showing,
			 size_t *view)
{
	const unsigned sources = CLI_REGISTERED | CLI_PENDING | CLI_FILE;
	int status = cli_lookup_add(&showing->lookup, perun_option_string(call->options, "profile"),
				    sources);

	for (*view = 0; !status && call->rest[*view]; (*view)++) {
		const char *word = call->rest[*view], *next = call->rest[*view + 1];

		if (cli_module_exists(cli, PERUN_KIND_VIEW, word))
			break;
		/* A name at the end that is no file is meant as the view. */
		if ((!next || *next == '-') && !is_profile_word(word))
			break;
		status = cli_lookup_add(&showing->lookup, word, sources);
	}
	return status;
}

static int load_profiles(struct cli *cli, struct showing *showing)
{
	struct cli_lookup *lookup = &showing->lookup;
	int status = PERUN_OK;

	showing->profiles = perun_alloc_zero(lookup->count + 1, sizeof *showing->profiles);
	showing->names = perun_alloc_zero(lookup->count + 1, sizeof *showing->names);
	for (size_t i = 0; !status && i < lookup->count; i++) {
		status = cli_lookup_load(lookup, &lookup->places[i], &showing->profiles[i]);
		if (!status) {
			showing->names[i] = lookup->places[i].name;
			showing->count++;
		}
	}
	if (!status && (showing->count < showing->ops.minimum ||
			(showing->ops.maximum && showing->count > showing->ops.maximum)))
		status =
			perun_fail(cli->ctx, PERUN_USAGE, "the view %s takes %u profile%s, not %zu",
				   showing->module.plugin->name,
				   showing->count < showing->ops.minimum ? showing->ops.minimum
									 : showing->ops.maximum,
				   showing->ops.maximum == 1 ? "" : "s", showing->count);
	return status;
}

/* ---- where and how --------------------------------------------------------------------------- */

static const char *form_names(unsigned bits, struct perun_buffer *text)
{
	for (size_t i = 0; i < FORMS; i++) {
		if (bits & forms[i].form)
			perun_buffer_printf(text, "%s%s", text->length ? ", " : "", forms[i].name);
	}
	return text->length ? text->data : "nothing";
}

/* The form that is asked for, by its name or by the name of the file; 0 = none. */
static enum perun_form asked_form(const struct perun_options *options)
{
	const char *name = perun_option_string(options, "form");
	const char *output = perun_option_string(options, "output");
	const char *suffix = output ? strrchr(output, '.') : NULL;

	for (size_t i = 0; i < FORMS; i++) {
		if (perun_option_flag(options, "json") && forms[i].form == PERUN_FORM_JSON)
			return forms[i].form;
		if (name && strcmp(forms[i].name, name) == 0)
			return forms[i].form;
		if (!name && suffix && strcasecmp(forms[i].suffix, suffix) == 0)
			return forms[i].form;
	}
	return 0;
}

static int choose_form(struct cli *cli, const struct perun_options *options,
		       struct showing *showing)
{
	unsigned can = showing->ops.forms;
	enum perun_form form = asked_form(options);
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
				    showing->module.plugin->name, form_names(can, &names));
	perun_buffer_free(&names);
	showing->canvas =
		(struct perun_canvas){.struct_size = sizeof showing->canvas,
				      .form = form,
				      .color = cli->color && !perun_option_given(options, "output"),
				      .width = cli->width,
				      .ascii = !cli_has_unicode()};
	return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static int draw(struct cli *cli, struct showing *showing, const struct perun_options *options)
{
	void *instance = NULL;
	int status = PERUN_OK;

	if (showing->ops.open)
		status = showing->ops.open(
			cli->ctx, options,
			showing->module.subcommand ? showing->module.subcommand->name : NULL,
			&instance);
	if (status)
		return status;
	status = showing->ops.show(instance, cli->ctx, showing->profiles, showing->names,
				   showing->count, &showing->canvas);
	if (showing->ops.close)
		showing->ops.close(instance);
	return status;
}

static int draw_to(struct cli *cli, struct showing *showing, const char *path)
{
	const struct cli_module *module = &showing->module;
	struct perun_option_table tables[2] = {
		{module->plugin->options, module->plugin->option_size}};
	struct perun_options *options;
	struct perun_output *output;
	int status;

	if (module->subcommand)
		tables[1] = (struct perun_option_table){module->subcommand->options,
							module->subcommand->option_size};
	status = perun_options_parse(cli->ctx, tables, module->subcommand ? 2 : 1,
				     module->arguments, 0, &options, NULL);
	if (status)
		return perun_fail(cli->ctx, PERUN_OK, "%s", module->plugin->name);
	if (!path)
		cli_page(cli, "show");
	status = perun_output_open(cli->ctx, path ? path : "-", &output);
	if (!status) {
		showing->canvas.output = output;
		status = draw(cli, showing, options);
		if (!status)
			status = perun_output_commit(cli->ctx, output);
		perun_output_close(output);
	}
	perun_options_free(options);
	return status;
}

int cli_show(struct cli *cli, const struct cli_call *call)
{
	const char *const fallback[] = {default_view, NULL};
	struct showing showing = {0};
	size_t view = 0;
	int status;

	cli_lookup_start(&showing.lookup, cli, perun_option_string(call->options, "minor"));
	status = find_profiles(cli, call, &showing, &view);
	if (!status)
		status = cli_module_parse(cli, PERUN_KIND_VIEW,
					  call->rest[view] ? call->rest + view : fallback,
					  &showing.module);
	if (!status) {
		perun_plugin_ops(showing.module.plugin, &showing.ops, sizeof showing.ops);
		status = choose_form(cli, call->options, &showing);
	}
	if (!status)
		status = load_profiles(cli, &showing);
	if (!status)
		status = draw_to(cli, &showing, perun_option_string(call->options, "output"));
	for (size_t i = 0; i < showing.count; i++)
		perun_profile_unref(showing.profiles[i]);
	perun_free(showing.profiles);
	perun_free((void *)showing.names);
	cli_module_free(&showing.module);
	cli_lookup_free(&showing.lookup);
	return status;
}
