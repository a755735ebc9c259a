/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the plugin vcs/git share. */
#ifndef PERUN_VCS_GIT_GITVCS_H
#define PERUN_VCS_GIT_GITVCS_H

#include <perun/vcs.h>

#include "libgit2.h"

struct gitvcs_export;
struct gitvcs_plain;

/*
 * The instance: one repository, once it is attached. A plain one is read without libgit2 until something is asked that
 * takes it: then gitvcs_need_repository() fills in `repository` and `objects`.
 */
struct gitvcs {
	bool started;               /* libgit2, for this instance */
	struct gitvcs_plain *plain; /* NULL once `repository` is there */
	git_repository *repository;
	git_odb *objects;
	char *git_dir;         /* of this work tree; without a slash at the end, as the next two */
	char *common_dir;      /* of the repository; git_dir but for a linked work tree */
	char *work_dir;        /* NULL when bare */
	bool from_environment; /* GIT_DIR names the repository, not its place */

	git_oid *boundary; /* sorted: the commits whose parents a shallow clone lacks */
	size_t boundary_count;
	git_oid *replaced; /* pairs (object, its replacement), sorted by the first */
	size_t replaced_count;
	bool grafts_read; /* boundary and replaced are filled */

	int state_lock; /* descriptor that is locked from save_state to restore_state, or -1 */
	struct gitvcs_export *exports;
};

/* ---- repository.c: opening and places -------------------------------------------------------- */

int gitvcs_attach(void *instance, struct perun_ctx *ctx, const char *url);
/* Forget the repository, so that the instance is as after open. */
void gitvcs_detach(struct gitvcs *vcs);
/* Start libgit2 for this instance, unless that is done. */
int gitvcs_need_libgit2(struct gitvcs *vcs, struct perun_ctx *ctx);
/* Fails unless a repository is attached, be it without libgit2. */
int gitvcs_need_attached(struct gitvcs *vcs, struct perun_ctx *ctx);
/* Fails unless a repository is attached; opens it by libgit2 unless that is done. */
int gitvcs_need_repository(struct gitvcs *vcs, struct perun_ctx *ctx);
/* Fails unless it has a work tree; `purpose` says what for: "save changes". */
int gitvcs_need_work_tree(struct gitvcs *vcs, struct perun_ctx *ctx, const char *purpose);
int gitvcs_common_directory(void *instance, struct perun_ctx *ctx, char **directory);
int gitvcs_discover(void *instance, struct perun_ctx *ctx, const char *path, char **root);
int gitvcs_init(void *instance, struct perun_ctx *ctx, const char *path,
		const struct perun_vcs_parameter *parameters, size_t count);
int gitvcs_ignore(void *instance, struct perun_ctx *ctx, const char *name);

/* ---- tracked.c ------------------------------------------------------------------------------- */

int gitvcs_is_tracked(void *instance, struct perun_ctx *ctx, const char *path, bool *is);
/*
 * Fails for a repository without a .git, a bare one for example, whose files another one around it tracks: it came
 * with a clone, and its configuration may name commands that git runs.
 */
int gitvcs_refuse_embedded(struct perun_ctx *ctx, git_repository *repository);

/* ---- grafts.c: where the stored history differs from the one that git shows ------------------- */

/* Read the boundary and the replacements, once. */
int gitvcs_read_grafts(struct gitvcs *vcs, struct perun_ctx *ctx);
/* Whether the parents of `id` are cut off. After gitvcs_read_grafts(). */
bool gitvcs_at_boundary(const struct gitvcs *vcs, const git_oid *id);
/* The object that replaces `id`: itself, but for those that git replace replaced. */
const git_oid *gitvcs_stand_in(const struct gitvcs *vcs, const git_oid *id);
int gitvcs_is_boundary(void *instance, struct perun_ctx *ctx, const char *checksum, bool *is);

/* ---- commit.c: reading one commit ------------------------------------------------------------ */

/* The parts of a commit's bytes; the texts are borrowed from them and end by their lengths. */
struct gitvcs_text {
	const char *data;
	size_t length;
};
struct gitvcs_commit {
	git_odb_object *object; /* owns the bytes, or */
	char *bytes;            /* does */
	const char *parents;    /* "parent HEX\n" lines */
	size_t parent_count;    /* 0 at the boundary of a shallow history */
	struct gitvcs_text author, email, encoding, message;
	int64_t date;     /* committer time */
	int64_t authored; /* author time */
};

/* Larger ones are refused. */
enum { MAX_COMMIT = 64 << 20 };

