/* SPDX-License-Identifier: BSD-3-Clause */
/* Building a program that calls the runtime, from a list of files. */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build.h"
#include "collectors/common/program.h"

static bool is_cplusplus(const char *file)
{
	static const char *const endings[] = {".cc", ".cpp", ".cxx", ".C", ".c++"};
	size_t length = strlen(file);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && strcmp(file + length - ending, endings[i]) == 0)
			return true;
	}
	return false;
}

static const char *find_compiler(const struct build_options *options)
{
	if (options->compiler)
		return options->compiler;
	for (size_t i = 0; options->files[i]; i++)
		if (is_cplusplus(options->files[i]))
			return "c++";
	return "cc";
}

/* The words of the command; the array is the caller's, its texts are borrowed. */
static char **make_command(const struct build_options *options, const char *compiler, char *program)
{
	const char *const fixed[] = {"-g", "-O1", options->flag};
	size_t count = 8, used = 0;
	char **words;

	for (size_t i = 0; options->files[i]; i++)
		count++;
	for (size_t i = 0; options->flags[i]; i++)
		count++;
	words = perun_alloc_zero(count, sizeof *words);
	words[used++] = (char *)compiler;
	for (size_t i = 0; i < 3 && fixed[i]; i++)
		words[used++] = (char *)fixed[i];
	for (size_t i = 0; options->files[i]; i++)
		words[used++] = (char *)options->files[i];
	/* After the files: libraries may be among them. */
	for (size_t i = 0; options->flags[i]; i++)
		words[used++] = (char *)options->flags[i];
	words[used++] = "-o";
	words[used++] = program;
	return words;
}

int build_program(struct perun_ctx *ctx, const struct perun_collect_job *job,
		  const struct build_options *options, char **program)
{
	struct perun_collect_job compiling = *job;
	char *errors = perun_format("%s/compiler", job->scratch), **words;
	struct collectors_start start = {.job = &compiling, .error_path = errors};
	struct collectors_child child;
	const char *folder = options->folder ? options->folder : job->scratch;
	int status = PERUN_OK;

	if (*folder == '/')
		*program = perun_format("%s/traced", folder);
	else
		*program = perun_format("%s/%s/traced", job->directory, folder);
	if (options->folder) {
		char *path = perun_strndup(*program, strlen(*program) - strlen("/traced"));

		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
		perun_free(path);
	}
	words = make_command(options, find_compiler(options), *program);
	compiling.argv = words;
	if (!status)
		status = collectors_start(ctx, &start, &child);
	if (!status)
		status = collectors_judge(ctx, &start, collectors_finish(&child, NULL), "");
	if (status)
		perun_fail(ctx, PERUN_OK, "cannot build the program to trace");
	perun_free(words);
	perun_free(errors);
	return status;
}
