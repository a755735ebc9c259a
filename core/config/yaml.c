/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML as a document, through libyaml. */
#include <string.h>

#include <yaml.h>

#include "core/config/config.h"

#define DEPTH_LIMIT  100
#define NODE_LIMIT   100000 /* aliases can make a small text large */
#define ANCHOR_LIMIT 1000
#define SMALL        ((size_t)4096) /* bytes of which no document takes long */

struct loader {
	struct perun_ctx *ctx;
	const char *name;
	yaml_document_t document;
	size_t nodes;
};

static int fail_at(const struct loader *loader, const yaml_mark_t *mark, const char *problem,
		   const char *more)
{
	return perun_fail(loader->ctx, PERUN_INPUT, "%s: line %zu, column %zu: %s%s", loader->name,
			  mark->line + 1, mark->column + 1, problem, more);
}

/* ---- scalars --------------------------------------------------------------------------------- */

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++) {
		if (strcmp(text, *words) == 0)
			return true;
	}
	return false;
}

/* "0x1F" or "0o17"; false when it is neither or does not fit. */
static bool parse_based(const char *text, uint64_t *value)
{
	unsigned base = strncmp(text, "0x", 2) == 0 ? 16 : strncmp(text, "0o", 2) == 0 ? 8 : 0;

	if (!base || !text[2] || strlen(text) > 2 + (base == 16 ? 15 : 20))
		return false;
	*value = 0;
	for (text += 2; *text; text++) {
		unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
				 : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a') + 10
				 : *text >= 'A' && *text <= 'F' ? (unsigned)(*text - 'A') + 10
								: 99;
		if (digit >= base)
			return false;
		*value = *value * base + digit;
	}
	return true;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool looks_like_float(const char *text)
{
	size_t before, after = 0;

	text += *text == '-' || *text == '+';
	before = strspn(text, "0123456789");
	text += before;
	if (*text == '.') {
		after = strspn(text + 1, "0123456789");
		text += 1 + after;
	}
	if (before + after == 0)
		return false;
	if (*text == 'e' || *text == 'E') {
		text += 1;
		text += *text == '-' || *text == '+';
		if (strspn(text, "0123456789") == 0)
			return false;
		text += strspn(text, "0123456789");
	}
	return *text == '\0';
}

static struct perun_json *parse_integer(const char *text)
{
	bool plus = text[0] == '+', minus = text[0] == '-';
	const char *digits = text + (plus || minus);
	size_t length = strspn(digits, "0123456789");
	struct perun_buffer number = {0};
	struct perun_json *value;

	if (length == 0 || digits[length])
		return NULL;
	for (; length > 1 && *digits == '0'; length--)
		digits++;
	if (minus)
		perun_buffer_add_char(&number, '-');
	perun_buffer_add(&number, digits, length);
	value = perun_json_integer(number.data, number.length);
	perun_buffer_free(&number);
	return value;
}

/* A plain scalar means what the core schema of YAML 1.2 says. */
static struct perun_json *plain(const char *text)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
	static const char *const yes[] = {"true", "True", "TRUE", NULL};
	static const char *const no[] = {"false", "False", "FALSE", NULL};
	static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
	static const char *const nan[] = {".nan", ".NaN", ".NAN", NULL};
	bool sign = text[0] == '-' || text[0] == '+';
	struct perun_json *value;
	uint64_t number;
	double real = 0;

	if (is_one_of(text, nulls))
		return perun_json_null();
	if (is_one_of(text, yes) || is_one_of(text, no))
		return perun_json_bool(is_one_of(text, yes));
	if (parse_based(text, &number))
		return perun_json_uint64(number);
	value = parse_integer(text);
	if (value)
		return value;
	if (is_one_of(text + sign, infinite))
		return perun_json_double(text[0] == '-' ? -__builtin_inf() : __builtin_inf());
	if (is_one_of(text, nan))
		return perun_json_double(__builtin_nan(""));
	if (looks_like_float(text) &&
	    perun_json_scan_double(text, strlen(text), &real) == strlen(text))
		return perun_json_double(real);
	return perun_json_text(text);
}

