/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading one file to be added and writing its object; private to core/store. */
#ifndef PERUN_CORE_STORE_PREPARE_H
#define PERUN_CORE_STORE_PREPARE_H

#include "core/store/pack.h"
#include "core/store/plain.h"

/* What a thread needs for preparing files, one after the other. */
struct perun_preparer {
	struct perun_packer *packer;
	struct perun_plain *plain;
	struct perun_buffer text; /* of a small regular file that was looked at */
	int fd;                   /* of another one; -1 when there is none */
	bool quiet;               /* leaves no time of access */
};
/* `many`: of thousands. */
struct perun_preparer *perun_preparer_new(struct perun_store *store, bool many);
void perun_preparer_free(struct perun_preparer *preparer);

/* One file of an add. */
struct perun_source {
	const char *path; /* as given */
	struct stat info; /* before it was read, when `error_number` is 0 */
	int error_number;
	char *name; /* of its entry: the last component */
	struct perun_facts facts;
	char checksum[PERUN_CHECKSUM_SIZE]; /* of its object */
	int status;                         /* why it cannot be added */
	char *error;
	bool already;
	bool stays;   /* it is the user's and not removed */
	bool changed; /* since it was read: so it was not removed */
};

/*
 * Open the file, tell what it is in `source->info`, and read it if it is a small one: thousands of
 * them need as few system calls as can be. Afterwards leave it.
 */
void perun_source_look(struct perun_preparer *preparer, struct perun_source *source);
void perun_source_leave(struct perun_preparer *preparer);

/*
 * Read the file that was looked at, check it, and put its object (and the one of its attachment) into the transaction.
 * What is wrong with the file is told in `source`; the result is a failure of the store.
 */
int perun_source_prepare(struct perun_ctx *ctx, struct perun_transaction *transaction,
			 struct perun_preparer *preparer, const char *minor,
			 const struct perun_add_options *options, struct perun_source *source);
void perun_source_free(struct perun_source *source);

#endif
