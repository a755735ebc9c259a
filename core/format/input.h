/* SPDX-License-Identifier: BSD-3-Clause */
/* What an input is made of; for the files of this folder only. */
#ifndef PERUN_CORE_FORMAT_INPUT_H
#define PERUN_CORE_FORMAT_INPUT_H

#include <stdio.h>

#include "core/format/archive.h"
#include "core/format/inflate-thread.h"
#include "core/format/inflate.h"
#include "perun/format.h"

/* What can be read again on a stream that cannot seek, and what a probe sees. */
#define PERUN_HEAD_SIZE ((size_t)64 * 1024)
/* More than this is not put into memory unless the caller allows it. */
#define PERUN_INPUT_LIMIT ((uint64_t)16 * 1024 * 1024 * 1024)

enum perun_input_kind {
	PERUN_INPUT_FILE,   /* a regular file: can seek */
	PERUN_INPUT_STREAM, /* standard input, a pipe */
	PERUN_INPUT_MEMORY,
	PERUN_INPUT_DIRECTORY
};

/* Bytes before gzip is decompressed. */
struct perun_raw {
	int fd; /* -1: memory */
	bool close_fd;
	const unsigned char *memory;
	size_t memory_size;
	uint64_t offset; /* of the next byte */
};

struct perun_input {
	char *name;
	enum perun_input_kind kind;
	struct perun_raw raw;
	uint64_t file_size; /* FILE and MEMORY: before gzip is decompressed */

	bool started; /* it is known whether it is compressed */
	bool compressed;
	struct perun_inflate *inflate; /* NULL unless compressed by gzip */
	struct perun_unzstd *unzstd;   /* NULL unless compressed by zstd */
	bool member_ended;             /* between two members of a gzip file */
	unsigned char *packed;         /* room for bytes as they are stored */
	size_t packed_size;
	const unsigned char *next; /* those of them that are not used yet */
	size_t left;
	uint64_t position; /* of the next decompressed byte */
	size_t mark;       /* bytes of the mark that the text begins with, which is left out */
	bool decoded;      /* it was looked for */
	bool ended;
	struct perun_ahead *ahead; /* the thread that decompresses, NULL = none */

	/* The first bytes of a stream, as far as they were read. */
	unsigned char *head;
	size_t head_size; /* bytes in it */
	uint64_t fetched; /* decompressed bytes taken from the source */

	/* The whole content, once it was asked for. */
	const unsigned char *whole;
	size_t whole_size;
	bool have_whole;
	void *mapped;               /* to be unmapped, or NULL */
	size_t mapped_size, passed; /* passed: bytes before this one are not read soon */
	unsigned char *owned;       /* to be freed, or NULL */

	char *local_path; /* a temporary copy, removed at the end */
	char **entries;
	size_t entry_count;
	bool listed;

	char *inside; /* of what is in a directory: its path from there, also of the directory itself; NULL = "" */
	const struct perun_archive
		*archive; /* where a directory and what is in it are; NULL = on disk */
	struct perun_archive *own_archive; /* it, to be freed */
	int64_t modified;                  /* of a file of an archive */
	struct perun_taken *taken;         /* gets the files that are opened; NULL = nobody asked */
	size_t taken_at;                   /* of a file, its number among them from 1 */
};

/* Find out whether the input is compressed; reads its first bytes. */
int perun_input_start(struct perun_ctx *ctx, struct perun_input *input);
/* Whether it is a plain file so small that it is best taken whole. Reads its first bytes. */
bool perun_input_is_small(struct perun_ctx *ctx, struct perun_input *input);
/* The next decompressed bytes straight from the source. */
int perun_input_fetch(struct perun_ctx *ctx, struct perun_input *input, void *buffer, size_t size,
		      size_t *got);
/* Begin again at the first byte of a source that can seek. */
int perun_input_rewind(struct perun_ctx *ctx, struct perun_input *input);
/*
 * Give text in UTF-8 without a byte order mark from now on, begun again at its start: UTF-16 is converted in memory. Other
 * inputs stay as they are.
 */
int perun_input_decode(struct perun_ctx *ctx, struct perun_input *input);
void perun_input_end_inflate(struct perun_input *input);

/* Opens `path` relative to directory `at`; `name` is for messages. */
int perun_input_open_at(struct perun_ctx *ctx, int at, const char *path, const char *name,
			struct perun_input **input);
struct perun_input *perun_input_new(const char *name, enum perun_input_kind kind, int fd,
				    bool close_fd);
void perun_input_free_entries(struct perun_input *input);

#endif
