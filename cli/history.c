/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored histories, by the options of the command line. */
#include <config.h>

#include "cli/history.h"

struct perun_history_options cli_history_options_of(const struct cli_call *call, const char *range)
{
	return (struct perun_history_options){
		.struct_size = sizeof(struct perun_history_options),
		.range = range,
		.metric = perun_option_string(call->options, "metric"),
		.machine = perun_option_string(call->options, "machine"),
		.across_machines = cli_flag(call, "across-machines"),
		.better = cli_told_direction(call)};
}

static void tell_left_out(struct cli *cli, const struct perun_history *history)
{
	const char *difference, *machine = perun_history_machine(history);
	size_t count = perun_history_left_out(history, &difference);

	if (count)
		perun_note(cli->ctx,
			   "%zu %s left out: measured on another class of machine than "
			   "'%s' (%s; --machine chooses another one, --across-machines takes all)",
			   count, count == 1 ? "profile is" : "profiles are",
			   machine ? machine : "", difference);
}

int cli_history_load(struct cli *cli, const struct perun_history_options *options,
		     struct perun_history **history)
{
	struct perun_vcs *vcs;
	int status = cli_open_vcs(cli, &vcs);

	*history = NULL;
	if (!status)
		status = perun_history_load(cli->ctx, cli->store, options, history);
	if (status)
		return status;
	tell_left_out(cli, *history);
	/* A store that cannot be written to is no reason to fail. */
	if (options->better != PERUN_BETTER_UNKNOWN &&
	    perun_directions_keep(cli->ctx, cli->store, *history, options->better)) {
		perun_warn(cli->ctx, "the direction is not kept: %s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
	}
	return PERUN_OK;
}

int cli_history_changes(struct cli *cli, const struct cli_call *call, struct perun_history *history)
{
	struct perun_change_options options;
	int status = cli_change_options(cli, call, &options);

	return status ? status
		      : perun_history_find_changes(cli->ctx, history, &options,
						   PERUN_HISTORY_DISCOVERIES);
}

const struct perun_minor_version *cli_history_version(const struct perun_history *history, size_t i)
{
	return perun_version_line_version(perun_history_line(history), i);
}

char *cli_history_subject(const struct perun_history *history, size_t i)
{
	const struct perun_minor_version *version = cli_history_version(history, i);

	return version ? cli_subject(version->description) : perun_strdup("");
}
