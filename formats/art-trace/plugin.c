/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * art-trace: method traces of Android's runtime: which thread entered or left which method when. Tables of threads and
 * methods are text before the records ("*version"), or come between them (streams, which begin with "SLOW").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/stacks.h"

enum { DEFINE_METHOD = 1, DEFINE_THREAD = 2, SUMMARY = 3 };
enum { STREAM = 0xf0, NEWEST = 3, HEADER = 18 };

struct thread {
	uint32_t id;
	perun_id name;           /* 0 = not known */
	uint32_t *methods;       /* open, the outermost first */
	struct stacks_path path; /* of these */
	size_t depth, method_room;
	perun_id stack, labels; /* of the open ones; PERUN_NO_ID: not made yet */
	double wall, cpu;       /* of the last record, in us */
};

struct reading {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	const unsigned char *data;
	size_t at, size;
	unsigned version, record_size;
	bool has_wall, has_cpu; /* which clocks the records have */
	unsigned time, cpu;     /* metrics */
	struct stacks_numbers method_ids, thread_ids;
	perun_id *methods; /* frames, of the indices in method_ids */
	size_t method_count, method_room;
	struct thread *threads;
	size_t thread_count, thread_room;
	perun_id process; /* a label's text; 0 = not known */
	size_t unbegun;   /* ends of methods that did not begin */
	bool cut;
};

static uint64_t number_at(const struct reading *reading, size_t at, size_t bytes)
{
	uint64_t number = 0;

	for (size_t i = bytes; i-- > 0;)
		number = number << 8 | reading->data[at + i];
	return number;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The text up to a tab or the end, which `*text` then is after. */
static size_t take_field(const char **text, const char *end, const char **field)
{
	const char *tab = *text < end ? memchr(*text, '\t', (size_t)(end - *text)) : NULL;

	*field = *text;
	*text = tab ? tab + 1 : end;
	return (size_t)((tab ? tab : end) - *field);
}

static perun_id keep_method(struct reading *reading, uint64_t id, const struct stacks_frame *frame)
{
	perun_id location = stacks_frame(reading->stacks, frame);
	uint32_t known = stacks_numbers_find(&reading->method_ids, id);

	if (known != UINT32_MAX) {
		reading->methods[known] = location;
		return location;
	}
	stacks_numbers_add(&reading->method_ids, id, (uint32_t)reading->method_count);
	PERUN_GROW(reading->methods, reading->method_count, reading->method_room);
	reading->methods[reading->method_count++] = location;
	return location;
}

/* "0x3f4\tandroid.view.Window\tadjust\t(I)V\tWindow.java" */
static void add_method(struct reading *reading, const char *text, size_t length)
{
	const char *end = text + length, *field, *class_name, *name, *file;
	size_t size = take_field(&text, end, &field), class_length, name_length;
	struct stacks_frame frame = {0};
	char digits[24];
	char *full;

	if (!size || size >= sizeof digits)
		return;
	memcpy(digits, field, size);
	digits[size] = '\0';
	class_length = take_field(&text, end, &class_name);
	name_length = take_field(&text, end, &name);
	take_field(&text, end, &field);
	frame.file_length = take_field(&text, end, &file);
	frame.file = frame.file_length ? file : NULL;
	full = perun_format("%.*s%s%.*s", (int)class_length, class_name,
			    class_length && name_length ? "." : "", (int)name_length, name);
	frame.name = *full ? full : "(unknown)";
	keep_method(reading, strtoull(digits, NULL, 0) & ~UINT64_C(3), &frame);
	perun_free(full);
}

static struct thread *thread_of(struct reading *reading, uint32_t id)
{
	uint32_t index = stacks_numbers_find(&reading->thread_ids, id);

	if (index != UINT32_MAX)
		return &reading->threads[index];
	stacks_numbers_add(&reading->thread_ids, id, (uint32_t)reading->thread_count);
	PERUN_GROW(reading->threads, reading->thread_count, reading->thread_room);
	reading->threads[reading->thread_count] =
		(struct thread){.id = id, .stack = PERUN_NO_ID, .labels = PERUN_NO_ID};
	return &reading->threads[reading->thread_count++];
}

static void name_thread(struct reading *reading, uint32_t id, const char *name, size_t length)
{
	struct thread *thread = thread_of(reading, id);

	thread->name = perun_builder_string(stacks_builder(reading->stacks), name, length);
	thread->labels = PERUN_NO_ID;
}

/* "clock=dual", "pid=15355" */
static void read_fact(struct reading *reading, const char *line, size_t length)
{
	if (length > 6 && memcmp(line, "clock=", 6) == 0 && !reading->record_size) {
		reading->has_wall = line[6] != 't' && line[6] != 'c';
		reading->has_cpu = line[6] != 'w';
	} else if (length > 4 && memcmp(line, "pid=", 4) == 0) {
		reading->process =
			perun_builder_string(stacks_builder(reading->stacks), line + 4, length - 4);
	}
}

/* The sections of text, up to "*end". */
static void read_tables(struct reading *reading)
{
	const char *text = (const char *)reading->data, *end = text + reading->size;
	char section = 'v';

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end, *line = text, *field;
		size_t size;

		text = newline ? newline + 1 : end;
		if (*line == '*') {
			section = stop > line + 1 ? line[1] : 'v';
			if (section == 'e')
				break;
		} else if (section == 'm') {
			add_method(reading, line, (size_t)(stop - line));
		} else if (section == 't') {
			size = take_field(&line, stop, &field);
			if (size && size < 11)
				name_thread(reading, (uint32_t)strtoul(field, NULL, 10), line,
					    (size_t)(stop - line));
		} else {
			read_fact(reading, line, (size_t)(stop - line));
		}
	}
	reading->at = (size_t)(text - (const char *)reading->data);
}

