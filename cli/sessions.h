/* SPDX-License-Identifier: BSD-3-Clause */
/* All profiles that a version has of what another profile measures: one for each session. */
#ifndef PERUN_CLI_SESSIONS_H
#define PERUN_CLI_SESSIONS_H

#include "cli/compare.h"

/*
 * The newest registered profiles of a version, `like` among them where it is registered, that are of the
 * same type, command, arguments, workload and collector. None for a version "" or without an index.
 */
int cli_sessions_load(struct cli_checker *checker, const char *minor,
		      const struct perun_profile *like, struct cli_sessions *sessions);
void cli_sessions_free(struct cli_sessions *sessions);

#endif
