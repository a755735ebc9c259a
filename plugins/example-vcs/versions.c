/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of versions of tagit: reading, searching and changing the file. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "versions.h"

static const char heading[] =
	"# Versions of this project, oldest first. A line each, fields separated by tabs:\n"
	"# NAME, DATE (2026-01-31T12:00:00Z), AUTHOR, DIRECTORY of its files, DESCRIPTION.\n"
	"# AUTHOR and DIRECTORY may be \"-\". A line \"HEAD<tab>NAME\" names the current one.\n";

/* FNV-1a with four offsets: 256 bits. A name, no protection. */
static void make_checksum(const char *name, char checksum[PERUN_CHECKSUM_SIZE])
{
	for (unsigned part = 0; part < 4; part++) {
		uint64_t hash = 14695981039346656037u + part * 0x9e3779b97f4a7c15u;

		for (const char *c = name; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 1099511628211u;
		hash ^= hash >> 29;
		snprintf(checksum + part * 16, 17, "%016llx", (unsigned long long)hash);
	}
}

static char *field(char **rest)
{
	char *text = strsep(rest, "\t");

	return perun_strdup(text && strcmp(text, "-") != 0 ? text : "");
}

/* Returns what is wrong with the line, or NULL. */
static const char *parse_line(char *line, struct tagit_versions *versions, char **head)
{
	struct tagit_version version = {0};
	struct tm time = {0};
	char *rest = line, *name = strsep(&rest, "\t"), *date;
	const char *end;

	if (!*name)
		return "expected a name at the start of the line";
	if (strcmp(name, "HEAD") == 0) {
		perun_free(*head);
		*head = perun_strdup(rest ? rest : "");
		return NULL;
	}
	date = strsep(&rest, "\t");
	end = date ? strptime(date, "%Y-%m-%dT%H:%M:%S", &time) : NULL;
	if (!end || (*end && strcmp(end, "Z") != 0))
		return "expected a date like 2026-01-31T12:00:00Z in the second field";
	make_checksum(name, version.checksum);
	version.name = perun_strdup(name);
	version.date = timegm(&time);
	version.author = field(&rest);
	version.directory = field(&rest);
	version.description = perun_strdup(rest ? rest : "");
	PERUN_GROW(versions->items, versions->count, versions->capacity);
	versions->items[versions->count++] = version;
	return NULL;
}

static int parse_file(struct perun_ctx *ctx, FILE *file, const char *path,
		      struct tagit_versions *versions, char **head)
{
	char *line = NULL;
	const char *problem = NULL;
	size_t size = 0, number = 0;

	while (!problem && getline(&line, &size, file) > 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (*line && *line != '#')
			problem = parse_line(line, versions, head);
	}
	free(line);
	if (problem)
		return perun_fail(ctx, PERUN_INPUT, "%s, line %zu: %s", path, number, problem);
	return PERUN_OK;
}

int tagit_read(struct perun_ctx *ctx, const char *root, struct tagit_versions *versions)
{
	char *path = perun_format("%s/" TAGIT_FILE, root), *head = NULL;
	const struct tagit_version *found;
	FILE *file = fopen(path, "re");
	int status;

	*versions = (struct tagit_versions){0};
	if (!file) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
		perun_free(path);
		return status;
	}
	status = parse_file(ctx, file, path, versions, &head);
	fclose(file);
	versions->head = versions->count ? versions->count - 1 : 0;
	if (!status && head) {
		found = tagit_find(versions, head);
		if (found)
			versions->head = (size_t)(found - versions->items);
		else
			status = perun_fail(ctx, PERUN_INPUT,
					    "%s: HEAD names %s, which is not in the list", path,
					    head);
	}
	perun_free(head);
	perun_free(path);
	return status;
}

void tagit_free(struct tagit_versions *versions)
{
	for (size_t i = 0; i < versions->count; i++) {
		perun_free(versions->items[i].name);
		perun_free(versions->items[i].author);
		perun_free(versions->items[i].directory);
		perun_free(versions->items[i].description);
	}
	perun_free(versions->items);
	*versions = (struct tagit_versions){0};
}

