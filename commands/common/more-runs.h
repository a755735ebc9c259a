/* SPDX-License-Identifier: BSD-3-Clause */
/* How to get more runs from the tool that measured. */
#ifndef PERUN_COMMANDS_COMMON_MORE_RUNS_H
#define PERUN_COMMANDS_COMMON_MORE_RUNS_H

/* The option, or what else to do, by the name of a collector or format. */
const char *commands_more_runs(const char *collector);

#endif
