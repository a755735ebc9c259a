/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a program that runs where its user is fails in the files of a version: it names files that are not there. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/advice.h>

#include "core/job/program.h"

/* The path in a word: "in.txt", "--input=in.txt"; NULL = it names none that depends on where it is run. */
static const char *path_in(const char *word)
{
	const char *value = *word == '-' ? strchr(word, '=') : word;

	if (value && *word == '-')
		value++;
	return value && *value && *value != '/' ? value : NULL;
}

static bool is_there(const char *directory, const char *path)
{
	char *whole = perun_format("%s/%s", directory, path);
	struct stat facts;
	bool there = stat(whole, &facts) == 0;

	perun_free(whole);
	return there;
}

void perun_warn_of_missing_paths(struct perun_ctx *ctx, char *const *argv, const char *directory)
{
	char *here = realpath(".", NULL);

	for (size_t i = 0; here && argv && argv[i] && strcmp(here, directory) != 0; i++) {
		const char *path = path_in(argv[i]);

		if (!path || (i == 0 && !strchr(path, '/')) || is_there(directory, path))
			continue;
		if (i == 0)
			perun_warn(ctx,
				   "%s is not there: each version runs in a directory of its own%s",
				   path, perun_advice(PERUN_ADVICE_BUILD_VERSION));
		else if (is_there(here, path))
			perun_warn(ctx,
				   "%s is not there: each version runs in a directory of its own%s",
				   path, perun_advice(PERUN_ADVICE_COPY_FILES));
	}
	free(here);
}
