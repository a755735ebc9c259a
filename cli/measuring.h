/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of measuring share: a run over all jobs; see measure.h for what others use. */
#ifndef PERUN_CLI_MEASURING_H
#define PERUN_CLI_MEASURING_H

#include <jansson.h>

#include "cli/journal.h"
#include "cli/measure.h"
#include "core/job/generator.h"
#include "core/job/scratch.h"

/* ---- what one job measures ------------------------------------------------------------------- */

/* A workload: as it is written, or made by a generator. */
struct measuring_workload {
	char *label;                          /* what profiles say */
	const struct perun_generated *single; /* one of a generator, with a profile of its own */
	const struct perun_workloads *sweep;  /* all of a generator, in one profile */
};

/* The workloads of a version: generators run in its files. */
struct measuring_workloads {
	struct measuring_workload *items;
	size_t count, capacity;
	struct perun_workloads *generated;
	size_t generated_count, generated_capacity;
	struct perun_scratch scratch; /* of the files that were written */
	bool open; /* an external generator was not asked: what it makes is not known */
};

struct measuring_job {
	const char *cmd, *args;
	const struct measuring_workload *workload;
	const struct cli_unit *collector;
	size_t unit; /* number of the collector: the same may be there twice, with other parameters */
};

/* ---- a run ----------------------------------------------------------------------------------- */

struct measuring {
	struct cli *cli;
	const struct cli_measure *what;
	struct perun_vcs *vcs;
	struct cli_journal *journal; /* NULL = none is kept */
	const char *minor;
	const char *directory; /* where the programs run; absolute */
	int log;               /* of the version; -1 = none */
	char *log_path;
	struct measuring_workloads workloads; /* of the version */
	bool only;           /* there is but one job in all */
	bool sweeps;         /* a generator makes many workloads of one job */
	size_t version_count;
	size_t total, begun; /* jobs of all versions, as far as is known */
	size_t timed;        /* jobs that `spent` counts */
	double spent;        /* seconds */
	size_t jobs, failed; /* that were tried, of all versions */
	size_t left_out;     /* versions that could not be measured at all */
	size_t hooks_failed; /* behind measurements; those before are failures of these */
	size_t kept;         /* jobs that were done before this run was resumed */
	int worst;           /* status of the first failure */
	char **paths;        /* new pending profiles of this version */
	size_t path_count, path_capacity;
	size_t saved;  /* profiles of all versions */
	json_t *facts; /* --json */
};

/* ---- the plan (measure-plan.c) --------------------------------------------------------------- */

/* Load all modules and try their options, so that a mistake shows before anything is measured. */
int measuring_check(struct cli *cli, const struct cli_measure *what);
/*
 * The workloads, where those that name a generator stand for what it makes. `directory` NULL: only find
 * out what there is to do; no program is run, nothing is written.
 */
int measuring_workloads_open(struct measuring *run, const char *directory,
			     struct measuring_workloads *workloads);
void measuring_workloads_close(struct measuring_workloads *workloads);
/* How many jobs a version has. */
size_t measuring_count(const struct cli_measure *what, const struct measuring_workloads *workloads);

typedef int measuring_visit(struct measuring *run, const struct measuring_job *job, void *data);
/* Every combination that the version has no profile of. */
int measuring_each(struct measuring *run, const struct measuring_workloads *workloads,
		   measuring_visit *visit, void *data);
/* The plan as a text: equal texts measure the same. The caller's. */
char *measuring_describe(struct measuring *run, char *const *versions, size_t count);
/*
 * The versions that `what` names, each once: revisions, ranges A..B (those of B that A has not) and,
 * with `parents`, all before them.
 */
struct measuring_versions {
	char **checksums;
	size_t count, capacity;
};
int measuring_versions_find(struct measuring *run, struct measuring_versions *versions);
void measuring_versions_free(struct measuring_versions *versions);

/* ---- a job (measure-job.c) ------------------------------------------------------------------- */

/*
 * Do one job of the current version, unless the journal says that it was done. With several jobs a
 * failure becomes a warning and is counted; only interruption is returned.
 */
int measuring_do(struct measuring *run, const struct measuring_job *job);

#endif
