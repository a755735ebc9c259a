/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile measured, for people. */
#include <config.h>

#include "commands/common/entry.h"

void commands_add_entry(struct perun_buffer *out, const struct perun_entry *entry)
{
	const char *words[] = {entry->cmd, entry->args, entry->workload};
	bool any = false;

	for (size_t i = 0; i < 3; i++) {
		if (words[i] && *words[i]) {
			perun_buffer_printf(out, "%s%s", any ? " " : "", words[i]);
			any = true;
		}
	}
	if (!any)
		perun_buffer_add_text(out, entry->path ? entry->path : "a profile");
	if (entry->type && *entry->type)
		perun_buffer_printf(out, " (%s%s%s)", entry->type,
				    entry->collector && *entry->collector ? ", collected by " : "",
				    entry->collector ? entry->collector : "");
}
