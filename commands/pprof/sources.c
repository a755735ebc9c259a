/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files of a program: finding them and reading their lines. */
#include "sources.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No source is larger; a longer file is cut. */
#define MAX_BYTES ((size_t)64 << 20)

static char *reason(const char *path, int error)
{
	char *text = perun_format("open %s: %s", path, strerror(error));
	char *words = text + strlen("open ") + strlen(path) + 2;

	*words = (char)tolower((unsigned char)*words);
	return text;
}

/* Open below a directory or one of its parents. */
static int open_upwards(const char *directory, const char *path)
{
	char *at = perun_strdup(*directory ? directory : ".");
	int file = -1;

	while (file < 0) {
		char *name = perun_format("%s/%s", at, path), *slash = strrchr(at, '/');

		file = open(name, O_RDONLY | O_CLOEXEC);
		perun_free(name);
		if (strcmp(at, "/") == 0 || strcmp(at, ".") == 0)
			break;
		if (!slash)
			strcpy(at, ".");
		else if (slash == at)
			strcpy(at, "/");
		else
			*slash = '\0';
	}
	perun_free(at);
	return file;
}

static int open_source(struct pprof_source *source, const char *search)
{
	const char *rest = search;
	int file = -1;

	if (*source->path == '/') {
		file = open(source->path, O_RDONLY | O_CLOEXEC);
		if (file < 0)
			source->error = reason(source->path, errno);
		return file;
	}
	while (file < 0 && *rest) {
		size_t length = strcspn(rest, ":");
		char *directory = perun_strndup(rest, length);

		file = open_upwards(directory, source->path);
		perun_free(directory);
		rest += length + (rest[length] == ':');
	}
	if (file < 0)
		source->error =
			perun_format("could not find file %s on path %s", source->path, search);
	return file;
}

static void read_text(struct pprof_source *source, int file, struct perun_buffer *text)
{
	struct stat status;
	ssize_t got = 0;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode)) {
		source->error = perun_format("read %s: is a directory", source->path);
		return;
	}
	do {
		char *room = perun_buffer_reserve(text, 65536);

		got = read(file, room, 65536);
		text->length += got > 0 ? (size_t)got : 0;
	} while (got > 0 && text->length < MAX_BYTES);
}

static void find_lines(struct pprof_source *source, size_t length)
{
	size_t capacity = 0;

	for (size_t at = 0; at <= length;) {
		const char *end;

		PERUN_GROW(source->starts, source->lines, capacity);
		source->starts[source->lines++] = at;
		if (at == length)
			break;
		end = memchr(source->text + at, '\n', length - at);
		at = end ? (size_t)(end - source->text) + 1 : length;
	}
	source->lines--; /* the last is the end */
}

void pprof_source_read(struct pprof_source *source, const char *path, const char *search)
{
	struct perun_buffer text = {0};
	size_t length;
	int file;

	pprof_source_clear(source);
	source->path = perun_strdup(path);
	file = open_source(source, search);
	if (file >= 0) {
		read_text(source, file, &text);
		close(file);
	}
	length = text.length;
	source->text = perun_buffer_take(&text);
	find_lines(source, length);
}

void pprof_source_clear(struct pprof_source *source)
{
	perun_free(source->path);
	perun_free(source->text);
	perun_free(source->starts);
	perun_free(source->error);
	*source = (struct pprof_source){0};
}

bool pprof_source_line(const struct pprof_source *source, int64_t number, const char **line,
		       size_t *length)
{
	size_t start, end;

	if (number < 1 || (uint64_t)number > source->lines)
		return false;
	start = source->starts[number - 1];
	end = source->starts[number];
	if (end > start && source->text[end - 1] == '\n')
		end--;
	if (end > start && source->text[end - 1] == '\r')
		end--;
	*line = source->text + start;
	*length = end - start;
	return true;
}
