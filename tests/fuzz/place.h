/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders for files that targets write, and a store in one. */
#ifndef PERUN_TESTS_FUZZ_PLACE_H
#define PERUN_TESTS_FUZZ_PLACE_H

#include "core/store/store.h"
#include "tests/fuzz/fuzz.h"

#define MINOR "0123456789abcdef0123456789abcdef01234567"

/* A file that appears under its name when it is complete. */
void fuzz_write(const char *folder, const char *name, const void *data, size_t size);
/* Remove the files of a folder. */
void fuzz_empty(const char *folder);

/* A store in a folder of its own, made at the first call. */
struct perun_store *fuzz_store(void);
/* Write the file of a checksum below its objects/. */
void fuzz_store_write(const char *checksum, const char *suffix, const void *data, size_t size);

#endif
