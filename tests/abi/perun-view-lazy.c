/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that calls a function which no library has; linked so that only loading can show. */
#include "tests/abi/view.h"

void function_that_nobody_has(void);

SHOW
{
	function_that_nobody_has();
	return PERUN_OK;
}

static const struct perun_view_ops ops = {.forms = PERUN_FORM_TERMINAL, .show = show};

PERUN_PLUGIN(view, lazy) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "lazy", "a lazy one"),
	PERUN_PLUGIN_OPS(ops),
};
