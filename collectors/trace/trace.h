/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the collector `trace` share: the options, and what an engine brings of a run. */
#ifndef PERUN_TRACE_TRACE_H
#define PERUN_TRACE_TRACE_H

#include <perun/collect.h>

#include "calls.h"
#include "collectors/common/setup.h"
#include "narrow.h"

/* How calls are seen. */
enum trace_engine {
	ENGINE_AUTO,
	ENGINE_COMPILED,  /* the program calls our runtime */
	ENGINE_PATCHABLE, /* the compiler left room that our runtime fills */
	ENGINE_UPROBES,   /* breakpoints, reported by perf_event_open(2) */
	ENGINE_EBPF       /* breakpoints, reported by a program in the kernel */
};

/* When a function is no longer traced, because tracing it costs more than it is worth. */
struct trace_exclusion {
	uint64_t after; /* calls of it */
	uint64_t below; /* nanoseconds that a call takes in the mean; 0 = however long */
	uint64_t
		share; /* patchable: when tracing takes more of the time, in thousandths; 0 = any */
};

struct trace_collector {
	enum trace_engine engine;
	const char **functions, **sampled, **files, **flags;
	const char **binaries, **probes, **sizes;
	const char *target_folder, *compiler;
	char *former; /* options of the Python program that were given, and mean nothing */
	int64_t every, limit, most;
	struct trace_exclusion exclusion;
	bool budget; /* the share was asked for: it holds for engines of the kernel, too */
	struct narrowing narrowing;
	struct collectors_limits limits;
	char *library, *program; /* built by us */
	char **argv;             /* with it */
};

/* A traced run. */
struct trace_run {
	enum trace_engine engine;
	struct calls calls;
	double second;     /* ticks */
	uint64_t duration; /* ticks */
	double pair,
		inner; /* nanoseconds that an entry and an exit take, and those measured of it */
	uint64_t lost_threads, lost_events;
	struct narrowed narrowed;
};

/* ---- engines: run the program and fill in the run, whose calls are initialized ------------------ */

int compiled_run(const struct trace_collector *collector, struct perun_ctx *ctx,
		 const struct perun_collect_job *job, struct trace_run *run);
int kernel_run(const struct trace_collector *collector, struct perun_ctx *ctx,
	       const struct perun_collect_job *job, struct trace_run *run);

/* What the user wants of the program and the files that are named; to be freed also after a failure. */
int trace_find_targets(const struct trace_collector *collector, struct perun_ctx *ctx,
		       const struct perun_collect_job *job, struct targets *targets,
		       struct narrowed *narrowed);

/* The engine that fits the program and what is wanted; says so to the user. PERUN_MISSING with the reasons. */
/* Before its sources are built: which engine they are built for, where none is named. */
void engine_choose_for_sources(struct trace_collector *collector);
int engine_choose(struct perun_ctx *ctx, struct trace_collector *collector,
		  const struct perun_collect_job *job);
/* Nanoseconds that a call costs with an engine of the kernel, on this machine; 0 = not known. */
double kernel_cost(struct perun_ctx *ctx, enum trace_engine engine);
/* Whether a file may throw exceptions. */
bool engine_unwinds(const char *path);
/* Not a script, say. */
bool engine_is_program(const char *path);
const char *engine_name(enum trace_engine engine);

/* The profile of a run. */
int profile_make(const struct trace_collector *collector, struct perun_ctx *ctx,
		 const struct perun_collect_job *job, const struct trace_run *run,
		 struct perun_builder *builder);

#endif
