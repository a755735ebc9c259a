/* SPDX-License-Identifier: BSD-3-Clause */
/* What is fuzzed: a table of targets, each a function that is given any bytes. */
#ifndef PERUN_TESTS_FUZZ_FUZZ_H
#define PERUN_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perun/format.h"

/* What must hold whatever a target is given. */
#define MUST(condition)                                                                 \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

struct fuzz_target {
	const char *name; /* also of its folder of inputs, and of the format that it reads */
	bool format;      /* it calls that plugin; those with `read` do anyway */
	/* One of both. `read` is shared by the readers of formats. */
	void (*run)(const uint8_t *data, size_t size);
	void (*read)(const struct fuzz_target *target, const uint8_t *data, size_t size);
	const char *argument;   /* of `read` */
	const char *dictionary; /* tests/fuzz/dictionaries/X.dict; NULL = X is the name */
};

extern const struct fuzz_target fuzz_targets[]; /* the last has no name */

const struct fuzz_target *fuzz_find_target(const char *name);
/* The name of its dictionary: a file dictionaries/NAME.dict. */
const char *fuzz_dictionary(const struct fuzz_target *target);
/* Print the targets of this build, each with its dictionary. Returns 0. */
int fuzz_list(void);
/* Whether it runs whole commands, which takes a hundred times as long. */
bool fuzz_runs_commands(const struct fuzz_target *target);
/* Whether this build has what the target reads. */
bool fuzz_has(const struct fuzz_target *target);

/*
 * Run a target within its budget, which ends the program (SIGABRT) when it is exceeded: 2 s of processor
 * time, and 256 MB or 64 times the decompressed input of memory. Builds with sanitizers get more time.
 */
void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t size);

/* A new folder for files that a target writes, removed at exit. The path is the caller's to keep. */
const char *fuzz_folder(void);

/* Read and write in a format with options (or NULL): a failure to read, NULL, has a reason; writing has none. */
struct perun_profile *fuzz_read_with(struct perun_ctx *ctx, const char *format,
				     const char *const *options, const void *data, size_t size);
void fuzz_write_with(struct perun_ctx *ctx, const char *format, const char *const *options,
		     const struct perun_profile *profile, struct perun_buffer *out);
/* formats.c: readers of profiles. What is read is whole, and written and read again it is the same. */
void fuzz_read(const struct fuzz_target *target, const uint8_t *data, size_t size);
/* The same without the programs that a reader might run. */
void fuzz_read_alone(const struct fuzz_target *target, const uint8_t *data, size_t size);
void fuzz_hpctoolkit(const struct fuzz_target *target, const uint8_t *data, size_t size);
void fuzz_round_trip(const struct fuzz_target *target, const uint8_t *data, size_t size);
void fuzz_benchmark(const struct fuzz_target *target, const uint8_t *data, size_t size);
void fuzz_experiment(const struct fuzz_target *target, const uint8_t *data, size_t size);
/* The first line is the pattern of the format lines, the rest what it is matched with. */
void fuzz_lines(const struct fuzz_target *target, const uint8_t *data, size_t size);
void fuzz_two_points(const struct fuzz_target *target, const uint8_t *data, size_t size);
/* commands.c: a file of a store, or a word of a command line, that commands then read. */
#define FUZZ_RUN                                                            \
	"job --cmd true --cmd \"sh -c 'test ! -e stop || kill -9 $PPID'\" " \
	"--collector time -cp time 'warmup: 0' -cp time 'repeat: 1'"
void fuzz_command(const struct fuzz_target *target, const uint8_t *data, size_t size);
/* Commands in a repository whose last commit is the input. */
void fuzz_commit(const struct fuzz_target *target, const uint8_t *data, size_t size);

/* Targets that differ have a file each. */
void fuzz_afperf(const uint8_t *data, size_t size);
void fuzz_changes(const uint8_t *data, size_t size);
void fuzz_collapsed(const uint8_t *data, size_t size);
void fuzz_cpu_samples(const uint8_t *data, size_t size);
void fuzz_detect(const uint8_t *data, size_t size);
void fuzz_diff(const uint8_t *data, size_t size);
void fuzz_fuzz_rules(const uint8_t *data, size_t size);
void fuzz_extrap_experiment(const uint8_t *data, size_t size);
void fuzz_generated(const uint8_t *data, size_t size);
void fuzz_archive(const uint8_t *data, size_t size);
void fuzz_gzip(const uint8_t *data, size_t size);
void fuzz_http(const uint8_t *data, size_t size);
void fuzz_index(const uint8_t *data, size_t size);
void fuzz_json(const uint8_t *data, size_t size);
void fuzz_memory_ring(const uint8_t *data, size_t size);
void fuzz_object(const uint8_t *data, size_t size);
void fuzz_options(const uint8_t *data, size_t size);
void fuzz_page_policy(const uint8_t *data, size_t size);
void fuzz_perun(const uint8_t *data, size_t size);
void fuzz_plugin_text(const uint8_t *data, size_t size);
void fuzz_point_name(const uint8_t *data, size_t size);
void fuzz_pprof(const uint8_t *data, size_t size);
void fuzz_sums(const uint8_t *data, size_t size);
void fuzz_trace_calls(const uint8_t *data, size_t size);
void fuzz_where(const uint8_t *data, size_t size);
void fuzz_yaml(const uint8_t *data, size_t size);

#endif
