/* SPDX-License-Identifier: BSD-3-Clause */
/* All of it is public. */
#ifndef PERUN_CORE_WORDS_H
#define PERUN_CORE_WORDS_H

#include <perun/lib/program.h>

#endif
