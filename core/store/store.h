/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the store share; private to core/store. */
#ifndef PERUN_CORE_STORE_STORE_H
#define PERUN_CORE_STORE_STORE_H

#include <sys/stat.h>

#include <perun/store.h>

#include "core/path/write.h"

struct perun_json;
struct perun_settings; /* core/config/config.h */
struct perun_names;    /* names.c */

struct perun_store {
	char *path;      /* absolute, of .perun */
	char *root;      /* of the directory that holds it */
	char *work_tree; /* the linked work tree that the store was found from, or NULL */
	int directory;   /* descriptor of `path`; all names below are relative to it */
	struct perun_vcs *vcs;
	struct perun_settings *settings;
	struct perun_names *names;
	struct perun_label_notes *label_notes; /* NULL = not read yet */
	struct perun_profile *at_hand;         /* see perun_store_offer(); NULL = none */
	char *at_hand_checksum;
};

#define PERUN_STORE_NAME ".perun"

/*
 * What takes a `const` store changes nothing of the handle: in the core any number of threads may call it on one. Settings,
 * the vcs and the names of files are loaded into a handle when they are first asked for, by one thread.
 */

/* The absolute directory of `start` (NULL = the current one; of a file the one it lies in). Caller frees. */
int perun_store_start(struct perun_ctx *ctx, const char *start, char **path);
/* Open the store of the directory `root`, which is absolute and without links; its owner is checked. */
int perun_store_open_at(struct perun_ctx *ctx, const char *root, struct perun_store **store);

/*
 * Whether vcs.url of its local.yml is a way to another repository than the one that the store lies in (repository.c).
 * That one may have a configuration of its own that git runs.
 */
bool perun_store_url_leaves(const struct perun_store *store, const struct perun_json *local);
/* Whether a vcs tracks a file of the store; one that cannot be asked may. */
bool perun_store_is_tracked(const struct perun_store *store);

/* Room for "objects/XX/", 62 digits and the longest suffix. */
#define PERUN_OBJECT_PATH_SIZE 96

/* Digits of the names of objects. */
#define PERUN_SHA1_DIGITS 40

/* Whether `text` is 40 or 64 lower-case hexadecimal digits; anything else must not become a path. */
bool perun_is_checksum(const char *text);
/* "objects/XX/YYYY" and `suffix` (".sum", ".changes" or ""). */
void perun_object_path(const char *checksum, const char *suffix, char path[PERUN_OBJECT_PATH_SIZE]);
/* PERUN_USAGE unless `minor` is a checksum. */
int perun_check_minor(struct perun_ctx *ctx, const char *minor);

/* ---- files (file.c) -------------------------------------------------------------------------- */

/*
 * Read a whole file below .perun (`path` relative) into `out`, at most `limit` bytes. A missing file
 * gives PERUN_OK with *info zeroed (st_mode 0). `info` is what fstat said after reading.
 */
int perun_file_read(struct perun_ctx *ctx, const struct perun_store *store, const char *path,
		    uint64_t limit, struct perun_buffer *out, struct stat *info);
/* Append the first `size` bytes of another file; 0 or an errno. */
int perun_copy_all(int from, int to, size_t size);
/*
 * The names in a directory below .perun, sorted, without "." and ".."; one block of memory, freed with
 * perun_free(). A missing directory has none.
 */
int perun_list_directory(struct perun_ctx *ctx, const struct perun_store *store, const char *path,
			 char ***names, size_t *count);
/*
 * The modification time as entries hold it: see file.c. `last`, if not NULL, remembers the last answer,
 * for many files of about the same time.
 */
struct perun_entry_time {
	bool known;
	double rounded;
	uint32_t time;
};
uint32_t perun_entry_time(const struct timespec *time, struct perun_entry_time *last);
/* Whether two looks at a file saw the same content: device, inode, size and modification time. */
bool perun_same_file(const struct stat *one, const struct stat *other);
/* Whether a name is one of our temporary files. */
bool perun_is_temporary(const char *name);

/* ---- checksums (sha.c) ----------------------------------------------------------------------- */

