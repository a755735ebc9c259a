/* SPDX-License-Identifier: BSD-3-Clause */
/* How much other programs kept the processors busy while one was measured. */
#ifndef PERUN_COLLECTORS_BUSY_H
#define PERUN_COLLECTORS_BUSY_H

#include <stdint.h>
#include <sys/resource.h>

#include <perun/json.h>

/* Where the system's clocks stood. */
struct collectors_busy {
	double processors; /* seconds that all processors were busy; 0 = the system does not say */
	uint64_t time;     /* nanoseconds */
};

void collectors_busy_start(struct collectors_busy *busy);

/*
 * How many times as long a program of one thread took, as other programs had their turns: 1 and how many processors they, and
 * what else runs on the hardware of a virtual machine, kept busy from the start until now, for each processor; without
 * what `own` used. 0 = not known.
 */
double collectors_busy_load(const struct collectors_busy *busy, const struct rusage *own);

/* From here on a machine's load is stated, and from there on said. */
#define COLLECTORS_STATED_LOAD 1.05
#define COLLECTORS_BUSY_LOAD   1.25

/* Put a load into a description of the machine, as checks read it: machine.cpu.load is that of all processors. */
void collectors_busy_state(struct perun_json *machine, double load);

#endif
