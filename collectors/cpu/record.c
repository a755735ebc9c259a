/* SPDX-License-Identifier: BSD-3-Clause */
/* perun record: sample a command, and show where the time went. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/store.h>
#include <perun/view.h>

#include "cpu.h"

static const struct perun_option record_options[] = {
	{.name = "command",
	 .metavar = "COMMAND",
	 .help = "the program and its arguments; put -- before them",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE},
	{.name = "output",
	 .aliases = "-o",
	 .metavar = "FILE",
	 .help = "write a flame graph (.html, .svg) or a profile (.perf, .pb.gz, .folded)",
	 .type = PERUN_OPTION_PATH},
	{.name = "frequency",
	 .aliases = "-F",
	 .metavar = "HERTZ",
	 .help = "samples a second of processor time (default: 997)",
	 .type = PERUN_OPTION_STRING},
	{.name = "pid",
	 .aliases = "-p",
	 .metavar = "PID",
	 .help = "sample this process, which runs already, until it ends or you interrupt",
	 .type = PERUN_OPTION_STRING},
	{.name = "duration",
	 .aliases = "-d",
	 .metavar = "DURATION",
	 .help = "how long to sample a process that runs already",
	 .type = PERUN_OPTION_STRING},
	{.name = "json", .help = "print the hottest functions as JSON, and no flame graph"},
	{.name = "off-cpu", .help = "record also where threads wait, and show that"},
	{0}};

/* ---- collecting --------------------------------------------------------------------------------- */

/* The words of the collector's own options; the caller frees the array, its texts are borrowed. */
static const char **collector_words(const struct perun_options *options)
{
	static const char *const names[] = {"frequency", "pid", "duration"};
	static const char *const words[] = {"--frequency", "--pid", "--duration"};
	const char **result = perun_alloc_zero(9, sizeof *result);
	size_t used = 0;

	for (size_t i = 0; i < 3; i++) {
		if (!perun_option_given(options, names[i]))
			continue;
		result[used++] = words[i];
		result[used++] = perun_option_string(options, names[i]);
	}
	if (perun_option_flag(options, "off-cpu"))
		result[used++] = "--off-cpu";
	result[used] = "--ignore-status";
	return result;
}

static int collect(struct perun_ctx *ctx, const struct perun_options *options,
		   struct perun_profile **profile)
{
	size_t count = perun_option_count(options, "command");
	char **argv = perun_alloc_zero(count + 1, sizeof *argv), *folder = getcwd(NULL, 0);
	const char **words = collector_words(options);
	struct perun_buffer command = {0};
	struct perun_collect_job job = {.struct_size = sizeof job,
					.arguments = "",
					.workload = "",
					.argv = argv,
					.directory = folder};
	int status;

	for (size_t i = 0; i < count; i++) {
		argv[i] = (char *)perun_option_string_at(options, "command", i);
		perun_buffer_printf(&command, "%s%s", i ? " " : "", argv[i]);
	}
	job.command = command.data ? command.data : "";
	if (!folder)
		status =
			perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot find the current folder");
	else if (!count && !perun_option_given(options, "pid"))
		status = perun_fail(ctx, PERUN_USAGE,
				    "no command to record: perun record -- COMMAND, or --pid PID");
	else
		status = perun_collect(ctx, "cpu", words, &job, profile);
	perun_buffer_free(&command);
	perun_free((void *)words);
	perun_free(argv);
	free(folder);
	return status;
}

/*
 * The profile as it would be read from a file: formats of stacks want a column of them, which the reader
 * makes from the traces.
 */
static int read_back(struct perun_ctx *ctx, struct perun_profile **profile)
{
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);
	struct perun_profile *read = NULL;
	struct perun_input *input;
	int status = perun_write_profile(ctx, *profile, "perun", NULL, output);

	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	if (!status) {
		input = perun_input_from_memory("record.perf", text.data, text.length);
		status = perun_read_profile(ctx, input, "perun", NULL, &read, NULL);
		perun_input_close(input);
	}
	if (!status) {
		perun_profile_unref(*profile);
		*profile = read;
	}
	perun_buffer_free(&text);
	return status;
}

/* ---- showing ------------------------------------------------------------------------------------ */

struct kind {
	const char *ending;
	enum perun_form form; /* of the flame graph, */
	const char *format;   /* or the profile itself */
};

static const struct kind kinds[] = {
	{".html", PERUN_FORM_HTML, NULL},
	{".svg", PERUN_FORM_SVG, NULL},
	{".perf", 0, "perun"},
	{".pb.gz", 0, "pprof"},
	{".folded", 0, "collapsed"},
	{".collapsed", 0, "collapsed"},
};

static const struct kind *find_kind(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t ending = strlen(kinds[i].ending);

		if (length > ending && strcmp(path + length - ending, kinds[i].ending) == 0)
			return &kinds[i];
	}
	return NULL;
}

