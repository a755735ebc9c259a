/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: samples are the time, where there are any; else spans are. */
#include <string.h>

#include "formats/common/plugin.h"
#include "trace-event.h"

static void label_threads(struct trace *trace)
{
	for (size_t i = 0; i < trace->thread_count; i++) {
		struct trace_thread *thread = &trace->threads[i];
		uint32_t process = stacks_numbers_find(&trace->process_names, thread->process);
		struct perun_label *labels = thread->label;
		char number[32];

		labels[0].key = perun_builder_text(trace->builder, "process");
		labels[1].key = perun_builder_text(trace->builder, "thread");
		perun_snprintf(number, sizeof number, "%llu", (unsigned long long)thread->process);
		labels[0].text = process != UINT32_MAX ? (perun_id)process
						       : perun_builder_text(trace->builder, number);
		perun_snprintf(number, sizeof number, "%llu", (unsigned long long)thread->thread);
		labels[1].text =
			thread->name ? thread->name : perun_builder_text(trace->builder, number);
		thread->labels = perun_builder_labels(trace->builder, labels, 2);
	}
}

static void free_trace(struct trace *trace)
{
	for (size_t i = 0; i < trace->profile_count; i++)
		v8_free(&trace->profiles[i].profile);
	v8_free(&trace->chunk);
	perun_free(trace->profiles);
	perun_free(trace->spans);
	perun_free(trace->threads);
	perun_free(trace->samples);
	perun_free(trace->frames);
	stacks_numbers_free(&trace->thread_ids);
	stacks_numbers_free(&trace->process_names);
	stacks_numbers_free(&trace->frame_ids);
	stacks_nodes_free(&trace->callers);
	stacks_numbers_free(&trace->profile_ids);
	perun_buffer_free(&trace->text);
}

static void report_missing(const struct trace *trace, const char *name)
{
	if (trace->amid)
		perun_warn(trace->ctx, "%s: the file is cut off after its event %zu", name,
			   trace->events);
	if (trace->others)
		perun_note(trace->ctx,
			   "%s: skipped %zu event%s without a span (flows, counters, instants …)",
			   name, trace->others, trace->others == 1 ? "" : "s");
	if (trace->empty)
		perun_note(trace->ctx, "%s: skipped %zu span%s of no length", name, trace->empty,
			   trace->empty == 1 ? "" : "s");
	if (trace->unbegun)
		perun_note(trace->ctx, "%s: skipped %zu end%s of spans that did not begin", name,
			   trace->unbegun, trace->unbegun == 1 ? "" : "s");
	if (trace->totals)
		perun_note(trace->ctx,
			   "%s: skipped %zu total%s of events that are there one by one", name,
			   trace->totals, trace->totals == 1 ? "" : "s");
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct trace trace = {.ctx = ctx,
			      .builder = builder,
			      .stacks = stacks_begin(ctx, builder, "trace-event", instance)};
	int status;

	v8_begin(&trace.chunk, trace.stacks);
	status = trace_parse(&trace, input);
	label_threads(&trace);
	if (!status && (trace.profile_count || trace.sample_count))
		status = trace_add_samples(&trace, stacks_metric(trace.stacks, "time", "us"));
	if (!status && trace.span_count)
		status = trace_add_spans(
			&trace, stacks_measured(trace.stacks,
						stacks_rows(trace.stacks) ? "span" : "time", "us"));
	status = stacks_end(trace.stacks, status);
	if (!status)
		report_missing(&trace, perun_input_name(input));
	free_trace(&trace);
	return status;
}

static int probe_format(const struct perun_probe *probe)
{
	bool events, array = stacks_begins(probe, "[");

	if (probe->directory || !(array || stacks_begins(probe, "{")))
		return 0;
	events = probe_has(probe, "\"ph\"") && probe_has(probe, "\"ts\"");
	if (array)
		return events ? 90 : 0;
	return probe_has(probe, "\"traceEvents\"") ? 95 : 0;
}

static const char *const marks[] = {"\"ph\"", "\"traceEvents\"", NULL};

FORMAT_PLUGIN(trace_event, "trace-event", "trace events of Chrome, clang, PyTorch",
	      stacks_option_table, .open = stacks_open, .close = stacks_close,
	      .patterns = "*.trace.json *.pt.trace.json Trace-*.json", .contains = marks,
	      .probe = probe_format, .read = read_format);
