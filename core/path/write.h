/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing to descriptors; private to the core. */
#ifndef PERUN_CORE_PATH_WRITE_H
#define PERUN_CORE_PATH_WRITE_H

#include <stddef.h>

/* Write everything; 0 or an errno. */
int perun_write_all(int fd, const void *data, size_t size);

#endif
