/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether an output that the user names stays in the project that it seems to lie in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

static bool has(const char *directory, const char *name)
{
	char *path = perun_format("%s/%s", directory, name);
	struct stat info;
	bool found = lstat(path, &info) == 0;

	perun_free(path);
	return found;
}

/* Whether `path` is `directory` or lies below it; both without links. */
static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == '\0' || length == 1);
}

/* Just after the last component that is "..", or NULL. */
static char *last_step_up(char *path)
{
	char *found = NULL;

	for (char *at = path; (at = strstr(at, "/..")); at += 3) {
		if (at[3] == '/' || at[3] == '\0')
			found = at + 3;
	}
	return found;
}

/*
 * With the current directory before it, which has no links. Up to the last ".." it is resolved: who writes
 * that means to leave. Caller frees.
 */
static char *make_absolute(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	char *whole = here ? perun_format("%s/%s", here, path) : perun_strdup(path);
	char *rest = last_step_up(whole);

	free(here);
	if (rest) {
		char *start = perun_strndup(whole, (size_t)(rest - whole));
		char *real = realpath(start, NULL);
		char *resolved = real ? perun_format("%s%s", real, rest) : NULL;

		perun_free(start);
		free(real);
		if (resolved) {
			perun_free(whole);
			whole = resolved;
		}
	}
	return whole;
}

/* The place that would be written: of the file if it is there, else of its directory. For free(). */
static char *real_place(char *whole)
{
	char *real = realpath(whole, NULL), *slash = strrchr(whole, '/');

	if (!real && slash && slash > whole) {
		*slash = '\0';
		real = realpath(whole, NULL);
		*slash = '/';
	}
	return real;
}

int perun_path_check_output(struct perun_ctx *ctx, const char *path)
{
	char *whole = make_absolute(path), *real = real_place(whole);
	int status = PERUN_OK;

	/* What cannot be reached is reported by whoever opens it. */
	for (char *slash = strrchr(whole, '/'); real && !status && slash && slash > whole;
	     slash = strrchr(whole, '/')) {
		char *project;

		*slash = '\0';
		if (!has(whole, ".git") && !has(whole, ".perun"))
			continue;
		project = realpath(whole, NULL);
		if (project && !is_below(real, project))
			status = perun_fail(ctx, PERUN_INPUT,
					    "%s leads out of %s through a symbolic link; name %s "
					    "itself to write there",
					    path, project, real);
		free(project);
	}
	free(real);
	perun_free(whole);
	return status;
}
