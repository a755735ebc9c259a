/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a project offers to be measured, by its build files: programs, inputs, and how versions are built. Of the
 * growing part of the interface: see perun/lib/version.h.
 *
 * Threads: a detection belongs to one thread at a time.
 */
#ifndef PERUN_LIB_DETECT_H
#define PERUN_LIB_DETECT_H

#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A proposal: a line of the configuration. Texts are the detection's. */
struct perun_proposal {
	uint32_t struct_size;
	const char *text;
	const char
		*reason; /* where it comes from: "add_executable in src/CMakeLists.txt"; or NULL */
	bool active;     /* false: it is written as a comment, for the user to decide */
};

/* The lists of proposals. */
enum perun_proposed {
	PERUN_PROPOSED_COMMANDS,
	PERUN_PROPOSED_WORKLOADS,
	PERUN_PROPOSED_BUILD, /* commands, one after the other */
	PERUN_PROPOSED_NOTES  /* what else was seen, in words */
};

struct perun_detection;

/*
 * Look at the files of a project. Where they are installed, cargo, go and meson are asked what it has, in ways
 * that run none of its code and use no network; else its files are read. `way` leads from the root of its
 * repository, where versions are built, to the project; NULL = it is there. Never fails. Free it with
 * perun_detection_free(), which takes NULL, too.
 */
PERUN_EXPORT struct perun_detection *perun_detect(struct perun_ctx *ctx, const char *project,
						  const char *way);
PERUN_EXPORT void perun_detection_free(struct perun_detection *detected);
/* "CMake", "Meson", "Autotools", "Make", "Cargo", "Go"; NULL = none of them. */
PERUN_EXPORT const char *perun_detection_system(const struct perun_detection *detected);
/* The file by which it was recognized, relative to the project; NULL = none. */
PERUN_EXPORT const char *perun_detection_file(const struct perun_detection *detected);
PERUN_EXPORT size_t perun_detection_count(const struct perun_detection *detected,
					  enum perun_proposed list);
PERUN_EXPORT const struct perun_proposal *perun_detection_at(const struct perun_detection *detected,
							     enum perun_proposed list, size_t i);
/*
 * After the proposed build: `directory` has the project with what was built. A command whose program is not there
 * becomes a comment; programs that were built without being seen before are added (not for Cargo); those of the
 * best kind that works (benchmarks and programs, else a test, else an example) are proposed. For that, up to eight
 * of a kind are run once in the directory, with the first active workload as their argument, without input, and are
 * killed after `seconds`. This runs code of the project: the user has asked for it. PERUN_CANCELLED when stopped.
 */
PERUN_EXPORT int perun_detection_try(struct perun_ctx *ctx, struct perun_detection *detected,
				     const char *directory, unsigned seconds);
/* Append the settings cmds, workloads, collectors, profiles.register_after_run and execute.pre_run, as YAML with comments. */
PERUN_EXPORT void perun_detection_yaml(const struct perun_detection *detected,
				       struct perun_buffer *out);

#ifdef __cplusplus
}
#endif
#endif
