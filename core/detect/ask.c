/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking the tools of build systems what a project has. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/collect.h>

#include "core/detect/detect.h"

#define MAX_ANSWER (16 << 20) /* bytes */

const char *detect_inside(const char *project, const char *path)
{
	size_t length = strlen(project);

	return strncmp(path, project, length) == 0 && path[length] == '/' ? path + length + 1
									  : NULL;
}

/* An installed program, not one that the project brings. The caller's. */
static char *find_tool(const char *project, const char *name)
{
	char *path = perun_find_program(name, "/");

	if (path && (*path != '/' || detect_inside(project, path))) {
		perun_free(path);
		path = NULL;
	}
	return path;
}

static struct perun_json *read_answer(int file)
{
	struct perun_json_options options = {.struct_size = sizeof options, .sequence = true};
	struct perun_json *all = perun_json_array(), *value;
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json_reader *reader;
	struct stat info;
	char *text;
	ssize_t size = 0;

	if (fstat(file, &info) != 0 || info.st_size > MAX_ANSWER)
		info.st_size = 0;
	text = perun_alloc((size_t)info.st_size + 1);
	if (info.st_size)
		size = pread(file, text, (size_t)info.st_size, 0);
	reader = perun_json_reader_new_text(quiet, text, size > 0 ? (size_t)size : 0, &options);
	while (perun_json_next(reader) > 0 && !perun_json_read_value(reader, &value))
		perun_json_append(all, value);
	perun_json_reader_free(reader);
	perun_ctx_free(quiet);
	perun_free(text);
	if (perun_json_count(all))
		return all;
	perun_json_free(all);
	return NULL;
}

struct perun_json *detect_ask(const struct perun_detection *detected, const char *project,
			      const char *directory, const char *tool, const char *command)
{
	char *path = detected->first ? find_tool(project, tool) : NULL;
	char *variables[] = {perun_format("TOOL=%s", path ? path : ""),
			     perun_format("PROJECT=%s", project), NULL};
	struct perun_shell shell = {.command = command,
				    .directory = directory,
				    .environment = (const char *const *)variables};
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *answer = NULL;
	int code = -1;

	shell.log = path ? memfd_create("perun-detect", MFD_CLOEXEC) : -1;
	if (shell.log >= 0 && !perun_shell_run(quiet, &shell, &code) && code == 0)
		answer = read_answer(shell.log);
	if (shell.log >= 0)
		close(shell.log);
	perun_ctx_free(quiet);
	perun_free(variables[0]);
	perun_free(variables[1]);
	perun_free(path);
	return answer;
}
