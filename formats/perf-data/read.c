/* SPDX-License-Identifier: BSD-3-Clause */
/* A recording as a profile: a row for each sample, a metric for each event. */
#include <string.h>

#include <perun/json.h>

#include "formats/common/perf-script.h"
#include "read.h"
#include "stacks.h"

struct metric {
	struct perun_column_builder *column; /* NULL: there is no sample of it yet */
	uint64_t read;                       /* the value when it was read last, of groups */
	struct perfscript_sums sums;
};

struct reading {
	struct perun_ctx *ctx;
	const struct perfdata *file;
	struct perun_builder *builder;
	struct perun_table_builder *table;
	struct perun_column_builder *stacks, *labels, *times;
	struct perun_column_builder **columns; /* of the events that have samples, in their order */
	const struct perfscript_sums **sums;   /* of each of these */
	size_t column_count, column_room, sum_room;
	struct metric *metrics; /* of each event */
	struct perfdata_processes processes;
	struct perfdata_names *names;
	struct perfdata_stack stack;
	perun_id *locations;
	size_t location_room, cut;
	perun_id keys[4]; /* of labels: comm, pid, tid, cpu */
	uint64_t lost;
};

static const char *const label_keys[] = {"comm", "pid", "tid", "cpu"};

static void set_value(struct reading *reading, size_t event, uint64_t value)
{
	struct metric *metric = &reading->metrics[event];

	if (!metric->column) {
		metric->column =
			perfscript_add_metric(reading->table, reading->file->events[event].name,
					      true, reading->column_count);
		PERUN_GROW(reading->columns, reading->column_count, reading->column_room);
		PERUN_GROW(reading->sums, reading->column_count, reading->sum_room);
		reading->sums[reading->column_count] = &metric->sums;
		reading->columns[reading->column_count++] = metric->column;
	}
	perun_column_set_int64(metric->column, value > INT64_MAX ? INT64_MAX : (int64_t)value);
	perfscript_count(&metric->sums, (double)value);
}

/* A sample of a group has what was counted of all its events up to then. */
static bool set_group(struct reading *reading, struct perfdata_sample *sample)
{
	struct perfdata_value value;
	bool any = false;

	while (perfdata_next_value(sample, &value)) {
		uint32_t event = stacks_numbers_find(&reading->file->ids, value.id);
		struct metric *metric;

		if (event == UINT32_MAX)
			continue;
		metric = &reading->metrics[event];
		if (value.value > metric->read) {
			set_value(reading, event, value.value - metric->read);
			any = true;
		}
		metric->read = value.value;
	}
	return any;
}

static perun_id make_labels(struct reading *reading, const struct perfdata_sample *sample)
{
	const int64_t numbers[] = {0, sample->pid, sample->thread, sample->cpu};
	const char *name =
		sample->thread < 0 ? "" : perfdata_thread_name(&reading->processes, sample->thread);
	struct perun_label labels[4];
	size_t count = 0;

	if (*name)
		labels[count++] =
			(struct perun_label){.key = reading->keys[0],
					     .text = perun_builder_text(reading->builder, name)};
	for (size_t i = 1; i < 4; i++)
		if (numbers[i] >= 0)
			labels[count++] = (struct perun_label){
				.key = reading->keys[i], .text = PERUN_NO_ID, .number = numbers[i]};
	return perun_builder_labels(reading->builder, labels, count);
}

static perun_id make_stack(struct reading *reading, const struct perfdata_sample *sample)
{
	struct perfdata_stack *stack = &reading->stack;

	perfdata_find_stack(reading->file, &reading->processes, reading->names, sample, stack);
	for (size_t i = 0; i < stack->count; i++) {
		const struct perfdata_frame *frame = &stack->frames[i];
		const struct perfdata_map *map = perfdata_map_at(&reading->processes, sample->pid,
								 frame->kernel, frame->address);

		PERUN_GROW(reading->locations, i, reading->location_room);
		reading->locations[i] =
			perfdata_location(reading->names, &reading->processes, map, frame->address);
	}
	return perun_builder_stack(reading->builder, reading->locations, stack->count);
}

