/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perun-start: become a program that is measured, from a process that is small.
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
#include <unistd.h>

#include "collectors/common/clock.h"
#include "collectors/common/end-with.h"
#include "collectors/common/start/start.h"

struct start {
	int report, gate;
	pid_t parent;
	char **program, **environment;
};

static bool report(int file, enum start_subject subject, int32_t number, uint64_t time)
{
	struct start_report said;

	memset(&said, 0, sizeof said);
	said.subject = subject;
	said.number = number;
	said.time = time;
	return write(file, &said, sizeof said) == sizeof said;
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

static int become(void *argument)
{
	const struct start *start = argument;
	char go;

	if (collectors_end_with(start->parent)) {
		while (read(start->gate, &go, 1) < 0 && errno == EINTR)
			;
		if (report(start->report, START_RUNS, 0, collectors_clock(0)))
			execvpe(start->program[0], start->program, start->environment);
	}
	report(start->report, START_FAILED, errno, 0);
	_exit(127);
}

int main(int argc, char **argv)
{
	static char stack[64 << 10] __attribute__((aligned(16)));
	struct start start = {.parent = getppid()};
	size_t added;
	pid_t child;

	if (argc < 6 || (added = strtoul(argv[4], NULL, 10)) >= (size_t)argc - 5) {
		fputs("perun-start: it starts what Perun measures, and is not for you\n", stderr);
		return 2;
	}
	start.report = atoi(argv[1]);
	start.gate = atoi(argv[2]);
	start.program = argv + 5 + added;
	start.environment = make_environment(argv[3], argv + 5, added);
	fcntl(start.report, F_SETFD, FD_CLOEXEC);
	fcntl(start.gate, F_SETFD, FD_CLOEXEC);
	child = start.environment
			? clone(become, stack + sizeof stack, CLONE_PARENT | SIGCHLD, &start)
			: -1;
	if (child < 0)
		report(start.report, START_FAILED, errno, 0);
	else
		report(start.report, START_MADE, child, 0);
	/* What the program prints is not ours to flush. */
	_exit(0);
}
