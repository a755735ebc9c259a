/* SPDX-License-Identifier: BSD-3-Clause */
/* Which requests are let in, by their heads alone. */
#ifndef PERUN_COMMANDS_COMMON_SERVER_GUARD_H
#define PERUN_COMMANDS_COMMON_SERVER_GUARD_H

#include "commands/common/server/server.h"

/* What the head of a request says; NULL: it says nothing of it. */
struct server_head {
	const char *method, *host, *origin, *site /* Sec-Fetch-Site */, *authorization;
};

/* The code to refuse a request with; 0: it may go on. */
int server_guard(const struct server_options *options, unsigned port,
		 const struct server_head *head);

#endif
