/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * .cali: a record a line, "__rec=node,id=23,attr=8,data=main,parent=3" or "__rec=ctx,ref=23=45,attr=17,data=1.5".
 * Nodes are a tree of values; those of the attribute cali.attribute.name (8) are attributes themselves, whose
 * properties (10) are among their parents.
 */
#include <stdlib.h>
#include <string.h>

#include "caliper.h"
#include "formats/common/each-line.h"

enum { NAME = 8, PROPERTY = 10, NESTED = 256 };

struct node {
	uint64_t attribute;
	uint32_t parent; /* index; UINT32_MAX = none or built in */
	perun_id text, location;
	uint32_t path; /* of `paths`, plus 1; 0 = no row refers to it so far */
};

/* What a node that rows refer to is with its parents: rows may refer to a deep one again and again. */
struct path {
	uint32_t definitions;  /* those when it was walked: an attribute may be defined later */
	size_t labels, frames; /* how many nodes are such */
	struct caliper_place place;
	bool placed; /* `place` is that of rows that refer to it alone and have no other labels */
};

/* The values of a field, which point into the line. */
struct list {
	char **items;
	size_t count, room;
};

/* The fields of a record, taken apart in place; its lists are used for one record after the other. */
struct record {
	char *kind, *id, *parent;
	struct list references, attributes, values;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct node *nodes;
	size_t node_count, node_room;
	struct stacks_numbers ids;
	uint32_t definitions; /* how many nodes are attributes */
	struct path *paths;
	size_t path_count, path_room;
	struct record record;
	/* of the row: its frames and labels are what its references are, once these were walked */
	perun_id *frames;
	size_t frame_count, room;
	bool walked, labelled; /* labelled: it has labels of its own */
	struct caliper_rows rows;
};

/* Up to a separator that no backslash is before; backslashes go. `*rest` is after it, NULL at the end. */
static char *take(char **rest, char *found, const char *separators)
{
	char *start = *rest, *out = start, *at = start;

	for (; *at && !strchr(separators, *at); at++) {
		if (*at == '\\' && at[1])
			at++;
		*out++ = *at;
	}
	*found = *at;
	*rest = *at ? at + 1 : NULL;
	*out = '\0';
	return start;
}

static void take_list(struct list *list, char *value)
{
	PERUN_GROW(list->items, list->count, list->room);
	list->items[list->count++] = value;
}

static void add_field(struct record *record, const char *key, char *value)
{
	if (strcmp(key, "__rec") == 0)
		record->kind = value;
	else if (strcmp(key, "id") == 0)
		record->id = value;
	else if (strcmp(key, "parent") == 0)
		record->parent = value;
	else if (strcmp(key, "ref") == 0)
		take_list(&record->references, value);
	else if (strcmp(key, "attr") == 0)
		take_list(&record->attributes, value);
	else if (strcmp(key, "data") == 0)
		take_list(&record->values, value);
}

static void split(struct record *record, char *line)
{
	record->kind = record->id = record->parent = NULL;
	record->references.count = record->attributes.count = record->values.count = 0;
	while (line) {
		char found, *key = take(&line, &found, "=,");

		while (line && found == '=') {
			char *value = take(&line, &found, "=,");

			add_field(record, key, value);
		}
	}
}

static uint32_t find(const struct reading *reading, const char *id)
{
	return stacks_numbers_find(&reading->ids, strtoull(id, NULL, 10));
}

static int read_node(struct reading *reading, const struct record *record)
{
	struct node node = {.parent = UINT32_MAX};

	if (!record->id || !record->attributes.count || !record->values.count)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "line %llu: expected id, attr and data of a node",
				  (unsigned long long)perun_lines_number(reading->lines));
	node.attribute = strtoull(record->attributes.items[0], NULL, 10);
	if (record->parent)
		node.parent = find(reading, record->parent);
	node.text = perun_builder_text(stacks_builder(reading->stacks), record->values.items[0]);
	node.location = stacks_name(
		reading->stacks, *record->values.items[0] ? record->values.items[0] : "(unknown)",
		*record->values.items[0] ? strlen(record->values.items[0]) : 9);
	reading->definitions += node.attribute == NAME;
	stacks_numbers_add(&reading->ids, strtoull(record->id, NULL, 10),
			   (uint32_t)reading->node_count);
	PERUN_GROW(reading->nodes, reading->node_count, reading->node_room);
	reading->nodes[reading->node_count++] = node;
	return PERUN_OK;
}

