/* SPDX-License-Identifier: BSD-3-Clause */
/* Real times beside processor times: what of a difference the machine makes, and what the program. */
#include <math.h>
#include <string.h>

#include "core/history/history.h"

/* A benchmark whose real time is this many times what processor time and load explain waits by its nature. */
#define WAITS 2
/* From this many benchmarks on, what all of them have in common is the machine's load: of fewer they may all wait. */
#define MIN_TOGETHER 3
/* Hardly a machine is busier: where all take longer, all of them wait. */
#define MAX_LOAD 8
/* What changes by a time's factor, or its inverse, within this is made from the time. */
#define MADE_OF 0.002

bool perun_is_clock(const char *metric)
{
	return metric && strncmp(metric, "time(", 5) == 0;
}

bool perun_is_part_of_time(const char *metric)
{
	return metric && (strcmp(metric, "time(user)") == 0 || strcmp(metric, "time(sys)") == 0);
}

bool perun_is_made_of_time(const double values[2], const double times[2])
{
	double factor = values[1] / values[0], other = times[1] / times[0];

	return fabs(factor / other - 1) < MADE_OF || fabs(factor * other - 1) < MADE_OF;
}

void perun_load_add(struct perun_load *load, double real, double cpu)
{
	if (!(real > 0) || !(cpu > 0))
		return;
	load->least = load->count++ ? fmin(load->least, real / cpu) : real / cpu;
}

bool perun_waited_for_processor(const double real[2], const double cpu[2], double load)
{
	double moved = log(real[1] / real[0]), along = log(cpu[1] / cpu[0]);
	unsigned longer = moved > 0;

	return load > 1 && isfinite(moved) && isfinite(along) &&
	       real[longer] <= WAITS * load * cpu[longer] && fabs(along) < fabs(moved) / 2;
}

/* How many times as long a program takes under a load. */
static double cost_of_load(double load)
{
	return fmax(1, 2 * load - 1);
}

bool perun_busy_machine_explains(double shorter, double longer, double calm, double load,
				 double usual)
{
	double least = calm / fmax(1, cost_of_load(load) / cost_of_load(usual));

	return log(least / shorter) < log(longer / shorter) / 2;
}

bool perun_load_explains(const struct perun_load *load, double real, double cpu)
{
	bool is_known = load->count >= MIN_TOGETHER && load->least <= MAX_LOAD;
	double least = fmax(is_known ? fmax(load->least, 1) : 1, load->stated);

	/* A load comes and goes: it may be as many times the least as that is of none. */
	return real < WAITS * least * least * cpu;
}
