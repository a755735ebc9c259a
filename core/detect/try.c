/* SPDX-License-Identifier: BSD-3-Clause */
/* What became of the proposals after a build: which programs exist, which others do, and which run by themselves. */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "core/context/clock.h"
#include "core/detect/detect.h"

#define MAX_DEPTH 8
#define MAX_SEEN  20000 /* files of the build */
#define MAX_TRIED 8     /* programs of one rank that are run */

/* ---- programs of the build -------------------------------------------------------------------- */

struct search {
	struct perun_detection *detected;
	size_t seen;
};

/* An ELF program: not a script, which may do anything, and not a library. */
static bool is_elf_program(const char *path, const struct stat *info)
{
	Elf64_Ehdr head;
	int file;
	bool program = false;

	if (!S_ISREG(info->st_mode) || !(info->st_mode & 0100) || strstr(path, ".so"))
		return false;
	file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file >= 0 && pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head)
		program = memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
			  (head.e_type == ET_EXEC || head.e_type == ET_DYN);
	if (file >= 0)
		close(file);
	return program;
}

/* What build systems try out for themselves. */
static bool is_of_build_system(const char *name)
{
	return name[0] == '.' || !strcmp(name, "CMakeFiles") || !strcmp(name, "deps") ||
	       !strcmp(name, "_deps") || !strcmp(name, "meson-private");
}

static bool add_program(void *data, const char *inside, const char *path, const struct stat *info)
{
	const char *slash = strrchr(inside, '/');
	struct search *search = data;

	if (!is_of_build_system(perun_path_base_name(inside)) && is_elf_program(path, info) &&
	    detect_is_plain(inside))
		detect_program(search->detected,
			       slash ? perun_strdup(inside) : perun_format("./%s", inside),
			       perun_strdup("made by the build"), NULL, true);
	return ++search->seen < MAX_SEEN;
}

/* ---- trying ----------------------------------------------------------------------------------- */

static const char *input_of(const struct perun_detection *detected)
{
	const struct proposals *workloads = &detected->lists[PERUN_PROPOSED_WORKLOADS];

	for (size_t i = 0; i < workloads->count; i++) {
		if (workloads->items[i].line.active)
			return workloads->items[i].line.text;
	}
	return NULL;
}

static void set_reason(struct perun_proposal *line, char *reason)
{
	perun_free((char *)line->reason);
	line->reason = reason;
}

/* Whether the program of a command line is there. */
static bool is_made(const char *directory, const char *line)
{
	size_t length = strcspn(line, " ");
	char *path = perun_format("%s/%.*s", directory, (int)length, line);
	bool made = strchr(path + strlen(directory) + 1, '/') && access(path, X_OK) == 0;

	perun_free(path);
	return made;
}

/* Run a command line, or the trial of it, once; it stays proposed if it ends well. */
static int try_line(struct perun_ctx *ctx, const char *directory, const char *input,
		    unsigned seconds, const char *trial, struct perun_proposal *line)
{
	char *command = perun_format("exec timeout -k 1 %u %s %s", seconds,
				     trial ? trial : line->text, input ? input : "");
	struct perun_shell shell = {.command = command, .directory = directory};
	double start = clock_now(), taken;
	int code = -1, status;

	shell.log = open("/dev/null", O_WRONLY | O_CLOEXEC);
	status = perun_shell_run(ctx, &shell, &code);
	taken = clock_now() - start;
	if (shell.log >= 0)
		close(shell.log);
	perun_free(command);
	line->active = !status && code == 0;
	if (line->active)
		set_reason(line, taken < 1 ? perun_format("ran in %.3g ms", taken * 1000)
					   : perun_format("ran in %.3g s", taken));
	else if (code == 124 || code == 137)
		set_reason(line, perun_format("timed out after %u s", seconds));
	else
		set_reason(line,
			   perun_format("exit status %d: does it need arguments or input?", code));
	return status;
}

/* All of a rank; `*works` counts those that do. */
static int try_rank(struct perun_ctx *ctx, struct perun_detection *detected, const char *directory,
		    unsigned seconds, enum detect_rank rank, size_t *works)
{
	struct proposals *list = &detected->lists[PERUN_PROPOSED_COMMANDS];
	size_t tried = 0;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < list->count; i++) {
		struct proposed *item = &list->items[i];

		if (item->rank != rank || !is_made(directory, item->line.text) ||
		    tried++ >= MAX_TRIED)
			continue;
		status = try_line(ctx, directory, input_of(detected), seconds, item->trial,
				  &item->line);
		*works += item->line.active;
		if (item->line.active && rank >= DETECT_TEST)
			break;
	}
	return status;
}

int perun_detection_try(struct perun_ctx *ctx, struct perun_detection *detected,
			const char *directory, unsigned seconds)
{
	struct proposals *list = &detected->lists[PERUN_PROPOSED_COMMANDS];
	struct search search = {.detected = detected};
	size_t works = 0;
	int status = PERUN_OK;

	/* Benchmarks compile what they run, and all else is a comment. */
	if (list->count && list->items[0].trial)
		return try_line(ctx, directory, NULL, 12 * seconds, list->items[0].trial,
				&list->items[0].line);
	for (size_t i = 0; i < list->count; i++) {
		struct perun_proposal *line = &list->items[i].line;

		line->active = false;
		if (list->items[i].rank != DETECT_OTHER && !is_made(directory, line->text))
			set_reason(line, perun_strdup("the build does not make it"));
	}
	/* Cargo and Go have said all; what else lies there is their own. */
	if (strcmp(detected->system ? detected->system : "", "Cargo") != 0)
		detect_walk(&(struct detect_walk){.root = directory,
						  .folder = "",
						  .depth = MAX_DEPTH,
						  .is_left_out = is_of_build_system,
						  .visit = add_program,
						  .data = &search});
	for (enum detect_rank rank = DETECT_BENCHMARK; !status && rank < DETECT_FUZZER; rank++) {
		if (rank != DETECT_OTHER && (works == 0 || rank <= DETECT_PROGRAM))
			status = try_rank(ctx, detected, directory, seconds, rank, &works);
	}
	return status;
}