struct perun_sha; /* a SHA-1 in the making, to be used again and again */
struct perun_sha *perun_sha_new(void);
void perun_sha_free(struct perun_sha *sha);
void perun_sha_start(struct perun_sha *sha);
void perun_sha_add(struct perun_sha *sha, const void *data, size_t size);
void perun_sha_end(struct perun_sha *sha, char checksum[PERUN_CHECKSUM_SIZE]);
void perun_sha_of(const void *data, size_t size, char checksum[PERUN_CHECKSUM_SIZE]);
/* 20 bytes to 40 digits and NUL, and back. */
void perun_hex_encode(const unsigned char bytes[20], char checksum[PERUN_CHECKSUM_SIZE]);
void perun_hex_decode(const char *checksum, unsigned char bytes[20]);

/* ---- one change at a time (lock.c) ----------------------------------------------------------- */

/*
 * Lock the store for a change. Waits for another process, with a warning, as long as
 * store.lock_timeout says. `*died` says that the last holder was interrupted: it may have left
 * temporary files. `command` is what others see.
 */
int perun_lock(struct perun_ctx *ctx, struct perun_store *store, const char *command, int *lock,
	       bool *died);
void perun_unlock(int lock);

/* ---- changes of several files (transaction.c) ------------------------------------------------ */

/* What is put in its place first. Objects must be there before an index names them. */
enum perun_stage { PERUN_STAGE_FIRST, PERUN_STAGE_LAST };

struct perun_transaction;
struct perun_piece {
	const void *data; /* NULL: the first `size` bytes of the file `fd` */
	size_t size;
	int fd;
};

/* Lock the store and remove what an interrupted command left. */
int perun_transaction_begin(struct perun_ctx *ctx, struct perun_store *store, const char *command,
			    struct perun_transaction **transaction);
/*
 * Write the new content of `path` (relative to .perun) under a temporary name beside it. A missing
 * directory below objects/ is made. `info`, if not NULL, is that of the written file. Several threads
 * may call this at once.
 */
int perun_transaction_write(struct perun_ctx *ctx, struct perun_transaction *transaction,
			    enum perun_stage stage, const char *path,
			    const struct perun_piece *pieces, size_t count, struct stat *info);
/*
 * The same for a file of the first stage that was not there and that nothing names before the last
 * stage: it is in its place at once, and gone again when the transaction is not committed. The flush of
 * many such files is that of their directories too.
 */
int perun_transaction_write_fresh(struct perun_ctx *ctx, struct perun_transaction *transaction,
				  const char *path, const struct perun_piece *pieces, size_t count);
/*
 * The same, written under its own name: what a kill leaves of it does no harm. One that is there is replaced in the first
 * stage.
 */
int perun_transaction_write_harmless(struct perun_ctx *ctx, struct perun_transaction *transaction,
				     const char *path, const struct perun_piece *pieces,
				     size_t count);
/*
 * Put new directories of fresh files in their places: before files of the last stage are written, which would make such directories
 * themselves, so that all files had to be renamed. No other thread writes meanwhile.
 */
int perun_transaction_place(struct perun_ctx *ctx, struct perun_transaction *transaction);
/* Never replace: commit fails with PERUN_USAGE when `path` exists by then. Only one such file. */
int perun_transaction_write_new(struct perun_ctx *ctx, struct perun_transaction *transaction,
				const char *path, const struct perun_piece *pieces, size_t count,
				struct stat *info);
/*
 * Flush everything that was written, rename it into place and flush the directories. After a failure
 * nothing of the last stage was replaced, unless the failure was of the very last flush.
 */
int perun_transaction_commit(struct perun_ctx *ctx, struct perun_transaction *transaction);
/* Remove temporary files of what was not committed, unlock, free. NULL is allowed. */
void perun_transaction_end(struct perun_transaction *transaction);
struct perun_store *perun_transaction_store(const struct perun_transaction *transaction);
/* Remove temporary files of interrupted commands; the lock must be held. Counts them. */
void perun_remove_leftovers(struct perun_store *store, size_t *removed);

/* ---- lists of entries (entries.c) ------------------------------------------------------------ */

struct perun_text_block;
struct perun_entries_memory {
	struct perun_text_block *blocks;
	bool pending;
	size_t capacity;
};

/* Make a list usable: memory but no entries. */
void perun_entries_start(struct perun_entries *entries);
/* A copy of the text that lives as long as the list. */
const char *perun_entries_text(struct perun_entries *entries, const char *text, size_t length);
/* Append an entry whose texts the list owns already (or that outlive it); NULL texts become "". */
void perun_entries_append(struct perun_entries *entries, const struct perun_entry *entry);
/* The place where the Python program inserts an entry; `*there` when it is registered already. */
size_t perun_entries_place(const struct perun_entries *entries, const struct perun_entry *entry,
			   bool *there);

