/* SPDX-License-Identifier: BSD-3-Clause */
/* Making the bytes of an object; private to core/store. */
#ifndef PERUN_CORE_STORE_PACK_H
#define PERUN_CORE_STORE_PACK_H

#include "core/store/store.h"

/* The most pieces that a packed object comes in. */
#define PERUN_PACKED_PIECES 3

/*
 * Packs one object after the other: header, SHA-1, zlib. The body is given in pieces before its length
 * is known. A small one stays in memory; a large one is compressed while it comes, on all processors,
 * and waits in an unnamed file for its SHA-1, which begins with the length.
 */
struct perun_packer;

/* `many`: thousands of objects will come; small ones are packed quickly rather than well. */
struct perun_packer *perun_packer_new(struct perun_store *store, bool many);
void perun_packer_free(struct perun_packer *packer);

/* Begin a new body. */
void perun_packer_start(struct perun_packer *packer);
/* Do not deflate this body: for what is compressed already. Before anything is added. */
void perun_packer_store(struct perun_packer *packer);
/* More of the body. A failure (a full disk) is kept for perun_packer_name(). */
int perun_packer_add(struct perun_ctx *ctx, struct perun_packer *packer, const void *data,
		     size_t size);
/* The end: "KIND NAME LENGTH" goes before; gives the checksum. */
int perun_packer_name(struct perun_ctx *ctx, struct perun_packer *packer,
		      enum perun_object_kind kind, const char *name,
		      char checksum[PERUN_CHECKSUM_SIZE]);
/* The zlib stream; valid until the next start. Returns how many pieces it has. */
size_t perun_packer_pack(struct perun_packer *packer,
			 struct perun_piece pieces[PERUN_PACKED_PIECES]);
/* The length of the body. */
uint64_t perun_packer_length(const struct perun_packer *packer);

#endif
