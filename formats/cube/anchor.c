/* SPDX-License-Identifier: BSD-3-Clause */
/* anchor.xml: metrics, regions, the call tree, and how many locations there are. */
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "formats/common/xml-feed.h"

enum { DEPTH = 10000, MANY = 1 << 26 };

struct parsing {
	struct perun_ctx *ctx;
	struct cube_anchor *anchor;
	XML_Parser parser;
	int status;
	size_t metric_depth, depth;
	uint32_t *node_path;  /* open nodes */
	uint32_t *last_child; /* of each of them */
	size_t node_depth, node_room;
	enum { NOTHING, METRIC_NAME, METRIC_TYPE, METRIC_UNIT, REGION_NAME } reading;
	size_t *metric_path; /* numbers of open metrics */
	size_t metric_path_room;
	bool in_region;
	struct perun_buffer text;
};

static void fail(struct parsing *parsing, const char *message)
{
	if (!parsing->status)
		parsing->status = perun_fail(parsing->ctx, PERUN_INPUT, "anchor.xml: line %lu: %s",
					     XML_GetCurrentLineNumber(parsing->parser), message);
	XML_StopParser(parsing->parser, XML_FALSE);
}

static bool number(const char *text, long *value)
{
	char *end;

	if (!text || !*text)
		return false;
	*value = strtol(text, &end, 10);
	return !*end;
}

static void set_type(struct cube_metric *metric)
{
	static const struct {
		const char *name;
		enum cube_number number;
		unsigned size;
	} types[] = {
		{"DOUBLE", CUBE_DOUBLE, 8},
		{"FLOAT", CUBE_DOUBLE, 8},
		{"MINDOUBLE", CUBE_MINIMUM, 8},
		{"MAXDOUBLE", CUBE_MAXIMUM, 8},
		{"INT", CUBE_SIGNED, 4},
		{"INT32", CUBE_SIGNED, 4},
		{"SIGNED INT", CUBE_SIGNED, 4},
		{"INT64", CUBE_SIGNED, 8},
		{"INTEGER", CUBE_SIGNED, 8},
		{"SIGNED INTEGER", CUBE_SIGNED, 8},
		{"INT16", CUBE_SIGNED, 2},
		{"SHORT INT", CUBE_SIGNED, 2},
		{"SIGNED SHORT INT", CUBE_SIGNED, 2},
		{"INT8", CUBE_SIGNED, 1},
		{"UINT8", CUBE_UNSIGNED, 1},
		{"CHAR", CUBE_UNSIGNED, 1},
		{"UINT16", CUBE_UNSIGNED, 2},
		{"UNSIGNED SHORT INT", CUBE_UNSIGNED, 2},
		{"UINT32", CUBE_UNSIGNED, 4},
		{"UNSIGNED INT", CUBE_UNSIGNED, 4},
		{"UINT64", CUBE_UNSIGNED, 8},
		{"UNSIGNED INTEGER", CUBE_UNSIGNED, 8},
	};

	for (size_t i = 0; metric->type && i < sizeof types / sizeof *types; i++) {
		if (strcmp(metric->type, types[i].name) == 0) {
			metric->number = types[i].number;
			metric->size = types[i].size;
		}
	}
}

static void begin_metric(struct parsing *parsing, const char **attributes)
{
	struct cube_anchor *anchor = parsing->anchor;
	const char *type = xml_attribute(attributes, "type");
	struct cube_metric metric = {.top = parsing->metric_depth == 0};

	if (!number(xml_attribute(attributes, "id"), &metric.id)) {
		fail(parsing, "a metric without a number as its id");
		return;
	}
	metric.inclusive = !type || strcmp(type, "INCLUSIVE") == 0;
	if (type && !metric.inclusive && strcmp(type, "EXCLUSIVE") != 0)
		metric.size = UINT32_MAX; /* derived from others: it has no values of its own */
	PERUN_GROW(anchor->metrics, anchor->metric_count, anchor->metric_room);
	anchor->metrics[anchor->metric_count] = metric;
	PERUN_GROW(parsing->metric_path, parsing->metric_depth, parsing->metric_path_room);
	parsing->metric_path[parsing->metric_depth++] = anchor->metric_count++;
}

