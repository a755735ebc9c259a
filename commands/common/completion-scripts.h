/* SPDX-License-Identifier: BSD-3-Clause */
/* The scripts that complete command lines of perun in shells. */
#ifndef PERUN_COMMANDS_COMMON_COMPLETION_SCRIPTS_H
#define PERUN_COMMANDS_COMMON_COMPLETION_SCRIPTS_H

#define COMMANDS_SHELLS "bash zsh fish"

/* The script for one of these shells; NULL for another one. */
const char *commands_completion_script(const char *shell);

#endif
