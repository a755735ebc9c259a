/* SPDX-License-Identifier: BSD-3-Clause */
/* The stack of a sample as addresses. */
#ifndef PERF_DATA_STACKS_H
#define PERF_DATA_STACKS_H

#include "names.h"
#include "processes.h"
#include "sample.h"

struct perfdata_frame {
	uint64_t address; /* of the instruction, or of the last byte of a call */
	bool kernel;
};

/* A stack, the innermost frame first. {0} is empty. */
struct perfdata_stack {
	struct perfdata_frame *frames;
	size_t count, room;
	bool cut; /* a copy of the stack could not be unwound here */
};

/* Put the frames of a sample in the place of what was there. */
void perfdata_find_stack(const struct perfdata *file, struct perfdata_processes *processes,
			 struct perfdata_names *names, const struct perfdata_sample *sample,
			 struct perfdata_stack *stack);

#endif
