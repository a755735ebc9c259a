/* SPDX-License-Identifier: BSD-3-Clause */
/* perun convert --original: what was imported, as it came. */
#include <config.h>

#include <string.h>
#include <sys/stat.h>

#include <perun/format.h>

#include "commands/common/output.h"
#include "commands/convert/convert.h"

/* What would change it. */
static int check_options(struct perun_ctx *ctx, const struct perun_options *given)
{
	static const char *const others[] = {"to",     "from",      "format-option",
					     "chunks", "symbolize", "binary"};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (perun_option_given(given, others[i]))
			return perun_fail(ctx, PERUN_USAGE,
					  "--original writes what was imported as it came, and "
					  "does not go with --%s",
					  others[i]);
	}
	if (perun_option_flag(given, "json") && perun_option_given(given, "output") &&
	    strcmp(perun_option_string(given, "output"), "-") == 0)
		return perun_fail(ctx, PERUN_USAGE, "--json needs a file to write the profile to");
	return PERUN_OK;
}

/*
 * Whether it may be written here under its name, which may come from a store of others: no hidden file, no option of a
 * command, nowhere else, and nothing that drives a terminal.
 */
static bool is_plain_name(const char *name)
{
	if (!*name || *name == '.' || *name == '-' || strchr(name, '/'))
		return false;
	for (; *name; name++) {
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	}
	return true;
}

/* Where to write; without an argument beside what is there, never in its place. */
static int choose_path(struct perun_ctx *ctx, const struct perun_options *given,
		       const struct perun_place *place, const struct perun_imported *imported,
		       const char **path)
{
	struct stat info;

	if (perun_option_given(given, "output")) {
		*path = perun_option_string(given, "output");
		if (imported->directory && strcmp(*path, "-") == 0)
			return perun_fail(ctx, PERUN_USAGE,
					  "%s was imported as a directory, which cannot be "
					  "written to standard output: name one",
					  place->name);
		return PERUN_OK;
	}
	*path = imported->name;
	if (!is_plain_name(*path))
		return perun_fail(ctx, PERUN_INPUT,
				  "the original of %s has no name to write it under: name the "
				  "output",
				  place->name);
	if (!imported->directory && lstat(*path, &info) == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s exists already: name the output to replace it", *path);
	return PERUN_OK;
}

static int write_to(struct perun_ctx *ctx, const struct perun_command_call *call, const char *path,
		    const struct perun_imported *imported)
{
	bool shown = strcmp(path, "-") == 0 && call->terminal;
	struct perun_output *output = NULL;
	struct perun_buffer text = {0};
	int status = PERUN_OK;

	if (imported->directory)
		status = perun_output_open_directory(ctx, path, &output);
	else if (shown)
		output = perun_output_to_buffer(&text);
	else
		status = perun_output_open(ctx, path, &output);
	if (!status)
		status = perun_imported_write(ctx, imported, output);
	if (!status)
		status = perun_output_commit(ctx, output);
	if (!status && shown)
		status = convert_print_text(ctx, call, &text);
	perun_output_close(output);
	perun_buffer_free(&text);
	return status;
}

static int check_kept(struct perun_ctx *ctx, const struct perun_place *place,
		      const struct perun_imported *imported)
{
	if (!imported)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s has no original: perun convert --to perun writes what is "
				  "stored",
				  place->name);
	if (imported->reader)
		return perun_fail(ctx, PERUN_INPUT,
				  "the original of %s, in the format %s, was not kept but what was "
				  "read of it: perun convert --to %s writes that",
				  place->name, imported->reader, imported->format);
	return PERUN_OK;
}

static int write_place(struct perun_ctx *ctx, const struct perun_command_call *call,
		       struct perun_lookup *lookup, const struct perun_place *place)
{
	struct perun_imported *imported = NULL;
	const char *path = NULL;
	int status = perun_lookup_imported(ctx, lookup, place, &imported);

	if (!status)
		status = check_kept(ctx, place, imported);
	if (!status)
		status = choose_path(ctx, call->options, place, imported, &path);
	if (!status)
		status = write_to(ctx, call, path, imported);
	if (!status && perun_option_flag(call->options, "json")) {
		convert_print_facts(ctx, call, path, imported->format);
	} else if (!status && !perun_option_given(call->options, "output")) {
		perun_output_text(call->output, "written to ");
		commands_print_safe(call, path);
		perun_output_text(call->output, "\n");
	}
	perun_imported_free(imported);
	return status;
}

int convert_to_original(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_lookup *lookup = NULL;
	const struct perun_place *place;
	int status = check_options(ctx, call->options);

	if (status)
		return status;
	status = convert_find(ctx, call, &lookup, &place);
	if (!status)
		status = write_place(ctx, call, lookup, place);
	perun_lookup_free(lookup);
	return status;
}
