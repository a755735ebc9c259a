/* SPDX-License-Identifier: BSD-3-Clause */
/* Children that do not outlive who measures them. */
#ifndef PERUN_COLLECTORS_END_WITH_H
#define PERUN_COLLECTORS_END_WITH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * In a child, before it becomes what is measured: the system kills it when the thread that made it ends, whatever ends that
 * (SIGKILL too). False if `parent` is gone already. Safe after vfork(2).
 */
static inline bool collectors_end_with(pid_t parent)
{
	/* The second question is for a parent that ended before it could be named. */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

#endif
