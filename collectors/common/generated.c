/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of code that a program generates while it runs, as far as it writes them down. */
#include <config.h>

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/common/generated.h"
#include "collectors/common/jitdump.h"

/* More is not read: the file is the program's. */
#define MAX_FUNCTIONS ((size_t)1 << 22)
#define LONGEST_NAME  4096

struct function {
	uint64_t start, limit;
	uint64_t reach; /* the highest limit up to this one, in order */
	size_t order;   /* in the file */
	char *name;
};

/* A line of source that code begins at; what was written down last counts. */
struct place {
	uint64_t address;
	size_t order; /* of the function that it is of */
	size_t file;
	int64_t line;
};

struct generated {
	struct function *functions; /* by start, then by order */
	size_t count, capacity;
	struct place *places; /* by address, then by order */
	size_t place_count, place_capacity;
	char **files;
	size_t file_count, file_capacity;
};

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void add_function(struct generated *generated, uint64_t start, uint64_t size,
			 const char *name)
{
	if (!*name || size == 0 || start > UINT64_MAX - size || generated->count == MAX_FUNCTIONS)
		return;
	PERUN_GROW(generated->functions, generated->count, generated->capacity);
	generated->functions[generated->count] =
		(struct function){.start = start,
				  .limit = start + size,
				  .order = generated->count,
				  .name = perun_strndup(name, strnlen(name, LONGEST_NAME))};
	generated->count++;
}

static void add_line(struct generated *generated, char *line)
{
	char *end, *name;
	uint64_t start = strtoull(line, &end, 16), size;

	if (end == line || *end != ' ')
		return;
	size = strtoull(end, &name, 16);
	if (name == end || *name != ' ')
		return;
	name += strspn(name, " ");
	name[strcspn(name, "\n")] = '\0';
	add_function(generated, start, size, name);
}

/* Takes the path. */
static FILE *open_own(char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat facts;
	FILE *stream = NULL;

	perun_free(path);
	if (file < 0)
		return NULL;
	/* Anybody can make a file there. */
	if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
	    (facts.st_uid == geteuid() || facts.st_uid == 0))
		stream = fdopen(file, "r");
	if (!stream)
		close(file);
	return stream;
}

/* ---- jit-PID.dump ------------------------------------------------------------------------------- */

/* How V8 calls JavaScript: "JS:*hot a.js:1", older ones "LazyCompile:*hot a.js:1". */
static bool is_of_v8(const char *name)
{
	static const char *const kinds[] = {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
			return true;
	}
	return false;
}

/* V8 counts addresses of lines from the start of an ELF file that perf would make of the code. */
static void take_code(void *data, uint64_t start, uint64_t size, const char *name)
{
	struct generated *generated = data;
	uint64_t shift = is_of_v8(name) ? 64 : 0;

	for (size_t i = generated->place_count; i-- > 0;) {
		struct place *place = &generated->places[i];

		if (place->order != generated->count)
			break;
		place->address -= place->address >= shift ? shift : 0;
	}
	add_function(generated, start, size, name);
}

/* The last one that was at an address has the name; lines are not moved. */
static void take_move(void *data, uint64_t from, uint64_t to, uint64_t size)
{
	struct generated *generated = data;

	for (size_t i = generated->count; i-- > 0;) {
		if (generated->functions[i].start != from)
			continue;
		add_function(generated, to, size, generated->functions[i].name);
		return;
	}
}

static void take_line(void *data, const struct jitdump_line *line)
{
	struct generated *generated = data;
	size_t last = generated->file_count;

	if (generated->place_count == MAX_FUNCTIONS)
		return;
	if (!last || strcmp(generated->files[last - 1], line->file) != 0) {
		PERUN_GROW(generated->files, generated->file_count, generated->file_capacity);
		generated->files[generated->file_count++] = perun_strdup(line->file);
	}
	PERUN_GROW(generated->places, generated->place_count, generated->place_capacity);
	/* They come before the function that they are of. */
	generated->places[generated->place_count++] = (struct place){
		line->address, generated->count, generated->file_count - 1, line->line};
}

