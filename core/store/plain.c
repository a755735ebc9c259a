/* SPDX-License-Identifier: BSD-3-Clause */
/* Small profiles that are in their file nearly as they are stored. */
#include <string.h>

#include <perun/json.h>

#include "core/store/plain.h"

#define KEYS_LIMIT 16 /* keys of one type; more is not plain */

/* The members that are known here; the first three are stored first, the others as they come. */
enum member { RESOURCES, MAP, MODELS, HEADER, COLLECTOR, POSTPROCESSORS, MACHINE, ORIGIN, MEMBERS };
static const char *const member_names[] = {
	"resources",      "resource_type_map", "models",  "header",
	"collector_info", "postprocessors",    "machine", "origin"};

struct perun_plain {
	struct perun_json_reader *reader;
	const struct perun_json_token *token;
	bool seen[MEMBERS];
	struct perun_buffer resources, map, rest, origin, body;
	struct perun_buffer array; /* of one key */
	struct perun_buffer names; /* each type, its keys and an empty name, NUL after each */
	struct perun_json *types;  /* the resource type map */
	struct perun_json *facts;  /* members that facts come from */
	/* What these two were made from: files added together mostly have the same members, which need
	 * not be taken apart again then. */
	struct perun_buffer last[MEMBERS];
};

struct perun_plain *perun_plain_new(void)
{
	struct perun_plain *plain = perun_alloc_zero(1, sizeof *plain);

	plain->facts = perun_json_object();
	return plain;
}

static void forget(struct perun_plain *plain)
{
	memset(plain->seen, 0, sizeof plain->seen);
	perun_buffer_clear(&plain->resources);
	perun_buffer_clear(&plain->map);
	perun_buffer_clear(&plain->rest);
	perun_buffer_clear(&plain->origin);
	perun_buffer_clear(&plain->body);
	perun_buffer_clear(&plain->names);
}

void perun_plain_free(struct perun_plain *plain)
{
	if (!plain)
		return;
	perun_json_free(plain->types);
	perun_json_free(plain->facts);
	for (size_t i = 0; i < MEMBERS; i++)
		perun_buffer_free(&plain->last[i]);
	perun_json_reader_free(plain->reader);
	perun_buffer_free(&plain->resources);
	perun_buffer_free(&plain->map);
	perun_buffer_free(&plain->rest);
	perun_buffer_free(&plain->origin);
	perun_buffer_free(&plain->body);
	perun_buffer_free(&plain->array);
	perun_buffer_free(&plain->names);
	perun_free(plain);
}

/* ---- resources ------------------------------------------------------------------------------- */

/* The key that was just read becomes a name of the list; one that holds a NUL is not plain. */
static bool keep_name(struct perun_plain *plain)
{
	const struct perun_json_token *token = plain->token;

	if (token->length == 0 || memchr(token->text, 0, token->length))
		return false;
	perun_buffer_add(&plain->names, token->text, token->length);
	perun_buffer_add_char(&plain->names, '\0');
	return true;
}

static void add_key(struct perun_plain *plain, struct perun_buffer *out, bool first)
{
	if (!first)
		perun_buffer_add(out, ", ", 2);
	perun_json_quote(out, plain->token->text, plain->token->length);
	perun_buffer_add(out, ": ", 2);
}

/* An array of finite numbers and nothing else; `*count` is how many. */
static bool read_array(struct perun_plain *plain, size_t *count)
{
	const char *text;
	size_t length;

	perun_buffer_clear(&plain->array);
	if (perun_json_capture(plain->reader, &plain->array))
		return false;
	text = plain->array.data;
	length = plain->array.length;
	if (length < 3 || text[0] != '[' || strspn(text + 1, "0123456789+-.eE, ") != length - 2)
		return false;
	*count = 1;
	for (size_t i = 1; i < length; i++)
		*count += text[i] == ',';
	perun_buffer_add(&plain->resources, text, length);
	return true;
}

/* Whether the name that ends the list is in it before, after `start`. */
static bool is_repeated(const struct perun_buffer *names, size_t start)
{
	const char *last = names->data + names->length - 1;

	while (last > names->data + start && last[-1])
		last--;
	for (const char *name = names->data + start; name < last; name += strlen(name) + 1) {
		if (strcmp(name, last) == 0)
			return true;
	}
	return false;
}

/* {"amount": [...], "order": [...]}: arrays of one length. */
static bool read_type(struct perun_plain *plain)
{
	size_t rows = 0, keys = 0, start = plain->names.length;

	if (perun_json_next(plain->reader) != PERUN_JSON_OBJECT_START)
		return false;
	perun_buffer_add_char(&plain->resources, '{');
	for (; perun_json_next(plain->reader) == PERUN_JSON_KEY; keys++) {
		size_t count;

		add_key(plain, &plain->resources, keys == 0);
		if (keys == KEYS_LIMIT || !keep_name(plain) || is_repeated(&plain->names, start) ||
		    !read_array(plain, &count) || (keys > 0 && count != rows))
			return false;
		rows = count;
	}
	perun_buffer_add_char(&plain->resources, '}');
	perun_buffer_add_char(&plain->names, '\0');
	return keys > 0 && plain->token->event == PERUN_JSON_OBJECT_END;
}

static bool read_resources(struct perun_plain *plain)
{
	bool first = true;

	if (perun_json_next(plain->reader) != PERUN_JSON_OBJECT_START)
		return false;
	perun_buffer_add_char(&plain->resources, '{');
	for (; perun_json_next(plain->reader) == PERUN_JSON_KEY; first = false) {
		add_key(plain, &plain->resources, first);
		if (!keep_name(plain) || !read_type(plain))
			return false;
	}
	perun_buffer_add_char(&plain->resources, '}');
	return plain->token->event == PERUN_JSON_OBJECT_END;
}

