/* SPDX-License-Identifier: BSD-3-Clause */
/* Mercurial repositories, by the program hg. */
#ifndef HG_H
#define HG_H

#include <stdio.h>
#include <sys/types.h>

#include <perun/json.h>
#include <perun/vcs.h>

struct hg {
	char *root; /* of the working directory that it is attached to; NULL = none */
};

/* ---- program.c: running hg -------------------------------------------------------------------- */

/* An hg that runs. */
struct hg_child {
	const char *command; /* the first word, for messages */
	pid_t process;
	int output;
	FILE *complaint;
};

/*
 * Start hg in the repository with these words, which end with NULL: no user's aliases and colors, UTF-8, in a process
 * group of its own, so that Ctrl-C does not stop it halfway.
 */
int hg_start(struct perun_ctx *ctx, const struct hg *hg, const char *const *words,
	     struct hg_child *child);
/* Append what it prints next to `text`, and a NUL that does not count; false at its end. */
bool hg_read(const struct hg_child *child, struct perun_buffer *text);
/*
 * Wait for its end. With `code` 1 is no failure ("nothing found") and is returned there; others are PERUN_INPUT with what
 * hg said.
 */
int hg_end(struct perun_ctx *ctx, struct hg_child *child, int *code);
/* Its output is not needed any more. */
void hg_stop(struct hg_child *child);

/* All of that: what it prints is appended to `text`, which may be NULL. */
int hg_run(struct perun_ctx *ctx, const struct hg *hg, struct perun_buffer *text, int *code,
	   const char *const *words);
#define HG(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- versions.c ------------------------------------------------------------------------------- */

bool hg_is_null(const char *node);
/* Where the working directory is: a template's object with node, branch, committed and bookmark. */
int hg_place(struct perun_ctx *ctx, const struct hg *hg, struct perun_json **place);
int hg_walk(void *instance, struct perun_ctx *ctx, const char *head,
	    perun_minor_version_visit *visit, void *data);
int hg_walk_range(void *instance, struct perun_ctx *ctx, const char *exclude, const char *head,
		  perun_minor_version_visit *visit, void *data);
int hg_info(void *instance, struct perun_ctx *ctx, const char *checksum,
	    perun_minor_version_visit *visit, void *data);
int hg_walk_branches(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
		     void *data);
int hg_walk_names(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
		  void *data);
int hg_head(void *instance, struct perun_ctx *ctx, char **checksum);
int hg_branch(void *instance, struct perun_ctx *ctx, char **name);
int hg_resolve(void *instance, struct perun_ctx *ctx, const char *parameter, const char *type,
	       char **checksum);
int hg_check(void *instance, struct perun_ctx *ctx, const char *checksum);
int hg_merge_base(void *instance, struct perun_ctx *ctx, const char *one, const char *other,
		  char **checksum);

/* ---- directory.c: the working directory ------------------------------------------------------- */

int hg_is_dirty(void *instance, struct perun_ctx *ctx, bool *dirty);
int hg_save_state(void *instance, struct perun_ctx *ctx, bool *saved, char **state);
int hg_restore_state(void *instance, struct perun_ctx *ctx, bool saved, const char *state);
int hg_checkout(void *instance, struct perun_ctx *ctx, const char *checksum);
int hg_export(void *instance, struct perun_ctx *ctx, const char *checksum, const char *directory);
int hg_remove_export(void *instance, struct perun_ctx *ctx, const char *directory);
int hg_is_tracked(void *instance, struct perun_ctx *ctx, const char *path, bool *is);
int hg_diff(void *instance, struct perun_ctx *ctx, const char *base, const char *head,
	    struct perun_buffer *out);
int hg_read_file(void *instance, struct perun_ctx *ctx, const char *checksum, const char *path,
		 struct perun_buffer *out, bool *found);

#endif
