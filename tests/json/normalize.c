/* SPDX-License-Identifier: BSD-3-Clause */
/* For cases.py: each line of the input is a text, in the output what the JSON engine makes of it. */
#include <stdio.h>

#include "perun/json.h"

static int read_input(void *data, void *memory, size_t size, size_t *got)
{
	(void)data;
	*got = fread(memory, 1, size, stdin);
	return ferror(stdin) ? PERUN_INPUT : PERUN_OK;
}

static int write_output(void *data, const char *text, size_t length)
{
	(void)data;
	return fwrite(text, 1, length, stdout) == length ? PERUN_OK : PERUN_INPUT;
}

/* The bytes that are written as the characters U+0000 to U+00FF. */
static void to_bytes(const struct perun_json_token *token, struct perun_buffer *bytes)
{
	size_t i;

	perun_buffer_clear(bytes);
	for (i = 0; i < token->length; i++) {
		unsigned char c = (unsigned char)token->text[i];

		if (c >= 0x80)
			c = (unsigned char)((c & 3) << 6 | (token->text[++i] & 0x3f));
		perun_buffer_add_char(bytes, (char)c);
	}
}

static void write_case(struct perun_json_writer *writer, const struct perun_buffer *input)
{
	static const enum perun_json_style styles[] = {PERUN_JSON_PYTHON, PERUN_JSON_INDENTED,
						       PERUN_JSON_COMPACT};
	struct perun_buffer text = {0};
	struct perun_json *value;
	size_t i;

	perun_json_parse(NULL, input->data, input->length, NULL, &value);
	perun_json_write_array_start(writer);
	for (i = 0; i < 3; i++) {
		if (value == NULL) {
			perun_json_write_null(writer);
			continue;
		}
		perun_buffer_clear(&text);
		perun_json_print(value, &text, styles[i], 2);
		perun_json_write_string(writer, text.data, text.length);
	}
	perun_json_write_array_end(writer);
	perun_buffer_free(&text);
	perun_json_free(value);
}

int main(void)
{
	struct perun_json_options options = {.struct_size = sizeof options, .sequence = true};
	struct perun_json_reader *reader = perun_json_reader_new(NULL, read_input, NULL, &options);
	struct perun_json_writer *writer =
		perun_json_writer_new_sink(write_output, NULL, PERUN_JSON_PYTHON, 0);
	struct perun_buffer input = {0};
	int status;

	while (perun_json_next(reader) == PERUN_JSON_STRING) {
		to_bytes(perun_json_token(reader), &input);
		write_case(writer, &input);
	}
	status = perun_json_error(reader)->status;
	if (perun_json_writer_finish(writer) != PERUN_OK)
		status = PERUN_INPUT;
	perun_json_reader_free(reader);
	perun_buffer_free(&input);
	return status;
}
