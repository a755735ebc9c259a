/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin whose structs have more members than this host knows. */
#include "tests/abi/view.h"

struct later_option {
	struct perun_option option;
	const char *later;
};

struct later_plugin {
	struct perun_plugin plugin;
	const void *later;
};

static const struct later_option options[] = {
	{{.name = "first", .help = "the first"}, "x"},
	{{.name = "second", .help = "the second"}, "y"},
	{{0}, NULL},
};

SHOW_NOTHING

static const struct perun_view_ops ops = {.forms = PERUN_FORM_TERMINAL, .show = show};

PERUN_EXPORT extern const struct later_plugin perun_plugin_view_long;
const struct later_plugin perun_plugin_view_long = {
	.plugin =
		{
			.struct_size = sizeof(struct later_plugin),
			.abi_major = PERUN_ABI_MAJOR,
			.abi_minor = PERUN_ABI_MINOR,
			.kind = PERUN_KIND_VIEW,
			.name = "long",
			.summary = "a later one",
			.options = &options[0].option,
			.option_size = sizeof *options,
			.ops = &ops,
			.ops_size = sizeof ops,
		},
	.later = options,
};
