/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of the threads as rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "firefox.h"
#include "reading.h"

struct rows {
	struct ff_reading *reading;
	const struct ff_thread *thread;
	const struct ff_tables *tables;
	/* Ids + 1; 0: not made yet, so that memory of what no sample names stays untouched. */
	perun_id *locations;       /* of frames; NONE: left out */
	perun_id *scripts;         /* of strings that name a place: the same */
	perun_id *stacks;          /* of stacks */
	struct stacks_nodes paths; /* of stacks */
	size_t frame_count, stack_count;
};

#define NONE (UINT32_MAX - 1)

/* A cell; NaN when it is not there. */
static double cell(const struct ff_table *table, size_t column, size_t row)
{
	return numbers_at(&table->columns[column], row);
}

static size_t index_of(double number, size_t count)
{
	return number >= 0 && number < (double)count ? (size_t)number : SIZE_MAX;
}

/* A string of the thread; NULL = none. */
static const char *string_of(const struct rows *rows, double number)
{
	size_t index = index_of(number, rows->tables->string_count);

	return index == SIZE_MAX ? NULL
				 : perun_builder_string_at(rows->reading->builder,
							   rows->tables->strings[index], NULL);
}

/* Its id; 0 = none, or the empty one. */
static perun_id string_id(const struct rows *rows, double number)
{
	size_t index = index_of(number, rows->tables->string_count);

	return index == SIZE_MAX ? 0 : rows->tables->strings[index];
}

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/*
 * "a (file:///x.js:1:5)": a script. In a recording of the developer tools functions of Firefox itself are left out, as
 * there: those that are not scripts, and scripts of its own.
 */
static perun_id script_location(struct rows *rows, const char *text)
{
	size_t length = strlen(text);
	const char *open = length && text[length - 1] == ')' ? strstr(text, " (") : NULL;
	bool whole = !rows->reading->tools || rows->reading->everything;
	char *name = NULL, *file = NULL;
	struct stacks_frame frame = {.name = text, .length = length};
	perun_id location;

	if ((!open || begins(open, " (in ")) && !whole)
		return NONE;
	if (open && !begins(open, " (in ")) {
		if (!whole && (begins(open + 2, "resource:") || begins(open + 2, "chrome:") ||
			       begins(open + 2, "self-hosted") || begins(open + 2, "moz-")))
			return NONE;
		name = perun_strndup(text, (size_t)(open - text));
		file = perun_strndup(open + 2, length - (size_t)(open + 3 - text));
		frame.name = *name ? name : "(anonymous)";
		frame.length = 0;
		/* The line, and since version 9 the column. */
		for (int i = 0; i < 2; i++) {
			char *colon = strrchr(file, ':');

			if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
				break;
			frame.column = i ? frame.line : 0;
			frame.line = strtoll(colon + 1, NULL, 10);
			*colon = '\0';
		}
		frame.file = *file ? file : NULL;
	} else if (open) {
		name = perun_strndup(text, (size_t)(open - text));
		file = perun_strndup(open + 5, length - (size_t)(open + 6 - text));
		frame.name = name;
		frame.length = 0;
		frame.module = *file ? file : NULL;
	}
	location = stacks_frame(rows->reading->stacks, &frame);
	perun_free(name);
	perun_free(file);
	return location;
}

static int64_t whole(double number)
{
	return number > 0 && number < 1e15 ? (int64_t)number : 0;
}

static perun_id make_location(struct rows *rows, size_t index)
{
	const struct ff_tables *tables = rows->tables;
	size_t script =
		index_of(cell(&tables->frames, FRAME_LOCATION, index), tables->string_count);
	double function = cell(&tables->frames, FRAME_FUNCTION, index);
	struct stacks_frame frame = {.name = "(unknown)"};
	size_t at = (size_t)whole(function);
	const char *name;

	if (script != SIZE_MAX) {
		if (!rows->scripts[script]) {
			char *copy = perun_strdup(string_of(rows, (double)script));

			rows->scripts[script] = script_location(rows, copy) + 1;
			perun_free(copy);
		}
		return rows->scripts[script] - 1;
	}
	if (isnan(function))
		return stacks_frame(rows->reading->stacks, &frame);
	frame.name_id = string_id(rows, cell(&tables->functions, FUNCTION_NAME, at));
	frame.file_id = string_id(rows, cell(&tables->functions, FUNCTION_FILE, at));
	frame.start_line = whole(cell(&tables->functions, FUNCTION_LINE, at));
	frame.line = whole(cell(&tables->frames, FRAME_LINE, index));
	frame.column = whole(cell(&tables->frames, FRAME_COLUMN, index));
	name = string_of(rows, cell(&tables->functions, FUNCTION_NAME, at));
	if (name)
		frame.name = name; /* an empty one is a name as well */
	if (name && begins(name, "0x"))
		frame.address = strtoull(name, NULL, 16);
	return stacks_frame(rows->reading->stacks, &frame);
}

