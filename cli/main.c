/* SPDX-License-Identifier: BSD-3-Clause */
/* The perun command. */
#include <stdio.h>

#include "perun/context.h"

int main(void)
{
	printf("perun %s\n", perun_version());
	return PERUN_OK;
}
