/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of code that a program generates while it runs, as far as it writes them down. */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/common/generated.h"

/* More is not read: the file is the program's. */
#define MAX_FUNCTIONS ((size_t)1 << 22)
#define LONGEST_NAME  4096

struct function {
	uint64_t start, limit;
	uint64_t reach; /* the highest limit up to this one, in order */
	size_t order;   /* in the file */
	char *name;
};

struct generated {
	struct function *functions; /* by start, then by order */
	size_t count, capacity;
};

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void add_line(struct generated *generated, char *line)
{
	char *end, *name;
	uint64_t start = strtoull(line, &end, 16), size;

	if (end == line || *end != ' ')
		return;
	size = strtoull(end, &name, 16);
	if (name == end || *name != ' ' || size == 0 || start > UINT64_MAX - size)
		return;
	name += strspn(name, " ");
	name[strcspn(name, "\n")] = '\0';
	if (!*name)
		return;
	PERUN_GROW(generated->functions, generated->count, generated->capacity);
	generated->functions[generated->count] =
		(struct function){.start = start,
				  .limit = start + size,
				  .order = generated->count,
				  .name = perun_strndup(name, strnlen(name, LONGEST_NAME))};
	generated->count++;
}

static FILE *open_map(int32_t pid)
{
	char *path = perun_format("/tmp/perf-%d.map", pid);
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

struct generated *collectors_generated_read(int32_t pid)
{
	FILE *file = open_map(pid);

	return file ? collectors_generated_parse(file) : NULL;
}

struct generated *collectors_generated_parse(FILE *file)
{
	struct generated *generated = perun_alloc_zero(1, sizeof *generated);
	uint64_t reach = 0;
	char *line = NULL;
	size_t size = 0;

	while (generated->count < MAX_FUNCTIONS && getline(&line, &size, file) > 0)
		add_line(generated, line);
	free(line);
	fclose(file);
	if (generated->count)
		qsort(generated->functions, generated->count, sizeof *generated->functions,
		      by_start);
	for (size_t i = 0; i < generated->count; i++) {
		if (generated->functions[i].limit > reach)
			reach = generated->functions[i].limit;
		generated->functions[i].reach = reach;
	}
	return generated;
}

void collectors_generated_free(struct generated *generated)
{
	if (!generated)
		return;
	for (size_t i = 0; i < generated->count; i++)
		perun_free(generated->functions[i].name);
	perun_free(generated->functions);
	perun_free(generated);
}

const char *collectors_generated_name(const struct generated *generated, uint64_t address)
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
	/* Of those that hold it, as long as any further down can. */
	while (low-- > 0 && generated->functions[low].reach > address) {
		const struct function *function = &generated->functions[low];

		if (address < function->limit && (!found || function->order > found->order))
			found = function;
	}
	return found ? found->name : NULL;
}
