/* SPDX-License-Identifier: BSD-3-Clause */
/* perun utils: the files that the Python program keeps in a store beside profiles. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "commands/common/output.h"
#include "commands/common/interleave-options.h"
#include "commands/upkeep/utils.h"

/* Options of the Python program that mean nothing where files have no levels and nothing else is removed. */
#define WITHOUT_EFFECT(option_name)                                                         \
	{                                                                                   \
		.name = option_name, .help = "without effect", .flags = PERUN_OPTION_HIDDEN \
	}

const struct perun_option utils_options[] = {
	{.name = "area",
	 .metavar = "AREA",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "create temp stats",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "what it is about: files in .perun/tmp or in .perun/stats"},
	{.name = "action",
	 .metavar = "ACTION",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "temp: list, delete, sync; stats: list-files, list-versions, delete, clean, sync"},
	{.name = "what",
	 .metavar = "WHAT",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the files: below .perun/tmp; 'file NAME', 'minor REV'; . is all"},
	{.name = "top",
	 .aliases = "-N",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "0",
	 .help = "stats: list up to N (0 = all)",
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e9},
	{.name = "minor",
	 .aliases = "-m --in-minor --from-minor",
	 .metavar = "REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "stats: of this version; . is all"},
	{.name = "sort-by",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "name size protection",
	 .default_value = "name",
	 .help = "lists: in this order; files have no levels of protection"},
	{.name = "sort-by-size", .help = "lists: the largest first"},
	{.name = "no-total-size", .aliases = "-t", .help = "lists: without the line of totals"},
	{.name = "no-file-size",
	 .aliases = "--no-dir-size --no-file-count",
	 .help = "lists: without sizes"},
	{.name = "no-minor", .aliases = "-i", .help = "stats list-files: without versions"},
	{.name = "filter-protection",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "all unprotected protected",
	 .default_value = "all",
	 .help = "temp list: files with this level; they are all unprotected"},
	WITHOUT_EFFECT("no-protection-level"),
	WITHOUT_EFFECT("force"),
	WITHOUT_EFFECT("warn"),
	WITHOUT_EFFECT("keep-custom"),
	{.name = "keep-directories",
	 .aliases = "-k --keep-directory --keep-empty",
	 .help = "do not remove directories that become empty"},
	{.name = "json", .help = "print JSON"},
	{0}};

struct utils {
	struct perun_ctx *ctx;
	const struct perun_command_call *call;
	char *folder; /* .perun/tmp or .perun/stats */
	const char **what;
	size_t count;
	char *minor; /* NULL = all */
};

/* A file: its path in the folder. */
struct file {
	char *path;
	uint64_t size;
};

struct files {
	struct file *items;
	size_t count, capacity;
};

/* ---- reading ------------------------------------------------------------------------------------ */

/* Files below a directory of the folder ("" = itself); links are nothing. */
static void list(const struct utils *utils, const char *inner, struct files *files)
{
	char *path = perun_format("%s%s%s", utils->folder, *inner ? "/" : "", inner);
	int fd = perun_path_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *name = perun_format("%s%s%s", inner, *inner ? "/" : "", entry->d_name);
		char *whole = perun_format("%s/%s", utils->folder, name);
		struct stat facts;

		/* The program's own notes begin with a dot. */
		if (*entry->d_name == '.' || perun_path_stat(whole, &facts) != 0) {
			perun_free(name);
		} else if (S_ISDIR(facts.st_mode)) {
			list(utils, name, files);
			perun_free(name);
		} else if (S_ISREG(facts.st_mode)) {
			PERUN_GROW(files->items, files->count, files->capacity);
			files->items[files->count++] = (struct file){name, (uint64_t)facts.st_size};
		} else {
			perun_free(name);
		}
		perun_free(whole);
	}
	if (stream)
		closedir(stream);
	perun_free(path);
}

static int by_path(const void *one, const void *other)
{
	return strcmp(((const struct file *)one)->path, ((const struct file *)other)->path);
}

static void list_sorted(const struct utils *utils, const char *inner, struct files *files)
{
	list(utils, inner, files);
	if (files->count)
		qsort(files->items, files->count, sizeof *files->items, by_path);
}

static void free_files(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		perun_free(files->items[i].path);
	perun_free(files->items);
	*files = (struct files){0};
}

/* A path that stays in the folder. */
static int check_inner(struct perun_ctx *ctx, const char *path)
{
	bool inside = *path && *path != '/';

	for (const char *at = path; inside && at; at = strchr(at, '/')) {
		at += *at == '/';
		inside = strncmp(at, "..", 2) != 0 || (at[2] && at[2] != '/');
	}
	return inside ? PERUN_OK
		      : perun_fail(ctx, PERUN_USAGE, "%s is not below the folder",
				   *path ? path : "''");
}

/* "ab/cdef.../name" of stats: its version; false for what is of none. */
static bool version_of(const char *path, char checksum[65])
{
	size_t length = strspn(path + (strlen(path) > 2 ? 3 : 0), "0123456789abcdef");

	if (strlen(path) < 4 || path[2] != '/' || (length != 38 && length != 62) ||
	    path[3 + length] != '/')
		return false;
	memcpy(checksum, path, 2);
	memcpy(checksum + 2, path + 3, length);
	checksum[2 + length] = '\0';
	return strspn(checksum, "0123456789abcdef") == 2 + length;
}

/* ---- printing ----------------------------------------------------------------------------------- */

static void print_file(const struct utils *utils, const struct file *file)
{
	const struct perun_options *options = utils->call->options;
	const char *name = file->path;
	char checksum[65];

	if (perun_option_flag(options, "no-minor") && version_of(name, checksum))
		name = strrchr(name, '/') + 1;
	if (!perun_option_flag(options, "no-file-size"))
		perun_output_printf(utils->call->output, "%12" PRIu64 "  ", file->size);
	commands_print_safe(utils->call, name);
	perun_output_text(utils->call->output, "\n");
}

static void print_files(const struct utils *utils, const struct files *files, size_t most)
{
	uint64_t total = 0;

	for (size_t i = 0; i < files->count; i++) {
		total += files->items[i].size;
		if (!most || i < most)
			print_file(utils, &files->items[i]);
	}
	if (!perun_option_flag(utils->call->options, "no-total-size"))
		perun_output_printf(utils->call->output, "%zu file%s, %" PRIu64 " bytes\n",
				    files->count, files->count == 1 ? "" : "s", total);
}

static int by_size(const void *one, const void *other)
{
	const struct file *a = one, *b = other;

	return a->size != b->size ? (a->size < b->size) - (a->size > b->size)
				  : strcmp(a->path, b->path);
}

/* As options ask for. */
static void arrange(const struct utils *utils, struct files *files)
{
	const struct perun_options *options = utils->call->options;

	if (files->count && (perun_option_flag(options, "sort-by-size") ||
			     strcmp(perun_option_string(options, "sort-by"), "size") == 0))
		qsort(files->items, files->count, sizeof *files->items, by_size);
	if (strcmp(perun_option_string(options, "filter-protection"), "protected") == 0) {
		for (size_t i = 0; i < files->count; i++)
			perun_free(files->items[i].path);
		files->count = 0;
	}
}

static void print_list(const struct utils *utils, struct files *files)
{
	size_t most = (size_t)perun_option_integer(utils->call->options, "top");
	struct perun_json *document, *items;

	arrange(utils, files);
	if (!perun_option_flag(utils->call->options, "json")) {
		print_files(utils, files, most);
		return;
	}
	document = perun_json_object();
	items = perun_json_array();
	for (size_t i = 0; i < files->count && (!most || i < most); i++) {
		struct perun_json *item = perun_json_object();

		perun_json_set(item, "path", commands_text(files->items[i].path));
		perun_json_set(item, "size", perun_json_int64((int64_t)files->items[i].size));
		perun_json_append(items, item);
	}
	perun_json_set(document, "folder", commands_text(utils->folder));
	perun_json_set(document, "files", items);
	commands_print_json(utils->call, document);
}

/* Files become versions, each with how much it has. */
static void add_up(struct files *files)
{
	char checksum[65], last[65] = "";
	size_t used = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct file file = files->items[i];
		bool same = version_of(file.path, checksum) && strcmp(checksum, last) == 0;

		perun_free(file.path);
		if (same)
			files->items[used - 1].size += file.size;
		else
			files->items[used++] = (struct file){perun_strdup(checksum), file.size};
		memcpy(last, checksum, sizeof last);
	}
	files->count = used;
}

