/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of other tools: the small document that is stored for one, and reading what it represents. */
#include <string.h>

#include <perun/json.h>

#include "core/format/taken.h"
#include "core/store/kept-times.h"
#include "core/store/original.h"
#include "core/store/summary.h"

/* ---- facts ----------------------------------------------------------------------------------- */

static void put_changed(struct perun_json **changed, const char *key, struct perun_json *value)
{
	if (!*changed)
		*changed = perun_json_object();
	perun_json_set(*changed, key, value);
}

static struct perun_json *changed_members(const struct perun_json *before,
					  const struct perun_json *after, bool deep)
{
	struct perun_json *changed = NULL;

	for (size_t i = 0; i < perun_json_count(after); i++) {
		const char *key = perun_json_key_at(after, i, NULL);
		const struct perun_json *value = perun_json_at(after, i);
		const struct perun_json *old = perun_json_get(before, key);
		struct perun_json *part = NULL;

		if (old && perun_json_equal(old, value))
			continue;
		if (deep && perun_json_type(value) == PERUN_JSON_TYPE_OBJECT)
			part = changed_members(old, value, false);
		put_changed(&changed, key, part ? part : perun_json_clone(value));
	}
	return changed;
}

struct perun_json *perun_facts_changed(const struct perun_json *before,
				       const struct perun_json *after)
{
	return changed_members(before, after, true);
}

/* Put such changes into a document. */
static void apply_facts(struct perun_json *document, const struct perun_json *facts)
{
	for (size_t i = 0; i < perun_json_count(facts); i++) {
		const char *key = perun_json_key_at(facts, i, NULL);
		const struct perun_json *value = perun_json_at(facts, i);
		struct perun_json *old = perun_json_get(document, key);

		if (perun_json_type(value) != PERUN_JSON_TYPE_OBJECT ||
		    perun_json_type(old) != PERUN_JSON_TYPE_OBJECT) {
			perun_json_set(document, key, perun_json_clone(value));
			continue;
		}
		for (size_t j = 0; j < perun_json_count(value); j++)
			perun_json_set(old, perun_json_key_at(value, j, NULL),
				       perun_json_clone(perun_json_at(value, j)));
	}
}

/* ---- what is stored -------------------------------------------------------------------------- */

/* The Python program knows these types only and cannot load anything else. */
static bool is_known_type(const char *type)
{
	return strcmp(type, "time") == 0 || strcmp(type, "memory") == 0 ||
	       strcmp(type, "mixed") == 0;
}

static void copy_member(struct perun_json *to, const struct perun_json *from, const char *key,
			struct perun_json *otherwise)
{
	const struct perun_json *value = perun_json_get(from, key);

	if (value) {
		perun_json_free(otherwise);
		otherwise = perun_json_clone(value);
	}
	if (otherwise)
		perun_json_set(to, key, otherwise);
}

static struct perun_json *new_header(const struct perun_json *document)
{
	const struct perun_json *from = perun_json_get(document, "header");
	struct perun_json *header = perun_json_object();
	const char *type = perun_json_as_string(perun_json_get(from, "type"), NULL);

	perun_json_set(header, "type",
		       perun_json_text(type && is_known_type(type) ? type : "mixed"));
	copy_member(header, from, "cmd", perun_json_text(""));
	copy_member(header, from, "workload", perun_json_text(""));
	copy_member(header, from, "units", perun_json_object());
	for (size_t i = 0; i < perun_json_count(from); i++) {
		const char *key = perun_json_key_at(from, i, NULL);

		if (!perun_json_get(header, key))
			copy_member(header, from, key, NULL);
	}
	return header;
}

/* Give a document what every stored profile has. */
static void complete_document(struct perun_json *document, const struct perun_json *from,
			      const char *format)
{
	struct perun_json *collector = perun_json_object();

	perun_json_set(collector, "name", perun_json_text(format));
	perun_json_set(collector, "params", perun_json_object());
	perun_json_set(document, "header", new_header(from));
	copy_member(document, from, "machine", NULL);
	copy_member(document, from, "collector_info", collector);
	copy_member(document, from, "postprocessors", perun_json_array());
}

static struct perun_json *describe_attachment(const struct perun_original *original,
					      const struct perun_profile *profile, bool rows)
{
	struct perun_json *attachment = perun_json_object(), *options;

	perun_json_set(attachment, "object", perun_json_text(original->checksum));
	perun_json_set(attachment, "name", perun_json_text(original->name));
	perun_json_set(attachment, "format", perun_json_text(original->format));
	perun_json_set(attachment, "size", perun_json_uint64(original->size));
	if (original->reader)
		perun_json_set(attachment, "reader", perun_json_text(original->reader));
	if (original->version)
		perun_json_set(attachment, "version", perun_json_text(original->version));
	if (original->format_options && original->format_options[0]) {
		options = perun_json_array();
		for (size_t i = 0; original->format_options[i]; i++)
			perun_json_append(options, perun_json_text(original->format_options[i]));
		perun_json_set(attachment, "options", options);
	}
	if (original->archive)
		perun_json_set(attachment, "archive", perun_json_text(PERUN_ARCHIVE_KIND));
	if (original->facts)
		perun_json_set(attachment, "facts", perun_json_clone(original->facts));
	if (original->times)
		perun_json_set(attachment, "times", perun_json_text(PERUN_KEPT_TIMES));
	if (original->by_uid)
		perun_json_set(attachment, "locations", perun_json_text("uid"));
	perun_json_set(attachment, "resources", perun_json_text(rows ? "all" : "leading"));
	perun_json_set(attachment, "totals", perun_summary_totals(profile));
	return attachment;
}

