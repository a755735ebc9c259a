/* SPDX-License-Identifier: BSD-3-Clause */
/* perun fsck, gc, recover and utils: the care of a store. */
#include <config.h>

#include <inttypes.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/cells.h>
#include <perun/lib/history.h>
#include <perun/lib/program.h>
#include <perun/lib/path.h>
#include <perun/lib/retention.h>
#include <perun/lib/run.h>
#include <perun/lib/share.h>

#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "commands/upkeep/utils.h"

static const struct perun_option fsck_options[] = {
	{.name = "adopt", .help = "accept indexes that another program has changed"},
	{.name = "json", .help = "print JSON"},
	{0}};
static const struct perun_option gc_options[] = {
	{.name = "older-than",
	 .metavar = "TIME",
	 .type = PERUN_OPTION_DURATION,
	 .default_value = "14d",
	 .help = "spare what is younger, such as 14d or 12h"},
	{.name = "remote",
	 .metavar = "REMOTE",
	 .type = PERUN_OPTION_STRING,
	 .help = "remove months of profiles that this store sent to a remote, and nothing here"},
	{.name = "dry-run", .aliases = "-n", .help = "only say what would be removed"},
	{.name = "json", .help = "print JSON"},
	{0}};

static const struct perun_option recover_options[] = {{.name = "json", .help = "print JSON"}, {0}};

/* ---- fsck ------------------------------------------------------------------------------------ */

struct findings {
	const struct perun_command_call *call;
	struct perun_json *facts; /* NULL = print */
	uint64_t count;
};

static void on_problem(void *data, const char *path, const char *problem)
{
	struct findings *findings = data;

	findings->count++;
	if (findings->facts) {
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "path", commands_text(path));
		perun_json_set(fact, "problem", commands_text(problem));
		perun_json_append(findings->facts, fact);
		return;
	}
	commands_print_safe(findings->call, path);
	perun_output_text(findings->call->output, ": ");
	commands_print_safe(findings->call, problem);
	perun_output_text(findings->call->output, "\n");
}

static int run_fsck(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store = NULL;
	bool json = perun_option_flag(call->options, "json");
	struct findings findings = {.call = call, .facts = json ? perun_json_array() : NULL};
	uint64_t checked = 0;
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = perun_store_fsck(ctx, store, perun_option_flag(call->options, "adopt"),
					  on_problem, &findings, &checked);
	if (store && json && (!status || findings.count)) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "checked", perun_json_int64((int64_t)checked));
		perun_json_set(document, "problems", findings.facts);
		findings.facts = NULL;
		commands_print_json(call, document);
	} else if (!status) {
		/* What was reported and is not a failure is harmless, and says so. */
		perun_output_printf(call->output, "%" PRIu64 " file%s checked, 0 problems found",
				    checked, checked == 1 ? "" : "s");
		if (findings.count)
			perun_output_printf(call->output, "; %" PRIu64 " harmless remark%s",
					    findings.count, findings.count == 1 ? "" : "s");
		perun_output_text(call->output, "\n");
	}
	/* What was found is printed although the command fails. */
	perun_output_flush(call->output);
	perun_json_free(findings.facts);
	if (status && findings.count && !perun_ctx_error(ctx))
		perun_fail(ctx, status, "the store is damaged: %" PRIu64 " problem%s found",
			   findings.count, findings.count == 1 ? "" : "s");
	return status;
}

/* ---- gc -------------------------------------------------------------------------------------- */

struct removals {
	const struct perun_command_call *call;
	struct perun_json *facts; /* NULL = print */
	bool verbose;
	uint64_t count, bytes;
	struct perun_json *run_facts; /* NULL = print */
	size_t runs;
	struct perun_json *profile_facts; /* NULL = print */
	size_t profiles;
	struct perun_json *generation_facts; /* NULL = print */
	size_t generations;
};

