/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of runs share. */
#ifndef PERUN_CORE_CELLS_CELLS_H
#define PERUN_CORE_CELLS_CELLS_H

#include <perun/json.h>
#include <perun/lib/cells.h>
#include <perun/lib/module.h>
#include <perun/lib/program.h>

#include "core/run/run.h"

struct perun_run_cells {
	char *id, *path; /* of its directory; absolute */
	struct perun_json *document;
	struct perun_plan *plan;
	struct perun_words versions;
	size_t jobs;   /* of a version with given parameters */
	size_t points; /* combinations of parameters */
	/* The rest is in the document, and valid. */
	bool inlined;       /* measured by the process of perun_run(), one cell after the other */
	const char *builds; /* directory of the builds; NULL = the user's files as they are */
	const char *hash;   /* of what builds: a part of their names */
	const char *directory; /* below the files of a version; or the user's own, absolute */
	const char *launch;    /* "" = nothing */
	const char *executor;
	struct perun_words executor_words; /* for its options */
	size_t retries;
	struct cells_executor **executors; /* that are open: see executors.c */
	size_t executor_count, executor_capacity;
	unsigned char *
		ended; /* of each cell: 0 or the enum perun_cell_state that done.json said; NULL = not asked */
	int measuring; /* the lock of who measures it, while this process does; -1 */
};

/* ---- files (file.c) --------------------------------------------------------------------------- */

/* A document of at most `limit` bytes. PERUN_MISSING without a message when there is no such file. */
int cells_read(struct perun_ctx *ctx, const char *path, size_t limit, struct perun_json **document);
/* Put a document in its place as a whole. */
int cells_write(struct perun_ctx *ctx, const char *path, const struct perun_json *document);
/* The names in a directory, but those with a dot; false where there is none. */
bool cells_list_directory(const char *path, struct perun_words *names);
/* A file of the run; the caller frees it. */
char *cells_file(const struct perun_run_cells *cells, const char *name);
/* Lock NAME in a directory, waiting for others: a descriptor to close, or -1 where there is no locking. */
int cells_lock(struct perun_ctx *ctx, const char *directory, const char *name, int *lock);

/* ---- planning (planning.c) ---------------------------------------------------------------------- */

/*
 * perun_run_cells_plan(), or with `inlined` the plan of a run that this process measures: `*cells` is locked by it. `resume`
 * is that of the options.
 */
int cells_plan(struct perun_ctx *ctx, struct perun_store *store, const struct perun_plan *plan,
	       const struct perun_run_cells_options *options,
	       const struct perun_run_options *inlined, struct perun_run_cells **cells,
	       bool *resumed);

/* ---- plans (plan-file.c) ----------------------------------------------------------------------- */

#define MAX_CELLS    ((size_t)10000000)
#define CELLS_FORMAT 1
#define CELLS_PLAN   "plan.json"

/* From a document that was read or is about to be written; it is taken. */
int cells_of_document(struct perun_ctx *ctx, const char *path, struct perun_json *document,
		      struct perun_run_cells **cells);

/* Add the texts of a list in a document; false where it is something else than none or a list of texts. */
bool cells_texts(const struct perun_json *document, const char *key, struct perun_words *words);

/* ---- what a cell is (cell-axes.c) -------------------------------------------------------------- */

struct cells_place {
	size_t version, point, job;
};
struct cells_place cells_place_of(const struct perun_run_cells *cells, size_t number);
/* The values of a combination: an object, the caller's. */
struct perun_json *cells_point(const struct perun_run_cells *cells, size_t point);
/* A text with the values in the place of their names; the caller frees it. */
char *cells_expand(const char *text, const struct perun_json *values);

/* ---- builds (cell-build.c) --------------------------------------------------------------------- */

