/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a profile.proto: its fields in order, each string where it is first used. */
#include <string.h>

#include "formats/common/pprof-texts.h"
#include "writing.h"

uint64_t pprof_text(struct pprof_writing *writing, const char *text, size_t length)
{
	perun_id number = length ? perun_builder_string(writing->texts, text, length) : 0;

	if (number > writing->last_text)
		writing->last_text = number;
	return number;
}

uint64_t pprof_pool_text(struct pprof_writing *writing, perun_id id)
{
	if (writing->text_of[id] == PERUN_NO_ID) {
		size_t length;
		const char *text = perun_profile_string(writing->profile, id, &length);

		writing->text_of[id] = (perun_id)pprof_text(writing, text, length);
	}
	return writing->text_of[id];
}

static uint64_t pprof_json_text(struct pprof_writing *writing, const struct perun_json *value)
{
	struct perun_buffer bytes = {0};
	uint64_t number;

	pprof_from_json(value, &bytes);
	number = pprof_text(writing, bytes.data, bytes.length);
	perun_buffer_free(&bytes);
	return number;
}

void pprof_put_message(struct pprof_writing *writing, uint32_t number,
		       const struct perun_buffer *message)
{
	unsigned char head[12], *end;
	unsigned char *to;

	end = protobuf_put_varint(head, number << 3 | 2);
	end = protobuf_put_varint(end, message->length);
	if (message->length > 4096) {
		pprof_stream_write(writing->stream, head, (size_t)(end - head));
		pprof_stream_write(writing->stream, message->data, message->length);
		return;
	}
	to = pprof_stream_reserve(writing->stream, sizeof head + message->length);
	if (!to)
		return;
	memcpy(to, head, (size_t)(end - head));
	if (message->length)
		memcpy(to + (end - head), message->data, message->length);
	pprof_stream_advance(writing->stream, (size_t)(end - head) + message->length);
}

static void add_value_type(struct pprof_writing *writing, uint64_t type, uint64_t unit,
			   uint32_t number)
{
	struct perun_buffer message = {0};

	pprof_add_number(&message, 1, type);
	pprof_add_number(&message, 2, unit);
	pprof_put_message(writing, number, &message);
	perun_buffer_free(&message);
}

static void write_sample_types(struct pprof_writing *writing)
{
	for (size_t i = 0; i < writing->value_count; i++) {
		const struct pprof_value *value = &writing->values[i];
		uint64_t type = pprof_text(writing, value->type.data, value->type.length);

		add_value_type(writing, type,
			       pprof_text(writing, value->unit.data, value->unit.length), 1);
	}
}

/* ---- the header ------------------------------------------------------------------------------ */

static bool same_text(const struct perun_buffer *a, const struct perun_buffer *b)
{
	return a->length == b->length && (!a->length || memcmp(a->data, b->data, a->length) == 0);
}

/* Where the default metric of the profile is among the values. */
static size_t default_value(const struct pprof_writing *writing)
{
	const char *name = perun_profile_text(writing->profile, "/header/default_metric");

	for (size_t i = 0; *name && i < writing->value_count; i++) {
		const struct pprof_value *value = &writing->values[i];
		const char *own = value->metric ? value->metric->name
						: perun_column_info(value->column)->name;

		if (strcmp(own, name) == 0)
			return i;
	}
	return writing->value_count - 1;
}

/* What the file said, as long as it still names the default metric; else the name of that. */
static void choose_default(const struct pprof_writing *writing, struct perun_buffer *type)
{
	size_t wanted, said = writing->value_count;

	pprof_from_json(perun_json_get(writing->extra, "default_sample_type"), type);
	if (!writing->value_count)
		return;
	for (size_t i = writing->value_count; i-- > 0;) {
		if (same_text(&writing->values[i].type, type))
			said = i;
	}
	if (said == writing->value_count)
		said--;
	wanted = default_value(writing);
	if (wanted == said)
		return;
	perun_buffer_clear(type);
	perun_buffer_add(type, writing->values[wanted].type.data,
			 writing->values[wanted].type.length);
}

static uint64_t header_number(const struct pprof_writing *writing, const char *key)
{
	int64_t number = 0;

	perun_json_as_int64(perun_json_get(writing->header, key), &number);
	return (uint64_t)number;
}

struct header {
	uint64_t drop_frames, keep_frames, period_type, period_unit, default_type, doc_url;
	uint64_t *comments;
	size_t comment_count;
};

