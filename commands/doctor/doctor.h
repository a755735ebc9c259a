/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a machine makes measurements noisy. */
#ifndef PERUN_COMMAND_DOCTOR_H
#define PERUN_COMMAND_DOCTOR_H

#include <perun/context.h>

struct advice {
	const char *name;
	char *state;      /* as it is */
	const char *help; /* what would help */
	bool matters;     /* it is not as it should be */
};

#define MAX_ADVICE 12

/* Look at the machine; `root` is before the paths of /proc and /sys. What is not reported is left out. */
size_t doctor_advice(const char *root, bool pinned, struct advice advice[MAX_ADVICE]);
void doctor_free(struct advice *advice, size_t count);

#endif
