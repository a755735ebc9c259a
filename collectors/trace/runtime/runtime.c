/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runtime of traced programs: what the compiler calls at the beginning and the end of each function
 * (-finstrument-functions). It keeps the tree of calls with the times of each node in a file that is
 * mapped, so that nothing is to be done at the end, however that comes.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/common/session.h"
#include "collectors/trace/runtime/hooks.h"

struct area {
	uintptr_t start, limit;
};

EXPORT void __cyg_profile_func_enter(void *function, void *caller);
EXPORT void __cyg_profile_func_exit(void *function, void *caller);
EXPORT void perun_trace_size(long size);

struct trace_session *trace_session;
__thread struct thread *trace_current INITIAL;
static __thread bool refused INITIAL; /* this thread is not traced */
static char folder[3072];
static pthread_key_t key;
static uint64_t process;
static _Atomic unsigned made;
static atomic_flag module_lock = ATOMIC_FLAG_INIT;
static struct area areas[1024];
static size_t area_count;

/* ---- modules ------------------------------------------------------------------------------------ */

static int write_module(struct dl_phdr_info *info, size_t size, void *data)
{
	int file = *(int *)data;
	uintptr_t start = UINTPTR_MAX, limit = 0;
	char line[4096], path[2048];
	const char *name = info->dlpi_name;
	int length;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD)
			continue;
		start = at < start ? at : start;
		limit = at + header->p_memsz > limit ? at + header->p_memsz : limit;
	}
	if (limit == 0 || area_count == sizeof areas / sizeof *areas)
		return 0;
	areas[area_count++] = (struct area){start, limit};
	if (!name || !*name) {
		ssize_t got = readlink("/proc/self/exe", path, sizeof path - 1);

		path[got > 0 ? got : 0] = '\0';
		name = path;
	}
	length = snprintf(line, sizeof line, "%lx %lx %lx %s\n", (unsigned long)start,
			  (unsigned long)limit, (unsigned long)info->dlpi_addr, name);
	if (length > 0 && (size_t)length < sizeof line && write(file, line, (size_t)length) < 0)
		return 1;
	return 0;
}

/* A function that was not seen before: write down all modules again if its own is not among them. */
static void know_module(uintptr_t address)
{
	char name[sizeof folder + 64];
	bool known = false;
	int file;

	while (atomic_flag_test_and_set(&module_lock))
		syscall(SYS_sched_yield);
	for (size_t i = 0; i < area_count && !known; i++)
		known = address - areas[i].start < areas[i].limit - areas[i].start;
	if (!known) {
		snprintf(name, sizeof name, "%s/modules-%d-%llx", folder, (int)getpid(),
			 (unsigned long long)process);
		file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		area_count = 0;
		if (file >= 0) {
			dl_iterate_phdr(write_module, &file);
			close(file);
		}
	}
	atomic_flag_clear(&module_lock);
}

/* ---- threads ------------------------------------------------------------------------------------ */

static bool take_storage(struct thread *thread, uint64_t at, uint64_t bytes)
{
	uint64_t start = at & ~(uint64_t)4095;

	if (posix_fallocate(thread->file, (off_t)at, (off_t)bytes) != 0)
		return false;
#ifdef MADV_POPULATE_WRITE
	/* Faults one by one, in the calls to come, would take longer. */
	if (thread->header)
		madvise((char *)thread->header + start, at - start + bytes, MADV_POPULATE_WRITE);
#else
	(void)start;
#endif
	return true;
}

bool trace_grow_frames(struct thread *thread)
{
	struct trace_header *header = thread->header;

	if (thread->depth_ready + FRAMES_STEP > TRACE_DEPTH ||
	    !take_storage(thread, header->frames_at + thread->depth_ready * sizeof(*thread->frames),
			  FRAMES_STEP * sizeof(*thread->frames)))
		return false;
	thread->depth_ready += FRAMES_STEP;
	return true;
}

static bool grow_nodes(struct thread *thread)
{
	struct trace_header *header = thread->header;

	if (thread->nodes_ready + NODES_STEP > header->node_limit ||
	    !take_storage(thread, header->nodes_at + thread->nodes_ready * sizeof(*thread->nodes),
			  NODES_STEP * sizeof(*thread->nodes)))
		return false;
	thread->nodes_ready += NODES_STEP;
	return true;
}

