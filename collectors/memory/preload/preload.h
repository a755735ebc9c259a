/* SPDX-License-Identifier: BSD-3-Clause */
/* The preloaded library: what its files share. Nothing here may allocate through what is traced. */
#ifndef PERUN_MEMORY_PRELOAD_H
#define PERUN_MEMORY_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/common/cfi.h"
#include "collectors/memory/ring.h"

#define PRELOAD_EXPORT      __attribute__((visibility("default")))
#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

struct rule_entry {
	uint64_t ip;
	struct cfi_rule rule;
};

#define RULES 4096

/*
 * A walk by rules, to be had again: at the same place with the same words on the stack it gives the same.
 */
#define WALKS      256
#define WALK_WORDS 40

struct walk {
	uintptr_t ip, sp, bp;
	uint64_t hash;
	uint32_t slot, count;
	bool bp_matters;              /* the frame pointer of the place is part of it */
	uint32_t offsets[WALK_WORDS]; /* of the words, from sp */
	uint64_t words[WALK_WORDS];
};

/* What a thread keeps. */
struct thread {
	struct memory_ring *ring;
	char *events; /* of the ring, mapped twice */
	uint64_t head, tail, mask;
	uint64_t time;        /* of the last allocation */
	uint32_t until_clock; /* this many allocations take their time from the collector */
	uintptr_t stack_low, stack_high;
	bool busy;           /* within the library: what it calls is not traced */
	bool shared;         /* of all threads that have none of their own any more; locked */
	int endings;         /* how often its destructor ran */
	struct thread *next; /* in the list of those that can be used again */
	uint64_t slots[MEMORY_SLOTS]; /* hashes of the stacks that the collector knows */
	uint64_t chains
		[MEMORY_SLOTS]; /* hashes of chains of frame pointers that are not the stack */
	struct rule_entry rules[RULES];
	struct walk walks[WALKS];
	unsigned replaced; /* which of two of them was last */
};

/* Where in the program's own code an allocation happens. */
struct place {
	uintptr_t ip, sp, bp;
};

/* ---- modules.c ---------------------------------------------------------------------------------- */

struct module {
	struct cfi_table table;
	uintptr_t bias;
	const char *name;
};

/* Under the lock of recorder.c: read the list again if libraries came or went; true when they did. */
bool modules_refresh(void);
/* The next refreshing reads it in any case. */
void modules_forget(void);
const struct module *modules_find(uintptr_t ip);
const struct module *modules_all(size_t *count);
/* Text of the C library, whose code keeps no frame pointers. */
extern uintptr_t modules_libc_start, modules_libc_size;
/* That of the dynamic linker. */
extern uintptr_t modules_linker_start, modules_linker_size;

/* ---- walk.c ------------------------------------------------------------------------------------- */

/* `own`: the place is on the thread's own stack. Fills `walk` for the next time. */
uint32_t walk_from_scratch(struct thread *thread, const struct place *place, struct walk *walk,
			   bool own);

static inline size_t walk_place(const struct place *place)
{
	return (place->ip * 0x9e3779b97f4a7c15u + place->sp * 0xc2b2ae3d27d4eb4fu) >> 56;
}

static inline bool walk_is_same(const struct walk *walk, const struct place *place)
{
	const char *sp = (const char *)place->sp;
	uint64_t other = 0;

	if (walk->ip != place->ip || walk->sp != place->sp)
		return false;
	if (walk->bp_matters && walk->bp != place->bp)
		return false;
	/* Few words, which are nearly always the same: no branch for each. */
	for (uint32_t i = 0; i < walk->count; i++)
		other |= *(const uint64_t *)(const void *)(sp + walk->offsets[i]) ^ walk->words[i];
	return other == 0;
}

/*
 * The stack of a place as a slot of the thread's ring; sends it first if the collector does not know
 * it.
 */
static inline uint32_t walk_slot(struct thread *thread, const struct place *place)
{
	bool own = place->sp - thread->stack_low < thread->stack_high - thread->stack_low;
	size_t at = walk_place(place);

	if (likely(own)) {
		const struct walk *walk = &thread->walks[at];

		if (unlikely(walk->ip != place->ip || walk->sp != place->sp))
			walk = &thread->walks[at ^ 1];
		if (likely(walk_is_same(walk, place) && thread->slots[walk->slot] == walk->hash))
			return walk->slot;
	}
	/* Its neighbour may be in use. */
	if (thread->walks[at].ip && thread->walks[at].sp != place->sp)
		at ^= (at ^ ++thread->replaced) & 1;
	return walk_from_scratch(thread, place, &thread->walks[at], own);
}

