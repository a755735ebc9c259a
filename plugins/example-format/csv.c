/* SPDX-License-Identifier: BSD-3-Clause */
/* csv: comma-separated values (RFC 4180) as profiles: the first line names the columns. */
#include <stdio.h>
#include <string.h>

#include <perun/format.h>
#include <perun/json.h>

/* Input byte by byte, with the position for messages. */
struct source {
	struct perun_ctx *ctx;
	struct perun_input *input;
	char block[65536];
	size_t at, filled;
	size_t line;
	int status;
};

/* The next byte, -1 at the end or after a failure. */
static int next_byte(struct source *source)
{
	if (source->at == source->filled) {
		source->at = source->filled = 0;
		source->status = perun_input_read(source->ctx, source->input, source->block,
						  sizeof source->block, &source->filled);
		if (source->status || !source->filled)
			return -1;
	}
	return (unsigned char)source->block[source->at++];
}

enum field_end { FIELD_COMMA, FIELD_LINE, FIELD_FILE, FIELD_BAD };

/* Read one field; `*quoted` says that it was in quotes and so is a text. */
static enum field_end read_field(struct source *source, struct perun_buffer *field, bool *quoted)
{
	int c = next_byte(source);

	perun_buffer_clear(field);
	*quoted = c == '"';
	if (*quoted) {
		for (;;) {
			c = next_byte(source);
			if (c == '"' && (c = next_byte(source)) != '"')
				break;
			if (c < 0)
				return FIELD_BAD;
			source->line += c == '\n';
			perun_buffer_add_char(field, (char)c);
		}
	} else {
		for (; c >= 0 && c != ',' && c != '\n' && c != '\r'; c = next_byte(source))
			perun_buffer_add_char(field, (char)c);
	}
	if (c == '\r')
		c = next_byte(source);
	if (c == ',')
		return FIELD_COMMA;
	if (c == '\n') {
		source->line++;
		return FIELD_LINE;
	}
	return c < 0 ? FIELD_FILE : FIELD_BAD;
}

static enum perun_role role_of(const char *name)
{
	if (strcmp(name, "amount") == 0)
		return PERUN_ROLE_METRIC;
	if (strcmp(name, "uid") == 0 || strcmp(name, "type") == 0 || strcmp(name, "subtype") == 0)
		return PERUN_ROLE_KEY;
	return strcmp(name, "structure-unit-size") == 0 ? PERUN_ROLE_PARAMETER : PERUN_ROLE_PLAIN;
}

static void set_cell(struct perun_builder *builder, struct perun_column_builder *column,
		     const struct perun_buffer *field, bool quoted)
{
	const char *text = field->data ? field->data : "";
	struct perun_json *integer = quoted ? NULL : perun_json_integer(text, field->length);
	int64_t whole;
	double number;

	if (perun_json_as_int64(integer, &whole))
		perun_column_set_int64(column, whole);
	else if (!quoted && field->length &&
		 perun_json_scan_double(text, field->length, &number) == field->length)
		perun_column_set_double(column, number);
	else if (quoted || field->length)
		perun_column_set_id(column, PERUN_TYPE_STRING,
				    perun_builder_string(builder, text, field->length));
	perun_json_free(integer);
}

/* The columns, from the first line. */
static enum field_end read_heading(struct source *source, struct perun_table_builder *table,
				   struct perun_buffer *field)
{
	enum field_end end;
	bool quoted;

	do {
		struct perun_column_info info = {.type = PERUN_TYPE_INT64, .growing = true};

		end = read_field(source, field, &quoted);
		if (end == FIELD_BAD || (end == FIELD_FILE && !field->length))
			return end;
		if (!field->length || strlen(field->data) != field->length ||
		    perun_table_find_column(table, field->data))
			return FIELD_BAD;
		info.name = field->data;
		info.role = role_of(field->data);
		perun_table_add_column(table, &info);
	} while (end == FIELD_COMMA);
	return end;
}

static enum field_end read_row(struct source *source, struct perun_builder *builder,
			       struct perun_table_builder *table, struct perun_buffer *field)
{
	size_t columns = perun_table_builder_columns(table), i = 0;
	enum field_end end;
	bool quoted;

