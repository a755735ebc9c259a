/* SPDX-License-Identifier: BSD-3-Clause */
/* The engines whose calls the kernel sees, in programs as they are. */
#include <config.h>

#include <poll.h>
#include <signal.h>
#include <string.h>

#include "kept.h"
#include "narrow.h"
#include "targets.h"
#include "tracefs.h"
#include "trace.h"
#include "uprobes.h"

#define DRAIN 5 /* milliseconds */

/*
 * Breakpoints that are events of their own take a tenth of a second each to clear, and those of eBPF that may go one by one as long to
 * set.
 */
static size_t most_functions(const struct trace_collector *collector)
{
	bool single = collector->engine == ENGINE_UPROBES ? !tracefs_usable() : collector->budget;

	if (collector->engine == ENGINE_PATCHABLE)
		return SIZE_MAX;
	if (collector->most)
		return (size_t)collector->most;
	return single ? 50 : 1000;
}

static int check_count(const struct trace_collector *collector, struct perun_ctx *ctx,
		       const struct targets *targets)
{
	size_t most = most_functions(collector), count = 0;
	bool others = collector->engine == ENGINE_EBPF && collector->budget && !collector->most &&
		      tracefs_usable();

	for (size_t i = 0; i < targets->count; i++)
		count += targets->items[i].kind == TARGET_FUNCTION;
	if (count <= most)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "there are %zu functions to trace, more than %zu: choose "
			  "some with --func, or raise --most-functions%s",
			  count, most, others ? ", or use --engine uprobes" : "");
}

int trace_find_targets(const struct trace_collector *collector, struct perun_ctx *ctx,
		       const struct perun_collect_job *job, struct targets *targets,
		       struct narrowed *narrowed)
{
	struct targets_wanted wanted = {.functions = collector->functions,
					.probes = collector->probes,
					.sizes = collector->sizes};
	char *program = collectors_find_program(job), *folder;
	size_t count = 0;
	const char **files;
	int status;

	*targets = (struct targets){0};
	if (!program)
		return perun_fail(ctx, PERUN_MISSING, "cannot run %s: it was not found",
				  job->argv[0]);
	while (collector->binaries[count])
		count++;
	files = perun_alloc_zero(count + 2, sizeof *files);
	memcpy(files, collector->binaries, count * sizeof *files);
	/* A script's interpreter is of no interest when the program that it runs is named. */
	if (count == 0 || engine_is_program(program)) {
		memmove(files + 1, files, count * sizeof *files);
		files[0] = program;
	}
	for (size_t i = 0; files[i] && collector->engine != ENGINE_PATCHABLE; i++)
		wanted.exits |= engine_unwinds(files[i]);
	wanted.files = files;
	wanted.kept = folder = kept_folder();
	status = targets_find(ctx, &wanted, targets);
	if (!status && narrowing_is_wanted(&collector->narrowing))
		status = narrow_targets(ctx, &collector->narrowing, job->directory, targets,
					narrowed);
	if (!status)
		status = check_count(collector, ctx, targets);
	if (!status && targets->unclear)
		perun_warn(ctx,
			   "%zu functions are left out: their ends are not known, and exceptions "
			   "may pass them",
			   targets->unclear);
	perun_free(files);
	perun_free(folder);
	perun_free(program);
	return status;
}

static int watch(const struct trace_collector *collector, struct perun_ctx *ctx,
		 const struct collectors_child *child, struct uprobes *uprobes)
{
	struct pollfd wanted = {.fd = child->watched, .events = POLLIN};
	uint64_t start = collectors_clock(0);
	bool over = false;
	int status = PERUN_OK;

	while (!status && !over) {
		over = poll(&wanted, 1, DRAIN) > 0;
		uprobes_drain(uprobes, over);
		if (!over)
			status = collectors_check_time(ctx, &collector->limits, start);
	}
	if (status)
		kill(child->pid, SIGKILL);
	return status;
}

static int run_held(const struct trace_collector *collector, struct perun_ctx *ctx,
		    const struct collectors_start *start, struct collectors_child *child,
		    struct uprobes *uprobes)
{
	int wait_status, status = collectors_go(ctx, start, child);

	if (status)
		return status;
	status = watch(collector, ctx, child, uprobes);
	wait_status = collectors_finish(child, NULL);
	if (!status)
		status = collectors_judge_run(ctx, &collector->limits, start, wait_status);
	return status;
}

static int run_targets(const struct trace_collector *collector, struct perun_ctx *ctx,
		       const struct perun_collect_job *job, const struct targets *targets,
		       struct trace_run *run)
{
	char *error_path = perun_format("%s/stderr", job->scratch);
	const struct collectors_start start = {.job = job, .error_path = error_path, .held = true};
	const struct uprobes_options options = {.pairing = {.limit = (uint64_t)collector->limit,
							    .every = (uint64_t)collector->every},
						.exclusion = collector->exclusion,
						.cost = collector->budget ? run->pair : 0,
						.ebpf = collector->engine == ENGINE_EBPF};
	struct collectors_child child;
	struct uprobes *uprobes = NULL;
	uint64_t begin;
	int status = collectors_start(ctx, &start, &child);

	if (!status) {
		status = uprobes_open(ctx, &options, targets, child.pid, &run->calls, &uprobes);
		begin = collectors_clock(0);
		if (status) {
			kill(child.pid, SIGKILL);
			collectors_finish(&child, NULL);
		} else {
			status = run_held(collector, ctx, &start, &child, uprobes);
		}
		run->duration = collectors_clock(0) - begin;
		run->lost_events = status ? 0 : uprobes_lost(uprobes);
		uprobes_close(uprobes);
	}
	perun_free(error_path);
	return status;
}

int kernel_run(const struct trace_collector *collector, struct perun_ctx *ctx,
	       const struct perun_collect_job *job, struct trace_run *run)
{
	struct targets targets;
	int status = trace_find_targets(collector, ctx, job, &targets, &run->narrowed);

	run->second = 1e9;
	if (!status)
		run->pair = kernel_cost(ctx, collector->engine);
	if (!status)
		status = run_targets(collector, ctx, job, &targets, run);
	targets_free(&targets);
	return status;
}
