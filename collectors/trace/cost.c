/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call costs that the kernel sees, measured with a function of our own. */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/common/clock.h"
#include "collectors/common/images.h"
#include "collectors/common/overhead.h"
#include "collectors/common/end-with.h"
#include "trace.h"
#include "uprobes.h"

#define ROUNDS 20
#define CALLS  100

static __attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("");
}

/* The least of some rounds: others use the processor, too. */
static uint64_t time_calls(void)
{
	uint64_t least = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = collectors_clock(0);

		for (int i = 0; i < CALLS; i++)
			nothing();
		start = collectors_clock(0) - start;
		least = start < least ? start : least;
	}
	return least;
}

/* In the child: the difference that tracing makes, once it may go. */
static void report_cost(int gate, int report)
{
	uint64_t plain = time_calls(), traced;
	char go;

	if (read(gate, &go, 1) != 1)
		_exit(1);
	traced = time_calls();
	traced = traced > plain ? traced - plain : 0;
	_exit(write(report, &traced, sizeof traced) == sizeof traced ? 0 : 1);
}

/* Our function as the only target; false if its file is not found. */
static bool aim(struct targets *targets)
{
	struct target target = {.kind = TARGET_FUNCTION, .size = -1};
	struct images *images = images_new();
	Dl_info info;

	*targets = (struct targets){0};
	if (dladdr((void *)(uintptr_t)nothing, &info) && info.dli_fname) {
		target.address = (uintptr_t)nothing - (uintptr_t)info.dli_fbase;
		target.offset =
			images_offset(images, images_find(images, info.dli_fname), target.address);
		target.name = perun_strdup("nothing");
		PERUN_GROW(targets->files, targets->file_count, targets->file_capacity);
		targets->files[targets->file_count++] = perun_strdup(info.dli_fname);
		PERUN_GROW(targets->items, targets->count, targets->capacity);
		targets->items[targets->count++] = target;
	}
	images_free(images);
	return targets->count && targets->items[0].offset != UINT64_MAX;
}

static int time_child(struct perun_ctx *ctx, const struct targets *targets, bool ebpf, pid_t child,
		      const int ends[2], uint64_t *cost)
{
	const struct uprobes_options options = {.pairing = {.every = 1}, .ebpf = ebpf};
	struct pollfd wanted = {.fd = ends[1], .events = POLLIN};
	struct uprobes *uprobes = NULL;
	struct calls calls;
	int status;

	calls_init(&calls);
	status = uprobes_open(ctx, &options, targets, child, &calls, &uprobes);
	if (!status && (write(ends[0], "", 1) != 1 || poll(&wanted, 1, 5000) <= 0 ||
			read(ends[1], cost, sizeof *cost) != sizeof *cost))
		status = PERUN_INPUT;
	uprobes_close(uprobes);
	calls_free(&calls);
	return status;
}

static int measure(struct perun_ctx *ctx, void *data, double *amount)
{
	int gate[2], report[2], status = PERUN_INPUT;
	struct targets targets;
	uint64_t cost = 0;
	pid_t parent = getpid(), child;

	if (pipe2(gate, O_CLOEXEC) != 0)
		return PERUN_INPUT;
	if (pipe2(report, O_CLOEXEC) == 0) {
		child = fork();
		if (child == 0) {
			if (!collectors_end_with(parent))
				_exit(127);
			report_cost(gate[0], report[1]);
		}
		if (aim(&targets) && child > 0)
			status = time_child(ctx, &targets, *(bool *)data, child,
					    (const int[2]){gate[1], report[0]}, &cost);
		if (child > 0) {
			kill(child, SIGKILL);
			while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
				;
		}
		targets_free(&targets);
		close(report[0]);
		close(report[1]);
	}
	close(gate[0]);
	close(gate[1]);
	*amount = (double)cost / CALLS;
	return status;
}

double kernel_cost(struct perun_ctx *ctx, enum trace_engine engine)
{
	bool ebpf = engine == ENGINE_EBPF;
	double amount;

	return collectors_overhead(ctx, ebpf ? "trace-ebpf" : "trace-uprobes", measure, &ebpf,
				   &amount)
		       ? amount
		       : 0;
}