/* Units of the leading functions, whose types are metrics. */
static void add_units(struct perun_json *document, const struct perun_json *totals)
{
	struct perun_json *units = perun_json_get(perun_json_get(document, "header"), "units");

	for (size_t i = 0; i < perun_json_count(totals); i++) {
		const char *name = perun_json_key_at(totals, i, NULL);
		const char *unit = perun_json_as_string(
			perun_json_get(perun_json_at(totals, i), "unit"), NULL);

		if (perun_json_type(units) == PERUN_JSON_TYPE_OBJECT && unit && *unit &&
		    !perun_json_get(units, name))
			perun_json_set(units, name, perun_json_text(unit));
	}
}

/* The Python program takes the first unit, or that of the type, and fails where there is none. */
static void add_unit_of_type(struct perun_json *document, const struct perun_json *totals)
{
	struct perun_json *header = perun_json_get(document, "header");
	struct perun_json *units = perun_json_get(header, "units");
	const char *type = perun_json_as_string(perun_json_get(header, "type"), NULL);

	if (perun_json_type(units) == PERUN_JSON_TYPE_OBJECT && perun_json_count(units) == 0 &&
	    perun_json_count(totals) > 0)
		perun_json_set(units, type, perun_json_text(perun_json_key_at(totals, 0, NULL)));
}

static struct perun_builder *start_small(struct perun_profile *profile)
{
	static const char *const tables[] = {"models", "model_terms", "model_values"};
	struct perun_builder *builder = perun_builder_new();

	perun_summary_leading(profile, builder);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		perun_builder_append_table(builder, profile, tables[i]);
	return builder;
}

int perun_original_wrap(struct perun_ctx *ctx, struct perun_profile *profile,
			const struct perun_original *original, bool rows,
			struct perun_profile **stored)
{
	struct perun_builder *builder = rows ? perun_builder_from(profile) : start_small(profile);
	struct perun_json *document = perun_builder_document(builder), *attachment;

	complete_document(document, perun_profile_document(profile),
			  original->reader ? original->reader : original->format);
	if (original->checksum) {
		attachment = describe_attachment(original, profile, rows);
		if (!rows)
			add_units(document, perun_json_get(attachment, "totals"));
		add_unit_of_type(document, perun_json_get(attachment, "totals"));
		perun_json_set(document, "attachment", attachment);
	}
	return perun_builder_finish(ctx, builder, stored);
}

/* ---- reading it again ------------------------------------------------------------------------ */

static const char *text_of(const struct perun_json *attachment, const char *key)
{
	return perun_json_as_string(perun_json_get(attachment, key), NULL);
}

bool perun_original_is_limit(const char *option)
{
	static const char word[] = "limit";
	size_t length = strcspn(option, "="), tail = strlen(word);

	return length >= tail && strncmp(option + length - tail, word, tail) == 0 &&
	       (length == tail || option[length - tail - 1] == '-');
}

/* "K=V" texts with NULL at the end; the array is the caller's. */
static const char **options_of(const struct perun_json *attachment)
{
	const struct perun_json *list = perun_json_get(attachment, "options");
	const char **options = perun_alloc_zero(perun_json_count(list) + 1, sizeof *options);
	size_t count = 0;

	for (size_t i = 0; i < perun_json_count(list); i++) {
		const char *text = perun_json_as_string(perun_json_at(list, i), NULL);

		if (text && !perun_original_is_limit(text))
			options[count++] = text;
	}
	return options;
}

static void apply(void *data, struct perun_json *document, const struct perun_plugin *plugin)
{
	(void)plugin;
	apply_facts(document, data);
}

static int write_as(struct perun_ctx *ctx, const struct perun_profile *profile, const char *format,
		    struct perun_buffer *bytes)
{
	/* What the format does not hold become facts: nothing is lost that would have to be reported. */
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_output *output = perun_output_to_buffer(bytes);
	int status = perun_write_profile(quiet, profile, format, NULL, output);

	if (!status)
		status = perun_output_commit(quiet, output);
	if (status)
		perun_fail(ctx, status, "%s", perun_ctx_error(quiet));
	perun_output_close(output);
	perun_ctx_free(quiet);
	return status;
}

