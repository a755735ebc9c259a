/* SPDX-License-Identifier: BSD-3-Clause */
/* What an index entry says of a profile, from the profile's JSON. */
#include <string.h>

#include <perun/json.h>

#include "core/store/labels.h"

/* A member as text: strings as they are, anything else as JSON, nothing as "". */
static char *text_of(const struct perun_json *object, const char *key)
{
	const struct perun_json *value = perun_json_get(object, key);
	struct perun_buffer text = {0};
	const char *string = perun_json_as_string(value, NULL);

	if (string)
		return perun_strdup(string);
	if (value && perun_json_type(value) != PERUN_JSON_TYPE_NULL)
		perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	return perun_buffer_take(&text);
}

static char *join_names(const struct perun_json *postprocessors)
{
	struct perun_buffer text = {0};

	for (size_t i = 0; i < perun_json_count(postprocessors); i++) {
		char *name = text_of(perun_json_at(postprocessors, i), "name");

		if (i > 0)
			perun_buffer_add_char(&text, ' ');
		perun_buffer_add_text(&text, name);
		perun_free(name);
	}
	return perun_buffer_take(&text);
}

static void take_header(const struct perun_json *header, struct perun_facts *facts)
{
	perun_free(facts->type);
	perun_free(facts->cmd);
	perun_free(facts->args);
	perun_free(facts->workload);
	perun_free(facts->labels);
	facts->type = text_of(header, "type");
	facts->cmd = text_of(header, "cmd");
	facts->args = text_of(header, "args");
	facts->workload = text_of(header, "workload");
	facts->labels = perun_labels_text(header);
}

/* The object that an attachment names, or NULL. */
static const char *object_of(const struct perun_json *attachment)
{
	const char *object = perun_json_as_string(perun_json_get(attachment, "object"), NULL);

	return object && perun_is_checksum(object) ? object : NULL;
}

const struct perun_json *perun_attachment_of(const struct perun_json *document)
{
	const struct perun_json *attachment = perun_json_get(document, "attachment");

	return object_of(attachment) ? attachment : NULL;
}

static void take_attachment(const struct perun_json *attachment, struct perun_facts *facts)
{
	const char *object = object_of(attachment);

	if (object && !facts->attachment)
		facts->attachment = perun_strdup(object);
}

static void take_member(const char *key, const struct perun_json *value, struct perun_facts *facts)
{
	if (strcmp(key, "header") == 0) {
		take_header(value, facts);
	} else if (strcmp(key, "collector_info") == 0) {
		perun_free(facts->collector);
		facts->collector = text_of(value, "name");
	} else if (strcmp(key, "postprocessors") == 0) {
		perun_free(facts->postprocessors);
		facts->postprocessors = join_names(value);
	} else if (strcmp(key, "attachment") == 0) {
		take_attachment(value, facts);
	}
}

static const char *const wanted[] = {"header", "collector_info", "postprocessors", "attachment",
				     NULL};

void perun_facts_of_document(const struct perun_json *document, struct perun_facts *facts)
{
	memset(facts, 0, sizeof *facts);
	for (size_t i = 0; wanted[i]; i++)
		take_member(wanted[i], perun_json_get(document, wanted[i]), facts);
}

/* Who is given members of a document, without the rest of it. */
struct taker {
	const char *const *names; /* ends with NULL */
	void (*take)(void *data, const char *key, const struct perun_json *value);
	void *data;
};

static int read_member(struct perun_json_reader *reader, const struct taker *taker)
{
	const struct perun_json_token *token = perun_json_token(reader);

	for (size_t i = 0; taker->names[i]; i++) {
		struct perun_json *value;
		int status;

		if (!perun_json_token_is(token, taker->names[i]))
			continue;
		status = perun_json_read_value(reader, &value);
		if (!status)
			taker->take(taker->data, taker->names[i], value);
		perun_json_free(value);
		return status;
	}
	return perun_json_skip(reader);
}

