/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of all processes, added up by stack. */
#ifndef PERUN_CPU_SAMPLES_H
#define PERUN_CPU_SAMPLES_H

#include "collectors/common/images.h"
#include "collectors/common/places.h"
#include "perf.h"

/* What one stack took in one program (its name) and, if wanted, thread. */
struct samples_row {
	uint32_t stack;
	uint32_t name; /* in `names` */
	int32_t thread;
	uint64_t count, period; /* nanoseconds */
	uint64_t waits, waited; /* how often it left its processor, and for how many nanoseconds */
};

struct samples {
	struct places places;
	struct images *images;
	bool threads; /* apart */
	struct samples_row *rows;
	size_t row_count, row_capacity;
	uint32_t *table; /* rows by what they are of */
	size_t table_size;
	char **names;
	size_t name_count, name_capacity;
	struct samples_process *processes;
	size_t process_count, process_capacity;
	struct samples_thread *known; /* names of threads */
	size_t known_count, known_capacity;
	struct places_process kernel;
	uint64_t count, waits, lost, first, last;
};

void samples_init(struct samples *samples, bool threads);
void samples_free(struct samples *samples);
/* What a process that runs already has mapped. */
void samples_know_process(struct samples *samples, pid_t pid);
/* Threads that wait still have waited until now, in nanoseconds of CLOCK_MONOTONIC. */
void samples_end_waits(struct samples *samples, uint64_t now);
/* A perf_handler; `data` are the samples. */
void samples_handle(void *data, const struct perf_event *event);

#endif
