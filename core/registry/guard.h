/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls into plugins: what perun/lib/registry.h says of them, and what the core needs besides. */
#ifndef PERUN_CORE_REGISTRY_GUARD_H
#define PERUN_CORE_REGISTRY_GUARD_H

#include <perun/lib/registry.h>

#include "core/registry/calls.h"

/* Loading a file is a call, too: of a plugin that is not known yet. The texts are borrowed. */
void plugin_enter_file(struct perun_plugin_call *call, const char *kind, const char *name,
		       const char *file);

#endif
