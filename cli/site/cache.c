/* SPDX-License-Identifier: BSD-3-Clause */
/* What is kept of the store between two runs. */
#include <config.h>

#include <string.h>

#include "cli/site/site.h"

void site_cache_load(struct site *site)
{
	(void)site;
}

int site_cache_save(struct site *site)
{
	(void)site;
	return PERUN_OK;
}
