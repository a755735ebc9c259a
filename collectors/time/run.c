/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of the measured program: start it, wait for it, take the time and its resource usage. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

/* Nanoseconds; integers, so that a difference has no digits that were not measured. */
static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The environment with the additions: an array to free; its texts are borrowed. */
static char **environment_with(const char *const *additions)
{
	size_t count = 0, added = 0;
	char **environment;

	while (environ[count])
		count++;
	while (additions && additions[added])
		added++;
	environment = perun_alloc_zero(count + added + 1, sizeof *environment);
	/* The first of two equal names wins in getenv(). */
	for (size_t i = 0; i < added; i++)
		environment[i] = (char *)additions[i];
	memcpy(environment + added, environ, count * sizeof *environment);
	return environment;
}

/* In the child, between fork and exec: only calls that are safe there. Tells errno by the pipe. */
static void become_program(const struct run_setup *setup, char **environment, int gate, int report)
{
	int input = open(setup->input_path ? setup->input_path : "/dev/null", O_RDONLY);
	int output = open("/dev/null", O_WRONLY);
	int error = open(setup->error_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	cpu_set_t set;
	char go;
	int reason;

	if (setup->processor >= 0) {
		CPU_ZERO(&set);
		CPU_SET(setup->processor, &set);
		sched_setaffinity(0, sizeof set, &set);
	}
	if (input >= 0 && output >= 0 && error >= 0 && dup2(input, 0) >= 0 &&
	    dup2(output, 1) >= 0 && dup2(error, 2) >= 0 &&
	    (!setup->directory || chdir(setup->directory) == 0)) {
		signal(SIGPIPE, SIG_DFL);
		while (read(gate, &go, 1) < 0 && errno == EINTR)
			;
		execvpe(setup->argv[0], setup->argv, environment);
	}
	reason = errno;
	if (write(report, &reason, sizeof reason) < 0)
		_exit(126);
	_exit(127);
}

/*
 * Wait until the child ends. Polls a process descriptor, so that a time limit and an interruption
 * of the user are noticed; `*end` is taken at once.
 */
static int wait_for(struct perun_ctx *ctx, pid_t child, int64_t start, double timeout, int64_t *end)
{
	int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
	siginfo_t info;
	int status = PERUN_OK;

	while (!status && descriptor >= 0) {
		int ready = poll(&wanted, 1, 50);

		*end = now();
		if (ready > 0)
			break;
		if (perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		else if (timeout > 0 && (double)(*end - start) > timeout * 1e9)
			status = perun_fail(ctx, PERUN_INPUT,
					    "it did not end within %g seconds and was killed",
					    timeout);
	}
	if (descriptor >= 0)
		close(descriptor);
	if (status)
		kill(child, SIGKILL);
	else if (descriptor < 0) {
		while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
			if (perun_cancelled(ctx))
				kill(child, SIGKILL);
		*end = now();
	}
	return status;
}

/* The parent's side: let the child go, measure it, reap it. */
static int measure(struct perun_ctx *ctx, const struct run_setup *setup, pid_t child, int gate,
		   int report, struct run_result *result)
{
	struct counters counters;
	int64_t start, end = 0;
	int reason = 0, status;

	if (setup->counters)
		counters_attach(&counters, child);
	start = now();
	close(gate);
	status = wait_for(ctx, child, start, setup->timeout, &end);
	result->real = (double)(end - start) / 1e9;
	while (wait4(child, &result->wait_status, 0, &result->usage) < 0 && errno == EINTR)
		;
	if (setup->counters)
		counters_read(&counters, &result->counters);
	if (!status && read(report, &reason, sizeof reason) == sizeof reason)
		status = perun_fail_errno(ctx, PERUN_MISSING, reason, "cannot run %s",
					  setup->argv[0]);
	return status;
}

int run_once(struct perun_ctx *ctx, const struct run_setup *setup, struct run_result *result)
{
	int gate[2], report[2], status;
	char **environment;
	pid_t child;

	*result = (struct run_result){0};
	if (pipe2(gate, O_CLOEXEC) < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC) < 0) {
		close(gate[0]);
		close(gate[1]);
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	}
	environment = environment_with(setup->environment);
	child = fork();
	if (child == 0) {
		close(gate[1]);
		close(report[0]);
		become_program(setup, environment, gate[0], report[1]);
	}
	close(gate[0]);
	close(report[1]);
	if (child < 0) {
		close(gate[1]);
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a process");
	} else {
		status = measure(ctx, setup, child, gate[1], report[0], result);
	}
	close(report[0]);
	perun_free(environment);
	return status;
}

char *run_describe_end(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return perun_format("was killed by signal %d (%s)", WTERMSIG(wait_status),
				    strsignal(WTERMSIG(wait_status)));
	return perun_format("exited with %d", WEXITSTATUS(wait_status));
}
