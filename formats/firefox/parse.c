/* SPDX-License-Identifier: BSD-3-Clause */
/* The document: threads with their tables, as columns or as rows under a schema. */
#include <math.h>
#include <string.h>

#include "reading.h"

/* A text within a text needs twice its backslashes, so that these end by themselves. */
enum { MAX_PROCESS_TEXTS = 1000 };

static const char *const sample_names[] = {"stack", "time", "timeDeltas", "weight", NULL};
static const char *const stack_names[] = {"prefix", "frame", NULL};
static const char *const frame_names[] = {"func", "line", "column", "address", "location", NULL};
static const char *const function_names[] = {"name", "fileName", "lineNumber", NULL};

static size_t find_name(const struct stream *stream, const char *const *names)
{
	for (size_t i = 0; names[i]; i++)
		if (stream_is(stream, names[i]))
			return i;
	return SIZE_MAX;
}

/* A number of the item whose first token was read, else NaN. */
static double item_number(struct stream *stream)
{
	double value =
		stream->token->event == PERUN_JSON_NUMBER ? stream_token_number(stream) : NAN;

	stream_skip(stream);
	return value;
}

enum { NO_PLACE = 0xff };

/* Which column of ours each column of the file is. Members have no order: data may come before their schema. */
struct schema {
	uint8_t place[64];     /* NO_PLACE: none of them */
	bool known, late;      /* late: the data were read before, in the columns of the file */
	bool ours[FF_COLUMNS]; /* that the file has; the others stay empty */
};

static void begin_schema(struct schema *schema)
{
	memset(schema, 0, sizeof *schema);
	memset(schema->place, NO_PLACE, sizeof schema->place);
}

/* "schema": {"stack": 0, "time": 1}: which column of ours the column of the file is. */
static void read_schema(struct stream *stream, const char *const *names, struct schema *schema)
{
	while (stream_member(stream)) {
		size_t name = find_name(stream, names);
		double number = stream_number(stream);

		if (name == SIZE_MAX || !(number >= 0 && number < 64))
			continue;
		schema->place[(size_t)number] = (uint8_t)name;
		schema->ours[name] = true;
	}
	schema->known = true;
}

static void free_table(struct ff_table *table)
{
	for (size_t i = 0; i < FF_COLUMNS; i++)
		numbers_free(&table->columns[i]);
}

/* Columns as they are in the file, put where they belong. */
static void arrange(struct ff_table *table, const struct schema *schema)
{
	struct ff_table read = *table;
	const size_t rows = read.columns[0].count;

	*table = (struct ff_table){0};
	for (size_t row = 0; row < rows; row++) {
		double values[FF_COLUMNS];

		for (size_t i = 0; i < FF_COLUMNS; i++)
			values[i] = NAN;
		for (size_t i = 0; i < FF_COLUMNS; i++)
			if (schema->place[i] < FF_COLUMNS)
				values[schema->place[i]] = numbers_at(&read.columns[i], row);
		for (size_t i = 0; i < FF_COLUMNS; i++) {
			numbers_add(&table->columns[i], values[i]);
			numbers_drop(&read.columns[i], row);
		}
	}
	free_table(&read);
}

/* Rows may be shorter than the schema; all columns stay equally long. */
static void read_rows(struct stream *stream, struct ff_table *table, struct schema *schema)
{
	schema->late = !schema->known;
	while (stream_item(stream)) {
		double row[FF_COLUMNS];
		size_t column = 0;

		if (stream->token->event != PERUN_JSON_ARRAY_START) {
			perun_json_fail(stream->json, "expected a list for a row");
			return;
		}
		for (size_t i = 0; i < FF_COLUMNS; i++)
			row[i] = NAN;
		for (; stream_item(stream); column++) {
			double value = item_number(stream);

			size_t place = schema->late  ? column
				       : column < 64 ? schema->place[column]
						     : NO_PLACE;

			if (place < FF_COLUMNS)
				row[place] = value;
		}
		for (size_t i = 0; i < FF_COLUMNS; i++)
			if (schema->late || schema->ours[i])
				numbers_add(&table->columns[i], row[i]);
	}
}

