/* SPDX-License-Identifier: BSD-3-Clause */
/* The operation write; fields of records as RFC 4180 has them. */
#include <inttypes.h>
#include <math.h>

#include "read.h"
#include "writing.h"

#define BLOCK 65536

void afperf_put_type(struct afperf_writing *writing, enum afperf_type type)
{
	perun_buffer_add_text(&writing->text, afperf_schemas[type].name);
}

void afperf_put_text(struct afperf_writing *writing, const char *text, size_t length)
{
	struct perun_buffer *out = &writing->text;
	bool quoted = false;

	for (size_t i = 0; i < length && !quoted; i++)
		quoted = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
	perun_buffer_add_char(out, ',');
	if (!quoted) {
		perun_buffer_add(out, text, length);
		return;
	}
	perun_buffer_add_char(out, '"');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"')
			perun_buffer_add_char(out, '"');
		perun_buffer_add_char(out, text[i]);
	}
	perun_buffer_add_char(out, '"');
}

void afperf_put_word(struct afperf_writing *writing, const char *text)
{
	afperf_put_text(writing, text, strlen(text));
}

void afperf_put_uint64(struct afperf_writing *writing, uint64_t value)
{
	char *room = perun_buffer_reserve(&writing->text, PERUN_JSON_NUMBER_SIZE + 1);

	*room = ',';
	writing->text.length += 1 + perun_json_print_uint64(value, room + 1);
}

void afperf_put_int64(struct afperf_writing *writing, int64_t value)
{
	char *room = perun_buffer_reserve(&writing->text, PERUN_JSON_NUMBER_SIZE + 1);

	*room = ',';
	writing->text.length += 1 + perun_json_print_int64(value, room + 1);
}

void afperf_put_double(struct afperf_writing *writing, double value)
{
	char *room;

	if (isfinite(value)) {
		room = perun_buffer_reserve(&writing->text, PERUN_JSON_NUMBER_SIZE + 1);
		*room = ',';
		writing->text.length += 1 + perun_json_print_double(value, room + 1);
	} else {
		afperf_put_word(writing, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	}
}

void afperf_put_blank(struct afperf_writing *writing)
{
	perun_buffer_add_char(&writing->text, ',');
}

void afperf_end_record(struct afperf_writing *writing)
{
	perun_buffer_add_char(&writing->text, '\n');
	if (writing->text.length < BLOCK)
		return;
	perun_output_write(writing->output, writing->text.data, writing->text.length);
	perun_buffer_clear(&writing->text);
}

void afperf_put_labels(struct afperf_writing *writing, perun_id labels)
{
	struct perun_buffer text = {0};
	const struct perun_label *label;
	size_t count = 0;

	label = labels == PERUN_NO_ID ? NULL
				      : perun_profile_labels(writing->profile, labels, &count);
	for (size_t i = 0; i < count; i++) {
		if (i)
			perun_buffer_add_char(&text, ';');
		perun_buffer_add_text(&text,
				      perun_profile_string(writing->profile, label[i].key, NULL));
		perun_buffer_add_char(&text, '=');
		if (label[i].text != PERUN_NO_ID) {
			perun_buffer_add_text(
				&text, perun_profile_string(writing->profile, label[i].text, NULL));
		} else {
			perun_buffer_printf(&text, "%" PRId64, label[i].number);
			if (label[i].unit)
				perun_buffer_printf(&text, " %s",
						    perun_profile_string(writing->profile,
									 label[i].unit, NULL));
		}
	}
	afperf_put_text(writing, text.data ? text.data : "", text.length);
	perun_buffer_free(&text);
}

static int finish(struct afperf_writing *writing, int status)
{
	if (!status)
		status = perun_output_write(writing->output, writing->text.data,
					    writing->text.length);
	perun_buffer_free(&writing->text);
	return status;
}

int afperf_write_run(struct perun_ctx *ctx, const struct perun_profile *profile, size_t run,
		     struct perun_output *output)
{
	struct afperf_writing writing = {.ctx = ctx, .profile = profile, .output = output};

	perun_buffer_add_text(&writing.text, AFPERF_HEADER "\n");
	return finish(&writing, afperf_write_own(&writing, run));
}

int afperf_write(struct perun_ctx *ctx, const struct perun_profile *profile,
		 struct perun_output *output)
{
	struct afperf_writing writing = {.ctx = ctx, .profile = profile, .output = output};

	perun_buffer_add_text(&writing.text, AFPERF_HEADER "\n");
	return finish(&writing, afperf_is_own(profile) ? afperf_write_own(&writing, SIZE_MAX)
						       : afperf_write_any(&writing));
}