/* A profile that grew too old for the retention. */
static void on_old_profile(void *data, const char *minor, const struct perun_entry *entry)
{
	struct removals *removals = data;

	removals->profiles++;
	if (removals->profile_facts) {
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "minor_version", commands_text(minor));
		perun_json_set(fact, "source", commands_text(entry->path));
		perun_json_set(fact, "checksum", commands_text(entry->checksum));
		perun_json_append(removals->profile_facts, fact);
	} else if (removals->verbose) {
		perun_output_printf(removals->call->output, "%.8s  ", minor);
		commands_print_safe(removals->call, entry->path);
		perun_output_text(removals->call->output, "\n");
	}
}

static int take_out_old(struct perun_ctx *ctx, struct perun_store *store, bool dry_run,
			struct removals *removals)
{
	struct perun_retention retention = {.struct_size = sizeof retention, .dry_run = dry_run};
	int status = perun_retention_find(ctx, store, &retention);

	return status ? status
		      : perun_store_retain(ctx, store, &retention, on_old_profile, removals);
}

static void on_run_removal(void *data, const char *path)
{
	struct removals *removals = data;

	removals->runs++;
	if (removals->run_facts) {
		perun_json_append(removals->run_facts, commands_text(path));
	} else if (removals->verbose) {
		commands_print_safe(removals->call, path);
		perun_output_text(removals->call->output, "\n");
	}
}

static void remove_runs(struct perun_store *store, const struct perun_gc_options *how,
			struct removals *removals)
{
	char *runs = perun_format("%s/.perun/runs", perun_store_root(store));

	perun_run_cells_tidy(runs, how->older_than, how->dry_run, on_run_removal, removals);
	perun_free(runs);
}

/* What traces keep of functions (collectors/trace/kept.h); the next ones read them again. */
static void forget_functions(const struct perun_store *store)
{
	char *folder = perun_format("%s/cache/functions", perun_store_path(store));

	perun_path_remove_tree(folder);
	perun_free(folder);
}

static void on_removal(void *data, const char *path, uint64_t size)
{
	struct removals *removals = data;

	removals->count++;
	removals->bytes += size;
	if (removals->facts) {
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "path", commands_text(path));
		perun_json_set(fact, "size", perun_json_int64((int64_t)size));
		perun_json_append(removals->facts, fact);
	} else if (removals->verbose) {
		commands_print_safe(removals->call, path);
		perun_output_text(removals->call->output, "\n");
	}
}

static void on_generation(void *data, const char *generation)
{
	struct removals *removals = data;

	removals->generations++;
	if (removals->generation_facts)
		perun_json_append(removals->generation_facts, commands_text(generation));
	else
		perun_output_printf(removals->call->output, "%s\n", generation);
}

/* What a remote has of this store. The default age is for objects that nothing names: here it would be far too short. */
static int run_gc_remote(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_share_drop_options how = {
		.struct_size = sizeof how,
		.remote = perun_option_string(call->options, "remote"),
		.older_than = (int64_t)perun_option_number(call->options, "older-than"),
		.dry_run = perun_option_flag(call->options, "dry-run")};
	bool json = perun_option_flag(call->options, "json");
	struct removals removals = {.call = call,
				    .generation_facts = json ? perun_json_array() : NULL};
	struct perun_store *store = NULL;
	int status = perun_option_given(call->options, "older-than")
			     ? perun_command_store(call, ctx, true, &store)
			     : perun_fail(ctx, PERUN_USAGE,
					  "--remote needs --older-than, such as --older-than 365d");

	if (!status)
		status = perun_share_drop(ctx, store, &how, on_generation, &removals);
	if (!status && json) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "dry_run", perun_json_bool(how.dry_run));
		perun_json_set(document, "remote", commands_text(how.remote));
		perun_json_set(document, "generations", removals.generation_facts);
		removals.generation_facts = NULL;
		commands_print_json(call, document);
	} else if (!status) {
		perun_output_printf(call->output, "%s %zu month%s of profiles from ",
				    how.dry_run ? "would remove" : "removed", removals.generations,
				    removals.generations == 1 ? "" : "s");
		commands_print_safe(call, how.remote);
		perun_output_text(call->output, "\n");
	}
	perun_json_free(removals.generation_facts);
	return status;
}

