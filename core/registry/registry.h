/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry, the only mutable global of the library: all of it is public. */
#ifndef PERUN_CORE_REGISTRY_H
#define PERUN_CORE_REGISTRY_H

#include <perun/lib/registry.h>

#endif