/* ---- removing ----------------------------------------------------------------------------------- */

/* What has a lock is in use. */
static bool is_in_use(const char *path)
{
	int file = perun_path_open_locked(path, 0, LOCK_EX);
	bool busy = file < 0 && errno == EWOULDBLOCK;

	if (file >= 0)
		close(file);
	return busy;
}

/* And the directories above that become empty. */
static int remove_file(const struct utils *utils, const char *inner)
{
	char *path = perun_format("%s/%s", utils->folder, inner), *slash;
	int status = PERUN_OK;

	if (is_in_use(path))
		status = perun_fail(utils->ctx, PERUN_INPUT, "%s is in use", path);
	else if (perun_path_unlink(path) != 0 && errno != ENOENT)
		status = perun_fail_errno(utils->ctx, PERUN_INPUT, errno, "cannot remove %s", path);
	while (!status && !perun_option_flag(utils->call->options, "keep-directories") &&
	       (slash = strrchr(path, '/')) && (size_t)(slash - path) > strlen(utils->folder)) {
		*slash = '\0';
		if (rmdir(path) != 0)
			break;
	}
	perun_free(path);
	return status;
}

static int remove_files(const struct utils *utils, const struct files *files)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < files->count; i++)
		status = remove_file(utils, files->items[i].path);
	if (!status)
		perun_output_printf(utils->call->output, "%zu file%s removed\n", files->count,
				    files->count == 1 ? "" : "s");
	return status;
}

