/* SPDX-License-Identifier: BSD-3-Clause */
/* xctrace export: rows of samples; what was written once has an id and is then referred to. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/xml-feed.h"
#include "instruments.h"

enum { DEPTH = 200 };

enum element { OTHER, ROW, BACKTRACE, FRAME, BINARY, SOURCE, PATH, WEIGHT, THREAD, TIME };

/* A frame or binary or the like that was given an id; `value` is a location, text, stack or number. */
struct reading {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	XML_Parser parser;
	int status;
	enum element open[DEPTH];
	size_t depth;
	struct stacks_numbers ids; /* id -> index of `values` */
	struct value {
		enum element kind;
		double value;
	} * values;
	size_t value_count, value_room;
	/* the open frame */
	char *name;
	perun_id module, file;
	uint64_t address, frame_id;
	int64_t line;
	uint64_t text_id; /* of the element whose text is read */
	struct perun_buffer text;
	/* the open backtrace and row */
	perun_id *frames;
	size_t count, room;
	uint64_t backtrace_id;
	perun_id stack;
	double weight, time;
	bool have_stack, have_weight, have_time;
	perun_id thread;
	struct perun_buffer rust;
	size_t events;
};

static void fail_xml(struct reading *reading, const char *message)
{
	xml_fail(reading->ctx, reading->parser, &reading->status, message);
}

static uint64_t number_of(const char *text, int base)
{
	return text ? strtoull(text, NULL, base) : 0;
}

/* ids begin at 1; what has none is not remembered. */
static void remember(struct reading *reading, uint64_t id, enum element kind, double value)
{
	if (!id || !stacks_numbers_add(&reading->ids, id, (uint32_t)reading->value_count))
		return;
	PERUN_GROW(reading->values, reading->value_count, reading->value_room);
	reading->values[reading->value_count++] = (struct value){kind, value};
}

static bool recall(struct reading *reading, const char **attributes, enum element kind,
		   double *value)
{
	const char *ref = xml_attribute(attributes, "ref");
	uint32_t index = ref ? stacks_numbers_find(&reading->ids, number_of(ref, 10)) : UINT32_MAX;

	if (ref && (index == UINT32_MAX || reading->values[index].kind != kind))
		fail_xml(reading, "a reference to an id that is not there");
	if (!ref || reading->status)
		return false;
	*value = reading->values[index].value;
	return true;
}

static perun_id text_id_of(struct reading *reading, const char *text)
{
	return perun_builder_text(stacks_builder(reading->stacks), text ? text : "");
}

static void push_frame(struct reading *reading, perun_id location)
{
	PERUN_GROW(reading->frames, reading->count, reading->room);
	reading->frames[reading->count++] = location;
}

static void end_frame(struct reading *reading)
{
	struct stacks_frame frame = {.address = reading->address,
				     .module_id = reading->module,
				     .file_id = reading->file,
				     .line = reading->line};
	perun_id location;

	if (!reading->name)
		return; /* it was a reference */
	perun_buffer_clear(&reading->rust);
	stacks_add_rust_name(&reading->rust, reading->name, strlen(reading->name));
	frame.name = reading->rust.length ? reading->rust.data : "(unknown)";
	location = stacks_frame(reading->stacks, &frame);
	remember(reading, reading->frame_id, FRAME, location);
	push_frame(reading, location);
	perun_free(reading->name);
	reading->name = NULL;
	reading->module = reading->file = 0;
}

static void begin_frame(struct reading *reading, const char **attributes)
{
	double value;

	if (recall(reading, attributes, FRAME, &value)) {
		push_frame(reading, (perun_id)value);
		return;
	}
	perun_free(reading->name);
	reading->name = perun_strdup(xml_attribute(attributes, "name"));
	if (!reading->name)
		reading->name = perun_strdup(xml_attribute(attributes, "addr"));
	if (!reading->name)
		reading->name = perun_strdup("(unknown)");
	reading->address = number_of(xml_attribute(attributes, "addr"), 16);
	reading->frame_id = number_of(xml_attribute(attributes, "id"), 10);
	reading->line = 0;
}

