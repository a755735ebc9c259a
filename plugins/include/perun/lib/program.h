/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running programs: command lines, the shell, temporary directories.
 * Of the growing part of the interface: see perun/lib/version.h.
 * Any thread may call these; a result belongs to one thread at a time.
 */
#ifndef PERUN_LIB_PROGRAM_H
#define PERUN_LIB_PROGRAM_H

#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A list of texts that it owns; `items` ends with NULL once a word was added. {0} is empty. */
struct perun_words {
	char **items;
	size_t count, capacity;
};

/*
 * Split at blanks and append. Single quotes, double quotes and backslashes work as in a shell;
 * nothing is expanded. Fails (PERUN_USAGE) when a quote is not closed.
 */
PERUN_EXPORT int perun_split_words(struct perun_ctx *ctx, const char *text,
				   struct perun_words *words);
PERUN_EXPORT void perun_words_add(struct perun_words *words, const char *text, size_t length);
PERUN_EXPORT void perun_words_free(struct perun_words *words);

/* ---- the shell: builds, generators, hooks ------------------------------------------------------- */

struct perun_shell {
	const char *command;
	const char *directory;          /* where it runs */
	int log;                        /* a file for both of its outputs, -1 = standard error */
	const char *input;              /* its standard input, NULL = nothing */
	const char *const *environment; /* "NAME=VALUE" to add, NULL-terminated; or NULL */
};

/*
 * Run a command and wait for it. When the user asks to stop, it is asked to end, and killed two seconds
 * later. On a terminal it belongs to our process group, so that it may ask for a password and gets Ctrl-C;
 * elsewhere it has a group of its own, all of which is asked. `*code` is its exit status, 128 and the
 * signal's number. PERUN_CANCELLED when it was stopped, PERUN_INPUT when no shell could be started, else
 * PERUN_OK, whatever the exit status.
 */
PERUN_EXPORT int perun_shell_run(struct perun_ctx *ctx, const struct perun_shell *shell, int *code);

/* ---- temporary directories that are distinguished from those that killed processes left ------------ */

struct perun_scratch {
	char *path;   /* NULL = none was made */
	char *record; /* the file that says so, for when this process is killed; NULL = none */
	int lock;     /* on the record: held until the directory is removed; -1 = none */
};

/* Make PREFIX-RANDOM in $TMPDIR, or /tmp. What killed processes left is removed first. */
PERUN_EXPORT int perun_scratch_make(struct perun_ctx *ctx, const char *prefix,
				    struct perun_scratch *scratch);
/*
 * The same in memory, in /dev/shm, if that is a file system of its own kind with room enough and the user did
 * not say by TMPDIR where temporary files go; false: none is made.
 */
PERUN_EXPORT bool perun_scratch_make_quick(const char *prefix, struct perun_scratch *scratch);
/* Remove the directory with all that is in it. Nothing happens when none was made. */
PERUN_EXPORT void perun_scratch_remove(struct perun_scratch *scratch);

/*
 * Remove the directories that killed processes of this user left, wherever they are, and return how many. Each
 * is known by a record in $XDG_STATE_HOME/perun/scratch; without such a place nothing is known of them.
 */
PERUN_EXPORT size_t perun_scratch_clear(void);

#ifdef __cplusplus
}
#endif
#endif