const struct tagit_version *tagit_find(const struct tagit_versions *versions, const char *what)
{
	const struct tagit_version *found = NULL;
	size_t length = strlen(what);

	if (strncmp(what, "HEAD", 4) == 0 && (!what[4] || what[4] == '~') && versions->count) {
		size_t back = what[4] ? (what[5] ? strtoul(what + 5, NULL, 10) : 1) : 0;

		return back <= versions->head ? &versions->items[versions->head - back] : NULL;
	}
	for (size_t i = 0; i < versions->count; i++)
		if (strcmp(versions->items[i].name, what) == 0)
			return &versions->items[i];
	for (size_t i = 0; length >= 4 && i < versions->count; i++) {
		if (strncmp(versions->items[i].checksum, what, length) != 0)
			continue;
		if (found)
			return NULL; /* ambiguous */
		found = &versions->items[i];
	}
	return found;
}

/* Write the old file with the HEAD lines left out, `line` added, and put it in place. */
static int rewrite(struct perun_ctx *ctx, const char *root, const char *line)
{
	char *path = perun_format("%s/" TAGIT_FILE, root);
	char *temporary = perun_format("%s/" TAGIT_FILE ".new", root), *old = NULL;
	FILE *from = fopen(path, "re"), *to = fopen(temporary, "we");
	size_t size = 0;
	int status = PERUN_OK;

	while (from && to && getline(&old, &size, from) > 0)
		if (strncmp(old, "HEAD\t", 5) != 0)
			fputs(old, to);
	if (!to || !from || ferror(from) || fputs(line, to) < 0 || fflush(to) != 0 ||
	    fsync(fileno(to)) != 0 || rename(temporary, path) != 0) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
		unlink(temporary);
	}
	if (from)
		fclose(from);
	if (to)
		fclose(to);
	free(old);
	perun_free(path);
	perun_free(temporary);
	return status;
}

static bool has_tab_or_newline(const char *text)
{
	return strpbrk(text, "\t\r\n") != NULL;
}

int tagit_append(struct perun_ctx *ctx, const char *root, const struct tagit_version *version)
{
	struct tm time;
	time_t date = (time_t)version->date;
	char stamp[32], *line;
	int status;

	if (!*version->name || *version->name == '#' || strcmp(version->name, "HEAD") == 0 ||
	    has_tab_or_newline(version->name) || has_tab_or_newline(version->directory) ||
	    has_tab_or_newline(version->description) || has_tab_or_newline(version->author))
		return perun_fail(
			ctx, PERUN_USAGE,
			"names and descriptions hold no tabs or line breaks, and a name is "
			"neither empty nor HEAD nor begins with '#'");
	gmtime_r(&date, &time);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &time);
	line = perun_format("%s\t%s\t%s\t%s\t%s\n", version->name, stamp,
			    *version->author ? version->author : "-",
			    *version->directory ? version->directory : "-", version->description);
	status = rewrite(ctx, root, line);
	perun_free(line);
	return status;
}

int tagit_set_head(struct perun_ctx *ctx, const char *root, const char *name)
{
	char *line = perun_format("HEAD\t%s\n", name);
	int status = rewrite(ctx, root, line);

	perun_free(line);
	return status;
}

int tagit_create(struct perun_ctx *ctx, const char *root)
{
	char *path = perun_format("%s/" TAGIT_FILE, root);
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), status = PERUN_OK;

	if (file < 0) {
		if (errno != EEXIST)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
	} else if (write(file, heading, sizeof heading - 1) != sizeof heading - 1) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
		unlink(path);
	}
	if (file >= 0)
		close(file);
	perun_free(path);
	return status;
}

char *tagit_discover(const char *path)
{
	char *root = realpath(path, NULL), *result = NULL, *slash;

	while (root && *root) {
		char *file = perun_format("%s/" TAGIT_FILE, root);
		bool found = access(file, R_OK) == 0;

		perun_free(file);
		if (found) {
			result = perun_strdup(root);
			break;
		}
		slash = strrchr(root, '/');
		*slash = '\0';
	}
	free(root);
	return result;
}
