/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of processes by perf_event_open(2). */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collectors/common/rings.h"
#include "perf.h"

#define PAGES 128  /* of a ring; what the kernel lets a user lock on each processor */
#define DUMP  8192 /* bytes of the stack */

#if defined(__x86_64__)
#define REGISTERS ((1u << 6) | (1u << 7) | (1u << 8)) /* bp, sp, ip */
#else
#define REGISTERS 0u
#endif

struct perf {
	struct perf_options options;
	struct perf_event_attr samples, waits;
	struct rings *rings;
	bool wait_stacks; /* they are permitted */
	bool opened;      /* some event was */
};

/* ---- opening ------------------------------------------------------------------------------------ */

static struct perf_event_attr sample_attributes(const struct perf_options *options, bool attach)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attributes,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = options->period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = !options->kernel,
		.exclude_callchain_kernel = !options->kernel,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.enable_on_exec = !attach,
		.context_switch = options->waits,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	if (options->dump) {
		attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attributes.sample_regs_user = REGISTERS;
		attributes.sample_stack_user = DUMP;
	}
	return attributes;
}

/*
 * Each time a thread leaves its processor. This happens in the kernel, so that it needs the right to look into
 * it even where only the program's own part of the stack is wanted.
 */
static struct perf_event_attr wait_attributes(const struct perf_event_attr *samples)
{
	struct perf_event_attr attributes = *samples;

	attributes.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	attributes.sample_period = 1;
	attributes.exclude_kernel = 0;
	attributes.context_switch = 0;
	attributes.mmap = attributes.mmap2 = attributes.comm = attributes.comm_exec = 0;
	attributes.task = 0;
	return attributes;
}

static int fail_open(struct perun_ctx *ctx, pid_t pid, int error)
{
	if (error == EACCES || error == EPERM)
		return perun_fail(
			ctx, PERUN_MISSING,
			"the kernel does not let this user sample process %d "
			"(kernel.perf_event_paranoid is %ld): this needs the capability "
			"CAP_PERFMON, or as root: sysctl kernel.perf_event_paranoid=2, and the "
			"same user as the process; containers may forbid it altogether",
			(int)pid, rings_paranoia());
	if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP)
		return perun_fail_errno(ctx, PERUN_MISSING, error,
					"this kernel has no sampling by perf_event_open");
	if (error == ESRCH)
		return perun_fail(ctx, PERUN_INPUT, "there is no process %d", (int)pid);
	return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot sample process %d", (int)pid);
}

/* One thread on one processor. */
static int add_event(struct perun_ctx *ctx, struct perf *perf,
		     const struct perf_event_attr *attributes, pid_t thread, int processor)
{
	if (rings_open(perf->rings, attributes, thread, processor) >= 0) {
		perf->opened = true;
		return PERUN_OK;
	}
	/* Processors that are off; threads that ended in this moment. */
	if (errno == ENODEV || (errno == ESRCH && perf->opened))
		return PERUN_OK;
	return fail_open(ctx, thread, errno);
}

static int add_thread(struct perun_ctx *ctx, struct perf *perf, pid_t thread)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < rings_count(perf->rings) && !status; i++) {
		status = add_event(ctx, perf, &perf->samples, thread, (int)i);
		if (!status && perf_has_waits(perf))
			status = add_event(ctx, perf, &perf->waits, thread, (int)i);
	}
	return status;
}

static int add_process(struct perun_ctx *ctx, struct perf *perf, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	int status = PERUN_OK;
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return fail_open(ctx, pid, ESRCH);
	while (!status && (entry = readdir(folder))) {
		pid_t thread = (pid_t)atoi(entry->d_name);

		if (thread > 0)
			status = add_thread(ctx, perf, thread);
	}
	closedir(folder);
	if (!status)
		rings_enable(perf->rings);
	return status;
}

