/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are read again at the end of the file: as they are in it, which takes a fraction of what they say. */
#ifndef PERUN_FORMAT_PPROF_KEPT_H
#define PERUN_FORMAT_PPROF_KEPT_H

#include "wire.h"

/* {0} has none. */
struct pprof_kept {
	unsigned char *
		bytes; /* of each: how far it is from the one before, its length, itself; of a use a number and how many
				 samples it is from the one before */
	size_t size, room;
	size_t count;
	uint64_t offset, sample; /* of the last one */
};

/* Where the next one is; {0} at first. */
struct pprof_kept_place {
	size_t at;
	uint64_t offset, sample; /* in the file, of the one that was read last */
};

/* `offset`: in the file, for messages; it does not fall. */
void pprof_keep(struct pprof_kept *kept, const unsigned char *data, size_t size, uint64_t offset);
/* A number and the sample that uses it, neither of which falls; the same list has no messages. */
void pprof_keep_use(struct pprof_kept *kept, uint64_t number, uint64_t sample, uint64_t offset);
/* Sets `at` and `end` of the message, which go with the next call; false: there are no more. Each is read once. */
bool pprof_kept_next(struct pprof_kept *kept, struct pprof_kept_place *place,
		     struct pprof_message *message);
bool pprof_kept_next_use(struct pprof_kept *kept, struct pprof_kept_place *place, uint64_t *number);
void pprof_kept_free(struct pprof_kept *kept);

#endif
