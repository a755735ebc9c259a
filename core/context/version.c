/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the library. */
#include "config.h"

#include "perun/context.h"

const char *perun_version(void)
{
	return PACKAGE_VERSION;
}
