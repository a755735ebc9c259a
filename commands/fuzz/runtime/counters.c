/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the edges of a program that was compiled with -fsanitize-coverage=trace-pc-guard (clang) or
 * -fsanitize-coverage=trace-pc (gcc), and runs it again and again for perun fuzz, each run a child of a process that
 * has started already. Without perun fuzz the program runs as it always does.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/fuzz/runtime/runtime.h"

/* One counter where nobody looks, until the memory is there. */
static uint64_t nowhere[2];
static uint64_t *counts = nowhere, *places = nowhere;
static uint32_t used;     /* guards that were numbered, from 1 on */
static uint32_t last = 0; /* the greatest number that may be counted */

struct fuzz_runtime fuzz_runtime = {.control = -1, .status = -1};

/* ---- counting ------------------------------------------------------------------------------- */

static inline void count(uint32_t edge, uint64_t place)
{
	if (edge > last)
		return;
	if (!counts[edge]++ && !places[edge])
		places[edge] = place;
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
	if (start == stop || *start)
		return;
	for (uint32_t *guard = start; guard < stop; guard++)
		*guard = used + 1 < PERUN_FUZZ_MAX_EDGES ? ++used : 0;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
	count(*guard, (uint64_t)(uintptr_t)__builtin_return_address(0));
}

/* gcc numbers nothing: an edge is known by its address in the file, of which the low digits choose the counter. */
enum { PC_BITS = 16 };

void __sanitizer_cov_trace_pc(void)
{
	uint64_t place = (uint64_t)(uintptr_t)__builtin_return_address(0);
	uint64_t hash = (place - fuzz_runtime.bias) * 0x9e3779b97f4a7c15u;

	if (last && last < (1u << PC_BITS)) {
		last = (1u << PC_BITS) - 1;
		fuzz_runtime.head->edges = 1u << PC_BITS;
		fuzz_runtime.head->hashed = 1;
	}
	count((uint32_t)(hash >> (64 - PC_BITS)), place);
}

/* ---- at the start --------------------------------------------------------------------------- */

static int note_module(struct dl_phdr_info *info, size_t size, void *data)
{
	size_t *length = data, room = PERUN_FUZZ_MODULES - *length;
	char path[4096] = "";
	ssize_t got;
	int written;

	(void)size;
	if (info->dlpi_name && *info->dlpi_name)
		snprintf(path, sizeof path, "%s", info->dlpi_name);
	else if (!*length && (got = readlink("/proc/self/exe", path, sizeof path - 1)) > 0)
		path[got] = 0;
	if (!*length)
		fuzz_runtime.bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		written = snprintf(fuzz_runtime.head->modules + *length, room, "%lx %lx %lx %s\n",
				   (unsigned long)(info->dlpi_addr + part->p_vaddr),
				   (unsigned long)(info->dlpi_addr + part->p_vaddr + part->p_memsz),
				   (unsigned long)info->dlpi_addr, path);
		if (written < 0 || (size_t)written >= room)
			return 1; /* what there is no room for has no names */
		*length += (size_t)written;
		room -= (size_t)written;
	}
	return 0;
}

static void *map_memory(void)
{
	const char *files = getenv(PERUN_FUZZ_VARIABLE);
	int memory;
	void *mapped;

	if (!files ||
	    sscanf(files, "%d,%d,%d", &memory, &fuzz_runtime.control, &fuzz_runtime.status) != 3)
		return NULL;
	unsetenv(PERUN_FUZZ_VARIABLE); /* not for what this program starts */
	mapped = mmap(NULL, PERUN_FUZZ_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	close(memory);
	return mapped == MAP_FAILED ? NULL : mapped;
}

bool fuzz_runtime_say(const void *what, size_t size)
{
	return write(fuzz_runtime.status, what, size) == (ssize_t)size;
}

bool fuzz_runtime_asked(void)
{
	char byte;

	return read(fuzz_runtime.control, &byte, 1) == 1;
}

/* The server: returns in each child, which goes on to main(). */
static void serve(void)
{
	while (fuzz_runtime_asked()) {
		struct perun_fuzz_done done = {0};
		struct rusage usage;
		pid_t child = fork();
		int64_t number = child;

		if (child < 0)
			_exit(1);
		if (!child) {
			close(fuzz_runtime.control);
			close(fuzz_runtime.status);
			return;
		}
		if (!fuzz_runtime_say(&number, sizeof number) ||
		    wait4(child, &done.wait_status, 0, &usage) != child)
			_exit(1);
		done.nanoseconds =
			(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
			(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
		if (!fuzz_runtime_say(&done, sizeof done))
			_exit(1);
	}
	_exit(0);
}

/* The program's own, or fuzz_runtime_main(). */
extern int main(int argc, char **argv);

__attribute__((constructor)) static void start(void)
{
	int (*volatile entry)(int, char **) =
		main; /* else a compiler takes the two for different ones */
	int32_t hello = PERUN_FUZZ_HELLO;
	char *memory = map_memory();
	size_t length = 0;

	if (!memory)
		return;
	fuzz_runtime.head = (struct perun_fuzz_head *)memory;
	fuzz_runtime.input = memory + PERUN_FUZZ_INPUT;
	dl_iterate_phdr(note_module, &length);
	counts = (uint64_t *)(memory + PERUN_FUZZ_COUNTS);
	places = (uint64_t *)(memory + PERUN_FUZZ_PLACES);
	/* Libraries that are opened later number their guards from here on, the same ones in each run. */
	last = used ? used : 1;
	fuzz_runtime.head->edges = last + 1u;
	fuzz_runtime.head->persistent = entry == fuzz_runtime_main;
	if (!fuzz_runtime_say(&hello, sizeof hello))
		_exit(1);
	if (!fuzz_runtime.head->persistent)
		serve();
}
