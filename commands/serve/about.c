/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be asked: metrics, formats; and what is left, as a file. */
#include <config.h>

#include <string.h>

#include <perun/format.h>
#include <perun/lib/registry.h>

#include "serve.h"

static void write_metrics(const struct serve_question *question, struct perun_json_writer *writer)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(question->data.profile, &count);

	perun_json_write_key_text(writer, "metrics");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i++) {
		perun_json_write_object_start(writer);
		serve_write_pair(writer, "name", metrics[i]->name);
		serve_write_pair(writer, "unit", metrics[i]->unit);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}

/* Those that hold stacks of samples, in one file. */
static const struct {
	const char *name, *ending;
} formats[] = {{"pprof", ".pb.gz"},   {"perun", ".perf"},
	       {"collapsed", ".txt"}, {"speedscope", ".speedscope.json"},
	       {"firefox", ".json"},  {"callgrind", ".out"}};

static void write_formats(const struct serve_question *question, struct perun_json_writer *writer)
{
	perun_json_write_key_text(writer, "formats");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (perun_registry_find(question->ctx, PERUN_KIND_FORMAT, formats[i].name))
			perun_json_write_text(writer, formats[i].name);
	}
	perun_json_write_array_end(writer);
}

static void write_words(struct perun_json_writer *writer, const struct perun_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		perun_json_write_text(writer, words->items[i]);
}

/* What may be asked for, or compared with: some names, not all. */
static void write_profiles(const struct serve_question *question, struct perun_json_writer *writer)
{
	const struct serve *serve = question->serve;

	perun_json_write_key_text(writer, "profiles");
	perun_json_write_array_start(writer);
	write_words(writer, serve->given);
	write_words(writer, serve->base);
	if (serve->store) {
		perun_json_write_text(writer, "HEAD");
		perun_json_write_text(writer, "HEAD~1");
	}
	perun_json_write_array_end(writer);
}

int serve_write_about(struct serve_question *question, struct perun_json_writer *writer)
{
	serve_write_pair(writer, "title", question->title);
	serve_write_pair(writer, "command",
			 perun_profile_text(question->data.profile, "/header/cmd"));
	serve_write_sum(question, writer);
	perun_json_write_key_text(writer, "stacks");
	perun_json_write_bool(writer, question->data.stacks != NULL);
	write_metrics(question, writer);
	write_formats(question, writer);
	write_profiles(question, writer);
	return PERUN_OK;
}

int serve_download(struct serve_question *question, struct server_answer *answer)
{
	const char *format = server_argument(question->request, "format"), *ending = "";
	struct perun_profile *left = NULL;
	struct perun_format_ops ops;
	const struct perun_plugin *plugin;
	struct perun_output *output;
	int status;

	format = format && *format ? format : "pprof";
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (strcmp(formats[i].name, format) == 0)
			ending = formats[i].ending;
	}
	if (!perun_registry_find(question->ctx, PERUN_KIND_FORMAT, format))
		return perun_fail(question->ctx, PERUN_USAGE, "no format is called %s", format);
	status = perun_registry_load(question->ctx, PERUN_KIND_FORMAT, format, &plugin);
	if (status)
		return status;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	if (!ops.write || ops.writes_directory)
		return perun_fail(question->ctx, PERUN_USAGE, "%s is not written as one file",
				  format);
	if (question->pair)
		perun_stacks_filter_rows(question->data.stacks, question->pair->rows[SERVE_NEW]);
	if (question->data.stacks)
		status = perun_stacks_to_profile(question->ctx, question->data.stacks, &left);
	else
		left = perun_profile_ref(question->data.profile);
	if (status)
		return status;
	output = perun_output_to_buffer(&answer->body);
	status = perun_write_profile(question->ctx, left, format, NULL, output);
	if (!status)
		status = perun_output_commit(question->ctx, output);
	perun_output_close(output);
	perun_profile_unref(left);
	answer->type = "application/octet-stream";
	answer->file = perun_format("profile%s", ending);
	return status;
}
