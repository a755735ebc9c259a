/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of the threads of this process: made, filled, waited for, and made again after fork(). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/common/session.h"
#include "preload.h"

extern void *__libc_stack_end; /* of the dynamic linker */

struct memory_session *recorder_session;
__thread struct thread *recorder_current __attribute__((tls_model("initial-exec")));

static char folder[3072];
static pthread_key_t key;
static atomic_flag list_lock = ATOMIC_FLAG_INIT, module_lock = ATOMIC_FLAG_INIT,
		   shared_lock = ATOMIC_FLAG_INIT;
static struct thread *unused, *shared;
static uint64_t process;
static unsigned made;

/* recorder_current of a thread that is about to end. */
static __thread bool ended __attribute__((tls_model("initial-exec")));
/* While its state is made. */
static __thread bool entering __attribute__((tls_model("initial-exec")));

static void lock(atomic_flag *flag)
{
	while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire))
		syscall(SYS_sched_yield);
}

static void unlock(atomic_flag *flag)
{
	atomic_flag_clear_explicit(flag, memory_order_release);
}

void recorder_lock(void)
{
	lock(&module_lock);
}

void recorder_unlock(void)
{
	unlock(&module_lock);
}

/* ---- rings -------------------------------------------------------------------------------------- */

static bool make_ring(struct thread *thread)
{
	char hidden[sizeof folder + 64], name[sizeof folder + 64], *memory = NULL;
	size_t size = MEMORY_RING_SIZE;
	int pid = (int)getpid(), file;

	snprintf(name, sizeof name, "%s/ring-%d-%llx-%u", folder, pid, (unsigned long long)process,
		 made);
	snprintf(hidden, sizeof hidden, "%s/.new-%d-%llx-%u", folder, pid,
		 (unsigned long long)process, made);
	made++;
	file = open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return false;
	if (posix_fallocate(file, 0, (off_t)(MEMORY_HEADER + size)) == 0)
		memory = memory_ring_map(file, size);
	close(file);
	if (!memory) {
		unlink(hidden);
		return false;
	}
	thread->ring = (struct memory_ring *)(void *)memory;
	thread->events = memory + MEMORY_HEADER;
	thread->mask = size - 1;
	thread->ring->magic = MEMORY_MAGIC;
	thread->ring->size = size;
	thread->ring->process = process;
	thread->ring->pid = pid;
	thread->ring->parent = (int)getppid();
	if (rename(hidden, name) != 0)
		return false;
	atomic_fetch_add(&recorder_session->rings, 1);
	return true;
}

bool recorder_wait(struct thread *thread, size_t bytes)
{
	struct memory_ring *ring = thread->ring;
	uint64_t beats = atomic_load(&recorder_session->beats);
	const struct timespec pause = {0, 20000};
	int error = errno;
	unsigned tries = 0;

	while (thread->head + bytes - thread->tail > ring->size) {
		thread->tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
		if (thread->head + bytes - thread->tail <= ring->size)
			break;
		if (atomic_load(&recorder_session->beats) != beats) {
			beats = atomic_load(&recorder_session->beats);
			tries = 0;
		}
		/* The collector is gone when it shows no sign of life for some seconds. */
		if (atomic_load(&recorder_session->closed) || tries++ > 200000) {
			atomic_store(&recorder_session->closed, 1);
			atomic_fetch_add(&ring->lost, 1);
			errno = error;
			return false;
		}
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	errno = error;
	return true;
}

/* ---- modules ------------------------------------------------------------------------------------ */

static void send_module(struct thread *thread, const struct module *module, bool first)
{
	char path[1024];
	const char *name = module->name;
	size_t length = strlen(name), bytes;
	ssize_t found;
	uint64_t *event;

	if (length == 0) {
		found = readlink("/proc/self/exe", path, sizeof path - 1);
		length = found > 0 ? (size_t)found : 0;
		name = path;
	}
	if (length > 4000)
		length = 4000;
	bytes = 6 * 8 + (length + 7) / 8 * 8;
	if (!recorder_room(thread, bytes))
		return;
	event = recorder_event(thread);
	event[0] = recorder_time() << 8 | MEMORY_MODULE;
	event[1] = module->table.start;
	event[2] = module->table.limit;
	event[3] = module->bias;
	event[4] = first;
	event[5] = length;
	memcpy(event + 6, name, length);
	recorder_publish(thread, bytes);
}

void recorder_send_modules(struct thread *thread)
{
	const struct module *modules;
	size_t count;

	recorder_lock();
	modules = modules_all(&count);
	/* Waiting for room under the lock is fine: the collector does not take it. */
	for (size_t i = 0; i < count; i++)
		send_module(thread, &modules[i], i == 0);
	recorder_unlock();
}

/* ---- threads ------------------------------------------------------------------------------------ */

static void find_stack(struct thread *thread)
{
	pthread_attr_t attributes;
	struct rlimit limit;
	uintptr_t size = (uintptr_t)1 << 30;
	void *low;
	size_t length;

	if (syscall(SYS_gettid) == getpid()) {
		if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size)
			size = limit.rlim_cur;
		thread->stack_high = (uintptr_t)__libc_stack_end;
		thread->stack_low = thread->stack_high - size;
	} else if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		if (pthread_attr_getstack(&attributes, &low, &length) == 0) {
			thread->stack_low = (uintptr_t)low;
			thread->stack_high = (uintptr_t)low + length;
		}
		pthread_attr_destroy(&attributes);
	}
}

