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
 * The load that others made from the start until now: 1, and the share of all processors' time that other programs, or others on the
 * hardware of a virtual machine, took. `own`: what the measured program used. 0 = not known, as it is
 * of less than a second.
 */
double collectors_busy_load(const struct collectors_busy *busy, const struct rusage *own);

/* From the first on a load is stated in the profile, from the second on it is said. */
#define COLLECTORS_STATED_LOAD 1.05
#define COLLECTORS_BUSY_LOAD   1.25

/* State a load in a description of the machine, as checks read it: machine.cpu.load is it times the number of processors. */
void collectors_busy_state(struct perun_json *machine, double load);

#endif
