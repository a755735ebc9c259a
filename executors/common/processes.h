/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that are processes of ours, on a number of places: what executors share that stay until their tasks have ended. */
#ifndef EXECUTORS_COMMON_PROCESSES_H
#define EXECUTORS_COMMON_PROCESSES_H

#include <perun/executor.h>

#include "executors/common/engine.h"

struct processes;

/* A task that starts. */
struct processes_start {
	const struct perun_executor_run *run;
	const char *task;   /* DIRECTORY:NUMBER */
	uint64_t number;    /* of the cell or version */
	size_t place;       /* where it runs, from 0 */
	unsigned batch;     /* its number */
	const char *option; /* "--cell" or "--build" */
	bool builds;
};

/* The first member of an executor's instance, so that the operations below find it there. */
struct processes_owner {
	struct processes *processes;
};

/* All get the executor's instance. */
struct processes_hooks {
	/* Add the words of the command. */
	void (*command)(void *instance, const struct processes_start *start,
			struct engine_words *words);
	/* In the new process, before its command. NULL = nothing. */
	void (*enter)(void *instance, size_t place);
	/* What became of a task that exited with `status` at a place. NULL = it ended. */
	enum perun_executor_state (*judge)(void *instance, struct perun_ctx *ctx, size_t place,
					   int status);
	/* Whether a place may get another task. NULL = it may. */
	bool (*is_usable)(void *instance, size_t place);
};

/*
 * `hooks` and `owner` stay the caller's. `together`: tasks at other places do not disturb each other; else those of a batch that is to be
 * alone run when no other does, and do not enter a place.
 */
struct processes *processes_new(size_t places, bool together, const struct processes_hooks *hooks,
				struct processes_owner *owner);
/* Asks tasks that run to end, and waits for them. */
void processes_free(struct processes *processes);
/* Operations of an executor (perun/executor.h) whose instance begins with a struct processes_owner. */
int processes_submit(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		     const struct perun_executor_batch *batch, char **handle);
int processes_poll(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		   struct perun_executor_job *jobs, size_t count, size_t stride);
int processes_cancel(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		     struct perun_executor_job *jobs, size_t count, size_t stride);

#endif