/* Valid until the next string is made. */
static const char *text_at(const struct reading *reading, perun_id id)
{
	return perun_builder_string_at(stacks_builder(reading->stacks), id, NULL);
}

/* The name of an attribute; 0 = it is not known. */
static perun_id attribute_name(const struct reading *reading, uint64_t id)
{
	uint32_t index = stacks_numbers_find(&reading->ids, id);

	return index == UINT32_MAX || reading->nodes[index].attribute != NAME
		       ? 0
		       : reading->nodes[index].text;
}

/* Whether values of the attribute are places within each other: functions, loops, regions. */
static bool is_nested(const struct reading *reading, uint64_t id)
{
	uint32_t index = stacks_numbers_find(&reading->ids, id);

	for (size_t depth = 0; index != UINT32_MAX && depth < 16; depth++) {
		const struct node *node = &reading->nodes[index];

		if (node->attribute == PROPERTY)
			return strtoull(text_at(reading, node->text), NULL, 10) & NESTED;
		index = node->parent;
	}
	return false;
}

/* The unit that the metadata of an attribute name ("attribute.unit"), else what its name says, as caliper_unit(). */
static const char *attribute_unit(const struct reading *reading, uint64_t id, const char *name)
{
	uint32_t index = stacks_numbers_find(&reading->ids, id);

	for (size_t depth = 0; index != UINT32_MAX && depth < 16; depth++) {
		const struct node *node = &reading->nodes[index];
		perun_id about = attribute_name(reading, node->attribute);

		if (about && strcmp(text_at(reading, about), "attribute.unit") == 0)
			return caliper_unit(text_at(reading, node->text), name);
		index = node->parent;
	}
	return caliper_unit(NULL, name);
}

static void label(struct reading *reading, const struct node *node)
{
	perun_id name = attribute_name(reading, node->attribute);

	if (name && strncmp(text_at(reading, name), "cali.", 5) != 0)
		caliper_label(&reading->rows, name, node->text);
}

static void count_nodes(const struct reading *reading, uint32_t index, struct path *path)
{
	*path = (struct path){.definitions = reading->definitions};
	for (; index != UINT32_MAX; index = reading->nodes[index].parent) {
		bool nested = is_nested(reading, reading->nodes[index].attribute);

		path->frames += nested;
		path->labels += !nested && reading->nodes[index].attribute != NAME;
	}
}

/* The path of a node as things are; until the next one is asked for. */
static struct path *path_of(struct reading *reading, uint32_t index)
{
	struct node *node = &reading->nodes[index];
	struct path *path;

	if (!node->path) {
		PERUN_GROW(reading->paths, reading->path_count, reading->path_room);
		node->path = (uint32_t)++reading->path_count;
		count_nodes(reading, index, &reading->paths[node->path - 1]);
	}
	path = &reading->paths[node->path - 1];
	if (path->definitions != reading->definitions)
		count_nodes(reading, index, path);
	return path;
}

/* Count what a row refers to, before anything is made of it: a line may refer to a deep node again and again. */
static int count_references(struct reading *reading, const struct record *record)
{
	int status = PERUN_OK;
	bool frames = false;

	for (size_t i = 0; !status && i < record->references.count; i++) {
		const char *reference = record->references.items[i];
		uint32_t index = find(reading, reference);
		const struct path *path;

		if (index == UINT32_MAX)
			return perun_fail(
				reading->ctx, PERUN_INPUT, "line %llu: the node %s is not there",
				(unsigned long long)perun_lines_number(reading->lines), reference);
		path = path_of(reading, index);
		/* The frames of the first one count when they become a stack. */
		status = stacks_walk(reading->stacks, path->labels + (frames ? path->frames : 0));
		frames |= path->frames > 0;
	}
	return status;
}