static void begin_node(struct parsing *parsing, const char **attributes)
{
	struct cube_anchor *anchor = parsing->anchor;
	struct cube_node node = {
		.parent = UINT32_MAX, .first_child = UINT32_MAX, .next_sibling = UINT32_MAX};
	uint32_t id = (uint32_t)anchor->node_count;
	size_t depth = parsing->node_depth;

	if (!number(xml_attribute(attributes, "calleeId"), &node.callee)) {
		fail(parsing, "a cnode without a number as its calleeId");
		return;
	}
	if (anchor->node_count >= MANY || depth >= DEPTH) {
		fail(parsing, "the call tree is too large or too deep");
		return;
	}
	if (depth + 1 >= parsing->node_room) {
		parsing->node_room = parsing->node_room ? parsing->node_room * 2 : 64;
		parsing->node_path = perun_realloc_array(parsing->node_path, parsing->node_room,
							 sizeof *parsing->node_path);
		parsing->last_child = perun_realloc_array(parsing->last_child, parsing->node_room,
							  sizeof *parsing->last_child);
	}
	if (depth) {
		node.parent = parsing->node_path[depth - 1];
		if (parsing->last_child[depth - 1] == UINT32_MAX)
			anchor->nodes[node.parent].first_child = id;
		else
			anchor->nodes[parsing->last_child[depth - 1]].next_sibling = id;
		parsing->last_child[depth - 1] = id;
	} else {
		anchor->roots++;
	}
	PERUN_GROW(anchor->nodes, anchor->node_count, anchor->node_room);
	anchor->nodes[anchor->node_count++] = node;
	parsing->node_path[depth] = id;
	parsing->last_child[depth] = UINT32_MAX;
	parsing->node_depth++;
}

/* Of a node: what distinguishes it from others of its function, and what Perun wrote. */
static void begin_parameter(struct parsing *parsing, const char **attributes)
{
	const char *key = xml_attribute(attributes, "parkey");

	if (parsing->node_depth && key && strcmp(key, CUBE_OVERLAP) == 0)
		parsing->anchor->nodes[parsing->node_path[parsing->node_depth - 1]].overlaps = true;
}

static void begin_region(struct parsing *parsing, const char **attributes)
{
	struct cube_anchor *anchor = parsing->anchor;
	struct cube_region region = {0};

	if (!number(xml_attribute(attributes, "id"), &region.id)) {
		fail(parsing, "a region without a number as its id");
		return;
	}
	PERUN_GROW(anchor->regions, anchor->region_count, anchor->region_room);
	anchor->regions[anchor->region_count++] = region;
	parsing->in_region = true;
}

static void XMLCALL begin_element(void *data, const char *name, const char **attributes)
{
	struct parsing *parsing = data;

	if (++parsing->depth > DEPTH * 2) {
		fail(parsing, "elements are nested too deeply");
		return;
	}
	perun_buffer_clear(&parsing->text);
	parsing->reading = NOTHING;
	if (strcmp(name, "metric") == 0)
		begin_metric(parsing, attributes);
	else if (strcmp(name, "region") == 0)
		begin_region(parsing, attributes);
	else if (strcmp(name, "cnode") == 0)
		begin_node(parsing, attributes);
	else if (strcmp(name, "parameter") == 0)
		begin_parameter(parsing, attributes);
	else if (strcmp(name, "location") == 0)
		parsing->anchor->locations++;
	else if (strcmp(name, "name") == 0 && parsing->in_region)
		parsing->reading = REGION_NAME;
	else if (strcmp(name, "uniq_name") == 0 && parsing->metric_depth)
		parsing->reading = METRIC_NAME;
	else if (strcmp(name, "uom") == 0 && parsing->metric_depth)
		parsing->reading = METRIC_UNIT;
	else if (strcmp(name, "dtype") == 0 && parsing->metric_depth)
		parsing->reading = METRIC_TYPE;
}

static void take_text(struct parsing *parsing)
{
	struct cube_anchor *anchor = parsing->anchor;
	char **target = NULL;

	if (parsing->reading == REGION_NAME && anchor->region_count)
		target = &anchor->regions[anchor->region_count - 1].name;
	else if (parsing->reading == METRIC_NAME && parsing->metric_depth)
		target = &anchor->metrics[parsing->metric_path[parsing->metric_depth - 1]].name;
	else if (parsing->reading == METRIC_TYPE && parsing->metric_depth)
		target = &anchor->metrics[parsing->metric_path[parsing->metric_depth - 1]].type;
	else if (parsing->reading == METRIC_UNIT && parsing->metric_depth)
		target = &anchor->metrics[parsing->metric_path[parsing->metric_depth - 1]].unit;
	if (target) {
		perun_free(*target);
		*target = perun_strndup(parsing->text.data ? parsing->text.data : "",
					parsing->text.length);
	}
	parsing->reading = NOTHING;
}

