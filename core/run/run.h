/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of measuring share: a plan, and a run over all its jobs. */
#ifndef PERUN_CORE_RUN_RUN_H
#define PERUN_CORE_RUN_RUN_H

#include <perun/lib/module.h>
#include <perun/lib/program.h>

#include "core/job/generator.h"
#include "core/run/journal.h"
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
	char *label;                          /* what profiles say */
	const struct perun_json *described;   /* the plan's; NULL = the label is its argument */
	const struct perun_generated *single; /* one of a generator, with a profile of its own */
	const struct perun_workloads *sweep;  /* all of a generator, in one profile */
};

/* The workloads of a version: generators run in its files. */
struct run_workloads {
	struct run_workload *items;
	size_t count, capacity;
	struct perun_workloads *generated;
	size_t generated_count, generated_capacity;
	struct perun_scratch scratch; /* of the files that were written */
	bool open; /* an external generator was not asked: what it makes is not known */
};

struct run_job {
	struct perun_run_job names;
	const struct run_workload *workload;
	const struct perun_module *collector;
	size_t unit; /* number of the collector: the same may be there twice, with other parameters */
};

/* ---- a run ----------------------------------------------------------------------------------- */

struct perun_run_result {
	struct perun_run_profile *profiles; /* texts are ours */
	size_t count, capacity;
	bool resumed;
	size_t kept; /* jobs that were done before this run was resumed */
};

struct run {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_vcs *vcs;
	const struct perun_plan *plan;
	struct perun_run_options options;
	struct perun_journal *journal; /* NULL = none is kept */
	const char *minor; /* "" = the work tree before the first version: profiles stay pending */
	const char *directory; /* where the programs run; absolute */
	const char *launch;    /* words before each program, "srun -n 4"; NULL = none */
	int log;               /* of the version; -1 = none */
	char *log_path;
	struct run_workloads workloads; /* of the version */
	bool only;                      /* there is but one job in all */
	bool sweeps;                    /* a generator makes many workloads of one job */
	size_t version_count;
	size_t total, begun;         /* jobs of all versions, as far as is known */
	size_t timed;                /* jobs that `spent` counts */
	double spent;                /* seconds */
	size_t jobs, failed;         /* that were tried, of all versions */
	size_t left_out;             /* versions that could not be measured at all */
	size_t hooks_failed;         /* after measurements; those before are failures of these */
	int worst;                   /* status of the first failure */
	char *last_failure;          /* of a measurement, in words */
	struct perun_saved *pending; /* new pending profiles of this version */
	size_t pending_count, pending_capacity;
	bool registers;   /* the profiles of a version, when it is done */
	size_t kept_rows; /* of those that are in memory until they are registered */
	size_t saved;     /* profiles of all versions */
	struct perun_run_result *result;
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
/* The plan as a document, from which perun_run_cells_open() makes one again, and as a text: equal ones measure the same. */
struct perun_json *perun_plan_document(const struct run *run, const struct perun_words *versions);
char *perun_plan_describe(const struct run *run, const struct perun_words *versions);
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

/* ---- jobs (jobs.c) --------------------------------------------------------------------------- */

/*
 * The workloads, where those that name a generator represent what it makes. `directory` NULL: only find
 * out what there is to do; no program is run, nothing is written.
 */
int run_workloads_open(const struct run *run, const char *directory,
		       struct run_workloads *workloads);
void run_workloads_close(struct run_workloads *workloads);
/* How many jobs a version has. */
size_t run_job_count(const struct run *run, const struct run_workloads *workloads);
/* Job `i` of them; it borrows. */
void run_job_at(const struct run *run, const struct run_workloads *workloads, size_t i,
		struct run_job *job);

typedef int run_job_visit(struct run *run, const struct run_job *job, void *data);
/* Every combination that a version has no profile of. */
int run_each_job(struct run *run, const char *minor, const struct run_workloads *workloads,
		 run_job_visit *visit, void *data);

/* ---- a job (job.c) --------------------------------------------------------------------------- */

/*
 * Do one job of the current version, unless the journal says that it was done. With several jobs a
 * failure becomes a warning and is counted; only interruption is returned.
 */
int run_do(struct run *run, const struct run_job *job);
/*
 * Collect and postprocess: a new reference in `*profile`. When a postprocessor fails the profile is as it was before that
 * one, and `*failed` says how.
 */
int run_measure(const struct run *run, const struct run_job *job, const char *key,
		struct perun_profile **profile, int *failed);

/* ---- hooks (hooks.c) ------------------------------------------------------------------------- */

/*
 * Fails where a hook of measuring cannot be read or is not trusted, before anything is measured; `builds`: or what
 * prepares a version.
 */
int perun_hooks_check(struct perun_ctx *ctx, struct perun_store *store, bool builds);
/* Run these commands as those of a hook. Without a store they are not given one. */
int perun_hook_commands(struct perun_ctx *ctx, const struct perun_store *store,
			const struct perun_hook *hook, const struct perun_words *commands);
/* What hooks of a job are given; the caller's. */
struct perun_json *run_job_facts(const struct run *run, const struct run_job *job);

#endif
