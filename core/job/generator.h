/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators of workloads, as the setting generators.workload describes them. */
#ifndef PERUN_JOB_GENERATOR_H
#define PERUN_JOB_GENERATOR_H

#include <perun/lib/generator.h>

/* ---- for the files of the generators --------------------------------------------------------- */

#define PERUN_MAX_WORKLOADS 10000

/* A generator being run. */
struct perun_generator_run {
	struct perun_ctx *ctx;
	const struct perun_json *settings;
	const struct perun_generating *place;
	const char *id;
	uint64_t random; /* state, see perun_generator_random() */
	struct perun_workloads *workloads;
};

/* A whole number of the settings, in bounds; `fallback` INT64_MIN = it must be there. */
int perun_generator_number(const struct perun_generator_run *run, const char *key, int64_t fallback,
			   int64_t minimum, int64_t maximum, int64_t *value);
/* A text of the settings; `fallback` NULL = it must be there. */
int perun_generator_text(const struct perun_generator_run *run, const char *key,
			 const char *fallback, const char **value);
bool perun_generator_flag(const struct perun_generator_run *run, const char *key, bool fallback);
/* A random number below `limit`. */
uint64_t perun_generator_random(struct perun_generator_run *run, uint64_t limit);
/* A new workload, with empty keys. Takes both texts. */
struct perun_generated *perun_generator_add(struct perun_generator_run *run, char *argument,
					    char *name);
int perun_generate_files(struct perun_generator_run *run);
int perun_generate_externally(struct perun_generator_run *run);

#endif