/* ---- temp --------------------------------------------------------------------------------------- */

/* A file, or a directory; "." is all. */
static int find_temp(const struct utils *utils, const char *given, struct files *files)
{
	char *path = perun_format("%s/%s", utils->folder, given);
	struct stat facts;
	int status = check_inner(utils->ctx, given);
	bool there = !status && perun_path_stat(path, &facts) == 0;

	if (there && S_ISREG(facts.st_mode)) {
		PERUN_GROW(files->items, files->count, files->capacity);
		files->items[files->count++] =
			(struct file){perun_strdup(given), (uint64_t)facts.st_size};
	} else if (there && S_ISDIR(facts.st_mode)) {
		list_sorted(utils, strcmp(given, ".") ? given : "", files);
	} else if (!status) {
		status = perun_fail(utils->ctx, PERUN_USAGE, "there is no %s", path);
	}
	perun_free(path);
	return status;
}

static int run_temp(const struct utils *utils, const char *action)
{
	bool deletes = strcmp(action, "delete") == 0;
	struct files files = {0};
	int status;

	if (strcmp(action, "sync") == 0)
		return PERUN_OK; /* there is no list that could differ */
	if (!deletes && strcmp(action, "list") != 0)
		return perun_fail(utils->ctx, PERUN_USAGE,
				  "utils temp: expected list, delete or sync, found %s", action);
	if (utils->count > 1 || (deletes && !utils->count))
		return perun_fail(utils->ctx, PERUN_USAGE, "utils temp %s: expected %s", action,
				  deletes ? "a path below .perun/tmp" : "at most one path");
	status = find_temp(utils, utils->count ? utils->what[0] : ".", &files);
	if (!status && deletes)
		status = remove_files(utils, &files);
	else if (!status)
		print_list(utils, &files);
	free_files(&files);
	return status;
}

/* ---- stats -------------------------------------------------------------------------------------- */

/* Of all versions, or one; of all names, or one. */
static void find_stats(const struct utils *utils, const char *name, struct files *files)
{
	size_t used = 0;

	list_sorted(utils, "", files);
	for (size_t i = 0; i < files->count; i++) {
		char checksum[65], *path = files->items[i].path;
		bool wanted = version_of(path, checksum) &&
			      (!utils->minor || strcmp(checksum, utils->minor) == 0) &&
			      (!name || strcmp(strrchr(path, '/') + 1, name) == 0);

		if (wanted)
			files->items[used++] = files->items[i];
		else
			perun_free(path);
	}
	files->count = used;
}