/* "SLOW", the version, where the records begin, the time of the start, and from version 3 on how long a record is. */
static int read_header(struct reading *reading)
{
	size_t start = reading->at, skipped;

	if (reading->size - start < HEADER || memcmp(reading->data + start, "SLOW", 4) != 0)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "byte %zu: expected the records of the trace (SLOW)", start);
	reading->version = (unsigned)number_at(reading, start + 4, 2);
	skipped = (size_t)number_at(reading, start + 6, 2);
	if ((reading->version & ~(unsigned)STREAM) < 1 ||
	    (reading->version & ~(unsigned)STREAM) > NEWEST || skipped < HEADER - 2)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "version %u of method traces is not known",
				  reading->version & ~(unsigned)STREAM);
	reading->record_size = (reading->version & 15) == 1 ? 9 : 10;
	if ((reading->version & 15) == 3)
		reading->record_size = (unsigned)number_at(reading, start + 16, 2);
	if (reading->record_size < 9)
		return perun_fail(reading->ctx, PERUN_INPUT, "records have %u bytes, not 9 or more",
				  reading->record_size);
	if (reading->record_size >= 14)
		reading->has_wall = reading->has_cpu = true;
	else if (reading->has_wall == reading->has_cpu) {
		reading->has_wall = true;
		reading->has_cpu = false;
	}
	reading->at = skipped < reading->size - start ? start + skipped : reading->size;
	return PERUN_OK;
}

/* ---- records --------------------------------------------------------------------------------- */

static perun_id labels_of(struct reading *reading, struct thread *thread)
{
	struct perun_builder *builder = stacks_builder(reading->stacks);
	struct perun_label labels[3];
	size_t count = 0;
	char digits[16];

	if (thread->labels != PERUN_NO_ID)
		return thread->labels;
	snprintf(digits, sizeof digits, "%u", thread->id);
	labels[count++] = (struct perun_label){.key = perun_builder_text(builder, "tid"),
					       .text = perun_builder_text(builder, digits)};
	if (thread->name)
		labels[count++] = (struct perun_label){.key = perun_builder_text(builder, "thread"),
						       .text = thread->name};
	if (reading->process)
		labels[count++] = (struct perun_label){.key = perun_builder_text(builder, "pid"),
						       .text = reading->process};
	return thread->labels = perun_builder_labels(builder, labels, count);
}

/* The time since the last record of the thread belongs to what was open. */
static int add_row(struct reading *reading, struct thread *thread, double wall, double cpu)
{
	struct stacks *stacks = reading->stacks;
	int status = PERUN_OK;

	if (!thread->depth || !(wall > thread->wall || cpu > thread->cpu))
		return PERUN_OK;
	if (thread->stack == PERUN_NO_ID)
		status = stacks_path_stack(stacks, &thread->path, thread->depth, &thread->stack);
	if (status)
		return status;
	if (reading->has_wall) {
		stacks_value(stacks, reading->time, wall > thread->wall ? wall - thread->wall : 0);
		stacks_times(stacks, thread->wall, wall > thread->wall ? wall : thread->wall, "us");
	}
	if (reading->has_cpu)
		stacks_value(stacks, reading->cpu, cpu > thread->cpu ? cpu - thread->cpu : 0);
	stacks_label_set(stacks, labels_of(reading, thread));
	stacks_add(stacks, thread->stack);
	return PERUN_OK;
}

static perun_id frame_of(struct reading *reading, uint32_t method)
{
	uint32_t known = stacks_numbers_find(&reading->method_ids, method);
	struct stacks_frame frame = {0};
	char name[24];

	if (known != UINT32_MAX)
		return reading->methods[known];
	snprintf(name, sizeof name, "0x%x", method);
	frame.name = name;
	return keep_method(reading, method, &frame);
}

static void enter(struct reading *reading, struct thread *thread, uint32_t method)
{
	perun_id frame = frame_of(reading, method);

	PERUN_GROW(thread->methods, thread->depth, thread->method_room);
	thread->methods[thread->depth] = method;
	stacks_path_set(&thread->path, thread->depth++, frame);
}

