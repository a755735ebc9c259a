/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of tracefs: lines that are written to uprobe_events (Documentation/trace/uprobetracer.rst of Linux). */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "tracefs.h"

#define GROUP "perun_" /* and the number of our process */

enum field { FIELD_TARGET, FIELD_STACK, FIELD_BACK, FIELD_SIZE, FIELDS };

struct event {
	bool defined;
	uint64_t number;
	size_t at[FIELDS]; /* offsets in what a sample has */
};

struct tracefs {
	const struct targets *targets;
	const char *folder;
	int file; /* uprobe_events */
	struct event events[TRACEFS_KINDS];
};

static const char *const kinds[] = {
	[TRACEFS_ENTRY] = "entry", [TRACEFS_RETURN] = "return", [TRACEFS_EXIT] = "exit"};
static const char *const fields[] = {[FIELD_TARGET] = "target",
				     [FIELD_STACK] = "stack",
				     [FIELD_BACK] = "back",
				     [FIELD_SIZE] = "size"};
static const char *const arguments[] = {"di", "si", "dx", "cx", "r8", "r9"};

static int open_events(const char **folder)
{
	static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	int file = -1;

	for (size_t i = 0; file < 0 && i < sizeof folders / sizeof *folders; i++) {
		char *path = perun_format("%s/uprobe_events", folders[i]);

		*folder = folders[i];
		/* Appending: else all events of the system would be removed. */
		file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
		perun_free(path);
	}
	return file;
}

bool tracefs_usable(void)
{
	const char *folder;
	int file = open_events(&folder);

	if (file >= 0)
		close(file);
	return file >= 0;
}

/* ---- what others left ----------------------------------------------------------------------------- */

/* Of runs that were killed. */
static void remove_leftovers(const struct tracefs *tracefs)
{
	char *path = perun_format("%s/uprobe_events", tracefs->folder);
	FILE *file = fopen(path, "re");
	char *line = NULL, *last = perun_strdup("");
	size_t size = 0;

	/* "p:perun_123/entry /bin/program:0x1234 ...", a line for each breakpoint. */
	while (file && getline(&line, &size, file) > 0) {
		char *name = line + 2, *end = strchr(line, ' ');
		long process = strncmp(name, GROUP, strlen(GROUP)) == 0
				       ? strtol(name + strlen(GROUP), NULL, 10)
				       : 0;

		if (!end || process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH)
			continue;
		*end = '\0';
		if (strcmp(name, last) == 0)
			continue;
		perun_free(last);
		last = perun_strdup(name);
		(void)!dprintf(tracefs->file, "-:%s\n", name);
	}
	if (file)
		fclose(file);
	free(line);
	perun_free(last);
	perun_free(path);
}

/* ---- defining ------------------------------------------------------------------------------------- */

static void add_size(const struct targets *targets, const struct target *target,
		     struct perun_buffer *line)
{
	const struct target_size *size = target->size >= 0 ? &targets->sizes[target->size] : NULL;

	if (!size)
		perun_buffer_add_text(line, " size=\\0:u64");
	else if (size->memory)
		perun_buffer_printf(line, " size=%+" PRId64 "(%%%s):u64", size->offset,
				    arguments[size->argument - 1]);
	else
		perun_buffer_printf(line, " size=%%%s:u64", arguments[size->argument - 1]);
}

static bool define(struct tracefs *tracefs, size_t number, enum tracefs_kind kind, uint64_t offset)
{
	const struct target *target = &tracefs->targets->items[number];
	const char *path = tracefs->targets->files[target->file];
	char *whole = realpath(path, NULL);
	struct perun_buffer line = {0};
	bool good;

	perun_buffer_printf(&line, "%c:" GROUP "%d/%s %s:0x%" PRIx64,
			    kind == TRACEFS_RETURN ? 'r' : 'p', (int)getpid(), kinds[kind],
			    whole ? whole : path, offset);
	/* All of an event have fields of the same names and types; their values may come from elsewhere. */
	perun_buffer_printf(&line, " target=\\%zu:u64 stack=%%sp:u64 back=+0(%%sp):u64", number);
	add_size(tracefs->targets, target, &line);
	perun_buffer_add_char(&line, '\n');
	/* There is no way to write such a name. */
	good = !strpbrk(whole ? whole : path, " \t\n") &&
	       perun_write_all(tracefs->file, line.data, line.length) == 0;
	tracefs->events[kind].defined |= good;
	perun_buffer_free(&line);
	free(whole);
	return good;
}

