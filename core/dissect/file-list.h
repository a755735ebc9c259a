/* SPDX-License-Identifier: BSD-3-Clause */
/* The files below a directory. */
#ifndef PERUN_CORE_DISSECT_FILE_LIST_H
#define PERUN_CORE_DISSECT_FILE_LIST_H

#include <perun/lib/program.h>

/* All of them, sorted, and all directories, each after those above it (NULL = not asked); without what version control keeps. */
void tree_list(const char *root, struct perun_words *names, struct perun_words *directories);

#endif
