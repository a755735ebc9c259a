/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs: a plan as a file, of which this process (perun/lib/run.h) or any machine measures any part, and the collecting of
 * what came of it.
 * Of the growing part of the interface: see perun/lib/version.h.
 *
 * A run is a directory, .perun/runs/ID:
 *	plan.json                the plan: the axes of the cells, what builds a version, what executes
 *	cells/K/ATTEMPT.perf     what a cell measured (.json: the values of a comparison)
 *	cells/K/done.json        how it ended: appears as a whole, when all else is there; names the profile, those of all
 *	                         workloads that a generator makes, or pending ones
 *	cells/K/saving.json      of these, before all are there: what is not measured again
 *	batches.json             what was handed to the executor
 *	measuring                locked by the process that measures, where no executor does
 *	collected                the cells that are in the store
 * and .perun/runs/builds/VERSION-HASH (or the like in another directory) is a version that was built, for all runs.
 * Every file is written beside its place and renamed, so that a kill at any moment leaves what was before or what is
 * after.
 * Threads: a run belongs to one thread at a time; any number of processes on any number of machines may use it.
 */
#ifndef PERUN_LIB_CELLS_H
#define PERUN_LIB_CELLS_H

#include <perun/executor.h>
#include <perun/lib/program.h>
#include <perun/lib/run.h>
#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- plans as files --------------------------------------------------------------------------- */

struct perun_run_cells;

struct perun_run_cells_options {
	uint32_t struct_size;
	const char *executor; /* the name of a plugin; NULL = "local" */
	/* The class of machines, and further words for the executor as YAML; NULL = none. */
	const char *machine, *executor_params;
	const char *
		scratch; /* a directory for builds that all machines see; NULL = .perun/runs/builds */
	bool parents;    /* also all versions before those of the plan */
	bool resume;     /* take the latest run of the same plan, if there is one */
	/*
	 * Compare instead of measuring: {"directories": [BASE, HEAD], "programs": [...]}, of which cell K runs program K alternately in
	 * both directories (perun_interleave_document()). The plan has a command for each. NULL = measure.
	 */
	const struct perun_json *comparison;
	/*
	 * Merge instead: a list of lists of absolute paths; cell K merges the files of list K into one (PERUN_MERGE_CANONICAL). The plan has
	 * a command for each. NULL = do not.
	 */
	const struct perun_json *merging;
};

/*
 * Make a run of a plan: nothing is measured, built or submitted. `*resumed`, unless NULL: it was there, as asked for. What
 * the setting `executors` has of the executor, for this host and the class of machines, counts.
 */
PERUN_EXPORT int perun_run_cells_plan(struct perun_ctx *ctx, struct perun_store *store,
				      const struct perun_plan *plan,
				      const struct perun_run_cells_options *options,
				      struct perun_run_cells **cells, bool *resumed);
/*
 * Open a run without its store: `id` is the directory of the run, if there is a slash in it, else the id or its beginning
 * in `runs`, a directory ".perun/runs"; NULL = the latest. PERUN_USAGE when there is none.
 */
PERUN_EXPORT int perun_run_cells_open(struct perun_ctx *ctx, const char *runs, const char *id,
				      struct perun_run_cells **cells);
PERUN_EXPORT void perun_run_cells_free(struct perun_run_cells *cells); /* NULL is fine */
/* The ids in a directory, the latest first: NULL-terminated, one block. */
PERUN_EXPORT char **perun_run_cells_list(const char *runs, size_t *count);
/* The nearest directory .perun/runs upwards from `start` (NULL = the current one), of which nothing is read; or NULL. */
PERUN_EXPORT char *perun_run_cells_find_runs(const char *start);

PERUN_EXPORT const char *perun_run_cells_id(const struct perun_run_cells *cells);
PERUN_EXPORT const char *perun_run_cells_path(const struct perun_run_cells *cells);
/*
 * Whether it is one of perun_run(): its cells are measured by the process that planned it, one after the other, and the
 * profiles are pending or registered as soon as they are done. It can be looked at, waited for, cancelled, and gone on with
 * by perun_run_cells_measure().
 */
