/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that know build systems share. */
#ifndef PERUN_CORE_DETECT_DETECT_H
#define PERUN_CORE_DETECT_DETECT_H

#include <sys/stat.h>

#include <perun/json.h>
#include <perun/lib/detect.h>
#include <perun/lib/program.h>

/* What a program is, in the order in which they are proposed. */
enum detect_rank {
	DETECT_BENCHMARK,
	DETECT_PROGRAM,
	DETECT_OTHER, /* another command line */
	DETECT_TEST,
	DETECT_EXAMPLE,
	DETECT_FUZZER /* waits for the inputs of a fuzzer: never measured */
};

struct proposed {
	struct perun_proposal line;
	enum detect_rank rank;
	bool certain; /* it is built, whatever the machine */
	bool is_google_benchmark;
	char *trial; /* of the first: a short run of the same, to try it; NULL = it runs as it is */
};

struct proposals {
	struct proposed *items;
	size_t count, capacity;
};

struct perun_detection {
	struct perun_ctx *ctx;
	bool first; /* no other system was recognized before: its tools may be asked */
	const char *system;
	const char *collector; /* of the proposed commands, if it is not the time */
	char *file;
	struct proposals lists[PERUN_PROPOSED_NOTES + 1];
};

/*
 * `text` and `reason` become the list's. A text that is there already is dropped, and so is one with characters that
 * cannot be printed: names of files are whatever a repository says.
 */
void detect_propose(struct proposals *list, char *text, char *reason, bool active);
/*
 * A program that is built, by rank. `source` is the first file that it is made of, or NULL. Tests, examples and what is
 * built under a condition only, not `certain`, are comments.
 */
void detect_program(struct perun_detection *detected, char *text, char *reason, const char *source,
		    bool certain);
/* A program that was proposed has Google Benchmark in it, which measures and prints by itself. */
void detect_google_benchmark(struct perun_detection *detected, const char *text);
/* Nothing of a list is chosen. */
void detect_make_comments(const struct proposals *list);
/* A program that was proposed as `old` is called `name`, which becomes the list's. */
void detect_rename(struct perun_detection *detected, const char *old, char *name);
/* The text of a small file, NULL when there is none; the caller's. */
char *detect_read(const char *project, const char *name);
bool detect_exists(const char *project, const char *name);
/*
 * The files of a name (or, with a leading '*', of an ending) in the project, relative to it, sorted; what
 * is hidden, built or another project's is left out, and so is what lies deeper than five directories.
 */
void detect_find(const char *project, const char *name, struct perun_words *files);
/* What lies in a folder, sorted; links are not followed. */
struct detect_walk {
	const char *root,
		*folder; /* the part of it that is walked through: "" or one such as "src/" */
	unsigned depth;  /* of folders below it that are entered */
	bool (*is_left_out)(const char *name); /* a folder that is not entered */
	/* `inside` is relative to `root`, `path` is not; false ends the walk. Not called for folders that are entered. */
	bool (*visit)(void *data, const char *inside, const char *path, const struct stat *info);
	void *data;
};
void detect_walk(const struct detect_walk *walk);
/* Whether a part of a path names other projects' files or what a build makes. */
bool detect_is_foreign(const char *path);
/* "src/" of "src/CMakeLists.txt", "" of "CMakeLists.txt"; the caller's. */
char *detect_folder(const char *file);
/* `path` relative to the project, if it lies in it, else NULL; a part of `path`. */
const char *detect_inside(const char *project, const char *path);
/*
 * The next call NAME(ARGUMENTS) at or after `*at` in CMake or Meson, to which `*at` moves. Arguments are
 * split at blanks, commas, colons and brackets; one in quotes keeps the opening quote, which distinguishes
 * texts from words. False at the end.
 */
bool detect_call(const char **at, const char *name, struct perun_words *arguments);
/* The next call of whatever name in CMake; false at the end. */
bool detect_command(const char **at, struct perun_buffer *name, struct perun_words *arguments);
/* An argument without its quote. */
const char *detect_unquoted(const char *argument);
/* Whether a text is a plain name of a file or target: nothing to be expanded, no blank. */
bool detect_is_plain(const char *text);

/*
 * Ask a tool: `command` of the shell, where $TOOL is the installed program `tool` and $PROJECT the project. It runs
 * in `directory`. What it prints, JSON documents, becomes one array; NULL when it is not installed or fails.
 */
struct perun_json *detect_ask(const struct perun_detection *detected, const char *project,
			      const char *directory, const char *tool, const char *command);

typedef bool detect_system(const char *project, struct perun_detection *detected);
detect_system detect_cmake, detect_meson, detect_make, detect_cargo, detect_go;

#endif
