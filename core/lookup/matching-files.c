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

/* What is sought: a regular expression, or the text where it is not a valid one. */
struct sought {
	regex_t regex;
	bool valid;
	const char *text;
};

static bool matches(const struct sought *sought, const char *name)
{
	return ends_with(name, ".perf") &&
	       (sought->valid ? regexec(&sought->regex, name, 0, NULL, 0) == 0
			      : strstr(name, sought->text) != NULL);
}

/* Takes the path. */
static void add(struct perun_matching_files *walk, char *path)
{
	PERUN_GROW(walk->paths, walk->count, walk->capacity);
	walk->paths[walk->count++] = path;
}

static void find_below(struct perun_matching_files *walk, const struct sought *sought)
{
	char dot[] = ".", *roots[] = {dot, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	size_t seen = 0, first = walk->count;
	FTSENT *entry;

	while (tree && seen < MAX_FILES && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_D && entry->fts_level > 0 && entry->fts_name[0] == '.')
			fts_set(tree, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F)
			continue;
		seen++;
		if (matches(sought, entry->fts_path + 2)) /* "./" */
			add(walk, perun_strdup(entry->fts_path + 2));
	}
	if (tree)
		fts_close(tree);
	if (walk->count > first)
		qsort(walk->paths + first, walk->count - first, sizeof *walk->paths, compare_paths);
}

void perun_matching_files_find(struct perun_matching_files *walk, const char *expression,
			       const char *jobs, const struct perun_entries *pending)
{
	struct sought sought = {.text = expression};

	sought.valid = regcomp(&sought.regex, expression, REG_EXTENDED | REG_NOSUB) == 0;
	for (size_t i = 0; jobs && i < pending->count; i++)
		if (matches(&sought, pending->items[i].path))
			add(walk, perun_format("%s/%s", jobs, pending->items[i].path));
	find_below(walk, &sought);
	if (sought.valid)
		regfree(&sought.regex);
}

void perun_matching_files_free(struct perun_matching_files *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		perun_free(walk->paths[i]);
	perun_free(walk->paths);
	*walk = (struct perun_matching_files){0};
}
