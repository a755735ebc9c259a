/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are there only for the time being: known, so that even an end at once takes them along. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "core/context/context.h"

/* Nothing keeps more of them open at once; those that find no place stay after a sudden end. */
enum { MAX_LEFTOVERS = 16 };

/* A signal handler reads them: each place is one pointer that is exchanged at once. */
static char *_Atomic leftovers[MAX_LEFTOVERS];

void perun_leftover_add(const char *path)
{
	char *copy = perun_strdup(path);

	for (size_t i = 0; i < MAX_LEFTOVERS; i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&leftovers[i], &none, copy))
			return;
	}
	perun_free(copy);
}

void perun_leftover_remove(const char *path)
{
	for (size_t i = 0; i < MAX_LEFTOVERS; i++) {
		char *known = atomic_load(&leftovers[i]);

		if (known && strcmp(known, path) == 0 &&
		    atomic_compare_exchange_strong(&leftovers[i], &known, NULL)) {
			perun_free(known);
			return;
		}
	}
}

void perun_unlink_leftovers(void)
{
	for (size_t i = 0; i < MAX_LEFTOVERS; i++) {
		const char *path = atomic_exchange(&leftovers[i], NULL);

		if (path)
			unlink(path);
	}
}
