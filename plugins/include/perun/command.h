/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `command`: commands of the command line, "perun NAME ...". Their table of commands is
 * all they have; they need no operations. A plugin of another kind may bring commands as well.
 *
 * Threads: a call belongs to the thread that run() was called on, and so does all that it holds.
 */
#ifndef PERUN_COMMAND_H
#define PERUN_COMMAND_H

#include <perun/format.h>
#include <perun/plugin.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a command is given; all of it is borrowed during run(). */
struct perun_command_call {
	uint32_t struct_size;
	int argc;          /* the words after the command's name, as they were given */
	char *const *argv; /* ends with NULL */
	const struct perun_options *options; /* parsed; NULL for a command with raw arguments */
	/*
	 * Standard output. The host flushes it after run(), and reports what could not be written: a
	 * command need not look at the results of its writes.
	 */
	struct perun_output *output;
	bool terminal;  /* the output is seen on a terminal, not kept or read by a program */
	bool color;     /* escape sequences for colours are wanted */
	unsigned width; /* columns of the terminal, 80 when unknown */
	bool unicode;   /* the terminal shows UTF-8, not only ASCII */
	/* Of the host: see perun_command_page() and perun_command_store(). */
	void *host;
	void (*page)(void *host);
	int (*open_store)(void *host, struct perun_ctx *ctx, bool required,
			  struct perun_store **store);
	unsigned verbose; /* how often -v was given: see perun_command_verbose() */
};

/* How much more than usual the user wants to know; 0 where the host does not say. */
static inline unsigned perun_command_verbose(const struct perun_command_call *call)
{
	return call->struct_size >=
			       offsetof(struct perun_command_call, verbose) + sizeof call->verbose
		       ? call->verbose
		       : 0;
}

/*
 * Output for people that may be longer than a screen follows: the host sends it through the pager that
 * the user wants. To be called before the first write; does nothing where there is no terminal.
 */
static inline void perun_command_page(const struct perun_command_call *call)
{
	if (call->struct_size >= offsetof(struct perun_command_call, page) + sizeof call->page &&
	    call->page)
		call->page(call->host);
}

/*
 * The store of the current directory, opened by the first call; where there is none `*store` is NULL, or
 * PERUN_USAGE is returned if it is `required`. The host's own: not to be closed. call->open_store and
 * call->host are what `open` and `data` of a lookup may be (perun/lib/lookup.h).
 */
static inline int perun_command_store(const struct perun_command_call *call, struct perun_ctx *ctx,
				      bool required, struct perun_store **store)
{
	return call->open_store(call->host, ctx, required, store);
}

enum perun_command_flags {
	PERUN_COMMAND_RAW_ARGUMENTS = 1, /* the command reads argv itself, "--help" included */
	/*
	 * It completes them itself, too: where argv[0] is PERUN_COMMAND_COMPLETE it prints what may be in place of
	 * the last word, lines "WORD<TAB>EXPLANATION" and "<file>" where file names fit.
	 */
	PERUN_COMMAND_COMPLETES = 2
};
#define PERUN_COMMAND_COMPLETE "--complete-words"

/* A table of them ends with a name of NULL; its stride is the `command_size` beside it. */
struct perun_command {
	const char *name, *summary; /* the summary is one line without full stop */
	/*
	 * Parsing, --help, completion and the list in the manual page are the host's. The options --no-pager,
	 * --no-color and --say-yes are understood without being in the table. Fallback: there are no others.
	 */
	const struct perun_option *options;
	uint32_t option_size;
	unsigned flags;
	/*
	 * Returns a perun_status, which becomes the exit code; what failed goes to `ctx`, where progress,
	 * warnings and cancelling are, too. Prints to call->output only.
	 */
	int (*run)(struct perun_ctx *ctx, const struct perun_command_call *call);
};

/*
 *	PERUN_PLUGIN(command, tally) = {
 *		PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "tally", "counts profiles"),
 *		PERUN_PLUGIN_COMMANDS(commands),
 *	};
 */
#define PERUN_PLUGIN_COMMANDS(COMMANDS) \
	.commands = (COMMANDS), .command_size = sizeof(struct perun_command)

#ifdef __cplusplus
}
#endif
#endif
