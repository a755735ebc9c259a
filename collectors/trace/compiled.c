/* SPDX-License-Identifier: BSD-3-Clause */
/* The engines whose calls our runtime in the program sees. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace.h"

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
	char *variable = perun_format(TRACE_VARIABLE "=%s", job->scratch);
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
		if (!status && !collector->limits.ignore_status)
			status = collectors_judge(ctx, &start, wait_status);
	}
	perun_free(variable);
	perun_free(error_path);
	return status;
}

int compiled_run(const struct trace_collector *collector, struct perun_ctx *ctx,
		 const struct perun_collect_job *job, struct trace_run *run)
{
	struct trace_session content = {.magic = TRACE_MAGIC,
					.limit = (uint64_t)collector->limit,
					.every = (uint64_t)collector->every};
	struct trace_session *session = NULL;
	struct collectors_ticks ticks;
	int status;

	collectors_ticks_start(&ticks);
	content.base = ticks.ticks;
	content.use_counter = ticks.counter;
	status = make_session(ctx, job->scratch, &content, &session);
	if (!status)
		status = run_program(collector, ctx, job, session);
	if (!status) {
		run->second = ticks.second;
		run->duration = collectors_clock(ticks.counter) - ticks.ticks;
		run->pair = (double)session->pair * 1e9 / ticks.second;
		run->inner = (double)session->inner * 1e9 / ticks.second;
		run->lost_threads = session->lost;
		status = calls_read(ctx, job->scratch, session->base, &run->calls);
	}
	if (session)
		munmap(session, sizeof *session);
	return status;
}
