/* SPDX-License-Identifier: BSD-3-Clause */
/* What an output is made of; for the files of this folder only. */
#ifndef PERUN_CORE_FORMAT_OUTPUT_H
#define PERUN_CORE_FORMAT_OUTPUT_H

#include "perun/format.h"

enum perun_output_kind {
	PERUN_OUTPUT_FILE,   /* written beside `path`, renamed to it at commit */
	PERUN_OUTPUT_CHILD,  /* a file inside a directory output */
	PERUN_OUTPUT_STREAM, /* a descriptor that is there: standard output, a device, a pipe */
	PERUN_OUTPUT_BUFFER,
	PERUN_OUTPUT_SINK,
	PERUN_OUTPUT_DIRECTORY, /* made beside `path`, renamed to it at commit */
	PERUN_OUTPUT_SUBDIRECTORY
};

struct perun_output {
	enum perun_output_kind kind;
	char *name;      /* for messages */
	char *path;      /* FILE, DIRECTORY: where it will appear */
	char *temporary; /* where it is until then; of children: their place in the topmost one */
	int directory;   /* DIRECTORY: the temporary one, or -1 */
	struct perun_output *top; /* of children: that directory */
	/*
	 * Of the files below a directory only the last one that was made or written is open: a directory may have more of them
	 * than a process may open.
	 */
	struct perun_output *open_child; /* DIRECTORY: that one, or NULL */
	size_t file_count;               /* DIRECTORY: of files below it */
	bool suspended;                  /* CHILD: closed, to be opened when more is written */
	int fd;
	bool close_fd, committed;
	char *block; /* not yet written */
	size_t room; /* of the block */
	size_t used;
	int64_t modified; /* CHILD: when it was written, in seconds since 1970; 0 = now */
	struct perun_buffer *buffer;
	int (*sink)(void *data, const void *bytes, size_t size);
	void *data;
	/* The first error: it sticks. */
	int status, error; /* error: an errno value, or 0 */
	char *problem;     /* words that go before it */
	struct perun_output **children;
	size_t child_count, child_capacity;
};

struct perun_output *perun_output_new(enum perun_output_kind kind, const char *name);
bool perun_output_is_directory(const struct perun_output *output);
/* Write out what is left and close the descriptor; errors stick. */
void perun_output_end_file(struct perun_output *output, bool durable);
/* Files below a directory that are flushed one by one; of more the whole file system is, once, at the end. */
#define PERUN_OUTPUT_FLUSH_SINGLY 16
/* Open a suspended child again. False: it cannot be, and errno. */
bool perun_output_resume(struct perun_output *child);
/* End all children, and take over the first error of theirs. */
void perun_output_end_children(struct perun_output *output);
/* "DIR/.perun-RANDOM.tmp" beside `path`; caller frees it. */
char *perun_output_temporary_name(const char *path);

#endif
