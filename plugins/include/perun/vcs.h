/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `vcs`: the version control system under a store.
 * Threads: a repository that is open belongs to one thread at a time; several may be open.
 */
#ifndef PERUN_VCS_H
#define PERUN_VCS_H

#include <perun/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A minor version: a commit. All texts are valid UTF-8, never NULL, borrowed during the call. */
struct perun_minor_version {
	uint32_t struct_size;
	const char *checksum; /* unique name; 40 or 64 lower-case hexadecimal digits */
	const char *author, *email;
	int64_t date;            /* committer time, seconds since the epoch */
	const char *description; /* the full message, with its newlines */
	const char *const *parents;
	size_t parent_count;
	int64_t authored; /* author time, which outlives a rebase; 0 = not known */
};

/* A major version: a branch. */
struct perun_major_version {
	uint32_t struct_size;
	const char *name;
	const char *head; /* checksum of its minor version */
};

/* Called for each version; return PERUN_OK to go on, anything else stops the walk. */
typedef int perun_minor_version_visit(void *data, const struct perun_minor_version *version);
typedef int perun_major_version_visit(void *data, const struct perun_major_version *version);
/*
 * Returned by a visit function that has seen enough. The plugin ends the walk and returns PERUN_OK for it; any
 * other status of a visit it returns as it is.
 */
#define PERUN_STOP (-1)

/* Names and values for init: --vcs-param NAME VALUE and --vcs-flag NAME (value NULL). The layout is fixed. */
struct perun_vcs_parameter {
	const char *name, *value;
};

/* A file that a writer shares, by a relative path; `data` may have any bytes. Borrowed during the call; fixed layout. */
struct perun_vcs_file {
	const char *path;
	const void *data;
	size_t size;
};
/* Gives the next file; a path of NULL after the last one. What it returns other than PERUN_OK ends the adding. */
typedef int perun_vcs_next_file(void *data, struct perun_ctx *ctx, struct perun_vcs_file *file);
typedef int perun_vcs_file_visit(void *data, struct perun_ctx *ctx,
				 const struct perun_vcs_file *file);
/* A writer of a remote repository, NULL = of this one, and a word for what its files are now. */
typedef int perun_vcs_writer_visit(void *data, struct perun_ctx *ctx, const char *remote,
				   const char *writer, const char *state);

/*
 * `open` gets its instance without a repository; then `attach` binds it to one. Results given as
 * `char **` are the caller's, freed with perun_free(). All functions of the specification's VCS API
 * are required; those under "optional" may be NULL and have the fallback named there.
 */
struct perun_vcs_ops {
	PERUN_INSTANCE_OPS;
	/* Bind to the repository at `url` (absolute path of a directory). */
	int (*attach)(void *instance, struct perun_ctx *ctx, const char *url);

	/* Make or reinitialize a repository at `path`; existing ones stay as they are. */
	int (*init)(void *instance, struct perun_ctx *ctx, const char *path,
		    const struct perun_vcs_parameter *parameters, size_t count);
	/* Minor versions reachable from `head`, children before parents as the vcs logs them. */
	int (*walk_minor_versions)(void *instance, struct perun_ctx *ctx, const char *head,
				   perun_minor_version_visit *visit, void *data);
	int (*walk_major_versions)(void *instance, struct perun_ctx *ctx,
				   perun_major_version_visit *visit, void *data);
	/* The checksum of the current minor version; PERUN_OK and NULL while there is none yet. */
	int (*get_minor_head)(void *instance, struct perun_ctx *ctx, char **checksum);
	/* The name of the current major version; the checksum when the head is detached. */
	int (*get_head_major_version)(void *instance, struct perun_ctx *ctx, char **name);
	/* One version; visit is called once. */
	int (*get_minor_version_info)(void *instance, struct perun_ctx *ctx, const char *checksum,
				      perun_minor_version_visit *visit, void *data);
	/* PERUN_OK when `checksum` names an existing minor version, else PERUN_USAGE and why. */
	int (*check_minor_version_validity)(void *instance, struct perun_ctx *ctx,
					    const char *checksum);
	/*
	 * From any way to name a version ("HEAD", "HEAD~2", a tag, an abbreviation) to its checksum: the host
	 * resolves nothing itself but ranges (A..B). `type` is "minor_version" or NULL; others may be added,
	 * what is not known is taken as NULL.
	 */
	int (*massage_parameter)(void *instance, struct perun_ctx *ctx, const char *parameter,
				 const char *type, char **checksum);
	/* Whether tracked files or the index have changes. */
	int (*is_dirty)(void *instance, struct perun_ctx *ctx, bool *dirty);
	/*
	 * Put uncommitted changes of tracked files and the index aside (`*saved` says whether there
	 * were any) and describe where the user was in `*state`. Untracked files are not touched.
	 * A plugin with `recover` writes a journal before the first change, so that an interrupted run can be
	 * undone; for others the host keeps one of what is returned.
	 */
	int (*save_state)(void *instance, struct perun_ctx *ctx, bool *saved, char **state);
	/* Bring back what save_state put aside; staged stays staged. */
	int (*restore_state)(void *instance, struct perun_ctx *ctx, bool saved, const char *state);
	/* Make the work tree that of a minor version. */
	int (*checkout)(void *instance, struct perun_ctx *ctx, const char *checksum);