static struct thread *make_thread(void)
{
	struct thread *thread;
	bool changed;

	lock(&list_lock);
	thread = unused;
	if (thread)
		unused = thread->next;
	unlock(&list_lock);
	if (thread) {
		thread->next = NULL;
		thread->endings = 0;
		/* They were on another stack. */
		for (size_t i = 0; i < WALKS; i++)
			thread->walks[i].ip = 0;
		return thread;
	}
	thread = mmap(NULL, sizeof *thread, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (thread == MAP_FAILED)
		return NULL;
	lock(&list_lock);
	if (!make_ring(thread)) {
		unlock(&list_lock);
		munmap(thread, sizeof *thread);
		return NULL;
	}
	unlock(&list_lock);
	recorder_lock();
	changed = modules_refresh();
	recorder_unlock();
	if (changed)
		recorder_send_modules(thread);
	return thread;
}

static struct thread *enter_shared(void)
{
	lock(&shared_lock);
	if (!shared) {
		shared = make_thread();
		if (shared)
			shared->shared = true;
	}
	if (!shared || shared->busy) {
		unlock(&shared_lock);
		return NULL;
	}
	/* Stacks of several threads: none that can be relied on. */
	shared->stack_low = shared->stack_high = 0;
	shared->busy = true;
	atomic_store(&shared->ring->busy, 1);
	return shared;
}

void recorder_leave_shared(struct thread *thread)
{
	(void)thread;
	entering = false;
	unlock(&shared_lock);
}

struct thread *recorder_enter_slowly(void)
{
	struct thread *thread;
	int error = errno;

	if (!recorder_session || entering || atomic_load(&recorder_session->closed))
		return NULL;
	entering = true;
	if (ended) {
		thread = enter_shared();
		if (!thread)
			entering = false;
		errno = error;
		return thread;
	}
	thread = make_thread();
	if (thread) {
		find_stack(thread);
		thread->busy = true;
		atomic_store(&thread->ring->busy, 1);
		recorder_current = thread;
		pthread_setspecific(key, thread);
	} else {
		atomic_fetch_add(&recorder_session->unrecorded, 1);
	}
	entering = false;
	errno = error;
	return thread;
}

/* Destructors of other keys allocate, too, so that this one lets them go first. */
static void end_thread(void *data)
{
	struct thread *thread = data;

	if (++thread->endings < 4) {
		pthread_setspecific(key, thread);
		return;
	}
	recorder_current = NULL;
	ended = true;
	lock(&list_lock);
	thread->next = unused;
	unused = thread;
	unlock(&list_lock);
}

/* ---- processes ---------------------------------------------------------------------------------- */

static void before_fork(void)
{
	lock(&list_lock);
	lock(&module_lock);
	lock(&shared_lock);
}

static void in_parent(void)
{
	unlock(&shared_lock);
	unlock(&module_lock);
	unlock(&list_lock);
}

static void in_child(void)
{
	/* The rings are the parent's; the modules have to be sent again. */
	recorder_current = NULL;
	unused = shared = NULL;
	process = collectors_clock(recorder_session->use_counter);
	modules_forget();
	in_parent();
}

void recorder_start(void)
{
	const char *path = getenv(MEMORY_VARIABLE);
	struct memory_session *session;

	if (!path || strlen(path) >= sizeof folder)
		return;
	entering = true;
	strcpy(folder, path);
	session = collectors_session(folder, sizeof(struct memory_session), MEMORY_MAGIC);
	if (session && pthread_key_create(&key, end_thread) == 0 &&
	    pthread_atfork(before_fork, in_parent, in_child) == 0) {
		if (session->depth < 1 || session->depth > MEMORY_MAX_DEPTH)
			session->depth = MEMORY_MAX_DEPTH;
		process = collectors_clock(session->use_counter);
		recorder_session = session;
	}
	entering = false;
}
