/* SPDX-License-Identifier: BSD-3-Clause */
/* How many runs are enough, and which of them are unlike the others. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "collectors/common/busy.h"
#include "collectors/common/clock.h"
#include "time.h"

/* What a process that is waited for gives up its processor for: its end. */
#define OWN_SWITCHES 1
/*
 * A run is an outlier beyond this many deviations from the median (Iglewicz and Hoaglin, 1993), if that is
 * also some percent of it: where all runs are nearly the same, nothing is far away.
 */
#define FAR       3.5
#define FAR_SHARE 0.02
/* Outliers that are named; the profile has all. */
#define MAX_NAMED 3
/* Seconds that people wait for without wondering how many more there are. */
#define LONG_WAIT 60

/* Half of the interval of the median, where runs depend on those before them wider by as much. */
static double half_width(const struct run_verdict *verdict, const double *reals, size_t count)
{
	double wider = sqrt((double)count / perun_effective_size(reals, count));

	return (verdict->high - verdict->low) / 2 * wider;
}

bool run_budget_spent(const struct run_results *results, const struct run_repeats *repeats,
		      uint64_t start)
{
	return repeats->budget > 0 && (int64_t)results->count >= repeats->least &&
	       (double)(collectors_clock(0) - start) >= repeats->budget * 1e9;
}

struct run_verdict run_judge(const struct run_results *results, const struct run_repeats *repeats,
			     uint64_t start)
{
	size_t count = results->count;
	double *reals = perun_alloc_zero(count + 1, sizeof *reals);
	struct run_verdict verdict = {.confidence = repeats->confidence};
	bool adaptive = repeats->precision > 0 || repeats->budget > 0;

	for (size_t i = 0; i < count; i++)
		reals[i] = results->items[i].real;
	verdict.median = perun_median(reals, count);
	verdict.deviation = perun_mad(reals, count, verdict.median) * PERUN_MAD_TO_SIGMA;
	verdict.sure = perun_median_interval(reals, count, repeats->confidence, &verdict.low,
					     &verdict.high);
	if ((int64_t)count < repeats->least)
		verdict.stopped = NULL;
	else if (!adaptive)
		verdict.stopped = "repeat";
	else if (repeats->precision > 0 && verdict.sure &&
		 half_width(&verdict, reals, count) <= repeats->precision * verdict.median)
		verdict.stopped = "precision";
	else if (run_budget_spent(results, repeats, start))
		verdict.stopped = "budget";
	else if ((int64_t)count >= repeats->most)
		verdict.stopped = "maximum";
	perun_free(reals);
	return verdict;
}

double run_deviations(const struct run_results *results, size_t run,
		      const struct run_verdict *verdict)
{
	/* The clock and the system are not finer than that. */
	double deviation = fmax(verdict->deviation, 0.001 * verdict->median);

	return (results->items[run].real - verdict->median) / deviation;
}

bool run_is_outlier(const struct run_results *results, size_t run,
		    const struct run_verdict *verdict)
{
	double away = fabs(results->items[run].real - verdict->median);

	return results->count > 2 && away > FAR_SHARE * verdict->median &&
	       fabs(run_deviations(results, run, verdict)) > FAR;
}

/* Of the outliers that are not named the one that is farthest away; the number of runs when there is none. */
static size_t next_farthest(const struct run_results *results, const struct run_verdict *verdict,
			    const bool *named)
{
	size_t farthest = results->count;

	for (size_t i = 0; i < results->count; i++) {
		if (named[i] || !run_is_outlier(results, i, verdict))
			continue;
		if (farthest == results->count ||
		    fabs(results->items[i].real - verdict->median) >
			    fabs(results->items[farthest].real - verdict->median))
			farthest = i;
	}
	return farthest;
}

double run_seconds(struct timeval time)
{
	return (double)((int64_t)time.tv_sec * 1000000 + time.tv_usec) / 1e6;
}

double run_felt_load(const struct run_results *results)
{
	double *real = perun_alloc((results->count + 1) * sizeof *real);
	double *cpu = perun_alloc((results->count + 1) * sizeof *cpu);
	double load = 0;
	size_t kept = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct rusage *usage = &results->items[i].usage;

		if (usage->ru_nvcsw > OWN_SWITCHES)
			continue;
		real[kept] = results->items[i].real;
		cpu[kept++] = run_seconds(usage->ru_utime) + run_seconds(usage->ru_stime);
	}
	/* A single run may have been counted before its end. */
	if (kept > 1 && 2 * kept > results->count)
		load = perun_median(real, kept) / perun_median(cpu, kept);
	perun_free(real);
	perun_free(cpu);
	return isfinite(load) && load >= COLLECTORS_STATED_LOAD ? load : 0;
}

static void report_load(struct perun_ctx *ctx, const struct run_results *results)
{
	double load = run_felt_load(results);

	if (load >= COLLECTORS_BUSY_LOAD)
		perun_note(ctx,
			   "the machine was busy: the program took %.2g times its processor time",
			   load);
}

static void report_outliers(struct perun_ctx *ctx, const struct run_results *results,
			    const struct run_verdict *verdict)
{
	bool *named = perun_alloc_zero(results->count + 1, sizeof *named);
	struct perun_buffer text = {0};
	size_t count = 0, run;

	for (size_t i = 0; i < results->count; i++)
		count += run_is_outlier(results, i, verdict);
	for (size_t i = 0; i < MAX_NAMED && i < count; i++) {
		run = next_farthest(results, verdict, named);
		named[run] = true;
		perun_buffer_printf(&text, "%srun %zu (%+.0f %%)", i ? ", " : "", run + 1,
				    100 * (results->items[run].real / verdict->median - 1));
	}
	if (count)
		perun_note(ctx, "%zu outlier%s in %zu runs (kept): %s%s", count,
			   count == 1 ? "" : "s", results->count, text.data,
			   count > MAX_NAMED ? ", ..." : "");
	perun_buffer_free(&text);
	perun_free(named);
}

void run_report_wait(struct perun_ctx *ctx, const struct run_repeats *repeats, double run,
		     int64_t left)
{
	double wait = run * (double)left;

	if (wait < LONG_WAIT || (repeats->budget > 0 && repeats->budget < wait))
		return;
	perun_note(ctx,
		   "a run takes %.3g s: the other %lld take about %.2g %s; fewer with "
		   "--repeat and --warmup",
		   run, (long long)left, wait < 7200 ? wait / 60 : wait / 3600,
		   wait < 7200 ? "min" : "h");
}

void run_report(struct perun_ctx *ctx, const struct run_results *results,
		const struct run_repeats *repeats, const struct run_verdict *verdict)
{
	double half = (verdict->high - verdict->low) / 2;

	report_load(ctx, results);
	report_outliers(ctx, results, verdict);
	if (repeats->precision <= 0 || verdict->stopped[0] == 'p')
		return;
	if (verdict->sure)
		perun_note(
			ctx,
			"the %s of %zu runs ended before the precision was reached: the median is "
			"known to %.2g %%, not %.2g %%",
			verdict->stopped, results->count, 100 * half / verdict->median,
			100 * repeats->precision);
	else
		perun_note(ctx, "%zu runs are too few for an interval of the median",
			   results->count);
}
