/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perun-start: make programs that are measured, from a process that is small.
 *
 * What a process needed before exec(2) counts as its own: Linux keeps the largest resident size, and that of a child of
 * Perun begins with all of Perun. A child of this program begins with next to nothing, and is a child of Perun all the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collectors/common/clock.h"
#include "collectors/common/end-with.h"
#include "collectors/common/start/start.h"

struct start {
	int socket, processor;
	pid_t parent;
	const char *input, *output, *error, *folder;
	char **program, **environment;
	sigset_t mask; /* what Perun has blocked */
	char *stack;   /* the end of the child's */
	bool held;
	/* The child shares this memory, and this process sleeps until it is the program or gone. */
	volatile int reason; /* 0 = it is the program */
	volatile uint64_t time;
	volatile int32_t switches;
};

static bool report(int socket, enum start_subject subject, pid_t process, int reason,
		   int32_t switches, uint64_t time)
{
	struct start_report said;

	memset(&said, 0, sizeof said);
	said.subject = subject;
	said.process = process;
	said.reason = reason;
	said.switches = switches;
	said.time = time;
	return write(socket, &said, sizeof said) == sizeof said;
}

static char next_request(int socket)
{
	char request;
	ssize_t length;

	while ((length = read(socket, &request, 1)) < 0 && errno == EINTR)
		;
	return length == 1 ? request : 0;
}

/* Whether one of the variables is that of "NAME=VALUE". */
static bool is_set(char *const *variables, size_t count, const char *variable)
{
	size_t length = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < count; i++)
		if (strncmp(variables[i], variable, length) == 0)
			return true;
	return false;
}

/* "LD_PRELOAD=..." with one library more. NULL = no memory. */
static char *with_preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char *text =
		malloc(sizeof "LD_PRELOAD=:" + strlen(library) + (before ? strlen(before) : 0));

	if (text)
		stpcpy(stpcpy(text, "LD_PRELOAD="), library);
	if (text && before && *before)
		strcat(strcat(text, ":"), before);
	return text;
}

/* This process's environment with additions. NULL = no memory; nothing is ever freed here. */
static char **make_environment(const char *preload, char *const *variables, size_t added)
{
	size_t count = 0, used = 0;
	char **environment;

	while (environ[count])
		count++;
	environment = calloc(count + added + 2, sizeof *environment);
	if (!environment || (*preload && !(environment[used++] = with_preload(preload))))
		return NULL;
	for (size_t i = 0; i < added; i++)
		environment[used++] = variables[i];
	for (size_t i = 0; i < count; i++)
		if ((!*preload || strncmp(environ[i], "LD_PRELOAD=", 11) != 0) &&
		    !is_set(variables, added, environ[i]))
			environment[used++] = environ[i];
	return environment;
}

/* False with errno. */
static bool prepare(const struct start *start)
{
	int input = open(start->input, O_RDONLY | O_CLOEXEC);
	int output = open(start->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int error = open(start->error, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cpu_set_t set;

	if (start->processor >= 0) {
		CPU_ZERO(&set);
		CPU_SET(start->processor, &set);
		sched_setaffinity(0, sizeof set, &set);
	}
	return input >= 0 && output >= 0 && error >= 0 && dup2(input, 0) >= 0 &&
	       dup2(output, 1) >= 0 && dup2(error, 2) >= 0 &&
	       (!*start->folder || chdir(start->folder) == 0) &&
	       signal(SIGPIPE, SIG_DFL) != SIG_ERR;
}

static int32_t own_switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? (int32_t)usage.ru_nvcsw : 0;
}

static int become(void *argument)
{
	struct start *start = argument;

	/* Not what errno says by chance: it may be killed, or its parent be gone. */
	start->reason = ECHILD;
	if (collectors_end_with(start->parent)) {
		errno = 0;
		if (prepare(start) &&
		    (!start->held || (report(start->socket, START_MADE, getpid(), 0, 0, 0) &&
				      next_request(start->socket) == START_NOW))) {
			sigprocmask(SIG_SETMASK, &start->mask, NULL);
			start->reason = 0;
			start->switches = own_switches();
			start->time = collectors_clock(0);
			execvpe(start->program[0], start->program, start->environment);
		}
		start->reason = errno ? errno : ECHILD;
	}
	_exit(127);
}

static bool make_child(struct start *start)
{
	pid_t child =
		clone(become, start->stack, CLONE_PARENT | CLONE_VM | CLONE_VFORK | SIGCHLD, start);

	if (child < 0)
		start->reason = errno;
	return report(start->socket, start->reason ? START_FAILED : START_RUNS, child,
		      start->reason, start->switches, start->time);
}

/* Room for a child's stack: execvpe(3) copies the arguments onto it where the program is a script without a "#!". */
static char *make_stack(size_t arguments)
{
	size_t size = (64 << 10) + arguments * sizeof(char *);
	char *stack = malloc(size);

	return stack ? stack + size / 16 * 16 : NULL;
}

int main(int argc, char **argv)
{
	struct start start = {.parent = getppid()};
	size_t added;
	sigset_t all;
	char request;

	if (argc < 10 || (added = strtoul(argv[8], NULL, 10)) >= (size_t)argc - 9) {
		fputs("perun-start: it starts what Perun measures, and is not for you\n", stderr);
		return 2;
	}
	/* Ctrl-C is for the program and for Perun; nothing is handled here, so that the child may share this memory. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &start.mask);
	start.socket = atoi(argv[1]);
	start.input = argv[2];
	start.output = argv[3];
	start.error = argv[4];
	start.folder = argv[5];
	start.processor = atoi(argv[6]);
	start.environment = make_environment(argv[7], argv + 9, added);
	start.program = argv + 9 + added;
	start.stack = make_stack((size_t)argc);
	fcntl(start.socket, F_SETFD, FD_CLOEXEC);
	if (!start.environment || !start.stack) {
		report(start.socket, START_FAILED, -1, ENOMEM, 0, 0);
		_exit(1);
	}
	while ((request = next_request(start.socket))) {
		start.held = request == START_HELD;
		if (!make_child(&start))
			break;
	}
	/* What a program prints is not ours to flush. */
	_exit(0);
}