static void read_table_member(struct stream *stream, struct ff_table *table,
			      const char *const *names, struct schema *schema)
{
	size_t name = find_name(stream, names);

	if (stream_is(stream, "schema")) {
		if (stream_object(stream))
			read_schema(stream, names, schema);
		if (schema->late)
			arrange(table, schema);
		schema->late = false;
	} else if (stream_is(stream, "data")) {
		if (stream_array(stream))
			read_rows(stream, table, schema);
	} else if (name == SIZE_MAX) {
		stream_skip(stream);
	} else if (stream_array(stream)) {
		while (stream_item(stream))
			numbers_add(&table->columns[name], item_number(stream));
	}
}

static void read_table(struct stream *stream, struct ff_table *table, const char *const *names)
{
	struct schema schema;

	begin_schema(&schema);
	while (stream_member(stream))
		read_table_member(stream, table, names, &schema);
}

static void read_strings(struct ff_reading *reading, struct stream *stream,
			 struct ff_tables *tables)
{
	while (stream_item(stream)) {
		perun_id text = 0;

		if (stream->token->event == PERUN_JSON_STRING)
			text = perun_builder_string(reading->builder, stream->token->text,
						    stream->token->length);
		else
			stream_skip(stream);
		PERUN_GROW(tables->strings, tables->string_count, tables->string_room);
		tables->strings[tables->string_count++] = text;
	}
}

static bool read_tables_member(struct ff_reading *reading, struct stream *stream,
			       struct ff_tables *tables)
{
	struct ff_table *table = stream_is(stream, "stackTable")   ? &tables->stacks
				 : stream_is(stream, "frameTable") ? &tables->frames
				 : stream_is(stream, "funcTable")  ? &tables->functions
								   : NULL;
	const char *const *names = table == &tables->stacks   ? stack_names
				   : table == &tables->frames ? frame_names
							      : function_names;

	if (table) {
		if (stream_object(stream))
			read_table(stream, table, names);
	} else if (stream_is(stream, "stringTable") || stream_is(stream, "stringArray")) {
		if (stream_array(stream))
			read_strings(reading, stream, tables);
	} else {
		return false;
	}
	return true;
}

/* A number or a string, as text. */
static perun_id read_id(struct ff_reading *reading, struct stream *stream)
{
	perun_id text = 0;

	perun_json_next(stream->json);
	if (stream->token->event == PERUN_JSON_STRING || stream->token->event == PERUN_JSON_NUMBER)
		text = perun_builder_string(reading->builder, stream->token->text,
					    stream->token->length);
	stream_skip(stream);
	return text;
}

static void read_text(struct stream *stream, char **text)
{
	perun_free(*text);
	*text = stream_text(stream);
}

static void read_thread_samples(struct ff_reading *reading, struct stream *stream,
				struct ff_thread *thread)
{
	struct schema schema;

	begin_schema(&schema);
	while (stream_member(stream)) {
		if (stream_is(stream, "weightType")) {
			read_text(stream, &thread->weight_type);
			continue;
		}
		reading->gecko = reading->gecko || stream_is(stream, "schema");
		read_table_member(stream, &thread->samples, sample_names, &schema);
	}
}

static void read_profile(struct ff_reading *reading, struct stream *stream);

/* Old versions keep the profile of another process as text among the threads. */
static void read_process_text(struct ff_reading *reading, struct stream *outer)
{
	struct perun_input *input =
		perun_input_from_memory("process", outer->token->text, outer->token->length);
	struct stream stream;

	if (reading->processes++ < MAX_PROCESS_TEXTS) {
		stream_open(&stream, reading->ctx, input);
		if (stream_expect_object(&stream, "the profile of a process"))
			read_profile(reading, &stream);
		if (!reading->status && stream_end(&stream))
			perun_json_fail(outer->json, "this text is not the profile of a process");
		stream_close(&stream);
	}
	perun_input_close(input);
}

/* Empty, with the memory it has. */
static void clear_thread(struct ff_thread *thread)
{
	struct ff_table *tables[] = {&thread->samples, &thread->own.stacks, &thread->own.frames,
				     &thread->own.functions};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (size_t column = 0; column < FF_COLUMNS; column++)
			numbers_clear(&tables[i]->columns[column]);
	thread->own.string_count = 0;
	perun_free(thread->name);
	perun_free(thread->process);
	perun_free(thread->weight_type);
	thread->name = thread->process = thread->weight_type = NULL;
	thread->tid = thread->pid = 0;
	thread->has_tables = false;
}

