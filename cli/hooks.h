/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: commands of the configuration that are run before and after things happen. */
#ifndef PERUN_CLI_HOOKS_H
#define PERUN_CLI_HOOKS_H

#include <jansson.h>

#include "cli/cli.h"

/* What a hook is told and where it works. All borrowed. */
struct cli_hook {
	const char *name; /* "pre_run": the setting is hooks.pre_run */
	/*
	 * An object. Its texts and numbers become variables: "exit_status" PERUN_EXIT_STATUS; all of it is
	 * the standard input, as JSON. "hook" and "store" are added.
	 */
	json_t *facts;
	const char *directory; /* NULL = the current one */
	int log;               /* a file for what it prints, -1 = standard error */
	const char *log_path;  /* for messages; NULL = none */
};

/*
 * Run the commands of a hook, one after the other; none configured is fine. The first that fails ends it:
 * PERUN_INPUT and its exit status in words.
 */
int cli_hook_run(struct cli *cli, const struct cli_hook *hook);
/* The same; a failure is a warning. Whether all went well. */
bool cli_hook_try(struct cli *cli, const struct cli_hook *hook);
/*
 * Fails where a hook of measuring cannot be read or is not trusted, before anything is measured; `builds`: or what
 * prepares a version.
 */
int cli_hooks_check(struct cli *cli, bool builds);

/*
 * For hooks.on_degradation: note a change if it is a degradation; `*list` begins as NULL. `minor` is the
 * version that has it, "" = unknown.
 */
struct perun_stored_change;
void cli_degradations_note(json_t **list, const struct perun_stored_change *change,
			   const char *minor);
/* Run the hook if anything was noted, and free the list. Nothing is run without a store. */
void cli_degradations_tell(struct cli *cli, json_t *list);

#endif
