/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark: Perun profiles read and written, beside a bare yajl pass over the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "bench/perun-files.h"
#include "perun/format.h"

/*
 * usage: bench/read-perun [MEGABYTES [ROUNDS]]      (or: bench/read-perun FILE...)
 *
 * Makes profiles of about 120 MB in the folder TMPDIR: rows as the memory collector gives them
 * (indented, and one to a line), long arrays, and the stored form with a type for each allocation.
 * Each measurement is a process of its own, so that its largest memory is its own; the processor's
 * time counts; medians. The file must be read in at most four times the time of yajl, with less memory
 * than the file takes. The plugin is found on PERUN_PLUGIN_PATH.
 */

enum { MAX_ROUNDS = 99 };

struct measure {
	double seconds;
	long kilobytes;
};

static int run_yajl(const char *path)
{
	static const yajl_callbacks nothing;
	static unsigned char block[65536];
	yajl_handle handle = yajl_alloc(&nothing, NULL, NULL);
	FILE *file = fopen(path, "r");
	yajl_status status = yajl_status_ok;
	size_t got;

	while (file && status == yajl_status_ok && (got = fread(block, 1, sizeof block, file)))
		status = yajl_parse(handle, block, got);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(handle);
	yajl_free(handle);
	return !file || fclose(file) != 0 || status != yajl_status_ok;
}

static int read_profile(struct perun_ctx *ctx, const char *path, struct perun_profile **profile)
{
	struct perun_input *input;
	int status = perun_input_open(ctx, path, &input);

	if (!status) {
		status = perun_read_profile(ctx, input, "perun", NULL, profile, NULL);
		perun_input_close(input);
	}
	if (status)
		fprintf(stderr, "%s\n", perun_ctx_error(ctx));
	return status;
}

static int run_read(const char *path)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile;
	int status = read_profile(ctx, path, &profile);

	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return status;
}

static int drop(void *data, const void *bytes, size_t size)
{
	(void)data, (void)bytes, (void)size;
	return 0;
}

/* What `add` does with a profile, compression and checksum apart. */
static int run_store(const char *path)
{
	static const char *const options[] = {"stored=yes", NULL};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_output *output = perun_output_to_sink(drop, NULL);
	struct perun_profile *profile;
	int status = read_profile(ctx, path, &profile);

	if (!status)
		status = perun_write_profile(ctx, profile, "perun", options, output);
	perun_output_close(output);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return status;
}

static struct measure measure_once(int (*run)(const char *path), const char *path)
{
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(run(path));
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
		fprintf(stderr, "bench/read-perun: %s failed\n", path);
		exit(1);
	}
	return (struct measure){(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
					(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) /
						1e6,
				usage.ru_maxrss};
}

static int compare(const void *a, const void *b)
{
	const struct measure *x = a, *y = b;

	return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* Alternating, so that a slow moment of the machine touches all alike. */
static void measure_file(const char *name, const char *path, int rounds)
{
	static int (*const runs[])(const char *) = {run_yajl, run_read, run_store};
	struct measure all[3][MAX_ROUNDS], yajl, read, store;
	struct stat info;
	double size;

	if (stat(path, &info) != 0)
		return;
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 3; k++)
			all[k][i] = measure_once(runs[k], path);
	}
	for (int k = 0; k < 3; k++)
		qsort(all[k], (size_t)rounds, sizeof **all, compare);
	yajl = all[0][rounds / 2];
	read = all[1][rounds / 2];
	store = all[2][rounds / 2];
	size = (double)info.st_size;
	printf("%-8s %6.1f %8.3f %8.3f %7.2f %8.3f %7.2f %7.1f %6.2f\n", name, size / 1e6,
	       yajl.seconds, read.seconds, read.seconds / yajl.seconds, store.seconds,
	       store.seconds / yajl.seconds, (double)read.kilobytes * 1024 / 1e6,
	       (double)read.kilobytes * 1024 / size);
	fflush(stdout);
}

static void write_rows(FILE *file, long size)
{
	bench_write_rows(file, size, false);
}

static void write_compact(FILE *file, long size)
{
	bench_write_rows(file, size, true);
}

static void measure_shape(const char *name, void (*write)(FILE *file, long size), long size,
			  int rounds)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/perun-bench-%ld.perf", folder ? folder : "/tmp",
		 (long)getpid());
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	write(file, size);
	fclose(file);
	measure_file(name, path, rounds);
	unlink(path);
}

int main(int argc, char **argv)
{
	long size = (argc > 1 ? strtol(argv[1], NULL, 10) : 120) * 1000000;
	int rounds = argc > 2 ? atoi(argv[2]) : 5;

	printf("%-8s %6s %8s %8s %7s %8s %7s %7s %6s\n", "shape", "MB", "yajl s", "read s", "/yajl",
	       "+write", "/yajl", "peak MB", "/file");
	if (argc > 1 && size == 0) {
		for (int i = 1; i < argc; i++)
			measure_file("file", argv[i], 5);
		return 0;
	}
	if (rounds < 1 || rounds > MAX_ROUNDS)
		rounds = 5;
	measure_shape("rows", write_rows, size, rounds);
	measure_shape("compact", write_compact, size, rounds);
	measure_shape("arrays", bench_write_columns, size, rounds);
	measure_shape("types", bench_write_types, size, rounds);
	return 0;
}
