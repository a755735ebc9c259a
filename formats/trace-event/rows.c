/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals between events as rows: each thread has a stack of open spans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace-event.h"

/* How many ends of one time are looked at for the one that belongs to the top of the stack. */
enum { LOOK = 64 };

struct replay {
	struct trace *trace;
	unsigned metric;
	const uint32_t *begins, *ends; /* spans in the order of time */
	size_t begin_count, end_count;
	uint32_t *open;          /* spans, the outermost first */
	struct stacks_path path; /* of these */
	size_t depth, open_room;
	double now;
	perun_id stack; /* of the open spans; PERUN_NO_ID: not made yet */
	perun_id detail_key;
};

/* ---- the order of time ------------------------------------------------------------------------ */

/* For qsort(), which takes no data. */
static _Thread_local const struct trace_span *sorted;

static double end_of(const struct trace_span *span)
{
	return span->at + span->duration;
}

static int by_number(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* By thread and time; of spans that begin together the longer ones are outside. */
static int compare_begins(const void *one, const void *other)
{
	uint32_t i = *(const uint32_t *)one, k = *(const uint32_t *)other;
	const struct trace_span *a = &sorted[i], *b = &sorted[k];

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->duration != b->duration && a->phase == 'X' && b->phase == 'X')
		return a->duration > b->duration ? -1 : 1;
	return by_number(i, k);
}

/* Of spans that end together the one that began last ends first. */
static int compare_ends(const void *one, const void *other)
{
	uint32_t i = *(const uint32_t *)one, k = *(const uint32_t *)other;
	const struct trace_span *a = &sorted[i], *b = &sorted[k];

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (end_of(a) != end_of(b))
		return end_of(a) < end_of(b) ? -1 : 1;
	if (a->phase == 'X' && b->phase == 'X')
		return -compare_begins(one, other);
	return by_number(i, k);
}

