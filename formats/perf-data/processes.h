/* SPDX-License-Identifier: BSD-3-Clause */
/* What processes had in their memory, and what their threads were called, at a moment of the recording. */
#ifndef PERF_DATA_PROCESSES_H
#define PERF_DATA_PROCESSES_H

#include "file.h"

#define PERFDATA_KERNEL "[kernel.kallsyms]"

/* A file that was mapped, or the code that a process generated. */
struct perfdata_object {
	char *name;
	const char *build_id; /* owned, but for "" = unknown */
	bool kernel;          /* the kernel or a module of it */
	int32_t generated;    /* the process that generated the code; -1 = none */
	uint64_t symbol;      /* of the kernel itself: the address of its symbol _text or _stext */
	char *symbol_name;
	bool named; /* code that the kernel made while it ran: `name` is that of the function */
};

struct perfdata_map {
	uint64_t start, limit, offset; /* offset: in the file */
	uint32_t object;
};

struct perfdata_process {
	int32_t pid;
	void *maps; /* a tree of tsearch(3): apart from each other */
};

struct perfdata_processes {
	const struct perfdata *file;
	bool executed; /* a program was, of which the next map is */
	struct perfdata_map
		main; /* the map of the first one; its limit is 0 as long as there is none */
	struct perfdata_object *objects;
	size_t object_count, object_room;
	struct stacks_numbers by_object;    /* by a hash of the name and build */
	struct perfdata_process *processes; /* the first is the kernel */
	size_t count, room;
	struct stacks_numbers by_pid;
	char **names; /* of threads */
	size_t name_count, name_room;
	struct stacks_numbers by_name;   /* by a hash of the text */
	struct stacks_numbers by_thread; /* the place of the thread in `named` */
	uint32_t *named;
	size_t thread_count, thread_room;
};

void perfdata_processes_init(struct perfdata_processes *processes, const struct perfdata *file);
void perfdata_processes_free(struct perfdata_processes *processes);
/* Any record but samples; those that say nothing of processes are passed over. */
int perfdata_processes_read(struct perfdata_processes *processes,
			    const struct perfdata_record *record);
/* What is mapped at an address, NULL = nothing known. Valid until the next record. */
const struct perfdata_map *perfdata_map_at(struct perfdata_processes *processes, int32_t pid,
					   bool kernel, uint64_t address);
/* What a thread is called, "" = unknown. */
const char *perfdata_thread_name(struct perfdata_processes *processes, int32_t thread);

#endif
