/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles by the names of their files. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/lookup/lookup.h"

/* From that many paths in a row in one directory on, listing it is quicker than asking for each. */
#define LIST_FROM 256

int perun_lookup_find_pending(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word,
			      bool *found)
{
	int status = perun_lookup_find_store(ctx, lookup);

	if (status || !lookup->store)
		return status;
	status = perun_lookup_pending(ctx, lookup);
	for (size_t i = 0; !status && !*found && i < lookup->pending.count; i++) {
		const struct perun_entry *entry = &lookup->pending.items[i];
		size_t length = strlen(word);

		if (strcmp(entry->path, word) == 0 ||
		    (strncmp(entry->path, word, length) == 0 &&
		     strcmp(entry->path + length, ".perf") == 0)) {
			perun_lookup_add_pending(lookup, entry);
			*found = true;
		}
	}
	return status;
}

/* Whether a directory is .perun/jobs of the store; without such a name no store needs to be opened. */
static int is_jobs(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *directory,
		   bool *result)
{
	static const char name[] = "/.perun/jobs";
	char *absolute = realpath(directory, NULL), *jobs;
	size_t length = absolute ? strlen(absolute) : 0;
	int status = PERUN_OK;

	*result = false;
	if (length >= strlen(name) && strcmp(absolute + length - strlen(name), name) == 0) {
		status = perun_lookup_find_store(ctx, lookup);
		if (!status && lookup->store) {
			jobs = perun_format("%s/jobs", perun_store_path(lookup->store));
			*result = strcmp(absolute, jobs) == 0;
			perun_free(jobs);
		}
	}
	free(absolute);
	return status;
}

/* Whether a path lies in .perun/jobs; thousands of files mostly lie in one directory. */
static int is_in_jobs(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *path,
		      bool *result)
{
	size_t length = (size_t)(perun_path_base_name(path) - path);
	char *directory = length ? perun_strndup(path, length) : perun_strdup(".");
	int status = PERUN_OK;

	if (!lookup->directory || strcmp(lookup->directory, directory) != 0) {
		status = is_jobs(ctx, lookup, directory, &lookup->is_jobs);
		perun_free(lookup->directory);
		lookup->directory = directory;
	} else {
		perun_free(directory);
	}
	*result = lookup->is_jobs;
	return status;
}

/* Whether there is such a file. After many paths in one directory, that is listed once. */
static bool file_exists(struct perun_lookup *lookup, const char *path)
{
	const char *name = perun_path_base_name(path), *directory = lookup->directory;
	size_t length = (size_t)(name - path);
	struct stat facts;
	bool same = directory &&
		    (length ? strncmp(directory, path, length) == 0 && directory[length] == '\0'
			    : strcmp(directory, ".") == 0);

	lookup->in_directory = same ? lookup->in_directory + 1 : 0;
	if (lookup->in_directory == LIST_FROM)
		perun_file_names_read(&lookup->names, directory);
	return (lookup->in_directory >= LIST_FROM && perun_file_names_has(&lookup->names, name)) ||
	       stat(path, &facts) == 0;
}

int perun_lookup_find_path(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word,
			   unsigned kinds, bool *found)
{
	int status = PERUN_OK;

	if (strcmp(word, "-") != 0 && !file_exists(lookup, word))
		return PERUN_OK;
	if (kinds & PERUN_PLACE_PENDING && strcmp(word, "-") != 0) {
		bool pending;

		status = is_in_jobs(ctx, lookup, word, &pending);
		if (!status && pending)
			status = perun_lookup_find_pending(ctx, lookup, perun_path_base_name(word),
							   found);
	}
	if (!status && !*found && kinds & PERUN_PLACE_FILE) {
		if (kinds & PERUN_PLACE_FOLDER)
			perun_lookup_add_files(ctx, lookup, word, NULL);
		else
			perun_lookup_add_file(lookup, word);
		*found = true;
	}
	return status;
}
