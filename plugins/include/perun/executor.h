/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `executor`: start tasks on this machine or on others, and say what became of them.
 *
 * Perun plans, builds, measures and collects; an executor hands tasks to an engine that a site has. A task is a command,
 * "PROGRAM run --cell DIRECTORY:K" (which measures a cell) or "PROGRAM run --build DIRECTORY:V" (which builds a version). It needs
 * the directory of the run and that of the builds, at the same places as here. What came of a task is in the files
 * that it leaves, and never depends on what the executor says: that only decides what is lost and done again.
 *
 * Threads: the host makes all calls of an instance on one thread.
 */
#ifndef PERUN_EXECUTOR_H
#define PERUN_EXECUTOR_H

#include <perun/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The run that tasks belong to. All borrowed during the call. */
struct perun_executor_run {
	uint32_t struct_size;
	const char *id;
	const char *directory; /* of the run, absolute; files of the executor may lie in it, named EXECUTOR-... */
	const char *builds;    /* of built versions, absolute; "" = the user's own files are measured */
	const char *program;   /* perun, absolute */
	const char *log;       /* a directory for what tasks print, absolute; it is there when one is submitted */
};

/* Tasks of one kind that need the same. All borrowed during the call. */
struct perun_executor_batch {
	uint32_t struct_size;
	unsigned number;        /* 1, 2, ... in the run; 0 = it is performed */
	bool builds;            /* the tasks build versions; else they measure cells */
	const uint64_t *tasks;  /* numbers of cells (from 1) or versions (from 0), ascending */
	size_t count;
	const char *after;      /* the handle of a batch that must have ended well before; NULL = none */
	double time_factor;     /* 2 where a limit of time was hit before; else 1 */
	bool alone;             /* cells that take times, which whatever else runs on the machine disturbs */
};

/* The word before "DIRECTORY:NUMBER" in the command of a task. */
static inline const char *perun_executor_word(const struct perun_executor_batch *batch)
{
	return batch->builds ? "--build" : "--cell";
}

/* What became of a task. */
enum perun_executor_state {
	PERUN_EXECUTOR_UNKNOWN,       /* the engine does not know it (any more) */
	PERUN_EXECUTOR_WAITING,
	PERUN_EXECUTOR_RUNNING,
	PERUN_EXECUTOR_ENDED,         /* by itself, or nobody knows how */
	PERUN_EXECUTOR_NODE_FAILED,   /* for no reason of its own: the machine failed, or was taken away */
	PERUN_EXECUTOR_TIMED_OUT,     /* at the limit that the executor has for it */
	PERUN_EXECUTOR_OUT_OF_MEMORY,
	PERUN_EXECUTOR_KILLED,        /* by a signal or by somebody */
	PERUN_EXECUTOR_NOT_STARTED    /* what it came after failed */
};

/* Does tasks in the process that asks for it; the host's. */
struct perun_executor_worker {
	uint32_t struct_size;
	bool (*work)(void *data, uint64_t task); /* do one; false = do no more of them */
	void *data;
};

/* A batch that was submitted; the host's. */
struct perun_executor_job {
	uint32_t struct_size;
	const char *handle;
	unsigned number;
	size_t count;
	enum perun_executor_state *states; /* of each task: poll() sets them; UNKNOWN before */
};

/*
 * Only submit and poll are required. All are about one run.
 */
struct perun_executor_ops {
	PERUN_INSTANCE_OPS;
	/* Once before the first submit of a command. Fallback: nothing to prepare. */
	int (*prepare)(void *instance, struct perun_ctx *ctx,
		       const struct perun_executor_run *run);
	/*
	 * Hand a batch over and return without waiting for it. `*handle` is a short text without control characters, which
	 * other processes may use later; the host frees it with perun_free().
	 */
	int (*submit)(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		      const struct perun_executor_batch *batch, char **handle);
	/*
	 * Say where all tasks are. The array has `count` jobs with `stride` bytes from one to the next. It is asked again as
	 * often as `interval` says. PERUN_INPUT when the engine cannot be asked now: nothing is concluded from that.
	 */
	int (*poll)(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		    struct perun_executor_job *jobs, size_t count, size_t stride);
	/* End all tasks of these jobs that have not ended. Fallback: they cannot be cancelled. */
	int (*cancel)(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		      struct perun_executor_job *jobs, size_t count, size_t stride);
	/* Bring what tasks left in the directory of the run here. Fallback: the directory is shared. */
	int (*fetch)(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run);
	double interval; /* seconds between two polls of somebody who waits; 0 = 1 */
	/*
	 * Its tasks end with the process that submitted them: who submits waits for them. Fallback: they go on.
	 */
	bool attached;
	/*
	 * Do a batch in this process before returning: call worker->work() for one task after the other, until it says false.
	 * perun_run() asks the executor `local` for it, so that what is measured is on the user's terminal and in memory. How tasks
	 * ended is known to the host. Fallback: tasks are only done by other processes.
	 */
	int (*perform)(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		       const struct perun_executor_batch *batch,
		       const struct perun_executor_worker *worker);
};

#ifdef __cplusplus
}
#endif
#endif