/* Gecko's stacks begin with "(root)", which is not a function. */
static perun_id location_of(struct rows *rows, double number)
{
	size_t index = index_of(number, rows->frame_count);
	const char *text;

	if (index == SIZE_MAX)
		return NONE;
	text = string_of(rows, cell(&rows->tables->frames, FRAME_LOCATION, index));
	if (text && strcmp(text, "(root)") == 0)
		return NONE;
	if (!rows->locations[index])
		rows->locations[index] = make_location(rows, index) + 1;
	return rows->locations[index] - 1;
}

/* The prefix of a stack comes before it, so that there are no circles. */
static int prefix_of(void *data, size_t stack, size_t *prefix)
{
	const struct rows *rows = data;

	*prefix = index_of(cell(&rows->tables->stacks, STACK_PREFIX, stack), rows->stack_count);
	if (*prefix == STACKS_NO_NODE || *prefix < stack)
		return PERUN_OK;
	return perun_fail(rows->reading->ctx, PERUN_INPUT,
			  "stack %zu has the prefix %zu, which is not before it", stack, *prefix);
}

static perun_id location_at(void *data, size_t stack)
{
	struct rows *rows = data;
	perun_id location = location_of(rows, cell(&rows->tables->stacks, STACK_FRAME, stack));

	return location == NONE ? PERUN_NO_ID : location;
}

static int stack_of(struct rows *rows, size_t index, perun_id *stack)
{
	perun_id path;
	int status;

	*stack = rows->stacks[index] - 1;
	if (rows->stacks[index])
		return PERUN_OK;
	status = stacks_nodes_path(&rows->paths, index, &path);
	if (status)
		return status;
	*stack = NONE;
	if (path != PERUN_NO_ID)
		status = stacks_of_path(rows->reading->stacks, path, stack);
	if (!status)
		rows->stacks[index] = *stack + 1;
	return status;
}

/* Weights are what the file says they are; without any a sample lasts up to the next one, or an interval. */
static unsigned metric_of(struct rows *rows, bool weighted)
{
	const char *type = rows->thread->weight_type;
	struct stacks *stacks = rows->reading->stacks;

	if (!weighted || (type && strcmp(type, "tracing-ms") == 0)) {
		unsigned metric = stacks_metric(stacks, "time", "ms");

		/* Weights in milliseconds are the times of calls. */
		if (!weighted)
			stacks_sample(stacks, metric, rows->reading->interval);
		return metric;
	}
	if (type && strcmp(type, "bytes") == 0)
		return stacks_metric(stacks, "space", "bytes");
	return stacks_metric(stacks, "samples", "");
}

static perun_id label_of(struct rows *rows)
{
	struct ff_reading *reading = rows->reading;
	const struct ff_thread *thread = rows->thread;
	struct perun_label labels[4];
	size_t count = 0;
	const struct {
		const char *key;
		perun_id text;
	} known[] = {
		{"process",
		 thread->process ? perun_builder_text(reading->builder, thread->process) : 0},
		{"thread", thread->name ? perun_builder_text(reading->builder, thread->name) : 0},
		{"pid", thread->pid},
		{"tid", thread->tid}};

	for (size_t i = 0; i < 4; i++)
		if (known[i].text)
			labels[count++] = (struct perun_label){
				.key = perun_builder_text(reading->builder, known[i].key),
				.text = known[i].text};
	return count ? perun_builder_labels(reading->builder, labels, count) : PERUN_NO_ID;
}

/*
 * How long a sample lasts: up to the next one, as long as times go on. The last one lasts an interval, as each does in
 * the Profiler; the developer tools do not show it.
 */
static double duration_of(const struct rows *rows, double time, double next)
{
	if (!rows->reading->gecko || (isnan(next) && !rows->reading->tools))
		return rows->reading->interval;
	return next > time ? next - time : 0;
}

/* When sample `i` was, the one before it at `before`; NaN after the last one. */
static double time_of(const struct ff_thread *thread, size_t i, double before)
{
	double time = cell(&thread->samples, SAMPLE_TIME, i);

	if (i >= thread->samples.columns[SAMPLE_STACK].count)
		return NAN;
	if (isnan(time))
		time = before + cell(&thread->samples, SAMPLE_DELTA, i);
	return isnan(time) ? before : time;
}

