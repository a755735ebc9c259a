/* SPDX-License-Identifier: BSD-3-Clause */
/* The command that comes with the collector. */
#ifndef PERUN_CPU_CPU_H
#define PERUN_CPU_CPU_H

#include <perun/collect.h>
#include <perun/command.h>

/* `perun record`; a list that ends with a name of NULL. */
extern const struct perun_command cpu_commands[];

#endif
