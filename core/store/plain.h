/* SPDX-License-Identifier: BSD-3-Clause */
/* Small profiles that are in their file nearly as they are stored; private to core/store. */
#ifndef PERUN_CORE_STORE_PLAIN_H
#define PERUN_CORE_STORE_PLAIN_H

#include "core/store/store.h"

/*
 * Thousands of small profiles in the stored form (resources by type, as the collectors write them) need
 * no profile model to be built: their JSON is normalized and its members put in order. Whatever is
 * not plainly of that form is left to the format's reader, errors and all; where both take a profile,
 * they give the same bytes.
 */
struct perun_plain;

struct perun_plain *perun_plain_new(void);
void perun_plain_free(struct perun_plain *plain);

/* The largest file worth trying. */
#define PERUN_PLAIN_LIMIT ((size_t)64 << 10)

/*
 * Try a text. True: `body` (borrowed until the next try) is what is stored, `facts` are those of the
 * profile (to be freed) and `origin` is the version it was measured at, "" when it does not say.
 */
bool perun_plain_read(struct perun_plain *plain, const char *text, size_t length,
		      const struct perun_buffer **body, struct perun_facts *facts,
		      const char **origin);

#endif
