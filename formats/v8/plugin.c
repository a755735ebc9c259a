/* SPDX-License-Identifier: BSD-3-Clause */
/* v8: profiles of Node.js, Deno and Chrome's developer tools: .cpuprofile and .heapprofile, and logs of node --prof. */
#include <math.h>

#include "formats/common/plugin.h"
#include "formats/common/v8.h"
#include "formats/v8/log.h"

/* `heap`: what "head" holds are bytes. */
struct reading {
	struct v8_profile profile;
	struct log *log;
	bool heap, cpu;
};

static void read_document(struct reading *reading, struct stream *stream)
{
	if (!stream_expect_object(stream, "a profile of V8"))
		return;
	while (stream_member(stream)) {
		reading->cpu = reading->cpu || stream_is(stream, "nodes");
		reading->heap = reading->heap || stream_is(stream, "head");
		if (!v8_read_member(&reading->profile, stream) &&
		    !log_read_member(reading->log, stream))
			stream_skip(stream);
	}
}

/* Of old CPU profiles, with a tree below "head", the times of the samples are in milliseconds or missing. */
static int add_rows(struct reading *reading, struct perun_ctx *ctx, struct stacks *stacks)
{
	struct v8_profile *profile = &reading->profile;
	unsigned space;

	if (log_is_there(reading->log))
		return log_add_rows(reading->log, ctx);
	if (profile->samples.count && (profile->deltas.count || profile->end > profile->start)) {
		if (reading->heap && profile->deltas.count == 0) {
			/* seconds */
			profile->start *= 1e6;
			profile->end *= 1e6;
		}
		return v8_add_rows(profile, ctx, stacks_metric(stacks, "time", "us"), PERUN_NO_ID);
	}
	if (reading->cpu || profile->samples.count)
		return v8_add_nodes(profile, ctx, stacks_metric(stacks, "samples", ""));
	space = stacks_metric(stacks, "space", "bytes");
	stacks_sample(stacks, space,
		      profile->sizes > 0 ? profile->squares / profile->sizes : V8_HEAP_INTERVAL);
	return v8_add_nodes(profile, ctx, space);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct stacks *stacks = stacks_begin(ctx, builder, "v8", instance);
	struct reading reading = {.log = log_new(stacks)};
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
	log_free(reading.log);
	return stacks_end(stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !stacks_begins(probe, "{"))
		return 0;
	/* The list of all code begins with the program; it is longer than what is seen here. */
	if (probe_has(probe, "\"code\"") && probe_has(probe, "\"SHARED_LIB\""))
		return 95;
	if (!(probe_has(probe, "\"callFrame\"") || probe_has(probe, "\"functionName\"")) ||
	    probe_has(probe, "\"traceEvents\"") || probe_has(probe, "\"ph\""))
		return 0;
	return probe_has(probe, "\"nodes\"") || probe_has(probe, "\"head\"") ? 95 : 0;
}

static const char *const marks[] = {"\"callFrame\"", "\"functionName\"", "\"SHARED_LIB\"", NULL};

FORMAT_PLUGIN(v8, "v8", "profiles of V8: Node.js, Deno, Chrome", stacks_option_table,
	      .open = stacks_open, .close = stacks_close,
	      .patterns = "*.cpuprofile *.heapprofile *.v8log.json "
			  "CPU[.-]*.cpuprofile Heap[.-]*.heapprofile",
	      .contains = marks, .probe = probe_format, .read = read_format);
