/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cputime RUNS COMMAND...: the medians of the processor time of command lines (split at blanks), run alternately, in
 * microseconds. A first word NAME=VALUE is put into the environment of the command.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { WORDS = 64 };

extern char **environ;

static double microseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

/* The environment of this program, with `more` unless it is NULL; the caller frees the array. */
static char **environment_with(char *more)
{
	size_t count = 0;
	char **all;

	while (environ[count])
		count++;
	all = calloc(count + 2, sizeof *all);
	if (!all)
		exit(1);
	memcpy(all, environ, count * sizeof *all);
	all[count] = more;
	return all;
}

static double run(char *const *words)
{
	bool has_setting = strchr(words[0], '=') != NULL;
	char **environment = environment_with(has_setting ? words[0] : NULL);
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	int status;
	pid_t child;

	words += has_setting;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&child, words[0], &actions, NULL, words, environment) != 0 ||
	    wait4(child, &status, 0, &usage) != child || status != 0) {
		fprintf(stderr, "cputime: %s failed\n", words[0]);
		exit(1);
	}
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

static int compare(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[1]) : 0, count = argc - 2;
	char *(*words)[WORDS] = runs > 0 ? calloc((size_t)count, sizeof *words) : NULL;
	double *times = words ? calloc((size_t)count * (size_t)runs, sizeof *times) : NULL;

	if (!times)
		return 2;
	for (int i = 0; i < count; i++) {
		int n = 0;

		for (char *word = strtok(argv[i + 2], " "); word && n < WORDS - 1;
		     word = strtok(NULL, " "))
			words[i][n++] = word;
	}
	for (int round = 0; round < runs; round++) {
		for (int i = 0; i < count; i++)
			times[i * runs + round] = run(words[i]);
	}
	for (int i = 0; i < count; i++) {
		qsort(times + i * runs, (size_t)runs, sizeof *times, compare);
		printf("%.0f\n", times[i * runs + runs / 2]);
	}
	free(times);
	free(words);
	return 0;
}
