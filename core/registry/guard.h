/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls into plugins: what perun/lib/registry.h says of them, and what the core needs besides. */
#ifndef PERUN_CORE_REGISTRY_GUARD_H
#define PERUN_CORE_REGISTRY_GUARD_H

#include <perun/lib/registry.h>

/* Loading a file is a call, too: of a plugin that is not known yet. The texts are borrowed. */
void plugin_enter_file(struct perun_plugin_call *call, const char *kind, const char *name,
		       const char *file);
/* A plugin that was loaded: `file` and the addresses of its code, for messages; kept for ever. */
void plugin_remember(const struct perun_plugin *plugin, const char *file);

/* For threads that work for another one: the call that thread is in, and being in it as well. */
const struct perun_plugin_call *plugin_current_call(void);
/* That of the calling thread, else that of any other one; NULL = no plugin is at work. */
const struct perun_plugin_call *plugin_any_call(void);
void plugin_inherit_call(const struct perun_plugin_call *call);

#endif
