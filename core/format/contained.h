/* SPDX-License-Identifier: BSD-3-Clause */
/* Which formats' texts are among the first bytes of a file. */
#ifndef PERUN_CORE_FORMAT_CONTAINED_H
#define PERUN_CORE_FORMAT_CONTAINED_H

#include <perun/lib/registry.h>

/* For each plugin of the list, whether one of the texts in its `contains` is there; the caller's. */
bool *formats_contained(const struct perun_plugin_info *list, size_t count,
			const struct perun_probe *probe);

#endif