	/* ---- optional ---- */

	/* As walk_minor_versions but without those reachable from `exclude`. Fallback: filter. */
	int (*walk_range)(void *instance, struct perun_ctx *ctx, const char *exclude,
			  const char *head, perun_minor_version_visit *visit, void *data);
	/* The best common ancestor, NULL if there is none. Fallback: two walks. */
	int (*merge_base)(void *instance, struct perun_ctx *ctx, const char *one, const char *other,
			  char **checksum);
	/*
	 * Write the files of a version into `directory` (which does not exist yet), and take them
	 * away again. The user's work tree is not touched. Fallback: PERUN_MISSING; versions are then measured
	 * in the user's work tree (perun run --in-place), by save_state and checkout. One without the other is none.
	 */
	int (*export_version)(void *instance, struct perun_ctx *ctx, const char *checksum,
			      const char *directory);
	int (*remove_export)(void *instance, struct perun_ctx *ctx, const char *directory);
	/*
	 * The directory in which a .perun shared by all work trees of this repository is (the
	 * main work tree), or NULL. Fallback: none.
	 */
	int (*common_directory)(void *instance, struct perun_ctx *ctx, char **directory);
	/* Whether a version is the boundary of a shallow history. Fallback: no. */
	int (*is_boundary)(void *instance, struct perun_ctx *ctx, const char *checksum, bool *is);
	/* Have `name` (".perun/") ignored by the vcs, not in a tracked file. Fallback: nothing. */
	int (*ignore)(void *instance, struct perun_ctx *ctx, const char *name);
	/*
	 * Find the root of a repository that holds `path`, NULL when there is none; called before attach, too: perun
	 * init asks every plugin and takes the innermost root. Fallback: the repository that it is attached to,
	 * where that holds `path`; before that none, so that init needs --vcs-type and --vcs-path.
	 */
	int (*discover)(void *instance, struct perun_ctx *ctx, const char *path, char **root);
	/*
	 * Undo what an interrupted run left (see save_state); `*what` says it in words or is NULL. Fallback: the host
	 * notes what save_state returned in a journal of its own, in the user's state directory, and calls
	 * restore_state with it.
	 */
	int (*recover)(void *instance, struct perun_ctx *ctx, bool only_report, char **what);
	/*
	 * Whether the vcs tracks the file `path` (absolute) or a file below it: what came with a clone is not
	 * the user's own. Fallback: no.
	 */
	int (*is_tracked)(void *instance, struct perun_ctx *ctx, const char *path, bool *is);
	/*
	 * Names of versions that a user may write: branches, also remote ones, and tags. `version->name` is
	 * the name. For completion. Fallback: walk_major_versions.
	 */
	int (*walk_names)(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
			  void *data);
	/*
	 * Files that a team shares beside the versions, those of each writer under a name of its own: letters, digits and
	 * '-'. Only the writer adds to them, and none is changed or taken away. Remotes are other repositories, by the
	 * names that this one has for them. The host locks: nobody else uses these files of the repository meanwhile, and
	 * what a killed program left locked is the plugin's to unlock. Fallback of the five, of which one without the others is none: PERUN_MISSING,
	 * nothing is shared.
	 */
	/* Add files to those of a writer of this repository, all of them or none. */
	int (*share_add)(void *instance, struct perun_ctx *ctx, const char *writer,
			 perun_vcs_next_file *next, void *data);
	/* Visit the writers of this repository, and those of all remotes as they were last fetched. */
	int (*share_writers)(void *instance, struct perun_ctx *ctx, perun_vcs_writer_visit *visit,
			     void *data);
	/*
	 * Visit the files of a state that the state `since` has not (NULL, or one that is not there any more: all), in the
	 * order of their paths.
	 */
	int (*share_files)(void *instance, struct perun_ctx *ctx, const char *since,
			   const char *state, perun_vcs_file_visit *visit, void *data);
	/*
	 * Send the files of a writer of this repository and those of its generations, the writers whose names begin with its own and '-',
	 * as far as there are any; those of others at the remote stay.
	 */
	int (*share_push)(void *instance, struct perun_ctx *ctx, const char *remote,
			  const char *writer);
	/* Get the files of all writers of a remote. */
	int (*share_fetch)(void *instance, struct perun_ctx *ctx, const char *remote);
	/*
	 * Append what changed from the version `base` to `head`, or to the tracked files of the user's work tree (NULL),
	 * to `out`: a unified diff without lines of context, with the headers of `git diff` ("diff --git", modes,
	 * renames). Fallback: PERUN_MISSING; a commit is then not taken apart (perun bisect --lines).
	 */
	int (*diff)(void *instance, struct perun_ctx *ctx, const char *base, const char *head,
		    struct perun_buffer *out);
	/*
	 * Names of the remotes that share_push and share_fetch take: `version->name`. For completion. Fallback: none.
	 */
	int (*walk_remotes)(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
			    void *data);
	/*
	 * Visit the writers that a remote has now, with `remote` as it is given. Fallback of this and share_drop: PERUN_MISSING;
	 * nothing is removed from remotes.
	 */
	int (*share_list)(void *instance, struct perun_ctx *ctx, const char *remote,
			  perun_vcs_writer_visit *visit, void *data);
	/*
	 * Remove a writer with all its files from a remote, and from the writers of this repository, which from then on has its files as
	 * those of that remote: they are known, and are not sent again.
	 */
	int (*share_drop)(void *instance, struct perun_ctx *ctx, const char *remote,
			  const char *writer);
	/*
	 * Have `perun push` run whenever versions are sent to a remote (`install`), or no longer. `*path` is the file that does
	 * this, the caller's, and `*changed` whether it was written or removed now. A hook that somebody else wrote is never changed:
	 * PERUN_INPUT. Fallback: PERUN_MISSING.
	 */
	int (*share_hook)(void *instance, struct perun_ctx *ctx, bool install, char **path,
			  bool *changed);
	/*
	 * Append what the file `path` (relative to the root) holds in a version; `*found` says whether the version has such a
	 * file. Fallback: PERUN_MISSING; the file of the work tree is shown for all versions.
	 */
	int (*read_file)(void *instance, struct perun_ctx *ctx, const char *checksum,
			 const char *path, struct perun_buffer *out, bool *found);
	/* Get the files of these writers of a remote alone; NULL ends them. Fallback: share_fetch, of all. */
	int (*share_fetch_some)(void *instance, struct perun_ctx *ctx, const char *remote,
				const char *const *writers);
	/*
	 * Let the files of an export stay where they are, as the host's, who may rename them: nothing in the repository knows of
	 * them any more. Programs that ask there which version it is should still get the answer. Fallback: remove_export, of files
	 * that were moved away for the moment.
	 */
	int (*keep_export)(void *instance, struct perun_ctx *ctx, const char *directory);
};

