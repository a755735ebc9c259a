/* SPDX-License-Identifier: BSD-3-Clause */
/* massif: the heap at its peak and at each detailed snapshot, of valgrind's massif (https://valgrind.org/docs/manual/ms-manual.html). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct stacks_tree tree;
	struct perun_json_members *snapshots;
	struct perun_json *snapshot; /* the last one, which is not among them yet */
	bool use;                    /* the lines of a tree follow that is read */
	int64_t peak;                /* number of the snapshot with the metric "peak" */
	size_t trees; /* in the file: of several, each is a moment of the metric "heap" */
	unsigned heap, peak_metric;
	int64_t number, bytes, most;
	int64_t largest;        /* heap of all snapshots; 0 = nothing was allocated */
	int64_t stacks_largest; /* stacks of all snapshots, with --stacks=yes */
	int64_t due;            /* what the snapshot still lacks: its tree, nodes of that */
};

/* "0x1091FA: grow (leak.c:8)", "0x1: malloc (in /usr/lib/x.so)", "in 3 places, all below massif's threshold (1%)" */
static perun_id location_of(struct reading *reading, const char *text)
{
	size_t length = strlen(text);
	const char *open = length && text[length - 1] == ')' ? strrchr(text, '(') : NULL, *colon;
	struct stacks_frame frame = {.name = text, .length = length};
	perun_id known = stacks_recall(reading->stacks, text, length);
	char *after = NULL;

	if (known != PERUN_NO_ID)
		return known;
	if (strncmp(text, "in ", 3) == 0)
		return stacks_keep(reading->stacks,
				   stacks_name(reading->stacks, "[below threshold]", 17));
	if (strncmp(text, "0x", 2) == 0)
		frame.address = strtoull(text, &after, 16);
	if (after && after[0] == ':' && after[1] == ' ')
		frame.name = after + 2;
	frame.length = strlen(frame.name);
	if (open && open > frame.name + 1 && open[-1] == ' ') {
		frame.length = (size_t)(open - 1 - frame.name);
		open++;
		colon = strrchr(open, ':');
		if (strncmp(open, "in ", 3) == 0 && text + length - 1 > open + 3) {
			frame.module = open + 3;
			frame.module_length = (size_t)(text + length - 1 - frame.module);
		} else if (colon && colon > open) {
			frame.file = open;
			frame.file_length = (size_t)(colon - open);
			frame.line = strtoll(colon + 1, NULL, 10);
		}
	}
	return stacks_keep(reading->stacks, stacks_frame(reading->stacks, &frame));
}

/* "  n1: 6976 0x1091FA: grow (leak.c:8)": the first line of all represents no function. */
static int read_node(struct reading *reading, const char *line)
{
	size_t depth = strspn(line, " ");
	const char *at = line + depth;
	char *end;
	unsigned long long bytes;

	at += *at == 'n';
	reading->due += strtol(at, NULL, 10) - 1;
	at += strspn(at, "0123456789");
	if (at[0] != ':' || at[1] != ' ')
		return stacks_wrong_line(reading->ctx, reading->lines, "a node, n1: BYTES FUNCTION",
					 line);
	bytes = strtoull(at + 2, &end, 10);
	if (end == at + 2 || *end != ' ')
		return stacks_wrong_line(reading->ctx, reading->lines, "a number of bytes", line);
	if (depth > reading->tree.path.count + 1 || (depth == 0 && reading->tree.path.count))
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a node one blank below its parent", line);
	if (depth == 0)
		return PERUN_OK;
	return stacks_tree_open(&reading->tree, depth - 1, location_of(reading, end + 1),
				(double)bytes);
}

static void set_number(struct reading *reading, const char *line, const char *equals)
{
	perun_json_set_n(reading->snapshot, line, (size_t)(equals - line),
			 perun_json_int64(strtoll(equals + 1, NULL, 10)));
}

static void end_snapshot(struct reading *reading)
{
	if (reading->snapshot)
		perun_json_elements_add(reading->snapshots, reading->snapshot);
	perun_json_free(reading->snapshot);
	reading->snapshot = NULL;
}

static int begin_snapshot(struct reading *reading, const char *line)
{
	end_snapshot(reading);
	reading->number = strtoll(line + 9, NULL, 10);
	reading->use = false;
	reading->due = 1;
	reading->snapshot = perun_json_object();
	return stacks_tree_close(&reading->tree, 0);
}

