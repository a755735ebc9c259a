/* SPDX-License-Identifier: BSD-3-Clause */
/* What pushing and fetching share; private to core/store. */
#ifndef PERUN_CORE_STORE_SHARE_H
#define PERUN_CORE_STORE_SHARE_H

#include <perun/json.h>
#include <perun/lib/share.h>

#include "core/store/store.h"

/*
 * A store that is the writer NAME moves references of its own: NAME-YYYYMM for the profiles that it sent in a month, a generation that
 * can be dropped as a whole (share-drop.c), and NAME for what people said, which stays.
 *
 * The files of a writer, none of which ever changes:
 *   entries/XX/...     lines of registered profiles, named by their SHA-1
 *   objects/XX/...     objects as they are hashed: header and body, not compressed, so that git finds what is alike
 *   statements/NAME/.. items of a document of the store, as JSON, named by their SHA-1
 * and, for git alone, which looks for what is alike among files of one path and sends the difference:
 *   latest/XX/...      an object once more, one of each series; a push replaces it
 */
#define SHARE_ENTRIES    "entries/"
#define SHARE_OBJECTS    "objects/"
#define SHARE_STATEMENTS "statements/"
#define SHARE_LATEST     "latest/"

/* The documents whose items are shared; ends with NULL. */
extern const char *const share_documents[];
/* In an item that came from another: its writer. */
#define SHARE_WRITER "writer"

/* A line of entries. Texts are borrowed from the line. */
struct share_line {
	char minor[PERUN_CHECKSUM_SIZE], checksum[PERUN_CHECKSUM_SIZE];
	char attachment[PERUN_CHECKSUM_SIZE]; /* "" = none */
	uint32_t time;
	int64_t date;        /* of the version; 0 = not known */
	const char *machine; /* its class; "" = not known */
	const char *name;
};
void share_line_add(struct perun_buffer *text, const struct share_line *line);
/* Take a line apart, whose end is a NUL; false where it is none. */
bool share_line_parse(char *text, struct share_line *line);

/* A set of texts. {0} is empty. */
struct share_set {
	char **items;
	size_t *slots; /* numbers from 1 on; 0 = free */
	size_t count, capacity, size;
};
/* Whether it was not there. */
bool share_set_add(struct share_set *set, const char *text);
/* Its number, from 1 on in the order in which they came; 0 = it is not there. */
size_t share_set_find(const struct share_set *set, const char *text);
void share_set_free(struct share_set *set);

/* ---- generations (share-drop.c) ---------------------------------------------------------------- */

#define SHARE_WRITER_SIZE 80
/* Digits of a month, as in "202611". */
enum { SHARE_MONTH_SIZE = 6 };
/* The generation of what is sent at `time`; the caller's. */
char *share_generation(const char *writer, int64_t time);
/* The name without its month. */
void share_writer_of(const char *generation, char writer[SHARE_WRITER_SIZE]);
/* When the month of a generation was over, in UTC; 0 where it has none. */
int64_t share_generation_end(const char *generation);
/* Whether it is one of ours; `own` may be NULL. */
bool share_is_own(const char *own, const char *generation);

/* ---- what the store remembers of it: the document "shared" ------------------------------------ */

/* The name of this store as a writer; made, when `make`, at the first call. The caller's; NULL = none yet. */
int share_writer(struct perun_ctx *ctx, struct perun_store *store, bool make, char **writer);
/* The state of a writer of a remote that the store has; the caller's, NULL = nothing of it. */
int share_state(struct perun_ctx *ctx, struct perun_store *store, const char *remote,
		const char *writer, char **state);
int share_set_state(struct perun_ctx *ctx, struct perun_store *store, const char *remote,
		    const char *writer, const char *state);
/* Lock the sharing of this store. */
int share_lock(struct perun_ctx *ctx, struct perun_store *store, int *lock);
/* "XX/REST" of a SHA-1. */
void share_name(const void *data, size_t size, char name[PERUN_CHECKSUM_SIZE + 1]);

#endif
