/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark: adding one large profile, beside a yajl pass over it and sha1sum and zlib -6 of its object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <yajl/yajl_parse.h>
#include <zlib.h>

#include "bench/perun-files.h"
#include "perun/store.h"

/*
 * usage: bench/add-large [MEGABYTES [ROUNDS]]
 *
 * In row form and in column form. Goal: at most 1.6 times the sum of the three, with less memory than
 * 1.6 times the file. Best of the rounds; every measurement is a process of its own. The plugin is found
 * on PERUN_PLUGIN_PATH; the files lie in TMPDIR.
 */

#define MINOR   "0123456789abcdef0123456789abcdef01234567"
#define PROFILE "large.perf"

struct measure {
	double wall, cpu;
	long kilobytes;
};

static char *object; /* the bytes of the object, header and all */
static size_t object_size;

static int run_add(void)
{
	static const struct perun_add_options keep = {
		.struct_size = sizeof keep, .force = true, .keep = true};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const char *path = PROFILE;
	struct perun_store *store;
	int status = perun_store_open(ctx, NULL, &store);

	if (!status)
		status = perun_store_add(ctx, store, MINOR, &path, 1, &keep, NULL);
	if (status)
		fprintf(stderr, "%s\n", perun_ctx_error(ctx));
	perun_store_close(store);
	perun_ctx_free(ctx);
	return status;
}

static int run_yajl(void)
{
	static const yajl_callbacks nothing;
	static unsigned char block[65536];
	yajl_handle handle = yajl_alloc(&nothing, NULL, NULL);
	FILE *file = fopen(PROFILE, "r");
	yajl_status status = yajl_status_ok;
	size_t got;

	while (file && status == yajl_status_ok && (got = fread(block, 1, sizeof block, file)))
		status = yajl_parse(handle, block, got);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(handle);
	return !file || fclose(file) != 0 || status != yajl_status_ok;
}

static int run_sha1(void)
{
	unsigned char digest[EVP_MAX_MD_SIZE];

	return !EVP_Digest(object, object_size, digest, NULL, EVP_sha1(), NULL);
}

static int run_zlib(void)
{
	uLongf size = compressBound(object_size);

	return compress2(malloc(size), &size, (const Bytef *)object, object_size, 6) != Z_OK;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static struct measure measure(int (*run)(void))
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (child == 0)
		_exit(run());
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
		exit(1);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (struct measure){
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
		seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss};
}

static void keep_best(struct measure *best, struct measure new)
{
	if (best->wall == 0 || new.wall < best->wall)
		best->wall = new.wall;
	if (best->cpu == 0 || new.cpu < best->cpu)
		best->cpu = new.cpu;
	if (best->kilobytes == 0 || new.kilobytes < best->kilobytes)
		best->kilobytes = new.kilobytes;
}

/* A new store without the object, so that it is written each time. */
static struct perun_store *new_store(struct perun_ctx *ctx)
{
	struct perun_store *store;

	if (system("rm -rf .perun") != 0 ||
	    perun_store_init(ctx, ".", "vcs:\n  type: git\n", &store))
		exit(1);
	return store;
}

static void load_object(struct perun_ctx *ctx, struct perun_store *store)
{
	struct perun_entries entries;
	size_t length;
	char *text;

	if (perun_store_entries(ctx, store, MINOR, &entries) || entries.count != 1 ||
	    perun_store_load_text(ctx, store, entries.items[0].checksum, &text, &length)) {
		fprintf(stderr, "%s\n", perun_ctx_error(ctx));
		exit(1);
	}
	object = perun_format("profile %s %zu", entries.items[0].type, length);
	object_size = strlen(object) + 1;
	object = perun_realloc(object, object_size + length);
	memcpy(object + object_size, text, length);
	object_size += length;
	perun_free(text);
	perun_entries_free(&entries);
}

static bool measure_shape(const char *name, void (*write)(FILE *file, long size), long size,
			  int rounds)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct measure add = {0}, yajl = {0}, sha1 = {0}, zlib = {0};
	FILE *file = fopen(PROFILE, "w");
	double sum, memory;
	struct stat info;

	if (!file)
		exit(1);
	write(file, size);
	fclose(file);
	stat(PROFILE, &info);
	/* Forked before anything large lies in memory: it would count for the child. */
	for (int i = 0; i < rounds; i++) {
		perun_store_close(new_store(ctx));
		keep_best(&add, measure(run_add));
		keep_best(&yajl, measure(run_yajl));
	}
	struct perun_store *store;
	if (perun_store_open(ctx, NULL, &store))
		exit(1);
	load_object(ctx, store);
	for (int i = 0; i < rounds; i++) {
		keep_best(&sha1, measure(run_sha1));
		keep_best(&zlib, measure(run_zlib));
	}
	sum = yajl.wall + sha1.wall + zlib.wall;
	memory = (double)add.kilobytes * 1024 / (double)info.st_size;
	printf("%-8s %6.1f %6.1f %7.3f %7.3f  %7.3f %7.3f %7.3f  %5.2f  %5.2f  %s\n", name,
	       (double)info.st_size / 1e6, (double)object_size / 1e6, add.wall, add.cpu, yajl.wall,
	       sha1.wall, zlib.wall, add.wall / sum, memory,
	       add.wall <= 1.6 * sum && memory <= 1.6 ? "met" : "MISSED");
	fflush(stdout);
	perun_free(object);
	perun_store_close(store);
	perun_ctx_free(ctx);
	return add.wall <= 1.6 * sum && memory <= 1.6;
}

static void write_rows(FILE *file, long size)
{
	bench_write_rows(file, size, false);
}

static void write_compact(FILE *file, long size)
{
	bench_write_rows(file, size, true);
}

int main(int argc, char **argv)
{
	long size = (argc > 1 ? strtol(argv[1], NULL, 10) : 50) * 1000000;
	int rounds = argc > 2 ? atoi(argv[2]) : 5;
	const char *place = getenv("TMPDIR");
	char *folder = perun_format("%s/perun-bench-XXXXXX", place ? place : "/tmp");
	bool good;

	setenv("PERUN_CONFIG_DIR", "/nonexistent", 1);
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return 1;
	printf("%-8s %6s %6s %7s %7s  %7s %7s %7s  %5s  %5s\n", "shape", "MB", "object", "add s",
	       "cpu s", "yajl s", "sha1 s", "zlib s", "/sum", "memory");
	good = measure_shape("rows", write_rows, size, rounds);
	good &= measure_shape("compact", write_compact, size, rounds);
	good &= measure_shape("arrays", bench_write_columns, size, rounds);
	good &= measure_shape("types", bench_write_types, size, rounds);
	if (chdir("/") != 0 || system(perun_format("rm -rf %s", folder)) != 0)
		return 1;
	perun_free(folder);
	return !good;
}