static int read_members(struct perun_ctx *ctx, const char *text, size_t length,
			const struct taker *taker)
{
	struct perun_json_reader *reader = perun_json_reader_new_text(ctx, text, length, NULL);
	int status = perun_json_expect(reader, PERUN_JSON_OBJECT_START, NULL);

	while (!status) {
		enum perun_json_event event = perun_json_next(reader);

		if (event == PERUN_JSON_OBJECT_END)
			break;
		if (event == PERUN_JSON_KEY)
			status = read_member(reader, taker);
		else
			status = perun_json_error(reader)->status;
	}
	if (!status)
		status = perun_json_expect(reader, PERUN_JSON_END, NULL);
	perun_json_reader_free(reader);
	return status;
}

static void to_facts(void *data, const char *key, const struct perun_json *value)
{
	take_member(key, value, data);
}

int perun_facts_read(struct perun_ctx *ctx, const char *text, size_t length,
		     struct perun_facts *facts)
{
	const struct taker taker = {wanted, to_facts, facts};
	int status;

	memset(facts, 0, sizeof *facts);
	status = read_members(ctx, text, length, &taker);
	if (status)
		perun_facts_free(facts);
	return status;
}

struct perun_json *perun_facts_attachment(struct perun_ctx *ctx, const char *text, size_t length)
{
	struct perun_json_reader *reader = perun_json_reader_new_text(ctx, text, length, NULL);
	struct perun_json *attachment = NULL;
	int status = perun_json_expect(reader, PERUN_JSON_OBJECT_START, NULL);

	while (!status && !attachment && perun_json_next(reader) == PERUN_JSON_KEY)
		status = perun_json_token_is(perun_json_token(reader), "attachment")
				 ? perun_json_read_value(reader, &attachment)
				 : perun_json_skip(reader);
	if (status || perun_json_error(reader)->status)
		perun_ctx_clear(ctx);
	perun_json_reader_free(reader);
	if (!status && object_of(attachment))
		return attachment;
	perun_json_free(attachment);
	return NULL;
}

/* ---- what indexes do not have ---------------------------------------------------------------- */

static void to_document(void *data, const char *key, const struct perun_json *value)
{
	const struct perun_json *args = perun_json_get(value, "args");
	struct perun_json *document = data, *header;

	if (strcmp(key, "header") != 0) {
		perun_json_set(document, key, perun_json_clone(value));
	} else if (args) {
		header = perun_json_object();
		perun_json_set(header, "args", perun_json_clone(args));
		perun_json_set(document, key, header);
	}
}

int perun_store_read_facts(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
			   struct perun_json **document)
{
	static const char *const members[] = {"header", "machine", NULL};
	const struct taker taker = {members, to_document, *document = perun_json_object()};
	size_t length;
	char *text;
	int status = perun_store_load_text(ctx, store, checksum, &text, &length);

	if (!status) {
		status = read_members(ctx, text, length, &taker);
		if (status)
			perun_fail(ctx, PERUN_OK, "object %s", checksum);
	}
	perun_free(text);
	if (status) {
		perun_json_free(*document);
		*document = NULL;
	}
	return status;
}

struct perun_json *perun_facts_of_read(const struct perun_profile *profile)
{
	const struct perun_json *document = perun_profile_document(profile);
	struct perun_json *facts = perun_json_object();

	for (size_t i = 0; i < perun_json_count(document); i++) {
		size_t length;
		const char *key = perun_json_key_at(document, i, &length);

		if (strcmp(key, "header") == 0 || strcmp(key, "machine") == 0)
			to_document(facts, key, perun_json_at(document, i));
	}
	return facts;
}

void perun_facts_free(struct perun_facts *facts)
{
	perun_free(facts->type);
	perun_free(facts->cmd);
	perun_free(facts->args);
	perun_free(facts->workload);
	perun_free(facts->collector);
	perun_free(facts->postprocessors);
	perun_free(facts->attachment);
	perun_free(facts->labels);
	memset(facts, 0, sizeof *facts);
}

static const char *own(struct perun_entries *entries, const char *text)
{
	return text ? perun_entries_text(entries, text, strlen(text)) : "";
}

void perun_facts_to_entry(const struct perun_facts *facts, struct perun_entries *entries,
			  struct perun_entry *entry)
{
	entry->type = own(entries, facts->type);
	entry->cmd = own(entries, facts->cmd);
	entry->args = own(entries, facts->args);
	entry->workload = own(entries, facts->workload);
	entry->collector = own(entries, facts->collector);
	entry->postprocessors = own(entries, facts->postprocessors);
}
