/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading one file to be added and writing its object; private to core/store. */
#ifndef PERUN_CORE_STORE_PREPARE_H
#define PERUN_CORE_STORE_PREPARE_H

#include "core/store/pack.h"
#include "core/store/plain.h"

/* What the files of a command have in common. */
struct perun_preparation {
	const char *minor;
	const struct perun_add_options *options;
	const struct perun_import_options *import; /* NULL: files are added under their names */
	const char *name_template;                 /* of what is imported */
	uint64_t
		expanded_rows; /* profiles of other formats with no more rows have these stored as well */
};

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
	const char *path;                /* as given */
	size_t number;                   /* among those given */
	int fd;                          /* the content of a stream, else -1 */
	const struct perun_saved *saved; /* as what it was saved; NULL = it is read */
	struct stat info;                /* before it was read, when `error_number` is 0 */
	int error_number;
	char *name;           /* of its entry: the last component, or from the template */
	struct timespec time; /* of its entry */
	struct perun_facts facts;
	char checksum[PERUN_CHECKSUM_SIZE]; /* of its object */
	int status;                         /* why it cannot be added */
	char *error;
	char origin
		[PERUN_CHECKSUM_SIZE]; /* with `status`: the other version that it was measured at; "" = none */
	bool already;
	bool stays;   /* it is the user's and not removed */
	bool changed; /* since it was read: so it was not removed */
};

/* What comes from standard input or a pipe becomes an unnamed file, which is read twice like any other. */
int perun_source_spool(struct perun_ctx *ctx, struct perun_store *store,
		       struct perun_source *source);

/*
 * Open the file, note what it is in `source->info`, and read it if it is a small one: thousands of
 * them need as few system calls as can be. Afterwards leave it.
 */
void perun_source_look(struct perun_preparer *preparer, struct perun_source *source);
void perun_source_leave(struct perun_preparer *preparer);
/* Whether the file is as its profile was saved: it need not be looked at. Otherwise it is read like any other. */
bool perun_source_is_saved(struct perun_source *source);

/*
 * Read the file that was looked at, check it, and put its object (and the one of its attachment) into the transaction.
 * What is wrong with the file is noted in `source`; the result is a failure of the store.
 */
int perun_source_prepare(struct perun_ctx *ctx, struct perun_transaction *transaction,
			 struct perun_preparer *preparer, const struct perun_preparation *how,
			 struct perun_source *source);
void perun_source_free(struct perun_source *source);

/* What became of the files of an add. */
struct perun_additions {
	struct perun_added *items;
	size_t count;
};
/*
 * After an add at the head those that were refused because they were measured at another version of the project are added
 * there, in a step for each version. Returns the status of the first that was not added.
 */
int perun_add_to_origins(struct perun_ctx *ctx, struct perun_store *store, const char *const *paths,
			 const struct perun_add_options *options,
			 struct perun_additions *additions);

#endif