/* Room for records, as long as all threads together have not reached the limit. */
static bool take_records(struct thread *thread)
{
	struct trace_header *header = thread->header;
	uint64_t count = TRACE_CLAIM, before;

	if (atomic_load_explicit(&trace_session->claimed, memory_order_relaxed) >=
	    trace_session->limit)
		return false;
	before = atomic_fetch_add(&trace_session->claimed, count);
	if (before >= trace_session->limit)
		return false;
	if (before + count > trace_session->limit)
		count = trace_session->limit - before;
	if (!take_storage(thread,
			  header->records_at + thread->records_ready * sizeof(*thread->records),
			  count * sizeof(*thread->records)))
		return false;
	thread->records_ready += count;
	return true;
}

bool trace_grow_records(struct thread *thread)
{
	int error = errno;
	bool room;

	thread->busy = true;
	room = take_records(thread);
	thread->busy = false;
	errno = error;
	return room;
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + 4095) & ~(uint64_t)4095;
}

static bool open_file(struct thread *thread)
{
	uint64_t frames_at = 4096;
	uint64_t nodes_at =
		frames_at + whole_pages((uint64_t)TRACE_DEPTH * sizeof(*thread->frames));
	uint64_t records_at =
		nodes_at + whole_pages((uint64_t)TRACE_NODES * sizeof(*thread->nodes));
	uint64_t size = records_at + whole_pages(trace_session->limit * sizeof(*thread->records));
	char name[sizeof folder + 64], *memory;

	snprintf(name, sizeof name, "%s/thread-%d-%llx-%u", folder, (int)getpid(),
		 (unsigned long long)process, atomic_fetch_add(&made, 1));
	thread->file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (thread->file < 0)
		return false;
	if (ftruncate(thread->file, (off_t)size) != 0 || !take_storage(thread, 0, 4096))
		return false;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, thread->file,
		      0);
	if (memory == MAP_FAILED)
		return false;
	thread->header = (struct trace_header *)(void *)memory;
	thread->frames = thread->top = (struct trace_frame *)(void *)(memory + frames_at);
	thread->nodes = (struct trace_node *)(void *)(memory + nodes_at);
	thread->records = (struct trace_record *)(void *)(memory + records_at);
	*thread->header = (struct trace_header){
		.process = process,
		.pid = (int)getpid(),
		.thread = (int)syscall(SYS_gettid),
		.frames_at = frames_at,
		.nodes_at = nodes_at,
		.records_at = records_at,
		.size = size,
		.node_count = 1,
		.node_limit = TRACE_NODES,
	};
	return trace_grow_frames(thread) && grow_nodes(thread);
}

static struct thread *make_thread(void)
{
	struct thread *thread = mmap(NULL, sizeof *thread, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (thread == MAP_FAILED)
		return NULL;
	thread->file = -1;
	if (!open_file(thread)) {
		if (thread->file >= 0)
			close(thread->file);
		munmap(thread, sizeof *thread);
		atomic_fetch_add(&trace_session->lost, 1);
		return NULL;
	}
	thread->header->magic = TRACE_MAGIC;
	return thread;
}

/* The first function of a thread. */
struct thread *trace_enter_thread(void)
{
	int error = errno;

