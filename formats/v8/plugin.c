/* SPDX-License-Identifier: BSD-3-Clause */
/* v8: profiles of Node.js, Deno and Chrome's developer tools: .cpuprofile and .heapprofile. */
#include <math.h>

#include "formats/common/plugin.h"
#include "formats/common/v8.h"

/* `heap`: what "head" holds are bytes. */
struct reading {
	struct v8_profile profile;
	bool heap, cpu;
};

static void read_document(struct reading *reading, struct stream *stream)
{
	if (!stream_expect_object(stream, "a profile of V8"))
		return;
	while (stream_member(stream)) {
		reading->cpu = reading->cpu || stream_is(stream, "nodes");
		reading->heap = reading->heap || stream_is(stream, "head");
		if (!v8_read_member(&reading->profile, stream))
			stream_skip(stream);
	}
}

/* Of old CPU profiles, with a tree below "head", the times of the samples are in milliseconds or missing. */
static int add_rows(struct reading *reading, struct perun_ctx *ctx, struct stacks *stacks)
{
	struct v8_profile *profile = &reading->profile;

	if (profile->sample_count && (profile->delta_count || profile->end > profile->start)) {
		if (reading->heap && profile->delta_count == 0) {
			/* seconds */
			profile->start *= 1e6;
			profile->end *= 1e6;
		}
		return v8_add_rows(profile, ctx, stacks_metric(stacks, "time", "us"), PERUN_NO_ID);
	}
	if (reading->cpu || profile->sample_count)
		return v8_add_nodes(profile, ctx, stacks_metric(stacks, "samples", ""));
	return v8_add_nodes(profile, ctx, stacks_metric(stacks, "space", "bytes"));
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct stacks *stacks = stacks_begin(ctx, builder, "v8", instance);
	struct reading reading = {0};
	struct stream stream;
	int status;

	v8_begin(&reading.profile, stacks);
	stream_open(&stream, ctx, input);
	read_document(&reading, &stream);
	status = stream_end(&stream);
	if (!status)
		status = add_rows(&reading, ctx, stacks);
	stream_close(&stream);
	v8_free(&reading.profile);
	return stacks_end(stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !stacks_begins(probe, "{") ||
	    !(probe_has(probe, "\"callFrame\"") || probe_has(probe, "\"functionName\"")) ||
	    probe_has(probe, "\"traceEvents\"") || probe_has(probe, "\"ph\""))
		return 0;
	return probe_has(probe, "\"nodes\"") || probe_has(probe, "\"head\"") ? 95 : 0;
}

static const char *const marks[] = {"\"callFrame\"", "\"functionName\"", NULL};

FORMAT_PLUGIN(v8, "v8", "profiles of V8: Node.js, Deno, Chrome", stacks_option_table,
	      .open = stacks_open, .close = stacks_close, .patterns = "*.cpuprofile *.heapprofile",
	      .contains = marks, .probe = probe_format, .read = read_format);
