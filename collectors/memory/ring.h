/* SPDX-License-Identifier: BSD-3-Clause */
/* What the preloaded library and the collector share: rings of events in files that both map. */
#ifndef PERUN_MEMORY_RING_H
#define PERUN_MEMORY_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "collectors/common/clock.h"

/* The environment variable that names the folder of a session. */
#define MEMORY_VARIABLE "PERUN_MEMORY_SESSION"

/*
 * The folder holds the file "session" and a file "ring-PID-NUMBER" for each thread that allocates. A
 * ring is a header of MEMORY_HEADER bytes and then `size` bytes of events, which both sides map twice in
 * a row, so that no event is broken at the end. It appears under its name when its header is complete, and the
 * session counts it; the collector removes the name when it has mapped the file.
 */
#define MEMORY_MAGIC     0x31676e6972756d70u
#define MEMORY_HEADER    4096
#define MEMORY_RING_SIZE (1u << 20)

struct memory_session {
	uint64_t magic;
	uint64_t base;   /* collectors_clock() at the start; times of events are relative to it */
	uint64_t sample; /* mean bytes between two samples, 0 = record everything */
	uint32_t use_counter;    /* the processor's time stamp counter is fit for use */
	uint32_t depth;          /* most frames of a stack */
	uint32_t free_stacks;    /* what frees memory is wanted, too */
	uint32_t calibrate;      /* this many allocations are timed at the start, 0 = none */
	double cost;             /* nanoseconds that each of them took longer, with its free() */
	_Atomic uint32_t closed; /* the collector reads no more */
	_Atomic uint64_t beats;  /* grows while the collector lives */
	_Atomic uint64_t time;   /* collectors_clock() - base as the collector last read it */
	_Atomic uint64_t unrecorded; /* events without a ring */
	_Atomic uint64_t rings;      /* made so far by all threads */
};

struct memory_ring {
	uint64_t magic;
	uint64_t size; /* of the part with events, a power of two */
	uint64_t
		process; /* a number that distinguishes images that had the same pid, after exec() */
	int32_t pid, parent;
	_Alignas(64) _Atomic uint64_t head; /* bytes written, by the thread */
	_Atomic uint32_t busy;              /* the thread is about to write an event */
	_Atomic uint64_t lost;              /* events that were not written */
	_Alignas(64) _Atomic uint64_t tail; /* bytes read, by the collector */
};

/* Map the file of a ring: its header, then its `size` bytes of events twice. NULL: it cannot be mapped. */
static inline char *memory_ring_map(int file, uint64_t size)
{
	char *memory =
		mmap(NULL, MEMORY_HEADER + 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int how = PROT_READ | PROT_WRITE, where = MAP_SHARED | MAP_FIXED;

	if (memory == MAP_FAILED)
		return NULL;
	if (mmap(memory, MEMORY_HEADER + size, how, where, file, 0) == MAP_FAILED ||
	    mmap(memory + MEMORY_HEADER + size, size, how, where, file, MEMORY_HEADER) ==
		    MAP_FAILED) {
		munmap(memory, MEMORY_HEADER + 2 * size);
		return NULL;
	}
	return memory;
}

/*
 * An event begins with a word of its time << 8 | kind and has then:
 *   an allocation   word: address | slot << 48; word: bytes
 *   MEMORY_FREE     word: address
 *   MEMORY_FREE_AT  word: address | slot << 48: of a session that wants to know what freed it
 * What a thread alone writes is shorter where the time is that of the event before:
 *   MEMORY_SHORT + allocation: its first word has the bytes instead of the time; word: address | slot << 48
 *   MEMORY_SHORT + MEMORY_FREE: its only word has the address instead of the time
 *   MEMORY_KEPT     word: address: it was not freed after all, realloc() failed
 *   MEMORY_STACK    word: slot | count << 32; `count` words: return addresses, the innermost first. The
 *                   slot of this ring means this stack from now on.
 *   MEMORY_MODULE   words: start, limit, bias, flags (1: forget all others), bytes of the name; the name,
 *                   filled up to whole words. An ELF file is mapped in the process from start to limit.
 */
enum memory_kind {
	MEMORY_MALLOC,
	MEMORY_CALLOC,
	MEMORY_REALLOC,
	MEMORY_REALLOCARRAY,
	MEMORY_MEMALIGN,
	MEMORY_POSIX_MEMALIGN,
	MEMORY_VALLOC,
	MEMORY_PVALLOC,
	MEMORY_ALIGNED_ALLOC,
	MEMORY_ALLOCATORS,
	MEMORY_FREE = MEMORY_ALLOCATORS,
	MEMORY_KEPT,
	MEMORY_STACK,
	MEMORY_MODULE,
	MEMORY_FREE_AT,
	MEMORY_SHORT = 64,
};

#define MEMORY_SHORT_BYTES   ((uint64_t)1 << 56)
#define MEMORY_SLOTS         4096
#define MEMORY_MAX_DEPTH     512
#define MEMORY_ADDRESS(word) ((word) & (((uint64_t)1 << 48) - 1))
#define MEMORY_SLOT(word)    ((uint32_t)((word) >> 48))

#endif
