/* SPDX-License-Identifier: BSD-3-Clause */
/* What a version is built with, beside its commands. */
#ifndef PERUN_CORE_RUN_TOOLCHAIN_H
#define PERUN_CORE_RUN_TOOLCHAIN_H

#include <stdint.h>

/* A hash of the variables that builds heed (CC, CFLAGS, ...) and of the compilers on the PATH, as files. */
uint64_t perun_toolchain_hash(void);

#endif
