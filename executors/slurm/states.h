/* SPDX-License-Identifier: BSD-3-Clause */
/* What Slurm says of the jobs of this user. */
#ifndef EXECUTORS_SLURM_STATES_H
#define EXECUTORS_SLURM_STATES_H

#include <perun/executor.h>

struct slurm_states;

/*
 * Ask squeue once for all jobs: those that wait and run, and those that ended a few minutes ago. PERUN_INPUT when it does
 * not answer.
 */
int slurm_states_ask(struct perun_ctx *ctx, struct slurm_states **states);
/* Ask sacct for what squeue does not know any more; a site without accounting says nothing. */
int slurm_states_ask_accounting(struct perun_ctx *ctx, struct slurm_states *states,
				struct perun_executor_job *jobs, size_t count, size_t stride);
/* Set the states of the tasks of a job. */
void slurm_states_apply(const struct slurm_states *states, struct perun_executor_job *job);
void slurm_states_free(struct slurm_states *states); /* NULL is fine */

#endif
