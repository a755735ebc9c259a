/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measuring: plans of programs, workloads and collectors, at one or more versions; versions that are checked
 * out and built, and kept; hooks. Of the growing part of the interface: see perun/lib/version.h.
 *
 * Nothing here prints. What happens is reported to a listener, on the thread of the call; notes, warnings,
 * progress and cancelling are those of the context.
 * Threads: a plan, a result, builds and the store they were made for belong to one thread at a time.
 */
#ifndef PERUN_LIB_RUN_H
#define PERUN_LIB_RUN_H

#include <perun/lib/version.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_json;

/* ---- what happens --------------------------------------------------------------------------- */

/* A measurement of a plan. Texts are borrowed during the call. */
struct perun_run_job {
	uint32_t struct_size;
	const char *command, *arguments, *workload, *collector;
};

enum perun_run_event_kind {
	PERUN_RUN_RESUMED,    /* `count` measurements were finished by an earlier run of the plan */
	PERUN_RUN_VERSION,    /* `version` is measured next, in files of its own */
	PERUN_RUN_JOB,        /* `job` begins: `number` of `count`, if this is not 0 */
	PERUN_RUN_SAVED,      /* the profile of `job` is `path` */
	PERUN_RUN_REGISTERED, /* `count` profiles were registered with `version` */
	PERUN_RUN_SHELL       /* the shell runs `command` in `path`, of the hook `hook` or NULL */
};

/* Members that the kind does not name are 0. All is borrowed during the call. */
struct perun_run_event {
	uint32_t struct_size;
	enum perun_run_event_kind kind;
	const char *version; /* a checksum */
	const struct perun_run_job *job;
	size_t number, count;
	double seconds_left; /* JOB: of all jobs, as far as is known; NAN = not yet */
	const char *path, *command, *hook;
	struct perun_profile *profile; /* SAVED: what was measured, until the call returns */
};

/* Who gets the events; `notify` NULL = nobody. */
struct perun_run_listener {
	void (*notify)(void *data, const struct perun_run_event *event);
	void *data;
};

/* ---- plans ---------------------------------------------------------------------------------- */

/*
 * What is measured: each command with each arguments, workload and collector, and then each postprocessor
 * upon the profile. Commands, arguments and workloads that are not given count as one empty text; a
 * workload may name a generator of the configuration.
 */
struct perun_plan;

enum perun_plan_part {
	PERUN_PLAN_COMMANDS,
	PERUN_PLAN_ARGUMENTS,
	PERUN_PLAN_WORKLOADS,
	PERUN_PLAN_COLLECTORS,
	PERUN_PLAN_POSTPROCESSORS,
	/*
	 * Versions in whatever way the vcs understands, and ranges A..B (those of B that A has not). Without
	 * any, the user's work tree is measured as it is, for the head.
	 */
	PERUN_PLAN_REVISIONS
};

/* A new plan, empty. Free it with perun_plan_free(), which takes NULL, too. */
PERUN_EXPORT struct perun_plan *perun_plan_new(void);
PERUN_EXPORT void perun_plan_free(struct perun_plan *plan);
/* Append to a part; texts are copied. */
PERUN_EXPORT void perun_plan_add(struct perun_plan *plan, enum perun_plan_part part,
				 const char *text);
/*
 * Append a workload: a text, or an object of "workload" (arguments of the program, or the id of a generator), "stdin"
 * (the file of its standard input, relative to where it runs), "env" (an object of environment variables), "shell"
 * (true: command, arguments and workload are a line of /bin/sh) and "name" (what profiles say instead of the others).
 * PERUN_INPUT for anything else.
 */
PERUN_EXPORT int perun_plan_workload(struct perun_ctx *ctx, struct perun_plan *plan,
				     const struct perun_json *described);
/* How much a part has. */
PERUN_EXPORT size_t perun_plan_count(const struct perun_plan *plan, enum perun_plan_part part);
/* A further word ("--repeat", then "5") for the options of the last collector or postprocessor. */
PERUN_EXPORT void perun_plan_word(struct perun_plan *plan, enum perun_plan_part part,
				  const char *word);
/*
 * Options of all collectors or postprocessors called `name`, as YAML ("repeat: 5") or the name of a file
 * with it. PERUN_USAGE when the plan has none of that name.
 */
PERUN_EXPORT int perun_plan_options(struct perun_ctx *ctx, struct perun_plan *plan,
				    enum perun_plan_part part, const char *name, const char *yaml);
/* Append what the configuration lists for a part: cmds, args, workloads, collectors, postprocessors. */
PERUN_EXPORT int perun_plan_configured(struct perun_ctx *ctx, struct perun_store *store,
				       struct perun_plan *plan, enum perun_plan_part part);
/*
 * The same for all these parts, the matrix of the configuration. PERUN_INPUT when no commands are
 * configured.
 */
PERUN_EXPORT int perun_plan_matrix(struct perun_ctx *ctx, struct perun_store *store,
				   struct perun_plan *plan);

/*
 * Parameters of a plan: an object of lists, {"processes": [1, 2, 4]}. Each combination is measured. Where "{processes}" is
 * in a command, arguments, a workload or what launches it, the value takes its place; the profiles have it as a column,
 * and where no text of theirs says it, the workload does. PERUN_INPUT for anything but texts and numbers.
 */
PERUN_EXPORT int perun_plan_parameters(struct perun_ctx *ctx, struct perun_plan *plan,
				       const struct perun_json *parameters);