/* The same types in the same order in both, and no key of a type in both. */
static bool types_fit(const struct perun_plain *plain)
{
	const char *name = plain->names.data, *end = name + plain->names.length;
	size_t count = perun_json_count(plain->types);

	for (size_t i = 0; i < count; i++) {
		const struct perun_json *type = perun_json_at(plain->types, i);
		size_t length;
		const char *key = perun_json_key_at(plain->types, i, &length);

		if (name == end || strlen(key) != length || strcmp(key, name) != 0 ||
		    perun_json_type(type) != PERUN_JSON_TYPE_OBJECT || perun_json_count(type) == 0)
			return false;
		for (name += length + 1; *name; name += strlen(name) + 1) {
			if (perun_json_get(type, name))
				return false;
		}
		name++;
	}
	return name == end;
}

/* ---- the other members ----------------------------------------------------------------------- */

static void keep_document(struct perun_plain *plain, enum member member, struct perun_json *value)
{
	if (member != MAP) {
		perun_json_set(plain->facts, member_names[member], value);
		return;
	}
	perun_json_free(plain->types);
	plain->types = value;
}

/* A member whose content is needed: its normalized text goes to `out`, its value is kept. */
static bool read_document(struct perun_plain *plain, enum member member, struct perun_buffer *out)
{
	struct perun_buffer *last = &plain->last[member];
	struct perun_json *value;
	size_t start = out->length, length;
	const char *text;

	if (perun_json_capture(plain->reader, out))
		return false;
	text = out->data + start;
	length = out->length - start;
	if (length == last->length && memcmp(text, last->data, length) == 0)
		return true;
	if (text[0] != (member == POSTPROCESSORS ? '[' : '{') ||
	    perun_json_parse(NULL, text, length, NULL, &value))
		return false;
	perun_buffer_clear(last);
	perun_buffer_add(last, text, length);
	keep_document(plain, member, value);
	return true;
}

/* A member that goes where it is; those with facts are kept. */
static bool read_rest(struct perun_plain *plain, enum member member)
{
	perun_buffer_add(&plain->rest, ", ", 2);
	perun_json_quote(&plain->rest, member_names[member], strlen(member_names[member]));
	perun_buffer_add(&plain->rest, ": ", 2);
	if (member == MACHINE)
		return perun_json_capture(plain->reader, &plain->rest) == PERUN_OK;
	return read_document(plain, member, &plain->rest);
}

static bool read_member(struct perun_plain *plain, enum member member)
{
	switch (member) {
	case RESOURCES:
		return read_resources(plain);
	case MAP:
		return read_document(plain, MAP, &plain->map);
	case MODELS: /* none */
		return perun_json_next(plain->reader) == PERUN_JSON_ARRAY_START &&
		       perun_json_next(plain->reader) == PERUN_JSON_ARRAY_END;
	case ORIGIN:
		if (perun_json_next(plain->reader) != PERUN_JSON_STRING ||
		    memchr(plain->token->text, 0, plain->token->length))
			return false;
		perun_buffer_add(&plain->origin, plain->token->text, plain->token->length);
		return true;
	default:
		return read_rest(plain, member);
	}
}

static bool read_members(struct perun_plain *plain)
{
	if (perun_json_next(plain->reader) != PERUN_JSON_OBJECT_START)
		return false;
	while (perun_json_next(plain->reader) == PERUN_JSON_KEY) {
		size_t member = 0;

		while (member < MEMBERS && !perun_json_token_is(plain->token, member_names[member]))
			member++;
		if (member == MEMBERS || plain->seen[member])
			return false;
		plain->seen[member] = true;
		if (!read_member(plain, (enum member)member))
			return false;
	}
	for (size_t i = RESOURCES; i <= POSTPROCESSORS; i++) {
		if (!plain->seen[i])
			return false;
	}
	const char *type = perun_json_as_string(
		perun_json_get(perun_json_get(plain->facts, "header"), "type"), NULL);

	return plain->token->event == PERUN_JSON_OBJECT_END &&
	       perun_json_next(plain->reader) == PERUN_JSON_END && type && type[0] &&
	       types_fit(plain);
}

bool perun_plain_read(struct perun_plain *plain, const char *text, size_t length,
		      const struct perun_buffer **body, struct perun_facts *facts,
		      const char **origin)
{
	forget(plain);
	if (plain->reader)
		perun_json_reader_set_text(plain->reader, text, length);
	else
		plain->reader = perun_json_reader_new_text(NULL, text, length, NULL);
	plain->token = perun_json_token(plain->reader);
	if (!read_members(plain))
		return false;
	perun_facts_of_document(plain->facts, facts);
	perun_buffer_add_text(&plain->body, "{\"resources\": ");
	perun_buffer_add(&plain->body, plain->resources.data, plain->resources.length);
	perun_buffer_add_text(&plain->body, ", \"resource_type_map\": ");
	perun_buffer_add(&plain->body, plain->map.data, plain->map.length);
	perun_buffer_add_text(&plain->body, ", \"models\": []");
	perun_buffer_add(&plain->body, plain->rest.data, plain->rest.length);
	perun_buffer_add_char(&plain->body, '}');
	*body = &plain->body;
	*origin = plain->origin.length ? plain->origin.data : "";
	return true;
}
