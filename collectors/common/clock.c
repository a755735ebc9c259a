/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a tick of the processor's counter is. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "collectors/common/clock.h"

/* Whether the processor's counter runs steadily and alike on all cores. */
static bool counter_is_fit(void)
{
	bool fit = false;
#if defined(__x86_64__)
	FILE *file =
		fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
	char line[256] = "";

	/* The kernel offers it as a clock only then. */
	if (file && fgets(line, sizeof line, file))
		fit = strstr(line, "tsc") != NULL;
	if (file)
		fclose(file);
#endif
	return fit;
}

void collectors_ticks_start(struct collectors_ticks *ticks)
{
	const struct timespec pause = {0, 10000000};
	uint64_t later;

	ticks->counter = counter_is_fit();
	ticks->ticks = collectors_clock(ticks->counter);
	ticks->nanoseconds = collectors_clock(0);
	ticks->second = 1e9;
	if (!ticks->counter)
		return;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	later = collectors_clock(true);
	ticks->second = (double)(later - ticks->ticks) * 1e9 /
			(double)(collectors_clock(0) - ticks->nanoseconds);
}
