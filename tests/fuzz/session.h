/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for what the library in a measured program would write; it goes with the fuzz target. */
#ifndef PERUN_TESTS_FUZZ_SESSION_H
#define PERUN_TESTS_FUZZ_SESSION_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <perun/context.h>

#include "tests/fuzz/must.h"

static char session_folder[512];

static void session_empty(void)
{
	DIR *folder = opendir(session_folder);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *path = perun_format("%s/%s", session_folder, entry->d_name);

		unlink(path);
		perun_free(path);
	}
	if (folder)
		closedir(folder);
}

static void session_end(void)
{
	session_empty();
	rmdir(session_folder);
}

static void session_begin(void)
{
	const char *base = getenv("TMPDIR");

	/* In memory, if it can be: most of the time of a round is that of making files. */
	if (!session_folder[0]) {
		snprintf(session_folder, sizeof session_folder, "%s/perun-fuzz-XXXXXX",
			 base && *base                   ? base
			 : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
							 : "/tmp");
		MUST(mkdtemp(session_folder) != NULL);
		atexit(session_end);
	}
	session_empty();
}

/* A file that appears under its name when it is complete. */
static void session_write(const char *name, const void *data, size_t size)
{
	char *hidden = perun_format("%s/.new", session_folder);
	char *path = perun_format("%s/%s", session_folder, name);
	FILE *file = fopen(hidden, "wb");

	MUST(file != NULL);
	MUST(fwrite(data, 1, size, file) == size);
	MUST(fclose(file) == 0);
	MUST(rename(hidden, path) == 0);
	perun_free(hidden);
	perun_free(path);
}

#endif