static struct perun_json *scalar(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;
	const char *tag = (const char *)node->tag;
	size_t length = node->data.scalar.length;

	/* libyaml gives every scalar without a tag that of a string. */
	if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !memchr(text, 0, length) &&
	    (!tag || strcmp(tag, YAML_STR_TAG) == 0))
		return plain(text);
	return perun_json_string(text, length);
}

/* ---- collections ----------------------------------------------------------------------------- */

static int convert(struct loader *loader, int index, unsigned depth, struct perun_json **value);

static int convert_sequence(struct loader *loader, const yaml_node_t *node, unsigned depth,
			    struct perun_json **value)
{
	*value = perun_json_array();
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		struct perun_json *element;
		int status = convert(loader, *item, depth + 1, &element);

		if (status)
			return status;
		perun_json_append(*value, element);
	}
	return PERUN_OK;
}

static int convert_pair(struct loader *loader, const yaml_node_pair_t *pair, unsigned depth,
			struct perun_json *object)
{
	const yaml_node_t *key = yaml_document_get_node(&loader->document, pair->key);
	struct perun_json *element;
	int status;

	if (key->type != YAML_SCALAR_NODE)
		return fail_at(loader, &key->start_mark, "a key must be a text", "");
	if (perun_json_get_n(object, (const char *)key->data.scalar.value, key->data.scalar.length))
		return fail_at(loader, &key->start_mark,
			       "this key is there twice: ", (const char *)key->data.scalar.value);
	status = convert(loader, pair->value, depth + 1, &element);
	if (!status)
		perun_json_set_n(object, (const char *)key->data.scalar.value,
				 key->data.scalar.length, element);
	return status;
}

static int convert_mapping(struct loader *loader, const yaml_node_t *node, unsigned depth,
			   struct perun_json **value)
{
	*value = perun_json_object();
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		int status = convert_pair(loader, pair, depth, *value);

		if (status)
			return status;
	}
	return PERUN_OK;
}

static int convert(struct loader *loader, int index, unsigned depth, struct perun_json **value)
{
	const yaml_node_t *node = yaml_document_get_node(&loader->document, index);
	int status = PERUN_OK;

	*value = NULL;
	if (depth > DEPTH_LIMIT)
		return fail_at(loader, &node->start_mark, "nested too deeply", "");
	if (++loader->nodes > NODE_LIMIT)
		return fail_at(loader, &node->start_mark, "too many values", "");
	if (node->type == YAML_SEQUENCE_NODE)
		status = convert_sequence(loader, node, depth, value);
	else if (node->type == YAML_MAPPING_NODE)
		status = convert_mapping(loader, node, depth, value);
	else
		*value = scalar(node);
	if (status) {
		perun_json_free(*value);
		*value = NULL;
	}
	return status;
}

/* ---- the text -------------------------------------------------------------------------------- */

static int syntax_error(const struct loader *loader, const yaml_parser_t *parser)
{
	const char *problem = parser->problem ? parser->problem : "not YAML";

	/* A reader's error (a byte that is no UTF-8) knows only its offset. */
	if (parser->error == YAML_READER_ERROR)
		return perun_fail(loader->ctx, PERUN_INPUT, "%s: byte %zu: %s", loader->name,
				  parser->problem_offset + 1, problem);
	return perun_fail(loader->ctx, PERUN_INPUT, "%s: line %zu, column %zu: not valid YAML: %s",
			  loader->name, parser->problem_mark.line + 1,
			  parser->problem_mark.column + 1, problem);
}

static bool is_start(const yaml_event_t *event)
{
	return event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
}

static bool is_end(const yaml_event_t *event)
{
	return event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
}

static bool has_anchor(const yaml_event_t *event)
{
	return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
	       (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor) ||
	       (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor);
}

struct shape {
	size_t nodes, anchors, depth;
};

