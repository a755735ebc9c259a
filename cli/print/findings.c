/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands that compare versions share. */
#include <config.h>

#include <string.h>

#include "cli/print/findings.h"
#include "commands/common/profiles.h"

static enum perun_models_type models_type(const char *name)
{
	static const char *const names[] = {[PERUN_MODELS_BEST_MODEL] = "best-model",
					    [PERUN_MODELS_BEST_PARAM] = "best-param",
					    [PERUN_MODELS_BEST_NONPARAM] = "best-nonparam",
					    [PERUN_MODELS_BEST_BOTH] = "best-both",
					    [PERUN_MODELS_ALL_MODELS] = "all-models",
					    [PERUN_MODELS_ALL_PARAM] = "all-param",
					    [PERUN_MODELS_ALL_NONPARAM] = "all-nonparam",
					    [PERUN_MODELS_ALL_BOTH] = "all-both"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], name) == 0)
			return (enum perun_models_type)i;
	}
	return PERUN_MODELS_BEST_MODEL;
}

/* A repeatable option of the command, or of the one before it. */
static const char **strings_of(const struct cli_call *call, const char *name)
{
	bool here = !call->before || perun_option_given(call->options, name);

	return cli_strings(here ? call->options : call->before, name);
}

int cli_checker_new(struct cli *cli, const struct cli_call *call, bool unchanged,
		    struct perun_checker **checker)
{
	const char **methods = strings_of(call, "method"), **params = strings_of(call, "params");
	const struct perun_check_options options = {
		.struct_size = sizeof options,
		.methods = methods,
		.params = params,
		.models_type = models_type(cli_string(call, "models-type")),
		.across_machines = cli_flag(call, "across-machines"),
		.unchanged = unchanged};
	int status = perun_checker_new(cli->ctx, cli->store, &options, checker);

	perun_free((void *)methods);
	perun_free((void *)params);
	return status;
}

/* ---- nothing compared ------------------------------------------------------------------------ */

int cli_fail_not_compared(struct cli *cli, const char *reason)
{
	commands_note_pending(cli->ctx, cli->store);
	return perun_fail(cli->ctx, PERUN_NOT_COMPARED, "nothing was compared: %s", reason);
}

int cli_fail_nothing(struct cli *cli, const struct perun_findings *findings, const char *base,
		     const char *head)
{
	struct perun_buffer reason = {0};
	int status;

	if (findings->nothing == PERUN_NOTHING_MEASURED)
		perun_buffer_printf(&reason,
				    "version %.8s has no profiles: measure it with perun collect "
				    "and keep the profile with perun add",
				    findings->unmeasured);
	else if (findings->nothing == PERUN_NOTHING_ON_MACHINE)
		perun_buffer_printf(&reason,
				    "the versions were measured on different classes of machines "
				    "(%s); --across-machines compares them all the same",
				    findings->difference);
	else if (findings->nothing == PERUN_NOTHING_ALIKE && base)
		perun_buffer_printf(&reason,
				    "no profile of %.8s has a counterpart at %.8s (same kind, "
				    "command, workload and collector)",
				    head, base);
	else if (findings->nothing == PERUN_NOTHING_ALIKE)
		perun_buffer_printf(&reason,
				    "no version before %.8s has a profile of the same kind, "
				    "command, workload and collector",
				    head);
	else
		perun_buffer_add_text(&reason, findings->reason
						       ? findings->reason
						       : "the profiles have no function or model "
							 "in common that the methods look at");
	status = cli_fail_not_compared(cli, reason.data);
	perun_buffer_free(&reason);
	return status;
}

void cli_note_elsewhere(struct cli *cli, size_t count, const char *difference)
{
	perun_note(cli->ctx,
		   "%zu %s not compared: nothing else was measured on that class of machine (%s; "
		   "--across-machines compares all the same)",
		   count, count == 1 ? "profile was" : "profiles were", difference);
}
