/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of files as a copy of another one. */
#ifndef PERUN_CORE_DISSECT_MIRROR_H
#define PERUN_CORE_DISSECT_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Make the files below `to` what those below `from` are, with their permissions and times, which say to make what is built.
 * Files with the same size and time are taken for the same. What is so below `alike` (NULL = nothing), which nobody may write
 * to, becomes another name of that file. False where that fails, halfway, or where there are more than `most` bytes.
 */
bool mirror_tree(const char *from, const char *to, const char *alike, int64_t most);

#endif
