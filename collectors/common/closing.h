/* SPDX-License-Identifier: BSD-3-Clause */
/* Closing many files of which the kernel lets each wait. */
#ifndef PERUN_COLLECTORS_CLOSING_H
#define PERUN_COLLECTORS_CLOSING_H

#include <stddef.h>

/*
 * When a breakpoint goes, the kernel waits some 50 ms until none is being handled; those who wait at the same time
 * wait for the same. Negative numbers are skipped.
 */
void collectors_close_together(const int *files, size_t count);

#endif
