/* SPDX-License-Identifier: BSD-3-Clause */
/* A format plugin at work: loaded, its options parsed, its instance open. */
#ifndef PERUN_CORE_FORMAT_SESSION_H
#define PERUN_CORE_FORMAT_SESSION_H

#include <perun/lib/options.h>
#include <perun/lib/registry.h>

#include "perun/format.h"

struct perun_format_session {
	const struct perun_plugin *plugin;
	struct perun_format_ops ops;
	struct perun_options *options;
	void *instance;
	bool open;
};

/*
 * Load the format and open an instance with the options ("K=V" texts, NULL-terminated, or NULL).
 * End the session also after a failure.
 */
int perun_format_session_begin(struct perun_ctx *ctx, const char *format,
			       const char *const *format_options,
			       struct perun_format_session *session);
void perun_format_session_end(struct perun_format_session *session);

/* The name of the format that the input has: the one that is surest of it. */
int perun_format_guess(struct perun_ctx *ctx, struct perun_input *input, const char **format);

#endif
