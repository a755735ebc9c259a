/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a word names: a version, a range of versions, a profile. Of the growing part of the interface: see
 * perun/lib/version.h.
 */
#ifndef PERUN_LIB_LOOKUP_H
#define PERUN_LIB_LOOKUP_H

#include <perun/lib/version.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Nothing here prints or asks: what a word may mean, where it means nothing exactly, is listed as
 * candidates, and the caller chooses. Reading only; nothing on disk changes.
 * Threads: a lookup and the store it looks in belong to one thread at a time.
 */

/* ---- versions ------------------------------------------------------------------------------- */

/*
 * The checksum of the version that `revision` names, in whatever way its vcs understands ("HEAD~2",
 * "v1.0", an abbreviated checksum); NULL or "" is the head. The caller frees `*checksum`. PERUN_USAGE
 * when there is no such version. The specification calls this massage_parameter, and the case without
 * a revision get_minor_head.
 */
PERUN_EXPORT int perun_lookup_version(struct perun_ctx *ctx, struct perun_store *store,
				      const char *revision, char **checksum);

/* A range as git has it, as checksums: what perun_vcs_walk_range() takes. Free with perun_range_free(). */
struct perun_range {
	uint32_t struct_size;
	char *exclude; /* it and all before it are left out; NULL = nothing is */
	char *head;    /* the newest version, included */
};
/*
 * "A..B", the versions up to B that are not reachable from A; "A.." (to the head), "..B" (from the head), and "B", all
 * up to it; NULL is all up to the head. Only the ends are looked up.
 */
PERUN_EXPORT int perun_lookup_range(struct perun_ctx *ctx, struct perun_store *store,
				    const char *text, struct perun_range *range);
PERUN_EXPORT void perun_range_free(struct perun_range *range);

/* A copy of a version that outlives the visit it was borrowed in; members that its vcs plugin is too
 * old to know are 0. Free with perun_minor_version_free(), which takes NULL, too. */
PERUN_EXPORT struct perun_minor_version *
perun_minor_version_copy(const struct perun_minor_version *version);
PERUN_EXPORT void perun_minor_version_free(struct perun_minor_version *version);
/* The first line of a version's message. The caller frees it. */
PERUN_EXPORT char *perun_version_subject(const struct perun_minor_version *version);
/* What the vcs says about a version, as such a copy. PERUN_INPUT when it does not know it. */
PERUN_EXPORT int perun_lookup_version_info(struct perun_ctx *ctx, struct perun_vcs *vcs,
					   const char *checksum,
					   struct perun_minor_version **version);

/*
 * The last versions of a walk: those without parents may be where a shallow history was cut off. Note each, then
 * report them to the context once; that frees what was noted.
 */
struct perun_roots {
	char **checksums;
	size_t count, capacity;
};
PERUN_EXPORT void perun_roots_note(struct perun_roots *roots,
				   const struct perun_minor_version *version);
PERUN_EXPORT void perun_roots_report(struct perun_ctx *ctx, struct perun_vcs *vcs,
				     struct perun_roots *roots);
/* Free what was noted without a word; nothing is left to free after a report. */
PERUN_EXPORT void perun_roots_free(struct perun_roots *roots);

/* ---- profiles ------------------------------------------------------------------------------- */

/* Where a profile may be; bits. */
enum perun_place_kind {
	PERUN_PLACE_REGISTERED = 1, /* in the index of a version */
	PERUN_PLACE_PENDING = 2,    /* in .perun/jobs */
	PERUN_PLACE_FILE = 4,       /* anywhere else on disk; "-" is standard input */
	PERUN_PLACE_FOLDER =
		8 /* for perun_lookup_add(): a folder is the files in it, as for perun_lookup_add_files() */
};
#define PERUN_PLACE_ANY (PERUN_PLACE_REGISTERED | PERUN_PLACE_PENDING | PERUN_PLACE_FILE)

/* A profile that was found. Everything it points to is the lookup's. */
struct perun_place {
	uint32_t struct_size;
	enum perun_place_kind kind;
	const struct perun_entry *entry; /* REGISTERED, PENDING; NULL for a file */
	/* REGISTERED: the checksum of its version; "" for an object that no index was asked for. */
	const char *version;
	const char *path; /* PENDING, FILE: where the file is */
	const char *name; /* for people */
};

struct perun_lookup_options {
	uint32_t struct_size;
	const char
		*revision; /* where tags and names without REV^ look; NULL = the head. Borrowed. */
	struct perun_store *store; /* borrowed; NULL: see `open` */
	/*
	 * Without a store: called before the first word that needs one, with `data`, and again only
	 * if it gave none. It may leave `*store` NULL where there is none, unless `required`. NULL:
	 * the store of the current directory is opened, and closed with the lookup.
	 */
	int (*open)(void *data, struct perun_ctx *ctx, bool required, struct perun_store **store);
	void *data;
};

struct perun_lookup;

/* `options` may be NULL. Each index is read once for a lookup. */
PERUN_EXPORT struct perun_lookup *perun_lookup_new(const struct perun_lookup_options *options);
PERUN_EXPORT void perun_lookup_free(struct perun_lookup *lookup);

/*
 * Find the profile or profiles that `word` names in places of `kinds` (bits) and append them:
 *
 *	REV^WORD            WORD in another version: HEAD~2^0@i
 *	A..B                all registered profiles of the versions of a range, newest first
 *	0@i, 0@i-3@i        registered profiles by number, in the order of perun_store_sort()
 *	0@p, 0@p-3@p        pending ones
 *	NAME, CHECKSUM      a registered profile; a checksum finds any object
 *	PATH, -             a file, standard input; a file in .perun/jobs is a pending profile
 *	NAME                a pending profile, with or without .perf
 *
 * in this order. Numbers beyond the end of a range are warned about. Where nothing is found:
 * PERUN_USAGE for a tag, else PERUN_INPUT; perun_lookup_candidates() then lists the files below the
 * current directory whose path matches the word.
 */
