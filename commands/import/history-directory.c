/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories that are directories: results of asv, storage of pytest-benchmark, files kept by commit. */
#include <config.h>

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "history.h"

#define COMMIT     "{commit}"
#define MAX_DEPTH  16
#define MIN_DIGITS 7 /* of an abbreviated checksum */
#define HEX_DIGITS "0123456789abcdefABCDEF"

/* ---- one component of a pattern --------------------------------------------------------------- */

/* Whether name[from, to) may be what a file name calls a commit. */
static bool may_be_commit(const char *name, size_t from, size_t to, bool digits)
{
	for (size_t i = from; i < to; i++) {
		if (digits ? !strchr(HEX_DIGITS, name[i])
			   : !isalnum((unsigned char)name[i]) && !strchr("._+-", name[i]))
			return false;
	}
	if (!digits)
		return to > from && name[from] != '.' && name[from] != '-';
	return to - from >= MIN_DIGITS && !(from && isxdigit((unsigned char)name[from - 1])) &&
	       !isxdigit((unsigned char)name[to]);
}

/*
 * Match a name with "bench-{commit}-*.json". `*commit` becomes the text in the place of {commit}: a checksum if one
 * fits, else the longest text; NULL where the pattern has no {commit}.
 */
static bool match_name(const char *pattern, const char *name, char **commit)
{
	const char *place = strstr(pattern, COMMIT);
	size_t length = strlen(name);
	bool *fits = NULL;
	char *before;

	*commit = NULL;
	if (!place)
		return fnmatch(pattern, name, FNM_PERIOD) == 0;
	before = perun_strndup(pattern, (size_t)(place - pattern));
	fits = perun_alloc_zero(length + 1, sizeof *fits);
	for (size_t to = 0; to <= length; to++)
		fits[to] = fnmatch(place + strlen(COMMIT), name + to, 0) == 0;
	for (int digits = 1; digits >= 0 && !*commit; digits--) {
		for (size_t from = 0; from < length && !*commit; from++) {
			char *head = perun_strndup(name, from);
			bool starts = fnmatch(before, head, FNM_PERIOD) == 0;

			perun_free(head);
			for (size_t to = length; starts && to > from && !*commit; to--) {
				if (fits[to] && may_be_commit(name, from, to, digits))
					*commit = perun_strndup(name + from, to - from);
			}
		}
	}
	perun_free(fits);
	perun_free(before);
	return *commit != NULL;
}

/* ---- the tree --------------------------------------------------------------------------------- */

/* Where a search in the tree is. */
struct search {
	struct history_source *source;
	const char *root;   /* a directory below which all is */
	const char *format; /* of all files; NULL = by content */
	bool machines;      /* the first component of a path names the machine */
};

static int list_names(const char *directory, char ***names, size_t *count)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;
	size_t room = 0;

	*names = NULL;
	*count = 0;
	if (!stream && fd >= 0)
		close(fd);
	while (stream && (item = readdir(stream)) && *count < HISTORY_MAX_ENTRIES) {
		PERUN_GROW(*names, *count, room);
		(*names)[(*count)++] = perun_strdup(item->d_name);
	}
	if (stream)
		closedir(stream);
	return stream ? 0 : -1;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* `relative` matches the whole pattern. */
static int take(const struct search *search, const char *relative, const char *commit)
{
	struct history_entry *entry = history_add(search->source);
	const char *base = perun_path_base_name(relative);

	if (!entry)
		return PERUN_INPUT;
	entry->path = perun_format("%s/%s", search->root, relative);
	entry->key = perun_strdup(relative);
	entry->format = search->format;
	entry->commit = perun_strdup(commit);
	if (search->format || (commit && strstr(base, commit)))
		entry->workload = perun_strdup("");
	if (search->machines)
		entry->machine = perun_strndup(relative, strcspn(relative, "/"));
	return PERUN_OK;
}