static int read_as(struct perun_ctx *ctx, const char *format, const struct perun_buffer *bytes,
		   const struct perun_describe *describe, struct perun_profile **profile)
{
	struct perun_input *input = perun_input_from_memory("", bytes->data, bytes->length);
	int status = perun_read_described(ctx, input, format, NULL, describe, profile, NULL);

	perun_input_close(input);
	return status;
}

/* Note what was changed in the document that was read, and change it so. */
struct rewriting {
	const struct perun_json *wanted;
	struct perun_json *facts;
};

static void note_facts(void *data, struct perun_json *document, const struct perun_plugin *plugin)
{
	struct rewriting *rewriting = data;

	(void)plugin;
	rewriting->facts = perun_facts_changed(document, rewriting->wanted);
	apply_facts(document, rewriting->facts);
}

int perun_original_rewrite(struct perun_ctx *ctx, struct perun_original *original,
			   const char *format, struct perun_buffer *bytes,
			   struct perun_profile **profile, struct perun_json **facts)
{
	struct rewriting rewriting = {.wanted = perun_profile_document(*profile)};
	const struct perun_describe describe = {note_facts, &rewriting};
	struct perun_profile *read = NULL;
	int status = write_as(ctx, *profile, format, bytes);

	original->times = perun_has_kept_times(*profile);
	if (!status)
		status = read_as(ctx, format, bytes, &describe, &read);
	if (!status && original->times)
		status = perun_restore_kept_times(ctx, &read);
	original->facts = *facts = rewriting.facts;
	if (status) {
		perun_profile_unref(read);
		return status;
	}
	original->reader = original->format;
	original->format = format;
	original->format_options = NULL;
	perun_profile_unref(*profile);
	*profile = read;
	return PERUN_OK;
}

int perun_original_is_archive(struct perun_ctx *ctx, const struct perun_json *attachment,
			      bool *archive)
{
	const char *name = text_of(attachment, "name"), *kind = text_of(attachment, "archive");

	*archive = kind != NULL;
	if (kind && strcmp(kind, PERUN_ARCHIVE_KIND) != 0)
		return perun_fail(ctx, PERUN_INPUT, "%s: unknown kind of archive: %.64s",
				  name ? name : "", kind);
	return PERUN_OK;
}

/* The bytes as what they came as: a file, or a directory. */
static int open_original(struct perun_ctx *ctx, const struct perun_object *object,
			 const struct perun_json *attachment, struct perun_input **input)
{
	const char *name = text_of(attachment, "name");
	bool archive;
	int status = perun_original_is_archive(ctx, attachment, &archive);

	name = name ? name : "";
	*input = NULL;
	if (!status && archive)
		return perun_input_open_archive(ctx, name, object->body, (size_t)object->length,
						input);
	if (!status)
		*input = perun_input_from_memory(name, object->body, (size_t)object->length);
	return status;
}

static int read_original(struct perun_ctx *ctx, const struct perun_object *object,
			 const struct perun_json *attachment, struct perun_profile **profile)
{
	const char *format = text_of(attachment, "format");
	const struct perun_describe describe = {apply, perun_json_get(attachment, "facts")};
	const char **options = options_of(attachment);
	struct perun_input *input;
	int status = open_original(ctx, object, attachment, &input);

	if (!status)
		status =
			perun_read_described(ctx, input, format, options, &describe, profile, NULL);
	if (!status && text_of(attachment, "times"))
		status = perun_restore_kept_times(ctx, profile);
	perun_input_close(input);
	perun_free((void *)options);
	if (status)
		perun_fail(ctx, PERUN_OK, "it is kept in the format %s",
			   format ? format : "(unknown)");
	return status;
}

int perun_original_load(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_json *attachment, struct perun_profile **profile)
{
	const char *checksum = text_of(attachment, "object");
	struct perun_object object;
	int status = perun_object_read(ctx, store, checksum, true, &object);

	*profile = NULL;
	if (status)
		return status;
	if (object.kind == PERUN_OBJECT_ATTACHMENT)
		status = read_original(ctx, &object, attachment, profile);
	else
		status = perun_fail(ctx, PERUN_INPUT, "object %s is not an attachment", checksum);
	perun_object_free(&object);
	return status;
}

bool perun_original_by_uid(const struct perun_json *attachment)
{
	const char *locations = text_of(attachment, "locations");

	return locations && strcmp(locations, "uid") == 0;
}

void perun_original_compare(struct perun_ctx *ctx, const struct perun_profile *profile,
			    const struct perun_json *attachment)
{
	const struct perun_json *totals = perun_json_get(attachment, "totals");
	const char *name = text_of(attachment, "name"), *version = text_of(attachment, "version");
	const char *format = text_of(attachment, "format");
	const char *metric = totals ? perun_summary_difference(profile, totals) : NULL;

	if (metric)
		perun_warn(ctx,
			   "%s: its total of %s is not what it was when it was imported with "
			   "version %s of the format %s; import it again",
			   name ? name : "", metric, version ? version : "(unknown)",
			   format ? format : "(unknown)");
}