static bool define_target(struct tracefs *tracefs, size_t number)
{
	const struct target *target = &tracefs->targets->items[number];
	bool good = define(tracefs, number, TRACEFS_ENTRY, target->offset);

	if (good && target->kind == TARGET_FUNCTION && !target->exits)
		good = define(tracefs, number, TRACEFS_RETURN, target->offset);
	for (size_t i = 0; good && i < target->exit_count; i++)
		good = define(tracefs, number, TRACEFS_EXIT, target->exits[i]);
	return good;
}

/* "	field:u64 target;	offset:16;	size:8;	signed:0;" */
static bool find_field(const char *format, const char *name, size_t *at)
{
	char *text = perun_format("field:u64 %s;", name);
	const char *found = strstr(format, text);

	found = found ? strstr(found, "offset:") : NULL;
	if (found)
		*at = strtoul(found + strlen("offset:"), NULL, 10);
	perun_free(text);
	return found != NULL;
}

static bool read_event(struct tracefs *tracefs, enum tracefs_kind kind)
{
	struct event *event = &tracefs->events[kind];
	char *path = perun_format("%s/events/" GROUP "%d/%s/format", tracefs->folder, (int)getpid(),
				  kinds[kind]);
	struct perun_buffer format = {0};
	const char *number;
	bool good = perun_path_read(path, &format) == 0 && format.data != NULL;

	number = good ? strstr(format.data, "ID: ") : NULL;
	if (number)
		event->number = strtoull(number + strlen("ID: "), NULL, 10);
	good = event->number != 0;
	for (size_t i = 0; good && i < FIELDS; i++)
		good = find_field(format.data, fields[i], &event->at[i]);
	perun_buffer_free(&format);
	perun_free(path);
	return good;
}

bool tracefs_open(const struct targets *targets, const bool *left_out, struct tracefs **result)
{
	struct tracefs *tracefs = perun_alloc_zero(1, sizeof *tracefs);
	bool good;

	tracefs->targets = targets;
	tracefs->file = open_events(&tracefs->folder);
	good = tracefs->file >= 0;
	if (good)
		remove_leftovers(tracefs);
	for (size_t i = 0; good && i < targets->count; i++)
		good = (left_out && left_out[i]) || define_target(tracefs, i);
	for (size_t i = 0; good && i < TRACEFS_KINDS; i++)
		good = !tracefs->events[i].defined || read_event(tracefs, i);
	if (!good) {
		tracefs_close(tracefs);
		tracefs = NULL;
	}
	*result = tracefs;
	return good;
}

void tracefs_close(struct tracefs *tracefs)
{
	if (!tracefs)
		return;
	for (size_t i = 0; i < TRACEFS_KINDS; i++)
		if (tracefs->events[i].defined)
			(void)!dprintf(tracefs->file, "-:" GROUP "%d/%s\n", (int)getpid(),
				       kinds[i]);
	if (tracefs->file >= 0)
		close(tracefs->file);
	perun_free(tracefs);
}

/* ---- reading -------------------------------------------------------------------------------------- */

bool tracefs_event(const struct tracefs *tracefs, enum tracefs_kind kind, uint64_t *number)
{
	*number = tracefs->events[kind].number;
	return tracefs->events[kind].defined;
}

bool tracefs_read(const struct tracefs *tracefs, enum tracefs_kind kind, const char *raw,
		  size_t size, struct tracefs_hit *hit)
{
	const struct event *event = &tracefs->events[kind];
	uint64_t values[FIELDS];

	for (size_t i = 0; i < FIELDS; i++) {
		if (event->at[i] > size || size - event->at[i] < sizeof *values)
			return false;
		memcpy(&values[i], raw + event->at[i], sizeof *values);
	}
	*hit = (struct tracefs_hit){values[FIELD_TARGET], values[FIELD_STACK], values[FIELD_BACK],
				    (int64_t)values[FIELD_SIZE]};
	return hit->target < tracefs->targets->count;
}
