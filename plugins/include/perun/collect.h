/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `collect`: run a program and measure it.
 * Threads: the host makes all calls of an instance on one thread; programs may be measured on other threads of the plugin's own.
 */
#ifndef PERUN_COLLECT_H
#define PERUN_COLLECT_H

#include <perun/plugin.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is to be measured. Texts are never NULL; borrowed during the operations. */
struct perun_collect_job {
	uint32_t struct_size;
	const char *command;   /* as the user wrote it */
	const char *arguments; /* further arguments, "" = none */
	const char *workload;  /* a workload argument, "" = none */
	/*
	 * The program and its arguments: command, arguments and workload split at blanks with the
	 * quoting rules of a shell, no shell being run; NULL-terminated.
	 */
	char *const *argv;
	const char *directory; /* where it runs; absolute */
	const char *scratch; /* an empty directory for files of the collector; removed afterwards */
	/* "NAME=VALUE", NULL-terminated: set in addition to Perun's own environment, which the program has. May be NULL. */
	const char *const *environment;
	/*
	 * Another such directory, for what the program itself writes while it is measured, up to some
	 * hundred MB: in memory where that is possible, as writing to a file system takes the program's
	 * time.
	 */
	const char *quick;
	const char *input; /* a file for standard input of each run, absolute; NULL = empty */
	/*
	 * The directory that names of source files begin with in what compilers wrote, where `directory` is a copy of it; the
	 * host fills it in. Profiles name files without it, so that versions have the same ones.
	 */
	const char *built_in;
};

/*
 * Order of calls: open, before, collect, after, teardown, close. teardown always runs once before()
 * was called, also after failure and cancellation, with the status so far. Only collect is required: others are skipped.
 * The host fills header (cmd, args, workload), machine, origin and collector_info from the job and
 * the options; the collector sets header.type and header.units and adds resources.
 */
struct perun_collect_ops {
	PERUN_INSTANCE_OPS;
	int (*before)(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job);
	int (*collect)(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
		       struct perun_builder *builder);
	int (*after)(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
		     struct perun_builder *builder);
	void (*teardown)(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
			 int status);
	bool no_command; /* it has programs of its own. Fallback: a job without a command is refused */
	/*
	 * The words for its options, ended by NULL, with which it runs the program once and measures that run, in the first
	 * element of "runs" in the document, with nothing that disturbs `metric` (see perun/lib/interleave.h). Static.
	 * Fallback: it is not used where two builds run alternately.
	 */
	const char *const *(*once)(const char *metric);
	const char *aliases; /* other names, blank-separated. Fallback: none */
	bool counts; /* what it measures is the same whatever else runs on the machine. Fallback: it takes times */
};

/*
 * Run one collector. `arguments` are command-line words for its options, NULL-terminated. `job->argv`,
 * `scratch` and `quick` may be NULL: they are made, and `input` may be relative to `directory`. `*profile` is a new reference. For hosts.
 */
PERUN_EXPORT int perun_collect(struct perun_ctx *ctx, const char *collector,
			       const char *const *arguments, const struct perun_collect_job *job,
			       struct perun_profile **profile);

/*
 * A note of the machine, as the Python program keeps it and more: {architecture, system, release,
 * host, cpu{...}, memory{...}}. Caller frees it with perun_json_free().
 */
PERUN_EXPORT struct perun_json *perun_machine_document(void);
/*
 * The same with what the program of a job says of its build: what perun_collect() adds to a profile as "machine", unless its
 * collector did, which may know more of it. Caller frees it with perun_json_free().
 */
PERUN_EXPORT struct perun_json *perun_job_machine(const struct perun_collect_job *job);

/*
 * The file of a program as execvp() finds it; a name with a slash is relative to `directory`. Caller frees
 * it; NULL = there is none in PATH.
 */
PERUN_EXPORT char *perun_find_program(const char *name, const char *directory);

#ifdef __cplusplus
}
#endif
#endif
