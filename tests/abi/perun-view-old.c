/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A view compiled against an earlier interface: its options end after `help`, its operations after
 * `show`. What comes after in memory must not be read.
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/abi/view.h"

struct old_option {
	const char *name, *aliases, *metavar, *help;
};

static const struct old_option options[] = {
	{"first", "-f", NULL, "the first"},
	{"second", "-s", NULL, "the second"},
	{NULL, NULL, NULL, NULL},
};

SHOW_NOTHING

static const struct perun_view_ops ops = {.forms = PERUN_FORM_TERMINAL, .show = show};

PERUN_PLUGIN(view, old) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "old", "an old one"),
	.options = (const struct perun_option *)options,
	.option_size = sizeof *options,
	.ops = &ops,
	.ops_size = offsetof(struct perun_view_ops, show) + sizeof ops.show,
};