/* ---- for hosts: the specification's functions over an open repository ------------------------ */

struct perun_vcs;

/* Load the plugin of `type` and attach it to `url`. */
PERUN_EXPORT int perun_vcs_open(struct perun_ctx *ctx, const char *type, const char *url,
				struct perun_vcs **vcs);
/* Load the plugin without a repository (for init and discover). */
PERUN_EXPORT int perun_vcs_load(struct perun_ctx *ctx, const char *type, struct perun_vcs **vcs);
PERUN_EXPORT void perun_vcs_close(struct perun_vcs *vcs);
PERUN_EXPORT int perun_vcs_init(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *path,
				const struct perun_vcs_parameter *parameters, size_t count);
PERUN_EXPORT int perun_vcs_walk_minor_versions(struct perun_ctx *ctx, struct perun_vcs *vcs,
					       const char *head, perun_minor_version_visit *visit,
					       void *data);
PERUN_EXPORT int perun_vcs_walk_major_versions(struct perun_ctx *ctx, struct perun_vcs *vcs,
					       perun_major_version_visit *visit, void *data);
PERUN_EXPORT int perun_vcs_walk_names(struct perun_ctx *ctx, struct perun_vcs *vcs,
				      perun_major_version_visit *visit, void *data);
PERUN_EXPORT int perun_vcs_get_minor_head(struct perun_ctx *ctx, struct perun_vcs *vcs,
					  char **checksum);
/* For what works before the first version as well: PERUN_OK and NULL then, where get_minor_head fails. */
PERUN_EXPORT int perun_vcs_find_minor_head(struct perun_ctx *ctx, struct perun_vcs *vcs,
					   char **checksum);
PERUN_EXPORT int perun_vcs_get_head_major_version(struct perun_ctx *ctx, struct perun_vcs *vcs,
						  char **name);
PERUN_EXPORT int perun_vcs_get_minor_version_info(struct perun_ctx *ctx, struct perun_vcs *vcs,
						  const char *checksum,
						  perun_minor_version_visit *visit, void *data);
PERUN_EXPORT int perun_vcs_check_minor_version_validity(struct perun_ctx *ctx,
							struct perun_vcs *vcs,
							const char *checksum);
