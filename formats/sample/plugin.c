/* SPDX-License-Identifier: BSD-3-Clause */
/* sample: call graphs of macOS' sample(1) and Activity Monitor. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	unsigned running, waiting;
	struct stacks_tree tree;
	struct perun_buffer name;
	bool *waits; /* whether an open frame is where a thread waits */
	size_t wait_room;
	bool begun, ended;
};

/* Calls in which a thread waits: what FlameGraph's stackcollapse-sample.awk leaves out. */
static bool is_waiting(const char *name, size_t length)
{
	static const char *const calls[] = {"__psynch_cvwait",
					    "__select",
					    "__semwait_signal",
					    "__ulock_wait",
					    "__wait4",
					    "__workq_kernreturn",
					    "kevent",
					    "mach_msg_trap",
					    "read",
					    "semaphore_wait_trap"};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strlen(calls[i]) == length && memcmp(calls[i], name, length) == 0)
			return true;
	return false;
}

/* Whether frames that end belong to waiting is a matter of the leaf alone. */
static int close_to(struct reading *reading, size_t depth)
{
	int status = PERUN_OK;

	while (!status && reading->tree.path.count > depth) {
		size_t last = reading->tree.path.count - 1;

		reading->tree.metric = reading->waits[last] ? reading->waiting : reading->running;
		status = stacks_tree_close(&reading->tree, last);
	}
	return status;
}

/* "main  (in rg) + 41  [0x10384b549]", "???  (in x)  load address 0x1 + 0x2  [0x3]", "Thread_1   DispatchQueue_1: …" */
static perun_id location_of(struct reading *reading, const char *text, bool *waits)
{
	const char *in = strstr(text, "  (in "), *close = in ? strchr(in, ')') : NULL;
	const char *address = strrchr(text, '['), *blanks = strstr(text, "  ");
	size_t length = in ? (size_t)(in - text) : blanks ? (size_t)(blanks - text) : strlen(text);
	struct stacks_frame frame = {0};

	if (close && close > in + 6) {
		frame.module = in + 6;
		frame.module_length = (size_t)(close - frame.module);
	}
	if (address && strncmp(address, "[0x", 3) == 0)
		frame.address = strtoull(address + 1, NULL, 16);
	*waits = is_waiting(text, length);
	perun_buffer_clear(&reading->name);
	stacks_add_rust_name(&reading->name, text, length);
	frame.name = reading->name.data;
	frame.length = reading->name.length;
	return stacks_frame(reading->stacks, &frame);
}

/* "    + !   825 main  (in rg) + 41": two columns for each level, from column 4 on. */
static int read_frame(struct reading *reading, const char *line)
{
	size_t column = strspn(line, " +!:|"), depth;
	unsigned long long samples;
	perun_id frame;
	char *end;
	bool waits;
	int status;

	samples = strtoull(line + column, &end, 10);
	if (column < 4 || column % 2 || end == line + column || *end != ' ' || !end[1] ||
	    end[1] == ' ')
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "SAMPLES FUNCTION  (in MODULE)", line);
	depth = (column - 4) / 2;
	if (depth > reading->tree.path.count)
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a function one level below its caller", line);
	status = close_to(reading, depth);
	if (status)
		return status;
	frame = location_of(reading, end + 1, &waits);
	PERUN_GROW(reading->waits, depth, reading->wait_room);
	reading->waits[depth] = waits;
	return stacks_tree_open(&reading->tree, depth, frame, (double)samples);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	if (!reading->begun) {
		reading->begun = strcmp(line, "Call graph:") == 0;
		if (strncmp(line, "Path:", 5) == 0)
			stacks_command(reading->stacks, line + 5 + strspn(line + 5, " "));
		return PERUN_OK;
	}
	if (reading->ended || !length) {
		reading->ended =
			reading->ended || stacks_rows(reading->stacks) || reading->tree.path.count;
		return PERUN_OK;
	}
	return read_frame(reading, line);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "sample", NULL);
	reading.running = stacks_metric(reading.stacks, "samples", "");
	reading.waiting = stacks_metric(reading.stacks, "waiting", "");
	reading.tree.stacks = reading.stacks;
	status = read_each_line(ctx, reading.lines, read_line, &reading);
	if (!status)
		status = close_to(&reading, 0);
	/* An empty line ends the graph, then come the binary images. */
	if (!status && reading.begun && !reading.ended)
		status = perun_fail(ctx, PERUN_INPUT,
				    "the call graph does not end: the file is cut off");
	perun_lines_free(reading.lines);
	stacks_tree_free(&reading.tree);
	perun_free(reading.waits);
	perun_buffer_free(&reading.name);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !probe_has(probe, "\nCall graph:"))
		return 0;
	return stacks_begins(probe, "Analysis of sampling ") ||
			       stacks_begins(probe, "Sampling process ")
		       ? 95
		       : 70;
}

static const char *const marks[] = {"\nCall graph:", NULL};

FORMAT_PLUGIN(sample, "sample", "call graphs of macOS' sample", NULL, .patterns = "*.sample.txt",
	      .contains = marks, .probe = probe_format, .read = read_format);
