/* SPDX-License-Identifier: BSD-3-Clause */
/* papyrus: the logs of the script profiler of Bethesda's games: functions that begin and end on stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

enum { AHEAD = 1000 }; /* how many events of a millisecond the end of a function is looked for in */

/* "500:PUSH:3053:1:quest (24021278):example..function" */
struct event {
	double at; /* milliseconds */
	uint64_t stack;
	perun_id function; /* PERUN_NO_ID: the event was dealt with */
	bool push;
};

/* An open frame: of a function, or the one of a stack that is below its functions. */
struct open {
	uint64_t stack;
	perun_id function;
	bool is_stack;
};

/* Scripts run one at a time, so that all stacks share one time line: a stack that begins within another interrupts it. */
struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	unsigned metric;
	struct event *events; /* of the same millisecond */
	size_t event_count, event_room;
	struct open *open;
	size_t open_count, open_room;
	struct stacks_path path; /* of the same frames */
	double first, now, end,
		last; /* last: of an event that changed frames; below `first`: none */
	bool begun;
	uint64_t ignored; /* ends without a beginning */
};

/*
 * A row of what ran until a time. A stack alone goes on if the next function is its own, which enter_function() sees.
 */
static int add_span(struct reading *reading, double at)
{
	perun_id stack;
	int status;

	if (at > reading->now) {
		status = stacks_path_stack(reading->stacks, &reading->path, reading->open_count,
					   &stack);
		if (status)
			return status;
		stacks_value(reading->stacks, reading->metric, at - reading->now);
		stacks_times(reading->stacks, reading->now - reading->first, at - reading->first,
			     "ms");
		stacks_add(reading->stacks, stack);
	}
	reading->now = at;
	return PERUN_OK;
}

static int go_to(struct reading *reading, double at)
{
	if (reading->open_count > 1)
		return add_span(reading, at);
	if (!reading->open_count)
		reading->now = at;
	return PERUN_OK;
}

static void enter_frame(struct reading *reading, struct open open, perun_id location)
{
	PERUN_GROW(reading->open, reading->open_count, reading->open_room);
	reading->open[reading->open_count] = open;
	stacks_path_set(&reading->path, reading->open_count++, location);
}

static const struct open *top(const struct reading *reading)
{
	return reading->open_count ? &reading->open[reading->open_count - 1] : NULL;
}

/* The frame of a stack that interrupted another one ends with its last function. */
static void leave_frame(struct reading *reading)
{
	reading->open_count--;
	if (reading->open_count > 1 && top(reading)->is_stack)
		reading->open_count--;
	reading->path.count = reading->open_count;
	reading->last = reading->now;
}

static int enter_function(struct reading *reading, const struct event *event)
{
	size_t at = reading->open_count;
	char name[40];
	int length, status;

	while (at && !reading->open[at - 1].is_stack)
		at--;
	if (at && reading->open[at - 1].stack == event->stack) {
		status = add_span(reading, event->at);
		if (status)
			return status;
	} else {
		if (reading->open_count == 1)
			leave_frame(reading);
		length =
			snprintf(name, sizeof name, "STACK %llu", (unsigned long long)event->stack);
		enter_frame(reading, (struct open){.stack = event->stack, .is_stack = true},
			    stacks_name(reading->stacks, name, (size_t)length));
	}
	enter_frame(reading, (struct open){.stack = event->stack, .function = event->function},
		    event->function);
	reading->now = reading->last = event->at;
	return PERUN_OK;
}

/*
 * A function that ends without a beginning was running when the profiler started, if nothing happened before; later
 * ones are ignored.
 */
static int leave_function(struct reading *reading, const struct event *event)
{
	const struct open *open = top(reading);
	struct event begin = *event;
	int status;

	if (open && !open->is_stack && open->function == event->function) {
		leave_frame(reading);
	} else if (reading->last < reading->first) {
		begin.at = reading->first;
		status = enter_function(reading, &begin);
		if (!status)
			status = add_span(reading, event->at);
		if (status)
			return status;
		leave_frame(reading);
	} else {
		reading->ignored++;
	}
	return PERUN_OK;
}

