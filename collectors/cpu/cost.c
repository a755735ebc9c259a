/* SPDX-License-Identifier: BSD-3-Clause */
/* What sampling costs the program: this process samples itself at work. */
#include <config.h>

#include <unistd.h>

#include "collectors/common/clock.h"
#include "collectors/common/overhead.h"
#include "cost.h"

/* Nanoseconds between two samples, shorter than usual so that a short time has many. */
#define PERIOD 50000
#define ROUNDS 5
#define TURNS  5

struct count {
	uint64_t samples;
};

static void count_samples(void *data, const struct perf_event *event)
{
	struct count *count = data;

	count->samples += event->kind == PERF_SAMPLE;
}

/* This many steps of the same work; nanoseconds. */
static uint64_t work(unsigned long steps)
{
	uint64_t start = collectors_clock(0);
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < steps; i++)
		sum += i;
	(void)sum;
	return collectors_clock(0) - start;
}

/* Keep the shortest time of some rounds: nothing came between in it. */
static void work_rounds(unsigned long steps, uint64_t *shortest)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t time = work(steps);

		*shortest = time < *shortest ? time : *shortest;
	}
}

static int work_sampled(struct perun_ctx *ctx, const struct perf_options *options,
			unsigned long steps, uint64_t *shortest, struct count *count)
{
	struct perf *perf = NULL;
	int status = perf_open(ctx, options, getpid(), true, &perf);

	if (!status) {
		work_rounds(steps, shortest);
		perf_drain(perf, true, count_samples, count);
	}
	perf_close(perf);
	return status;
}

/* Nanoseconds of a sample. Both are done in turn, so that what changes on the machine meets both. */
static int measure_sample(struct perun_ctx *ctx, void *data, double *amount)
{
	struct perf_options options = *(const struct perf_options *)data;
	uint64_t plain = UINT64_MAX, sampled = UINT64_MAX;
	unsigned long steps = 1000;
	struct count count = {0};
	int status = PERUN_OK;

	options.period = PERIOD;
	options.waits = false;
	while (work(steps) < 500000 && steps < 1ul << 30)
		steps *= 2;
	for (int i = 0; i < TURNS && !status; i++) {
		work_rounds(steps, &plain);
		status = work_sampled(ctx, &options, steps, &sampled, &count);
	}
	if (!status && (sampled <= plain || count.samples < TURNS * ROUNDS))
		status = PERUN_INPUT;
	*amount = (double)(sampled - plain) / ((double)sampled / PERIOD);
	return status;
}

bool cpu_cost(struct perun_ctx *ctx, const struct perf_options *options, double *share)
{
	const char *name = options->dump ? "cpu-sample" : "cpu-sample-pointers";
	double nanoseconds;

	if (!collectors_overhead(ctx, name, measure_sample, (void *)options, &nanoseconds))
		return false;
	*share = nanoseconds / (double)options->period;
	return true;
}
