/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats of directories: an experiment of two points, whose file is the input in both. */
#ifndef PERUN_TESTS_FUZZ_TWO_POINTS_H
#define PERUN_TESTS_FUZZ_TWO_POINTS_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perun/format.h"
#include "tests/fuzz/must.h"

static char place[4096];

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
	(void)info, (void)kind, (void)at;
	return remove(path);
}

static void clean(void)
{
	nftw(place, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_place(void)
{
	const char *base = getenv("TMPDIR");
	char path[4200];

	snprintf(place, sizeof place, "%s/perun-fuzz-XXXXXX", base ? base : "/tmp");
	MUST(mkdtemp(place) != NULL);
	atexit(clean);
	for (int p = 1; p <= 2; p++) {
		snprintf(path, sizeof path, "%s/a.p%d", place, p);
		MUST(mkdir(path, 0700) == 0);
	}
}

static void write_file(int p, const char *name, const uint8_t *data, size_t size)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof path, "%s/a.p%d/%s", place, p, name);
	file = fopen(path, "wb");
	MUST(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* `format` reads a directory of points with a file called `name` in each. */
static int read_two_points(const char *format, const char *name, const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;
	struct perun_input *input;
	int status;

	if (!*place)
		make_place();
	write_file(1, name, data, size);
	write_file(2, name, data, size);
	MUST(perun_input_open(ctx, place, &input) == PERUN_OK);
	status = perun_read_profile(ctx, input, format, NULL, &profile, NULL);
	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	perun_input_close(input);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return 0;
}

#endif
