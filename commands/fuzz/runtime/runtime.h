/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two files share that are linked into a program for perun fuzz. */
#ifndef PERUN_COMMANDS_FUZZ_RUNTIME_H
#define PERUN_COMMANDS_FUZZ_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include <perun/lib/fuzz-runtime.h>

/* head NULL: nobody fuzzes. `bias`: what the program's own addresses were moved by. */
struct fuzz_runtime {
	struct perun_fuzz_head *head;
	char *input;
	int control, status;
	uint64_t bias;
};
extern struct fuzz_runtime fuzz_runtime;

/* main() of programs that have none of their own. */
int fuzz_runtime_main(int argc, char **argv);

bool fuzz_runtime_say(const void *what, size_t size);
/* Wait until another run is wanted; false at the end. */
bool fuzz_runtime_asked(void);

#endif
