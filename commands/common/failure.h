/* SPDX-License-Identifier: BSD-3-Clause */
/* A failure as a program reads it. */
#ifndef COMMANDS_COMMON_FAILURE_H
#define COMMANDS_COMMON_FAILURE_H

/* {"error": {"message", "file", "line", "exit"}} and a newline, to be freed with perun_free(). File and line are those
 * that the message says, in the form "FILE: line N" or "FILE:N:", else null. */
char *commands_failure(const char *message, int status);

#endif
