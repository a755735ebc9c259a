/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a machine makes measurements noisy. */
#ifndef PERUN_CLI_DOCTOR_H
#define PERUN_CLI_DOCTOR_H

#include "cli/fair.h"

struct advice {
	const char *name;
	char *state;      /* as it is */
	const char *help; /* what would help */
	bool matters;     /* it is not as it should be */
};

#define ADVICE_MOST 12

/* Look at the machine; `root` stands before the paths of /proc and /sys. What is not told, is left out. */
size_t cli_doctor_advice(const char *root, bool pinned, struct advice advice[ADVICE_MOST]);
void cli_doctor_free(struct advice *advice, size_t count);

#endif
