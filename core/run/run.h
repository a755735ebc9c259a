/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of measuring share: a plan, and one measurement of it. */
#ifndef PERUN_CORE_RUN_RUN_H
#define PERUN_CORE_RUN_RUN_H

#include <perun/lib/module.h>
#include <perun/lib/program.h>

#include "core/job/generator.h"
#include "core/run/shell-commands.h"
#include "core/store/store.h"

/* Without texts, commands, arguments and workloads have one, which is empty. */
struct perun_plan {
	struct perun_words texts[PERUN_PLAN_REVISIONS + 1];   /* of the parts that have no units */
	struct perun_modules units[PERUN_PLAN_REVISIONS + 1]; /* of collectors and postprocessors */
	/* Of workload i, whose text is what profiles say: the object that describes it, or NULL. */
	struct perun_json **described;
	size_t described_count, described_capacity;
	/* Of a plan that was read from a file: a list; NULL = those of the configuration. */
	struct perun_json *generators;
	struct perun_json
		*parameters; /* an object of lists: {"processes": [1, 2, 4]}; NULL = none */
};

/* ---- what one job measures ------------------------------------------------------------------- */

/* A workload: as it is written, or made by a generator. */
struct run_workload {
	char *label;    /* what profiles say */
	size_t planned; /* number of the workload of the plan that it is */
	bool among;     /* one of several, of which the plan has only the generator */
	const struct perun_json *described;   /* the plan's; NULL = the label is its argument */
	const struct perun_generated *single; /* one of a generator, with a profile of its own */
	const struct perun_workloads *sweep;  /* all of a generator, in one profile */
};

/* The workloads of a version: generators run in its files. */
struct run_workloads {
	struct run_workload *items;
	size_t count, capacity;
	size_t planned; /* how many there are without the files of a version */
	struct perun_workloads *generated;
	size_t generated_count, generated_capacity;
	struct perun_scratch scratch; /* of the files that were written */
	bool open; /* an external generator was not asked: what it makes is not known */
};

struct run_job {
	struct perun_run_job names;
	const struct run_workload *workload;
	const struct perun_module *collector;
};

struct run {
	struct perun_ctx *ctx;
	struct perun_store *store; /* NULL = it is not opened */
	struct perun_vcs *vcs;
	const struct perun_plan *plan;
	struct perun_run_options options;
	const char *minor; /* "" = the work tree before the first version: profiles stay pending */
	const char *directory; /* where the programs run; absolute */
	char *built_in;        /* where they were built, if that is a copy; NULL = it is not */
	const char *launch;    /* words before each program, "srun -n 4"; NULL = none */
	const char *parts;     /* the directory where parts of the measurement are kept */
	int log;               /* of the version; -1 = none */
	char *log_path;
	bool explained; /* what may be missing was named once */
};

/* ---- the plan (plan.c) ----------------------------------------------------------------------- */

/* Text i of a part; `count` of them, at least one. */
const char *perun_plan_text(const struct perun_plan *plan, enum perun_plan_part part, size_t i);
size_t perun_plan_texts(const struct perun_plan *plan, enum perun_plan_part part);
/* Where no workload is named, no generator is needed: NULL then. The caller's. */
int perun_plan_generators(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_plan *plan, struct perun_json **generators);
/* Load all modules and try their options, so that a mistake shows before anything is measured. */
int perun_plan_check(struct perun_ctx *ctx, struct perun_store *store,
		     const struct perun_plan *plan);
/* The plan as a document, from which perun_run_cells_open() makes one again. */
struct perun_json *perun_plan_document(const struct run *run, const struct perun_words *versions);
/* The checksums of the versions that a plan names, each once; with `parents`, all before them, too. */
int perun_plan_versions(const struct run *run, struct perun_words *versions);

/* ---- workloads (workload.c) ------------------------------------------------------------------ */

/* The object that describes workload i, or NULL: its text is its argument. */
const struct perun_json *perun_plan_described(const struct perun_plan *plan, size_t i);
/* What the program is given as arguments, or the id of a generator. */
const char *perun_plan_workload_argument(const struct perun_plan *plan, size_t i);
/* Add the "NAME=VALUE" of a described workload. */
void perun_workload_environment(const struct perun_json *described,
				struct perun_words *environment);
/*
 * The words to run for a job: of a described workload, of an argument that a generator made (which is one word), or
 * of both.
 */
int perun_workload_words(struct perun_ctx *ctx, const struct perun_run_job *names,
			 const struct perun_json *described, const char *generated,
			 struct perun_words *words);

/*
 * Fail for a command that begins with a variable, and warn of words such as "|": only a shell understands them. Nothing
 * where each workload is run by one.
 */
int perun_workload_check(struct perun_ctx *ctx, const struct perun_plan *plan);

/* ---- the workloads of a version (jobs.c) --------------------------------------------------------------------------- */

/*
 * The workloads, where those that name a generator represent what it makes. `directory` NULL: only find
 * out what there is to do; no program is run, nothing is written.
 */
int run_workloads_open(const struct run *run, const char *directory,
		       struct run_workloads *workloads);
void run_workloads_close(struct run_workloads *workloads);

/* ---- a job (job.c) --------------------------------------------------------------------------- */

/*
 * Collect and postprocess: a new reference in `*profile`. When a postprocessor fails the profile is as it was before that
 * one, and `*failed` says how.
 */
int run_measure(struct run *run, const struct run_job *job, struct perun_profile **profile,
		int *failed);
/* The measurement is finished: its parts go. */
void run_drop_parts(const struct run *run, const struct run_job *job);

/* ---- hooks (hooks.c) ------------------------------------------------------------------------- */

/* Run these commands as those of a hook. Without a store they are not given one. */
int perun_hook_commands(struct perun_ctx *ctx, const struct perun_store *store,
			const struct perun_hook *hook, const struct perun_words *commands);
/* The same, where a failure is a warning, as in perun_hook_try(). */
bool perun_hook_commands_try(struct perun_ctx *ctx, struct perun_store *store,
			     const struct perun_hook *hook, const struct perun_words *commands);
/* What hooks of a job are given; the caller's. */
struct perun_json *run_job_facts(const struct run *run, const struct run_job *job);

#endif