/* Read and take apart the commit `id`; free with gitvcs_commit_free(). */
int gitvcs_commit_read(struct gitvcs *vcs, struct perun_ctx *ctx, const git_oid *id,
		       struct gitvcs_commit *commit);
void gitvcs_commit_free(struct gitvcs_commit *commit);
/* Parent i < parent_count. */
void gitvcs_commit_parent(const struct gitvcs_commit *commit, size_t i, git_oid *id);

/* Room for the texts of one version, used again for the next; {0} is empty. */
struct gitvcs_words {
	struct perun_buffer author, email, message;
	char checksum[GIT_OID_HEXSZ + 1];
	char (*parents)[GIT_OID_HEXSZ + 1];
	const char **parent_pointers;
	size_t parent_capacity;
};
void gitvcs_words_free(struct gitvcs_words *words);
/* Hand a commit to a visitor; returns what that returns. */
int gitvcs_commit_visit(struct gitvcs_words *words, const git_oid *id,
			const struct gitvcs_commit *commit, perun_minor_version_visit *visit,
			void *data);
int gitvcs_get_minor_version_info(void *instance, struct perun_ctx *ctx, const char *checksum,
				  perun_minor_version_visit *visit, void *data);

/* ---- text.c ---------------------------------------------------------------------------------- */

/* Put `text` into `buffer` (cleared first) as valid UTF-8, converted from `encoding` ("" = UTF-8). */
void gitvcs_utf8(struct perun_buffer *buffer, struct gitvcs_text text, struct gitvcs_text encoding);

/* ---- revision.c: names of versions ----------------------------------------------------------- */

/* From any way to name a commit to its id. */
int gitvcs_resolve(struct gitvcs *vcs, struct perun_ctx *ctx, const char *name, git_oid *id);
int gitvcs_massage_parameter(void *instance, struct perun_ctx *ctx, const char *parameter,
			     const char *type, char **checksum);
int gitvcs_check_minor_version_validity(void *instance, struct perun_ctx *ctx,
					const char *checksum);
int gitvcs_get_minor_head(void *instance, struct perun_ctx *ctx, char **checksum);
int gitvcs_get_head_major_version(void *instance, struct perun_ctx *ctx, char **name);
int gitvcs_walk_major_versions(void *instance, struct perun_ctx *ctx,
			       perun_major_version_visit *visit, void *data);
int gitvcs_walk_names(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
		      void *data);

/* ---- graph.c, walk.c, merge_base.c: history --------------------------------------------------- */

enum gitvcs_mark { /* what is known of a commit */
		   GITVCS_PARSED = 1,
		   GITVCS_SEEN = 2,
		   GITVCS_QUEUED = 4,
		   GITVCS_EXCLUDED = 8, /* reachable from the excluded side */
		   GITVCS_ONE = 16,     /* merge base: reachable from the one, the other */
		   GITVCS_OTHER = 32,
		   GITVCS_STALE = 64, /* an ancestor of a common ancestor */
		   GITVCS_RESULT = 128
};

struct gitvcs_node {
	git_oid id;
	uint32_t marks, parent_count;
	int64_t date;
	uint64_t sequence; /* order of arrival in the queue */
	struct gitvcs_node **parents;
	struct gitvcs_commit commit; /* kept from parsing till the visit, if the graph keeps */
};

/* The commits met so far, and a queue that gives the youngest first, of equal dates the first. */
struct gitvcs_graph {
	struct gitvcs *vcs;
	bool keeps; /* keep the commits' bytes for the visit */
	struct gitvcs_node **table;
	size_t table_size, count;
	struct gitvcs_node **queue;
	size_t queue_count, queue_capacity;
	uint64_t sequence;
	struct gitvcs_block *blocks; /* the memory of nodes and parent lists */
};

void gitvcs_graph_init(struct gitvcs_graph *graph, struct gitvcs *vcs, bool keeps);
void gitvcs_graph_free(struct gitvcs_graph *graph);
/* The node of a commit, made when it is not there. */
struct gitvcs_node *gitvcs_graph_node(struct gitvcs_graph *graph, const git_oid *id);
/* Read a commit's date and parents, if that is not done yet. */
int gitvcs_graph_parse(struct gitvcs_graph *graph, struct perun_ctx *ctx, struct gitvcs_node *node);
void gitvcs_graph_push(struct gitvcs_graph *graph, struct gitvcs_node *node);
struct gitvcs_node *gitvcs_graph_pop(struct gitvcs_graph *graph);

