/* SPDX-License-Identifier: BSD-3-Clause */
/* tau: a directory of TAU's profile.NODE.CONTEXT.THREAD, or of one such directory for each metric (MULTI__METRIC). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/path.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct entry {
	uint32_t leaf : 31; /* the name of the last function */
	uint32_t path : 1;  /* a call path, not a function alone */
	perun_id stack;
	double calls, own;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	unsigned metric, calls;
	bool first_metric;
	struct entry *entries; /* of the file */
	size_t count, room;
	size_t left; /* lines of functions that are still to come; SIZE_MAX: the heading is not read yet */
	bool titles; /* the line with the names of the columns was read */
	perun_id *frames;
	size_t frame_room;
};

static int wrong(struct reading *reading, const char *expected, const char *line)
{
	return stacks_wrong_line(reading->ctx, reading->lines, expected, line);
}

/* "23 templated_functions_MULTI_TIME" */
static int read_heading(struct reading *reading, char *line)
{
	char *end, *metric;
	unsigned long long count = strtoull(line, &end, 10);

	if (end == line || strncmp(end, " templated_functions", 20) != 0)
		return wrong(reading, "the number of templated functions", line);
	metric = strstr(end, "_MULTI_");
	metric = metric ? metric + 7 : end + strlen(end);
	metric[strcspn(metric, " \r")] = '\0';
	reading->left = (size_t)count;
	if (!*metric || strcmp(metric, "TIME") == 0)
		reading->metric = stacks_measured(reading->stacks, "time", "us");
	else if (strstr(metric, "TIME"))
		reading->metric = stacks_measured(reading->stacks, metric, "us");
	else
		reading->metric = stacks_unsampled(reading->stacks, metric, "");
	reading->first_metric = reading->metric == 0;
	if (reading->first_metric)
		reading->calls = stacks_metric(reading->stacks, "calls", "");
	return PERUN_OK;
}

/* "main [{matmult.c} {89,1}-{120,1}]": what the brackets say is the place. */
static perun_id location_of(struct reading *reading, const char *name, size_t length, perun_id *id)
{
	struct stacks_frame frame = {.name = name};
	const char *open, *close, *line;

	while (length && *name == ' ') {
		name++;
		length--;
	}
	while (length && name[length - 1] == ' ')
		length--;
	frame.name = name;
	open = memmem(name, length, " [{", 3);
	close = open ? memchr(open, '}', (size_t)(name + length - open)) : NULL;
	if (close) {
		frame.file = open + 3;
		frame.file_length = (size_t)(close - frame.file);
		if (!frame.file_length)
			frame.file = NULL;
		line = memchr(close, '{', (size_t)(name + length - close));
		frame.line = line ? strtoll(line + 1, NULL, 10) : 0;
		frame.start_line = frame.line;
		length = (size_t)(open - name);
	}
	frame.length = length;
	if (!length)
		frame.name = "(unknown)";
	*id = perun_builder_string(stacks_builder(reading->stacks), frame.name,
				   length ? length : strlen(frame.name));
	return stacks_frame(reading->stacks, &frame);
}

static int make_stack(struct reading *reading, const char *name, const char *end,
		      struct entry *entry)
{
	size_t count = 0;
	perun_id leaf = 0;

	for (const char *at = name; at;) {
		const char *next = memmem(at, (size_t)(end - at), " => ", 4);
		size_t length = (size_t)((next ? next : end) - at);

		PERUN_GROW(reading->frames, count, reading->frame_room);
		reading->frames[count++] = location_of(reading, at, length, &leaf);
		at = next ? next + 4 : NULL;
	}
	entry->leaf = leaf & INT32_MAX;
	entry->path = count > 1;
	return stacks_make(reading->stacks, reading->frames, count, false, &entry->stack);
}

/* "\"NAME\" CALLS SUBROUTINES EXCLUSIVE INCLUSIVE PROFILECALLS GROUP=\"…\"" */
static int read_function(struct reading *reading, char *line)
{
	char *close, *at, *end;
	struct entry entry = {0};
	double numbers[4];
	int status;

	if (*line != '"')
		return wrong(reading, "a function in quotes", line);
	close = strstr(line, " GROUP=");
	for (close = close ? close : line + strlen(line); close > line && *close != '"'; close--)
		;
	if (close == line)
		return wrong(reading, "a function in quotes", line);
	at = close + 1;
	for (size_t i = 0; i < 4; i++) {
		numbers[i] = perun_strtod(at + strspn(at, " "), &end);
		if (end == at + strspn(at, " "))
			return wrong(reading, "calls, subroutines, exclusive and inclusive values",
				     line);
		at = end;
	}
	status = make_stack(reading, line + 1, close, &entry);
	entry.calls = numbers[0];
	entry.own = numbers[2];
	PERUN_GROW(reading->entries, reading->count, reading->room);
	reading->entries[reading->count++] = entry;
	return status;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	(void)length;
	if (reading->left == SIZE_MAX)
		return read_heading(reading, line);
	if (!reading->titles) {
		reading->titles = true;
		if (*line == '#')
			return PERUN_OK;
	}
	if (!reading->left)
		return PERUN_OK; /* aggregates, user events */
	reading->left--;
	return read_function(reading, line);
}

