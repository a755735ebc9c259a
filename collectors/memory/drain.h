/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the rings of all threads while the program runs, in the order of their events. */
#ifndef PERUN_MEMORY_DRAIN_H
#define PERUN_MEMORY_DRAIN_H

#include "heap.h"
#include "collectors/common/places.h"

struct drain;

/*
 * Make the session in an existing folder. The caller starts the program with MEMORY_VARIABLE set to the
 * folder. Free with drain_close().
 */
int drain_open(struct perun_ctx *ctx, const char *folder, const struct memory_session *session,
	       struct drain **drain);
void drain_close(struct drain *drain);
/*
 * Handle what is there; `all`: nothing more will come. Gives the number of events: 0 = the caller may
 * sleep.
 */
size_t drain_pass(struct drain *drain, struct heap *heap, struct places *places, bool all);
/* Let the threads that still run go on without being recorded. */
void drain_stop(struct drain *drain);

struct drain_facts {
	size_t processes, threads;
	uint64_t lost; /* events that could not be recorded */
	double cost;   /* of a session that was to calibrate: nanoseconds of an allocation */
};
struct drain_facts drain_facts(const struct drain *drain);

#endif
