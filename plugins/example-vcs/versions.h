/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of versions of tagit: the text file `.tagit` in the root of a project. */
#ifndef TAGIT_VERSIONS_H
#define TAGIT_VERSIONS_H

#include <perun/store.h>

#define TAGIT_FILE ".tagit"

/* A line of the file. */
struct tagit_version {
	char checksum[PERUN_CHECKSUM_SIZE]; /* made of the name: 64 hexadecimal digits */
	char *name;
	int64_t date;    /* seconds since the epoch */
	char *author;    /* "" = not known */
	char *directory; /* relative to the root; "" = the version is only a name */
	char *description;
};

/* All of them, oldest first. {0} is empty. */
struct tagit_versions {
	struct tagit_version *items;
	size_t count, capacity;
	size_t head; /* index of the current version */
};

/* Read ROOT/.tagit. Free with tagit_free(), also after a failure. */
int tagit_read(struct perun_ctx *ctx, const char *root, struct tagit_versions *versions);
void tagit_free(struct tagit_versions *versions);
/* By name, checksum, abbreviated checksum of 4 digits or more, "HEAD" or "HEAD~N"; NULL if none. */
const struct tagit_version *tagit_find(const struct tagit_versions *versions, const char *what);

/* Append a version (its checksum is not looked at) to the file, and make it the current one. */
int tagit_append(struct perun_ctx *ctx, const char *root, const struct tagit_version *version);
/* Make another version the current one. */
int tagit_set_head(struct perun_ctx *ctx, const char *root, const char *name);
/* Make an empty list if there is none. */
int tagit_create(struct perun_ctx *ctx, const char *root);
/* The nearest directory from `path` upwards that has a list, or NULL. Caller frees. */
char *tagit_discover(const char *path);

#endif
