/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the configuration that the shell runs, and where their output goes. */
#ifndef PERUN_CORE_RUN_SHELL_COMMANDS_H
#define PERUN_CORE_RUN_SHELL_COMMANDS_H

#include <perun/lib/program.h>
#include <perun/lib/run.h>

/* Report an event. */
static inline void perun_run_notify(const struct perun_run_listener *listener,
				    struct perun_run_event event)
{
	event.struct_size = sizeof event;
	if (listener->notify)
		listener->notify(listener->data, &event);
}

/* The texts of a setting: a list, or one text; an entry that is not a text is an error. Appended to `texts`. */
int perun_texts_read(struct perun_ctx *ctx, struct perun_store *store, const char *key,
		     struct perun_words *texts);
/* Run a command, which belongs to `hook` (or NULL), and report it; `*code` as for perun_shell_run(). */
int perun_run_shell(struct perun_ctx *ctx, const struct perun_run_listener *listener,
		    const char *hook, const struct perun_shell *shell, int *code);

/* What a version is built by, and where. All borrowed. */
struct perun_preparation {
	const char *version, *directory;
	int log; /* where the output goes */
	const char *log_path;
	struct perun_run_listener listener;
};
/*
 * Run the commands that build a version, one after the other, until one fails: PERUN_INPUT with `*failed`
 * set. The message names the log.
 */
int perun_prepare(struct perun_ctx *ctx, const struct perun_words *commands,
		  const struct perun_preparation *preparation, bool *failed);
/* Open .perun/logs/VERSION-NAME.log for a new log; -1 = it cannot be. `*path` is the caller's. */
int perun_log_open(struct perun_store *store, const char *version, const char *name, char **path);
/* The directory that we work in, as an absolute path; the caller's. */
char *perun_current_directory(void);

#endif