/* Functions that call paths lead to are in these; those without any are the outermost ones. */
static void add_rows(struct reading *reading, const char *name)
{
	struct stacks_numbers covered = {0};
	char rank[3][24] = {"", "", ""};

	sscanf(name, "profile.%23[0-9].%23[0-9].%23[0-9]", rank[0], rank[1], rank[2]);
	for (size_t i = 0; i < reading->count; i++)
		if (reading->entries[i].path)
			stacks_numbers_add(&covered, reading->entries[i].leaf, 0);
	for (size_t i = 0; i < reading->count; i++) {
		const struct entry *entry = &reading->entries[i];

		if (!entry->path && stacks_numbers_find(&covered, entry->leaf) != UINT32_MAX)
			continue;
		stacks_value(reading->stacks, reading->metric, entry->own);
		if (reading->first_metric)
			stacks_value(reading->stacks, reading->calls, entry->calls);
		stacks_label(reading->stacks, "node", rank[0], strlen(rank[0]));
		stacks_label(reading->stacks, "context", rank[1], strlen(rank[1]));
		stacks_label(reading->stacks, "thread", rank[2], strlen(rank[2]));
		stacks_add(reading->stacks, entry->stack);
	}
	stacks_numbers_free(&covered);
}

static bool is_profile(const char *name)
{
	unsigned node, context, thread;
	int end = 0;

	return sscanf(name, "profile.%u.%u.%u%n", &node, &context, &thread, &end) == 3 &&
	       !name[end];
}

static int read_file(struct reading *reading, struct perun_input *input, const char *name)
{
	int status;

	reading->lines = perun_lines_new(input, 0);
	reading->left = SIZE_MAX;
	reading->titles = false;
	reading->count = 0;
	status = read_each_log_line(reading->ctx, reading->lines, read_line, reading, NULL);
	if (!status && reading->left)
		status = perun_fail(reading->ctx, PERUN_INPUT,
				    "line %llu: the file ends before all functions",
				    (unsigned long long)perun_lines_number(reading->lines));
	perun_lines_free(reading->lines);
	if (!status)
		add_rows(reading, name);
	return status;
}

static int read_directory(struct reading *reading, struct perun_input *input, bool inner);

static int read_child(struct reading *reading, struct perun_input *input, const char *name,
		      bool inner)
{
	struct perun_input *child;
	int status = perun_input_open_child(reading->ctx, input, name, &child);

	if (status)
		return status;
	if (perun_input_is_directory(child))
		status = inner ? PERUN_OK : read_directory(reading, child, true);
	else
		status = read_file(reading, child, name);
	perun_input_close(child);
	return status ? perun_fail(reading->ctx, status, "%s", name) : PERUN_OK;
}

static int read_directory(struct reading *reading, struct perun_input *input, bool inner)
{
	const char *const *names;
	size_t count;
	int status = perun_input_list(reading->ctx, input, &names, &count);

	for (size_t i = 0; !status && i < count; i++) {
		if (is_profile(names[i]) || (!inner && strncmp(names[i], "MULTI__", 7) == 0))
			status = read_child(reading, input, names[i], inner);
		if (!status && perun_cancelled(reading->ctx))
			status = PERUN_CANCELLED;
	}
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .stacks = stacks_begin(ctx, builder, "tau", NULL)};
	int status;

	(void)instance;
	if (perun_input_is_directory(input))
		status = read_directory(&reading, input, false);
	else
		status = read_file(&reading, input, perun_path_base_name(perun_input_name(input)));
	perun_free(reading.entries);
	perun_free(reading.frames);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	for (size_t i = 0; i < probe->entry_count; i++)
		if (is_profile(probe->entries[i]) || strncmp(probe->entries[i], "MULTI__", 7) == 0)
			return 90;
	if (probe->directory)
		return 0;
	return probe_has(probe, " templated_functions") && probe_has(probe, "# Name Calls Subrs")
		       ? 95
		       : 0;
}

static const char *const marks[] = {" templated_functions", NULL};

FORMAT_PLUGIN(tau, "tau", "profiles of TAU", NULL, .patterns = "profile.[0-9]*.[0-9]*.[0-9]*",
	      .contains = marks, .reads_directories = true, .probe = probe_format,
	      .read = read_format);
