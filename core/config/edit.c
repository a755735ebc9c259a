/* SPDX-License-Identifier: BSD-3-Clause */
/* Setting a key in a YAML text without touching other lines. */
#include <stdio.h>
#include <string.h>

#include <yaml.h>

#include "core/config/config.h"

/*
 * libyaml says where each node is; the new value is put there as text. Whatever that makes of
 * the file is then read again and compared with what was meant, so that a case that is not understood
 * is an error and never a broken file.
 */
struct editor {
	const char *text;
	size_t length;
	yaml_document_t document;
	const char *value; /* the YAML text to put */
	struct perun_buffer *out;
};

/* ---- places ---------------------------------------------------------------------------------- */

/* The byte at which a mark is; marks count characters. */
static size_t offset_of(const struct editor *editor, const yaml_mark_t *mark)
{
	size_t at = 0;

	for (size_t i = 0; i < mark->index && at < editor->length; i++) {
		at++;
		while (at < editor->length && ((unsigned char)editor->text[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}

static yaml_node_t *node_at(struct editor *editor, int index)
{
	return yaml_document_get_node(&editor->document, index);
}

static bool is_flow(const yaml_node_t *node)
{
	return (node->type == YAML_MAPPING_NODE &&
		node->data.mapping.style == YAML_FLOW_MAPPING_STYLE) ||
	       (node->type == YAML_SEQUENCE_NODE &&
		node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE);
}

/* The last node inside a collection in block style, or NULL. */
static yaml_node_t *last_inside(struct editor *editor, const yaml_node_t *node)
{
	if (is_flow(node))
		return NULL;
	if (node->type == YAML_MAPPING_NODE &&
	    node->data.mapping.pairs.top > node->data.mapping.pairs.start)
		return node_at(editor, node->data.mapping.pairs.top[-1].value);
	if (node->type == YAML_SEQUENCE_NODE &&
	    node->data.sequence.items.top > node->data.sequence.items.start)
		return node_at(editor, node->data.sequence.items.top[-1]);
	return NULL;
}

/* After the last character that belongs to a node. */
static size_t end_of(struct editor *editor, const yaml_node_t *node)
{
	const yaml_node_t *last;
	size_t end;

	while ((last = last_inside(editor, node)))
		node = last;
	end = offset_of(editor, &node->end_mark);
	/* A block scalar ends where the next line begins. */
	while (end > offset_of(editor, &node->start_mark) &&
	       strchr(" \t\r\n", editor->text[end - 1]))
		end--;
	return end;
}

/* The end of the line that `at` lies in, before its newline. */
static size_t line_end(const struct editor *editor, size_t at)
{
	while (at < editor->length && editor->text[at] != '\n')
		at++;
	return at;
}

/* ---- putting text together ------------------------------------------------------------------- */

static void copy(struct editor *editor, size_t from, size_t to)
{
	if (to > from)
		perun_buffer_add(editor->out, editor->text + from, to - from);
}

static void put_blanks(struct editor *editor, size_t count)
{
	while (count-- > 0)
		perun_buffer_add_char(editor->out, ' ');
}

/* "a:\n  b: value" for the rest of a key, in block style at a column. */
static void put_block(struct editor *editor, const char *key, size_t column)
{
	for (;;) {
		size_t length = strcspn(key, ".");

		put_blanks(editor, column);
		perun_buffer_add(editor->out, key, length);
		perun_buffer_add_char(editor->out, ':');
		if (key[length] == '\0')
			break;
		perun_buffer_add_char(editor->out, '\n');
		key += length + 1;
		column += 2;
	}
	perun_buffer_add_char(editor->out, ' ');
	perun_buffer_add_text(editor->out, editor->value);
}

/* "a: {b: value}" */
static void put_flow(struct editor *editor, const char *key)
{
	size_t depth = 0;

	for (;; depth++) {
		size_t length = strcspn(key, ".");

		perun_buffer_add(editor->out, key, length);
		perun_buffer_add_text(editor->out, ": ");
		if (key[length] == '\0')
			break;
		perun_buffer_add_char(editor->out, '{');
		key += length + 1;
	}
	perun_buffer_add_text(editor->out, editor->value);
	while (depth-- > 0)
		perun_buffer_add_char(editor->out, '}');
}

/* ---- the four cases -------------------------------------------------------------------------- */

/* At the end of the text: nothing there yet, or a new key at the top. */
static void append(struct editor *editor, const char *key)
{
	copy(editor, 0, editor->length);
	if (editor->length && editor->text[editor->length - 1] != '\n')
		perun_buffer_add_char(editor->out, '\n');
	put_block(editor, key, 0);
	perun_buffer_add_char(editor->out, '\n');
}

/* A key more in a mapping that has some. */
static void insert(struct editor *editor, const yaml_node_t *mapping, const char *key)
{
	const yaml_node_pair_t *pairs = mapping->data.mapping.pairs.start;
	size_t column, end;

	if (is_flow(mapping)) {
		end = offset_of(editor, &mapping->end_mark) - 1;
		while (end > 0 && strchr(" \t\r\n", editor->text[end - 1]))
			end--;
		copy(editor, 0, end);
		if (mapping->data.mapping.pairs.top > pairs)
			perun_buffer_add_text(editor->out,
					      editor->text[end - 1] == ',' ? " " : ", ");
		put_flow(editor, key);
		copy(editor, end, editor->length);
		return;
	}
	column = node_at(editor, pairs->key)->start_mark.column;
	end = line_end(editor, end_of(editor, mapping));
	copy(editor, 0, end);
	perun_buffer_add_char(editor->out, '\n');
	put_block(editor, key, column);
	copy(editor, end, editor->length);
	if (end == editor->length)
		perun_buffer_add_char(editor->out, '\n');
}

/* A value that is nothing gets keys: "format:" becomes "format:\n  key: value". */
static void fill(struct editor *editor, const yaml_node_t *owner, const yaml_node_t *value,
		 const char *key)
{
	size_t start = offset_of(editor, &value->start_mark), end = end_of(editor, value), rest;

	rest = line_end(editor, end);
	copy(editor, 0, start);
	copy(editor, end, rest);
	perun_buffer_add_char(editor->out, '\n');
	put_block(editor, key, owner->start_mark.column + 2);
	copy(editor, rest, editor->length);
	if (rest == editor->length)
		perun_buffer_add_char(editor->out, '\n');
}

static void replace(struct editor *editor, const yaml_node_t *key, const yaml_node_t *value)
{
	size_t key_end = offset_of(editor, &key->end_mark);
	size_t start = offset_of(editor, &value->start_mark), end = end_of(editor, value);
	size_t colon = key_end;

	while (colon < editor->length && editor->text[colon] != ':')
		colon++;
	colon++;
	if (start > line_end(editor, key_end)) {
		/* The value begins on a line of its own: it moves up after its key. */
		copy(editor, 0, colon);
		perun_buffer_add_char(editor->out, ' ');
		perun_buffer_add_text(editor->out, editor->value);
		copy(editor, colon, line_end(editor, key_end));
		copy(editor, line_end(editor, end), editor->length);
		return;
	}
	copy(editor, 0, start);
	if (start <= colon)
		perun_buffer_add_char(editor->out, ' ');
	perun_buffer_add_text(editor->out, editor->value);
	copy(editor, end, editor->length);
}

/* ---- finding the case ------------------------------------------------------------------------ */

static const yaml_node_pair_t *find_pair(struct editor *editor, const yaml_node_t *mapping,
					 const char *key, size_t length)
{
	for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top; pair++) {
		const yaml_node_t *node = node_at(editor, pair->key);

		if (node->type == YAML_SCALAR_NODE && node->data.scalar.length == length &&
		    memcmp(node->data.scalar.value, key, length) == 0)
			return pair;
	}
	return NULL;
}

static bool is_null(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE &&
	       node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

/* False when there is something that cannot be changed in place. */
static bool edit_mapping(struct editor *editor, const yaml_node_t *mapping, const char *key)
{
	for (bool top = true;; top = false) {
		size_t length = strcspn(key, ".");
		const yaml_node_pair_t *pair = find_pair(editor, mapping, key, length);
		const yaml_node_t *name, *value;

		if (!pair && top && !is_flow(mapping)) {
			append(editor, key);
			return true;
		}
		if (!pair) {
			insert(editor, mapping, key);
			return true;
		}
		name = node_at(editor, pair->key);
		value = node_at(editor, pair->value);
		/* An alias represents a node further up. */
		if (value->start_mark.index < name->end_mark.index)
			return false;
		if (key[length] == '\0') {
			replace(editor, name, value);
			return true;
		}
		key += length + 1;
		if (is_null(value) && !is_flow(mapping)) {
			fill(editor, name, value, key);
			return true;
		}
		if (value->type != YAML_MAPPING_NODE)
			return false;
		mapping = value;
	}
}

static bool edit(struct editor *editor, const char *key)
{
	yaml_parser_t parser;
	const yaml_node_t *root;
	bool good;

	if (!yaml_parser_initialize(&parser))
		return false;
	yaml_parser_set_input_string(&parser, (const unsigned char *)editor->text, editor->length);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	good = yaml_parser_load(&parser, &editor->document);
	if (good) {
		perun_buffer_clear(editor->out);
		root = yaml_document_get_root_node(&editor->document);
		if (!root || is_null(root))
			append(editor, key);
		else
			good = root->type == YAML_MAPPING_NODE && edit_mapping(editor, root, key);
		yaml_document_delete(&editor->document);
	}
	yaml_parser_delete(&parser);
	return good;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* In double quotes, escaped as YAML has it; other characters stay readable. */
static char *quote(const char *value)
{
	struct perun_buffer out = {0};

	perun_buffer_add_char(&out, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			perun_buffer_add_char(&out, '\\');
		if (*value == '\n')
			perun_buffer_add_text(&out, "\\n");
		else if (*value == '\t')
			perun_buffer_add_text(&out, "\\t");
		else if ((unsigned char)*value < ' ' || *value == 127)
			perun_buffer_printf(&out, "\\x%02x", (unsigned char)*value);
		else
			perun_buffer_add_char(&out, *value);
	}
	perun_buffer_add_char(&out, '"');
	return perun_buffer_take(&out);
}

/* Put `yaml` as the text of the key, and see whether that gives `expected`. Takes `expected`. */
static bool try_text(struct editor *editor, const struct perun_json *before, const char *key,
		     const char *yaml, struct perun_json *expected)
{
	struct perun_json *wanted = perun_json_clone(before), *got = NULL;
	bool good;

	perun_config_put(wanted, key, expected);
	editor->value = yaml;
	good = edit(editor, key) &&
	       perun_yaml_parse(NULL, "", editor->out->data, editor->out->length, &got) ==
		       PERUN_OK &&
	       perun_json_equal(wanted, got);
	perun_json_free(wanted);
	perun_json_free(got);
	return good;
}

static bool is_text(const char *value)
{
	struct perun_json *meant = perun_yaml_value(value);
	bool text = perun_json_type(meant) == PERUN_JSON_TYPE_STRING;

	perun_json_free(meant);
	return text;
}

int perun_yaml_set(struct perun_ctx *ctx, const char *name, const char *text, size_t length,
		   const char *key, const char *value, struct perun_buffer *out)
{
	struct editor editor = {.text = text, .length = length, .out = out};
	struct perun_json *before = NULL;
	char *quoted = quote(value);
	bool good = false;
	int status = perun_yaml_parse(ctx, name, text, length, &before);

	if (!status && perun_json_type(before) != PERUN_JSON_TYPE_OBJECT)
		status = perun_fail(ctx, PERUN_INPUT, "%s: expected keys with values", name);
	if (!status) {
		good = value[0] && !strpbrk(value, "\n\r") &&
		       try_text(&editor, before, key, value, perun_yaml_value(value));
		/* In quotes it is a text: a number would become another value. */
		if (!good && is_text(value))
			good = try_text(&editor, before, key, quoted, perun_json_text(value));
		if (!good)
			status = perun_fail(
				ctx, PERUN_INPUT,
				"%s: %s cannot be set without changing more; please edit "
				"the file",
				name, key);
	}
	perun_json_free(before);
	perun_free(quoted);
	return status;
}