PERUN_EXPORT int perun_lookup_add(struct perun_ctx *ctx, struct perun_lookup *lookup,
				  const char *word, unsigned kinds);
/* The files *.perf that the last word matched as a regular expression (POSIX extended), else as a
 * part of the path; sorted, relative. None after a success. Borrowed until the next perun_lookup_add(). */
PERUN_EXPORT size_t perun_lookup_candidates(const struct perun_lookup *lookup,
					    const char *const **paths);
/* Append a file, such as a candidate that the user chose. */
PERUN_EXPORT void perun_lookup_add_file(struct perun_lookup *lookup, const char *path);
/*
 * Append a file, or of a folder that no format takes for a profile (as Cube's and TAU's are) the files in it that one does, by
 * name; how many others were passed over is noted. With `format` those of this one count. A folder without any is appended
 * itself, so that reading it says what is wrong.
 */
PERUN_EXPORT void perun_lookup_add_files(struct perun_ctx *ctx, struct perun_lookup *lookup,
					 const char *path, const char *format);
/* Append all profiles that are registered with a version (as for perun_lookup_version()), by number. */
PERUN_EXPORT int perun_lookup_add_version(struct perun_ctx *ctx, struct perun_lookup *lookup,
					  const char *revision);
/* Which registered profiles are meant: those that have all of it. */
struct perun_lookup_query {
	uint32_t struct_size;
	const char *const *labels; /* texts KEY=VALUE, of header.labels */
	size_t label_count;
	int64_t since, until; /* seconds since the epoch, both included */
};
/*
 * Append all registered profiles of any branch that a query is about: the head's line first, newer versions before
 * older ones. Labels are looked up in notes of the store; objects are opened only where nothing was noted of them.
 */
PERUN_EXPORT int perun_lookup_add_query(struct perun_ctx *ctx, struct perun_lookup *lookup,
					const struct perun_lookup_query *query);
/*
 * Give entries their labels: of registered profiles as far as the store has notes of them, so that no object is opened; of pending
 * ones as the beginnings of their files have them. The notes are read once for a handle of a store.
 */
PERUN_EXPORT void perun_lookup_labels(struct perun_ctx *ctx, struct perun_store *store,
				      struct perun_entries *entries);
/* Keep each profile once, where it was found first: "0@p 0@p-3@p". */
PERUN_EXPORT void perun_lookup_unique(struct perun_lookup *lookup);

/* What was found, in order. A place stays valid until it is removed or the lookup is freed. */
PERUN_EXPORT size_t perun_lookup_count(const struct perun_lookup *lookup);
PERUN_EXPORT const struct perun_place *perun_lookup_at(const struct perun_lookup *lookup, size_t i);
/* Remove place i. */
PERUN_EXPORT void perun_lookup_remove(struct perun_lookup *lookup, size_t i);
/*
 * How files are read from now on: in `format`, NULL = the one that their content has, with `options` of it, "K=V" texts that
 * end with NULL (may be NULL). Both are copied. Profiles of the store are read as they are.
 */
PERUN_EXPORT void perun_lookup_read_as(struct perun_lookup *lookup, const char *format,
				       const char *const *options);
/* Read the profile of a place. `*profile` is a new reference. Files of different lookups may be read on different threads. */
PERUN_EXPORT int perun_lookup_load(struct perun_ctx *ctx, struct perun_lookup *lookup,
				   const struct perun_place *place, struct perun_profile **profile);
/* What a profile was imported from, as the store keeps it. Free with perun_imported_free(). */
struct perun_imported {
	uint32_t struct_size;
	const char *
		name; /* of the file or directory that came; in a store from elsewhere it may be any text */
	const char *format; /* in which it is kept; NULL = not said */
	/* NULL: it is what came, byte for byte. Else the format that the file had: it is not kept, but what was read of it. */
	const char *reader;
	bool directory; /* its files that were read */
};
/*
 * The original of a place's profile, whose bytes are verified. `*imported` is NULL where the store keeps none: of Perun's own
 * profiles and of what was stored expanded. A pending profile or a file may name one that the store has.
 */
PERUN_EXPORT int perun_lookup_imported(struct perun_ctx *ctx, struct perun_lookup *lookup,
				       const struct perun_place *place,
				       struct perun_imported **imported);
struct perun_output;
/*
 * Write it to an output (perun/format.h): a file or, of a directory, what perun_output_open_directory() opened. A file of it has the
 * time at which it was written where the format that read it asked for that. What could not be written is the failure of
 * perun_output_commit().
 */
PERUN_EXPORT int perun_imported_write(struct perun_ctx *ctx, const struct perun_imported *imported,
				      struct perun_output *output);
PERUN_EXPORT void perun_imported_free(struct perun_imported *imported); /* NULL is fine */
/* Whether a word is a tag, or a range of tags: "0@i", "HEAD~1^0@p-3@p". It need not exist. */
PERUN_EXPORT bool perun_lookup_is_tag(const char *word);
/* Whether a word that is no file names any number of profiles: "A..B", "0@i-3@i". */
PERUN_EXPORT bool perun_lookup_is_range(const char *word);
/* Whether a word that is neither a tag nor a file nor "-" names a version of the store. Nothing is an error. */
PERUN_EXPORT bool perun_lookup_is_version(struct perun_ctx *ctx, struct perun_lookup *lookup,
					  const char *word);

#ifdef __cplusplus
}
#endif
#endif