static void XMLCALL end_element(void *data, const char *name)
{
	struct parsing *parsing = data;

	parsing->depth--;
	take_text(parsing);
	if (strcmp(name, "metric") == 0 && parsing->metric_depth) {
		struct cube_metric *metric =
			&parsing->anchor->metrics[parsing->metric_path[--parsing->metric_depth]];

		if (metric->size == 0)
			set_type(metric);
		else
			metric->size = 0;
	} else if (strcmp(name, "cnode") == 0 && parsing->node_depth) {
		parsing->node_depth--;
	} else if (strcmp(name, "region") == 0) {
		parsing->in_region = false;
	}
}

static void XMLCALL add_text(void *data, const char *text, int length)
{
	struct parsing *parsing = data;

	if (parsing->reading != NOTHING)
		perun_buffer_add(&parsing->text, text, (size_t)length);
}

/* Definitions of entities are what makes small documents huge; Cube has none. */
static void XMLCALL refuse_entity(void *data, const char *name, int is_parameter, const char *value,
				  int length, const char *base, const char *system,
				  const char *public, const char *notation)
{
	(void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system;
	(void)public, (void)notation;
	fail(data, "entities are not expected here");
}

static int compare_regions(const void *a, const void *b)
{
	long x = ((const struct cube_region *)a)->id, y = ((const struct cube_region *)b)->id;

	return x < y ? -1 : x > y;
}

int cube_read_anchor(struct perun_ctx *ctx, const char *text, size_t size,
		     struct cube_anchor *anchor)
{
	struct parsing parsing = {.ctx = ctx, .anchor = anchor};

	parsing.parser = XML_ParserCreate(NULL);
	XML_SetUserData(parsing.parser, &parsing);
	XML_SetElementHandler(parsing.parser, begin_element, end_element);
	XML_SetCharacterDataHandler(parsing.parser, add_text);
	XML_SetEntityDeclHandler(parsing.parser, refuse_entity);
	for (size_t at = 0; !parsing.status && at <= size;) {
		size_t block = xml_block_size(parsing.parser, at),
		       part = size - at < block ? size - at : block;

		if (XML_Parse(parsing.parser, text + at, (int)part, at + part == size) !=
			    XML_STATUS_OK &&
		    !parsing.status)
			fail(&parsing, XML_ErrorString(XML_GetErrorCode(parsing.parser)));
		if (at + part == size)
			break;
		at += part;
		if (!parsing.status)
			parsing.status = xml_check_token(ctx, parsing.parser, at);
	}
	XML_ParserFree(parsing.parser);
	perun_free(parsing.node_path);
	perun_free(parsing.last_child);
	perun_free(parsing.metric_path);
	perun_buffer_free(&parsing.text);
	if (parsing.status)
		return parsing.status;
	if (anchor->roots == 0 || anchor->locations == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "anchor.xml: expected a call tree and some locations, found %zu "
				  "and %zu",
				  anchor->roots, anchor->locations);
	qsort(anchor->regions, anchor->region_count, sizeof *anchor->regions, compare_regions);
	return PERUN_OK;
}

int cube_callee(struct perun_ctx *ctx, const struct cube_anchor *anchor,
		const struct cube_node *node, const char **name)
{
	size_t low = 0, high = anchor->region_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (anchor->regions[middle].id < node->callee)
			low = middle + 1;
		else
			high = middle;
	}
	*name = low < anchor->region_count && anchor->regions[low].id == node->callee
			? anchor->regions[low].name
			: NULL;
	return *name ? PERUN_OK
		     : perun_fail(ctx, PERUN_INPUT,
				  "anchor.xml: a cnode calls region %ld, which is not there",
				  node->callee);
}

bool cube_is_chosen(const struct cube_metric *metric, const struct cube_options *options)
{
	return (metric->top || options->all_metrics) && metric->size && metric->name;
}

void cube_clear_anchor(struct cube_anchor *anchor)
{
	for (size_t i = 0; i < anchor->metric_count; i++) {
		perun_free(anchor->metrics[i].name);
		perun_free(anchor->metrics[i].type);
		perun_free(anchor->metrics[i].unit);
	}
	for (size_t i = 0; i < anchor->region_count; i++)
		perun_free(anchor->regions[i].name);
	perun_free(anchor->metrics);
	perun_free(anchor->regions);
	perun_free(anchor->nodes);
	perun_free(anchor->wide_order);
	perun_free(anchor->ends);
	*anchor = (struct cube_anchor){0};
}
