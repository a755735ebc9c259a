/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of other tools in a store: a small document, and the original it represents; private to core/store. */
#ifndef PERUN_CORE_STORE_ORIGINAL_H
#define PERUN_CORE_STORE_ORIGINAL_H

#include <perun/lib/lookup.h>

#include "core/format/described.h"
#include "core/store/store.h"

/* The name of all attachments: the same bytes are one object whatever their file was called. */
#define PERUN_ATTACHMENT_NAME "original"

/* Says of an original that it is an archive of the files of a directory (core/format/archive.h). */
#define PERUN_ARCHIVE_KIND "ustar"

/* Whether it is one; PERUN_INPUT for one of a kind that is not known. */
int perun_original_is_archive(struct perun_ctx *ctx, const struct perun_json *attachment,
			      bool *archive);

/* How an original is read again. */
struct perun_original {
	const char *checksum;              /* of its object */
	const char *name;                  /* of its input, which formats may look at */
	const char *format;                /* NULL: it is not kept */
	const char *reader;                /* the format of the file that came; NULL = the same */
	const char *const *format_options; /* may be NULL */
	const char *version;               /* of the plugin that read it */
	const struct perun_json *facts;    /* what was put into its document; may be NULL */
	uint64_t size;
	bool by_uid; /* see perun_original_by_uid() */
	bool archive; /* it was a directory: what is kept is an archive of the files that were read */
	bool times;   /* its labels hold the times of its rows */
};

/*
 * What a callback changed in a document: members that are new or others than before, those of objects one by one. NULL
 * when it is the same.
 */
struct perun_json *perun_facts_changed(const struct perun_json *before,
				       const struct perun_json *after);

/*
 * The profile that is stored for `profile`, which was read from `original`: with all rows if `rows`, and with the
 * attachment if `original->checksum` is not NULL. `*stored` is a new reference.
 */
int perun_original_wrap(struct perun_ctx *ctx, struct perun_profile *profile,
			const struct perun_original *original, bool rows,
			struct perun_profile **stored);
/*
 * Write a profile in another format, in which it is kept, and put in its place what is read of that; `original` becomes it.
 * `*facts` is what it does not say by itself, with which perun_original_load() reads it: NULL, or the caller's.
 */
int perun_original_rewrite(struct perun_ctx *ctx, struct perun_original *original,
			   const char *format, struct perun_buffer *bytes,
			   struct perun_profile **profile, struct perun_json **facts);
/* The profile that the member "attachment" of a stored document represents. */
int perun_original_load(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_json *attachment, struct perun_profile **profile);
/*
 * Whether an option ("NAME=VALUE") moves a limit of a format. A store from elsewhere may not: what was imported with one is
 * stored with all rows, and none is read from an attachment.
 */
bool perun_original_is_limit(const char *option);
/* Whether comparisons find samples of stacks by their innermost function, as in what is stored expanded. */
bool perun_original_by_uid(const struct perun_json *attachment);
/* What a profile was loaded from: an original, and then whether that is read by uid. */
struct perun_loaded {
	bool original, by_uid;
};
/* perun_store_load() */
int perun_stored_load(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
		      struct perun_loaded *loaded, struct perun_profile **profile);
/* The member "attachment" of a registered profile; free it. NULL = it has no original. */
int perun_stored_attachment(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
			    struct perun_json **attachment);
/* perun_lookup_imported(), for what such a member names; `*imported` is freed with perun_imported_free(). */
int perun_imported_open(struct perun_ctx *ctx, const struct perun_store *store,
			const struct perun_json *attachment, struct perun_imported **imported);
/* Warn when it is not as it was when it was stored: another version of the plugin reads it otherwise. */
void perun_original_compare(struct perun_ctx *ctx, const struct perun_profile *profile,
			    const struct perun_json *attachment);

#endif
