/* SPDX-License-Identifier: BSD-3-Clause */
/* perun import: bind what other tools measured to a version. */
#include <config.h>

#include <string.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/path.h>

#include "commands/common/import-identity.h"
#include "commands/common/interleave-options.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "commands/common/stored-query.h"
#include "commands/common/symbolize.h"
#include "entries.h"
#include "history.h"
#include "views/common/bars.h"

static const struct perun_option options[] = {
	{.name = "file",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "a file or directory of any readable format, - for standard input"},
	{.name = "format",
	 .aliases = "--from",
	 .metavar = "FORMAT",
	 .type = PERUN_OPTION_STRING,
	 .help = "the format to read, by default found out from the content"},
	{.name = "format-option",
	 .aliases = "-o",
	 .metavar = "K=V",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "an option of the format"},
	{.name = "minor",
	 .aliases = "-m",
	 .metavar = "REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "the version that was measured, the head by default"},
	{.name = "workload",
	 .aliases = "-w",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the workload of the profiles, so that files of any name make one history"},
	{.name = "cmd",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the command of the profiles, by default what the format says"},
	{.name = "history",
	 .metavar = "SOURCE",
	 .type = PERUN_OPTION_PATH,
	 .help = "import what another tool collected, each entry at its commit: a directory, a "
		 "file, "
		 "or a branch"},
	{.name = "pattern",
	 .metavar = "PATTERN",
	 .type = PERUN_OPTION_STRING,
	 .help = "the files of a history, such as 'results/{commit}/*.json'"},
	{.name = "commit",
	 .metavar = "COLUMN",
	 .type = PERUN_OPTION_STRING,
	 .help = "the column of commits in the table that is a history, by default recognized by "
		 "its "
		 "heading"},
	{.name = "date",
	 .metavar = "COLUMN",
	 .type = PERUN_OPTION_STRING,
	 .help = "the column of dates in such a table"},
	{.name = "machine-info",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "the machine of the profiles: a JSON object"},
	{.name = "metadata",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "what else the profiles say of themselves: JSON, an object or a list of objects "
		 "with "
		 "name and value"},
	{.name = "stats-headers",
	 .aliases = "-t",
	 .metavar = "NAMES",
	 .type = PERUN_OPTION_STRING,
	 .help = "perf KIND FILE,EXIT,VALUE...: the names of the values, each "
		 "NAME[|COMPARISON[|UNIT[|AGGREGATION[|DESCRIPTION]]]]"},
	{.name = "import-dir",
	 .aliases = "-d",
	 .metavar = "DIR",
	 .type = PERUN_OPTION_PATH,
	 .help = "where files are that are named without a directory of their own"},
	{.name = "label",
	 .metavar = "KEY=VALUE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a label of the profiles, by which perun show --label finds them"},
	{.name = "profile-label",
	 .metavar = "TEXT",
	 .type = PERUN_OPTION_STRING,
	 .help = "a label of the profiles, the key label of their header"},
	{.name = "profile-name",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the name of the profile, where there is one, instead of that of its file"},
	{.name = "save-to-index",
	 .help = "accepted for scripts of the Python program: profiles are registered always"},
	{.name = "expand",
	 .help = "store all rows as Perun resources, and not the files as they are"},
	{.name = "json", .help = "print JSON"},
	{0}};

struct import {
	const struct perun_command_call *call;
	struct perun_ctx *ctx;
	struct perun_store *store;
	const struct perun_options *options;
	const char **settings; /* of the format */
	const char **words;    /* the arguments; the first ones may name what wrote the files */
	size_t word_count, first;
	struct import_entries entries;
	struct perun_json *machine, *metadata; /* or NULL */
	const char *format;
	char *minor;
};

/* "perf script FILE...", as one names for the Python program what wrote the files. */
static void take_words(struct import *import)
{
	static const char *const formats[][3] = {{"perf", "script", "perf-script"},
						 {"perf", "record", NULL},
						 {"perf", "stack", "collapsed"},
						 {"perf", "stat", "perf-stat"},
						 {"elk", "json", "table"}};

	import->format = perun_option_string(import->options, "format");
	for (size_t i = 0; import->word_count > 2 && i < sizeof formats / sizeof *formats; i++)
		if (strcmp(import->words[0], formats[i][0]) == 0 &&
		    strcmp(import->words[1], formats[i][1]) == 0) {
			import->first = 2;
			import->format = formats[i][2];
		}
}

/* What the user says goes before what the format does. */
static void describe(void *data, const struct perun_profile *profile, struct perun_json *document,
		     const char *path, const char *format)
{
	const struct import *import = data;
	const struct import_entry *entry = import_entries_find(&import->entries, path);

	if (strcmp(format, "perun") != 0)
		commands_identify(import->ctx, profile, document, path, format);
	commands_set_header(document, "cmd", perun_option_string(import->options, "cmd"));
	commands_set_header(document, "workload", perun_option_string(import->options, "workload"));
	commands_set_header(document, "label",
			    perun_option_string(import->options, "profile-label"));
	commands_add_labels(import->options, document);
	if (import->machine)
		perun_json_set(document, "machine", perun_json_clone(import->machine));
	if (import->metadata)
		perun_json_set(document, "metadata", perun_json_clone(import->metadata));
	if (entry && entry->stats)
		perun_json_set(document, "stats", perun_json_clone(entry->stats));
	if (entry && entry->exit_codes)
		perun_json_set(perun_json_get(document, "header"), "exitcode",
			       perun_json_clone(entry->exit_codes));
}

/* Addresses get names while the programs are those that were measured. The older forms of pprof say nothing that it has no place for. */
static int complete(void *data, struct perun_ctx *ctx, const char *format,
		    struct perun_profile **profile)
{
	(void)data;
	if (strcmp(format, "pprof") != 0 && strcmp(format, "pprof-legacy") != 0)
		return PERUN_OK;
	return commands_symbolize_for_store(ctx, profile);
}

static void print_json(const struct import *import, const struct perun_additions *added)
{
	struct perun_json *document = perun_json_object(), *list = perun_json_array();

	for (size_t i = 0; i < import->entries.count; i++) {
		const struct perun_added *one = perun_additions_at(added, i);
		struct perun_json *item = perun_json_object();
		const char *path = import->entries.paths[i];

		perun_json_set(item, "path", perun_json_text(path));
		perun_json_set(item, "checksum",
			       one->status ? perun_json_null() : perun_json_text(one->checksum));
		perun_json_set(item, "already", perun_json_bool(one->already));
		perun_json_set(item, "error",
			       one->error ? perun_json_text(one->error) : perun_json_null());
		perun_json_append(list, item);
	}
	perun_json_set(document, "minor_version", perun_json_text(import->minor));
	perun_json_set(document, "profiles", list);
	commands_print_json(import->call, document);
}

static void print_text(const struct import *import, const struct perun_additions *added)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas,
					    .color = import->call->color};
	struct perun_buffer text = {0};

	for (size_t i = 0; i < import->entries.count; i++) {
		const struct perun_added *one = perun_additions_at(added, i);
		const char *given = import->entries.paths[i];
		char *name = perun_printable(strcmp(given, "-") ? given : "standard input");

		views_add_color(&text, &canvas, one->status ? VIEWS_RED : VIEWS_GREEN);
		if (one->status)
			perun_buffer_add_text(&text, "failed");
		else
			perun_buffer_printf(&text, "%sregistered with %.8s",
					    one->already ? "already " : "", import->minor);
		views_add_color(&text, &canvas, VIEWS_PLAIN);
		perun_buffer_printf(&text, "  %s\n", name);
		perun_free(name);
	}
	perun_output_write(import->call->output, text.data, text.length);
	perun_buffer_free(&text);
}

static int import_profiles(struct import *import)
{
	const struct perun_import_options how = {
		.struct_size = sizeof how,
		.format = import->format,
		.format_options = import->settings,
		.expand = perun_option_flag(import->options, "expand"),
		.describe = describe,
		.complete = complete,
		.data = import,
		.name = perun_option_string(import->options, "profile-name")};
	struct perun_additions *added = NULL;
	int status = perun_store_import(import->ctx, import->store, import->minor,
					import->entries.paths, import->entries.count, &how, &added);

	if (added && perun_option_flag(import->options, "json"))
		print_json(import, added);
	else if (added)
		print_text(import, added);
	perun_additions_free(added);
	return status;
}

/* Files, or a history. */
static int check_use(struct perun_ctx *ctx, const struct perun_options *options)
{
	static const char *const of_history[] = {"pattern", "commit", "date"};
	static const char *const of_files[] = {"machine-info", "metadata",      "stats-headers",
					       "import-dir",   "profile-label", "save-to-index",
					       "label",        "profile-name"};
	bool history = perun_option_string(options, "history") != NULL;

	if (history &&
	    (perun_option_count(options, "file") || perun_option_given(options, "minor")))
		return perun_fail(ctx, PERUN_USAGE,
				  "--history names its commits itself: give no other files and no "
				  "--minor");
	if (!history && !perun_option_count(options, "file"))
		return perun_fail(ctx, PERUN_USAGE,
				  "import needs a FILE argument, or --history SOURCE");
	for (size_t i = 0; history && i < sizeof of_files / sizeof *of_files; i++)
		if (perun_option_given(options, of_files[i]))
			return perun_fail(ctx, PERUN_USAGE, "--%s is for files, not for --history",
					  of_files[i]);
	for (size_t i = 0; !history && i < sizeof of_history / sizeof *of_history; i++)
		if (perun_option_given(options, of_history[i]))
			return perun_fail(ctx, PERUN_USAGE, "--%s is for --history", of_history[i]);
	return PERUN_OK;
}

/* A document that the user names; `*document` stays NULL where none is named. */
static int read_document(struct import *import, const char *option, bool list,
			 struct perun_json **document)
{
	const char *path = perun_option_string(import->options, option);
	enum perun_json_type type;
	struct perun_input *input;
	const void *text;
	size_t size;
	int status;

	if (!path)
		return PERUN_OK;
	status = perun_input_open(import->ctx, path, &input);
	if (status)
		return status;
	status = perun_input_map(import->ctx, input, (uint64_t)1 << 26, &text, &size);
	if (!status)
		status = perun_json_parse(import->ctx, text, size, NULL, document);
	if (status)
		perun_fail(import->ctx, PERUN_OK, "%s", path);
	perun_input_close(input);
	type = perun_json_type(*document);
	if (!status && type != PERUN_JSON_TYPE_OBJECT && !(list && type == PERUN_JSON_TYPE_ARRAY))
		status = perun_fail(import->ctx, PERUN_INPUT, "%s: expected %s, found %s", path,
				    list ? "an object or a list" : "an object",
				    perun_json_type_name(type));
	return status;
}

static int read_entries(struct import *import, const char *const *words, size_t count,
			const char *headers)
{
	return import_entries_read(import->ctx, words, count,
				   perun_option_string(import->options, "import-dir"), headers,
				   import->first != 0, &import->entries);
}

/* Files, and those of folders. */
static int read_files(struct import *import)
{
	const char *folder = perun_option_string(import->options, "import-dir");
	struct perun_lookup *lookup = perun_lookup_new(NULL);
	const char **paths;
	size_t count;
	int status;

	/* What is below another folder is looked for there, not here. */
	for (size_t i = 0; i < import->word_count; i++) {
		if (folder)
			perun_lookup_add_file(lookup, import->words[i]);
		else
			perun_lookup_add_files(import->ctx, lookup, import->words[i],
					       import->format);
	}
	count = perun_lookup_count(lookup);
	paths = perun_alloc_zero(count + 1, sizeof *paths);
	for (size_t i = 0; i < count; i++)
		paths[i] = perun_lookup_at(lookup, i)->path;
	status = read_entries(import, paths, count, NULL);
	perun_free((void *)paths);
	perun_lookup_free(lookup);
	return status;
}

/* What is imported, and what is said of it. */
static int read_arguments(struct import *import)
{
	const char *headers = perun_option_string(import->options, "stats-headers");
	int status = commands_check_labels(import->ctx, import->options);

	if (!status)
		status = read_document(import, "machine-info", false, &import->machine);
	if (!status)
		status = read_document(import, "metadata", true, &import->metadata);
	if (!status && headers && !import->first)
		status = perun_fail(import->ctx, PERUN_USAGE,
				    "--stats-headers is for import perf KIND FILE,EXIT,VALUE...");
	if (status)
		return status;
	return import->first ? read_entries(import, import->words + import->first,
					    import->word_count - import->first, headers)
			     : read_files(import);
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct import import = {.call = call, .ctx = ctx, .options = call->options};
	int status = check_use(ctx, call->options);

	if (!status)
		status = perun_command_store(call, ctx, true, &import.store);
	if (!status && perun_option_string(call->options, "history"))
		return history_run(ctx, call, import.store);
	if (!status)
		status = perun_lookup_version(ctx, import.store,
					      perun_option_string(call->options, "minor"),
					      &import.minor);
	import.settings = commands_words(call->options, "format-option");
	import.words = commands_words(call->options, "file");
	import.word_count = perun_option_count(call->options, "file");
	take_words(&import);
	if (!status)
		status = read_arguments(&import);
	if (!status)
		status = import_profiles(&import);
	import_entries_free(&import.entries);
	perun_json_free(import.machine);
	perun_json_free(import.metadata);
	perun_free((void *)import.words);
	perun_free((void *)import.settings);
	perun_free(import.minor);
	return status;
}

COMMAND_PLUGIN(import, "import", "profiles of other tools, bound to a version",
	       "bind what other tools measured to a version", options, run_command);