/* ---- indexes (index.c, index-file.c) --------------------------------------------------------- */

enum perun_index_layout { PERUN_INDEX_V1 = 1, PERUN_INDEX_FIVE_TEXTS, PERUN_INDEX_SIX_TEXTS };

/* Decode an index. `what` is for messages. Entries of version 1 lack their texts. */
int perun_index_decode(struct perun_ctx *ctx, const char *what, const void *data, size_t size,
		       struct perun_entries *entries, enum perun_index_layout *layout);
/* Append the bytes of an index: version 2, five texts. */
void perun_index_encode(const struct perun_entries *entries, struct perun_buffer *out);

/* What the checksums beside an index say of it. */
enum perun_index_state {
	PERUN_INDEX_NONE,    /* there is no index */
	PERUN_INDEX_UNKNOWN, /* no checksums: written by another program */
	PERUN_INDEX_GOOD,
	PERUN_INDEX_FOREIGN, /* changed by another program since */
	PERUN_INDEX_DAMAGED
};

struct perun_sum {
	char checksum[PERUN_CHECKSUM_SIZE]; /* "" = no such sum */
	uint64_t size;
	struct timespec time;
};
struct perun_sums {
	struct perun_sum current, previous;
	bool exists, bad; /* bad: the file of sums is itself damaged */
};

/* Bytes of an index. */
#define PERUN_INDEX_LIMIT ((uint64_t)1 << 30)

struct perun_index_file {
	enum perun_index_state state;
	struct perun_buffer bytes;
	struct stat info;
	struct perun_sum sum;   /* of what was read */
	struct perun_sums sums; /* what was recorded */
	bool same_size;         /* FOREIGN: and yet the size is the recorded one */
};

/* Sums as bytes and back (sums.c). */
void perun_sums_encode(const struct perun_sums *sums, struct perun_buffer *out);
void perun_sums_decode(const char *text, size_t length, struct perun_sums *sums);

/* Read an index (path relative to .perun) with its sums. Only a failed read is an error. */
int perun_index_file_read(struct perun_ctx *ctx, struct perun_store *store, const char *path,
			  struct perun_index_file *file);
void perun_index_file_free(struct perun_index_file *file);
/*
 * Read and decode an index of a minor version for use: PERUN_INPUT when it is damaged, a warning when
 * another program changed it (its entries are then compared with their objects). `file` may be NULL.
 */
int perun_index_load(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		     struct perun_entries *entries, struct perun_index_file *file);
/* Write an index and its sums in a transaction. `file` is what was read before (may be NULL). */
int perun_index_write(struct perun_ctx *ctx, struct perun_transaction *transaction,
		      const char *path, const struct perun_entries *entries,
		      const struct perun_index_file *file);
/* Record the checksum of the index of a minor version as it is now, unless it is damaged. */
int perun_index_adopt(struct perun_ctx *ctx, struct perun_store *store,
		      struct perun_transaction *transaction, const char *minor);

/* The pending jobs' index, relative to .perun. */
#define PERUN_JOBS_INDEX "jobs/.index"

/* ---- objects (object.c, facts.c) ------------------------------------------------------------- */

enum perun_object_kind { PERUN_OBJECT_PROFILE, PERUN_OBJECT_ATTACHMENT };
struct perun_object {
	enum perun_object_kind kind;
	char *type;      /* of the profile, or the name of the attachment */
	char *body;      /* NUL-terminated; NULL when only verified */
	uint64_t length; /* of the body in bytes */
};

/* Read and verify an object. Only verify it with `body` false: takes little memory. */
int perun_object_read(struct perun_ctx *ctx, const struct perun_store *store, const char *checksum,
		      bool body, struct perun_object *object);
/*
 * The same with its body, of a profile that begins with its attachment only the first bytes of it, which are not verified:
 * `*whole` says whether it is all.
 */
int perun_object_read_start(struct perun_ctx *ctx, const struct perun_store *store,
			    const char *checksum, struct perun_object *object, bool *whole);
/* Only the header, not verified: kind, type and length. */
int perun_object_peek(struct perun_ctx *ctx, const struct perun_store *store, const char *checksum,
		      struct perun_object *object);