/* "file NAME", "minor REV" or ".". */
static int delete_stats(struct utils *utils)
{
	const char *kind = utils->count ? utils->what[0] : "";
	bool file = strcmp(kind, "file") == 0, minor = strcmp(kind, "minor") == 0;
	struct files files = {0};
	int status = PERUN_OK;

	if (!(utils->count == 2 && (file || minor)) &&
	    !(utils->count == 1 && strcmp(kind, ".") == 0))
		return perun_fail(utils->ctx, PERUN_USAGE,
				  "utils stats delete: expected file NAME, minor REV or .");
	if (minor) {
		struct perun_store *store;

		perun_free(utils->minor);
		utils->minor = NULL;
		status = perun_command_store(utils->call, utils->ctx, true, &store);
		if (!status)
			status = perun_lookup_version(utils->ctx, store, utils->what[1],
						      &utils->minor);
	}
	if (!status) {
		find_stats(utils, file ? utils->what[1] : NULL, &files);
		status = file && !files.count
				 ? perun_fail(utils->ctx, PERUN_USAGE, "no version has a file %s",
					      utils->what[1])
				 : remove_files(utils, &files);
	}
	free_files(&files);
	return status;
}

/* Directories that have nothing in them. */
static void remove_empty(const char *path, unsigned depth)
{
	int fd = perun_path_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (stream && depth && (entry = readdir(stream))) {
		char *inner;

		if (*entry->d_name == '.')
			continue;
		inner = perun_format("%s/%s", path, entry->d_name);
		remove_empty(inner, depth - 1);
		(void)rmdir(inner);
		perun_free(inner);
	}
	if (stream)
		closedir(stream);
}

static int run_stats(struct utils *utils, const char *action)
{
	bool versions = strcmp(action, "list-versions") == 0;
	struct files files = {0};

	if (strcmp(action, "sync") == 0)
		return PERUN_OK;
	if (strcmp(action, "delete") == 0)
		return delete_stats(utils);
	if (strcmp(action, "clean") == 0) {
		if (!perun_option_flag(utils->call->options, "keep-directories"))
			remove_empty(utils->folder, 2);
		return PERUN_OK;
	}
	if (!versions && strcmp(action, "list-files") != 0)
		return perun_fail(utils->ctx, PERUN_USAGE,
				  "utils stats: expected list-files, list-versions, delete, clean "
				  "or sync, found %s",
				  action);
	find_stats(utils, NULL, &files);
	if (versions)
		add_up(&files);
	print_list(utils, &files);
	free_files(&files);
	return PERUN_OK;
}

/* ---- both --------------------------------------------------------------------------------------- */

int utils_run(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const char *area = perun_option_string(call->options, "area");
	const char *action = perun_option_string(call->options, "action");
	const char *minor = perun_option_string(call->options, "minor");
	struct utils utils = {.ctx = ctx, .call = call};
	struct perun_store *store;
	int status;

	if (strcmp(area, "create") == 0)
		return perun_fail(
			ctx, PERUN_USAGE,
			"perun plugin create KIND NAME writes a plugin that builds at once");
	status = perun_command_store(call, ctx, true, &store);
	if (!status && minor && strcmp(minor, ".") != 0)
		status = perun_lookup_version(ctx, store, minor, &utils.minor);
	if (status)
		return status;
	utils.folder = perun_format("%s/%s", perun_store_path(store),
				    strcmp(area, "temp") == 0 ? "tmp" : "stats");
	utils.what = commands_words(call->options, "what");
	utils.count = perun_option_count(call->options, "what");
	status = strcmp(area, "temp") == 0 ? run_temp(&utils, action) : run_stats(&utils, action);
	perun_free((void *)utils.what);
	perun_free(utils.minor);
	perun_free(utils.folder);
	return status;
}
