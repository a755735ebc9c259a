/* SPDX-License-Identifier: BSD-3-Clause */
/* How much other programs kept the processors busy: proc(5), /proc/stat. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <perun/context.h>

#include "busy.h"
#include "clock.h"

/* The system counts in ticks, which say nothing of less. */
#define LEAST_SECONDS 1

/* Seconds of work of all processors together, what a hypervisor gave to others included; 0 = not known. */
static double busy_seconds(void)
{
	unsigned long long user = 0, nice = 0, kernel = 0, idle, waiting, interrupts = 0, soft = 0,
			   stolen = 0;
	FILE *file = fopen("/proc/stat", "re");
	int count = 0;

	if (file) {
		count = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice,
			       &kernel, &idle, &waiting, &interrupts, &soft, &stolen);
		fclose(file);
	}
	if (count < 8)
		return 0;
	return (double)(user + nice + kernel + interrupts + soft + stolen) /
	       (double)sysconf(_SC_CLK_TCK);
}

void collectors_busy_start(struct collectors_busy *busy)
{
	busy->processors = busy_seconds();
	busy->time = collectors_clock(0);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

double collectors_busy_load(const struct collectors_busy *busy, const struct rusage *own)
{
	double now = busy_seconds(), processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
	double elapsed = (double)(collectors_clock(0) - busy->time) / 1e9;
	double others = now - busy->processors - seconds(own->ru_utime) - seconds(own->ru_stime);

	if (!(busy->processors > 0) || !(now > 0) || elapsed < LEAST_SECONDS || processors < 1)
		return 0;
	return 1 + fmax(others, 0) / elapsed / processors;
}

void collectors_busy_state(struct perun_json *machine, double load)
{
	struct perun_json *cpu = perun_json_get(machine, "cpu");
	double processors;
	char text[32];

	if (load < COLLECTORS_STATED_LOAD ||
	    !perun_json_as_double(perun_json_get(cpu, "total"), &processors))
		return;
	snprintf(text, sizeof text, "%.2f", load * processors);
	perun_json_set(cpu, "load", perun_json_text(text));
}
