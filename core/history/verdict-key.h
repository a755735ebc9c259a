/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of all that an answer follows from, under which it is kept. */
#ifndef PERUN_CORE_HISTORY_VERDICT_KEY_H
#define PERUN_CORE_HISTORY_VERDICT_KEY_H

#include <stdbool.h>

#include "core/hash/hash.h"

enum { PERUN_VERDICT_KEY_SIZE = 2 * PERUN_SHA256_BYTES + 1 };

/* Begins with the library itself, as its file is on the disk; false when that is not known: then nothing is kept. */
bool perun_verdict_key_start(struct perun_hash *hash);
/* A file, such as a plugin's, by its place, size and times. False when it is not there. */
bool perun_verdict_key_add_file(struct perun_hash *hash, const char *path);
/* With its length, so that two texts are not another two; NULL is another one than "". */
void perun_verdict_key_add_text(struct perun_hash *hash, const char *text);
void perun_verdict_key_end(struct perun_hash *hash, char key[PERUN_VERDICT_KEY_SIZE]);

#endif
