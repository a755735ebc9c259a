/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of `go test -json`: lines of output by package, and tests that passed. */
#include <inttypes.h>
#include <string.h>

#include <perun/json.h>

#include "events.h"

/* Packages are tested at the same time; each has printed part of a line. */
struct package {
	char *name;
	struct perun_buffer line;
};

struct events {
	struct events_listener listener;
	struct package *packages;
	size_t count, capacity;
	size_t last; /* most events are of the same as the one before */
};

struct events *events_new(const struct events_listener *listener)
{
	struct events *events = perun_alloc_zero(1, sizeof *events);

	events->listener = *listener;
	return events;
}

void events_free(struct events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		perun_free(events->packages[i].name);
		perun_buffer_free(&events->packages[i].line);
	}
	perun_free(events->packages);
	perun_free(events);
}

static struct package *find_package(struct events *events, const char *name)
{
	for (size_t i = 0; i < events->count; i++) {
		size_t at = (events->last + i) % events->count;

		if (strcmp(events->packages[at].name, name) == 0) {
			events->last = at;
			return &events->packages[at];
		}
	}
	PERUN_GROW(events->packages, events->count, events->capacity);
	events->packages[events->count] = (struct package){.name = perun_strdup(name)};
	events->last = events->count;
	return &events->packages[events->count++];
}

/* A benchmark's name is printed before it runs, its values after it: the line comes in pieces. */
static int add_output(struct events *events, const char *name, const char *text)
{
	struct package *package = find_package(events, name);
	int status = PERUN_OK;

	while (*text && !status) {
		size_t length = strcspn(text, "\n");

		perun_buffer_add(&package->line, text, length);
		text += length;
		if (!*text)
			break;
		text++;
		perun_buffer_add_char(&package->line, '\0');
		status = events->listener.line(events->listener.data, name, package->line.data);
		perun_buffer_clear(&package->line);
	}
	return status;
}

/* Parse it; what is wrong is said with the line of the file. */
static int parse(struct perun_ctx *ctx, const char *text, size_t length, uint64_t number,
		 struct perun_json **event)
{
	static const char first[] = "line 1, ";
	struct perun_ctx *own = perun_ctx_new(NULL);
	int status = perun_json_parse(own, text, length, NULL, event);
	const char *error = status ? perun_ctx_error(own) : "";

	if (strncmp(error, first, strlen(first)) == 0)
		error += strlen(first);
	if (status)
		perun_fail(ctx, status, "line %" PRIu64 ", %s", number, error);
	perun_ctx_free(own);
	return status;
}

int events_take(struct perun_ctx *ctx, struct events *events, const char *text, size_t length,
		uint64_t number)
{
	struct perun_json *event = NULL;
	const char *action, *package, *test;
	double seconds;
	int status;

	/* What the compiler prints is between them. */
	if (length == 0 || text[0] != '{')
		return PERUN_OK;
	status = parse(ctx, text, length, number, &event);
	if (status)
		return status;
	action = perun_json_get_text(event, "Action");
	package = perun_json_get_text(event, "Package");
	test = perun_json_get_text(event, "Test");
	if (!*action)
		status = perun_fail(ctx, PERUN_INPUT,
				    "line %" PRIu64
				    ": expected an event of go test -json, which has "
				    "an \"Action\"",
				    number);
	else if (strcmp(action, "output") == 0)
		status = add_output(events, package, perun_json_get_text(event, "Output"));
	else if (strcmp(action, "pass") == 0 && *test &&
		 perun_json_as_double(perun_json_get(event, "Elapsed"), &seconds))
		events->listener.passed(events->listener.data, package, test, seconds);
	perun_json_free(event);
	return status;
}
