/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the kinds of plugins. */
#include <string.h>

#include "core/registry/registry-private.h"

static const struct {
	const char *name, *words;
} kinds[PERUN_KINDS] = {
	[PERUN_KIND_VCS] = {"vcs", "version control system"},
	[PERUN_KIND_COLLECT] = {"collect", "collector"},
	[PERUN_KIND_POSTPROCESS] = {"postprocess", "postprocessor"},
	[PERUN_KIND_VIEW] = {"view", "view"},
	[PERUN_KIND_FORMAT] = {"format", "format"},
	[PERUN_KIND_CHECK] = {"check", "check"},
	[PERUN_KIND_COMMAND] = {"command", "command"},
	[PERUN_KIND_EXECUTOR] = {"executor", "executor"},
};

const char *perun_kind_name(enum perun_kind kind)
{
	return (unsigned)kind < PERUN_KINDS ? kinds[kind].name : NULL;
}

const char *plugin_kind_words(enum perun_kind kind)
{
	return (unsigned)kind < PERUN_KINDS ? kinds[kind].words : "plugin";
}

enum perun_kind perun_kind_from_name(const char *name)
{
	for (unsigned kind = 0; kind < PERUN_KINDS; kind++) {
		if (strcmp(kinds[kind].name, name) == 0)
			return (enum perun_kind)kind;
	}
	return PERUN_KINDS;
}