/* From the leaf to the root. */
static void walk(struct reading *reading, uint32_t index)
{
	for (; index != UINT32_MAX; index = reading->nodes[index].parent) {
		if (is_nested(reading, reading->nodes[index].attribute)) {
			PERUN_GROW(reading->frames, reading->frame_count, reading->room);
			reading->frames[reading->frame_count++] = reading->nodes[index].location;
		} else if (reading->nodes[index].attribute != NAME) {
			label(reading, &reading->nodes[index]);
		}
	}
}

static void walk_references(struct reading *reading, const struct record *record)
{
	if (reading->walked)
		return;
	reading->walked = true;
	reading->frame_count = 0;
	for (size_t i = 0; i < record->references.count; i++)
		walk(reading, find(reading, record->references.items[i]));
}

/* Of a key the first label counts, and those of references come first. */
static void add_label(struct reading *reading, const struct record *record, perun_id key,
		      const char *text)
{
	reading->labelled = true;
	walk_references(reading, record);
	caliper_label(&reading->rows, key,
		      perun_builder_text(stacks_builder(reading->stacks), text));
}

static void add_value(struct reading *reading, const struct record *record, const char *attribute,
		      const char *value)
{
	perun_id id = attribute_name(reading, strtoull(attribute, NULL, 10));
	char *name = id ? perun_strdup(text_at(reading, id)) : NULL, *end;
	double number = perun_strtod(value, &end);

	if (name && (end == value || *end || caliper_is_label(name))) {
		add_label(reading, record, id, value);
	} else if (name && strncmp(name, "cali.", 5) != 0) {
		const char *named = attribute_unit(reading, strtoull(attribute, NULL, 10), name);
		char *unit =
			named ? perun_strdup(named) : NULL; /* strings move as they are added */

		caliper_value(&reading->rows, name, unit, number);
		perun_free(unit);
	}
	perun_free(name);
}

static int end_row(struct reading *reading, const struct record *record)
{
	struct path *path = record->references.count == 1 && !reading->labelled
				    ? path_of(reading, find(reading, record->references.items[0]))
				    : NULL;
	struct caliper_place place;
	int status;

	if (path && path->placed && caliper_place_is_enough(&reading->rows, &path->place)) {
		status = caliper_count_place(&reading->rows, &path->place);
		return status ? status : caliper_end_row(&reading->rows, &path->place);
	}
	walk_references(reading, record);
	status = caliper_make_place(&reading->rows, reading->frames, reading->frame_count, &place);
	if (!status && path) {
		path->place = place;
		path->placed = true;
	}
	return status ? status : caliper_end_row(&reading->rows, &place);
}

static int read_row(struct reading *reading, const struct record *record)
{
	int status = count_references(reading, record);

	if (status)
		return status;
	reading->walked = reading->labelled = false;
	for (size_t i = 0; i < record->attributes.count && i < record->values.count; i++)
		add_value(reading, record, record->attributes.items[i], record->values.items[i]);
	return end_row(reading, record);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	struct record *record = &reading->record;

	if (length && line[length - 1] == '\r')
		line[length - 1] = '\0';
	if (!*line)
		return PERUN_OK;
	split(record, line);
	if (record->kind && strcmp(record->kind, "node") == 0)
		return read_node(reading, record);
	if (record->kind && strcmp(record->kind, "ctx") == 0)
		return read_row(reading, record);
	return record->kind
		       ? PERUN_OK
		       : stacks_wrong_line(reading->ctx, reading->lines, "a record, __rec=…", line);
}

int caliper_read_cali(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0), .stacks = stacks};
	int status;

	caliper_begin(&reading.rows, ctx, stacks);
	status = read_each_line(ctx, reading.lines, read_line, &reading);
	status = caliper_finish(&reading.rows, status);
	if (!status)
		stacks_warn_open(ctx, reading.lines);
	perun_lines_free(reading.lines);
	perun_free(reading.nodes);
	perun_free(reading.paths);
	perun_free(reading.frames);
	perun_free(reading.record.references.items);
	perun_free(reading.record.attributes.items);
	perun_free(reading.record.values.items);
	stacks_numbers_free(&reading.ids);
	return status;
}
