/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the lookup of profiles share. */
#ifndef PERUN_CORE_LOOKUP_LOOKUP_H
#define PERUN_CORE_LOOKUP_LOOKUP_H

#include <perun/lib/lookup.h>

#include "core/lookup/directory-names.h"
#include "core/lookup/matching-files.h"

/* ---- tags (tag.c) ---------------------------------------------------------------------------- */

struct perun_tag {
	unsigned long first, last;
	char kind; /* 'i' or 'p' */
	bool range;
};

/* "0@i", "1@p-3@p", without a revision. */
bool perun_tag_parse(const char *word, struct perun_tag *tag);
/* Whether a word looks like a tag and is not one: "0@x", "@i". */
bool perun_tag_is_bad(const char *word);
/* Whether a word is a range of versions, "A..B", "A..", "..B": not "../B", and no file. */
bool perun_names_versions(const char *word);

/* ---- the lookup ------------------------------------------------------------------------------ */

/* The entries of a version, in the order of their numbers. */
struct perun_lookup_index {
	char *version;
	bool partial; /* only those that a query wanted */
	struct perun_entries entries;
};
/* Whether an entry is wanted; not asked after a failure, whose status goes into `*status`. */
typedef bool (*perun_lookup_wanted)(void *data, const struct perun_entry *entry, int *status);

struct perun_lookup {
	struct perun_lookup_options options;
	struct perun_store *store; /* NULL until a word needs it */
	bool sought;               /* there may be none */
	bool owned;
	char *revision;
	char *format; /* of files, NULL = that of their content */
	char **format_options;
	struct perun_lookup_index *indexes;
	size_t index_count, index_capacity;
	struct perun_entries pending;
	bool have_pending;
	char *directory; /* the last one asked about, and whether it is .perun/jobs */
	bool is_jobs;
	size_t in_directory; /* that many words in a row were paths in it */
	struct perun_file_names names;
	struct perun_matching_files candidates;
	struct perun_place **places;
	size_t count, capacity;
	char **texts; /* memory that places point to */
	size_t text_count, text_capacity;
};

/* The store, where there is one; it is not looked for twice. */
int perun_lookup_find_store(struct perun_ctx *ctx, struct perun_lookup *lookup);
/* The entries of a revision, NULL = that of the options. Borrowed until the next index is read. */
int perun_lookup_index(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *revision,
		       const struct perun_lookup_index **index);
/* Of a version, only the entries that are wanted: what is left is put in order alone. */
int perun_lookup_part(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *version,
		      perun_lookup_wanted wanted, void *data,
		      const struct perun_lookup_index **index);
/* The store as above, where there must be one. */
int perun_lookup_need_store(struct perun_ctx *ctx, struct perun_lookup *lookup);
int perun_lookup_pending(struct perun_ctx *ctx, struct perun_lookup *lookup);

/* ---- what is found (places.c) ----------------------------------------------------------------- */

/* Own a text until the lookup ends. */
const char *perun_lookup_keep(struct perun_lookup *lookup, char *text);
/* Append a place. Entries are borrowed from the lists of the lookup. */
void perun_lookup_add_registered(struct perun_lookup *lookup, const char *version,
				 const struct perun_entry *entry);
void perun_lookup_add_pending(struct perun_lookup *lookup, const struct perun_entry *entry);
/* An object without an entry, by its checksum. */
void perun_lookup_add_object(struct perun_lookup *lookup, const char *checksum);

/* ---- paths (paths.c) -------------------------------------------------------------------------- */

/* A pending profile by its name, with or without .perf. */
int perun_lookup_find_pending(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word,
			      bool *found);
/* A path of a file; one of .perun/jobs is a pending profile. */
int perun_lookup_find_path(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word,
			   unsigned kinds, bool *found);

#endif