static int add_sample(struct reading *reading, const struct perfdata_record *record)
{
	struct perfdata_sample sample;
	int status = perfdata_take_sample(reading->file, record, &sample);
	bool group = !status && sample.group.at;

	if (status)
		return status;
	if (!perun_table_builder_rows(reading->table))
		perfdata_name_main(reading->names, &reading->processes);
	if (!group)
		set_value(reading, sample.event, sample.period);
	else if (!set_group(reading, &sample))
		return PERUN_OK;
	reading->stack.cut = false;
	perun_column_set_id(reading->stacks, PERUN_TYPE_STACK, make_stack(reading, &sample));
	reading->cut += reading->stack.cut;
	perun_column_set_id(reading->labels, PERUN_TYPE_LABELS, make_labels(reading, &sample));
	if (sample.time >= 0)
		perun_column_set_int64(reading->times, sample.time);
	perun_table_end_row(reading->table);
	return PERUN_OK;
}

static uint64_t lost_in(const struct perfdata *file, const struct perfdata_record *record)
{
	struct cursor cursor = {record->data, record->data + record->size, .big = file->big};

	if (record->type == RECORD_LOST)
		cursor_64(&cursor); /* the event */
	return cursor_64(&cursor);
}

static int read_record(struct reading *reading, const struct perfdata_record *record)
{
	switch (record->type) {
	case RECORD_SAMPLE:
		return add_sample(reading, record);
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		reading->lost += lost_in(reading->file, record);
		return PERUN_OK;
	default:
		return perfdata_processes_read(&reading->processes, record);
	}
}

static int read_records(struct reading *reading)
{
	enum { STEP = 1 << 17 };
	size_t passed = 0; /* bytes of records, which are not in the order of the file */
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < reading->file->place_count; i++) {
		const struct perfdata_record record =
			perfdata_record_at(reading->file, &reading->file->places[i]);

		passed += record.size;
		if (passed >= STEP) {
			perfdata_passed(reading->file, record.data);
			passed = 0;
		}
		status = read_record(reading, &record);
		if (!status && i % 4096 == 0 && perun_cancelled(reading->ctx))
			status = PERUN_CANCELLED;
	}
	if (!status && perun_table_builder_rows(reading->table) == 0)
		status = perun_fail(reading->ctx, PERUN_INPUT, "there is no sample in it");
	return status;
}

static void describe(struct reading *reading)
{
	struct perun_json *document = perun_builder_document(reading->builder);
	struct perun_json *header = perun_json_get(document, "header");

	if (perun_json_count(reading->file->comments))
		perun_json_set(document, "comments", perun_json_clone(reading->file->comments));
	if (reading->file->command)
		perfscript_note_command(header, reading->file->command);
	perfscript_note_samples(document, reading->columns, reading->sums, reading->column_count);
	perfscript_note_leading(header, reading->columns, reading->column_count);
}

static void report(const struct reading *reading)
{
	if (reading->cut)
		perun_warn(reading->ctx,
			   "%zu sample%s a copy of the stack that is not unwound here: perf "
			   "script may know the callers",
			   reading->cut, reading->cut == 1 ? " has" : "s have");
	if (reading->lost)
		perun_warn(reading->ctx, "%llu record%s lost when it was recorded",
			   (unsigned long long)reading->lost,
			   reading->lost == 1 ? " was" : "s were");
}

static void begin(struct reading *reading)
{
	perun_json_set(perun_builder_document(reading->builder), "header", perun_json_object());
	reading->table = perun_builder_table(reading->builder, "resources");
	perfscript_add_columns(reading->table, &reading->stacks, &reading->labels, &reading->times);
	for (size_t i = 0; i < sizeof label_keys / sizeof *label_keys; i++)
		reading->keys[i] = perun_builder_text(reading->builder, label_keys[i]);
	reading->metrics =
		perun_alloc_zero(reading->file->event_count + 1, sizeof *reading->metrics);
	perfdata_processes_init(&reading->processes, reading->file);
	reading->names = perfdata_names_new(reading->file, reading->builder);
}

int perfdata_read(struct perun_ctx *ctx, const struct perfdata *file, struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .file = file, .builder = builder};
	int status;

	begin(&reading);
	status = read_records(&reading);
	if (!status) {
		describe(&reading);
		report(&reading);
	}
	perfdata_names_free(reading.names);
	perfdata_processes_free(&reading.processes);
	perun_free(reading.stack.frames);
	perun_free(reading.locations);
	perun_free(reading.columns);
	perun_free((void *)reading.sums);
	perun_free(reading.metrics);
	return status;
}
