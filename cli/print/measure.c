/* SPDX-License-Identifier: BSD-3-Clause */
/* What the measuring commands share: their options, and what they print of a run. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>
#include <perun/view.h>
#include <perun/lib/path.h>

#include "cli/print/json.h"
#include "cli/print/measure.h"

/* The view that says what was measured, where it is installed. */
#define SUMMARY "summary"

/* ---- events ---------------------------------------------------------------------------------- */

void cli_run_event(void *data, const struct perun_run_event *event)
{
	struct cli *cli = data;

	if (event->kind == PERUN_RUN_SHELL && cli->verbose)
		perun_note(cli->ctx, "%s%s%srunning %s in %s", event->hook ? "hook " : "",
			   event->hook ? event->hook : "", event->hook ? ": " : "", event->command,
			   event->path);
}

/* What was measured, by the view. Nothing where a profile has nothing that it could say. */
static void draw_summary(struct cli *cli, struct perun_profile *profile, enum perun_form form,
			 struct perun_buffer *text)
{
	static const char *const words[] = {"--brief", NULL};
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	const char *name = "the profile";
	struct perun_output *output = perun_output_to_buffer(text);
	const struct perun_canvas canvas = {.struct_size = sizeof canvas,
					    .form = form,
					    .color = cli->color,
					    .screen = cli->terminal,
					    .width = cli->width,
					    .output = output,
					    .ascii = !cli_has_unicode()};

	if (perun_show_profiles(quiet, SUMMARY, words, &profile, &name, 1, &canvas) ||
	    perun_output_commit(quiet, output))
		perun_buffer_clear(text);
	perun_output_close(output);
	perun_ctx_free(quiet);
}

static void print_saved(struct cli *cli, const struct perun_run_event *event)
{
	const struct perun_run_job *job = event->job;
	struct perun_buffer summary = {0};

	cli_progress_clear(cli);
	printf(" - %s of %s%s%s%s%s - %s\n", job->collector, job->command,
	       *job->arguments ? " " : "", job->arguments, *job->workload ? " " : "", job->workload,
	       perun_path_base_name(event->path));
	draw_summary(cli, event->profile, PERUN_FORM_TERMINAL, &summary);
	if (summary.length)
		fputs(summary.data, stdout);
	perun_buffer_free(&summary);
	if (cli->terminal)
		fflush(stdout);
}

/* "3/12, about 2:05 left": in front of what the collector reports. */
static void show_job(struct cli *cli, const struct perun_run_event *event)
{
	char left[40] = "", *place;

	if (!event->count)
		return;
	if (isfinite(event->seconds_left))
		snprintf(left, sizeof left, ", about %" PRIu64 ":%02u left",
			 (uint64_t)event->seconds_left / 60,
			 (unsigned)((uint64_t)event->seconds_left % 60));
	place = perun_format("%zu/%zu%s", event->number, event->count, left);
	cli_progress_part(cli, place, event->job->collector, event->job->command,
			  event->job->workload);
	perun_free(place);
}

struct measuring {
	struct cli *cli;
	struct perun_json *summaries; /* by the paths of new profiles */
};

static void keep_summary(const struct measuring *measuring, const struct perun_run_event *event)
{
	struct perun_buffer text = {0};
	struct perun_json *summary;

	draw_summary(measuring->cli, event->profile, PERUN_FORM_JSON, &text);
	if (text.length &&
	    perun_json_parse(NULL, text.data, text.length, NULL, &summary) == PERUN_OK)
		perun_json_set(measuring->summaries, event->path, summary);
	perun_buffer_free(&text);
}

/* With --json the document is all that is printed. */
static void on_event_silent(void *data, const struct perun_run_event *event)
{
	struct measuring *measuring = data;

	if (event->kind == PERUN_RUN_JOB)
		show_job(measuring->cli, event);
	else if (event->kind == PERUN_RUN_SAVED)
		keep_summary(measuring, event);
	cli_run_event(measuring->cli, event);
}

static void on_event(void *of, const struct perun_run_event *event)
{
	struct cli *data = ((struct measuring *)of)->cli;

	if (event->kind == PERUN_RUN_JOB)
		show_job(data, event);
	cli_run_event(data, event);
	if (event->kind == PERUN_RUN_RESUMED)
		printf("Resuming: %zu measurement%s finished before\n", event->count,
		       event->count == 1 ? " was" : "s were");
	else if (event->kind == PERUN_RUN_VERSION)
		cli_title(data, "Measuring %.8s", event->version);
	else if (event->kind == PERUN_RUN_SAVED)
		print_saved(data, event);
	else if (event->kind == PERUN_RUN_REGISTERED)
		printf("%zu profile%s registered with %.8s\n", event->count,
		       event->count == 1 ? "" : "s", event->version);
}

/* ---- a run ----------------------------------------------------------------------------------- */

struct perun_run_options cli_run_options_of(const struct cli_call *call, struct perun_plan *plan)
{
	const struct perun_options *given =
		call->before && !perun_option_given(call->options, "minor-version") ? call->before
										    : call->options;

	for (size_t i = 0; i < perun_option_count(given, "minor-version"); i++)
		perun_plan_add(plan, PERUN_PLAN_REVISIONS,
			       perun_option_string_at(given, "minor-version", i));
	return (struct perun_run_options){.struct_size = sizeof(struct perun_run_options),
					  .parents = cli_flag(call, "crawl-parents"),
					  .in_place = cli_flag(call, "in-place"),
					  .dirty = cli_flag(call, "force-dirty"),
					  .resume = cli_flag(call, "resume"),
					  .name_template =
						  cli_string(call, "output-filename-template")};
}