/* `parameter` NULL or "" means the head. `type` may be NULL. */
PERUN_EXPORT int perun_vcs_massage_parameter(struct perun_ctx *ctx, struct perun_vcs *vcs,
					     const char *parameter, const char *type,
					     char **checksum);
PERUN_EXPORT int perun_vcs_is_dirty(struct perun_ctx *ctx, struct perun_vcs *vcs, bool *dirty);
PERUN_EXPORT int perun_vcs_save_state(struct perun_ctx *ctx, struct perun_vcs *vcs, bool *saved,
				      char **state);
PERUN_EXPORT int perun_vcs_restore_state(struct perun_ctx *ctx, struct perun_vcs *vcs, bool saved,
					 const char *state);
PERUN_EXPORT int perun_vcs_checkout(struct perun_ctx *ctx, struct perun_vcs *vcs,
				    const char *checksum);
PERUN_EXPORT int perun_vcs_walk_range(struct perun_ctx *ctx, struct perun_vcs *vcs,
				      const char *exclude, const char *head,
				      perun_minor_version_visit *visit, void *data);
PERUN_EXPORT int perun_vcs_merge_base(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *one,
				      const char *other, char **checksum);
/* PERUN_MISSING when the plugin cannot export. */
PERUN_EXPORT int perun_vcs_export_version(struct perun_ctx *ctx, struct perun_vcs *vcs,
					  const char *checksum, const char *directory);
PERUN_EXPORT int perun_vcs_remove_export(struct perun_ctx *ctx, struct perun_vcs *vcs,
					 const char *directory);
/* The files stay, and are the caller's. */
PERUN_EXPORT int perun_vcs_keep_export(struct perun_ctx *ctx, struct perun_vcs *vcs,
				       const char *directory);
PERUN_EXPORT int perun_vcs_common_directory(struct perun_ctx *ctx, struct perun_vcs *vcs,
					    char **directory);
PERUN_EXPORT int perun_vcs_is_boundary(struct perun_ctx *ctx, struct perun_vcs *vcs,
				       const char *checksum, bool *is);
PERUN_EXPORT int perun_vcs_ignore(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *name);
PERUN_EXPORT int perun_vcs_discover(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *path,
				    char **root);
PERUN_EXPORT int perun_vcs_recover(struct perun_ctx *ctx, struct perun_vcs *vcs, bool only_report,
				   char **what);
/* The sharing of files; PERUN_MISSING when the plugin cannot. Writers' names are checked. */
PERUN_EXPORT int perun_vcs_share_add(struct perun_ctx *ctx, struct perun_vcs *vcs,
				     const char *writer, perun_vcs_next_file *next, void *data);
PERUN_EXPORT int perun_vcs_share_writers(struct perun_ctx *ctx, struct perun_vcs *vcs,
					 perun_vcs_writer_visit *visit, void *data);
PERUN_EXPORT int perun_vcs_share_files(struct perun_ctx *ctx, struct perun_vcs *vcs,
				       const char *since, const char *state,
				       perun_vcs_file_visit *visit, void *data);
PERUN_EXPORT int perun_vcs_share_push(struct perun_ctx *ctx, struct perun_vcs *vcs,
				      const char *remote, const char *writer);
PERUN_EXPORT int perun_vcs_share_fetch(struct perun_ctx *ctx, struct perun_vcs *vcs,
				       const char *remote);
PERUN_EXPORT int perun_vcs_share_fetch_some(struct perun_ctx *ctx, struct perun_vcs *vcs,
					    const char *remote, const char *const *writers);
PERUN_EXPORT int perun_vcs_share_list(struct perun_ctx *ctx, struct perun_vcs *vcs,
				      const char *remote, perun_vcs_writer_visit *visit,
				      void *data);
PERUN_EXPORT int perun_vcs_share_drop(struct perun_ctx *ctx, struct perun_vcs *vcs,
				      const char *remote, const char *writer);
PERUN_EXPORT int perun_vcs_share_hook(struct perun_ctx *ctx, struct perun_vcs *vcs, bool install,
				      char **path, bool *changed);
PERUN_EXPORT int perun_vcs_walk_remotes(struct perun_ctx *ctx, struct perun_vcs *vcs,
					perun_major_version_visit *visit, void *data);
PERUN_EXPORT int perun_vcs_diff(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *base,
				const char *head, struct perun_buffer *out);
PERUN_EXPORT int perun_vcs_read_file(struct perun_ctx *ctx, struct perun_vcs *vcs,
				     const char *checksum, const char *path,
				     struct perun_buffer *out, bool *found);
PERUN_EXPORT int perun_vcs_is_tracked(struct perun_ctx *ctx, struct perun_vcs *vcs,
				      const char *path, bool *is);

#ifdef __cplusplus
}
#endif
#endif