	if (refused || !trace_session || atomic_load(&trace_session->closed))
		return NULL;
	refused = true; /* what is called here is not traced */
	trace_current = make_thread();
	if (trace_current) {
		trace_grow_records(trace_current); /* now, not in the middle of a call */
		pthread_setspecific(key, trace_current);
		refused = false;
	}
	errno = error;
	return trace_current;
}

static void end_thread(void *data)
{
	struct thread *thread = data;

	trace_current = NULL;
	refused = true;
	close(thread->file);
	munmap(thread->header, thread->header->size);
	munmap(thread, sizeof *thread);
}

/* ---- entries and exits -------------------------------------------------------------------------- */

uint32_t trace_find_child(struct thread *thread, uint32_t parent, uint64_t function)
{
	struct trace_header *header = thread->header;
	struct trace_node *nodes = thread->nodes;
	uint32_t child = nodes[parent].child;

	while (child && nodes[child].function != function)
		child = nodes[child].sibling;
	if (!child) {
		int error = errno;
		bool room = header->node_count < thread->nodes_ready || grow_nodes(thread);

		if (room)
			know_module(function);
		errno = error;
		if (!room)
			return 0;
		child = header->node_count++;
		nodes[child].function = function;
		nodes[child].parent = parent;
		nodes[child].shortest = UINT64_MAX;
		nodes[child].sibling = nodes[parent].child;
		nodes[parent].child = child;
	}
	nodes[parent].last = child;
	return child;
}

EXPORT void __cyg_profile_func_enter(void *function, void *caller)
{
	struct thread *thread = trace_current;

	(void)caller;
	if (unlikely(!thread)) {
		thread = trace_enter_thread();
		if (!thread)
			return;
	}
	/* A handler of a signal, while the thread is in the slow parts. */
	if (likely(!thread->busy))
		trace_enter(thread, (uintptr_t)function);
}

/* A long jump went past the ends of the calls above that of a function: they end now. */
static __attribute__((noinline)) bool leave_others(struct thread *thread, uint64_t function,
						   uint64_t end)
{
	struct trace_header *header = thread->header;
	uint32_t depth = header->depth;

	while (depth > 0 && thread->nodes[thread->frames[depth].node].function != function)
		depth--;
	if (depth == 0) {
		header->unmatched++;
		return false;
	}
	while (header->depth > depth)
		trace_leave(thread, end);
	return true;
}

EXPORT void __cyg_profile_func_exit(void *function, void *caller)
{
	struct thread *thread = trace_current;
	uint64_t end;

	(void)caller;
	if (unlikely(!thread || thread->busy))
		return;
	end = trace_now();
	if (unlikely(thread->deep)) {
		thread->deep--;
		return;
	}
	if (likely(thread->nodes[thread->top->node].function == (uint64_t)(uintptr_t)function) ||
	    leave_others(thread, (uintptr_t)function, end))
		trace_leave(thread, end);
}

/* What a function says about its work: how large the structure is that it works on. */
EXPORT void perun_trace_size(long size)
{
	struct thread *thread = trace_current;

	if (thread && !thread->deep && thread->header->depth)
		thread->top->size = size;
}

/* ---- processes ---------------------------------------------------------------------------------- */

void trace_forget(void)
{
	struct thread *thread = trace_current;

	if (!thread)
		return;
	memset(thread->nodes, 0, 2 * sizeof *thread->nodes);
	thread->header->node_count = 1;
	thread->header->order = 0;
	thread->header->unmatched = 0;
}

/* What would else be done in the first call. */
static void prepare(void)
{
	know_module((uintptr_t)prepare);
	if (trace_current)
		trace_grow_records(trace_current);
}

/* What an entry and an exit take, from many of them. */
static void calibrate(void)
{
	struct thread *thread;
	uint64_t start, least = UINT64_MAX;
	void *function = (void *)(uintptr_t)calibrate;

	atomic_store(&trace_session->claimed, trace_session->limit); /* none of it is recorded */
	thread = trace_enter_thread();
	if (thread) {
		for (int round = 0; round < 20; round++) {
			start = trace_now();
			for (int i = 0; i < 100; i++) {
				__cyg_profile_func_enter(function, NULL);
				__cyg_profile_func_exit(function, NULL);
			}
			start = trace_now() - start;
			if (start < least)
				least = start;
		}
		atomic_store(&trace_session->pair, least / 100);
		atomic_store(&trace_session->inner, thread->nodes[1].shortest);
		trace_forget();
	}
	atomic_store(&trace_session->claimed, 0);
}

static void in_child(void)
{
#if defined(__x86_64__)
	patch_in_child();
#endif
	trace_current = NULL;
	refused = false;
	process = trace_now();
	area_count = 0;
	atomic_flag_clear(&module_lock);
}

static __attribute__((constructor(101))) void start(void)
{
	const char *path = getenv(TRACE_VARIABLE);
	struct trace_session *opened;

	if (!path || strlen(path) >= sizeof folder)
		return;
	strcpy(folder, path);
	opened = collectors_session(folder, sizeof(struct trace_session), TRACE_MAGIC);
	if (!opened || pthread_key_create(&key, end_thread) != 0 ||
	    pthread_atfork(NULL, NULL, in_child) != 0)
		return;
	process = collectors_clock(opened->use_counter);
	trace_session = opened;
#if defined(__x86_64__)
	if (opened->patch) {
		patch_start(folder);
		prepare();
		return;
	}
#endif
	if (atomic_load(&opened->pair) == 0)
		calibrate();
	prepare();
}
