/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store: a project's .perun directory with objects, indexes, pending jobs and changes.
 * Threads: a store belongs to one thread at a time; perun_store_reopen() gives another thread its own handle.
 */
#ifndef PERUN_STORE_H
#define PERUN_STORE_H

#include <perun/context.h>
#include <perun/profile.h>
#include <perun/check.h>
#include <perun/vcs.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Byte-compatible with the Python Perun's stores. Reading changes nothing on disk. Every write is a
 * temporary file, flushed, then renamed; a kill at any instant leaves the old state or the new.
 * A store belongs to one thread at a time; any number of processes may use the same directory.
 */
struct perun_store;
struct perun_json;

/* ---- opening -------------------------------------------------------------------------------- */

/*
 * Open the store that holds `start` (NULL = current directory): the nearest .perun upwards, or the
 * common one of a linked work tree. PERUN_USAGE with advice ("run perun init") when there is none.
 */
PERUN_EXPORT int perun_store_open(struct perun_ctx *ctx, const char *start,
				  struct perun_store **store);
/* The same, but no store is not an error: `*store` is NULL then. */
PERUN_EXPORT int perun_store_find(struct perun_ctx *ctx, const char *start,
				  struct perun_store **store);
/*
 * Make a store in `path` (its .perun), with `configuration` as local.yml; existing parts stay. Does
 * not touch the vcs.
 */
PERUN_EXPORT int perun_store_init(struct perun_ctx *ctx, const char *path,
				  const char *configuration, struct perun_store **store);
/*
 * Another handle on the same store with the same settings of this run, for another thread. `store` may
 * be in use meanwhile, but not change its settings. Close it as well.
 */
PERUN_EXPORT int perun_store_reopen(struct perun_ctx *ctx, const struct perun_store *store,
				    struct perun_store **other);
PERUN_EXPORT void perun_store_close(struct perun_store *store);

/* Absolute path of the .perun directory, and of the directory that holds it. */
PERUN_EXPORT const char *perun_store_path(const struct perun_store *store);
PERUN_EXPORT const char *perun_store_root(const struct perun_store *store);
/* The vcs of local.yml, opened at first use; owned by the store. */
PERUN_EXPORT int perun_store_vcs(struct perun_ctx *ctx, struct perun_store *store,
				 struct perun_vcs **vcs);

/* ---- entries -------------------------------------------------------------------------------- */

/*
 * Room for a checksum and NUL: the 40 hexadecimal digits that name objects (SHA-1) and most minor versions, or the
 * 64 of a minor version whose vcs has SHA-256.
 */
#define PERUN_CHECKSUM_SIZE 65

/* One profile in an index (registered) or in the pending jobs. Texts are owned by the list. */
struct perun_entry {
	uint32_t struct_size;
	uint32_t time; /* seconds since the epoch, as the Python program rounds mtimes */
	char checksum[PERUN_CHECKSUM_SIZE]; /* of the object; of the path for pending ones */
	const char *path;                   /* base name; for pending ones below jobs/ */
	const char *type, *cmd, *args, *workload, *collector;
	const char *postprocessors; /* joined by one blank */
	const char
		*labels; /* "KEY=VALUE" lines; "" = none, or not looked up: perun_lookup_labels() */
};

/*
 * A list of entries in the order of the file: entry i is perun_entries_at(). Free with perun_entries_free(). The
 * layout of the list is fixed.
 */
struct perun_entries {
	struct perun_entry *items;
	size_t count, stride; /* stride: bytes from an item to the next one */
	void *memory;         /* of the store's own */
};
static inline const struct perun_entry *perun_entries_at(const struct perun_entries *entries,
							 size_t i)
{
	const char *first = (const char *)entries->items;

	return (const struct perun_entry *)(const void *)(first + i * entries->stride);
}
PERUN_EXPORT void perun_entries_free(struct perun_entries *entries);

/*
 * The registered profiles of a minor version; none is an empty list. Reads index versions 1 (the
 * missing facts come from the objects) and 2 (both layouts).
 */
