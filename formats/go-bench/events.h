/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of `go test -json`: lines of output by package, and tests that passed. */
#ifndef PERUN_GO_BENCH_EVENTS_H
#define PERUN_GO_BENCH_EVENTS_H

#include <perun/context.h>

struct events;

/* What is reported; texts are valid during the call. */
struct events_listener {
	void *data;
	/* A whole line that a package printed, which may be changed. */
	int (*line)(void *data, const char *package, char *line);
	/* A test that passed, and how long it took. */
	void (*passed)(void *data, const char *package, const char *test, double seconds);
};

struct events *events_new(const struct events_listener *listener);
void events_free(struct events *events);
/* Take line `number` of the file. PERUN_INPUT with its position when it is not an event. */
int events_take(struct perun_ctx *ctx, struct events *events, const char *text, size_t length,
		uint64_t number);

#endif