/* All below `relative` ("" is the root) that matches `pattern`; symbolic links do not. */
static int match_tree(const struct search *search, const char *relative, const char *pattern,
		      const char *commit, int depth)
{
	size_t length = strcspn(pattern, "/"), count;
	const char *rest = pattern[length] ? pattern + length + 1 : NULL;
	char *component = perun_strndup(pattern, length), **names;
	char *directory = perun_format("%s/%s", search->root, relative);
	int status = PERUN_OK;

	if (depth > MAX_DEPTH)
		status = perun_fail(search->source->ctx, PERUN_USAGE,
				    "the pattern has more than %d components", MAX_DEPTH);
	if (status || list_names(directory, &names, &count) != 0) {
		names = NULL;
		count = 0;
	}
	if (count)
		qsort(names, count, sizeof *names, compare_names);
	for (size_t i = 0; i < count; i++) {
		char *found,
			*inner = perun_format("%s%s%s", relative, *relative ? "/" : "", names[i]);
		char *path = perun_format("%s/%s", search->root, inner);
		struct stat info;

		if (!status && strcmp(names[i], ".") && strcmp(names[i], "..") &&
		    match_name(component, names[i], &found)) {
			const char *known = found ? found : commit;

			if (lstat(path, &info) == 0 && rest && S_ISDIR(info.st_mode))
				status = match_tree(search, inner, rest, known, depth + 1);
			else if (!rest && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
				status = take(search, inner, known);
			perun_free(found);
		}
		perun_free(path);
		perun_free(inner);
		perun_free(names[i]);
	}
	perun_free(names);
	perun_free(directory);
	perun_free(component);
	return status;
}

/* ---- kinds of directories ---------------------------------------------------------------------- */

static bool is_file(const char *directory, const char *name)
{
	char *path = perun_format("%s/%s", directory, name);
	struct stat info;
	bool is = lstat(path, &info) == 0 && S_ISREG(info.st_mode);

	perun_free(path);
	return is;
}

/* The entries of one kind; false: there are none. */
static bool try_pattern(struct history_source *source, const char *root, const char *kind,
			const char *format, const char *pattern, int *status)
{
	const struct search search = {.source = source,
				      .root = root,
				      .format = format,
				      .machines = strcmp(kind, "asv") == 0};

	*status = match_tree(&search, "", pattern, NULL, 0);
	if (source->count)
		source->kind = kind;
	return *status || source->count;
}

/* asv: MACHINE/COMMIT-ENVIRONMENT.json, and MACHINE/machine.json, which has no results. */
static bool try_asv(struct history_source *source, const char *root, int *status)
{
	*status = PERUN_OK;
	return is_file(root, "benchmarks.json") &&
	       try_pattern(source, root, "asv", "asv", "*/*-*.json", status);
}

static bool try_asv_project(struct history_source *source, int *status)
{
	char *results = perun_format("%s/results", source->path);
	bool found = try_asv(source, source->path, status) || *status ||
		     try_asv(source, results, status);

	perun_free(results);
	return found;
}

static bool try_pytest(struct history_source *source, int *status)
{
	static const char file[] = "[0-9][0-9][0-9][0-9]_*.json";
	char *hidden = perun_format(".benchmarks/*/%s", file);
	char *inner = perun_format("*/%s", file);
	bool found = try_pattern(source, source->path, "pytest-benchmark", "pytest-benchmark",
				 inner, status) ||
		     try_pattern(source, source->path, "pytest-benchmark", "pytest-benchmark", file,
				 status) ||
		     try_pattern(source, source->path, "pytest-benchmark", "pytest-benchmark",
				 hidden, status);

	perun_free(inner);
	perun_free(hidden);
	return found;
}

/* The data.js of a branch or of a site; the place where the action puts it comes first. */
static bool try_data_js(struct history_source *source, int *status)
{
	static const char *const places[] = {"dev/bench/data.js", "data.js", "*/data.js",
					     "*/*/data.js", "*/*/*/data.js"};
	struct history_source files = {.ctx = source->ctx, .path = source->path};

	*status = PERUN_OK;
	for (size_t i = 0; !*status && !files.count && i < sizeof places / sizeof *places; i++)
		try_pattern(&files, source->path, "", NULL, places[i], status);
	for (size_t i = 0; !*status && i < files.count; i++)
		*status = history_gather_file(source, files.entries[i].path);
	history_free(&files);
	return *status || source->count;
}

static int gather_pattern(struct history_source *source)
{
	const struct search search = {.source = source, .root = source->path};
	const char *pattern = source->pattern, *place = strstr(pattern, COMMIT);
	int status;

	if (!place || strstr(place + 1, COMMIT))
		return perun_fail(source->ctx, PERUN_USAGE,
				  "the pattern '%s' needs one " COMMIT ", such as 'results/" COMMIT
				  "/*.json'",
				  pattern);
	while (strncmp(pattern, "./", 2) == 0)
		pattern += 2;
	for (const char *at = pattern; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
		if (*at == '/' || !*at || (at[0] == '.' && at[1] == '.' && strchr("/", at[2])))
			return perun_fail(source->ctx, PERUN_USAGE,
					  "the pattern '%s' must be relative, without '..' and "
					  "empty components",
					  source->pattern);
	}
	source->kind = "pattern";
	status = match_tree(&search, "", pattern, NULL, 0);
	if (!status && !source->count)
		status = perun_fail(source->ctx, PERUN_INPUT, "nothing in %s matches '%s'",
				    source->path, source->pattern);
	return status;
}

static int gather_directory(struct history_source *source)
{
	int status = PERUN_OK;

	if (source->pattern)
		return gather_pattern(source);
	if (try_asv_project(source, &status) || status || try_pytest(source, &status) || status ||
	    try_data_js(source, &status))
		return status;
	return perun_fail(source->ctx, PERUN_INPUT,
			  "%s: expected results of asv, storage of pytest-benchmark or a data.js; "
			  "for other files give --pattern, such as '" COMMIT "/*.json'",
			  source->path);
}

/* ---- the whole -------------------------------------------------------------------------------- */

struct history_entry *history_add(struct history_source *source)
{
	if (source->count == HISTORY_MAX_ENTRIES) {
		perun_fail(source->ctx, PERUN_INPUT, "more than %d entries", HISTORY_MAX_ENTRIES);
		return NULL;
	}
	PERUN_GROW(source->entries, source->count, source->capacity);
	memset(&source->entries[source->count], 0, sizeof *source->entries);
	return &source->entries[source->count++];
}

void history_free(struct history_source *source)
{
	for (size_t i = 0; i < source->count; i++) {
		struct history_entry *entry = &source->entries[i];

		perun_free(entry->commit);
		perun_free(entry->key);
		perun_free(entry->path);
		perun_buffer_free(&entry->text);
		perun_free(entry->command);
		perun_free(entry->workload);
		perun_free(entry->machine);
	}
	perun_free(source->entries);
	source->entries = NULL;
	source->count = source->capacity = 0;
}

int history_gather(struct history_source *source)
{
	struct stat info;

	if (perun_path_stat(source->path, &info) == 0 && S_ISDIR(info.st_mode))
		return gather_directory(source);
	if (source->pattern)
		return perun_fail(source->ctx, PERUN_USAGE,
				  "--pattern is for directories; %s is not one", source->path);
	return history_gather_file(source, source->path);
}
