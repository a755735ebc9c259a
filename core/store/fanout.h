/* SPDX-License-Identifier: BSD-3-Clause */
/* New directories of objects, filled under temporary names; private to core/store. */
#ifndef PERUN_CORE_STORE_FANOUT_H
#define PERUN_CORE_STORE_FANOUT_H

#include "core/store/store.h"

/*
 * Objects lie in 256 directories by the first two digits of their names. When thousands are added, a
 * directory in which there was none is filled under a temporary name (objects/.new-RANDOM-XX), where
 * no file needs a temporary name of its own, and is put in its place as a whole.
 */
struct perun_fans;

/* `prefix` (borrowed) begins the names of the temporary files of this transaction. */
struct perun_fans *perun_fans_new(struct perun_store *store, const char *prefix);
void perun_fans_free(struct perun_fans *fans);

/*
 * Whether a new object (its path) goes into a temporary directory, which then is there; `out` is its
 * path in there. Several threads may ask at once.
 */
bool perun_fans_take(struct perun_fans *fans, const char *path, char *out, size_t size);
/*
 * Put all directories in their places. Where somebody else made the directory meanwhile it is not
 * possible: its files stay for perun_fans_waiting(). 0 or an errno.
 */
int perun_fans_place(struct perun_fans *fans);
/* Whether an object that was taken still is in the temporary directory; `out` as above. */
bool perun_fans_waiting(const struct perun_fans *fans, const char *path, char *out, size_t size);
/* Remove temporary directories, which are empty by now. */
void perun_fans_sweep(struct perun_fans *fans);

#endif