static int draw(struct perun_ctx *ctx, const struct perun_options *options,
		struct perun_profile *profile, const struct perun_canvas *canvas)
{
	static const char *const waits[] = {"--metric", "off-cpu", NULL};
	struct perun_profile *const profiles[] = {profile};
	const char *const names[] = {perun_profile_text(profile, "/header/cmd")};

	return perun_show_profiles(ctx, "flamegraph",
				   perun_option_flag(options, "off-cpu") ? waits : NULL, profiles,
				   names, 1, canvas);
}

static int write_file(struct perun_ctx *ctx, const struct perun_options *options,
		      struct perun_profile *profile, const char *path, const struct kind *kind)
{
	struct perun_output *output;
	int status = perun_output_open(ctx, path, &output);
	struct perun_canvas canvas = {.struct_size = sizeof canvas, .width = 80};

	if (status)
		return status;
	canvas.form = kind->form;
	canvas.output = output;
	status = kind->format ? perun_write_profile(ctx, profile, kind->format, NULL, output)
			      : draw(ctx, options, profile, &canvas);
	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	return status;
}

/* What the view summary says of the profile; null when it says nothing. */
static struct perun_json *summary_json(struct perun_ctx *ctx, struct perun_profile *profile)
{
	static const char *const words[] = {"--brief", NULL};
	const char *const names[] = {perun_profile_text(profile, "/header/cmd")};
	struct perun_profile *const profiles[] = {profile};
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);
	const struct perun_canvas canvas = {.struct_size = sizeof canvas,
					    .form = PERUN_FORM_JSON,
					    .width = 80,
					    .output = output};
	struct perun_json *summary = NULL;
	int status = perun_show_profiles(ctx, "summary", words, profiles, names, 1, &canvas);

	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	if (!status && text.length)
		status = perun_json_parse(ctx, text.data, text.length, NULL, &summary);
	perun_buffer_free(&text);
	perun_ctx_clear(ctx);
	return summary ? summary : perun_json_null();
}

/* {"command", "path", "summary"}: `path` of the file or of the pending profile, or NULL. */
static void print_facts(struct perun_ctx *ctx, const struct perun_command_call *call,
			struct perun_profile *profile, const char *path)
{
	const char *command = perun_profile_text(profile, "/header/cmd");
	struct perun_json *document = perun_json_object();
	struct perun_buffer text = {0};

	perun_json_set(document, "command", command ? perun_json_text(command) : perun_json_null());
	perun_json_set(document, "path", path ? perun_json_text(path) : perun_json_null());
	perun_json_set(document, "summary", summary_json(ctx, profile));
	perun_json_print(document, &text, PERUN_JSON_INDENTED, 2);
	perun_output_printf(call->output, "%s\n", text.data);
	perun_buffer_free(&text);
	perun_json_free(document);
}

/* Show a profile, and keep it where there is a store. */
static int show(struct perun_ctx *ctx, const struct perun_command_call *call,
		struct perun_profile *profile, struct perun_store *store)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas,
					    .form = PERUN_FORM_TERMINAL,
					    .color = call->color,
					    .width = call->width,
					    .output = call->output};
	bool json = perun_option_flag(call->options, "json");
	char *path = NULL;
	int status = json ? PERUN_OK : draw(ctx, call->options, profile, &canvas);

	if (!status && store)
		status = perun_store_save_pending(ctx, store, profile, NULL, &path);
	if (!status && json)
		print_facts(ctx, call, profile, path);
	else if (!status && path)
		perun_output_printf(call->output, "\nkept as a pending profile: %s\n", path);
	perun_free(path);
	return status;
}

static int record(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const char *path = perun_option_string(call->options, "output");
	const struct kind *kind = path ? find_kind(path) : NULL;
	struct perun_profile *profile = NULL;
	struct perun_store *store = NULL;
	int status = PERUN_OK;

	if (path && !kind)
		return perun_fail(
			ctx, PERUN_USAGE,
			"%s: the name should end with .html, .svg, .perf, .pb.gz or .folded", path);
	if (!path)
		status = perun_command_store(call, ctx, false, &store);
	if (!status)
		status = collect(ctx, call->options, &profile);
	if (!status)
		status = read_back(ctx, &profile);
	if (!status)
		status = path ? write_file(ctx, call->options, profile, path, kind)
			      : show(ctx, call, profile, store);
	if (!status && path && perun_option_flag(call->options, "json"))
		print_facts(ctx, call, profile, path);
	perun_profile_unref(profile);
	return status;
}

const struct perun_command cpu_commands[] = {
	{.name = "record",
	 .summary = "sample where a command spends its time, and show a flame graph",
	 .options = record_options,
	 .option_size = sizeof *record_options,
	 .run = record},
	{.name = NULL},
};