/*
 * The events of a millisecond. Their order may be wrong: a function that begins and ends within it does so before
 * anything else happens.
 */
static int end_millisecond(struct reading *reading)
{
	int status;

	if (!reading->event_count)
		return PERUN_OK;
	reading->end = reading->events[0].at;
	status = go_to(reading, reading->events[0].at);
	for (size_t i = 0; !status && i < reading->event_count; i++) {
		struct event *event = &reading->events[i];

		if (event->function == PERUN_NO_ID)
			continue;
		if (!event->push) {
			status = leave_function(reading, event);
			continue;
		}
		status = enter_function(reading, event);
		for (size_t k = i + 1; !status && k < reading->event_count && k - i < AHEAD; k++) {
			struct event *end = &reading->events[k];

			if (end->push || end->stack != event->stack ||
			    end->function != event->function)
				continue;
			status = leave_function(reading, end);
			end->function = PERUN_NO_ID;
			break;
		}
	}
	reading->event_count = 0;
	return status;
}

/* The next field, up to a colon; NULL at the end. */
static char *next_field(char **at)
{
	return *at ? strsep(at, ":") : NULL;
}

static bool read_number(const char *text, uint64_t *number)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*number = strtoull(text, &end, 10);
	return !*end;
}

/* Calls that wait in a queue begin with their PUSH; what else is logged has no name. */
static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	struct event event = {0};
	char *at = line, *time = next_field(&at), *kind = next_field(&at), *stack = next_field(&at);
	uint64_t number;
	int status;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	if (!kind)
		return PERUN_OK; /* "Log closed" */
	next_field(&at);         /* the depth */
	next_field(&at);         /* the object */
	if (!read_number(time, &number) || !read_number(stack, &event.stack))
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "TIME:EVENT:STACK:DEPTH:OBJECT:FUNCTION", line);
	event.at = (double)number;
	if (!reading->begun) {
		reading->begun = true;
		reading->first = reading->now = event.at;
		reading->last = event.at - 1;
	}
	if (event.at < reading->now)
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a time that is not before the last one", line);
	if (reading->event_count && event.at > reading->events[0].at) {
		status = end_millisecond(reading);
		if (status)
			return status;
	}
	event.push = strcmp(kind, "PUSH") == 0;
	event.function = PERUN_NO_ID;
	if (event.push || strcmp(kind, "POP") == 0) {
		if (!at || !*at)
			return stacks_wrong_line(reading->ctx, reading->lines,
						 "the name of a function", line);
		event.function = stacks_name(reading->stacks, at, strlen(at));
	}
	PERUN_GROW(reading->events, reading->event_count, reading->event_room);
	reading->events[reading->event_count++] = event;
	return PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	reading.stacks = stacks_begin(ctx, builder, "papyrus", instance);
	reading.metric = stacks_measured(reading.stacks, "time", "ms");
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	if (!status)
		status = end_millisecond(&reading);
	if (!status && reading.open_count)
		status = add_span(&reading, reading.end);
	if (!status && reading.ignored)
		perun_warn(ctx, "skipped %llu end%s of functions that did not begin",
			   (unsigned long long)reading.ignored, reading.ignored == 1 ? "" : "s");
	perun_lines_free(reading.lines);
	stacks_path_free(&reading.path);
	perun_free(reading.events);
	perun_free(reading.open);
	return stacks_end(reading.stacks, status);
}

/* "Script_NAME log opened (PC)", "Stack_3185 log opened (PC)" */
static int probe_format(const struct perun_probe *probe)
{
	const char *data = probe->data, *end = memchr(data, '\n', probe->size);

	return !probe->directory && end &&
			       memmem(probe->data, (size_t)(end - data), " log opened (", 13) &&
			       (probe_has(probe, ":PUSH:") || probe_has(probe, ":POP:"))
		       ? 95
		       : 0;
}

static const char *const marks[] = {" log opened (", NULL};

FORMAT_PLUGIN(papyrus, "papyrus", "script profiles of Bethesda's games", stacks_option_table,
	      .open = stacks_open, .close = stacks_close, .contains = marks, .probe = probe_format,
	      .read = read_format);
