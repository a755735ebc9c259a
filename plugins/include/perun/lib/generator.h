/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generators of workloads, as the setting generators.workload describes them.
 * Of the growing part of the interface: see perun/lib/version.h.
 * Any thread may call these; a result belongs to one thread at a time.
 */
#ifndef PERUN_LIB_GENERATOR_H
#define PERUN_LIB_GENERATOR_H

#include <perun/json.h>
#include <perun/lib/version.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