/* Whether there are any. */
PERUN_EXPORT bool perun_plan_has_parameters(const struct perun_plan *plan);

/* ---- runs ----------------------------------------------------------------------------------- */

struct perun_run_options {
	uint32_t struct_size;
	bool parents;   /* also all versions before those of the plan */
	bool in_place;  /* check versions out in the user's work tree, and back again */
	bool dirty;     /* no warning about uncommitted changes */
	bool resume;    /* go on with the latest run of the same plan, if something of it is left */
	bool registers; /* as if profiles.register_after_run were set */
	const char *name_template; /* of the pending profiles; NULL = that of the configuration */
	/* Leave out jobs for which `*has` is set. What it returns other than PERUN_OK ends the run. */
	int (*has_profile)(void *data, const char *version, const struct perun_run_job *job,
			   bool *has);
	void *data; /* of has_profile */
	struct perun_run_listener listener;
};

struct perun_run_result;

/* A profile of a run. */
struct perun_run_profile {
	uint32_t struct_size;
	const char *path;    /* of the pending profile; gone from there if it was registered */
	const char *version; /* a checksum */
	bool registered;
};

/*
 * Measure a plan in this process, cell by cell. Profiles become pending ones, or are registered
 * (profiles.register_after_run). The plan is written to .perun/runs/ID/plan.json, and each cell leaves its outcome there, so
 * that a run which was interrupted, or of which something failed, can be resumed (see perun/lib/cells.h). A measurement or a
 * version that fails is warned about and does not keep the others from being measured; the failure then names how many
 * failed. `*result` may be NULL after a failure; free it with perun_run_result_free().
 */
PERUN_EXPORT int perun_run(struct perun_ctx *ctx, struct perun_store *store,
			   const struct perun_plan *plan, const struct perun_run_options *options,
			   struct perun_run_result **result);
PERUN_EXPORT void perun_run_result_free(struct perun_run_result *result);
/* The profiles, by version; what was finished before the run was resumed is among them if it is now registered. */
PERUN_EXPORT size_t perun_run_profile_count(const struct perun_run_result *result);
PERUN_EXPORT const struct perun_run_profile *
perun_run_profile(const struct perun_run_result *result, size_t i);
/* Whether an interrupted run was resumed; `*kept`: measurements that it had finished. */
PERUN_EXPORT bool perun_run_resumed(const struct perun_run_result *result, size_t *kept);

/* ---- builds --------------------------------------------------------------------------------- */

/* Versions that are checked out and built in .perun/cache/builds, and kept there. */
struct perun_builds;
struct perun_build;

struct perun_builds_options {
	uint32_t struct_size;
	/* Of the shell, run in the root of the files; NULL = those of execute.pre_run, "" = none. */
	const char *command;
	bool again; /* build also what is there, once for each version */
	struct perun_run_listener listener;
};

/* `options` may be NULL. Free with perun_builds_free(), which takes NULL, too. */
PERUN_EXPORT int perun_builds_new(struct perun_ctx *ctx, struct perun_store *store,
				  const struct perun_builds_options *options,
				  struct perun_builds **builds);
PERUN_EXPORT void perun_builds_free(struct perun_builds *builds);
/* Remove the trees and builds that killed processes left in a store, and return how many. Those in use stay. */
PERUN_EXPORT size_t perun_builds_recover(struct perun_store *store);
/*
 * Take a version from those that are kept, or check it out and build it. It is not removed while it is
 * open. What killed runs left is removed, and so are builds that were not used for the longest time.
 * PERUN_INPUT with `*unbuilt` (which may be NULL) when a command failed; the message names the file that
 * has its output.
 */
PERUN_EXPORT int perun_build_open(struct perun_ctx *ctx, struct perun_builds *builds,
				  const char *version, struct perun_build **build, bool *unbuilt);
PERUN_EXPORT const char *perun_build_version(const struct perun_build *build);
/* Where the user is in the work tree, in the files of the version. */
PERUN_EXPORT const char *perun_build_directory(const struct perun_build *build);
/* NULL is fine. */
PERUN_EXPORT void perun_build_close(struct perun_build *build);

/* ---- hooks ---------------------------------------------------------------------------------- */

/* What a hook gets and where it works. All borrowed. */
struct perun_hook {
	uint32_t struct_size;
	const char *name; /* "pre_run": its commands are the setting hooks.pre_run */
	/*
	 * An object, or NULL. Its texts and numbers become variables, "exit_status" PERUN_EXIT_STATUS; all
	 * of it is the standard input, as JSON. "hook" and "store" are added.
	 */
	const struct perun_json *facts;
	const char *directory; /* NULL = the current one */
	int log;               /* a file for what it prints, -1 = standard error */
	const char *log_path;  /* for messages; NULL = none */
	struct perun_run_listener listener;
};

/*
 * Run the commands of a hook, one after the other; none configured is fine. The first that fails ends it:
 * PERUN_INPUT and its exit status in words.
 */
PERUN_EXPORT int perun_hook_run(struct perun_ctx *ctx, struct perun_store *store,
				const struct perun_hook *hook);
/* The same, where a failure is a warning, and one that the context has already stays. Whether all went well. */
PERUN_EXPORT bool perun_hook_try(struct perun_ctx *ctx, struct perun_store *store,
				 const struct perun_hook *hook);

#ifdef __cplusplus
}
#endif
#endif