PERUN_EXPORT int perun_store_entries(struct perun_ctx *ctx, struct perun_store *store,
				     const char *minor, struct perun_entries *entries);
/*
 * Whether a minor version may have an index, cheaply, for walks over long histories: the first call
 * lists the objects directory once.
 */
PERUN_EXPORT bool perun_store_has_index(struct perun_ctx *ctx, struct perun_store *store,
					const char *minor);
/* The pending profiles (jobs/), from its index and for unknown files from themselves. An unreadable
 * file is warned about and left out. */
PERUN_EXPORT int perun_store_pending(struct perun_ctx *ctx, struct perun_store *store,
				     struct perun_entries *entries);
/*
 * Sort as tags number them: by `key` (realpath, type, time, cmd, workload, collector, checksum,
 * source), descending, stable; NULL = format.sort_profiles_by of the configuration. By time, pending
 * profiles of one second go by the times of their files.
 */
PERUN_EXPORT int perun_store_sort(struct perun_ctx *ctx, struct perun_store *store,
				  struct perun_entries *entries, const char *key);

/* ---- objects -------------------------------------------------------------------------------- */

/* The document (see perun_store_document()) with the directions of metrics. */
#define PERUN_DIRECTIONS "directions"
/* Load a registered profile by checksum: verified (zlib, header, length, SHA-1), then read. */
PERUN_EXPORT int perun_store_load(struct perun_ctx *ctx, struct perun_store *store,
				  const char *checksum, struct perun_profile **profile);
/* Its verified JSON text; the caller frees `*text` with perun_free(). */
PERUN_EXPORT int perun_store_load_text(struct perun_ctx *ctx, struct perun_store *store,
				       const char *checksum, char **text, size_t *length);
/* Load a pending profile by the path of its entry. */
PERUN_EXPORT int perun_store_load_pending(struct perun_ctx *ctx, struct perun_store *store,
					  const char *path, struct perun_profile **profile);

/* ---- changing ------------------------------------------------------------------------------- */

struct perun_add_options {
	uint32_t struct_size;
	bool force;  /* do not look at the origin */
	bool keep;   /* leave all source files where they are */
	bool move;   /* remove also those that are not in .perun/jobs */
	bool expand; /* store foreign formats as full Perun resources */
};

/* What became of a profile of an add. */
struct perun_added {
	uint32_t struct_size;
	const char *path; /* as given */
	char checksum[PERUN_CHECKSUM_SIZE];
	bool already;      /* was registered before */
	int status;        /* PERUN_OK or why not */
	const char *error; /* one line, or NULL */
	/* The version that it was registered with; of one that was refused because of its origin: that one; else "". */
	char minor[PERUN_CHECKSUM_SIZE];
};
/* What became of all of them. */
struct perun_additions;

/*
 * Register files (any readable format) with a minor version, all in one durable step. `minor` = NULL: each with the version
 * that it says it was measured at, in a step for each version, and with the head if it says none. Pending profiles
 * (files in .perun/jobs) are removed afterwards; any other file is the user's and stays. Profiles that
 * cannot be added are reported in `results` (may be NULL; free with perun_additions_free()); the others are added.
 * Returns the first failure's status.
 */
PERUN_EXPORT int perun_store_add(struct perun_ctx *ctx, struct perun_store *store,
				 const char *minor, const char *const *paths, size_t count,
				 const struct perun_add_options *options,
				 struct perun_additions **results);
/* Of path i, as long as `additions`; NULL when there is none. */
PERUN_EXPORT const struct perun_added *perun_additions_at(const struct perun_additions *additions,
							  size_t i);
PERUN_EXPORT void perun_additions_free(struct perun_additions *additions); /* NULL is fine */

