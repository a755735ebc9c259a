/* SPDX-License-Identifier: BSD-3-Clause */
/* perun push, fetch, sync and install-hooks: a store that a team shares through its repositories. */
#include <config.h>

#include <time.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/share.h>

#include "commands/common/output.h"
#include "commands/common/plugin.h"

#define REMOTE_OPTION                                                               \
	{                                                                           \
		.name = "remote", .metavar = "REMOTE", .type = PERUN_OPTION_STRING, \
		.default_value = "origin", .flags = PERUN_OPTION_POSITIONAL,        \
		.help = "the name of a remote of the repository"                    \
	}
#define FILTER_OPTIONS                                                                        \
	{.name = "since",                                                                     \
	 .metavar = "TIME",                                                                   \
	 .type = PERUN_OPTION_DURATION,                                                       \
	 .help = "take only profiles of commits of the last TIME, such as 30d"},              \
	{                                                                                     \
		.name = "class", .metavar = "MACHINE", .type = PERUN_OPTION_STRING,           \
		.help = "take only profiles measured on a class of machine with this in its " \
			"name"                                                                \
	}
#define JSON_OPTION                                  \
	{                                            \
		.name = "json", .help = "print JSON" \
	}

static const struct perun_option hook_options[] = {
	{.name = "remove", .help = "take the hook away again"}, JSON_OPTION, {0}};
static const struct perun_option push_options[] = {REMOTE_OPTION, JSON_OPTION, {0}};
static const struct perun_option fetch_options[] = {
	REMOTE_OPTION, FILTER_OPTIONS, JSON_OPTION, {0}};
static const struct perun_option sync_options[] = {REMOTE_OPTION, FILTER_OPTIONS, JSON_OPTION, {0}};

/* What is printed of one direction. */
struct direction {
	const char *done; /* "sent" */
	int (*run)(struct perun_ctx *ctx, struct perun_store *store,
		   const struct perun_share_options *options, struct perun_shared *shared);
	struct perun_shared shared;
};

static struct perun_json *describe(const struct perun_shared *shared)
{
	const struct {
		const char *name;
		size_t count;
	} numbers[] = {{"profiles", shared->profiles},
		       {"statements", shared->statements},
		       {"writers", shared->writers},
		       {"left_out", shared->left_out},
		       {"damaged", shared->damaged}};
	struct perun_json *fact = perun_json_object();

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		perun_json_set(fact, numbers[i].name, perun_json_int64((int64_t)numbers[i].count));
	return fact;
}

static void print(const struct perun_command_call *call, const struct direction *direction)
{
	const struct perun_shared *shared = &direction->shared;

	perun_output_printf(call->output, "%s %zu profile%s", direction->done, shared->profiles,
			    shared->profiles == 1 ? "" : "s");
	if (shared->statements)
		perun_output_printf(call->output, ", %zu statement%s", shared->statements,
				    shared->statements == 1 ? "" : "s");
	if (shared->writers)
		perun_output_printf(call->output, " from %zu writer%s", shared->writers,
				    shared->writers == 1 ? "" : "s");
	if (shared->left_out)
		perun_output_printf(call->output, ", %zu left out", shared->left_out);
	perun_output_text(call->output, "\n");
}

static int share(struct perun_ctx *ctx, const struct perun_command_call *call,
		 struct direction *directions, size_t count)
{
	struct perun_share_options options = {.struct_size = sizeof options,
					      .remote =
						      perun_option_string(call->options, "remote")};
	struct perun_json *document;
	struct perun_store *store;
	int status = perun_command_store(call, ctx, true, &store);

	for (size_t i = 0; !status && i < count; i++) {
		if (directions[i].run == perun_share_fetch) {
			options.machine = perun_option_string(call->options, "class");
			if (perun_option_given(call->options, "since"))
				options.since =
					(int64_t)time(NULL) -
					(int64_t)perun_option_number(call->options, "since");
		}
		status = directions[i].run(ctx, store, &options, &directions[i].shared);
	}
	if (status)
		return status;
	if (!perun_option_flag(call->options, "json")) {
		for (size_t i = 0; i < count; i++)
			print(call, &directions[i]);
		return PERUN_OK;
	}
	document = perun_json_object();
	perun_json_set(document, "remote", commands_text(options.remote));
	perun_json_set(document, "writer",
		       *directions[count - 1].shared.writer
			       ? perun_json_text(directions[count - 1].shared.writer)
			       : perun_json_null());
	for (size_t i = 0; i < count; i++)
		perun_json_set(document, directions[i].done, describe(&directions[i].shared));
	commands_print_json(call, document);
	return PERUN_OK;
}

static int run_push(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct direction directions[] = {{.done = "sent", .run = perun_share_push}};

	return share(ctx, call, directions, 1);
}

static int run_fetch(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct direction directions[] = {{.done = "received", .run = perun_share_fetch}};

	return share(ctx, call, directions, 1);
}

/* What others sent comes first, so that nothing is sent that they have. */
static int run_sync(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct direction directions[] = {{.done = "received", .run = perun_share_fetch},
					 {.done = "sent", .run = perun_share_push}};

	return share(ctx, call, directions, 2);
}

static int run_install_hooks(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	bool install = !perun_option_flag(call->options, "remove"), changed = false;
	struct perun_store *store;
	struct perun_vcs *vcs;
	char *path = NULL;
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = perun_store_vcs(ctx, store, &vcs);
	if (!status)
		status = perun_vcs_share_hook(ctx, vcs, install, &path, &changed);
	if (!status && perun_option_flag(call->options, "json")) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "path", commands_text(path));
		perun_json_set(document, "installed", perun_json_bool(install));
		perun_json_set(document, "changed", perun_json_bool(changed));
		commands_print_json(call, document);
	} else if (!status) {
		commands_print_safe(call, path);
		perun_output_printf(call->output, "%s\n",
				    changed   ? install ? " runs perun push with each git push"
							: " is removed"
				    : install ? " is installed already"
					      : " is not installed");
	}
	perun_free(path);
	return status;
}

COMMANDS_PLUGIN(share, "share", "a store that a team shares",
		COMMAND("push", "send profiles to a remote of the repository", push_options,
			run_push),
		COMMAND("fetch", "get what others sent to a remote of the repository",
			fetch_options, run_fetch),
		COMMAND("sync", "fetch, then push", sync_options, run_sync),
		COMMAND("install-hooks", "send profiles with each push of the repository",
			hook_options, run_install_hooks));
