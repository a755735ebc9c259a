/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files of a directory a format reads, and reading them again from an archive of these. */
#ifndef PERUN_CORE_FORMAT_TAKEN_H
#define PERUN_CORE_FORMAT_TAKEN_H

#include <sys/stat.h>

#include <perun/format.h>

/* A file of a directory that was opened. */
struct perun_taken_file {
	char *path; /* from the directory */
	struct stat info;
	bool used; /* for its bytes, its size or its time: what was only looked at for being a directory is left out */
	bool timed; /* somebody asked when it was written */
};
struct perun_taken {
	struct perun_taken_file *files;
	size_t count, room;
};

/* From now on note each file that is opened and read in the directory, or in one that is in it. `taken` is borrowed until close. */
void perun_input_take(struct perun_input *input, struct perun_taken *taken);
/*
 * The files as one archive (archive.h), given to `sink` in pieces: the same bytes whatever the order in which they were opened. `directory`
 * is open for reading. A file that is not as it was when it was opened is PERUN_INPUT.
 */
int perun_taken_pack(struct perun_ctx *ctx, int directory, struct perun_taken *taken,
		     int (*sink)(void *data, const void *bytes, size_t size), void *data);
void perun_taken_free(struct perun_taken *taken);

/* A directory of such an archive; the bytes are borrowed until close, and nothing is written to disk. */
int perun_input_open_archive(struct perun_ctx *ctx, const char *name, const void *data, size_t size,
			     struct perun_input **input);

#endif
