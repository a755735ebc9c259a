/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile of a traced run. */
#include <config.h>

#include <math.h>

#include <perun/json.h>

#include "collectors/common/overhead.h"
#include "emit.h"
#include "trace.h"

/* Functions that were left out before the program ran. */
static struct perun_json *describe_narrowed(const struct narrowed *narrowed)
{
	struct perun_json *fact = perun_json_object();

	perun_json_set(fact, "unchanged", perun_json_uint64(narrowed->unchanged));
	perun_json_set(fact, "deep", perun_json_uint64(narrowed->deep));
	perun_json_set(fact, "constant", perun_json_uint64(narrowed->constant));
	return fact;
}

static void describe_run(const struct trace_run *run, bool grouped, struct perun_json *trace)
{
	const struct calls *calls = &run->calls;

	perun_json_set(trace, "engine", perun_json_text(engine_name(run->engine)));
	perun_json_set(trace, "calls", perun_json_uint64(calls->total));
	perun_json_set(trace, "recorded", perun_json_uint64(calls->record_count));
	perun_json_set(trace, "grouped", perun_json_bool(grouped));
	perun_json_set(trace, "functions", perun_json_uint64(calls->function_count));
	perun_json_set(trace, "threads", perun_json_uint64(calls->threads));
	perun_json_set(trace, "processes", perun_json_uint64(calls->processes));
	perun_json_set(trace, "too_deep", perun_json_uint64(calls->deep));
	perun_json_set(trace, "lost_events", perun_json_uint64(run->lost_events));
	perun_json_set(trace, "call_overhead", perun_json_double(run->pair));
	perun_json_set(trace, "own_overhead", perun_json_double(run->inner));
	if (run->narrowed.all)
		perun_json_set(trace, "left_out", describe_narrowed(&run->narrowed));
}

/* How much of the run was spent on tracing it. */
static double overhead_share(const struct trace_run *run)
{
	double cost = (double)run->calls.total * run->pair;
	double duration = run->second ? (double)run->duration / (double)run->second * 1e9 : 0;

	return duration > 0 ? fmin(cost / duration, 1) : 0;
}

static void describe(const struct perun_collect_job *job, const struct trace_run *run,
		     const struct emit_options *options, struct perun_builder *builder)
{
	struct perun_json *trace = perun_json_object(), *header;

	header = collectors_add_header(builder, job, "mixed", "mixed(time delta)", "us");
	if (run->pair > 0) {
		collectors_add_overhead(header, run->pair, "ns", "call");
		perun_json_set(perun_json_get(header, "overhead"), "share",
			       perun_json_double(overhead_share(run)));
	}
	if (!*job->command)
		perun_json_set(header, "cmd", perun_json_text(job->argv[0]));
	perun_json_set(header, "default_metric", perun_json_text("exclusive"));
	collectors_add_metric(builder, "exclusive", "us",
			      "time without that of the functions called");
	if (options->grouped)
		collectors_add_metric(builder, "calls", "", "how often the function was called");
	describe_run(run, options->grouped, trace);
	perun_json_set(perun_builder_document(builder), "trace", trace);
}

static int fail_empty(struct perun_ctx *ctx, const struct perun_collect_job *job,
		      const struct trace_run *run)
{
	if (run->engine == ENGINE_COMPILED)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s called no function that is traced: compile it with "
				  "-finstrument-functions (and -g), or give its sources with "
				  "--files",
				  job->argv[0]);
	if (run->engine == ENGINE_PATCHABLE)
		return perun_fail(
			ctx, PERUN_INPUT,
			"%s called no function that is traced: compile it with "
			"-fpatchable-function-entry=5 (and -g), and choose functions that "
			"have that room",
			job->argv[0]);
	return perun_fail(
		ctx, PERUN_INPUT,
		"%s called no function that is traced: choose others with --func, or name "
		"the file that has them with --binary (of a stripped program only functions are "
		"known that it exports)",
		job->argv[0]);
}

static int check_calls(struct perun_ctx *ctx, const struct perun_collect_job *job,
		       const struct trace_run *run)
{
	const struct calls *calls = &run->calls;

	if (run->lost_threads)
		perun_warn(ctx,
			   "%llu threads could not be traced: there was no room for their files",
			   (unsigned long long)run->lost_threads);
	if (run->lost_events)
		perun_warn(ctx,
			   "the kernel lost %llu events, as they came faster than they could be "
			   "read: calls are missing (trace fewer functions with --func, or let "
			   "small ones be left out with --exclude-below)",
			   (unsigned long long)run->lost_events);
	if (calls->deep + calls->full)
		perun_warn(
			ctx,
			"%llu calls were not counted: they were nested deeper than %d, or had too "
			"many different stacks",
			(unsigned long long)(calls->deep + calls->full), TRACE_DEPTH);
	return calls->total ? PERUN_OK : fail_empty(ctx, job, run);
}

int profile_make(const struct trace_collector *collector, struct perun_ctx *ctx,
		 const struct perun_collect_job *job, const struct trace_run *run,
		 struct perun_builder *builder)
{
	const struct calls *calls = &run->calls;
	struct emit_options options = {.functions = collector->functions,
				       .sampled = collector->sampled,
				       .second = run->second,
				       .duration = run->duration,
				       .folder = job->built_in};
	bool chosen = collector->every > 1 || collector->sampled[0] || calls->sizes;
	int status = check_calls(ctx, job, run);

	if (status)
		return status;
	options.grouped = collector->limit == 0 || (!chosen && calls->record_count < calls->total);
	if (options.grouped && collector->limit)
		perun_note(ctx,
			   "%llu calls, more than %lld: they are added up by stack (--limit, "
			   "--global-sampling)",
			   (unsigned long long)calls->total, (long long)collector->limit);
	describe(job, run, &options, builder);
	emit_calls(ctx, &options, calls, builder);
	return PERUN_OK;
}
