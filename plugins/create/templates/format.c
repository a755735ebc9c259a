/* SPDX-License-Identifier: BSD-3-Clause */
/* @NAME@: what this format is, and which tool writes it. Here: lines of a number and a name. */
#include <string.h>

#include <perun/format.h>
#include <perun/json.h>

static const struct perun_option options[] = {{.name = "longest-name",
					       .metavar = "N",
					       .help = "the longest name that is read, in bytes",
					       .default_value = "1000",
					       .type = PERUN_OPTION_INTEGER,
					       .ranged = true,
					       .minimum = 1,
					       .maximum = 1000000},
					      {.name = NULL}};

/* What open() makes belongs to one thread until close(); nothing else is kept between calls. */
static int open_format(struct perun_ctx *ctx, const struct perun_options *values,
		       const char *subcommand, void **instance)
{
	int64_t *longest = (int64_t *)perun_alloc(sizeof *longest);

	(void)ctx, (void)subcommand;
	*longest = perun_option_integer(values, "longest-name");
	*instance = longest;
	return PERUN_OK;
}

/* From 0, no, to 100, certain, by the first bytes; it must not fail. */
static int probe(const struct perun_probe *probe)
{
	const char *dot = strrchr(probe->name, '.');

	return !probe->directory && dot && strcmp(dot, ".@NAME@") == 0 ? 60 : 0;
}

/* What is a row of the profile; perun-plugin-collect(3) says which columns are asked for. */
static const struct perun_column_info columns[] = {
	{.name = "amount", .type = PERUN_TYPE_DOUBLE, .role = PERUN_ROLE_METRIC},
	{.name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
};

/* The caller frees the builder, also after a failure. Messages name the line and what was expected. */
static int read_lines(struct perun_ctx *ctx, struct perun_lines *lines, int64_t longest,
		      struct perun_builder *builder)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *amount = perun_table_add_column(table, &columns[0]);
	struct perun_column_builder *uid = perun_table_add_column(table, &columns[1]);
	char *line, *end;
	size_t length;
	int status;

	while (!(status = perun_lines_next(ctx, lines, &line, &length)) && line) {
		double value = perun_strtod(line, &end);

		if (perun_cancelled(ctx))
			return PERUN_CANCELLED;
		if (end == line || *end != ' ')
			return perun_fail(ctx, PERUN_INPUT,
					  "line %llu: expected a number and a name",
					  (unsigned long long)perun_lines_number(lines));
		if (line + length - end - 1 > longest)
			return perun_fail(ctx, PERUN_INPUT,
					  "line %llu: a name of more than %lld bytes; "
					  "--longest-name allows more",
					  (unsigned long long)perun_lines_number(lines),
					  (long long)longest);
		perun_column_set_double(amount, value);
		perun_column_set_id(uid, PERUN_TYPE_STRING, perun_builder_text(builder, end + 1));
		perun_table_end_row(table);
	}
	return status;
}

/* A profile without type and units can be shown but not stored. */
static void set_header(struct perun_builder *builder)
{
	struct perun_json *header = perun_json_object(), *units = perun_json_object();

	perun_json_set(units, "time", perun_json_text("s"));
	perun_json_set(header, "type", perun_json_text("time"));
	perun_json_set(header, "units", units);
	perun_json_set(perun_builder_document(builder), "header", header);
}

static int read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		struct perun_builder *builder)
{
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status = read_lines(ctx, lines, *(int64_t *)instance, builder);

	perun_lines_free(lines);
	set_header(builder);
	return status;
}

/* Optional: without it the format is read only. perun_lost() names all that the format cannot hold. */
static int write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		 struct perun_output *output)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *amount = perun_table_column(table, "amount");
	const struct perun_column *uid = perun_table_column(table, "uid");
	struct perun_buffer text = {0};

	(void)instance;
	if (!amount || !uid)
		return perun_fail(ctx, PERUN_INPUT, "the profile has no amounts by uid");
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		perun_buffer_clear(&text);
		perun_column_print(amount, row, &text);
		perun_buffer_add_char(&text, ' ');
		perun_column_print(uid, row, &text);
		perun_buffer_add_char(&text, '\n');
		perun_output_write(output, text.data, text.length);
	}
	perun_buffer_free(&text);
	if (perun_table_columns(table) > 2)
		perun_lost(ctx, "columns", perun_table_columns(table) - 2);
	return perun_output_text(output, ""); /* the first error of all writes */
}

static const struct perun_format_ops operations = {
	.open = open_format,
	.close = perun_free,
	.patterns = "*.@NAME@",
	.probe = probe,
	.read = read,
	.write = write,
	/* Optional: .magic, .contains, .reads_directories, .writes_directory, .kept_as, .exact_bytes; see
	 * perun/format.h. */
};

PERUN_PLUGIN(format, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(operations),
};
