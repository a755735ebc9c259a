/* SPDX-License-Identifier: BSD-3-Clause */
/* pmcstat: call graphs of FreeBSD's pmcstat -G: each leaf, its callers indented below it. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct stacks_tree tree;
	unsigned whole,
		pruned;    /* metrics: of stacks up to the end, and of those that pmcstat cut off */
	bool *has_callers; /* of the open frames */
	size_t caller_room;
	size_t *indents;
	size_t indent_room;
	bool begun;
	uint64_t skipped; /* lines that are not part of a call graph */
};

/* What a frame has and its callers do not was pruned: pmcstat prints no callers below a threshold. */
static int close_to(struct reading *reading, size_t depth)
{
	int status = PERUN_OK;

	while (!status && reading->tree.path.count > depth) {
		size_t last = reading->tree.path.count - 1;

		reading->tree.metric =
			reading->has_callers[last] ? reading->pruned : reading->whole;
		status = stacks_tree_close(&reading->tree, last);
	}
	return status;
}

/* "@ inst_retired.any [35705 samples]" begins an event. */
static int read_event(struct reading *reading, const char *line)
{
	size_t length = strcspn(line + 2, " ");
	char *name = perun_strndup(length ? line + 2 : "samples", length ? length : 7);
	char *pruned = perun_format("%s (pruned)", name);
	int status = close_to(reading, 0);

	reading->whole = stacks_metric(reading->stacks, name, "");
	reading->pruned = stacks_metric(reading->stacks, pruned, "");
	reading->begun = true;
	perun_free(name);
	perun_free(pruned);
	return status;
}

/* "zio_compress_data @ /boot/kernel/zfs.ko"; PERUN_NO_ID where there is no function. */
static perun_id location_of(struct reading *reading, const char *text)
{
	size_t length = strlen(text);
	const char *at;
	struct stacks_frame frame = {.name = text};
	perun_id known = stacks_recall(reading->stacks, text, length);

	if (known != PERUN_NO_ID)
		return known;
	at = strstr(text, " @ ");
	frame.length = at ? (size_t)(at - text) : length;
	frame.module = at ? at + 3 : NULL;
	if (!frame.length)
		return PERUN_NO_ID;
	return stacks_keep(reading->stacks, stacks_frame(reading->stacks, &frame));
}

/* " 100.0%  [7447]      zio_compress_data @ /boot/kernel/zfs.ko" */
static int read_frame(struct reading *reading, const char *line)
{
	size_t indent = strspn(line, " "), depth = 0;
	const char *open = strchr(line, '[');
	char *end;
	unsigned long long samples;
	perun_id location;
	int status;

	if (!open || !strchr("0123456789", line[indent]) ||
	    !memchr(line, '%', (size_t)(open - line)))
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "SHARE%  [SAMPLES]  FUNCTION @ MODULE", line);
	samples = strtoull(open + 1, &end, 10);
	if (end == open + 1 || *end != ']')
		return stacks_wrong_line(reading->ctx, reading->lines, "a number of samples", line);
	location = location_of(reading, end + 1 + strspn(end + 1, " "));
	if (location == PERUN_NO_ID)
		return stacks_wrong_line(reading->ctx, reading->lines, "a function", line);
	while (depth < reading->tree.path.count && reading->indents[depth] < indent)
		depth++;
	status = close_to(reading, depth);
	if (status)
		return status;
	PERUN_GROW(reading->indents, depth, reading->indent_room);
	PERUN_GROW(reading->has_callers, depth, reading->caller_room);
	reading->indents[depth] = indent;
	reading->has_callers[depth] = false;
	if (depth)
		reading->has_callers[depth - 1] = true;
	return stacks_tree_open(&reading->tree, depth, location, (double)samples);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	(void)length;
	if (strncmp(line, "@ ", 2) == 0)
		return read_event(reading, line);
	if (!line[strspn(line, " \t")] || !reading->begun || *line == '#' ||
	    strncmp(line, "//", 2) == 0)
		return PERUN_OK;
	if (!strchr(line, '%') && !strchr(line, '[')) {
		reading->skipped++;
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
	reading.stacks = stacks_begin(ctx, builder, "pmcstat", NULL);
	reading.tree.stacks = reading.stacks;
	reading.tree.inverted = true;
	status = read_each_line(ctx, reading.lines, read_line, &reading);
	if (!status)
		status = close_to(&reading, 0);
	if (!status && reading.skipped)
		perun_warn(ctx, "skipped %llu line%s between the call graphs",
			   (unsigned long long)reading.skipped, reading.skipped == 1 ? "" : "s");
	if (!status)
		stacks_warn_open(ctx, reading.lines);
	perun_lines_free(reading.lines);
	perun_free(reading.indents);
	perun_free(reading.has_callers);
	stacks_tree_free(&reading.tree);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && stacks_begins(probe, "@ ") && probe_has(probe, " samples]") &&
			       probe_has(probe, "%  [")
		       ? 95
		       : 0;
}

static const char *const marks[] = {" samples]", NULL};

FORMAT_PLUGIN(pmcstat, "pmcstat", "call graphs of FreeBSD's pmcstat", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