static int add_samples(struct rows *rows)
{
	const struct ff_thread *thread = rows->thread;
	struct stacks *stacks = rows->reading->stacks;
	const struct numbers *column = &thread->samples.columns[SAMPLE_STACK];
	bool weighted = !rows->reading->gecko && thread->samples.columns[SAMPLE_WEIGHT].count > 0;
	bool timed = thread->weight_type && strcmp(thread->weight_type, "tracing-ms") == 0;
	unsigned metric = metric_of(rows, weighted);
	perun_id labels = label_of(rows), stack;
	double time = time_of(thread, 0, 0), next;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < column->count; i++, time = next) {
		size_t index = index_of(numbers_at(column, i), rows->stack_count);
		double lasts, value;

		next = time_of(thread, i + 1, time);
		lasts = duration_of(rows, time, next);
		value = weighted ? cell(&thread->samples, SAMPLE_WEIGHT, i) : lasts;

		if (weighted && timed)
			lasts = value;

		if (index == SIZE_MAX || !(value != 0))
			continue;
		status = stack_of(rows, index, &stack);
		if (status || stack == NONE)
			continue;
		stacks_value(stacks, metric, value);
		stacks_times(stacks, time, time + lasts, "ms");
		if (labels != PERUN_NO_ID)
			stacks_label_set(stacks, labels);
		stacks_add(stacks, stack);
		if (i % 65536 == 65535 && perun_cancelled(rows->reading->ctx))
			status = PERUN_CANCELLED;
	}
	return status;
}

static size_t longest(const struct ff_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < FF_COLUMNS; i++)
		if (table->columns[i].count > count)
			count = table->columns[i].count;
	return count;
}

/* Strings alone may be shared; then the other tables are the thread's. */
static struct ff_tables tables_of(const struct ff_reading *reading, const struct ff_thread *thread)
{
	struct ff_tables tables = thread->own;

	if (!longest(&tables.stacks))
		tables.stacks = reading->shared.stacks;
	if (!longest(&tables.frames))
		tables.frames = reading->shared.frames;
	if (!longest(&tables.functions))
		tables.functions = reading->shared.functions;
	if (!tables.string_count) {
		tables.strings = reading->shared.strings;
		tables.string_count = reading->shared.string_count;
	}
	return tables;
}

bool firefox_is_complete(const struct ff_reading *reading, const struct ff_thread *thread)
{
	const struct ff_tables *own = &thread->own;

	/* Frames of Gecko name no functions. */
	return reading->meta_known &&
	       (reading->shared_known ||
		(longest(&own->stacks) && longest(&own->frames) && own->string_count &&
		 (reading->gecko || longest(&own->functions))));
}

int firefox_add_thread(struct ff_reading *reading, const struct ff_thread *thread)
{
	struct ff_tables tables = tables_of(reading, thread);
	struct rows rows = {.reading = reading, .thread = thread, .tables = &tables};
	int status;

	if (thread->samples.columns[SAMPLE_STACK].count == 0)
		return PERUN_OK;
	rows.frame_count = longest(&tables.frames);
	rows.stack_count = tables.stacks.columns[STACK_FRAME].count;
	rows.locations = perun_alloc_zero(rows.frame_count, sizeof *rows.locations);
	rows.scripts = perun_alloc_zero(tables.string_count, sizeof *rows.scripts);
	rows.stacks = perun_alloc_zero(rows.stack_count, sizeof *rows.stacks);
	rows.paths = (struct stacks_nodes){.ctx = reading->ctx,
					   .builder = reading->builder,
					   .data = &rows,
					   .caller = prefix_of,
					   .location = location_at};
	stacks_nodes_begin(&rows.paths, rows.stack_count);
	status = add_samples(&rows);
	perun_free(rows.locations);
	perun_free(rows.scripts);
	perun_free(rows.stacks);
	stacks_nodes_free(&rows.paths);
	return status;
}

static int firefox_add_rows(struct ff_reading *reading)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < reading->thread_count; i++)
		status = firefox_add_thread(reading, &reading->threads[i]);
	return status;
}

int firefox_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		 struct perun_builder *builder)
{
	const struct firefox_options *options = instance;
	struct ff_reading reading = {
		.ctx = ctx, .builder = builder, .interval = 1, .everything = options->everything};
	int status;

	reading.stacks = stacks_begin(ctx, builder, "firefox", &options->stacks);
	status = firefox_parse(&reading, input);
	if (!status)
		status = firefox_add_rows(&reading);
	firefox_free(&reading);
	return stacks_end(reading.stacks, status);
}
