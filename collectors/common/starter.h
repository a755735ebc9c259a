/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said to perun-start. */
#ifndef PERUN_COLLECTORS_STARTER_H
#define PERUN_COLLECTORS_STARTER_H

#include "collectors/common/program.h"
#include "collectors/common/start/start.h"

/* The next report of a starter; false = it is gone. */
bool starter_hear(const struct collectors_starter *starter, struct start_report *report);
/* A request (enum start_request), and the report that answers it; false = it is gone. */
bool starter_ask(const struct collectors_starter *starter, char request,
		 struct start_report *report);

#endif