static void begin_binary(struct reading *reading, const char **attributes)
{
	const char *path = xml_attribute(attributes, "path");
	double value;

	if (!reading->name || reading->module)
		return;
	if (!path)
		path = xml_attribute(attributes, "name");
	if (recall(reading, attributes, BINARY, &value)) {
		reading->module = (perun_id)value;
	} else if (path) {
		reading->module = text_id_of(reading, path);
		remember(reading, number_of(xml_attribute(attributes, "id"), 10), BINARY,
			 reading->module);
	}
}

static void begin_row(struct reading *reading)
{
	reading->have_stack = reading->have_weight = reading->have_time = false;
	reading->thread = 0;
	reading->count = 0;
}

/* Numbers and texts that are content, not attributes. */
static void begin_content(struct reading *reading, enum element element, const char **attributes)
{
	double value;

	perun_buffer_clear(&reading->text);
	reading->text_id = number_of(xml_attribute(attributes, "id"), 10);
	if (!recall(reading, attributes, element, &value))
		return;
	reading->text_id = 0;
	if (element == WEIGHT) {
		reading->weight = value;
		reading->have_weight = true;
	} else if (element == TIME) {
		reading->time = value;
		reading->have_time = true;
	} else if (element == PATH && reading->name && !reading->file) {
		reading->file = (perun_id)value;
	}
}

static void end_content(struct reading *reading, enum element element)
{
	const char *text = reading->text.length ? reading->text.data : "";
	double value = perun_strtod(text, NULL);

	if (!reading->text.length)
		return;
	if (element == WEIGHT) {
		reading->weight = value;
		reading->have_weight = true;
	} else if (element == TIME) {
		reading->time = value;
		reading->have_time = true;
	} else {
		value = text_id_of(reading, text);
		if (reading->name && !reading->file)
			reading->file = (perun_id)value;
	}
	remember(reading, reading->text_id, element, value);
	perun_buffer_clear(&reading->text);
}

static void begin_thread(struct reading *reading, const char **attributes)
{
	double value;

	if (recall(reading, attributes, THREAD, &value)) {
		reading->thread = (perun_id)value;
		return;
	}
	reading->thread = text_id_of(reading, xml_attribute(attributes, "fmt"));
	remember(reading, number_of(xml_attribute(attributes, "id"), 10), THREAD, reading->thread);
}

static void begin_backtrace(struct reading *reading, const char **attributes)
{
	double value;

	reading->count = 0;
	reading->backtrace_id = number_of(xml_attribute(attributes, "id"), 10);
	if (recall(reading, attributes, BACKTRACE, &value)) {
		reading->stack = (perun_id)value;
		reading->have_stack = true;
		reading->backtrace_id = 0;
	}
}

static void end_backtrace(struct reading *reading)
{
	if (reading->have_stack && !reading->count)
		return;
	if (!reading->status)
		reading->status = stacks_make(reading->stacks, reading->frames, reading->count,
					      true, &reading->stack);
	if (reading->status)
		XML_StopParser(reading->parser, XML_FALSE);
	remember(reading, reading->backtrace_id, BACKTRACE, reading->stack);
	reading->have_stack = true;
}

/* Rows without a weight are of other tables. */
static void end_row(struct reading *reading)
{
	unsigned metric;

	if (!reading->have_stack || !reading->have_weight || reading->status)
		return;
	metric = stacks_metric(reading->stacks, "time", "ns");
	stacks_value(reading->stacks, metric, reading->weight);
	if (reading->have_time)
		stacks_times(reading->stacks, reading->time, reading->time + reading->weight, "ns");
	if (reading->thread) {
		stacks_label_ids(reading->stacks, text_id_of(reading, "thread"), reading->thread);
	}
	stacks_add(reading->stacks, reading->stack);
}