int gitvcs_walk_minor_versions(void *instance, struct perun_ctx *ctx, const char *head,
			       perun_minor_version_visit *visit, void *data);
int gitvcs_walk_range(void *instance, struct perun_ctx *ctx, const char *exclude, const char *head,
		      perun_minor_version_visit *visit, void *data);
int gitvcs_merge_base(void *instance, struct perun_ctx *ctx, const char *one, const char *other,
		      char **checksum);

/* ---- program.c: running git ------------------------------------------------------------------ */

enum gitvcs_run_flags {
	GITVCS_NO_HOOKS = 1,    /* hooks of the repository do not run */
	GITVCS_READ_ONLY = 2,   /* no optional locks: nothing is written */
	GITVCS_PLAIN_PLACE = 4, /* run where the directory is, GIT_DIR apart */
	GITVCS_MAY_FAIL = 8,    /* an exit code other than 0 is not a failure: see `code` */
	GITVCS_NO_FETCH = 16    /* objects that a partial clone lacks are not fetched */
};

/* One run of git; {.directory = ..., .flags = ...}, all else zero. */
struct gitvcs_run {
	const char *directory; /* git -C; NULL = the work tree or the bare repository */
	unsigned flags;
	int input;               /* descriptor of its standard input; 0 = nothing */
	int output;              /* of its standard output; 0 = `out` takes it */
	int code;                /* exit code */
	struct perun_buffer out; /* standard output; free with perun_buffer_free() */
	struct perun_buffer err; /* its complaint as one line, when it failed */
};

/*
 * Run git with the arguments given, ended by NULL. Fails with PERUN_MISSING when there is no git
 * program, with PERUN_INPUT and what git said when it fails.
 */
int gitvcs_git(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_run *run, ...)
	__attribute__((sentinel));
int gitvcs_git_argv(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_run *run,
		    const char *const *arguments);
void gitvcs_run_free(struct gitvcs_run *run);
/* Standard output without the newline at its end. */
const char *gitvcs_run_line(struct gitvcs_run *run);

/* ---- share.c: files of writers under refs/perun ------------------------------------------------ */

int gitvcs_share_add(void *instance, struct perun_ctx *ctx, const char *writer,
		     perun_vcs_next_file *next, void *data);
int gitvcs_share_writers(void *instance, struct perun_ctx *ctx, perun_vcs_writer_visit *visit,
			 void *data);
int gitvcs_share_files(void *instance, struct perun_ctx *ctx, const char *since, const char *state,
		       perun_vcs_file_visit *visit, void *data);
int gitvcs_share_push(void *instance, struct perun_ctx *ctx, const char *remote,
		      const char *writer);
int gitvcs_share_fetch(void *instance, struct perun_ctx *ctx, const char *remote);
int gitvcs_walk_remotes(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
			void *data);
int gitvcs_share_fetch_some(void *instance, struct perun_ctx *ctx, const char *remote,
			    const char *const *writers);
int gitvcs_share_list(void *instance, struct perun_ctx *ctx, const char *remote,
		      perun_vcs_writer_visit *visit, void *data);
int gitvcs_share_drop(void *instance, struct perun_ctx *ctx, const char *remote,
		      const char *writer);

/* ---- hook.c: the hook of git push ------------------------------------------------------------- */

int gitvcs_share_hook(void *instance, struct perun_ctx *ctx, bool install, char **path,
		      bool *changed);

/* ---- files.c --------------------------------------------------------------------------------- */

/* Replace a file durably: a temporary file beside it, flushed and renamed, the directory flushed. */
int gitvcs_file_write(struct perun_ctx *ctx, const char *path, const char *data, size_t length);
/* Remove the temporary files of a killed process beside `path`. */
void gitvcs_file_sweep(const char *path);
/* The whole of a small file (up to 16 MiB); `*found` false and empty when there is none. */
int gitvcs_file_read(struct perun_ctx *ctx, const char *path, struct perun_buffer *content,
		     bool *found);
/* Remove a file durably; one that is not there is fine. */
int gitvcs_file_remove(struct perun_ctx *ctx, const char *path);
/* Open (making it) and lock `path`; -1 and `*busy` when another process holds it. */
int gitvcs_lock(struct perun_ctx *ctx, const char *path, int *descriptor, bool *busy);
/* Remove a directory and all below it, links not followed, ".git" at its top last. */
int gitvcs_tree_remove(struct perun_ctx *ctx, const char *directory);

/* ---- status.c, state.c, journal.c, recover.c: the user's work tree ---------------------------- */