/* Each row of a tree has its bytes as "heap", those of the peak as "peak", too. */
static int begin_tree(struct reading *reading, const char *kind)
{
	bool peak = reading->number == reading->peak;
	char number[24];

	reading->use = reading->snapshot && strcmp(kind, "empty") != 0;
	reading->due = reading->use;
	reading->tree.metric = peak ? reading->peak_metric : reading->heap;
	reading->tree.also = peak && reading->trees > 1 ? &reading->heap : NULL;
	snprintf(number, sizeof number, "%" PRId64, reading->number);
	reading->tree.label = reading->trees > 1
				      ? perun_builder_text(stacks_builder(reading->stacks), number)
				      : 0;
	return PERUN_OK;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	const char *equals;

	(void)length;
	if (*line == ' ' || (*line == 'n' && line[1] >= '0' && line[1] <= '9'))
		return reading->use ? read_node(reading, line) : PERUN_OK;
	if (*line == '#' || !*line)
		return PERUN_OK;
	if (strncmp(line, "snapshot=", 9) == 0)
		return begin_snapshot(reading, line);
	if (strncmp(line, "cmd: ", 5) == 0) {
		stacks_command(reading->stacks, line + 5);
		return PERUN_OK;
	}
	if (strncmp(line, "time_unit: ", 11) == 0) {
		stacks_fact(reading->stacks, "time_unit", perun_json_text(line + 11));
		return PERUN_OK;
	}
	if (strncmp(line, "heap_tree=", 10) == 0)
		return begin_tree(reading, line + 10);
	equals = strchr(line, '=');
	if (equals && reading->snapshot)
		set_number(reading, line, equals);
	return PERUN_OK;
}

/*
 * A first pass: the snapshot to read is the one marked as the peak; without one, the detailed one with the most
 * bytes.
 */
static int look_for_peak(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	(void)length;
	if (strncmp(line, "snapshot=", 9) == 0) {
		reading->number = strtoll(line + 9, NULL, 10);
	} else if (strncmp(line, "mem_heap_B=", 11) == 0) {
		reading->bytes = strtoll(line + 11, NULL, 10);
		reading->largest =
			reading->bytes > reading->largest ? reading->bytes : reading->largest;
	} else if (strncmp(line, "mem_stacks_B=", 13) == 0) {
		int64_t bytes = strtoll(line + 13, NULL, 10);

		reading->stacks_largest =
			bytes > reading->stacks_largest ? bytes : reading->stacks_largest;
	} else if (strcmp(line, "heap_tree=peak") == 0) {
		reading->peak = reading->number;
		reading->most = INT64_MAX;
		reading->trees++;
	} else if (strcmp(line, "heap_tree=detailed") == 0) {
		if (reading->bytes > reading->most) {
			reading->peak = reading->number;
			reading->most = reading->bytes;
		}
		reading->trees++;
	}
	return PERUN_OK;
}

static int find_peak(struct reading *reading, struct perun_input *input)
{
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status;

	reading->peak = -1;
	reading->most = -1;
	status = read_each_line(reading->ctx, lines, look_for_peak, reading);
	perun_lines_free(lines);
	return status;
}

/*
 * Without a detailed snapshot it is known how large the heap was, and not who allocated it; of a program without a heap, how
 * large its stacks were.
 */
static int add_largest(struct reading *reading)
{
	const char *name = reading->largest > 0 ? "[no detailed snapshot]" : "[stacks]";
	int64_t bytes = reading->largest > 0 ? reading->largest : reading->stacks_largest;
	int status;

	if (bytes <= 0)
		return perun_fail(reading->ctx, PERUN_INPUT, "nothing was allocated on the heap");
	reading->tree.metric = reading->peak_metric;
	status = stacks_tree_open(&reading->tree, 0,
				  stacks_name(reading->stacks, name, strlen(name)), (double)bytes);
	return status ? status : stacks_tree_close(&reading->tree, 0);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .snapshots = perun_json_elements_new()};
	int status = keep_for_twice(ctx, input);

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "massif", NULL);
	reading.tree.stacks = reading.stacks;
	reading.tree.inverted = true;
	reading.tree.key = perun_builder_text(builder, "snapshot");
	reading.peak_metric = stacks_metric(reading.stacks, "peak", "bytes");
	if (!status)
		status = find_peak(&reading, input);
	if (reading.trees > 1)
		reading.heap = stacks_metric(reading.stacks, "heap", "bytes");
	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	reading.lines = perun_lines_new(input, 0);
	if (!status)
		status = read_each_line(ctx, reading.lines, read_line, &reading);
	if (!status && reading.due)
		status = perun_fail(ctx, PERUN_INPUT,
				    "snapshot %" PRId64 " is not complete: the file is cut off",
				    reading.number);
	if (!status)
		status = stacks_tree_close(&reading.tree, 0);
	if (!status && stacks_rows(reading.stacks) == 0)
		status = add_largest(&reading);
	perun_lines_free(reading.lines);
	stacks_tree_free(&reading.tree);
	end_snapshot(&reading);
	stacks_fact(reading.stacks, "snapshots", perun_json_members_end(reading.snapshots));
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !probe_has(probe, "\nsnapshot=0"))
		return 0;
	return probe_has(probe, "\nmem_heap_B=") ? 95 : 0;
}

static const char *const marks[] = {"\nsnapshot=0", NULL};

FORMAT_PLUGIN(massif, "massif", "the heap, at its peak and before and after, of massif", NULL,
	      .patterns = "massif.out.* *.massif", .contains = marks, .probe = probe_format,
	      .read = read_format);
