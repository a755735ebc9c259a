/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles below the current directory whose name matches a regular expression. */
#include <fts.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include <perun/context.h>

#include "core/lookup/matching-files.h"

enum { MAX_FILES = 100000 };

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int compare_paths(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static void visit(struct perun_matching_files *walk, const char *path, const regex_t *regex,
		  const char *expression)
{
	bool matches;

	path += strncmp(path, "./", 2) == 0 ? 2 : 0;
	if (!ends_with(path, ".perf"))
		return;
	matches = regex ? regexec(regex, path, 0, NULL, 0) == 0 : strstr(path, expression) != NULL;
	if (!matches)
		return;
	PERUN_GROW(walk->paths, walk->count, walk->capacity);
	walk->paths[walk->count++] = perun_strdup(path);
}

void perun_matching_files_find(struct perun_matching_files *walk, const char *expression)
{
	char dot[] = ".", *roots[] = {dot, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	regex_t regex;
	bool valid = regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) == 0;
	FTSENT *entry;
	size_t seen = 0;

	while (tree && seen < MAX_FILES && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_D && entry->fts_level > 0 && entry->fts_name[0] == '.')
			fts_set(tree, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F)
			continue;
		seen++;
		visit(walk, entry->fts_path, valid ? &regex : NULL, expression);
	}
	if (tree)
		fts_close(tree);
	if (valid)
		regfree(&regex);
	if (walk->count)
		qsort(walk->paths, walk->count, sizeof *walk->paths, compare_paths);
}

void perun_matching_files_free(struct perun_matching_files *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		perun_free(walk->paths[i]);
	perun_free(walk->paths);
	*walk = (struct perun_matching_files){0};
}
