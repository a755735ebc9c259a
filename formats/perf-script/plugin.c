/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: how the text of `perf script` is recognized. */
#include <string.h>

#include "formats/common/plugin.h"
#include "formats/common/perf-script.h"

/* Comments, then the first line of a sample, then perhaps a frame. */
static int probe_format(const struct perun_probe *probe)
{
	const char *data = probe->data, *end = data + probe->size;
	bool sample_found = false, weak = false, timed = false;

	if (probe->directory)
		return 0;
	while (data < end) {
		const char *newline = memchr(data, '\n', (size_t)(end - data));
		size_t length = (size_t)((newline ? newline : end) - data);
		size_t text = length && data[length - 1] == '\r' ? length - 1 : length;
		struct sample_line sample;
		struct frame_line frame;
		char line[512];
		bool is_frame;

		if (text && data[0] != '#') {
			size_t kept = text < sizeof line - 1 ? text : sizeof line - 1;

			memcpy(line, data, kept);
			line[kept] = '\0';
			if (strlen(line) != kept)
				return 0;
			is_frame = (line[0] == '\t' || sample_found) &&
				   perfscript_parse_frame(line, kept, &frame);
			/* Without a time, and without frames, another sample follows. */
			if (sample_found && !is_frame && !timed &&
			    !perfscript_parse_sample(line, &sample))
				return 0;
			if (sample_found)
				return is_frame ? weak ? 70 : 95 : weak ? 0 : 60;
			if (is_frame) /* -F ip,sym */
				return frame.symbol.length ? 50 : 20;
			if (!perfscript_parse_sample(line, &sample))
				return 0;
			sample_found = true;
			timed = sample.time >= 0;
			weak = sample.weak && !sample.rest.length;
		}
		data += length + 1;
	}
	return sample_found && !weak ? 60 : 0;
}

FORMAT_PLUGIN(perf_script, "perf-script", "text of perf script: samples of Linux perf", NULL,
	      .patterns = "*.perf-script", .probe = probe_format, .read = perfscript_read);
