/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call of a plugin is under way: what crash.c asks guard.c. */
#ifndef PERUN_CORE_REGISTRY_CALLS_H
#define PERUN_CORE_REGISTRY_CALLS_H

#include <perun/lib/registry.h>

/* The call that the calling thread is in, NULL = none. */
const struct perun_plugin_call *plugin_current_call(void);
/* That of the calling thread, else that of any other one; NULL = no plugin is at work. */
const struct perun_plugin_call *plugin_any_call(void);

#endif
