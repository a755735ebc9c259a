/* SPDX-License-Identifier: BSD-3-Clause */
/* The counts of a program that was compiled with --coverage: it writes them into .gcda files when it ends. */
#ifndef PERUN_CORE_FUZZ_GCOV_H
#define PERUN_CORE_FUZZ_GCOV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files that were seen, each with its place among the counters, which stays the same for all runs. */
struct fuzz_gcov {
	struct fuzz_gcov_file {
		char *path;
		size_t first, count;
	} * files;
	size_t file_count, file_capacity;
	size_t used; /* counters of all files, and one that is never met */
};

void fuzz_gcov_free(struct fuzz_gcov *gcov);
/* Remove what the last run wrote below the folder: counts of a file that is there are added to. */
void fuzz_gcov_clear(const char *folder);
/* What is there, into `counts`, which has room for `room`. Returns the number of files. */
size_t fuzz_gcov_read(struct fuzz_gcov *gcov, const char *folder, uint64_t *counts, size_t room);

#endif