static enum element element_of(const char *name)
{
	static const struct {
		const char *name;
		enum element element;
	} names[] = {{"row", ROW},       {"backtrace", BACKTRACE}, {"tagged-backtrace", OTHER},
		     {"frame", FRAME},   {"binary", BINARY},       {"source", SOURCE},
		     {"path", PATH},     {"weight", WEIGHT},       {"cycle-weight", WEIGHT},
		     {"thread", THREAD}, {"sample-time", TIME}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].element;
	return OTHER;
}

static void begin(void *data, const char *name, const char **attributes)
{
	struct reading *reading = data;
	enum element element = element_of(name);

	if (reading->depth == DEPTH) {
		fail_xml(reading, "too many elements within each other");
		return;
	}
	if (++reading->events % 65536 == 0 && perun_cancelled(reading->ctx)) {
		reading->status = PERUN_CANCELLED;
		XML_StopParser(reading->parser, XML_FALSE);
		return;
	}
	reading->open[reading->depth++] = element;
	if (element == ROW)
		begin_row(reading);
	else if (element == BACKTRACE)
		begin_backtrace(reading, attributes);
	else if (element == FRAME)
		begin_frame(reading, attributes);
	else if (element == BINARY)
		begin_binary(reading, attributes);
	else if (element == SOURCE)
		reading->line =
			(int64_t)(number_of(xml_attribute(attributes, "line"), 10) & INT32_MAX);
	else if (element == THREAD)
		begin_thread(reading, attributes);
	else if (element == PATH || element == WEIGHT || element == TIME)
		begin_content(reading, element, attributes);
}

static void end(void *data, const char *name)
{
	struct reading *reading = data;
	enum element element;

	(void)name;
	if (!reading->depth || reading->status)
		return;
	element = reading->open[--reading->depth];
	if (element == ROW)
		end_row(reading);
	else if (element == BACKTRACE)
		end_backtrace(reading);
	else if (element == FRAME)
		end_frame(reading);
	else if (element == PATH || element == WEIGHT || element == TIME)
		end_content(reading, element);
}

static void content(void *data, const char *text, int length)
{
	struct reading *reading = data;
	enum element element = reading->depth ? reading->open[reading->depth - 1] : OTHER;

	if ((element == PATH || element == WEIGHT || element == TIME) &&
	    reading->text.length < 65536)
		perun_buffer_add(&reading->text, text, (size_t)length);
}

/* Entities of a document type may grow without bounds; exports have none. */
static void doctype(void *data, const char *name, const char *system, const char *public_id,
		    int internal)
{
	(void)name;
	(void)system;
	(void)public_id;
	(void)internal;
	fail_xml(data, "expected a document without a document type");
}

static void free_reading(struct reading *reading)
{
	XML_ParserFree(reading->parser);
	stacks_numbers_free(&reading->ids);
	perun_free(reading->values);
	perun_free(reading->name);
	perun_free(reading->frames);
	perun_buffer_free(&reading->text);
	perun_buffer_free(&reading->rust);
}

int instruments_read_xml(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks)
{
	struct reading reading = {.ctx = ctx, .stacks = stacks, .parser = XML_ParserCreate(NULL)};

	if (!reading.parser)
		return perun_fail(ctx, PERUN_MISSING, "cannot make an XML parser");
	XML_SetUserData(reading.parser, &reading);
	XML_SetElementHandler(reading.parser, begin, end);
	XML_SetCharacterDataHandler(reading.parser, content);
	XML_SetStartDoctypeDeclHandler(reading.parser, doctype);
	if (!xml_feed(ctx, input, reading.parser, &reading.status))
		fail_xml(&reading, XML_ErrorString(XML_GetErrorCode(reading.parser)));
	free_reading(&reading);
	return reading.status;
}
