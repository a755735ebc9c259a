/* SPDX-License-Identifier: BSD-3-Clause */
/* The library that the kernel puts into each process; it is no file. */
#ifndef PERUN_COLLECTORS_VDSO_H
#define PERUN_COLLECTORS_VDSO_H

#include <stdbool.h>

#define COLLECTORS_VDSO "[vdso]" /* as maps of processes call it */

/* A file in memory that is the one of this process, to read, at the end; -1 = there is none. The caller closes it. */
int collectors_vdso_open(void);

#endif