	do {
		end = read_field(source, field, &quoted);
		if (end == FIELD_BAD || i == columns)
			return FIELD_BAD;
		if (i == 0 && end == FIELD_FILE && !field->length && !quoted)
			return FIELD_FILE; /* after the last line */
		set_cell(builder, perun_table_builder_column(table, i++), field, quoted);
	} while (end == FIELD_COMMA);
	if (i != columns)
		return FIELD_BAD;
	perun_table_end_row(table);
	return end;
}

static int csv_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder)
{
	struct source *source = perun_alloc_zero(1, sizeof *source);
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_json *header = perun_json_object();
	struct perun_buffer field = {0};
	enum field_end end;
	size_t line;
	int status;

	(void)instance;
	source->ctx = ctx;
	source->input = input;
	source->line = line = 1;
	end = read_heading(source, table, &field);
	while (end == FIELD_LINE) {
		line = source->line;
		end = read_row(source, builder, table, &field);
	}
	status = source->status;
	if (!status && end == FIELD_BAD)
		status =
			perun_fail(ctx, PERUN_INPUT,
				   line == 1 ? "line %zu: expected different names of columns"
					     : "line %zu: expected as many fields as in line 1, "
					       "with quotes around a field only and doubled inside",
				   line);
	perun_json_set(header, "type", perun_json_text("mixed"));
	perun_json_set(header, "cmd", perun_json_text(""));
	perun_json_set(header, "workload", perun_json_text(""));
	perun_json_set(header, "units", perun_json_object());
	perun_json_set(perun_builder_document(builder), "header", header);
	perun_buffer_free(&field);
	perun_free(source);
	return status;
}

static int csv_probe(const struct perun_probe *probe)
{
	size_t length = strlen(probe->name);

	return length > 4 && strcmp(probe->name + length - 4, ".csv") == 0 ? 60 : 0;
}

/* A field, in quotes where it must be or would be taken for a number. */
static void write_field(struct perun_output *output, const char *text, size_t length, bool is_text)
{
	double number;

	if (!memchr(text, '"', length) && !memchr(text, ',', length) &&
	    !memchr(text, '\n', length) && !memchr(text, '\r', length) &&
	    !(is_text && (!length || perun_json_scan_double(text, length, &number) == length))) {
		perun_output_write(output, text, length);
		return;
	}
	perun_output_text(output, "\"");
	for (size_t i = 0; i < length; i++)
		perun_output_write(output, text[i] == '"' ? "\"\"" : text + i,
				   text[i] == '"' ? 2 : 1);
	perun_output_text(output, "\"");
}

static void write_row(struct perun_output *output, const struct perun_table *table, size_t row,
		      struct perun_buffer *cell)
{
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);
		enum perun_type type = perun_column_info(column)->type;

		if (i)
			perun_output_text(output, ",");
		if (perun_column_absent(column, row))
			continue;
		perun_buffer_clear(cell);
		perun_column_print(column, row, cell);
		write_field(output, cell->data ? cell->data : "", cell->length,
			    type == PERUN_TYPE_STRING);
	}
	perun_output_text(output, "\r\n");
}

static int csv_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_table *models = perun_profile_table(profile, "models");
	struct perun_buffer cell = {0};

	(void)instance;
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const char *name = perun_column_info(perun_table_column_at(table, i))->name;

		if (i)
			perun_output_text(output, ",");
		write_field(output, name, strlen(name), true);
	}
	perun_output_text(output, "\r\n");
	for (size_t row = 0; row < perun_table_rows(table); row++)
		write_row(output, table, row, &cell);
	perun_buffer_free(&cell);
	perun_lost(ctx, "headers", 1);
	if (models && perun_table_rows(models))
		perun_lost(ctx, "models", perun_table_rows(models));
	return perun_output_text(output, "");
}

static const struct perun_format_ops csv_ops = {
	.patterns = "*.csv",
	.probe = csv_probe,
	.read = csv_read,
	.write = csv_write,
};

PERUN_PLUGIN(format, csv) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "csv", "comma-separated values, a resource per line"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(csv_ops),
};