static uint32_t *select_spans(const struct trace *trace, const char *phases, size_t *count)
{
	uint32_t *selected = perun_alloc_zero(trace->span_count + 1, sizeof *selected);

	*count = 0;
	for (size_t i = 0; i < trace->span_count; i++)
		if (strchr(phases, trace->spans[i].phase))
			selected[(*count)++] = (uint32_t)i;
	sorted = trace->spans;
	qsort(selected, *count, sizeof *selected, *phases == 'B' ? compare_begins : compare_ends);
	return selected;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static perun_id location_of(struct replay *replay, const struct trace_span *span)
{
	struct perun_builder *builder = replay->trace->builder;
	struct perun_function function = {
		.name = span->name, .system_name = span->name, .file = span->file};
	struct perun_line line = {.line = span->line};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	line.function = perun_builder_function(builder, &function);
	return perun_builder_location(builder, &location);
}

/* What an event says in detail is a label of the time that it spends itself. */
static void set_labels(struct replay *replay, const struct trace_span *span)
{
	struct trace *trace = replay->trace;
	const struct trace_thread *thread = &trace->threads[span->thread];
	struct perun_label labels[3];

	if (!span->detail) {
		stacks_label_set(trace->stacks, thread->labels);
		return;
	}
	labels[0] = thread->label[0];
	labels[1] = thread->label[1];
	labels[2] = (struct perun_label){.key = replay->detail_key, .text = span->detail};
	stacks_label_set(trace->stacks, perun_builder_labels(trace->builder, labels, 3));
}

/* The time up to `at` belongs to the open spans. */
static int move_to(struct replay *replay, double at)
{
	struct stacks *stacks = replay->trace->stacks;
	int status = PERUN_OK;

	if (replay->depth && at > replay->now) {
		if (replay->stack == PERUN_NO_ID)
			status = stacks_path_stack(stacks, &replay->path, replay->depth,
						   &replay->stack);
		if (status)
			return status;
		stacks_value(stacks, replay->metric, at - replay->now);
		stacks_times(stacks, replay->now, at, "us");
		set_labels(replay, &replay->trace->spans[replay->open[replay->depth - 1]]);
		stacks_add(stacks, replay->stack);
	}
	if (at > replay->now || !replay->depth)
		replay->now = at;
	return status;
}

static int open_span(struct replay *replay, uint32_t index)
{
	struct trace_span *span = &replay->trace->spans[index];
	int status = move_to(replay, span->at);

	PERUN_GROW(replay->open, replay->depth, replay->open_room);
	replay->open[replay->depth] = index;
	stacks_path_set(&replay->path, replay->depth, location_of(replay, span));
	span->place = (uint32_t)++replay->depth;
	replay->stack = PERUN_NO_ID;
	return status;
}

static void drop_to(struct replay *replay, size_t depth)
{
	while (replay->depth > depth)
		replay->trace->spans[replay->open[--replay->depth]].place = 0;
	replay->stack = PERUN_NO_ID;
}

/* The top of the stack ends, and complete events below it that should have ended before. */
static void close_top(struct replay *replay)
{
	const struct trace_span *spans = replay->trace->spans;

	do {
		drop_to(replay, replay->depth - 1);
	} while (replay->depth && spans[replay->open[replay->depth - 1]].ended);
}

/* Whether an end is that of a span that began: ends need no name. */
static bool is_end_of(const struct trace_span *end, const struct trace_span *begin)
{
	return end->unnamed || end->name == begin->name;
}

/*
 * An end closes the top of the stack if that has its name; an end of another one is left out. A complete event that is
 * not at the top ends with what began in it and goes on.
 */
static int close_span(struct replay *replay, uint32_t index)
{
	struct trace_span *spans = replay->trace->spans, *span = &spans[index];
	int status;

	if (span->phase == 'X') {
		span->ended = true;
		replay->trace->empty += span->duration <= 0;
		if (span->place != replay->depth)
			return PERUN_OK;
		status = move_to(replay, end_of(span));
		close_top(replay);
		return status;
	}
	if (!replay->depth || !is_end_of(span, &spans[replay->open[replay->depth - 1]])) {
		replay->trace->unbegun++;
		return PERUN_OK;
	}
	replay->trace->empty += spans[replay->open[replay->depth - 1]].at >= span->at;
	status = move_to(replay, span->at);
	close_top(replay);
	return status;
}

/* Of the ends of one time, the one that belongs to the top of the stack comes first: by arguments, then by name. */
static void choose_end(struct replay *replay, uint32_t *ends, size_t count)
{
	const struct trace_span *spans = replay->trace->spans, *top;
	size_t named = SIZE_MAX, found = SIZE_MAX;

	if (!replay->depth)
		return;
	top = &spans[replay->open[replay->depth - 1]];
	for (size_t i = 0; i < count && i < LOOK && found == SIZE_MAX; i++) {
		const struct trace_span *end = &spans[ends[i]];

		if (end_of(end) > end_of(&spans[ends[0]]))
			break;
		if (end->phase == 'X' ? end == top
				      : end->name == top->name && end->arguments == top->arguments)
			found = i;
		else if (end->phase != 'X' && is_end_of(end, top) && named == SIZE_MAX)
			named = i;
	}
	if (found == SIZE_MAX)
		found = named;
	if (found != SIZE_MAX) {
		uint32_t chosen = ends[found];

		ends[found] = ends[0];
		ends[0] = chosen;
	}
}

/* Whether an end belongs to a span that begins at its time, before it in the file, and not to what is open. */
static bool is_end_of_next(const struct replay *replay, uint32_t end, size_t begin)
{
	const struct trace_span *spans = replay->trace->spans, *b = &spans[end];
	bool open = replay->depth && is_end_of(b, &spans[replay->open[replay->depth - 1]]);

	if (open && !b->unnamed)
		return false;
	for (size_t i = begin; i < replay->begin_count && i < begin + LOOK; i++) {
		const struct trace_span *a = &spans[replay->begins[i]];

		if (a->at != b->at)
			break;
		if (a->phase == 'B' && is_end_of(b, a) && replay->begins[i] < end)
			return true;
	}
	return false;
}

/*
 * Whether the next event is the begin of a span: at one time ends come first, unless it is a span without length, or one
 * around such spans.
 */
static bool is_begin_next(const struct replay *replay, size_t begin, size_t end)
{
	const struct trace_span *spans = replay->trace->spans, *a, *b;

	if (begin == replay->begin_count || end == replay->end_count)
		return begin < replay->begin_count;
	a = &spans[replay->begins[begin]];
	b = &spans[replay->ends[end]];
	if (a->at != end_of(b))
		return a->at < end_of(b);
	if ((a->phase == 'X' && a->duration <= 0) ||
	    (b->phase == 'X' && b->duration <= 0 && !b->place))
		return true;
	return b->phase == 'E' && ((a->phase == 'B' && a->name == b->name &&
				    a->arguments == b->arguments && !b->unnamed) ||
				   is_end_of_next(replay, replay->ends[end], begin));
}

/* When a begun span ends, if that is among the next ends; else NaN. */
static double next_end(const struct replay *replay, const struct trace_span *begin, size_t end)
{
	for (size_t i = end; i < replay->end_count && i < end + LOOK; i++) {
		const struct trace_span *other = &replay->trace->spans[replay->ends[i]];

		if (other->phase == 'E' && is_end_of(other, begin) && other->at >= begin->at)
			return other->at;
	}
	return NAN;
}

/* Of a begin and a complete event at one time, the longer one is outside; the begin when they are equal. */
static void order_begins(struct replay *replay, size_t begin, size_t end)
{
	uint32_t *next = (uint32_t *)replay->begins + begin, first = next[0];
	const struct trace_span *a, *b;
	double until;

	if (begin + 1 >= replay->begin_count)
		return;
	a = &replay->trace->spans[next[0]];
	b = &replay->trace->spans[next[1]];
	if (a->at != b->at || a->phase == b->phase)
		return;
	until = next_end(replay, a->phase == 'B' ? a : b, end);
	if (isnan(until) || (a->phase == 'B') == (until >= end_of(a->phase == 'B' ? b : a)))
		return;
	next[0] = next[1];
	next[1] = first;
}

/* What is still open at the last event of a thread ends there. */
static int replay_thread(struct replay *replay)
{
	size_t begin = 0, end = 0;
	double last = -INFINITY;
	int status = PERUN_OK;

	replay->depth = 0;
	while (!status && (begin < replay->begin_count || end < replay->end_count)) {
		const struct trace_span *span;

		if ((begin + end) % 65536 == 65535 && perun_cancelled(replay->trace->ctx))
			return PERUN_CANCELLED;
		order_begins(replay, begin, end);
		if (is_begin_next(replay, begin, end)) {
			span = &replay->trace->spans[replay->begins[begin]];
			status = open_span(replay, replay->begins[begin++]);
			last = span->at > last ? span->at : last;
		} else {
			choose_end(replay, (uint32_t *)replay->ends + end, replay->end_count - end);
			span = &replay->trace->spans[replay->ends[end]];
			status = close_span(replay, replay->ends[end++]);
			last = end_of(span) > last ? end_of(span) : last;
		}
	}
	if (!status && replay->depth)
		status = move_to(replay, last);
	drop_to(replay, 0);
	return status;
}

static size_t count_of(const struct trace *trace, const uint32_t *list, size_t first, size_t count,
		       uint32_t thread)
{
	size_t last = first;

	while (last < count && trace->spans[list[last]].thread == thread)
		last++;
	return last - first;
}

int trace_add_spans(struct trace *trace, unsigned metric)
{
	struct replay replay = {.trace = trace, .metric = metric, .stack = PERUN_NO_ID};
	size_t begin_count, end_count, begin = 0, end = 0;
	uint32_t *begins = select_spans(trace, "BX", &begin_count);
	uint32_t *ends = select_spans(trace, "EX", &end_count);
	int status = PERUN_OK;

	replay.detail_key = perun_builder_text(trace->builder, "detail");
	for (uint32_t thread = 0; !status && thread < trace->thread_count; thread++) {
		replay.begins = begins + begin;
		replay.begin_count = count_of(trace, begins, begin, begin_count, thread);
		replay.ends = ends + end;
		replay.end_count = count_of(trace, ends, end, end_count, thread);
		begin += replay.begin_count;
		end += replay.end_count;
		status = replay_thread(&replay);
	}
	perun_free(begins);
	perun_free(ends);
	perun_free(replay.open);
	stacks_path_free(&replay.path);
	return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

static int compare_samples(const void *one, const void *other)
{
	const struct trace_sample *a = one, *b = other;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static int caller_of(void *data, size_t index, size_t *caller)
{
	const struct trace *trace = data;
	uint32_t above = trace->frames[index].above;

	*caller = above == UINT32_MAX ? STACKS_NO_NODE : above;
	return PERUN_OK;
}

/* As a caller. Hermes' root represents no function. */
static perun_id location_at(void *data, size_t index)
{
	const struct trace *trace = data;
	const struct trace_stack_frame *frame = &trace->frames[index];
	bool root = frame->above == UINT32_MAX &&
		    frame->location == stacks_name(trace->stacks, "[root]", 6);

	return root ? PERUN_NO_ID : frame->location;
}

static int stack_of(struct trace *trace, uint32_t index, perun_id *stack)
{
	struct trace_stack_frame *frame = &trace->frames[index];
	int status = PERUN_OK;
	perun_id path = PERUN_NO_ID;

	if (frame->stack == PERUN_NO_ID) {
		if (frame->above != UINT32_MAX)
			status = stacks_nodes_path(&trace->callers, frame->above, &path);
		if (status)
			return status;
		path = perun_builder_path(trace->builder, path, frame->location);
		status = stacks_of_path(trace->stacks, path, &frame->stack);
	}
	*stack = frame->stack;
	return status;
}

/* A sample lasts up to the next one of its thread. */
static int add_sample_rows(struct trace *trace, unsigned metric)
{
	int status = PERUN_OK;

	trace->callers = (struct stacks_nodes){.ctx = trace->ctx,
					       .builder = trace->builder,
					       .data = trace,
					       .caller = caller_of,
					       .location = location_at};
	stacks_nodes_begin(&trace->callers, trace->frame_count);
	for (size_t i = 0; i < trace->frame_count; i++)
		if (trace->frames[i].has_parent)
			trace->frames[i].above =
				stacks_numbers_find(&trace->frame_ids, trace->frames[i].parent);
	if (trace->sample_count)
		qsort(trace->samples, trace->sample_count, sizeof *trace->samples, compare_samples);
	for (size_t i = 0; !status && i + 1 < trace->sample_count; i++) {
		const struct trace_sample *sample = &trace->samples[i], *next = sample + 1;
		uint32_t frame = stacks_numbers_find(&trace->frame_ids, sample->frame);
		perun_id stack = PERUN_NO_ID;

		if (frame == UINT32_MAX)
			return perun_fail(trace->ctx, PERUN_INPUT,
					  "a sample names the stack frame %llu, which is not there",
					  (unsigned long long)sample->frame);
		if (next->thread != sample->thread || next->at <= sample->at)
			continue;
		status = stack_of(trace, frame, &stack);
		if (status)
			break;
		stacks_value(trace->stacks, metric, next->at - sample->at);
		stacks_times(trace->stacks, sample->at, next->at, "us");
		stacks_label_set(trace->stacks, trace->threads[sample->thread].labels);
		stacks_add(trace->stacks, stack);
	}
	return status;
}

int trace_add_samples(struct trace *trace, unsigned metric)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < trace->profile_count; i++)
		status = v8_add_rows(&trace->profiles[i].profile, trace->ctx, metric,
				     trace->threads[trace->profiles[i].thread].labels);
	return status ? status : add_sample_rows(trace, metric);
}