/* How profiles of other tools are imported. */
struct perun_import_options {
	uint32_t struct_size;
	const char *format;                /* NULL: found out from the content */
	const char *const *format_options; /* "K=V" texts, NULL at the end; may be NULL */
	bool expand; /* store all rows as Perun resources, and not the original */
	/*
	 * Changes what a profile that was read says of itself, if not NULL: `document` is a copy of its own. What is
	 * changed is stored, and goes before what the original says whenever it is read. May be called from several
	 * threads at once.
	 */
	void (*describe)(void *data, const struct perun_profile *profile,
			 struct perun_json *document, const char *path, const char *format);
	void *data;
	bool once; /* the same content of the same name is registered once, not at each time it is given */
	/*
	 * Adds to a profile that was read what its file does not have, if not NULL, such as names of addresses: it may
	 * put another one in the place of `*profile`, whose reference it takes over. That one is kept, in the format
	 * pprof, and not the file. May be called from several threads at once.
	 */
	int (*complete)(void *data, struct perun_ctx *ctx, const char *format,
			struct perun_profile **profile);
	const char *name; /* of the only one that is imported; NULL = that of its file */
};
/*
 * Register what other tools measured, as perun_store_add() does, with three differences: the time of the profiles is now;
 * "-" is standard input, which is named by the template of the configuration; and when one of them cannot be read none
 * is registered and `*results` is NULL.
 */
PERUN_EXPORT int perun_store_import(struct perun_ctx *ctx, struct perun_store *store,
				    const char *minor, const char *const *paths, size_t count,
				    const struct perun_import_options *options,
				    struct perun_additions **results);

/* Take entries (checksum and path of each count) out of an index; objects stay. */
PERUN_EXPORT int perun_store_remove(struct perun_ctx *ctx, struct perun_store *store,
				    const char *minor, const struct perun_entry *const *entries,
				    size_t count);
/* Delete pending profiles (files below jobs/). */
PERUN_EXPORT int perun_store_remove_pending(struct perun_ctx *ctx, struct perun_store *store,
					    const struct perun_entry *const *entries, size_t count);

/*
 * Save a profile among the pending ones. The name comes from the template of the configuration (or
 * `name_template`), never over an existing file. `*path` is the caller's.
 */
PERUN_EXPORT int perun_store_save_pending(struct perun_ctx *ctx, struct perun_store *store,
					  const struct perun_profile *profile,
					  const char *name_template, char **path);
/* Expand a file name template: %collector%, %cmd%, %date% ...: see perun-config(5). */
PERUN_EXPORT char *perun_expand_template(const struct perun_profile *profile,
					 const char *name_template, unsigned counter);

/* ---- changes -------------------------------------------------------------------------------- */

/* A line of a .changes file. Texts are owned by the list. */
struct perun_stored_change {
	uint32_t struct_size;
	const struct perun_change *change;
	const char *minor;   /* the baseline's minor version */
	const char *command; /* cmd and workload */
};
/* All of a version: change i is perun_stored_changes_at(). The layout of the list is fixed. */
struct perun_stored_changes {
	struct perun_stored_change *items;
	size_t count, stride; /* stride: bytes from an item to the next one */
	void *memory;         /* of the store's own */
};
static inline const struct perun_stored_change *
perun_stored_changes_at(const struct perun_stored_changes *changes, size_t i)
{
	const char *first = (const char *)changes->items;

	return (const struct perun_stored_change *)(const void *)(first + i * changes->stride);
}
PERUN_EXPORT int perun_store_changes(struct perun_ctx *ctx, struct perun_store *store,
				     const char *minor, struct perun_stored_changes *changes);
PERUN_EXPORT void perun_stored_changes_free(struct perun_stored_changes *changes);
/* Merge findings into the .changes of a minor version (same location, type and command: new wins). */
PERUN_EXPORT int perun_store_save_changes(struct perun_ctx *ctx, struct perun_store *store,
					  const char *minor,
					  const struct perun_stored_change *const *changes,
					  size_t count);

/*
 * Small documents of the store's own: file NAME.json in .perun, such as "acknowledged". One that is not
 * there is an empty array. The caller frees `*document`.
 */
PERUN_EXPORT int perun_store_document(struct perun_ctx *ctx, struct perun_store *store,
				      const char *name, struct perun_json **document);