static int run_gc_here(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store = NULL;
	struct perun_gc_options how = {
		.struct_size = sizeof how,
		.older_than = (int64_t)perun_option_number(call->options, "older-than"),
		.dry_run = perun_option_flag(call->options, "dry-run")};
	bool json = perun_option_flag(call->options, "json");
	struct removals removals = {.call = call,
				    .facts = json ? perun_json_array() : NULL,
				    .run_facts = json ? perun_json_array() : NULL,
				    .profile_facts = json ? perun_json_array() : NULL,
				    .verbose = how.dry_run || perun_command_verbose(call) > 0};
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = take_out_old(ctx, store, how.dry_run, &removals);
	if (!status)
		status = perun_store_gc(ctx, store, &how, on_removal, &removals);
	if (!status)
		remove_runs(store, &how, &removals);
	if (!status && !how.dry_run) {
		perun_history_forget(store);
		forget_functions(store);
		perun_builds_recover(store);
		perun_scratch_clear();
	}
	if (!status && json) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "dry_run", perun_json_bool(how.dry_run));
		perun_json_set(document, "bytes", perun_json_int64((int64_t)removals.bytes));
		perun_json_set(document, "removed", removals.facts);
		perun_json_set(document, "runs", removals.run_facts);
		perun_json_set(document, "profiles", removals.profile_facts);
		removals.facts = removals.run_facts = removals.profile_facts = NULL;
		commands_print_json(call, document);
	} else if (!status) {
		perun_output_printf(call->output, "%s %" PRIu64 " objects, %" PRIu64 " bytes",
				    how.dry_run ? "would remove" : "removed", removals.count,
				    removals.bytes);
		if (removals.runs)
			perun_output_printf(call->output, "; %zu runs and builds of runs",
					    removals.runs);
		if (removals.profiles)
			perun_output_printf(call->output, "; %zu older profile%s %staken out",
					    removals.profiles, removals.profiles == 1 ? "" : "s",
					    how.dry_run ? "would be " : "");
		perun_output_text(call->output, "\n");
	}
	perun_json_free(removals.facts);
	perun_json_free(removals.run_facts);
	perun_json_free(removals.profile_facts);
	return status;
}

static int run_gc(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	return perun_option_given(call->options, "remote") ? run_gc_remote(ctx, call)
							   : run_gc_here(ctx, call);
}

/* ---- recover --------------------------------------------------------------------------------- */

static int run_recover(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store = NULL;
	struct perun_vcs *vcs;
	char *what = NULL;
	size_t cleared = 0;
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = perun_store_vcs(ctx, store, &vcs);
	if (!status)
		status = perun_vcs_recover(ctx, vcs, false, &what);
	if (!status)
		cleared = perun_builds_recover(store) + perun_scratch_clear();
	if (!status && perun_option_flag(call->options, "json")) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "recovered", commands_text(what));
		perun_json_set(document, "directories", perun_json_int64((int64_t)cleared));
		commands_print_json(call, document);
	} else if (!status) {
		if (what || !cleared) {
			commands_print_safe(call, what ? what : "nothing was left behind");
			perun_output_text(call->output, "\n");
		}
		if (cleared)
			perun_output_printf(call->output,
					    "removed %zu temporary director%s of killed runs\n",
					    cleared, cleared == 1 ? "y" : "ies");
	}
	perun_free(what);
	return status;
}

COMMANDS_PLUGIN(upkeep, "upkeep", "checks, tidies and recovers a store",
		COMMAND("fsck", "check the store for damage", fsck_options, run_fsck),
		COMMAND("gc", "remove objects that nothing names", gc_options, run_gc),
		COMMAND("recover", "put right what an interrupted run left", recover_options,
			run_recover),
		COMMAND("utils", "list and remove what the Python program keeps beside profiles",
			utils_options, utils_run));
