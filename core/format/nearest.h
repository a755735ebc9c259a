/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file looks like that no format claims. */
#ifndef PERUN_CORE_FORMAT_NEAREST_H
#define PERUN_CORE_FORMAT_NEAREST_H

#include "perun/format.h"

/* "JSON with the keys a, b", "a perf.data recording: perf script …"; the caller frees it. */
char *perun_format_nearest(const struct perun_probe *probe);

#endif
