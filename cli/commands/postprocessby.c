/* SPDX-License-Identifier: BSD-3-Clause */
/* perun postprocessby: make a new profile from a profile. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/postprocess.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"
#include "cli/base/lookup.h"
#include "cli/base/module.h"
#include "commands/common/lookup.h"

const struct perun_option cli_postprocessby_options[] = {
	{.name = "profile",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_PATH,
	 .help = "a tag such as 0@i or 0@p, a registered or pending profile, or a file"},
	{.name = "output",
	 .aliases = "-o",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "write the new profile there (- is standard output); no store is needed then"},
	{.name = "output-filename-template",
	 .aliases = "-ot",
	 .metavar = "TEMPLATE",
	 .type = PERUN_OPTION_STRING,
	 .help = "the name of the new pending profile"},
	CLI_MINOR_OPTION("the version to look in, the head by default"),
	{.name = "json", .help = "print JSON"},
	{0}};

static int save_file(struct cli *cli, const struct perun_profile *profile, const char *path)
{
	struct perun_output *output;
	int status = perun_output_open(cli->ctx, path, &output);

	if (status)
		return status;
	status = perun_write_profile(cli->ctx, profile, "perun", NULL, output);
	if (!status)
		status = perun_output_commit(cli->ctx, output);
	perun_output_close(output);
	return status;
}

/*
 * A registered profile has lost its origin: it is the version it is registered with. Others keep
 * what they have.
 */
static int set_origin(struct cli *cli, const struct perun_place *place,
		      struct perun_profile **profile)
{
	struct perun_builder *builder;
	struct perun_profile *changed;
	int status;

	if (place->kind != PERUN_PLACE_REGISTERED || !*place->version ||
	    *perun_profile_text(*profile, "/origin"))
		return PERUN_OK;
	builder = perun_builder_from(*profile);
	perun_json_set(perun_builder_document(builder), "origin", perun_json_text(place->version));
	status = perun_builder_finish(cli->ctx, builder, &changed);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = changed;
	return PERUN_OK;
}

static int save_pending(struct cli *cli, const struct perun_profile *profile,
			const struct perun_place *place, const struct perun_options *options)
{
	char *name_template = commands_template_of(
		profile, place, perun_option_string(options, "output-filename-template"));
	char *path = NULL;
	int status = cli_open_store(cli);

	if (!status)
		status = perun_store_save_pending(cli->ctx, cli->store, profile, name_template,
						  &path);
	perun_free(name_template);
	if (!status && perun_option_flag(options, "json")) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "path", cli_json_text(path));
		cli_print_facts(document);
	} else if (!status) {
		printf("Stored pending profile %s\n", path);
	}
	perun_free(path);
	return status;
}

static int postprocess(struct cli *cli, const struct perun_options *options,
		       struct perun_lookup *lookup, const struct cli_module *module)
{
	const char *output = perun_option_string(options, "output");
	const struct perun_place *place = perun_lookup_at(lookup, 0);
	struct perun_profile *profile = NULL, *result = NULL;
	int status = perun_lookup_load(cli->ctx, lookup, place, &profile);

	if (!status)
		status = perun_postprocess(cli->ctx, profile, module->plugin->name,
					   module->chosen ? module->subcommand->name : NULL,
					   module->arguments, &result);
	if (!status && !output)
		status = set_origin(cli, place, &result);
	if (!status && output)
		status = save_file(cli, result, output);
	else if (!status)
		status = save_pending(cli, result, place, options);
	perun_profile_unref(result);
	perun_profile_unref(profile);
	return status;
}

int cli_postprocessby(struct cli *cli, const struct cli_call *call)
{
	const char *word = perun_option_string(call->options, "profile");
	struct cli_module module = {0};
	struct perun_lookup *lookup;
	int status;

	if (!call->rest[0])
		return cli_module_missing(cli, PERUN_KIND_POSTPROCESS, "postprocessby",
					  "a postprocessor after the profile");
	lookup = cli_lookup_new(cli, call->options, false);
	status = cli_module_parse(cli, PERUN_KIND_POSTPROCESS, call->rest, &module);
	status = status ? status : cli_module_options(cli, &module, NULL);
	/* Without a store there is nowhere to keep the outcome: say so before the work. */
	if (!status && !perun_option_given(call->options, "output"))
		status = cli_open_store(cli);
	if (!status)
		status = cli_lookup_add(cli, lookup, word, PERUN_PLACE_ANY);
	if (!status && perun_lookup_count(lookup) != 1)
		status = perun_fail(cli->ctx, PERUN_USAGE,
				    "%s names %zu profiles; postprocess one at a time", word,
				    perun_lookup_count(lookup));
	if (!status)
		status = postprocess(cli, call->options, lookup, &module);
	cli_module_free(&module);
	perun_lookup_free(lookup);
	return status;
}
