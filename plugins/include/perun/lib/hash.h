/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes for tables in memory, different in each process: nobody can prepare input that fills one place of a table. Of
 * the growing part of the interface: see version.h.
 * Threads: any thread may call these.
 */
#ifndef PERUN_LIB_HASH_H
#define PERUN_LIB_HASH_H

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a number; of several: of one, to which the next one is added by ^, and so on. */
PERUN_EXPORT uint64_t perun_hash_number(uint64_t number);
PERUN_EXPORT uint64_t perun_hash_text(const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