/* As with env(1), a name alone is a mistake. */
static int check_variables(struct cli *cli, const struct perun_options *options)
{
	for (size_t i = 0; i < perun_option_count(options, "env"); i++) {
		const char *text = perun_option_string_at(options, "env", i);

		if (!strchr(text, '=') || *text == '=')
			return perun_fail(cli->ctx, PERUN_USAGE, "--env %s: expected NAME=VALUE",
					  *text ? text : "''");
	}
	return PERUN_OK;
}

/* What --stdin, --env and --shell say; NULL where none is given. */
static struct perun_json *describe_input(const struct perun_options *options)
{
	const char *input = perun_option_string(options, "stdin");
	size_t count = perun_option_count(options, "env");
	struct perun_json *described = perun_json_object(), *variables = perun_json_object();

	for (size_t i = 0; i < count; i++) {
		const char *text = perun_option_string_at(options, "env", i);
		char *name = perun_strndup(text, strcspn(text, "="));

		perun_json_set(variables, name, perun_json_text(text + strlen(name) + 1));
		perun_free(name);
	}
	if (count)
		perun_json_set(described, "env", variables);
	else
		perun_json_free(variables);
	if (input)
		perun_json_set(described, "stdin", perun_json_text(input));
	if (perun_option_flag(options, "shell"))
		perun_json_set(described, "shell", perun_json_bool(true));
	if (perun_json_count(described))
		return described;
	perun_json_free(described);
	return NULL;
}

int cli_add_workloads(struct cli *cli, const struct perun_options *options, struct perun_plan *plan)
{
	size_t count = perun_option_count(options, "workload");
	struct perun_json *described;
	int status = check_variables(cli, options);

	if (status)
		return status;
	described = describe_input(options);

	for (size_t i = 0; !status && i < (count || !described ? count : 1); i++) {
		const char *text = count ? perun_option_string_at(options, "workload", i) : "";

		if (!described) {
			perun_plan_add(plan, PERUN_PLAN_WORKLOADS, text);
			continue;
		}
		if (*text)
			perun_json_set(described, "workload", perun_json_text(text));
		status = perun_plan_workload(cli->ctx, plan, described);
	}
	perun_json_free(described);
	return status;
}

static void print_json(const struct perun_run_result *result, struct perun_json *summaries)
{
	struct perun_json *document = perun_json_object(), *profiles = perun_json_array();
	size_t kept;

	for (size_t i = 0; i < perun_run_profile_count(result); i++) {
		const struct perun_run_profile *profile = perun_run_profile(result, i);
		struct perun_json *fact = perun_json_object(), *summary;

		perun_json_set(fact, "path", cli_json_text(profile->path));
		perun_json_set(fact, "minor_version", cli_json_text(profile->version));
		perun_json_set(fact, "registered", perun_json_bool(profile->registered));
		summary = perun_json_take(summaries, profile->path);
		if (summary)
			perun_json_set(fact, "summary", summary);
		perun_json_append(profiles, fact);
	}
	perun_json_set(document, "profiles", profiles);
	if (perun_run_resumed(result, &kept))
		perun_json_set(document, "resumed", perun_json_int64((int64_t)kept));
	cli_print_facts(document);
}

int cli_measure(struct cli *cli, const struct cli_call *call, const struct perun_plan *plan,
		const struct perun_run_options *options)
{
	struct measuring measuring = {cli, perun_json_object()};
	struct perun_run_options with_listener = *options;
	struct perun_run_result *result = NULL;
	struct perun_vcs *vcs;
	int status = cli_open_vcs(cli, &vcs);

	cli->progress.off = cli_flag(call, "no-progress");
	with_listener.listener = (struct perun_run_listener){
		cli_flag(call, "json") ? on_event_silent : on_event, &measuring};
	if (!status)
		status = perun_run(cli->ctx, cli->store, plan, &with_listener, &result);
	cli_progress_clear(cli);
	if (cli_flag(call, "json") && result && (!status || perun_run_profile_count(result)))
		print_json(result, measuring.summaries);
	else if (!status && !cli_flag(call, "json") && cli->terminal &&
		 !cli_setting_is_true(cli, "profiles.register_after_run"))
		puts("perun status lists the pending profiles, perun add 0@p keeps the newest.");
	perun_run_result_free(result);
	perun_json_free(measuring.summaries);
	return status;
}

/* ---- for perun check ------------------------------------------------------------------------- */

struct missing {
	cli_has_profile *has_profile;
	void *data;
};

static int has_profile(void *data, const char *version, const struct perun_run_job *job, bool *has)
{
	const struct missing *missing = data;

	(void)version;
	return missing->has_profile(missing->data, job->command, job->arguments, job->workload,
				    job->collector, has);
}

int cli_measure_missing(struct cli *cli, const char *minor, cli_has_profile *has, void *data)
{
	struct missing missing = {has, data};
	const struct perun_run_options options = {.struct_size = sizeof options,
						  .registers = true,
						  .has_profile = has_profile,
						  .data = &missing,
						  .listener = {cli_run_event, cli}};
	struct perun_plan *plan = perun_plan_new();
	struct perun_run_result *result = NULL;
	int status = perun_plan_matrix(cli->ctx, cli->store, plan);

	perun_plan_add(plan, PERUN_PLAN_REVISIONS, minor);
	if (!status)
		status = perun_run(cli->ctx, cli->store, plan, &options, &result);
	if (status)
		perun_fail(cli->ctx, PERUN_OK, "cannot measure version %.8s", minor);
	perun_run_result_free(result);
	perun_plan_free(plan);
	return status;
}