void perun_object_free(struct perun_object *object);
/* Whether a file of that name exists. */
bool perun_object_exists(const struct perun_store *store, const char *checksum);

/* What an entry says of a profile, and the object of its attachment. */
struct perun_facts {
	char *type, *cmd, *args, *workload, *collector, *postprocessors;
	char *attachment; /* NULL when there is none */
	char *labels;     /* perun_labels_text(), NULL when there are none */
};
/* The member "attachment" of a document if it names an object, else NULL. */
const struct perun_json *perun_attachment_of(const struct perun_json *document);
/* From the JSON text of a profile; the resources are passed over. Nothing is left after a failure. */
int perun_facts_read(struct perun_ctx *ctx, const char *text, size_t length,
		     struct perun_facts *facts);
/*
 * The original that a text of a profile names; free it. What follows it is not looked at, and need not be there. NULL = none, or it
 * is no such text.
 */
struct perun_json *perun_facts_attachment(struct perun_ctx *ctx, const char *text, size_t length);
void perun_facts_free(struct perun_facts *facts);
/* From a document: the members above only. */
void perun_facts_of_document(const struct perun_json *document, struct perun_facts *facts);
/* Set the texts of an entry; they are copied into the list. */
void perun_facts_to_entry(const struct perun_facts *facts, struct perun_entries *entries,
			  struct perun_entry *entry);

/*
 * What a registered profile says of its measurement and no index has: a document with header.args and machine alone, for
 * which no row is read. The caller frees it.
 */
int perun_store_read_facts(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
			   struct perun_json **document);
/* The same of a profile as it was read from its object. */
struct perun_json *perun_facts_of_read(const struct perun_profile *profile);

/* ---- trust (trust.c) ------------------------------------------------------------------------- */

/* PERUN_INPUT and advice unless perun_trust_allows(), which perun_trust_refused() then remembers. */
int perun_trust_require(struct perun_ctx *ctx, struct perun_store *store, const char *key);

/* ---- names of new profiles (pending.c) ------------------------------------------------------- */

/* Give a profile that is not of the store, too, what the store keeps of the directions of metrics. */
void perun_store_apply_directions(struct perun_ctx *ctx, struct perun_store *store,
				  struct perun_profile *profile);
/* The template of the configuration, or the usual one; the caller's to free. */
int perun_pending_template(struct perun_ctx *ctx, struct perun_store *store, char **name_template);

/* A profile that was saved among the pending ones. */
struct perun_saved {
	char *path;                    /* the caller's */
	struct perun_profile *profile; /* what is in the file, borrowed; NULL = it has to be read */
	struct stat info;              /* of the file as it was saved */
};
/*
 * `note` gets the name and the text of a new file as soon as they are certain, before anything is in its place, for whoever
 * goes on after a kill. What it returns other than PERUN_OK ends the saving.
 */
typedef int perun_pending_note(void *data, struct perun_ctx *ctx, const char *name,
			       const char *text, size_t length);
/* perun_store_save_pending(), for perun_store_add_saved(); the profile is the caller's to put there. */
int perun_store_save(struct perun_ctx *ctx, struct perun_store *store,
		     const struct perun_profile *profile, const char *name_template,
		     perun_pending_note *note, void *data, struct perun_saved *saved);
/* perun_store_add(), but a file is read only where its profile is not known or it changed since it was saved (add.c). */
int perun_store_add_saved(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			  const struct perun_saved *saved, size_t count);

/* ---- changes (changes.c) --------------------------------------------------------------------- */

/* How many lines of the changes of a minor version cannot be read. */
int perun_changes_count_bad(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			    size_t *bad);

/* ---- settings of the store itself ------------------------------------------------------------ */

/* A whole number from the configuration, `standard` when it is unset or not a number. */
int64_t perun_store_limit(struct perun_ctx *ctx, const struct perun_store *store, const char *key,
			  int64_t standard);

/* ---- names of files below objects/ (names.c) ------------------------------------------------- */

/* List all directories, so that perun_names_lack() knows. Threads may ask it, not list. */
void perun_names_list(struct perun_store *store);
/* Whether it is known that there was no file of the name when all were listed. */
bool perun_names_lack(const struct perun_store *store, const char *checksum);
/* Whether it is known that there were none that begin with this byte. */
bool perun_names_none(const struct perun_store *store, size_t number);
void perun_names_forget(struct perun_store *store); /* after a change */

#endif
