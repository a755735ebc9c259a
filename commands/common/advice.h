/* SPDX-License-Identifier: BSD-3-Clause */
/* The command's words for what its user can do about a message of the library. */
#ifndef PERUN_COMMANDS_COMMON_ADVICE_H
#define PERUN_COMMANDS_COMMON_ADVICE_H

#include <perun/lib/advice.h>

/* Called once, at the start of the program. */
void commands_advise(void);

#endif
