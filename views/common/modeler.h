/* SPDX-License-Identifier: BSD-3-Clause */
/* How models are searched for, as several commands and plugins let their users choose it. */
#ifndef PERUN_VIEWS_COMMON_MODELER_H
#define PERUN_VIEWS_COMMON_MODELER_H

#include <string.h>

#include <perun/lib/experiment.h>
#include <perun/option.h>

#define VIEWS_MODELER_OPTION(option_aliases)                                               \
	{                                                                                  \
		.name = "modeler", .aliases = option_aliases, .type = PERUN_OPTION_CHOICE, \
		.choices = "default basic refining segmented multi-parameter",             \
		.default_value = "default", .help = "how models are searched for"          \
	}
#define VIEWS_MEASURE_OPTION                                                       \
	{                                                                          \
		.name = "measure", .type = PERUN_OPTION_CHOICE,                    \
		.choices = "mean median minimum maximum", .default_value = "mean", \
		.help = "what of the repetitions is modelled"                      \
	}
#define VIEWS_MODELER_SETTING_OPTION(help_text)                                                   \
	{                                                                                         \
		.name = "option", .aliases = "-o", .metavar = "K=V", .type = PERUN_OPTION_STRING, \
		.flags = PERUN_OPTION_REPEATABLE, .help = help_text                               \
	}

/* What was chosen with these options. */
static inline int views_read_modeler(struct perun_ctx *ctx, const struct perun_options *given,
				     struct perun_modeler_options *options,
				     enum perun_repeated *repeated)
{
	static const char *const measures[] = {"mean", "median", "minimum", "maximum"};
	int status;

	*options = (struct perun_modeler_options){0};
	*repeated = PERUN_REPEATED_MEAN;
	for (int i = 0; i < 4; i++)
		if (strcmp(perun_option_string(given, "measure"), measures[i]) == 0)
			*repeated = (enum perun_repeated)i;
	status = perun_modeler_option(ctx, options, "modeler",
				      perun_option_string(given, "modeler"));
	for (size_t i = 0; !status && i < perun_option_count(given, "option"); i++) {
		const char *setting = perun_option_string_at(given, "option", i);
		const char *equals = strchr(setting, '=');
		char *name;

		if (!equals)
			return perun_fail(ctx, PERUN_USAGE, "--option %s: expected NAME=VALUE",
					  setting);
		name = perun_strndup(setting, (size_t)(equals - setting));
		status = perun_modeler_option(ctx, options, name, equals + 1);
		perun_free(name);
	}
	return status;
}

#endif
