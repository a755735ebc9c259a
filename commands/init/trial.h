/* SPDX-License-Identifier: BSD-3-Clause */
/* Building the current commit as proposed, elsewhere, and trying its programs: perun init --detect --run. */
#ifndef PERUN_COMMANDS_INIT_TRIAL_H
#define PERUN_COMMANDS_INIT_TRIAL_H

#include <perun/lib/detect.h>
#include <perun/vcs.h>

/* `way` leads from the root of the repository to the project. A failed build is PERUN_INPUT, with its last lines. */
int init_try(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *way,
	     struct perun_detection *detected);

#endif
