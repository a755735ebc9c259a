/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * experiment.xml: tables of metrics, modules, files and procedures, then a tree of procedures (PF), inlined ones (Pr),
 * loops (L), call sites (C) and statements (S). A statement's exclusive value is what its line cost.
 */
#include <stdlib.h>
#include <string.h>

#include <perun/lib/path.h>

#include "formats/common/xml-feed.h"
#include "hpctoolkit.h"

enum { DEPTH = 4096 };

enum element {
	OTHER,
	METRIC,
	METRIC_DB,
	MODULE,
	SOURCE_FILE,
	PROCEDURE,
	FUNCTION,
	LOOP,
	CALL,
	STATEMENT,
	VALUE
};

struct names {
	struct stacks_numbers ids;
	perun_id *texts;
	size_t count, room;
};

struct level {
	enum element element;
	struct stacks_frame frame; /* of functions and loops */
	int64_t line;              /* of what is called or costs something in it */
};

struct reading {
	struct hpctoolkit *database;
	XML_Parser parser;
	int status;
	struct level *levels;
	size_t depth, room, too_deep;
	struct names modules, files, procedures;
	perun_id *frames;
	size_t frame_room, events;
};

static void fail_xml(struct reading *reading, const char *message)
{
	xml_fail(reading->database->ctx, reading->parser, &reading->status, message);
}

static const char *attribute(const char **attributes, const char *name)
{
	const char *value = xml_attribute(attributes, name);

	return value ? value : "";
}

static uint64_t number_of(const char **attributes, const char *name)
{
	return strtoull(attribute(attributes, name), NULL, 10);
}

