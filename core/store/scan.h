/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of all files below objects/; private to core/store. */
#ifndef PERUN_CORE_STORE_SCAN_H
#define PERUN_CORE_STORE_SCAN_H

#include "core/store/store.h"

enum perun_scan_kind {
	PERUN_SCAN_INDEX,
	PERUN_SCAN_OBJECT, /* anything else with such a name */
	PERUN_SCAN_CHANGES,
	PERUN_SCAN_SUMS,
	PERUN_SCAN_LEFTOVER,
	PERUN_SCAN_STRAY
};

struct perun_scan_item {
	enum perun_scan_kind kind;
	char *path;                         /* relative to .perun */
	char checksum[PERUN_CHECKSUM_SIZE]; /* "" for leftovers and stray files */
};

struct perun_scan {
	struct perun_scan_item *items; /* sorted by path */
	size_t count, capacity;
};

int perun_scan(struct perun_ctx *ctx, struct perun_store *store, struct perun_scan *scan);
void perun_scan_free(struct perun_scan *scan);

#endif
