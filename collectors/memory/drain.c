/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the rings of all threads while the program runs, in the order of their events. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drain.h"

/* The program writes into these files: what is there is checked like any input. */
#define LARGEST_RING  ((uint64_t)1 << 28)
#define MAX_PROCESSES 65536

struct process {
	uint64_t number;
	int32_t pid;
	struct places_process places;
};

struct ring {
	struct memory_ring *header;
	const char *events;
	uint64_t size, head, tail;
	uint32_t process;
	bool blocked;         /* its thread is about to write */
	bool broken;          /* what it says makes no sense */
	uint64_t time;        /* of the last event that has one */
	uint64_t stuck_since; /* blocked without anything to read; 0 = not */
	struct heap_live last_freed;
	uint32_t slots[MEMORY_SLOTS]; /* stacks */
};

struct drain {
	char *folder;
	struct memory_session *session;
	struct ring **rings;
	size_t ring_count, ring_capacity;
	struct process *processes;
	size_t process_count, process_capacity;
	size_t threads;
	uint64_t lost, margin;
	uint64_t rings_seen; /* of those that the session counts */
	unsigned passes;
};

/* ---- session ----------------------------------------------------------------------------------- */

static int make_session(struct perun_ctx *ctx, struct drain *drain,
			const struct memory_session *session)
{
	char *name = perun_format("%s/session", drain->folder);
	int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status = PERUN_OK;
	void *memory = MAP_FAILED;

	if (file < 0 || ftruncate(file, sizeof *session) != 0 ||
	    (memory = mmap(NULL, sizeof *session, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) ==
		    MAP_FAILED)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", name);
	else
		drain->session = memory;
	if (!status)
		*drain->session = *session;
	if (file >= 0)
		close(file);
	perun_free(name);
	return status;
}

int drain_open(struct perun_ctx *ctx, const char *folder, const struct memory_session *session,
	       struct drain **result)
{
	struct drain *drain = perun_alloc_zero(1, sizeof *drain);

	drain->folder = perun_strdup(folder);
	/* A tenth of a millisecond, at 2.5 GHz at least. */
	drain->margin = session->use_counter ? 500000 : 100000;
	*result = drain;
	return make_session(ctx, drain, session);
}

static void close_ring(struct drain *drain, struct ring *ring)
{
	drain->lost += atomic_load(&ring->header->lost);
	munmap(ring->header, MEMORY_HEADER + 2 * ring->size);
	perun_free(ring);
}

void drain_close(struct drain *drain)
{
	if (!drain)
		return;
	drain_stop(drain);
	for (size_t i = 0; i < drain->ring_count; i++)
		close_ring(drain, drain->rings[i]);
	for (size_t i = 0; i < drain->process_count; i++)
		perun_free(drain->processes[i].places.modules);
	if (drain->session)
		munmap(drain->session, sizeof *drain->session);
	perun_free(drain->rings);
	perun_free(drain->processes);
	perun_free(drain->folder);
	perun_free(drain);
}

void drain_stop(struct drain *drain)
{
	if (drain->session)
		atomic_store(&drain->session->closed, 1);
}

struct drain_facts drain_facts(const struct drain *drain)
{
	struct drain_facts facts = {drain->process_count, drain->threads, drain->lost,
				    drain->session->cost};

	for (size_t i = 0; i < drain->ring_count; i++)
		facts.lost += atomic_load(&drain->rings[i]->header->lost);
	facts.lost += atomic_load(&drain->session->unrecorded);
	return facts;
}

/* ---- new rings --------------------------------------------------------------------------------- */

static uint32_t find_process(struct drain *drain, const struct memory_ring *header)
{
	size_t i = drain->process_count;

	while (i-- > 0)
		if (drain->processes[i].pid == header->pid &&
		    drain->processes[i].number == header->process)
			return (uint32_t)i;
	if (drain->process_count == MAX_PROCESSES)
		return MAX_PROCESSES - 1;
	PERUN_GROW(drain->processes, drain->process_count, drain->process_capacity);
	drain->processes[drain->process_count] =
		(struct process){.number = header->process, .pid = header->pid};
	return (uint32_t)drain->process_count++;
}

static void add_ring(struct drain *drain, const char *name)
{
	char *path = perun_format("%s/%s", drain->folder, name), *memory = NULL;
	int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct ring *ring;
	struct stat facts;
	uint64_t size = 0;

	/* The next time only new ones are there. */
	unlink(path);
	perun_free(path);
	if (file < 0)
		return;
	if (fstat(file, &facts) == 0 && facts.st_size > MEMORY_HEADER)
		size = (uint64_t)facts.st_size - MEMORY_HEADER;
	if (size > MEMORY_HEADER && size <= LARGEST_RING && (size & (size - 1)) == 0 &&
	    size % MEMORY_HEADER == 0)
		memory = memory_ring_map(file, size);
	close(file);
	if (!memory)
		return;
	if (((struct memory_ring *)(void *)memory)->magic != MEMORY_MAGIC) {
		munmap(memory, MEMORY_HEADER + 2 * size);
		return;
	}
	ring = perun_alloc_zero(1, sizeof *ring);
	ring->header = (struct memory_ring *)(void *)memory;
	ring->events = memory + MEMORY_HEADER;
	ring->size = size;
	ring->process = find_process(drain, ring->header);
	memset(ring->slots, 0xff, sizeof ring->slots);
	PERUN_GROW(drain->rings, drain->ring_count, drain->ring_capacity);
	drain->rings[drain->ring_count++] = ring;
	drain->threads++;
}

/* `all`: also those that were made and not counted, by a thread that was killed there. */
static void find_rings(struct drain *drain, bool all)
{
	uint64_t made = atomic_load_explicit(&drain->session->rings, memory_order_acquire);
	const struct dirent *entry;
	DIR *folder;

	if (made == drain->rings_seen && !all)
		return;
	drain->rings_seen = made;
	folder = opendir(drain->folder);
	while (folder && (entry = readdir(folder)))
		if (strncmp(entry->d_name, "ring-", 5) == 0)
			add_ring(drain, entry->d_name);
	if (folder)
		closedir(folder);
}

/* Those of processes that are no more. */
static void drop_rings(struct drain *drain)
{
	size_t kept = 0;

	for (size_t i = 0; i < drain->ring_count; i++) {
		struct ring *ring = drain->rings[i];

		if (kill(ring->header->pid, 0) != 0 && errno == ESRCH &&
		    atomic_load(&ring->header->head) == ring->tail)
			close_ring(drain, ring);
		else
			drain->rings[kept++] = ring;
	}
	drain->ring_count = kept;
}

/* ---- events ------------------------------------------------------------------------------------ */

struct handling {
	struct drain *drain;
	struct heap *heap;
	struct places *places;
};

static uint32_t stack_in(struct handling *handling, const struct ring *ring, uint64_t word)
{
	uint32_t slot = MEMORY_SLOT(word), stack = UINT32_MAX;

	if (slot < MEMORY_SLOTS)
		stack = ring->slots[slot];
	if (stack == UINT32_MAX) {
		/* One without frames, if its event was lost. */
		stack = places_stack(handling->places,
				     &handling->drain->processes[ring->process].places, NULL, 0);
		heap_add_stack(handling->heap, stack);
	}
	return stack;
}

static size_t learn_stack(struct handling *handling, struct ring *ring, const uint64_t *event,
			  uint64_t room)
{
	uint64_t slot = event[1] & 0xffff, count = event[1] >> 32;
	uint32_t stack;

	if (slot >= MEMORY_SLOTS || count > MEMORY_MAX_DEPTH || (2 + count) * 8 > room)
		return 0;
	stack = places_stack(handling->places, &handling->drain->processes[ring->process].places,
			     event + 2, count);
	heap_add_stack(handling->heap, stack);
	ring->slots[slot] = stack;
	return (2 + count) * 8;
}

static size_t learn_module(struct handling *handling, struct ring *ring, const uint64_t *event,
			   uint64_t room)
{
	struct places_module module;
	uint64_t length;

	if (room < 48 || event[5] > 4096 || 48 + (event[5] + 7) / 8 * 8 > room)
		return 0;
	length = event[5];
	module = (struct places_module){.start = event[1], .limit = event[2], .bias = event[3]};
	places_map(handling->places, &handling->drain->processes[ring->process].places,
		   event[4] != 0, &module, (const char *)(event + 6), length);
	return 48 + (length + 7) / 8 * 8;
}

/* An event of the time of the one before it. */
static size_t handle_short(struct handling *handling, struct ring *ring, const uint64_t *event,
			   uint64_t room)
{
	uint32_t kind = (event[0] & 0xff) - MEMORY_SHORT;
	uint64_t word = event[0] >> 8, process = (uint64_t)ring->process << 48;

	if (kind == MEMORY_FREE) {
		heap_freed(handling->heap, MEMORY_ADDRESS(word) | process, ring->time,
			   &ring->last_freed);
		return 8;
	}
	if (kind >= MEMORY_ALLOCATORS || room < 16)
		return 0;
	heap_allocated(handling->heap, MEMORY_ADDRESS(event[1]) | process, word, kind,
		       stack_in(handling, ring, event[1]), ring->time);
	return 16;
}

/* Handle one event; gives its size, 0 = it makes no sense. */
static size_t handle(struct handling *handling, struct ring *ring, const uint64_t *event,
		     uint64_t room)
{
	uint32_t kind = event[0] & 0xff;
	uint64_t time = event[0] >> 8, process = (uint64_t)ring->process << 48;

	if (kind >= MEMORY_SHORT)
		return handle_short(handling, ring, event, room);
	ring->time = time;
	if (room < 16)
		return 0;
	if (kind < MEMORY_ALLOCATORS) {
		if (room < 24)
			return 0;
		heap_allocated(handling->heap, MEMORY_ADDRESS(event[1]) | process, event[2], kind,
			       stack_in(handling, ring, event[1]), time);
		return 24;
	}
	switch (kind) {
	case MEMORY_FREE:
		heap_freed(handling->heap, MEMORY_ADDRESS(event[1]) | process, time,
			   &ring->last_freed);
		return 16;
	case MEMORY_FREE_AT:
		heap_freed(handling->heap, MEMORY_ADDRESS(event[1]) | process, time,
			   &ring->last_freed);
		heap_freed_by(handling->heap, &ring->last_freed,
			      stack_in(handling, ring, event[1]));
		return 16;
	case MEMORY_KEPT:
		heap_kept(handling->heap, &ring->last_freed);
		return 16;
	case MEMORY_STACK:
		return learn_stack(handling, ring, event, room);
	case MEMORY_MODULE:
		return learn_module(handling, ring, event, room);
	default:
		return 0;
	}
}

static const uint64_t *next_event(const struct ring *ring)
{
	return (const uint64_t *)(const void *)(ring->events + (ring->tail & (ring->size - 1)));
}

static uint64_t next_time(const struct ring *ring)
{
	uint64_t word = *next_event(ring);

	return (word & 0xff) < MEMORY_SHORT ? word >> 8 : ring->time;
}

static void give_back(struct ring *ring)
{
	atomic_store_explicit(&ring->header->tail, ring->tail, memory_order_release);
}

/* The events of one ring up to a time. */
static size_t handle_until(struct handling *handling, struct ring *ring, uint64_t limit)
{
	size_t count = 0;

	while (ring->tail < ring->head) {
		const uint64_t *event = next_event(ring);
		size_t bytes;

		if (next_time(ring) > limit)
			break;
		bytes = handle(handling, ring, event, ring->head - ring->tail);
		if (!bytes) {
			/* The program wrote over it. */
			handling->drain->lost++;
			ring->tail = ring->head;
			break;
		}
		ring->tail += bytes;
		/* The thread can go on before the others had their turn. */
		if ((++count & 2047) == 0)
			give_back(ring);
	}
	give_back(ring);
	return count;
}

/*
 * Handle events of several rings by time. Where a thread is about to write one and none before it is
 * left, the others wait: its time may be earlier than theirs.
 */
static size_t merge(struct handling *handling, uint64_t limit)
{
	struct drain *drain = handling->drain;
	size_t count = 0;

	for (;;) {
		struct ring *first = NULL;
		uint64_t earliest = UINT64_MAX, second = limit;

		for (size_t i = 0; i < drain->ring_count; i++) {
			struct ring *ring = drain->rings[i];
			uint64_t time;

			if (ring->tail >= ring->head) {
				if (ring->blocked)
					return count;
				continue;
			}
			time = next_time(ring);
			if (time < earliest) {
				if (earliest < second)
					second = earliest;
				earliest = time;
				first = ring;
			} else if (time < second) {
				second = time;
			}
		}
		if (!first || earliest > limit)
			return count;
		count += handle_until(handling, first, second);
	}
}

static uint64_t now(const struct drain *drain)
{
	return collectors_clock(drain->session->use_counter) - drain->session->base;
}

/* What is there to read, and whether its thread is about to write more. */
static void look_at(struct drain *drain, struct ring *ring, uint64_t time)
{
	bool busy = atomic_load_explicit(&ring->header->busy, memory_order_acquire);

	ring->head = atomic_load_explicit(&ring->header->head, memory_order_acquire);
	if (ring->head - ring->tail > ring->size || ring->head % 8) {
		/* Written over: nothing can be read any more. */
		drain->lost += !ring->broken;
		ring->broken = true;
		ring->head = ring->tail;
	}
	if (!busy || ring->head != ring->tail)
		ring->stuck_since = 0;
	else if (!ring->stuck_since)
		ring->stuck_since = time;
	/* A thread that was killed there, or stopped, must not hold up the others. */
	ring->blocked =
		busy && (!ring->stuck_since || time - ring->stuck_since < drain->margin * 1000);
}

size_t drain_pass(struct drain *drain, struct heap *heap, struct places *places, bool all)
{
	struct handling handling = {drain, heap, places};
	uint64_t time = now(drain), limit = time > drain->margin ? time - drain->margin : 0;

	atomic_fetch_add(&drain->session->beats, 1);
	atomic_store_explicit(&drain->session->time, time, memory_order_relaxed);
	find_rings(drain, all);
	for (size_t i = 0; i < drain->ring_count; i++) {
		look_at(drain, drain->rings[i], time);
		drain->rings[i]->blocked &= !all;
	}
	if (++drain->passes % 256 == 0)
		drop_rings(drain);
	if (drain->ring_count == 1)
		return handle_until(&handling, drain->rings[0], UINT64_MAX);
	return merge(&handling, all ? UINT64_MAX : limit);
}
