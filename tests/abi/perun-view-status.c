/* SPDX-License-Identifier: BSD-3-Clause */
/* A view that returns the number in STATUS, with the reason in REASON if there is one. */
#include <stdlib.h>

#include "tests/abi/view.h"

SHOW
{
	const char *reason = getenv("REASON");
	int status = atoi(getenv("STATUS"));

	return reason ? perun_fail(ctx, status, "%s", reason) : status;
}

DEFINE_VIEW(status, "misbehaves", NULL, );