PERUN_EXPORT bool perun_run_cells_inline(const struct perun_run_cells *cells);
PERUN_EXPORT const char *perun_run_cells_executor(const struct perun_run_cells *cells);
/* "2026-11-26T14:17:03Z" */
PERUN_EXPORT const char *perun_run_cells_created(const struct perun_run_cells *cells);
PERUN_EXPORT size_t perun_run_cells_count(const struct perun_run_cells *cells);
PERUN_EXPORT size_t perun_run_cells_versions(const struct perun_run_cells *cells);

/* What a cell measures: the texts have the values of parameters. */
struct perun_cell {
	uint32_t struct_size;
	size_t number;     /* from 1 */
	size_t version_at; /* of the versions of the run, from 0 */
	const char *version, *command, *arguments, *workload, *collector;
	const char *launch;            /* words before the program; "" = none */
	struct perun_json *parameters; /* {"processes": 4} */
	void *memory;
};
/* Cell `number`, from 1 to perun_run_cells_count(). Free it with perun_cell_free(). */
PERUN_EXPORT void perun_cell_describe(const struct perun_run_cells *cells, size_t number,
				      struct perun_cell *cell);
PERUN_EXPORT void perun_cell_free(struct perun_cell *cell);

/* ---- on the machine that measures ------------------------------------------------------------ */

/*
 * Measure one cell. Nothing but the plan and the build is needed; the store is not opened. What was finished by an earlier
 * attempt is not measured again, and of two attempts at once one waits for the other where the file system has locks. A
 * program that fails is an outcome, too: it is noted, and the failure returned.
 */
PERUN_EXPORT int perun_cell_run(struct perun_ctx *ctx, const struct perun_run_cells *cells,
				size_t number);
/*
 * What a cell of a comparison measured, for perun_interleave_conclude(); the caller's. Where the cell did not end well, its failure.
 */
PERUN_EXPORT int perun_cell_comparison(struct perun_ctx *ctx, const struct perun_run_cells *cells,
				       size_t number, struct perun_json **values);
/* The file that a cell merged, verified; the caller's. */
PERUN_EXPORT int perun_cell_merged(struct perun_ctx *ctx, const struct perun_run_cells *cells,
				   size_t number, char **path);
/* Build version `at` of the run, if it is not built; from files that perun_run_cells_prepare() put there. */
PERUN_EXPORT int perun_run_cells_build(struct perun_ctx *ctx, const struct perun_run_cells *cells,
				       size_t at);

/*
 * Go on with a run of perun_run() in this process, by the same user and in the same directory: what is not done, or failed, is
 * measured. `listener` and `*result` as there.
 */
PERUN_EXPORT int perun_run_cells_measure(struct perun_ctx *ctx, struct perun_store *store,
					 struct perun_run_cells *cells,
					 const struct perun_run_listener *listener,
					 struct perun_run_result **result);

/* ---- the course of a run ---------------------------------------------------------------------- */

enum perun_cell_state {
	PERUN_CELL_PLANNED, /* nobody was asked to measure it */
	PERUN_CELL_WAITING,
	PERUN_CELL_RUNNING,
	PERUN_CELL_DONE,
	PERUN_CELL_FAILED, /* the program, or its build */
	PERUN_CELL_LOST,   /* it ended without an outcome */
	PERUN_CELL_STATES
};
/* "planned", "waiting", ... */
PERUN_EXPORT const char *perun_cell_state_name(enum perun_cell_state state);

struct perun_cell_status {
	enum perun_cell_state state;
	bool collected;
	unsigned attempts; /* that it was handed to the executor */
	char *reason;      /* of FAILED and LOST: one line; else NULL */
};
/* The layout is fixed. Item i is cell i + 1. */
struct perun_run_status {
	struct perun_cell_status *cells;
	size_t count;
	size_t states[PERUN_CELL_STATES]; /* how many are in each */
	size_t collected;
};
/* Where all cells are: from done.json, and what the executor says of the others. */
PERUN_EXPORT int perun_run_cells_status(struct perun_ctx *ctx, struct perun_run_cells *cells,
					struct perun_run_status *status);