/* The strings of the header, in the order in which they are numbered. */
static void number_header(struct pprof_writing *writing, struct header *header)
{
	const struct perun_json *comments =
		perun_json_get(perun_profile_document(writing->profile), "comments");
	const struct perun_json *period_type = perun_json_get(writing->header, "period_type");
	struct perun_buffer type = {0};

	header->drop_frames =
		pprof_json_text(writing, perun_json_get(writing->extra, "drop_frames"));
	header->keep_frames =
		pprof_json_text(writing, perun_json_get(writing->extra, "keep_frames"));
	header->period_type = pprof_json_text(writing, perun_json_get(period_type, "type"));
	header->period_unit = pprof_json_text(writing, perun_json_get(period_type, "unit"));
	header->comment_count = perun_json_count(comments);
	header->comments = perun_alloc_zero(header->comment_count + 1, sizeof(uint64_t));
	for (size_t i = 0; i < header->comment_count; i++)
		header->comments[i] = pprof_json_text(writing, perun_json_at(comments, i));
	choose_default(writing, &type);
	header->default_type = pprof_text(writing, type.data, type.length);
	header->doc_url = pprof_json_text(writing, perun_json_get(writing->extra, "doc_url"));
	perun_buffer_free(&type);
}

static void write_strings(struct pprof_writing *writing)
{
	for (perun_id i = 0; i <= writing->last_text; i++) {
		struct perun_buffer text = {0};

		text.data = (char *)perun_builder_string_at(writing->texts, i, &text.length);
		pprof_put_message(writing, 6, &text);
	}
}

static void add_comments(struct perun_buffer *out, const struct header *header)
{
	struct perun_buffer packed = {0};

	for (size_t i = 0; i < header->comment_count; i++) {
		if (header->comment_count <= 2)
			perun_buffer_add_char(out, 13 << 3);
		pprof_add_varint(header->comment_count <= 2 ? out : &packed, header->comments[i]);
	}
	if (packed.length) {
		perun_buffer_add_char(out, 13 << 3 | 2);
		pprof_add_varint(out, packed.length);
		perun_buffer_add(out, packed.data, packed.length);
	}
	perun_buffer_free(&packed);
}

static void write_header(struct pprof_writing *writing)
{
	struct header header = {0};
	struct perun_buffer fields = {0};

	number_header(writing, &header);
	write_strings(writing);
	pprof_add_number(&fields, 7, header.drop_frames);
	pprof_add_number(&fields, 8, header.keep_frames);
	pprof_add_number(&fields, 9, header_number(writing, "time"));
	pprof_add_number(&fields, 10, header_number(writing, "duration"));
	pprof_stream_write(writing->stream, fields.data, fields.length);
	if (header.period_type || header.period_unit)
		add_value_type(writing, header.period_type, header.period_unit, 11);
	perun_buffer_clear(&fields);
	pprof_add_number(&fields, 12, header_number(writing, "period"));
	add_comments(&fields, &header);
	perun_buffer_add_char(&fields, 14 << 3); /* always there, as in pprof */
	pprof_add_varint(&fields, header.default_type);
	pprof_add_number(&fields, 15, header.doc_url);
	pprof_stream_write(writing->stream, fields.data, fields.length);
	perun_buffer_free(&fields);
	perun_free(header.comments);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void lose(struct perun_ctx *ctx, const char *what, uint64_t count)
{
	if (count)
		perun_lost(ctx, what, count);
}

static void report_losses(const struct pprof_writing *writing)
{
	lose(writing->ctx, "fractions of values", writing->fractions);
	lose(writing->ctx, "values beyond 64 bits", writing->too_large);
	lose(writing->ctx, "absent values, written as 0", writing->absent);
	lose(writing->ctx, "lines without a function", writing->lines_without_function);
	lose(writing->ctx, "zeros without unit in labels", writing->zeros);
	lose(writing->ctx, "empty labels", writing->empty_labels);
}

int pprof_write(struct perun_ctx *ctx, const struct pprof_options *options,
		const struct perun_profile *profile, struct perun_output *output)
{
	struct pprof_writing writing = {.ctx = ctx,
					.profile = profile,
					.table = perun_resources(profile),
					.blank_limit = options->zero_limit,
					.with_paths = options->paths};
	size_t strings = perun_profile_strings(profile);
	int status;

	writing.stream = pprof_stream_new(ctx, output, options->plain);
	writing.texts = perun_builder_new();
	writing.uid_names = perun_builder_new();
	writing.text_of = perun_alloc((strings + 1) * sizeof *writing.text_of);
	memset(writing.text_of, 0xff, (strings + 1) * sizeof *writing.text_of);
	writing.sets =
		perun_alloc_zero(perun_profile_label_sets(profile) + 1, sizeof *writing.sets);
	pprof_plan(&writing);
	write_sample_types(&writing);
	pprof_write_paths(&writing);
	pprof_write_samples(&writing);
	pprof_write_places(&writing);
	write_header(&writing);
	report_losses(&writing);
	status = pprof_stream_finish(writing.stream);
	if (!status && writing.blanks > writing.blank_limit)
		status = perun_ctx_status(ctx);
	if (!status && perun_cancelled(ctx))
		status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	pprof_free_plan(&writing);
	perun_buffer_free(&writing.set_bytes);
	perun_free(writing.sets);
	perun_free(writing.text_of);
	perun_builder_free(writing.texts);
	perun_builder_free(writing.uid_names);
	return status;
}
