/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sub-command of a plugin the parameters of a configuration mean. */
#ifndef CORE_JOB_VARIANTS_H
#define CORE_JOB_VARIANTS_H

#include <perun/context.h>
#include <perun/plugin.h>

/*
 * The sub-command of a plugin that has some: that called `name` or, without a name, the one that the words choose, else the first.
 * PERUN_USAGE where there is none of the name.
 *
 * The Python program has no sub-commands in configurations, but a parameter that names one: `moving_method: smm`. A plugin
 * with such a parameter declares it as a hidden option with the metavar SUBCOMMAND. Of a name with a dash either part is
 * enough for it: `kernel_mode: smoothing`.
 */
int perun_variant_choose(struct perun_ctx *ctx, const struct perun_plugin *plugin, const char *name,
			 const char *const *arguments, const struct perun_subcommand **chosen);

#endif
