/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the library. */
#include "config.h"

#include "perun/lib/version.h"

unsigned perun_lib_version(void)
{
	return PERUN_LIB_VERSION;
}

const char *perun_version(void)
{
	return PACKAGE_VERSION;
}
