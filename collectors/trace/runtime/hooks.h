/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that the compiler left room in at their entry (-fpatchable-function-entry): a call of ours is
 * written there, which replaces the return address on the stack by ours, and keeps the program's.
 */
#ifndef PERUN_TRACE_HOOKS_H
#define PERUN_TRACE_HOOKS_H

#include "collectors/trace/runtime/thread.h"

#define PATCH_LENGTH 5     /* a call */
#define HOOKS_LIMIT  65536 /* open calls */
#define CHECKED      1024  /* calls between two checks of the costs */

/* A return address that was replaced. */
struct hook {
	uintptr_t slot; /* where it was on the stack */
	uintptr_t back; /* what was there */
	uint32_t depth; /* of the traced frame; 0 = of a call that is not traced (any more) */
};

/* Those of one thread; private memory, as a child process goes on with a copy of the stack. */
struct hooks {
	uint32_t count;
	bool busy;                          /* a handler of a signal interrupts us */
	uintptr_t stack_start, stack_limit; /* the thread's own stack */
	struct hook items[HOOKS_LIMIT];
};

extern __thread struct hooks *trace_hooks INITIAL HIDDEN;

/* What the patched entries call, and what replaced return addresses lead to; in hooks.c. */
void hooks_entry(void) HIDDEN;
void hooks_return(void) HIDDEN;
/* An empty function with a patched entry, to measure what that costs. */
void hooks_nothing(void) HIDDEN;

/* The uncommon cases; they may use all registers. In patch.c. */
void hooks_enter_slowly(uintptr_t *slot, uintptr_t place, const uint64_t *arguments) HIDDEN;
uintptr_t hooks_leave_slowly(uintptr_t *slot, uintptr_t unused, const uint64_t *arguments) HIDDEN;

/* Patch what the session wants; at the start of the process. */
void patch_start(const char *folder) HIDDEN;
/* The same in modules that came since; in opened.c that is known. */
void patch_more(void) HIDDEN;
/* A child process: nothing of the parent's calls is traced in it. */
void patch_in_child(void) HIDDEN;

#endif
