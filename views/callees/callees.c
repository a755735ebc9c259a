/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `callees`: what a function calls, and what that costs. */
#include <config.h>

#include "views/common/tree.h"

static const struct perun_option callees_options[] = {
	{.name = "function",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_STRING,
	 .help = "its name, or a regular expression that names match"},
	VIEWS_DATA_OPTIONS,
	VIEWS_TREE_OPTIONS,
	{0}};

VIEWS_TREE_PLUGIN(callees, "what a function calls, and what that costs");