static bool is_forbidden(struct perf_event_attr *attributes, pid_t thread)
{
	int event =
		(int)syscall(SYS_perf_event_open, attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return errno == EACCES || errno == EPERM;
	close(event);
	return false;
}

int perf_open(struct perun_ctx *ctx, const struct perf_options *options, pid_t pid, bool attach,
	      struct perf **result)
{
	struct perf *perf = perun_alloc_zero(1, sizeof *perf);
	const struct rings_layout layout = {.pages = PAGES, .sample_time = 24, .other_time = 8};

	*result = perf;
	perf->options = *options;
	perf->options.dump = options->dump && REGISTERS;
	perf->rings = rings_new(&layout);
	perf->samples = sample_attributes(&perf->options, attach);
	/* Users without privileges get what their own programs do, without the kernel. */
	if (options->kernel && is_forbidden(&perf->samples, pid)) {
		perf->options.kernel = false;
		perf->samples = sample_attributes(&perf->options, attach);
	}
	perf->waits = wait_attributes(&perf->samples);
	perf->wait_stacks = options->waits && !is_forbidden(&perf->waits, pid);
	return attach ? add_process(ctx, perf, pid) : add_thread(ctx, perf, pid);
}

void perf_close(struct perf *perf)
{
	if (!perf)
		return;
	rings_free(perf->rings);
	perun_free(perf);
}

bool perf_has_kernel(const struct perf *perf)
{
	return perf->options.kernel;
}

bool perf_has_waits(const struct perf *perf)
{
	return perf->wait_stacks;
}

/* ---- events ------------------------------------------------------------------------------------- */

/* A part of a record: `size` bytes at `*at`; false when they are not there. */
static bool take(const struct perf_event_header *header, size_t *at, uint64_t size)
{
	if (size > header->size - *at)
		return false;
	*at += (size_t)size;
	return true;
}

static bool read_stack(const char *record, const struct perf_event_header *header, size_t at,
		       struct perf_event *event)
{
	uint64_t size, used;

	/* Kernel threads have no registers of a user. */
	if (header->size - at < 8 || rings_word(record, at) == 0)
		return true;
	if (header->size - at < 40)
		return false;
	event->bp = rings_word(record, at + 8);
	event->sp = rings_word(record, at + 16);
	event->pc = rings_word(record, at + 24);
	size = rings_word(record, at + 32);
	at += 40;
	event->stack = record + at;
	if (size == 0)
		return true;
	if (size > header->size - at || header->size - at - size < 8)
		return false;
	used = rings_word(record, at + (size_t)size);
	event->stack_size = used < size ? used : size;
	event->has_stack = true;
	return true;
}

static bool read_sample(const struct perf *perf, const char *record,
			const struct perf_event_header *header, struct perf_event *event)
{
	size_t at = 48;

	if (header->size < 48)
		return false;
	event->kind = PERF_SAMPLE;
	event->ip = rings_word(record, 8);
	memcpy(&event->pid, record + 16, 4);
	memcpy(&event->thread, record + 20, 4);
	event->period = rings_word(record, 32);
	/* Of the clock it is thousands of nanoseconds. */
	if (event->period == 1)
		event->kind = PERF_WAIT;
	event->chain_count = rings_word(record, 40);
	event->chain = (const uint64_t *)(const void *)(record + at);
	if (event->chain_count > header->size / 8 || !take(header, &at, event->chain_count * 8))
		return false;
	return !perf->options.dump || read_stack(record, header, at, event);
}

static bool read_record(const struct perf *perf, const char *record,
			const struct perf_event_header *header, struct perf_event *event)
{
	if (header->type == PERF_RECORD_SAMPLE)
		return read_sample(perf, record, header, event);
	if (header->size < 24)
		return false;
	memcpy(&event->pid, record + 8, 4);
	memcpy(&event->thread, record + 12, 4);
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		event->kind = PERF_MAP;
		event->start = rings_word(record, 16);
		event->length = rings_word(record, 24);
		event->offset = rings_word(record, 32);
		event->name = record + 72;
		return header->size > 80 && memchr(record + 72, '\0', header->size - 72u);
	case PERF_RECORD_COMM:
		event->kind = header->misc & PERF_RECORD_MISC_COMM_EXEC ? PERF_EXEC : PERF_NAME;
		event->name = record + 16;
		return memchr(record + 16, '\0', header->size - 16u);
	case PERF_RECORD_FORK:
		event->kind = PERF_FORK;
		memcpy(&event->parent, record + 12, 4);
		memcpy(&event->thread, record + 16, 4);
		return true;
	case PERF_RECORD_EXIT:
		event->kind = PERF_END;
		memcpy(&event->thread, record + 16, 4);
		return true;
	case PERF_RECORD_SWITCH:
		event->kind = header->misc & PERF_RECORD_MISC_SWITCH_OUT ? PERF_LEFT : PERF_BACK;
		return true;
	case PERF_RECORD_LOST:
		event->kind = PERF_LOST;
		event->lost = rings_word(record, 16);
		return true;
	default:
		return false;
	}
}

struct draining {
	const struct perf *perf;
	perf_handler *handler;
	void *data;
};

static void hand_over(void *data, uint64_t time, const struct perf_event_header *header,
		      const char *record)
{
	const struct draining *draining = data;
	struct perf_event event = {.time = time};

	if (read_record(draining->perf, record, header, &event))
		draining->handler(draining->data, &event);
}

void perf_drain(struct perf *perf, bool all, perf_handler *handler, void *data)
{
	struct draining draining = {perf, handler, data};

	rings_drain(perf->rings, all, hand_over, &draining);
}
