/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing a profile in any format that is installed. */
#include <string.h>

#include "core/context/context.h"
#include "core/format/described.h"
#include "core/format/input.h"
#include "core/format/output.h"
#include "core/format/session.h"
#include "core/registry/guard.h"

static int read_in_format(struct perun_ctx *ctx, struct perun_input *input, const char *format,
			  const char *const *format_options, const struct perun_describe *describe,
			  struct perun_profile **profile, const char **used)
{
	struct perun_format_session session;
	struct perun_builder *builder;
	int status = perun_format_session_begin(ctx, format, format_options, &session);

	if (!status && !session.ops.read)
		status = perun_fail(ctx, PERUN_USAGE, "format %s cannot be read",
				    session.plugin->name);
	if (!status && !session.ops.exact_bytes)
		status = perun_input_decode(ctx, input);
	if (!status) {
		/* Of what cannot be read its cause is the one line. */
		bool held = perun_ctx_hold(ctx);

		builder = perun_builder_new();
		status = PERUN_PLUGIN_CALL(ctx, session.plugin,
					   session.ops.read(session.instance, ctx, input, builder));
		if (!status && describe)
			describe->edit(describe->data, perun_builder_document(builder),
				       session.plugin);
		if (!status)
			status = perun_builder_finish(ctx, builder, profile);
		else
			perun_builder_free(builder);
		if (!held)
			perun_ctx_release(ctx, !status);
		if (used)
			*used = session.plugin->name;
	}
	perun_format_session_end(&session);
	return status;
}

int perun_read_described(struct perun_ctx *ctx, struct perun_input *input, const char *format,
			 const char *const *format_options, const struct perun_describe *describe,
			 struct perun_profile **profile, const char **used)
{
	const char *before = perun_memory_reading(perun_input_name(input));
	int status = PERUN_OK;
	bool asked = format != NULL;

	*profile = NULL;
	if (used)
		*used = NULL;
	if (!asked)
		status = perun_format_guess(ctx, input, &format);
	if (!status)
		status =
			read_in_format(ctx, input, format, format_options, describe, profile, used);
	perun_memory_reading(before);
	if (!status)
		return PERUN_OK;
	*profile = NULL;
	/* Wrong use and missing parts speak for themselves. */
	if (status == PERUN_INPUT)
		perun_fail(ctx, PERUN_OK, "%s", perun_input_name(input));
	return status;
}

int perun_read_profile(struct perun_ctx *ctx, struct perun_input *input, const char *format,
		       const char *const *format_options, struct perun_profile **profile,
		       const char **used)
{
	return perun_read_described(ctx, input, format, format_options, NULL, profile, used);
}

int perun_read_profile_file(struct perun_ctx *ctx, const char *path, struct perun_profile **profile)
{
	struct perun_input *input;
	int status = perun_input_open(ctx, path, &input);

	*profile = NULL;
	if (status)
		return status;
	status = perun_read_profile(ctx, input, NULL, NULL, profile, NULL);
	perun_input_close(input);
	return status;
}

int perun_write_profile(struct perun_ctx *ctx, const struct perun_profile *profile,
			const char *format, const char *const *format_options,
			struct perun_output *output)
{
	struct perun_format_session session;
	int status = perun_format_session_begin(ctx, format, format_options, &session);

	if (!status && !session.ops.write)
		status = perun_fail(ctx, PERUN_USAGE, "format %s cannot be written",
				    session.plugin->name);
	if (!status && session.ops.writes_directory != perun_output_is_directory(output))
		status = perun_fail(ctx, PERUN_USAGE, "format %s is written into a %s",
				    session.plugin->name,
				    session.ops.writes_directory ? "directory" : "file");
	if (!status)
		status = PERUN_PLUGIN_CALL(
			ctx, session.plugin,
			session.ops.write(session.instance, ctx, profile, output));
	perun_format_session_end(&session);
	return status;
}
