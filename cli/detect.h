/* SPDX-License-Identifier: BSD-3-Clause */
/* What a project offers to be measured, told by its build files: perun init --detect. */
#ifndef PERUN_CLI_DETECT_H
#define PERUN_CLI_DETECT_H

#include <perun/context.h>

#include "core/job/words.h"

/* A proposal: a line of the configuration. */
struct cli_proposal {
	char *text;
	char *reason; /* where it comes from: "add_executable in src/CMakeLists.txt" */
	bool active;  /* false: it is written as a comment, for the user to decide */
};

struct cli_proposals {
	struct cli_proposal *items;
	size_t count, capacity;
};

struct cli_detected {
	const char *
		system; /* "CMake", "Meson", "Autotools", "Make", "Cargo", "Go"; NULL = none known */
	char *file;     /* by which it was known, relative to the project */
	struct cli_proposals commands, workloads, build;
	struct cli_proposals notes; /* what else was seen, in words */
};

/* Look at the files of a project, never at what they build; no program is run. */
void cli_detect(const char *project, struct cli_detected *detected);
void cli_detected_free(struct cli_detected *detected);
/* The settings cmds, workloads, collectors and execute.pre_run, as YAML with comments. */
void cli_detected_yaml(const struct cli_detected *detected, struct perun_buffer *out);

/* ---- for the files that know the build systems ----------------------------------------------- */

/*
 * `text` and `reason` become the list's. A text that is there already is dropped, and so is one with characters that
 * cannot be printed: names of files are whatever a repository says.
 */
void detect_propose(struct cli_proposals *list, char *text, char *reason, bool active);
/* A program that is built: benchmarks come first, programs that are named like tests are comments. */
void detect_program(struct cli_detected *detected, char *text, char *reason);
/* The text of a small file, NULL when there is none; the caller's. */
char *detect_read(const char *project, const char *name);
bool detect_exists(const char *project, const char *name);
/*
 * The files of a name (or, with a leading '*', of an ending) in the project, relative to it, sorted; what
 * is hidden, built or another project's is left out, and so is what lies deeper than five directories.
 */
void detect_find(const char *project, const char *name, struct perun_words *files);
/* "src/" of "src/CMakeLists.txt", "" of "CMakeLists.txt"; the caller's. */
char *detect_folder(const char *file);
/*
 * The next call NAME(ARGUMENTS) at or behind `*at` in CMake or Meson, to which `*at` moves. Arguments are
 * split at blanks, commas, colons and brackets; one in quotes keeps the opening quote, so that words and
 * texts can be told apart. False at the end.
 */
bool detect_call(const char **at, const char *name, struct perun_words *arguments);
/* An argument without its quote. */
const char *detect_unquoted(const char *argument);
/* Whether a text is a plain name of a file or target: nothing to be expanded, no blank. */
bool detect_is_plain(const char *text);

typedef bool detect_system(const char *project, struct cli_detected *detected);
detect_system detect_cmake, detect_meson, detect_make, detect_cargo, detect_go;

#endif
