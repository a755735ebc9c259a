/* SPDX-License-Identifier: BSD-3-Clause */
/* All of it is public. */
#ifndef PERUN_JOB_SCRATCH_H
#define PERUN_JOB_SCRATCH_H

#include <perun/lib/program.h>

#endif
