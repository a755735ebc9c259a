/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of the measured processes as places in files, and stacks of them. */
#ifndef PERUN_COLLECTORS_PLACES_H
#define PERUN_COLLECTORS_PLACES_H

#include <perun/context.h>

/* An address as the file has it (before it was loaded anywhere); file PLACES_NO_FILE: of no file. */
#define PLACES_NO_FILE UINT32_MAX
struct place {
	uint64_t address;
	uint32_t file;
};

struct places_file {
	char *path;
	uint64_t size; /* of its image in memory */
};

struct places_stack {
	size_t first; /* in `frames`: numbers of places, the innermost first */
	uint32_t count;
};

/* Where files are mapped in one process. */
struct places_module {
	uint64_t start, limit, bias;
	uint32_t file;
};

struct places_process {
	struct places_module *modules;
	size_t count, capacity;
};

struct places {
	struct places_file *files;
	size_t file_count, file_capacity;
	struct place *places;
	size_t place_count, place_capacity;
	struct places_stack *stacks;
	size_t stack_count, stack_capacity;
	uint32_t *frames;
	size_t frame_count, frame_capacity;
	struct places_table {
		uint32_t *ids;
		size_t used, capacity;
	} known_places, known_stacks;
};

void places_init(struct places *places);
void places_free(struct places *places);
/* A file is mapped; `first`: the others are there no more. The name is not NUL-terminated. */
void places_map(struct places *places, struct places_process *process, bool first,
		const struct places_module *module, const char *name, size_t length);
/* The number of a stack of return addresses. */
uint32_t places_stack(struct places *places, const struct places_process *process,
		      const uint64_t *frames, size_t count);

#endif