/* ---- recorder.c --------------------------------------------------------------------------------- */

extern struct memory_session *recorder_session; /* NULL = not traced */

void recorder_start(void);
extern __thread struct thread *recorder_current __attribute__((tls_model("initial-exec")));
/* For a thread that has no state yet, or none any more; NULL = its events are not recorded. */
struct thread *recorder_enter_slowly(void);
void recorder_leave_shared(struct thread *thread);

static inline struct thread *recorder_busy(struct thread *thread)
{
	thread->busy = true;
	atomic_store_explicit(&thread->ring->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return thread;
}

static inline void recorder_idle(struct thread *thread)
{
	atomic_store_explicit(&thread->ring->busy, 0, memory_order_release);
	thread->busy = false;
}

/*
 * The state of this thread, or NULL while its events are not recorded. Marks it as busy: the collector
 * handles no events of later times before this one is there.
 */
static inline struct thread *recorder_enter(void)
{
	struct thread *thread = recorder_current;

	if (unlikely(!thread))
		return recorder_enter_slowly();
	return unlikely(thread->busy) ? NULL : recorder_busy(thread);
}

static inline void recorder_leave(struct thread *thread)
{
	recorder_idle(thread);
	if (unlikely(thread->shared))
		recorder_leave_shared(thread);
}

/* Wait for room; false when the collector does not read any more: the event is lost. */
bool recorder_wait(struct thread *thread, size_t bytes);

/* Make room for `bytes` more in the ring. */
static inline bool recorder_room(struct thread *thread, size_t bytes)
{
	return likely(thread->head + bytes - thread->tail <= thread->mask + 1) ||
	       recorder_wait(thread, bytes);
}

/* Taken while modules are looked at; not held while waiting for room. */
void recorder_lock(void);
void recorder_unlock(void);
/* Send the modules. */
void recorder_send_modules(struct thread *thread);

/* ---- sample.c ----------------------------------------------------------------------------------- */

/* Bytes until the next sample of this thread; none while all is recorded. */
extern __thread uint64_t sample_left __attribute__((tls_model("initial-exec")));

/* Take `bytes` from what is left, if that is more: no sample. */
static inline bool sample_passes(size_t bytes)
{
	uint64_t left = sample_left;

	if (unlikely(bytes >= left))
		return false;
	sample_left = left - bytes;
	return true;
}

/* One byte for each of some classes of addresses: how many of them are sampled. */
#define SAMPLE_CLASSES 65536
extern _Atomic uint8_t sample_classes[SAMPLE_CLASSES];

static inline size_t sample_class(uintptr_t address)
{
	return (uint16_t)(address >> 4 ^ address >> 20);
}

/* Whether an address may be a sampled one, or was marked. */
static inline bool sample_maybe(uintptr_t address)
{
	return atomic_load_explicit(&sample_classes[sample_class(address)], memory_order_relaxed) !=
	       0;
}

/* From now on sample_maybe() is true of this address. */
static inline void sample_mark(uintptr_t address)
{
	atomic_store(&sample_classes[sample_class(address)], UINT8_MAX);
}

/* An allocation of `bytes` used up what was left: whether it is a sample; sets what is left. */
bool sample_take(size_t bytes);
/* Remember a sampled address; forget one, true if it was there. */
void sample_add(uintptr_t address);
bool sample_remove(uintptr_t address);

static inline uint64_t recorder_time(void)
{
	return collectors_clock(recorder_session->use_counter) - recorder_session->base;
}

/* Bytes. Within the second mapping of the events at the most. */
#define PREFETCH 512

/* Where the next event goes; there must be room. */
static inline uint64_t *recorder_event(struct thread *thread)
{
	return (uint64_t *)(void *)(thread->events + (thread->head & thread->mask));
}

/* The collector has read what was there: its processor has to give the line back before it is needed. */
static inline void recorder_prefetch(const struct thread *thread)
{
	const char *ahead = thread->events + (thread->head & thread->mask) + PREFETCH;

#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" : : "m"(*ahead));
#else
	__builtin_prefetch(ahead, 1);
#endif
}

static inline void recorder_publish(struct thread *thread, size_t bytes)
{
	thread->head += bytes;
	atomic_store_explicit(&thread->ring->head, thread->head, memory_order_release);
	recorder_prefetch(thread);
}

#endif
