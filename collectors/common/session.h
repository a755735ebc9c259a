/* SPDX-License-Identifier: BSD-3-Clause */
/* What a collector and its library in the program share while it runs: memory that is the file "session" of a folder. */
#ifndef PERUN_COLLECTORS_SESSION_H
#define PERUN_COLLECTORS_SESSION_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* For the library: `size` bytes of it, which begin with `magic`; NULL where it is not the collector's. */
static inline void *collectors_session(const char *folder, size_t size, uint64_t magic)
{
	char name[4096];
	void *memory = MAP_FAILED;
	struct stat facts;
	int file;

	if (snprintf(name, sizeof name, "%s/session", folder) >= (int)sizeof name)
		return NULL;
	file = open(name, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return NULL;
	if (fstat(file, &facts) == 0 && facts.st_size >= (off_t)size)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (memory == MAP_FAILED)
		return NULL;
	if (*(const uint64_t *)memory == magic)
		return memory;
	munmap(memory, size);
	return NULL;
}

#endif
