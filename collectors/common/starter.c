/* SPDX-License-Identifier: BSD-3-Clause */
/* perun-start as a process, which makes the children that are measured. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/common/library.h"
#include "collectors/common/starter.h"

/* What is handled gets its default again, as in the program; what is ignored stays so. */
static void forget_handlers(void)
{
	struct sigaction action;

	for (int number = 1; number < NSIG; number++) {
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
		    action.sa_handler != SIG_DFL)
			signal(number, SIG_DFL);
	}
}

/*
 * The process, with its end of the socket open. The parent sleeps until it runs; `*reason` is why it does not (errno),
 * 0 = it does. No signal is handled in the child: it would be in the parent's memory.
 */
__attribute__((noinline)) static pid_t run(char **arguments, int socket, volatile int *reason)
{
	sigset_t all, before;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child = vfork();
	if (child == 0) {
		if (fcntl(socket, F_SETFD, 0) == 0) {
			forget_handlers();
			sigprocmask(SIG_SETMASK, &before, NULL);
			execv(arguments[0], arguments);
		}
		*reason = errno;
		_exit(127);
	}
	if (child < 0)
		*reason = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

/* Numbers among the arguments, as texts. */
struct numbers {
	char socket[16], processor[16], count[24];
};

static const char *or_else(const char *path, const char *otherwise)
{
	return path ? path : otherwise;
}

/* perun-start's arguments: see start.h. The list is the caller's to free, not its texts. */
static char **make_arguments(const struct collectors_start *start, const char *program, int socket,
			     struct numbers *numbers)
{
	const struct perun_collect_job *job = start->job;
	const char *const *lists[] = {start->variables, job->environment};
	size_t count = 0, used = 0, words = 0;
	const char **arguments;

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && lists[l][i]; i++)
			count++;
	while (job->argv[words])
		words++;
	snprintf(numbers->socket, sizeof numbers->socket, "%d", socket);
	snprintf(numbers->processor, sizeof numbers->processor, "%d",
		 start->processor ? *start->processor : -1);
	snprintf(numbers->count, sizeof numbers->count, "%zu", count);
	arguments = perun_alloc_zero(10 + count + words, sizeof *arguments);
	arguments[used++] = program;
	arguments[used++] = numbers->socket;
	arguments[used++] = or_else(start->input_path, or_else(job->input, "/dev/null"));
	arguments[used++] = or_else(start->output_path, "/dev/null");
	arguments[used++] = start->error_path;
	arguments[used++] = or_else(job->directory, "");
	arguments[used++] = numbers->processor;
	arguments[used++] = or_else(start->preload, "");
	arguments[used++] = numbers->count;
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && lists[l][i]; i++)
			arguments[used++] = lists[l][i];
	memcpy(arguments + used, job->argv, words * sizeof *arguments);
	return (char **)arguments;
}

int collectors_open_starter(struct perun_ctx *ctx, const struct collectors_start *start,
			    struct collectors_starter *starter)
{
	struct numbers numbers;
	volatile int reason = 0;
	char *program, **arguments;
	int ends[2], status;

	*starter = (struct collectors_starter){0};
	status = collectors_find_library(ctx, "perun-start", "PERUN_START_PROGRAM", &program);
	if (!status && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pair of sockets");
	if (!status) {
		arguments = make_arguments(start, program, ends[1], &numbers);
		starter->socket = ends[0];
		starter->pid = run(arguments, ends[1], &reason);
		perun_free(arguments);
		close(ends[1]);
	}
	if (!status && reason) {
		status = perun_fail_errno(ctx, PERUN_MISSING, reason, "cannot run %s", program);
		collectors_close_starter(starter);
	}
	perun_free(program);
	return status;
}

void collectors_close_starter(struct collectors_starter *starter)
{
	if (starter->pid == 0)
		return;
	close(starter->socket);
	while (starter->pid > 0 && waitpid(starter->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*starter = (struct collectors_starter){0};
}

bool starter_hear(const struct collectors_starter *starter, struct start_report *report)
{
	ssize_t length;

	while ((length = recv(starter->socket, report, sizeof *report, 0)) < 0 && errno == EINTR)
		;
	return length == sizeof *report;
}

bool starter_ask(const struct collectors_starter *starter, char request,
		 struct start_report *report)
{
	ssize_t length;

	while ((length = send(starter->socket, &request, 1, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return length == 1 && starter_hear(starter, report);
}