/* Many threads are small: one gets its rows when it has been read, unless it has to wait for what follows. */
static void end_thread(struct ff_reading *reading)
{
	if (reading->thread_count == 0 && firefox_is_complete(reading, &reading->read)) {
		reading->status = firefox_add_thread(reading, &reading->read);
		return;
	}
	PERUN_GROW(reading->threads, reading->thread_count, reading->thread_room);
	reading->threads[reading->thread_count++] = reading->read;
	reading->read = (struct ff_thread){0};
}

static void read_thread(struct ff_reading *reading, struct stream *stream)
{
	struct ff_thread *thread = &reading->read;

	if (stream->token->event == PERUN_JSON_STRING) {
		read_process_text(reading, stream);
		return;
	}

	if (stream->token->event != PERUN_JSON_OBJECT_START) {
		perun_json_fail(stream->json, "expected an object for a thread");
		return;
	}
	clear_thread(thread);
	while (stream_member(stream)) {
		if (stream_is(stream, "samples")) {
			if (stream_object(stream))
				read_thread_samples(reading, stream, thread);
		} else if (stream_is(stream, "name")) {
			read_text(stream, &thread->name);
		} else if (stream_is(stream, "processName")) {
			read_text(stream, &thread->process);
		} else if (stream_is(stream, "tid")) {
			thread->tid = read_id(reading, stream);
		} else if (stream_is(stream, "pid")) {
			thread->pid = read_id(reading, stream);
		} else if (read_tables_member(reading, stream, &thread->own)) {
			thread->has_tables = true;
		} else {
			stream_skip(stream);
		}
	}
	if (!stream_status(stream))
		end_thread(reading);
}

static void read_processes(struct ff_reading *reading, struct stream *stream)
{
	while (!reading->status && stream_item(stream)) {
		if (stream->token->event == PERUN_JSON_OBJECT_START)
			read_profile(reading, stream);
		else
			stream_skip(stream);
	}
}

static void read_meta(struct ff_reading *reading, struct stream *stream)
{
	double number;

	reading->meta_known = true;
	while (stream_member(stream)) {
		if (stream_is(stream, "interval")) {
			number = stream_number(stream);
			if (number > 0)
				reading->interval = number;
		} else {
			stream_skip(stream);
		}
	}
}

/* The last token is the start of the object; processes hold profiles, the nesting of JSON bounds them. */
static void read_profile(struct ff_reading *reading, struct stream *stream)
{
	while (!reading->status && stream_member(stream)) {
		if (stream_is(stream, "meta")) {
			if (stream_object(stream))
				read_meta(reading, stream);
		} else if (stream_is(stream, "threads")) {
			if (stream_array(stream))
				while (!reading->status && stream_item(stream))
					read_thread(reading, stream);
		} else if (stream_is(stream, "processes")) {
			if (stream_array(stream))
				read_processes(reading, stream);
		} else if (stream_is(stream, "shared")) {
			if (!stream_object(stream))
				continue;
			while (stream_member(stream))
				if (!read_tables_member(reading, stream, &reading->shared))
					stream_skip(stream);
			reading->shared_known = true;
		} else if (stream_is(stream, "profile")) {
			reading->tools = true;
			if (stream_object(stream))
				read_profile(reading, stream);
		} else {
			stream_skip(stream);
		}
	}
}

int firefox_parse(struct ff_reading *reading, struct perun_input *input)
{
	struct stream stream;
	int status;

	stream_open(&stream, reading->ctx, input);
	if (stream_expect_object(&stream, "a profile of Firefox"))
		read_profile(reading, &stream);
	status = reading->status ? reading->status : stream_end(&stream);
	stream_close(&stream);
	return status;
}

static void free_tables(struct ff_tables *tables)
{
	free_table(&tables->stacks);
	free_table(&tables->frames);
	free_table(&tables->functions);
	perun_free(tables->strings);
}

static void free_thread(struct ff_thread *thread)
{
	free_table(&thread->samples);
	free_tables(&thread->own);
	perun_free(thread->name);
	perun_free(thread->process);
	perun_free(thread->weight_type);
}

void firefox_free(struct ff_reading *reading)
{
	for (size_t i = 0; i < reading->thread_count; i++)
		free_thread(&reading->threads[i]);
	free_thread(&reading->read);
	free_tables(&reading->shared);
	perun_free(reading->threads);
}
