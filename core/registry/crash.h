/* SPDX-License-Identifier: BSD-3-Clause */
/* Crashes inside plugins; private to core/registry. */
#ifndef PERUN_CORE_REGISTRY_CRASH_H
#define PERUN_CORE_REGISTRY_CRASH_H

#include <perun/plugin.h>

/* The file of a plugin that was remembered, else "". */
const char *plugin_crash_file(const struct perun_plugin *plugin);
/* Gives the calling thread a stack for the handlers, once, if crashes are reported at all. */
void plugin_crash_prepare_thread(void);
/* A plugin that was loaded: `file` and the addresses of its code, for messages; kept for ever. */
void plugin_remember(const struct perun_plugin *plugin, const char *file);

#endif
