/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings that perf_event_open(2) fills, one of each processor: what is in them, by time. */
#ifndef PERUN_COLLECTORS_RINGS_H
#define PERUN_COLLECTORS_RINGS_H

#include <linux/perf_event.h>

#include <perun/context.h>

struct rings;

/* Where the time is in records, which depends on the sample_type of the events. */
struct rings_layout {
	size_t pages;       /* of a ring; a power of two */
	size_t sample_time; /* its offset in samples */
	size_t other_time;  /* its distance from the end of all others (sample_id_all) */
};

/* A record of the kernel, whole; valid during the call. Aligned to 8 bytes. */
typedef void rings_handler(void *data, uint64_t time, const struct perf_event_header *header,
			   const char *record);

struct rings *rings_new(const struct rings_layout *layout);
void rings_free(struct rings *rings);
/* How many processors there may be, each with a ring; they are numbered from 0. */
size_t rings_count(const struct rings *rings);
/*
 * Open an event of a thread (-1: of all) on a processor, with the others of the processor in one ring.
 * Returns a descriptor, which the rings own, or -1 with errno: ENODEV for processors that are off.
 */
int rings_open(struct rings *rings, const struct perf_event_attr *attributes, pid_t thread,
	       int processor);
/* End events, not the first of a processor: that one has the ring. */
void rings_close(struct rings *rings, const int *events, size_t count);
/* Let all events begin. */
void rings_enable(const struct rings *rings);
/* A descriptor's number as the kernel has it in records, for sample types with an id. */
uint64_t rings_id(int event);
/* Hand over what is there, by time; `all`: also what came in this moment. */
void rings_drain(struct rings *rings, bool all, rings_handler *handler, void *data);

/* Eight bytes of a record. */
uint64_t rings_word(const char *record, size_t at);
/* kernel.perf_event_paranoid, for messages; -2 = unknown. */
long rings_paranoia(void);

#endif
