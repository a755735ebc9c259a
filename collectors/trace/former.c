/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the Python program that mean nothing here. */
#include <config.h>

#include <string.h>

#include "former.h"

char *former_given(const struct perun_options *options, const struct perun_option *table)
{
	struct perun_buffer names = {0};

	for (; table->name; table++)
		if ((table->flags & PERUN_OPTION_HIDDEN) &&
		    perun_option_given(options, table->name)) {
			perun_buffer_add_text(&names, names.length ? ", " : "");
			perun_buffer_add_text(&names, table->name);
		}
	return names.data;
}

void former_warn(struct perun_ctx *ctx, const char *names)
{
	if (names)
		perun_warn(ctx,
			   "%s: accepted as the Python program had it, without effect: there are "
			   "no probes of SystemTap and no temporary files",
			   names);
}