/* A method ends with all that it called. */
static void leave(struct reading *reading, struct thread *thread, uint32_t method)
{
	size_t depth = thread->depth;

	while (depth && thread->methods[depth - 1] != method)
		depth--;
	if (depth)
		thread->depth = depth - 1;
	else
		reading->unbegun++;
}

/* Thread, method with what happened in its lowest bits, times of the clocks. */
static int read_record(struct reading *reading)
{
	size_t id_size = (reading->version & 15) == 1 ? 1 : 2, at = reading->at;
	struct thread *thread = thread_of(reading, (uint32_t)number_at(reading, at, id_size));
	uint32_t method = (uint32_t)number_at(reading, at + id_size, 4);
	double first = (double)number_at(reading, at + id_size + 4, 4), second = first;
	int status;

	if (reading->has_wall && reading->has_cpu)
		second = (double)number_at(reading, at + id_size + 8, 4);
	status = add_row(reading, thread, second, first);
	if (second > thread->wall)
		thread->wall = second;
	if (first > thread->cpu)
		thread->cpu = first;
	thread->stack = PERUN_NO_ID;
	if (method & 3)
		leave(reading, thread, method & ~3u);
	else
		enter(reading, thread, method);
	reading->at += reading->record_size;
	return status;
}

/* What a stream defines between its records; false: it ends there. */
static bool read_definition(struct reading *reading)
{
	size_t at = reading->at + 2, left = reading->size - at, length;
	const char *text;
	unsigned kind = left ? reading->data[at] : 0;
	size_t head = kind == DEFINE_METHOD ? 3 : 5;

	if ((kind != DEFINE_METHOD && kind != DEFINE_THREAD && kind != SUMMARY) || left < head)
		return false;
	length = (size_t)number_at(reading, at + head - (kind == SUMMARY ? 4 : 2),
				   kind == SUMMARY ? 4 : 2);
	if (length > left - head)
		return false;
	text = (const char *)reading->data + at + head;
	reading->at = at + head + length;
	while (length && text[length - 1] == '\n')
		length--;
	if (kind == DEFINE_METHOD)
		add_method(reading, text, length);
	else if (kind == DEFINE_THREAD)
		name_thread(reading, (uint32_t)number_at(reading, at + 1, 2), text, length);
	return true;
}

static int read_records(struct reading *reading)
{
	bool stream = reading->version & STREAM;
	int status = PERUN_OK;

	for (size_t i = 1; !status && reading->at < reading->size; i++) {
		if (stream && reading->size - reading->at >= 2 &&
		    number_at(reading, reading->at, 2) == 0) {
			if (!read_definition(reading)) {
				reading->cut = true;
				break;
			}
			continue;
		}
		if (reading->size - reading->at < reading->record_size) {
			reading->cut = true;
			break;
		}
		status = read_record(reading);
		if (i % 65536 == 0 && perun_cancelled(reading->ctx))
			status = PERUN_CANCELLED;
	}
	return status;
}

static void report(struct reading *reading, const char *name)
{
	if (reading->cut)
		perun_warn(reading->ctx, "%s: the trace is cut off", name);
	if (reading->unbegun)
		perun_note(reading->ctx, "%s: skipped %zu end%s of methods that did not begin",
			   name, reading->unbegun, reading->unbegun == 1 ? "" : "s");
}

static void free_reading(struct reading *reading)
{
	for (size_t i = 0; i < reading->thread_count; i++) {
		perun_free(reading->threads[i].methods);
		stacks_path_free(&reading->threads[i].path);
	}
	perun_free(reading->threads);
	perun_free(reading->methods);
	stacks_numbers_free(&reading->method_ids);
	stacks_numbers_free(&reading->thread_ids);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	const void *data;
	int status = perun_input_map(ctx, input, 0, &data, &reading.size);

	if (status)
		return status;
	reading.data = data;
	reading.stacks = stacks_begin(ctx, builder, "art-trace", instance);
	if (reading.size && reading.data[0] == '*')
		read_tables(&reading);
	status = read_header(&reading);
	if (!status && reading.has_wall)
		reading.time = stacks_measured(reading.stacks, "time", "us");
	if (!status && reading.has_cpu)
		reading.cpu = stacks_measured(reading.stacks, "cpu", "us");
	if (!status)
		status = read_records(&reading);
	if (!status)
		report(&reading, perun_input_name(input));
	free_reading(&reading);
	return stacks_end(reading.stacks, status);
}

static const struct perun_magic magic[] = {{"*version\n", 9, 0}, {"SLOW", 4, 0}, {NULL, 0, 0}};

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_starts(probe, "*version\n"))
		return 95;
	return probe_starts(probe, "SLOW") && probe->size > 5 &&
			       ((const char *)probe->data)[5] == '\0'
		       ? 90
		       : 0;
}

FORMAT_PLUGIN(art_trace, "art-trace", "method traces of Android's runtime", stacks_option_table,
	      .open = stacks_open, .close = stacks_close, .exact_bytes = true, .magic = magic,
	      .probe = probe_format, .read = read_format);