/* Lines that name a prefix of types, each of which is compared with those before it. */
static bool has_many_directives(const char *text, size_t length)
{
	const char *end = text + length;
	size_t count = 0;

	while (text < end && (text = memchr(text, '%', (size_t)(end - text))) != NULL) {
		count += end - text > 4 && memcmp(text, "%TAG", 4) == 0;
		text++;
	}
	return count > ANCHOR_LIMIT;
}

static int check_event(const struct loader *loader, const yaml_event_t *event, struct shape *shape)
{
	shape->depth += is_start(event);
	shape->depth -= is_end(event);
	shape->nodes += is_start(event) || event->type == YAML_SCALAR_EVENT ||
			event->type == YAML_ALIAS_EVENT;
	shape->anchors += has_anchor(event);
	if (shape->depth > DEPTH_LIMIT + 1)
		return fail_at(loader, &event->start_mark, "nested too deeply", "");
	if (shape->nodes > NODE_LIMIT)
		return fail_at(loader, &event->start_mark, "too many values", "");
	if (shape->anchors > ANCHOR_LIMIT)
		return fail_at(loader, &event->start_mark, "too many anchors", "");
	return PERUN_OK;
}

/*
 * Before libyaml makes a document of it: the time that it takes for that grows with the square of the depth and of the
 * number of anchors. What is not valid is reported by it.
 */
static int check_shape(const struct loader *loader, const char *text, size_t length)
{
	yaml_parser_t parser;
	yaml_event_t event;
	struct shape shape = {0};
	int status = PERUN_OK;
	bool more = true;

	if (has_many_directives(text, length))
		return perun_fail(loader->ctx, PERUN_INPUT, "%s: too many directives",
				  loader->name);
	if (!yaml_parser_initialize(&parser))
		return perun_fail(loader->ctx, PERUN_INPUT, "%s: cannot start the YAML parser",
				  loader->name);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	while (!status && more && yaml_parser_parse(&parser, &event)) {
		status = check_event(loader, &event, &shape);
		more = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return status;
}

static int load(struct loader *loader, yaml_parser_t *parser, struct perun_json **document)
{
	const yaml_node_t *root;
	int status = PERUN_OK;

	if (!yaml_parser_load(parser, &loader->document))
		return syntax_error(loader, parser);
	root = yaml_document_get_root_node(&loader->document);
	if (root)
		status = convert(loader, 1, 0, document);
	yaml_document_delete(&loader->document);
	return status;
}

int perun_yaml_parse(struct perun_ctx *ctx, const char *name, const char *text, size_t length,
		     struct perun_json **document)
{
	struct loader loader = {.ctx = ctx, .name = name};
	yaml_parser_t parser;
	int status;

	*document = NULL;
	/* Most settings are small; of these convert() finds the same, and what is read once takes half of the time. */
	status = length > SMALL ? check_shape(&loader, text, length) : PERUN_OK;
	if (status)
		return status;
	if (!yaml_parser_initialize(&parser))
		return perun_fail(ctx, PERUN_INPUT, "%s: cannot start the YAML parser", name);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	status = load(&loader, &parser, document);
	yaml_parser_delete(&parser);
	if (!status && *document && perun_json_type(*document) == PERUN_JSON_TYPE_NULL) {
		perun_json_free(*document);
		*document = NULL;
	}
	if (!status && !*document)
		*document = perun_json_object();
	return status;
}

struct perun_json *perun_yaml_value(const char *text)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *value = NULL;
	bool collection = text[0] == '[' || text[0] == '{';
	bool quoted = text[0] == '"' || text[0] == '\'';

	/* "a # b" on a command line is not a comment, and "a: b" no mapping. */
	if (perun_yaml_parse(quiet, "value", text, strlen(text), &value) ||
	    (perun_json_type(value) >= PERUN_JSON_TYPE_ARRAY && !collection) ||
	    (strchr(text, '#') && !collection && !quoted)) {
		perun_json_free(value);
		value = perun_json_text(text);
	}
	perun_ctx_free(quiet);
	return value;
}
