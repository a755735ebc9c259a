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
	perun_id *frames;
	size_t room;
	struct record record;
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

/* The path of a reference: from the leaf to the root. */
static int add_path(struct reading *reading, const char *reference, size_t *count)
{
	uint32_t index = find(reading, reference);
	size_t before = *count, labels = 0;

	if (index == UINT32_MAX)
		return perun_fail(reading->ctx, PERUN_INPUT, "line %llu: the node %s is not there",
				  (unsigned long long)perun_lines_number(reading->lines),
				  reference);
	for (; index != UINT32_MAX; index = reading->nodes[index].parent) {
		if (is_nested(reading, reading->nodes[index].attribute)) {
			PERUN_GROW(reading->frames, *count, reading->room);
			reading->frames[(*count)++] = reading->nodes[index].location;
		} else if (reading->nodes[index].attribute != NAME) {
			label(reading, &reading->nodes[index]);
			labels++;
		}
	}
	/* A further path counts before it is made a stack: a line may refer to a deep one again and again. */
	return stacks_walk(reading->stacks, labels + (before ? *count - before : 0));
}

static void add_value(struct reading *reading, const char *attribute, const char *value)
{
	perun_id id = attribute_name(reading, strtoull(attribute, NULL, 10));
	char *name = id ? perun_strdup(text_at(reading, id)) : NULL, *end;
	double number = perun_strtod(value, &end);

	if (name && (end == value || *end || caliper_is_label(name))) {
		caliper_label(&reading->rows, id,
			      perun_builder_text(stacks_builder(reading->stacks), value));
	} else if (name && strncmp(name, "cali.", 5) != 0) {
		const char *named = attribute_unit(reading, strtoull(attribute, NULL, 10), name);
		char *unit =
			named ? perun_strdup(named) : NULL; /* strings move as they are added */

		caliper_value(&reading->rows, name, unit, number);
		perun_free(unit);
	}
	perun_free(name);
}

static int read_row(struct reading *reading, const struct record *record)
{
	size_t count = 0;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < record->references.count; i++)
		status = add_path(reading, record->references.items[i], &count);
	for (size_t i = 0; i < record->attributes.count && i < record->values.count; i++)
		add_value(reading, record->attributes.items[i], record->values.items[i]);
	return status ? status : caliper_end_row(&reading->rows, reading->frames, count);
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
	perun_free(reading.frames);
	perun_free(reading.record.references.items);
	perun_free(reading.record.attributes.items);
	perun_free(reading.record.values.items);
	stacks_numbers_free(&reading.ids);
	return status;
}
