/* SPDX-License-Identifier: BSD-3-Clause */
/* The labels of stored profiles (header.labels), kept so that whoever looks for some opens no object. */
#ifndef PERUN_CORE_STORE_LABELS_H
#define PERUN_CORE_STORE_LABELS_H

#include "core/store/store.h"

/*
 * The labels of a header as one text: " KEY=VALUE" for each, other bytes than letters, digits and a few signs as %XX.
 * The Python program's one label, header.label, has the key "label". NULL for none.
 */
char *perun_labels_text(const struct perun_json *header);

/* Whether profiles have all of some labels. */
struct perun_labels;
/* `wanted`: texts KEY=VALUE. PERUN_USAGE for others. Free with perun_labels_close(), also after a failure. */
int perun_labels_open(struct perun_ctx *ctx, struct perun_store *store, const char *const *wanted,
		      size_t count, struct perun_labels **labels);
/* Opens the object only where nothing was noted of it. */
int perun_labels_match(struct perun_ctx *ctx, struct perun_labels *labels, const char *checksum,
		       bool *matches);
/* Notes what was read of objects. A failure costs time later, and nothing else. */
void perun_labels_close(struct perun_labels *labels);

/* A line of the notes, to be appended by perun_labels_note(). */
void perun_labels_line(struct perun_buffer *lines, const char *checksum, const char *text);
void perun_labels_note(const struct perun_store *store, const struct perun_buffer *lines);
/* What notes of a pending profile are under: its path and its time. */
void perun_labels_pending_key(const struct perun_entry *entry, char key[PERUN_CHECKSUM_SIZE]);

/* All that was noted; the store's, once for a handle. */
void perun_label_notes_free(struct perun_label_notes *notes); /* NULL is fine */

#endif
