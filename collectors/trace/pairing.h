/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries and returns of functions, as the kernel reports them, put together to calls. */
#ifndef PERUN_TRACE_PAIRING_H
#define PERUN_TRACE_PAIRING_H

#include "calls.h"

struct pairing_options {
	uint64_t base;  /* times of records count from here */
	uint64_t limit; /* calls to be recorded one by one */
	uint64_t every; /* of the calls of a function from one place each N-th is recorded: N */
};

/* Something that happened in a thread. The stack grows down. */
struct pairing_event {
	uint64_t time;
	int32_t process, thread;
	uint32_t function; /* of the calls */
	uint64_t stack;    /* where the return address is, or was */
	uint64_t back;     /* ENTRY: what is there */
	int64_t size;      /* of the structure; TRACE_NO_SIZE = not known */
	bool hooked; /* ENTRY: the kernel changes the return address, so that tail calls are inside */
};

struct pairing;

/* The calls are borrowed, and were initialized. */
struct pairing *pairing_new(const struct pairing_options *options, struct calls *calls);
/* Calls that are open end at their thread's last event. */
void pairing_free(struct pairing *pairing);

void pairing_enter(struct pairing *pairing, const struct pairing_event *event);
void pairing_leave(struct pairing *pairing, const struct pairing_event *event);
/* A place was passed; `pair`: the time counts from pairing_start(), not from when it was passed before. */
void pairing_point(struct pairing *pairing, const struct pairing_event *event, bool pair);
void pairing_start(struct pairing *pairing, const struct pairing_event *event);
/* A thread began (also a process), ended, or runs another program: what was open is over. */
void pairing_end(struct pairing *pairing, int32_t thread, uint64_t time);
/* The page that the kernel lets functions of a process return to; what a tail call finds on the stack. */
void pairing_trampoline(struct pairing *pairing, uint64_t address);

#endif
