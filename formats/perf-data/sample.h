/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample of a recording. */
#ifndef PERF_DATA_SAMPLE_H
#define PERF_DATA_SAMPLE_H

#include "file.h"

/* Members that the sample does not have are 0, NULL or -1. Pointers are into the file. */
struct perfdata_sample {
	size_t event;
	uint16_t misc;
	uint64_t ip, period;
	int32_t pid, thread;
	int64_t time, cpu;
	struct cursor chain;    /* of addresses, with marks between parts */
	struct cursor branches; /* of 24 bytes: from, to, flags; the newest first */
	bool calls;             /* the branches are calls that did not return */
	struct cursor registers;
	uint64_t register_mask;
	const uint8_t *stack; /* a copy, from the stack pointer on */
	uint64_t stack_size;
	struct cursor group; /* of values that were read with it */
	uint64_t read_format;
};

/* Take a record apart; PERUN_INPUT when it is not as its event says. */
int perfdata_take_sample(const struct perfdata *file, const struct perfdata_record *record,
			 struct perfdata_sample *sample);

/* A value of an event of the group that was read together. */
struct perfdata_value {
	uint64_t value, id;
};
/* The next one of `sample->group`; false: there is none. */
bool perfdata_next_value(struct perfdata_sample *sample, struct perfdata_value *value);

#endif
