/* SPDX-License-Identifier: BSD-3-Clause */
/* All of it is public. */
#ifndef PERUN_CORE_PATH_PATH_H
#define PERUN_CORE_PATH_PATH_H

#include <perun/lib/path.h>

#endif
