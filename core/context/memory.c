/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is there or the program is not. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/context/context.h"

#define SMALL ((size_t)512)

/* The host's: memory belongs to the process, and so does its end. */
static perun_memory_handler *_Atomic memory_handler;
static _Thread_local const char *reading_now;

void perun_on_out_of_memory(perun_memory_handler *handler)
{
	atomic_store(&memory_handler, handler);
}

const char *perun_memory_reading(const char *name)
{
	const char *before = reading_now;

	reading_now = name;
	return before;
}

_Noreturn void perun_out_of_memory(void)
{
	static const char text[] = "perun: out of memory\n";
	static atomic_flag ending = ATOMIC_FLAG_INIT;
	static _Thread_local bool ends; /* a handler that allocates after all comes here again */
	perun_memory_handler *handler = atomic_load(&memory_handler);
	ssize_t ignored;

	/* Memory is short in all threads at once: one of them says so and ends the process, the others wait for that. */
	while (!ends && atomic_flag_test_and_set(&ending))
		pause();
	if (handler && !ends) {
		ends = true;
		handler(reading_now);
	}
	/* Without stdio: that may want memory too. */
	ignored = write(STDERR_FILENO, text, sizeof text - 1);
	(void)ignored;
	abort();
}

static void *check(void *memory)
{
	if (!memory)
		perun_out_of_memory();
	return memory;
}

void *perun_alloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *perun_alloc_zero(size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	/* glibc's calloc() locks where malloc() has a few small pieces at hand for each thread. */
	if (count <= SMALL && size <= SMALL / count)
		return memset(perun_alloc(count * size), 0, count * size);
	return check(calloc(count, size));
}

/* The size of a large page on most machines. */
#define LARGE_PAGE ((size_t)1 << 21)

void *perun_alloc_large(size_t size)
{
	void *memory = NULL;

	if (size < LARGE_PAGE || size > SIZE_MAX - LARGE_PAGE)
		return perun_alloc(size);
	size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (posix_memalign(&memory, LARGE_PAGE, size) != 0)
		perun_out_of_memory();
	madvise(memory, size, MADV_HUGEPAGE); /* or not */
	return memory;
}

void *perun_alloc_large_zero(size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		perun_out_of_memory();
	if (count * size < LARGE_PAGE)
		return perun_alloc_zero(count, size);
	return memset(perun_alloc_large(count * size), 0, count * size);
}

void *perun_realloc(void *memory, size_t size)
{
	return check(realloc(memory, size ? size : 1));
}

void *perun_realloc_array(void *memory, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		perun_out_of_memory();
	return perun_realloc(memory, count * size);
}

void perun_free(void *memory)
{
	free(memory);
}

char *perun_strdup(const char *text)
{
	return text ? check(strdup(text)) : NULL;
}

char *perun_strndup(const char *text, size_t length)
{
	return text ? check(strndup(text, length)) : NULL;
}

void *perun_memdup(const void *memory, size_t size)
{
	void *copy = perun_alloc(size);

	if (size)
		memcpy(copy, memory, size);
	return copy;
}