/* Where programs write it: the current directory (Node.js), /tmp, and ~/.debug/jit/NAME (Java). */
static FILE *open_dump(int32_t pid)
{
	const char *home = getenv("HOME");
	FILE *file = open_own(perun_format("jit-%d.dump", pid));
	char *pattern;
	glob_t found;

	if (!file)
		file = open_own(perun_format("/tmp/jit-%d.dump", pid));
	if (file || !home || !*home)
		return file;
	pattern = perun_format("%s/.debug/jit/*/jit-%d.dump", home, pid);
	if (glob(pattern, 0, NULL, &found) == 0) {
		file = open_own(perun_strdup(found.gl_pathv[0]));
		globfree(&found);
	}
	perun_free(pattern);
	return file;
}

/* ---- either ------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_all(struct generated *generated)
{
	uint64_t reach = 0;

	if (generated->count)
		qsort(generated->functions, generated->count, sizeof *generated->functions,
		      by_start);
	for (size_t i = 0; i < generated->count; i++) {
		if (generated->functions[i].limit > reach)
			reach = generated->functions[i].limit;
		generated->functions[i].reach = reach;
	}
	if (generated->place_count)
		qsort(generated->places, generated->place_count, sizeof *generated->places,
		      by_place);
}

bool collectors_is_generated(const char *name)
{
	static const char *const names[] = {"//anon",         "[anon", "/memfd:", "/dev/zero",
					    "/anon_hugepage", "/SYSV", "[heap]",  "[stack"};
	bool found = !*name;

	for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
		found = strncmp(name, names[i], strlen(names[i])) == 0;
	return found;
}

struct generated *collectors_generated_read(int32_t pid)
{
	FILE *file = open_own(perun_format("/tmp/perf-%d.map", pid));

	if (!file)
		file = open_dump(pid);
	return file ? collectors_generated_parse(file) : NULL;
}

struct generated *collectors_generated_parse(FILE *file)
{
	static const struct jitdump_handler handler = {take_code, take_move, take_line};
	struct generated *generated = perun_alloc_zero(1, sizeof *generated);
	char *line = NULL;
	size_t size = 0;

	if (!jitdump_read(file, &handler, generated)) {
		rewind(file);
		while (generated->count < MAX_FUNCTIONS && getline(&line, &size, file) > 0)
			add_line(generated, line);
	}
	free(line);
	fclose(file);
	sort_all(generated);
	return generated;
}

void collectors_generated_free(struct generated *generated)
{
	if (!generated)
		return;
	for (size_t i = 0; i < generated->count; i++)
		perun_free(generated->functions[i].name);
	for (size_t i = 0; i < generated->file_count; i++)
		perun_free(generated->files[i]);
	perun_free(generated->functions);
	perun_free(generated->places);
	perun_free(generated->files);
	perun_free(generated);
}

/* The function at an address, of those that hold it the last one that was written down. */
static const struct function *find_function(const struct generated *generated, uint64_t address)
{
	const struct function *found = NULL;
	size_t low = 0, high = generated->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (generated->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* As long as any further down can hold it. */
	while (low-- > 0 && generated->functions[low].reach > address) {
		const struct function *function = &generated->functions[low];

		if (address < function->limit && (!found || function->order > found->order))
			found = function;
	}
	return found;
}

const char *collectors_generated_name(const struct generated *generated, uint64_t address)
{
	const struct function *function = find_function(generated, address);

	return function ? function->name : NULL;
}

const char *collectors_generated_line(const struct generated *generated, uint64_t address,
				      int64_t *line)
{
	const struct function *function = find_function(generated, address);
	size_t low = 0, high = generated->place_count;

	*line = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (generated->places[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (function && low-- > 0 && generated->places[low].address >= function->start) {
		const struct place *place = &generated->places[low];

		if (place->order != function->order)
			continue;
		*line = place->line;
		return generated->files[place->file];
	}
	return "";
}