PERUN_EXPORT void perun_run_status_free(struct perun_run_status *status);
/* "planned 3, done 33", for people. The caller frees it. */
PERUN_EXPORT char *perun_run_status_text(const struct perun_run_status *status);

/* A machine that measured cells of a run. The layout is fixed. */
struct perun_run_node {
	char *name;
	size_t cells; /* that ended well; of runs with more than 4096 cells, among as many of them */
	/*
	 * How long they took, as a multiple of what such cells took at the versions of the run on whatever machine: the median
	 * of its cells. 1 = as fast as the others.
	 */
	double ratio;
};
/* All of them; free them with perun_run_nodes_free(). */
PERUN_EXPORT struct perun_run_node *perun_run_cells_nodes(const struct perun_run_cells *cells,
							  size_t *count);
PERUN_EXPORT void perun_run_nodes_free(struct perun_run_node *nodes, size_t count);

/* Check the versions out that are to be built: perun_run_cells_build() needs no more. Submitting does it as well. */
PERUN_EXPORT int perun_run_cells_prepare(struct perun_ctx *ctx, struct perun_store *store,
					 const struct perun_run_cells *cells);
/*
 * Hand what is to be done to the executor: builds, and the cells that were never handed over; with `again` also those
 * that were lost, and those that failed. `*submitted`: how many cells.
 */
PERUN_EXPORT int perun_run_cells_submit(struct perun_ctx *ctx, struct perun_store *store,
					struct perun_run_cells *cells, bool again,
					size_t *submitted);
/*
 * Wait until all cells came to an end: what the executor lost for no reason of the program is handed over again, as often
 * as the plan says. `changed`, unless NULL, is called whenever cells have ended. Interrupted, what runs on other machines goes on.
 */
PERUN_EXPORT int perun_run_cells_wait(struct perun_ctx *ctx, struct perun_store *store,
				      struct perun_run_cells *cells,
				      void (*changed)(void *data,
						      const struct perun_run_status *now,
						      const struct perun_run_status *before),
				      void *data, struct perun_run_status *status);
/* Whether what is handed over ends with this process, so that it has to wait. */
PERUN_EXPORT int perun_run_cells_attached(struct perun_ctx *ctx, struct perun_run_cells *cells,
					  bool *attached);
/* End what was handed over and has not ended. */
PERUN_EXPORT int perun_run_cells_cancel(struct perun_ctx *ctx, struct perun_run_cells *cells);

/* What became of collecting. */
struct perun_collected {
	size_t added, already; /* profiles that came into the store now, and before */
	size_t damaged; /* done, but what was measured is not what the cell noted: a warning says which */
	size_t cells; /* all of whose profiles are in the store */
};
/*
 * Register what finished cells measured with their versions; of a run of perun_run() what is pending still. Any number of
 * times and at any time: each profile is in the store once. One process of a run collects at a time, others wait. Killed, it
 * is done again without harm.
 */
PERUN_EXPORT int perun_run_cells_collect(struct perun_ctx *ctx, struct perun_store *store,
					 struct perun_run_cells *cells,
					 struct perun_collected *collected);
/*
 * Remove what is older than this many seconds: runs whose cells have all ended and whose profiles are in the store, and then
 * builds below `runs` that no run needs. `visit` gets the path of each; with `dry_run` nothing is removed. What cannot be
 * read, and what somebody works in, stays.
 */
PERUN_EXPORT void perun_run_cells_tidy(const char *runs, int64_t older_than, bool dry_run,
				       void (*visit)(void *data, const char *path), void *data);
/*
 * Add words that name what an ended cell measured, as perun_lookup_add() reads them: the path of a file, or "VERSION^NAME" of what
 * was pending and is registered now. One, or those of all that a generator makes.
 */
PERUN_EXPORT void perun_cell_profiles(const struct perun_run_cells *cells, size_t number,
				      struct perun_words *words);

#ifdef __cplusplus
}
#endif
#endif