enum cells_build { CELLS_UNBUILT, CELLS_BUILT, CELLS_BUILD_FAILED };
/* Of version `at`. `*reason`, unless NULL, is the caller's. */
enum cells_build cells_build_state(const struct perun_run_cells *cells, size_t at, char **reason);
/* BUILDS/VERSION-HASH; the caller frees it. */
char *cells_build_path(const struct perun_run_cells *cells, size_t at);
/* Put the files of all versions that are not built in place; `again`: forget those that failed. */
int cells_builds_prepare(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_run_cells *cells, bool again);
/* Whether versions are built by commands; without any their files are all. */
bool cells_build_has_commands(const struct perun_run_cells *cells);
/*
 * Build version `at` of an inlined run, unless that was done before. What the commands print goes to the log of `place`, too; its
 * directory is not used. The build is not removed for lack of room until `*use` is closed, unless it is -1.
 */
int cells_build_inline(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_run_cells *cells, size_t at,
		       const struct perun_preparation *place, int *use);
/* In a build that only inlined runs named: locked by who uses it, as old as the last use. */
#define CELLS_USED "used"
/* Remove what was not used for the longest time of too many builds with this file, but that one. (tidy.c) */
void cells_tidy_builds(const char *builds, const char *own);

/* ---- outcomes (outcome.c) ---------------------------------------------------------------------- */

/* The document of done.json; PERUN_MISSING without a message when there is none. */
int cells_outcome(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
		  struct perun_json **outcome);
/* Which cells are in the store: an array of bools for all, the caller's. */
bool *cells_collected(const struct perun_run_cells *cells);
/* Remove the oldest of too many inlined runs below a directory, but those that somebody measures. */
void cells_tidy_inline(const char *runs);
int cells_note_collected(struct perun_ctx *ctx, const struct perun_run_cells *cells,
			 const bool *all);

/* ---- what cells write beside profiles (cell-output.c) ------------------------------------------- */

/* Write text to the file NAME of a folder; the outcome gets `key`: NAME, and "checksum". */
int cells_write_output(struct perun_ctx *ctx, const char *folder, const char *name, const char *key,
		       const struct perun_buffer *text, struct perun_json *outcome);
/* Read the file that the outcome of a cell names by `key`; PERUN_INPUT where it is not what the cell wrote. `*path` is the caller's. */
int cells_read_output(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
		      const struct perun_json *outcome, const char *key, char **path,
		      struct perun_buffer *text);

/* The text of a file, where it has the checksum that was noted. */
bool cells_read_checked(const char *path, const char *checksum, struct perun_buffer *text);

/*
 * The outcome of a cell that is not done, of which some measurements are: done.json takes its place, or stands beside it after a
 * failure.
 */
#define CELLS_SAVING     "saving.json"
#define CELLS_MAX_SAVING ((size_t)64 << 20)

/* ---- measuring (cell.c) --------------------------------------------------------------------------- */

/* One cell, being measured. */
struct cells_attempt {
	struct run *run;
	const struct perun_run_cells *cells;
	struct perun_cell cell;
	struct cells_place place;
	char *folder; /* cells/K */
	char node[256];
	struct perun_json *outcome; /* what done.json will be */
	/* Of the measurement that goes on: */
	const struct perun_run_job *names;
	struct perun_json *facts; /* what hooks are given */
	bool measured;            /* the program was; keeping may have failed */
	size_t among; /* its number among those of a generator, from 1; 0 = the cell has but this one */
	size_t hooks_failed;
	void *data;                                    /* of these: */
	void (*begins)(struct cells_attempt *attempt); /* NULL = nobody is interested */
	/* Put what was measured in its place, and note it in the outcome; `*path` is the caller's. */
	int (*keep)(struct cells_attempt *attempt, struct perun_profile *profile, char **path);
};
/* Begin with cell `number`, from the files that the run is to be in; `keep` and the like are the caller's to set. */
void cells_attempt_begin(struct cells_attempt *attempt, struct run *run,
			 const struct perun_run_cells *cells, size_t number);
