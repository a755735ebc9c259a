/* SPDX-License-Identifier: BSD-3-Clause */
/* The engines whose calls our runtime in the program sees: compiled and patchable. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "narrow.h"
#include "targets.h"
#include "trace.h"

#define MIN_SECONDS 0.0003 /* seconds that tracing may take in any case */

static int make_session(struct perun_ctx *ctx, const char *folder,
			const struct trace_session *content, struct trace_session **session)
{
	char *name = perun_format("%s/session", folder);
	int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status = PERUN_OK;
	void *memory = MAP_FAILED;

	if (file < 0 || ftruncate(file, sizeof *content) != 0 ||
	    (memory = mmap(NULL, sizeof *content, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) ==
		    MAP_FAILED)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", name);
	else
		*session = memory;
	if (!status)
		**session = *content;
	if (file >= 0)
		close(file);
	perun_free(name);
	return status;
}

static int run_program(const struct trace_collector *collector, struct perun_ctx *ctx,
		       const struct perun_collect_job *job, struct trace_session *session)
{
	char *error_path = perun_format("%s/stderr", job->scratch);
	char *variable = perun_format(TRACE_VARIABLE "=%s", job->quick);
	const struct collectors_start start = {.job = job,
					       .preload = collector->library,
					       .variables = (const char *const[]){variable, NULL},
					       .error_path = error_path};
	struct collectors_child child;
	int wait_status, status = collectors_start(ctx, &start, &child);

	if (!status) {
		status = collectors_wait(ctx, &collector->limits, &child);
		wait_status = collectors_finish(&child, NULL);
		atomic_store(&session->closed, 1);
		if (!status)
			status = collectors_judge_run(ctx, &collector->limits, &start, wait_status);
	}
	perun_free(variable);
	perun_free(error_path);
	return status;
}

/* ---- what is to be patched ---------------------------------------------------------------------- */

static int write_selected(struct perun_ctx *ctx, const char *folder, const struct targets *targets)
{
	char *name = perun_format("%s/selected", folder);
	int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status = PERUN_OK;
	struct trace_selected *items = perun_alloc_zero(targets->count, sizeof *items);
	size_t size = targets->count * sizeof *items;

	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->items[i];
		struct stat facts = {0};

		stat(targets->files[target->file], &facts);
		items[i] = (struct trace_selected){
			.device = facts.st_dev, .inode = facts.st_ino, .address = target->address};
		if (target->size >= 0) {
			const struct target_size *from = &targets->sizes[target->size];

			items[i].argument = from->argument;
			items[i].bytes = from->bytes;
			items[i].memory = from->memory;
			items[i].offset = from->offset;
		}
	}
	if (file < 0 || write(file, items, size) != (ssize_t)size)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", name);
	if (file >= 0)
		close(file);
	perun_free(items);
	perun_free(name);
	return status;
}

/* Without patterns all that can be is patched, and nothing needs names. */
static int select_functions(const struct trace_collector *collector, struct perun_ctx *ctx,
			    const struct perun_collect_job *job, struct trace_run *run)
{
	struct targets targets;
	int status;

	if (collector->engine != ENGINE_PATCHABLE ||
	    (!collector->functions[0] && !collector->sizes[0] &&
	     !narrowing_is_wanted(&collector->narrowing)))
		return PERUN_OK;
	status = trace_find_targets(collector, ctx, job, &targets, &run->narrowed);
	if (!status)
		status = write_selected(ctx, job->quick, &targets);
	targets_free(&targets);
	return status;
}

int compiled_run(const struct trace_collector *collector, struct perun_ctx *ctx,
		 const struct perun_collect_job *job, struct trace_run *run)
{
	struct trace_session content = {.magic = TRACE_MAGIC,
					.limit = (uint64_t)collector->limit,
					.every = (uint64_t)collector->every,
					.patch = collector->engine == ENGINE_PATCHABLE,
					.sized = collector->sizes[0] != NULL,
					.exclude_after = collector->exclusion.after,
					.exclude_share = collector->exclusion.share};
	struct trace_session *session = NULL;
	struct collectors_ticks ticks;
	int status;

	collectors_ticks_start(&ticks);
	content.base = ticks.ticks;
	content.use_counter = ticks.counter;
	content.second = (uint64_t)ticks.second;
	content.exclude_least = (uint64_t)(ticks.second * MIN_SECONDS);
	content.exclude_below = (uint64_t)((double)collector->exclusion.below * ticks.second / 1e9);
	status = select_functions(collector, ctx, job, run);
	if (!status)
		status = make_session(ctx, job->quick, &content, &session);
	if (!status)
		status = run_program(collector, ctx, job, session);
	if (!status) {
		run->second = ticks.second;
		run->duration = collectors_clock(ticks.counter) - ticks.ticks;
		run->pair = (double)session->pair * 1e9 / ticks.second;
		run->inner = (double)session->inner * 1e9 / ticks.second;
		run->lost_threads = session->lost;
		status = calls_read(ctx, job->quick, session->base, &run->calls);
	}
	if (session)
		munmap(session, sizeof *session);
	return status;
}
