/* SPDX-License-Identifier: BSD-3-Clause */
/* What probes look for. */
#ifndef FORMATS_COMMON_PROBE_H
#define FORMATS_COMMON_PROBE_H

#include <string.h>

#include <perun/format.h>

/* Whether a text is in what a probe sees. */
static inline bool probe_has(const struct perun_probe *probe, const char *text)
{
	return memmem(probe->data, probe->size, text, strlen(text)) != NULL;
}

#endif