/* What profiles say of one of its workloads; the caller frees it. */
char *cells_label(const struct cells_attempt *attempt, const struct run_workload *workload);
/* Measure one of its workloads, between the hooks. The failure may be that of a postprocessor, after what was measured was kept. */
int cells_measure(struct cells_attempt *attempt, const struct run_workload *workload);
/* When it ended, and how. */
void cells_end(struct cells_attempt *attempt, int status);
/* Write done.json for a status; why it failed is the failure of the context, unless the outcome has a reason. */
int cells_write_outcome(struct cells_attempt *attempt, int status);
void cells_attempt_end(struct cells_attempt *attempt);
/* Measure all workloads of a cell; of many, one that fails does not keep the others from being measured. (cell-workloads.c) */
int cells_measure_all(struct cells_attempt *attempt, const struct run_workloads *workloads);
/* Of many profiles one more is there, which another attempt does not measure again; the entry is taken. */
int cells_note_saved(struct cells_attempt *attempt, struct perun_json *entry);
/* All are there, and done.json says so. */
void cells_drop_saving(const struct cells_attempt *attempt);
/* The number of the planned workload that a cell has. */
size_t cells_workload(const struct cells_attempt *attempt);
int cells_check_workloads(struct perun_ctx *ctx, const struct run_workloads *workloads,
			  size_t planned);
/* Where the programs of a version run, in its files at `tree`; the caller frees it. */
char *cells_directory_in(const struct perun_run_cells *cells, const char *tree);

/* ---- cells that this process measures (here.c) ----------------------------------------------------- */

/*
 * Who measures a single cell of an inlined run: `*lock` keeps its own command from doing so meanwhile, and is to be closed; -1 =
 * there is nothing to lock. Fails while that command measures, and where versions are checked out in the user's files.
 */
int cells_join_inline(struct perun_ctx *ctx, const struct perun_run_cells *cells, int *lock);
/* PERUN_USAGE for a run that is inlined: its cells are handed over by its own command alone. */
int cells_refuse_inline(struct perun_ctx *ctx, const struct perun_run_cells *cells);
/* Nobody else measures it until it is freed; false where somebody does. */
bool cells_lock_inline(struct perun_run_cells *cells);
bool cells_is_measured(const struct perun_run_cells *cells);
/* Ask the process that measures to end. */
int cells_cancel_inline(struct perun_ctx *ctx, const struct perun_run_cells *cells);
/*
 * Whether a run of the same plan is to be gone on with: it is not complete, and nobody measures it. With `resume` it is
 * locked then; without, that it could be is noted, and it is not.
 */
bool cells_go_on(struct perun_ctx *ctx, struct perun_store *store, struct perun_run_cells *cells,
		 bool resume);

/* ---- hooks (cell-hooks.c) ------------------------------------------------------------------------ */

/* Put the commands of hooks.pre_job and hooks.post_job into a plan; of one that is inlined also those of pre_run and post_run. */
int cells_plan_hooks(struct perun_ctx *ctx, struct perun_store *store, struct perun_json *document,
		     bool inlined);
/* Whether what a document says of them is commands. */
bool cells_hooks_fit(const struct perun_run_cells *cells);
/* Run those of a hook, where the run is and with its log. */
int cells_hook(const struct run *run, const struct perun_run_cells *cells, const char *name,
	       const struct perun_json *facts);
/* The same, where a failure is a warning. Whether all went well. */
bool cells_hook_try(const struct run *run, const struct perun_run_cells *cells, const char *name,
		    const struct perun_json *facts);

/* ---- comparisons (comparison.c) ----------------------------------------------------------------- */

/* What the cells of a plan compare; NULL: they measure. */
const struct perun_json *cells_comparison(const struct perun_run_cells *cells);
/* Whether what a document says of it fits the axes. */
bool cells_comparison_fits(const struct perun_run_cells *cells);
/* Run the pairs of a job, and note the values in the file NAME of a folder. */
int cells_compare(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t job,
		  const char *folder, const char *name, struct perun_json *outcome);

/* ---- merges (merging.c) -------------------------------------------------------------------------- */