static enum element element_of(const char *name)
{
	static const struct {
		const char *name;
		enum element element;
	} elements[] = {{"Metric", METRIC},    {"MetricDB", METRIC_DB},  {"LoadModule", MODULE},
			{"File", SOURCE_FILE}, {"Procedure", PROCEDURE}, {"PF", FUNCTION},
			{"Pr", FUNCTION},      {"P", FUNCTION},          {"L", LOOP},
			{"C", CALL},           {"S", STATEMENT},         {"M", VALUE}};

	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
		if (strcmp(name, elements[i].name) == 0)
			return elements[i].element;
	return OTHER;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void add_name(struct reading *reading, struct names *names, const char **attributes)
{
	perun_id text = perun_builder_text(stacks_builder(reading->database->stacks),
					   attribute(attributes, "n"));

	if (!stacks_numbers_add(&names->ids, number_of(attributes, "i"), (uint32_t)names->count))
		return;
	PERUN_GROW(names->texts, names->count, names->room);
	names->texts[names->count++] = text;
}

/* The text of a number in a table; 0 = it has none. */
static perun_id find_name(const struct names *names, const char **attributes, const char *key)
{
	uint32_t index = stacks_numbers_find(&names->ids, number_of(attributes, key));

	return index == UINT32_MAX ? 0 : names->texts[index];
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && strcmp(text + length - size, end) == 0;
}

/* Means, deviations and the like of all threads are left out: only the sum is a cost. */
static bool is_own_cost(const char *name, const char **attributes)
{
	bool exclusive =
		strcmp(attribute(attributes, "t"), "exclusive") == 0 || ends_in(name, "(E)");
	const char *colon = strrchr(name, ':');

	return exclusive && (!colon || strncmp(colon, ":Sum", 4) == 0);
}

static void add_metric(struct reading *reading, bool in_files, const char **attributes)
{
	struct hpctoolkit *database = reading->database;
	struct hpctoolkit_metric *metrics = in_files ? database->in_files : database->in_document;
	size_t *count = in_files ? &database->in_file_count : &database->in_document_count;
	const char *name = attribute(attributes, "n");

	if (*count == HPCTOOLKIT_METRICS) {
		fail_xml(reading, "expected at most 256 metrics");
		return;
	}
	metrics[*count] = (struct hpctoolkit_metric){.id = number_of(attributes, "i"),
						     .used = is_own_cost(name, attributes)};
	if (metrics[*count].used && in_files != database->in_document_only)
		metrics[*count].metric = hpctoolkit_make_metric(database->stacks, name);
	++*count;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* The frames down to the last level, each with the line where the next one is called. */
static int make_stack(struct reading *reading, perun_id *stack)
{
	struct stacks *stacks = reading->database->stacks;
	size_t count = 0;

	for (size_t i = 0; i < reading->depth; i++) {
		struct stacks_frame frame = reading->levels[i].frame;

		if (!frame.name_id)
			continue;
		if (reading->levels[i].line > 0)
			frame.line = reading->levels[i].line;
		PERUN_GROW(reading->frames, count, reading->frame_room);
		reading->frames[count++] = stacks_frame(stacks, &frame);
	}
	return stacks_make(stacks, reading->frames, count, false, stack);
}

static void begin_function(struct reading *reading, struct level *level, const char **attributes)
{
	perun_id name = find_name(&reading->procedures, attributes, "n");

	/* Inlined code without a name is a part of its caller. */
	if (!name)
		return;
	level->frame.name_id = name;
	level->frame.file_id = find_name(&reading->files, attributes, "f");
	level->frame.module_id = find_name(&reading->modules, attributes, "lm");
	level->frame.start_line = (int64_t)(number_of(attributes, "l") & INT32_MAX);
	level->frame.line = level->frame.start_line;
}

static void begin_loop(struct reading *reading, struct level *level, const char **attributes)
{
	struct perun_builder *builder = stacks_builder(reading->database->stacks);
	perun_id file = find_name(&reading->files, attributes, "f");
	const char *path = file ? perun_builder_string_at(builder, file, NULL) : "";
	char *name = perun_format("loop at %s:%s", perun_path_base_name(path),
				  attribute(attributes, "l"));

	level->frame.name_id = perun_builder_text(builder, name);
	level->frame.file_id = file;
	level->frame.line = (int64_t)(number_of(attributes, "l") & INT32_MAX);
	perun_free(name);
}

/* The line of a call or statement belongs to the frame around it. */
static void set_line(struct reading *reading, const char **attributes)
{
	for (size_t i = reading->depth; i-- > 0;) {
		if (!reading->levels[i].frame.name_id)
			continue;
		reading->levels[i].line = (int64_t)(number_of(attributes, "l") & INT32_MAX);
		break;
	}
}

static void add_place(struct reading *reading, const char **attributes)
{
	struct hpctoolkit *database = reading->database;
	perun_id stack;
	int status = make_stack(reading, &stack);

	if (status) {
		reading->status = status;
		XML_StopParser(reading->parser, XML_FALSE);
		return;
	}
	PERUN_GROW(database->places, database->place_count, database->place_room);
	database->places[database->place_count++] =
		(struct hpctoolkit_place){.id = number_of(attributes, "i"), .stack = stack};
}

/* <M n="3" v="1e6"/> of a statement. */
static void add_value(struct reading *reading, const char **attributes)
{
	struct hpctoolkit *database = reading->database;
	uint64_t id = number_of(attributes, "n");
	double value = perun_strtod(attribute(attributes, "v"), NULL);
	const struct level *above = reading->depth ? &reading->levels[reading->depth - 1] : NULL;

	if (!database->in_document_only || !above || above->element != STATEMENT || value == 0)
		return;
	for (size_t i = 0; i < database->in_document_count; i++) {
		if (database->in_document[i].id != id || !database->in_document[i].used)
			continue;
		stacks_value(database->stacks, database->in_document[i].metric, value);
		stacks_add(database->stacks, database->places[database->place_count - 1].stack);
		return;
	}
}

static void begin(void *data, const char *name, const char **attributes)
{
	struct reading *reading = data;
	struct level level = {.element = element_of(name)};

	if (reading->status)
		return;
	if (reading->depth == DEPTH) {
		fail_xml(reading, "expected at most 4096 elements within each other");
		return;
	}
	if (++reading->events % 65536 == 0 && perun_cancelled(reading->database->ctx)) {
		reading->status = PERUN_CANCELLED;
		XML_StopParser(reading->parser, XML_FALSE);
		return;
	}
	if (level.element == METRIC || level.element == METRIC_DB)
		add_metric(reading, level.element == METRIC_DB, attributes);
	else if (level.element == MODULE)
		add_name(reading, &reading->modules, attributes);
	else if (level.element == SOURCE_FILE)
		add_name(reading, &reading->files, attributes);
	else if (level.element == PROCEDURE)
		add_name(reading, &reading->procedures, attributes);
	else if (level.element == FUNCTION)
		begin_function(reading, &level, attributes);
	else if (level.element == LOOP)
		begin_loop(reading, &level, attributes);
	else if (level.element == CALL || level.element == STATEMENT)
		set_line(reading, attributes);
	else if (level.element == VALUE)
		add_value(reading, attributes);
	if (level.element == STATEMENT)
		add_place(reading, attributes);
	PERUN_GROW(reading->levels, reading->depth, reading->room);
	reading->levels[reading->depth++] = level;
}

static void end(void *data, const char *name)
{
	struct reading *reading = data;

	(void)name;
	if (reading->depth && !reading->status)
		reading->depth--;
}

/* Entities may grow without bounds; these documents declare elements only. */
static void entity(void *data, const char *name, int is_parameter, const char *value, int length,
		   const char *base, const char *system, const char *public_id,
		   const char *notation)
{
	(void)name;
	(void)is_parameter;
	(void)value;
	(void)length;
	(void)base;
	(void)system;
	(void)public_id;
	(void)notation;
	fail_xml(data, "expected a document without entities");
}

static void free_names(struct names *names)
{
	stacks_numbers_free(&names->ids);
	perun_free(names->texts);
}

int hpctoolkit_read_tree(struct hpctoolkit *database, struct perun_input *input)
{
	struct reading reading = {.database = database, .parser = XML_ParserCreate(NULL)};

	if (!reading.parser)
		return perun_fail(database->ctx, PERUN_MISSING, "cannot make an XML parser");
	XML_SetUserData(reading.parser, &reading);
	XML_SetElementHandler(reading.parser, begin, end);
	XML_SetEntityDeclHandler(reading.parser, entity);
	if (!xml_feed(database->ctx, input, reading.parser, &reading.status))
		fail_xml(&reading, XML_ErrorString(XML_GetErrorCode(reading.parser)));
	XML_ParserFree(reading.parser);
	free_names(&reading.modules);
	free_names(&reading.files);
	free_names(&reading.procedures);
	perun_free(reading.levels);
	perun_free(reading.frames);
	return reading.status;
}