int gitvcs_is_dirty(void *instance, struct perun_ctx *ctx, bool *dirty);
/* Fails, with the reason, when changes cannot be put aside and brought back safely. */
int gitvcs_check_savable(struct gitvcs *vcs, struct perun_ctx *ctx);

/* Whether an added file is in the index alone, which a stash commit cannot distinguish from being there. */
int gitvcs_lacks_added(struct gitvcs *vcs, struct perun_ctx *ctx, bool *lacks);

/* Where the user was before a run began; kept in GIT_DIR/perun-state. */
struct gitvcs_journal {
	char head[GIT_OID_HEXSZ + 1];
	char *branch;                   /* "refs/heads/main", or "" when the head was detached */
	char saved[GIT_OID_HEXSZ + 1];  /* the stash commit, "" when there is none */
	char target[GIT_OID_HEXSZ + 1]; /* the version being checked out, "" at first */
};
void gitvcs_journal_free(struct gitvcs_journal *journal);
int gitvcs_journal_read(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_journal *journal,
			bool *found);
int gitvcs_journal_write(struct gitvcs *vcs, struct perun_ctx *ctx,
			 const struct gitvcs_journal *journal);
int gitvcs_journal_remove(struct gitvcs *vcs, struct perun_ctx *ctx);
/* The reference that keeps the saved changes from being collected. */
char *gitvcs_saved_reference(const struct gitvcs *vcs);
/* Lock the state of this work tree for as long as a run lasts; fails when another run has it. */
int gitvcs_state_lock(struct gitvcs *vcs, struct perun_ctx *ctx, bool *busy);
void gitvcs_state_unlock(struct gitvcs *vcs);

int gitvcs_save_state(void *instance, struct perun_ctx *ctx, bool *saved, char **state);
int gitvcs_restore_state(void *instance, struct perun_ctx *ctx, bool saved, const char *state);
int gitvcs_checkout(void *instance, struct perun_ctx *ctx, const char *checksum);
/* A stash commit of the changes there are now, "" when there are none. */
int gitvcs_stash_create(struct gitvcs *vcs, struct perun_ctx *ctx, char stash[GIT_OID_HEXSZ + 1]);
/* Go back to the journal's branch and put its changes back; the tree must be clean. */
int gitvcs_go_back(struct gitvcs *vcs, struct perun_ctx *ctx, const struct gitvcs_journal *journal);
/* Forget the journal and the reference. */
int gitvcs_state_done(struct gitvcs *vcs, struct perun_ctx *ctx);
int gitvcs_recover(void *instance, struct perun_ctx *ctx, bool only_report, char **what);

/* Fails when an untracked file is where the version `hex` has one and the present one has not. */
int gitvcs_check_untracked(struct gitvcs *vcs, struct perun_ctx *ctx, const char *hex);
/* Whether the file or link at `path` of the work tree is as HEAD has it, or empty: nothing to lose. */
bool gitvcs_is_as_head(struct gitvcs *vcs, const char *path);
/*
 * Remove the untracked files that a killed checkout or stash apply left: those that the journal's
 * versions have and the present one has not, with just their content or none.
 */
int gitvcs_sweep(struct gitvcs *vcs, struct perun_ctx *ctx, const struct gitvcs_journal *journal);

/* ---- diff.c ---------------------------------------------------------------------------------- */

int gitvcs_diff(void *instance, struct perun_ctx *ctx, const char *base, const char *head,
		struct perun_buffer *out);

/* ---- file.c ---------------------------------------------------------------------------------- */

int gitvcs_read_file(void *instance, struct perun_ctx *ctx, const char *checksum, const char *path,
		     struct perun_buffer *out, bool *found);

/* ---- export.c, submodule.c: other versions, elsewhere ----------------------------------------- */

int gitvcs_export_version(void *instance, struct perun_ctx *ctx, const char *checksum,
			  const char *directory);
int gitvcs_keep_export(void *instance, struct perun_ctx *ctx, const char *directory);
int gitvcs_remove_export(void *instance, struct perun_ctx *ctx, const char *directory);
/* Remove what killed runs left; `*removed` is how many exports that were. */
int gitvcs_prune_exports(struct gitvcs *vcs, struct perun_ctx *ctx, size_t *removed);
/* Remove the exports of this instance. */
void gitvcs_drop_exports(struct gitvcs *vcs);
/* Fill the submodules of an export from the repositories at hand; no network. */
int gitvcs_fill_submodules(struct gitvcs *vcs, struct perun_ctx *ctx, const char *common_dir,
			   const char *directory, unsigned depth);

#endif
