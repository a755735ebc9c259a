/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators of workloads, as the setting generators.workload describes them. */
#ifndef PERUN_JOB_GENERATOR_H
#define PERUN_JOB_GENERATOR_H

#include <perun/json.h>
#include <perun/profile.h>

/* One generated workload. */
struct perun_generated {
	char *argument; /* what the program is given: a number, a string, the path of a file */
	char *name;     /* the same, but without the directory of a file */
	/* What its resources get, an object: {"workload": 10, "structure-unit-size": 10}. */
	struct perun_json *keys;
};

struct perun_workloads {
	struct perun_generated *items;
	size_t count, capacity;
	bool apart; /* profile_for_each_workload: a profile for each, not one of all */
};

/* Where a generator works; both absolute. */
struct perun_generating {
	const char *directory; /* commands run here, and names of files are relative to it */
	const char
		*scratch; /* text files are written here; they must live as long as they are used */
};

/*
 * The generator among `generators` (the setting, a list) whose id is `id`; NULL when it is none. Of
 * several the first counts.
 */
PERUN_EXPORT const struct perun_json *perun_generator_find(const struct perun_json *generators,
							   const char *id);
/*
 * Make the workloads of a generator, at most 10,000. Random ones depend on the settings alone (`seed`
 * is one of them), so that all versions are given the same. PERUN_INPUT when a setting is wrong or
 * missing, or an external generator fails.
 */
PERUN_EXPORT int perun_generator_run(struct perun_ctx *ctx, const struct perun_json *generator,
				     const struct perun_generating *place,
				     struct perun_workloads *workloads);
PERUN_EXPORT void perun_workloads_free(struct perun_workloads *workloads);

/*
 * Append what was measured with one workload to `*all` (NULL at first, then a new reference each time):
 * its tables, with the workload's keys as columns. The document of the first one stays. `profile` is
 * borrowed.
 */
PERUN_EXPORT int perun_workload_collect(struct perun_ctx *ctx,
					const struct perun_generated *workload,
					struct perun_profile *profile, struct perun_profile **all);

/* ---- for the files of the generators --------------------------------------------------------- */

#define PERUN_MOST_WORKLOADS 10000

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