/*
 * Change one, durably, while the store is locked: `edit` gets the document and changes it; another status
 * than PERUN_OK leaves the file as it is and is returned.
 */
typedef int perun_document_edit(void *data, struct perun_ctx *ctx, struct perun_json *document);
PERUN_EXPORT int perun_store_edit_document(struct perun_ctx *ctx, struct perun_store *store,
					   const char *name, perun_document_edit *edit, void *data);

/* ---- care ----------------------------------------------------------------------------------- */

/* A finding of fsck. */
typedef void perun_fsck_visit(void *data, const char *path, const char *problem);
/* Check everything; PERUN_INPUT when something is damaged. `adopt`: accept foreign index changes. */
PERUN_EXPORT int perun_store_fsck(struct perun_ctx *ctx, struct perun_store *store, bool adopt,
				  perun_fsck_visit *visit, void *data, uint64_t *checked);
struct perun_gc_options {
	uint32_t struct_size;
	int64_t older_than; /* seconds; 14 days by default of the command */
	bool dry_run;
};
/* Remove objects that no index names; counts what was (or would be) removed. */
PERUN_EXPORT int perun_store_gc(struct perun_ctx *ctx, struct perun_store *store,
				const struct perun_gc_options *options,
				void (*visit)(void *data, const char *path, uint64_t size),
				void *data);

/* ---- configuration -------------------------------------------------------------------------- */

/*
 * Settings: runtime (-c KEY=VALUE), local (.perun/local.yml), shared (the user's shared.yml). A store
 * pointer of NULL means shared only. Keys are dotted: "format.sort_profiles_by".
 */
enum perun_config_scope { PERUN_CONFIG_NEAREST, PERUN_CONFIG_LOCAL, PERUN_CONFIG_SHARED };

/* The nearest value as text, or NULL when unset. Caller frees. Sequences/maps come as JSON text. */
PERUN_EXPORT int perun_config_get(struct perun_ctx *ctx, struct perun_store *store,
				  enum perun_config_scope scope, const char *key, char **value);
/* The nearest value as a document (perun/json.h), or NULL. Caller frees with perun_json_free(). */
PERUN_EXPORT int perun_config_document(struct perun_ctx *ctx, struct perun_store *store,
				       enum perun_config_scope scope, const char *key,
				       struct perun_json **document);
/*
 * perun_config_get(), _document() and _gather() fail with PERUN_INPUT where local.yml has something under the key that can run a
 * program (commands, hooks, generators ...) and the user did not trust it: see perun-trust(1). This one does not,
 * for showing a setting: nothing that comes from here may be run.
 */
PERUN_EXPORT int perun_config_inspect(struct perun_ctx *ctx, struct perun_store *store,
				      enum perun_config_scope scope, const char *key,
				      struct perun_json **document);
/* Lists of all scopes joined (runtime, local, shared), as the Python program gathers strategies. */
PERUN_EXPORT int perun_config_gather(struct perun_ctx *ctx, struct perun_store *store,
				     const char *key, struct perun_json **list);
/* Change one key in its file; comments and order stay. Atomic. */
PERUN_EXPORT int perun_config_set(struct perun_ctx *ctx, struct perun_store *store,
				  enum perun_config_scope scope, const char *key,
				  const char *value);
/* A setting of this run only ("-c KEY=VALUE"). */
PERUN_EXPORT int perun_config_set_runtime(struct perun_ctx *ctx, struct perun_store *store,
					  const char *key, const char *value);
/* The path of a scope's file; caller frees. The shared file is made with defaults if missing. */
PERUN_EXPORT int perun_config_path(struct perun_ctx *ctx, struct perun_store *store,
				   enum perun_config_scope scope, char **path);
/* The text of a template for a new local.yml: master, developer, user. Caller frees. */
PERUN_EXPORT int perun_config_template(struct perun_ctx *ctx, const char *name,
				       const char *vcs_type, const char *vcs_url, char **text);

#ifdef __cplusplus
}
#endif
#endif
