/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that calls a function which no library has; linked so that only loading can tell. */
#include <perun/view.h>

void function_that_nobody_has(void);

static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	(void)instance;
	(void)ctx;
	(void)profiles;
	(void)names;
	(void)count;
	(void)canvas;
	function_that_nobody_has();
	return PERUN_OK;
}

static const struct perun_view_ops ops = {.forms = PERUN_FORM_TERMINAL, .show = show};

PERUN_PLUGIN(view, lazy) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "lazy", "a lazy one"),
	PERUN_PLUGIN_OPS(ops),
};
