/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sub-command of a plugin the parameters of a configuration mean. */
#ifndef CORE_JOB_VARIANTS_H
#define CORE_JOB_VARIANTS_H

#include <perun/plugin.h>

/*
 * The Python program has no sub-commands in configurations, but a parameter that names one: `moving_method: smm`. A plugin
 * with such a parameter declares it as a hidden option with the metavar SUBCOMMAND. Returns the name of the sub-command
 * that these words choose by it, or NULL. Of a name with a dash either part is enough: `kernel_mode: smoothing`.
 */
const char *perun_variant_of(const struct perun_plugin *plugin, const char *const *arguments);

#endif
