/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a profile of which more is known than its file says. */
#ifndef PERUN_CORE_FORMAT_DESCRIBED_H
#define PERUN_CORE_FORMAT_DESCRIBED_H

#include <perun/format.h>

/* Changes the document of a profile that was just read by `plugin`. */
struct perun_describe {
	void (*edit)(void *data, struct perun_json *document, const struct perun_plugin *plugin);
	void *data;
};

/* perun_read_profile(); `describe`, if not NULL, changes the document before anybody sees it. */
int perun_read_described(struct perun_ctx *ctx, struct perun_input *input, const char *format,
			 const char *const *format_options, const struct perun_describe *describe,
			 struct perun_profile **profile, const char **used);

#endif
