/* SPDX-License-Identifier: BSD-3-Clause */
/* All of it is public. */
#ifndef PERUN_CORE_OPTIONS_SUGGEST_H
#define PERUN_CORE_OPTIONS_SUGGEST_H

#include <perun/lib/options.h>

#endif