/* The parts of which each cell merges one; NULL: they do something else. */
const struct perun_json *cells_merging(const struct perun_run_cells *cells);
bool cells_merging_fits(const struct perun_run_cells *cells);
/* Merge the files of a job into the file NAME of a folder. */
int cells_merge(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t job,
		const char *folder, const char *name, struct perun_json *outcome);

/* ---- batches (batches.c) ----------------------------------------------------------------------- */

/* What was handed to an executor. */
struct cells_batch {
	unsigned number;
	bool builds;
	uint64_t *tasks; /* ascending */
	size_t count;
	char *handle;   /* NULL = it is being submitted, or was when the process was killed */
	unsigned after; /* number of the batch that it waits for; 0 = none */
	double factor;  /* of the limit of time */
	size_t point;   /* whose parameters its executor has */
	bool alone;     /* its cells take times; not known of a batch that was read */
	enum perun_executor_state *states; /* of the tasks, as far as was asked */
	enum perun_executor_state *ends;   /* how they ended, as was noted; UNKNOWN = nothing was */
	bool unasked;                      /* the engine cannot be asked now */
	bool cancelled;                    /* by the user, whatever the engine says of it */
};

struct cells_batches {
	struct cells_batch *items;
	size_t count, capacity;
};

/* None is an empty list. Free it also after a failure. */
int cells_batches_read(struct perun_ctx *ctx, const struct perun_run_cells *cells,
		       struct cells_batches *batches);
int cells_batches_write(struct perun_ctx *ctx, const struct perun_run_cells *cells,
			const struct cells_batches *batches);
/* A new one at the end; the tasks are taken. */
struct cells_batch *cells_batch_add(struct cells_batches *batches, bool builds, uint64_t *tasks,
				    size_t count);
/* Take over how tasks ended, so that it is written; whether there was anything new. */
bool cells_batches_note_ends(struct cells_batches *batches);
void cells_batches_drop_last(struct cells_batches *batches);
void cells_batches_free(struct cells_batches *batches);

/* ---- executors (executors.c) ------------------------------------------------------------------- */

/* The one for a combination of parameters, opened when it is first needed; NULL after a failure. */
struct cells_executor *cells_executor(struct perun_ctx *ctx, struct perun_run_cells *cells,
				      size_t point);
/* Whether its tasks end with this process, and seconds between two polls. */
bool cells_executor_is_attached(const struct cells_executor *executor);
double cells_executor_interval(const struct cells_executor *executor);
/* Hand a batch over: its handle is set. */
int cells_executor_submit(struct perun_ctx *ctx, struct perun_run_cells *cells,
			  struct cells_batch *batch, const struct cells_batch *after);
/*
 * Have tasks done in this process, by `work` for each until it says false, of a run that this user planned. The status is of the
 * executor: how a task ended is for `work` to note.
 */
int cells_executor_perform(struct perun_ctx *ctx, struct perun_run_cells *cells, bool builds,
			   const uint64_t *tasks, size_t count,
			   bool (*work)(void *data, uint64_t task), void *data);
/* Set the states of the batches that `wanted` marks. An engine that does not answer is warned about. */
int cells_executors_poll(struct perun_ctx *ctx, struct perun_run_cells *cells,
			 struct cells_batches *batches, const bool *wanted);
int cells_executors_cancel(struct perun_ctx *ctx, struct perun_run_cells *cells,
			   struct cells_batches *batches);
/* Fail unless this user planned the run. */
int cells_require_trust(struct perun_ctx *ctx, const struct perun_run_cells *cells);
void cells_close_executors(struct perun_run_cells *cells);

/* ---- where all cells are (survey.c) ------------------------------------------------------------- */

struct cells_survey {
	struct perun_run_status status;
	/* Of each cell, what the executor says of the last attempt; of one that was not started, of its build. */
	enum perun_executor_state *last;
	double *factor; /* of the last attempt */
};
int cells_survey(struct perun_ctx *ctx, struct perun_run_cells *cells,
		 struct cells_batches *batches, struct cells_survey *survey);
void cells_survey_free(struct cells_survey *survey);

#endif
