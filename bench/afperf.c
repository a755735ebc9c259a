/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark: an AFPerf file read into columns and reduced, beside wc and cut on the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perun/format.h"

/*
 * usage: bench/afperf FILE [ROUNDS]
 *
 * Each measurement is a process of its own, whose processor time and largest memory count; medians of
 * rounds taken in turn. Goals: reading at 0.35 of the speed of `wc -l` and `cut -d, -f1` (times added),
 * in 0.8 of the file's size; reducing in 1.2 of the time of reading.
 */

enum { WC, CUT, READ, REDUCE, KINDS, MAX_ROUNDS = 99 };

struct measure {
	double seconds;
	long kilobytes;
};

static int read_profile(const char *path)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;
	int status = perun_read_profile_file(ctx, path, &profile);

	if (status)
		fprintf(stderr, "%s\n", perun_ctx_error(ctx));
	else
		fprintf(stderr, "%zu rows\n", perun_table_rows(perun_resources(profile)));
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return status;
}

static void run(int kind, const char *path, const char *perun)
{
	if (kind != READ && !freopen("/dev/null", "w", stdout))
		_exit(1);
	if (kind == WC)
		execlp("wc", "wc", "-l", path, (char *)NULL);
	else if (kind == CUT)
		execlp("cut", "cut", "-d,", "-f1", path, (char *)NULL);
	else if (kind == REDUCE)
		execl(perun, perun, "afperf", "reduce", "--json", path, (char *)NULL);
	else
		_exit(read_profile(path));
	_exit(127);
}

static struct measure measure(int kind, const char *path, const char *perun)
{
	struct measure measure = {0};
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child == 0)
		run(kind, path, perun);
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
		exit(1);
	measure.seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	measure.kilobytes = usage.ru_maxrss;
	return measure;
}

static int compare(const void *one, const void *other)
{
	const double *a = one, *b = other;

	return (*a > *b) - (*a < *b);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, compare);
	return values[count / 2];
}

static bool row(const char *what, double value, double goal, bool least)
{
	bool met = least ? value >= goal : value <= goal;

	printf("%-34s %8.3f  goal %.2f  %s\n", what, value, goal, met ? "met" : "MISSED");
	return met;
}

int main(int argc, char **argv)
{
	static double seconds[KINDS][MAX_ROUNDS];
	const char *perun = getenv("PERUN") ? getenv("PERUN") : "./perun";
	int rounds = argc > 2 ? atoi(argv[2]) : 3;
	long kilobytes = 0;
	struct stat file;
	double both, reading;
	bool met;

	if (argc < 2 || stat(argv[1], &file) != 0 || rounds < 1 || rounds > MAX_ROUNDS)
		return 2;
	for (int i = 0; i < rounds; i++) {
		for (int kind = 0; kind < KINDS; kind++) {
			struct measure one = measure(kind, argv[1], perun);

			seconds[kind][i] = one.seconds;
			if (kind == READ && one.kilobytes > kilobytes)
				kilobytes = one.kilobytes;
		}
	}
	both = median(seconds[WC], rounds) + median(seconds[CUT], rounds);
	reading = median(seconds[READ], rounds);
	printf("wc and cut %.3f s, read %.3f s, %ld kB for a file of %lld\n", both, reading,
	       kilobytes, (long long)file.st_size / 1000);
	met = row("speed of reading to wc and cut", both / reading, 0.35, true);
	met &= row("memory to size of the file", (double)kilobytes * 1024 / (double)file.st_size,
		   0.8, false);
	met &= row("time of reduce to reading", median(seconds[REDUCE], rounds) / reading, 1.2,
		   false);
	return !met;
}
