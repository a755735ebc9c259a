/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that are before those of the C library (or of another allocator). */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#else
#define __libc_single_threaded 0
#endif

#include "preload.h"

/* What the functions do; the first is before the real ones are known. */
enum mode { MODE_UNKNOWN, MODE_OFF, MODE_FULL, MODE_FREES, MODE_SAMPLE };

/* What nearly every call reads comes first: one line of the cache. */
static _Alignas(64) struct {
	void *(*malloc)(size_t);
	void (*free)(void *);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	enum mode mode;
	void *(*reallocarray)(void *, size_t, size_t);
	void *(*memalign)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void *(*aligned_alloc)(size_t, size_t);
	size_t (*usable)(void *);
} real;

/* While dlsym() looks for the real functions it may want memory itself. None of this is freed. */
static _Alignas(16) char early[65536];
static _Atomic size_t early_used;
static atomic_bool resolved;
static __thread bool resolving __attribute__((tls_model("initial-exec")));

static bool is_early(const void *memory)
{
	return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

static void *early_alloc(size_t alignment, size_t size)
{
	size_t whole = (size + alignment + 31) & ~(size_t)15, at;

	if (size > sizeof early)
		return NULL;
	at = atomic_fetch_add(&early_used, whole);
	if (at + whole > sizeof early)
		return NULL;
	at = ((uintptr_t)early + at + alignment - 1) / alignment * alignment - (uintptr_t)early;
	/* So that free() looks at it closely. */
	sample_mark((uintptr_t)early + at);
	return early + at;
}

static void *find(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* As early as there is an environment: constructors of libraries allocate, too. */
static void start_once(void)
{
	static atomic_bool started;

	if (!environ)
		return;
	if (!atomic_exchange(&started, true))
		recorder_start();
	if (recorder_session)
		real.mode = recorder_session->sample        ? MODE_SAMPLE
			    : recorder_session->free_stacks ? MODE_FREES
							    : MODE_FULL;
	else
		real.mode = MODE_OFF;
}

/* False while it is being done: by this thread itself, in dlsym(). */
static bool resolve(void)
{
	if (resolving)
		return false;
	resolving = true;
	*(void **)&real.calloc = find("calloc");
	*(void **)&real.realloc = find("realloc");
	*(void **)&real.reallocarray = find("reallocarray");
	*(void **)&real.free = find("free");
	*(void **)&real.memalign = find("memalign");
	*(void **)&real.posix_memalign = find("posix_memalign");
	*(void **)&real.valloc = find("valloc");
	*(void **)&real.pvalloc = find("pvalloc");
	*(void **)&real.aligned_alloc = find("aligned_alloc");
	*(void **)&real.usable = find("malloc_usable_size");
	*(void **)&real.malloc = find("malloc");
	atomic_store(&resolved, true);
	resolving = false;
	start_once();
	return true;
}

#define READY() (likely(atomic_load_explicit(&resolved, memory_order_relaxed)) || resolve())

/* Where the caller of the function that uses this goes on. */
#define PLACE()                                                     \
	{                                                           \
		(uintptr_t) __builtin_return_address(0),            \
			(uintptr_t)__builtin_frame_address(0) + 16, \
			*(uintptr_t *)__builtin_frame_address(0)    \
	}

/* One of this many allocations, and one more, reads the clock in a program of one thread. */
#define OWN_CLOCK 31

/* ---- events ------------------------------------------------------------------------------------- */

/*
 * The time of an allocation. Reading the clock is most of the work of an event. A thread alone needs it for
 * snapshots only, not for the order of events: the collector's last reading does for some of them.
 */
static inline uint64_t time_of_event(struct thread *thread)
{
	uint64_t read;

	if (!__libc_single_threaded || thread->until_clock == 0) {
		thread->until_clock = OWN_CLOCK;
		return recorder_time();
	}
	thread->until_clock--;
	read = atomic_load_explicit(&recorder_session->time, memory_order_relaxed);
	return read > thread->time ? read : thread->time;
}

static inline void put(struct thread *thread, enum memory_kind kind, uint64_t word)
{
	uint64_t *event;

	if (!recorder_room(thread, 16))
		return;
	event = recorder_event(thread);
	if (!__libc_single_threaded)
		thread->time = recorder_time();
	event[0] = thread->time << 8 | kind;
	event[1] = word;
	recorder_publish(thread, 16);
}

static inline void put_allocation(struct thread *thread, enum memory_kind kind, uint64_t word,
				  uint64_t size)
{
	uint64_t *event, time;

	if (!recorder_room(thread, 24))
		return;
	event = recorder_event(thread);
	time = time_of_event(thread);
	event[1] = word;
	if (time == thread->time && size < MEMORY_SHORT_BYTES) {
		event[0] = size << 8 | MEMORY_SHORT | kind;
		recorder_publish(thread, 16);
		return;
	}
	thread->time = time;
	event[0] = time << 8 | kind;
	event[2] = size;
	recorder_publish(thread, 24);
}

static inline void freed(struct thread *thread, const void *memory)
{
	uint64_t *event;

	if (!__libc_single_threaded) {
		put(thread, MEMORY_FREE, (uintptr_t)memory);
		return;
	}
	if (!recorder_room(thread, 8))
		return;
	event = recorder_event(thread);
	event[0] = (uint64_t)(uintptr_t)memory << 8 | MEMORY_SHORT | MEMORY_FREE;
	recorder_publish(thread, 8);
}

/* The same with what freed it, where that is wanted. */
static inline void freed_at(struct thread *thread, const void *memory, const struct place *place)
{
	if (likely(!recorder_session->free_stacks)) {
		freed(thread, memory);
		return;
	}
	put(thread, MEMORY_FREE_AT, (uintptr_t)memory | (uint64_t)walk_slot(thread, place) << 48);
}

static inline void allocated(struct thread *thread, enum memory_kind kind, const void *memory,
			     size_t size, const struct place *place)
{
	uint64_t slot = walk_slot(thread, place);

	put_allocation(thread, kind, (uintptr_t)memory | slot << 48, size);
	if (unlikely(recorder_session->sample))
		sample_add((uintptr_t)memory);
}

/* An allocation that is not within what is left of this thread's bytes: whether it is to be recorded. */
static bool wanted_beyond(size_t size)
{
	if (real.mode == MODE_SAMPLE)
		return sample_take(size);
	/* Nothing is recorded: hardly an allocation comes here again. */
	if (real.mode == MODE_OFF)
		sample_left = UINT64_MAX / 2;
	return recorder_session != NULL;
}

/* Whether an allocation is to be recorded at all; while all are, no bytes are left ever. */
static inline bool wanted(size_t size)
{
	return unlikely(!sample_passes(size)) && wanted_beyond(size);
}

static inline bool wanted_free(const void *memory)
{
	if (unlikely(!recorder_session))
		return false;
	if (likely(!recorder_session->sample))
		return true;
	return unlikely(sample_maybe((uintptr_t)memory)) && sample_remove((uintptr_t)memory);
}

/*
 * The body of each function that allocates: `call` sets `memory`. The event is written when the memory
 * is there, so that no other thread can have freed it before.
 */
#define TRACE(kind, size, call)                                         \
	struct place place = PLACE();                                   \
	struct thread *thread = wanted(size) ? recorder_enter() : NULL; \
	void *memory;                                                   \
                                                                        \
	call;                                                           \
	if (likely(thread)) {                                           \
		if (likely(memory))                                     \
			allocated(thread, kind, memory, size, &place);  \
		recorder_leave(thread);                                 \
	}

/* ---- the functions ------------------------------------------------------------------------------ */

/*
 * malloc(), free(), calloc() and realloc() do no more than find that there is nothing to record, and jump to
 * the real function; all else is in functions that they jump to, too: of those the frame is that of the
 * exported function, so that PLACE() holds in them.
 */
#define HOT    PRELOAD_EXPORT __attribute__((aligned(64)))
#define BEYOND static __attribute__((noinline))

BEYOND void *trace_malloc(size_t size, const struct place *place)
{
	struct thread *thread;
	void *memory;

	if (unlikely(!READY()))
		return early_alloc(16, size);
	thread = wanted(size) ? recorder_enter() : NULL;
	memory = real.malloc(size);
	if (likely(thread)) {
		if (likely(memory))
			allocated(thread, MEMORY_MALLOC, memory, size, place);
		recorder_leave(thread);
	}
	return memory;
}

/* In a thread that has its state and is not within the library: all is recorded. */
static inline struct thread *enter_quickly(void)
{
	struct thread *thread = real.mode == MODE_FULL ? recorder_current : NULL;

	return likely(thread && !thread->busy) ? recorder_busy(thread) : NULL;
}

BEYOND void *malloc_beyond(size_t size)
{
	struct place place = PLACE();
	struct thread *thread = enter_quickly();
	void *memory;

	if (unlikely(!thread))
		return trace_malloc(size, &place);
	memory = real.malloc(size);
	if (likely(memory))
		put_allocation(thread, MEMORY_MALLOC,
			       (uintptr_t)memory | (uint64_t)walk_slot(thread, &place) << 48, size);
	recorder_idle(thread);
	return memory;
}

HOT void *malloc(size_t size)
{
	if (likely(sample_passes(size)))
		return real.malloc(size);
	return malloc_beyond(size);
}

BEYOND void trace_free(void *memory, const struct place *place)
{
	struct thread *thread;

	if (unlikely(!memory || is_early(memory) || !READY()))
		return;
	/* First the event: afterwards another thread may get the same address. */
	thread = wanted_free(memory) ? recorder_enter() : NULL;
	if (likely(thread)) {
		freed_at(thread, memory, place);
		recorder_leave(thread);
	}
	real.free(memory);
}

BEYOND void free_beyond(void *memory)
{
	struct thread *thread = memory && !is_early(memory) ? enter_quickly() : NULL;

	if (unlikely(!thread)) {
		trace_free(memory, &(struct place)PLACE());
		return;
	}
	freed(thread, memory);
	recorder_idle(thread);
	real.free(memory);
}

HOT void free(void *memory)
{
	if (likely(real.mode == MODE_SAMPLE && !sample_maybe((uintptr_t)memory)))
		real.free(memory);
	else
		free_beyond(memory);
}

/*
 * The dynamic linker gives each thread a vector with two words for each module that has variables of threads. One
 * is this library, so that the program alone would have asked for so much less.
 */
static inline size_t without_ours(size_t bytes, size_t size, const struct place *place)
{
	const size_t element = 2 * sizeof(void *);
	bool vector = size == element && bytes > element &&
		      place->ip - modules_linker_start < modules_linker_size;

	return vector ? bytes - element : bytes;
}

BEYOND void *calloc_beyond(size_t count, size_t size)
{
	size_t bytes;

	if (unlikely(__builtin_mul_overflow(count, size, &bytes))) {
		errno = ENOMEM;
		return NULL;
	}
	if (unlikely(!READY()))
		return early_alloc(16, bytes); /* never used before, so that it is zero */
	{
		TRACE(MEMORY_CALLOC, without_ours(bytes, size, &place),
		      memory = real.calloc(count, size));
		return memory;
	}
}

HOT void *calloc(size_t count, size_t size)
{
	size_t bytes;

	if (likely(!__builtin_mul_overflow(count, size, &bytes) && sample_passes(bytes)))
		return real.calloc(count, size);
	return calloc_beyond(count, size);
}

/* Memory of before the real functions were known is moved. */
static void *move_early(const void *memory, size_t size)
{
	void *moved = resolving ? early_alloc(16, size) : real.malloc(size);
	size_t most = (size_t)(early + sizeof early - (const char *)memory);

	if (moved)
		memcpy(moved, memory, size < most ? size : most);
	return moved;
}

static void *trace_realloc(void *old, size_t size, enum memory_kind kind, const struct place *place)
{
	bool gone = old && wanted_free(old), fresh = wanted(size);
	struct thread *thread = gone || fresh ? recorder_enter() : NULL;
	void *memory;

	if (thread && gone)
		freed_at(thread, old, place);
	memory = real.realloc(old, size);
	if (!thread)
		return memory;
	if (memory && fresh) {
		allocated(thread, kind, memory, size, place);
	} else if (!memory && gone && size) {
		put(thread, MEMORY_KEPT, (uintptr_t)old);
		if (recorder_session->sample)
			sample_add((uintptr_t)old);
	}
	recorder_leave(thread);
	return memory;
}

BEYOND void *realloc_beyond(void *old, size_t size)
{
	struct place place = PLACE();

	if (unlikely(!READY() || is_early(old)))
		return old ? move_early(old, size) : early_alloc(16, size);
	return trace_realloc(old, size, MEMORY_REALLOC, &place);
}

HOT void *realloc(void *old, size_t size)
{
	if (likely(real.mode == MODE_SAMPLE && !sample_maybe((uintptr_t)old) &&
		   sample_passes(size)))
		return real.realloc(old, size);
	return realloc_beyond(old, size);
}

PRELOAD_EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	struct place place = PLACE();
	size_t bytes;

	if (unlikely(__builtin_mul_overflow(count, size, &bytes))) {
		errno = ENOMEM;
		return NULL;
	}
	if (unlikely(!READY() || is_early(old)))
		return old ? move_early(old, bytes) : early_alloc(16, bytes);
	return trace_realloc(old, bytes, MEMORY_REALLOCARRAY, &place);
}

PRELOAD_EXPORT void *memalign(size_t alignment, size_t size)
{
	if (unlikely(!READY()))
		return early_alloc(alignment, size);
	{
		TRACE(MEMORY_MEMALIGN, size, memory = real.memalign(alignment, size));
		return memory;
	}
}

PRELOAD_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	if (unlikely(!READY()))
		return early_alloc(alignment, size);
	{
		TRACE(MEMORY_ALIGNED_ALLOC, size, memory = real.aligned_alloc(alignment, size));
		return memory;
	}
}

PRELOAD_EXPORT int posix_memalign(void **result, size_t alignment, size_t size)
{
	int error = 0;

	if (unlikely(!READY())) {
		*result = early_alloc(alignment, size);
		return *result ? 0 : ENOMEM;
	}
	{
		TRACE(MEMORY_POSIX_MEMALIGN, size,
		      error = real.posix_memalign(result, alignment, size);
		      memory = error ? NULL : *result);
		return error;
	}
}

PRELOAD_EXPORT void *valloc(size_t size)
{
	if (unlikely(!READY()))
		return early_alloc(4096, size);
	{
		TRACE(MEMORY_VALLOC, size, memory = real.valloc(size));
		return memory;
	}
}

PRELOAD_EXPORT void *pvalloc(size_t size)
{
	if (unlikely(!READY()))
		return early_alloc(4096, size);
	{
		TRACE(MEMORY_PVALLOC, size, memory = real.pvalloc(size));
		return memory;
	}
}

PRELOAD_EXPORT size_t malloc_usable_size(void *memory)
{
	if (unlikely(!memory || is_early(memory) || !READY() || !real.usable))
		return 0;
	return real.usable(memory);
}

static __attribute__((constructor)) void start(void)
{
	if (READY())
		start_once();
}
