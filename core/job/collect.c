/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a collector: the order of its operations and what the host adds to its profile. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/lib/advice.h>
#include <perun/lib/options.h>
#include <perun/lib/program.h>
#include <perun/lib/registry.h>

#include "core/context/structs.h"
#include "core/job/program.h"
#include "core/registry/guard.h"

static int split_job(struct perun_ctx *ctx, const struct perun_collect_job *job,
		     struct perun_words *words)
{
	int status = perun_split_words(ctx, job->command, words);

	if (!status)
		status = perun_split_words(ctx, job->arguments, words);
	if (!status)
		status = perun_split_words(ctx, job->workload, words);
	return status;
}

/* Put a text into an object unless the collector already has. */
static void set_default(struct perun_json *object, const char *key, const char *text)
{
	if (!perun_json_get(object, key))
		perun_json_set(object, key, perun_json_text(text));
}

/* The object under a key of another, made if it is not there. */
static struct perun_json *object_at(struct perun_json *parent, const char *key)
{
	if (perun_json_type(perun_json_get(parent, key)) != PERUN_JSON_TYPE_OBJECT)
		perun_json_set(parent, key, perun_json_object());
	return perun_json_get(parent, key);
}

struct perun_json *perun_job_machine(const struct perun_collect_job *job)
{
	struct perun_json *machine = perun_machine_document();

	perun_describe_program(job->argv[0], job->directory, machine);
	return machine;
}

/* Header, collector_info and machine, in the order in which the Python program writes them. */
static void describe(struct perun_builder *builder, const struct perun_plugin *plugin,
		     const struct perun_options *options, const struct perun_collect_job *job)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *header = object_at(document, "header");
	struct perun_json *info, *params = perun_options_document(options);
	char *name = perun_strdup(plugin->name);

	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	set_default(header, "cmd", job->command);
	if (*job->arguments)
		set_default(header, "args", job->arguments);
	set_default(header, "workload", job->workload);
	info = object_at(document, "collector_info");
	perun_json_set(info, "name", perun_json_text(name));
	perun_json_set(params, "workload", perun_json_text(job->workload));
	perun_json_set(info, "params", params);
	if (!perun_json_get(document, "postprocessors"))
		perun_json_set(document, "postprocessors", perun_json_array());
	if (!perun_json_get(document, "machine"))
		perun_json_set(document, "machine", perun_job_machine(job));
	perun_free(name);
}

static int run_phases(struct perun_ctx *ctx, const struct perun_plugin *plugin,
		      const struct perun_collect_ops *ops, void *instance,
		      const struct perun_collect_job *job, struct perun_builder *builder)
{
	int status = PERUN_OK;

	if (ops->before)
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops->before(instance, ctx, job));
	if (!status)
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops->collect(instance, ctx, job, builder));
	if (!status && ops->after)
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops->after(instance, ctx, job, builder));
	if (ops->teardown)
		PERUN_PLUGIN_CALL_VOID(plugin, ops->teardown(instance, ctx, job, status));
	return status;
}

static int run_collector(struct perun_ctx *ctx, const struct perun_plugin *plugin,
			 const struct perun_options *options, const struct perun_collect_job *job,
			 struct perun_profile **profile)
{
	struct perun_collect_ops ops;
	struct perun_builder *builder;
	void *instance = NULL;
	int status;

	perun_plugin_ops(plugin, &ops, sizeof ops);
	if (!ops.no_command && !job->argv[0])
		return perun_fail(ctx, PERUN_USAGE, "the collector %s needs a command%s",
				  plugin->name, perun_advice(PERUN_ADVICE_GIVE_COMMAND));
	if (job->argv[0] && !*job->argv[0])
		return perun_fail(ctx, PERUN_USAGE, "the command is empty");
	if (ops.open) {
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops.open(ctx, options, NULL, &instance));
		if (status)
			return status;
	}
	builder = perun_builder_new();
	status = run_phases(ctx, plugin, &ops, instance, job, builder);
	if (ops.close)
		PERUN_PLUGIN_CALL_VOID(plugin, ops.close(instance));
	if (status) {
		perun_builder_free(builder);
		return status;
	}
	describe(builder, plugin, options, job);
	return perun_builder_finish(ctx, builder, profile);
}

/* Builds have been where no link leads; the user's own directory may be named by one. */
static char *find_built_in(const struct perun_collect_job *job)
{
	char *real = job->built_in ? realpath(job->built_in, NULL) : NULL;
	const char *found = real ? real : job->built_in ? job->built_in : job->directory;
	size_t length = strlen(found);
	char *name;

	while (length > 1 && found[length - 1] == '/')
		length--;
	name = perun_strndup(found, length);
	free(real);
	return name;
}

/* Fill in what the caller left out of the job, and run. */
static int run_job(struct perun_ctx *ctx, const struct perun_plugin *plugin,
		   const struct perun_options *options, const struct perun_collect_job *asked,
		   struct perun_profile **profile)
{
	struct perun_collect_job job = {0};
	struct perun_words words = {0};
	struct perun_scratch scratch = {.lock = -1}, quick = {.lock = -1};
	char *none[] = {NULL}, *directory = NULL, *input = NULL, *built_in = NULL;
	int status = PERUN_OK;

	/* A host of before may know less of it. */
	PERUN_STRUCT_TAKE(&job, asked);
	if (!job.argv) {
		status = split_job(ctx, &job, &words);
		job.argv = words.count ? words.items : none;
	}
	if (!job.directory)
		job.directory = directory = getcwd(NULL, 0);
	if (!status && !job.directory)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno,
					  "cannot find the current directory");
	if (!status && job.input) {
		job.input = input = perun_format("%s%s%s", *job.input == '/' ? "" : job.directory,
						 *job.input == '/' ? "" : "/", job.input);
		if (access(input, R_OK) != 0)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno,
						  "cannot read the standard input %s", input);
	}
	if (!status && !job.scratch) {
		status = perun_scratch_make(ctx, "perun-collect", &scratch);
		job.scratch = scratch.path;
	}
	if (!status && !job.quick)
		job.quick = perun_scratch_make_quick("perun-collect", &quick) ? quick.path
									      : job.scratch;
	if (!status) {
		job.built_in = built_in = find_built_in(&job);
		status = run_collector(ctx, plugin, options, &job, profile);
	}
	perun_scratch_remove(&scratch);
	perun_scratch_remove(&quick);
	free(directory);
	perun_free(built_in);
	perun_free(input);
	perun_words_free(&words);
	return status;
}

int perun_collect(struct perun_ctx *ctx, const char *collector, const char *const *arguments,
		  const struct perun_collect_job *job, struct perun_profile **profile)
{
	static const char *const no_words[] = {NULL};
	const struct perun_plugin *plugin;
	struct perun_options *options;
	struct perun_option_table table;
	int status;

	*profile = NULL;
	status = perun_registry_load(ctx, PERUN_KIND_COLLECT, collector, &plugin);
	if (status)
		return status;
	table = (struct perun_option_table){plugin->options, plugin->option_size};
	status = perun_options_parse(ctx, &table, 1, arguments ? arguments : no_words, 0, &options,
				     NULL);
	if (!status) {
		status = run_job(ctx, plugin, options, job, profile);
		perun_options_free(options);
	}
	if (status)
		perun_fail(ctx, PERUN_OK, "%s", plugin->name);
	return status;
}
