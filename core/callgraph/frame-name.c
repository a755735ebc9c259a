/* SPDX-License-Identifier: BSD-3-Clause */
/* What people call a frame. */
#include <inttypes.h>
#include <string.h>

#include <perun/lib/path.h>

#include "perun/lib/callgraph.h"

static const char *base_name(const char *path)
{
	const char *name = perun_path_base_name(path);

	return *name ? name : path;
}

static void add_place(const struct perun_profile *profile, const struct perun_frame *frame,
		      struct perun_buffer *out)
{
	const char *file = perun_profile_string(profile, frame->file, NULL);
	const char *slash = strrchr(file, '/');

	if (frame->folder) {
		perun_buffer_add(out, file, slash ? (size_t)(slash - file) : 0);
		if (!slash || slash == file)
			perun_buffer_add_char(out, slash ? '/' : '.');
		return;
	}
	perun_buffer_add_text(out, file);
	if (frame->line)
		perun_buffer_printf(out, ":%" PRId64, frame->line);
	if (frame->line && frame->column)
		perun_buffer_printf(out, ":%" PRId64, frame->column);
}

void perun_frame_name(const struct perun_profile *profile, const struct perun_frame *frame,
		      struct perun_buffer *out)
{
	size_t start = out->length;

	if (frame->name) {
		perun_buffer_add_text(out, perun_profile_string(profile, frame->name, NULL));
		if (frame->address)
			perun_buffer_printf(out, " 0x%" PRIx64, frame->address);
	} else if (frame->address) {
		perun_buffer_printf(out, "0x%" PRIx64, frame->address);
	}
	if (frame->file) {
		if (out->length > start)
			perun_buffer_add_char(out, ' ');
		add_place(profile, frame, out);
	} else if (frame->line) {
		perun_buffer_printf(out, "%s:%" PRId64, out->length > start ? " " : "",
				    frame->line);
	}
	if (!frame->name && !frame->file && frame->object)
		perun_buffer_printf(out, "%s[%s]", out->length > start ? " " : "",
				    base_name(perun_profile_string(profile, frame->object, NULL)));
	if (out->length == start)
		perun_buffer_add_text(out, "<unknown>");
}
