/* SPDX-License-Identifier: BSD-3-Clause */
/* perun fetch-profile: profiles of programs that run, once or again and again. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "commands/common/import-identity.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "commands/common/stored-query.h"
#include "download.h"

/* What a program measures for where nothing else is asked for, in seconds, and how long its answer may take besides. */
#define SECONDS  30
#define PATIENCE 30
#define NAP      0.5

static const struct perun_option options[] = {
	{.name = "url",
	 .metavar = "URL",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "where the program answers, such as http://localhost:6060"},
	{.name = "seconds",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 86400,
	 .help = "how long it measures, by default 30 seconds of processor time; of heaps and "
		 "others, the "
		 "difference in that time"},
	{.name = "every",
	 .metavar = "TIME",
	 .type = PERUN_OPTION_DURATION,
	 .ranged = true,
	 .minimum = 0.01,
	 .maximum = 1e9,
	 .help = "do it again and again, so often, such as 10m, until interrupted"},
	{.name = "count",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1000000000,
	 .help = "ask N times, then end"},
	{.name = "minor",
	 .aliases = "-m",
	 .metavar = "REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "the version that runs there, the head by default"},
	{.name = "cmd",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the command of the profiles, by default what they say"},
	{.name = "workload",
	 .aliases = "-w",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the workload of the profiles, by default what was asked for, such as heap"},
	{.name = "label",
	 .metavar = "KEY=VALUE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a label of the profiles, by which perun show --label finds them; instance is "
		 "the host and port"},
	{.name = "json", .help = "print JSON, a document for each profile"},
	{0}};

struct fetching {
	const struct perun_command_call *call;
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct endpoint endpoint;
	struct download how;
	char *minor;
	const char *scratch;
	uint64_t round;
};

/* ---- one profile ----------------------------------------------------------------------------- */

static void describe(void *data, const struct perun_profile *profile, struct perun_json *document,
		     const char *path, const char *format)
{
	const struct fetching *fetching = data;
	const struct perun_options *given = fetching->call->options;

	commands_identify(fetching->ctx, profile, document, path, format);
	commands_set_header(document, "cmd", perun_option_string(given, "cmd"));
	commands_set_header(document, "workload", perun_option_string(given, "workload"));
	commands_add_label(document, "instance", strlen("instance"), fetching->endpoint.address);
	commands_add_labels(given, document);
}

static void print(const struct fetching *fetching, const struct perun_added *added)
{
	const struct perun_command_call *call = fetching->call;

	if (perun_option_flag(call->options, "json")) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "minor_version", perun_json_text(fetching->minor));
		perun_json_set(document, "name", perun_json_text(fetching->endpoint.name));
		perun_json_set(document, "instance", perun_json_text(fetching->endpoint.address));
		perun_json_set(document, "checksum", perun_json_text(added->checksum));
		commands_print_json(call, document);
	} else {
		perun_output_printf(call->output, "registered with %.8s  ", fetching->minor);
		commands_print_safe(call, fetching->endpoint.name);
		perun_output_text(call->output, " of ");
		commands_print_safe(call, fetching->endpoint.address);
		perun_output_text(call->output, "\n");
	}
	perun_output_flush(call->output);
}

static int store_file(struct perun_ctx *ctx, struct fetching *fetching, const char *path)
{
	const struct perun_import_options how = {
		.struct_size = sizeof how, .describe = describe, .data = fetching};
	struct perun_additions *additions = NULL;
	int status = perun_store_import(ctx, fetching->store, fetching->minor, &path, 1, &how,
					&additions);
	const struct perun_added *added = additions ? perun_additions_at(additions, 0) : NULL;

	if (!status && added)
		print(fetching, added);
	perun_additions_free(additions);
	return status;
}

/* The formats read files: one in a folder of its own, so that the store has it under the name of the endpoint. */
static int fetch_once(struct perun_ctx *ctx, struct fetching *fetching)
{
	char *folder = perun_format("%s/%" PRIu64, fetching->scratch, fetching->round++);
	char *path = perun_format("%s/%s", folder, fetching->endpoint.name);
	int status = PERUN_OK;

	if (perun_path_make_directory(folder, 0700) != 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", folder);
	if (!status)
		status = download_run(ctx, &fetching->how, path);
	if (!status)
		status = store_file(ctx, fetching, path);
	if (status && status != PERUN_CANCELLED)
		perun_fail(ctx, PERUN_OK, "%s of %s", fetching->endpoint.name,
			   fetching->endpoint.address);
	perun_path_remove_tree(folder);
	perun_free(folder);
	perun_free(path);
	return status;
}

/* ---- again and again ------------------------------------------------------------------------- */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void wait_until(struct perun_ctx *ctx, double moment)
{
	double left;

	while (!perun_cancelled(ctx) && (left = moment - now()) > 0) {
		double nap = left < NAP ? left : NAP;
		struct timespec time = {(time_t)nap, (long)((nap - (double)(time_t)nap) * 1e9)};

		nanosleep(&time, NULL);
	}
}

/* A program that is down for a while is asked again; whoever interrupts has what was stored. */
static int fetch_again(struct perun_ctx *ctx, struct fetching *fetching, double every,
		       uint64_t count)
{
	double next = now();
	bool stored = false;
	int status = PERUN_OK;

	while (!perun_cancelled(ctx) && (!count || fetching->round < count)) {
		wait_until(ctx, next);
		if (perun_cancelled(ctx))
			break;
		status = fetch_once(ctx, fetching);
		stored |= !status;
		if (status && status != PERUN_CANCELLED)
			perun_warn(ctx, "%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		next = now() > next + every ? now() : next + every;
	}
	if (!stored && !perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_INPUT,
				  "nothing was stored: %s never answered with a profile",
				  fetching->endpoint.address);
	return PERUN_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int read_arguments(struct perun_ctx *ctx, struct fetching *fetching)
{
	const struct perun_options *given = fetching->call->options;
	long seconds = (long)perun_option_integer(given, "seconds");
	int status = commands_check_labels(ctx, given);

	if (!status)
		status = endpoint_parse(ctx, perun_option_string(given, "url"), seconds,
					&fetching->endpoint);
	if (status)
		return status;
	fetching->how = (struct download){
		.url = fetching->endpoint.url,
		.timeout = (fetching->endpoint.seconds ? fetching->endpoint.seconds : SECONDS) +
			   PATIENCE,
		.limit = (uint64_t)1 << 30};
	if (perun_option_given(given, "count") && !perun_option_given(given, "every"))
		return perun_fail(ctx, PERUN_USAGE, "--count is for --every");
	return PERUN_OK;
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct fetching fetching = {.call = call, .ctx = ctx};
	struct perun_scratch scratch = {.lock = -1};
	double every = perun_option_number(call->options, "every");
	int status = read_arguments(ctx, &fetching);

	if (!status)
		status = perun_command_store(call, ctx, true, &fetching.store);
	if (!status)
		status = perun_lookup_version(ctx, fetching.store,
					      perun_option_string(call->options, "minor"),
					      &fetching.minor);
	if (!status)
		status = perun_scratch_make(ctx, "perun-fetch", &scratch);
	fetching.scratch = scratch.path;
	if (!status && perun_option_given(call->options, "every"))
		status = fetch_again(ctx, &fetching, every,
				     (uint64_t)perun_option_integer(call->options, "count"));
	else if (!status)
		status = fetch_once(ctx, &fetching);
	perun_scratch_remove(&scratch);
	endpoint_free(&fetching.endpoint);
	perun_free(fetching.minor);
	return status;
}

COMMAND_PLUGIN(fetch_profile, "fetch-profile", "profiles of programs that run",
	       "store a profile of a program that runs", options, run_command);
