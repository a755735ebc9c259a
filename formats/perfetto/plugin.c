/* SPDX-License-Identifier: BSD-3-Clause */
/* perfetto: slices of tracks, and samples of a processor. */
#include <inttypes.h>
#include <string.h>

#include "formats/common/plugin.h"
#include "perfetto.h"

#define UNPACK "traceconv decompress_packets FILE OUT"

static const struct perun_option options[] = {
	STACKS_FRAME_LIMIT,
	{.name = "unpacked-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "1G",
	 .help = "reading: how large all compressed packets may be when they are decompressed"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct perfetto_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->stacks.frame_limit = (uint64_t)perun_option_integer(given, "frame-limit");
	chosen->unpacked_limit = perun_option_size(given, "unpacked-limit");
	*instance = chosen;
	return PERUN_OK;
}

/* What only packets are read with. */
static void forget_packets(struct perfetto *trace)
{
	perun_free(trace->sequences);
	perun_free(trace->clocks);
	perun_free(trace->items);
	perun_free(trace->frames);
	for (size_t i = 0; i < trace->unpacked_count; i++)
		perun_free(trace->unpacked[i]);
	perun_free(trace->unpacked);
	stacks_numbers_free(&trace->sequence_ids);
	stacks_numbers_free(&trace->clock_ids);
	stacks_numbers_free(&trace->item_ids);
}

static void free_trace(struct perfetto *trace)
{
	perun_free(trace->tracks);
	perun_free(trace->events);
	perun_free(trace->samples);
	stacks_numbers_free(&trace->track_ids);
	stacks_numbers_free(&trace->thread_ids);
	stacks_numbers_free(&trace->process_names);
	stacks_numbers_free(&trace->thread_names);
}

static void report_missing(const struct perfetto *trace, const char *name)
{
	if (trace->cut)
		perun_warn(trace->ctx,
			   "%s: byte %" PRIu64 ": no packet begins there; the rest is "
			   "not read",
			   name, trace->cut);
	if (trace->compressed)
		perun_warn(trace->ctx, "%s: skipped %zu compressed packet%s: " UNPACK, name,
			   trace->compressed, trace->compressed == 1 ? "" : "s");
	if (trace->others)
		perun_note(trace->ctx,
			   "%s: skipped %zu event%s without a slice (counters, instants …)", name,
			   trace->others, trace->others == 1 ? "" : "s");
	if (trace->empty)
		perun_note(trace->ctx, "%s: skipped %zu slice%s of no length", name, trace->empty,
			   trace->empty == 1 ? "" : "s");
	if (trace->unbegun)
		perun_note(trace->ctx, "%s: skipped %zu end%s of slices that did not begin", name,
			   trace->unbegun, trace->unbegun == 1 ? "" : "s");
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	const struct perfetto_options *chosen = instance;
	struct perfetto trace = {.ctx = ctx,
				 .builder = builder,
				 .stacks = stacks_begin(ctx, builder, "perfetto", &chosen->stacks),
				 .unpacked_left = chosen->unpacked_limit};
	int status = perfetto_read_packets(&trace, input);

	if (!status && !trace.event_count && !trace.sample_count)
		status = perun_fail(ctx, PERUN_INPUT,
				    trace.compressed ? "its packets are compressed: " UNPACK
						     : "there are no slices and samples in it");
	forget_packets(&trace);
	perfetto_label_tracks(&trace);
	if (!status && trace.event_count)
		status = perfetto_add_slices(&trace, stacks_measured(trace.stacks, "time", "ns"));
	if (!status && trace.sample_count)
		perfetto_add_samples(&trace, stacks_metric(trace.stacks, "samples", ""));
	status = stacks_end(trace.stacks, status);
	if (!status)
		report_missing(&trace, perun_input_name(input));
	free_trace(&trace);
	return status;
}

/*
 * Fields of packets by their types: a packet has the number of its sequence or of its user, and nothing that a message of
 * pprof has in its place, where fields 1 and 2 are numbers.
 */
static bool is_packet(struct protobuf_bytes message, bool *sure)
{
	enum { USER = 3, TIME = 8, SEQUENCE = 10, CLOCK = 58, LAST = 1000 };
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		bool number = field.number == USER || field.number == TIME ||
			      field.number == SEQUENCE || field.number == CLOCK;

		if (field.number > LAST ||
		    number != (field.type == PROTOBUF_VARINT && (number || field.number <= 2)))
			return false;
		*sure |= field.number == SEQUENCE || field.number == USER;
	}
	return message.at == message.end;
}

static int probe_format(const struct perun_probe *probe)
{
	struct protobuf_bytes packets = {probe->data,
					 (const unsigned char *)probe->data + probe->size};
	struct protobuf_field field;
	bool sure = false;
	int count = 0;

	if (probe->directory)
		return 0;
	for (; count < 16 && protobuf_next(&packets, &field); count++)
		if (field.number != 1 || field.type != PROTOBUF_BYTES ||
		    !is_packet(field.bytes, &sure))
			return 0;
	return sure && count ? 95 : 0;
}

static const struct perun_magic magic[] = {{"\n", 1, 0}, {NULL, 0, 0}};

FORMAT_PLUGIN(perfetto, "perfetto", "traces of Perfetto", options, .open = open_format,
	      .close = stacks_close, .patterns = "*.perfetto-trace *.pftrace", .magic = magic,
	      .exact_bytes = true, .probe = probe_format, .read = read_format);
