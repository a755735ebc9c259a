/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading HEAD and commits of plain repositories without libgit2: SHA-1, references in files, a .git of the user's
 * own, a configuration of which no line is out of the ordinary. Nothing here fails: what is not plain, or damaged,
 * is "not found", and libgit2 gets its turn, with its better words for what is wrong.
 */
#ifndef PERUN_VCS_GIT_PLAIN_H
#define PERUN_VCS_GIT_PLAIN_H

#include "libgit2.h"

struct gitvcs_plain;

/* The plain repository whose work tree is `url`, else NULL. Free with gitvcs_plain_free(). */
struct gitvcs_plain *gitvcs_plain_open(const char *url);
void gitvcs_plain_free(struct gitvcs_plain *plain);
/* Without slashes at their ends; borrowed. */
const char *gitvcs_plain_git_dir(const struct gitvcs_plain *plain);
const char *gitvcs_plain_work_dir(const struct gitvcs_plain *plain);

/*
 * What HEAD says: `*branch` ("refs/heads/main", the caller's) or NULL and `*id`. False when it cannot be read.
 */
bool gitvcs_plain_head(struct gitvcs_plain *plain, char **branch, git_oid *id);
/* The commit that a reference ("refs/heads/main") names. */
bool gitvcs_plain_reference(struct gitvcs_plain *plain, const char *name, git_oid *id);
/* The names of all branches ("refs/heads/main") in their order; {0} before, gitvcs_names_free() after. */
struct gitvcs_names {
	char **items;
	size_t count, capacity;
};
bool gitvcs_plain_branches(struct gitvcs_plain *plain, struct gitvcs_names *names);
void gitvcs_names_free(struct gitvcs_names *names);
/* The bytes of a commit of up to `most` bytes; `*bytes` is the caller's. */
bool gitvcs_plain_commit(struct gitvcs_plain *plain, const git_oid *id, size_t most, char **bytes,
			 size_t *size);

/* ---- pack.c ---------------------------------------------------------------------------------- */

struct gitvcs_packs;

/* All packs of a repository whose index is of version 2. */
struct gitvcs_packs *gitvcs_packs_open(const char *git_dir);
void gitvcs_packs_free(struct gitvcs_packs *packs);
/* The deflated bytes of a commit that is whole in a pack, and their size when inflated; borrowed. */
bool gitvcs_packs_find(struct gitvcs_packs *packs, const git_oid *id, const unsigned char **bytes,
		       size_t *available, uint64_t *size);

#endif
