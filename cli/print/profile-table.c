/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of profiles for perun status. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/print/fields.h"
#include "cli/print/listing.h"

static const char *const field_names[] = {"type",     "time",     "source",    "cmd",
					  "args",     "workload", "collector", "postprocessors",
					  "checksum", "realpath", NULL};
enum { TYPE, TIME, SOURCE, CMD, ARGS, WORKLOAD, COLLECTOR, POSTPROCESSORS, CHECKSUM, REALPATH };

/* Narrower than that a text says nothing. */
#define LEAST_WIDTH 12

struct cli_table {
	struct cli_fields fields;
	size_t most;  /* the longest list measured */
	bool stacked; /* the terminal is too narrow: a line for each field */
};

/* The value of a field, without what could drive a terminal; the caller's. */
static char *value_of(const struct perun_entry *entry, int id)
{
	const char *const texts[] = {
		[TYPE] = entry->type,         [SOURCE] = entry->path,
		[CMD] = entry->cmd,           [ARGS] = entry->args,
		[WORKLOAD] = entry->workload, [COLLECTOR] = entry->collector,
		[CHECKSUM] = entry->checksum, [POSTPROCESSORS] = entry->postprocessors,
		[REALPATH] = entry->path,
	};
	char time[32];

	if (id == TIME) {
		cli_format_time(entry->time, time);
		return perun_strdup(time);
	}
	return perun_printable(texts[id] ? texts[id] : "");
}

int cli_table_new(struct cli *cli, const char *format, struct cli_table **table)
{
	int status;

	*table = perun_alloc_zero(1, sizeof **table);
	status =
		cli_fields_parse(cli->ctx, format, field_names, "format.status", &(*table)->fields);
	if (status) {
		perun_free(*table);
		*table = NULL;
		return status;
	}
	for (size_t i = 0; i < (*table)->fields.count; i++) {
		struct cli_field *field = &(*table)->fields.items[i];

		if (!field->name)
			continue;
		field->width = strlen(field->name);
		if (field->limit > field->width)
			field->width = field->limit;
	}
	return PERUN_OK;
}

void cli_table_free(struct cli_table *table)
{
	if (!table)
		return;
	cli_fields_free(&table->fields);
	perun_free(table);
}

void cli_table_measure(struct cli_table *table, const struct perun_entries *entries)
{
	if (entries->count > table->most)
		table->most = entries->count;
	for (size_t i = 0; i < table->fields.count; i++) {
		struct cli_field *field = &table->fields.items[i];

		if (!field->name || field->limit)
			continue;
		for (size_t row = 0; row < entries->count; row++) {
			char *value = value_of(perun_entries_at(entries, row), field->id);
			size_t width = cli_columns(value);

			field->width = width > field->width ? width : field->width;
			perun_free(value);
		}
	}
}

/* The width of "12@i" in the longest list. */
static size_t tag_width(const struct cli_table *table)
{
	size_t width = strlen("0@i");

	for (size_t last = table->most ? table->most - 1 : 0; last > 9; last /= 10)
		width++;
	return width;
}

static size_t line_width(const struct cli_table *table)
{
	size_t width = tag_width(table) + 2;

	for (size_t i = 0; i < table->fields.count; i++) {
		const struct cli_field *field = &table->fields.items[i];

		width += field->literal ? cli_columns(field->literal) : field->width;
		width += field->name && field->id == TYPE ? 2 : 0;
	}
	return width;
}

/* On a terminal: narrow the widest columns of texts until a line fits. */
static void fit(const struct cli *cli, struct cli_table *table)
{
	while (cli->terminal && !table->stacked && line_width(table) > cli->width) {
		struct cli_field *widest = NULL;

		for (size_t i = 0; i < table->fields.count; i++) {
			struct cli_field *field = &table->fields.items[i];

			if (field->name && !field->limit && field->id != TYPE &&
			    field->id != TIME && field->width > LEAST_WIDTH &&
			    (!widest || field->width > widest->width))
				widest = field;
		}
		if (widest)
			widest->width--;
		else
			table->stacked = true;
	}
}

static void print_rule(const struct cli_table *table)
{
	cli_repeat("═", line_width(table) - 1);
	puts("▣");
}

static void print_header(const struct cli_table *table)
{
	struct perun_buffer line = {0};

	perun_buffer_add_char(&line, ' ');
	cli_fields_center(&line, "id", tag_width(table));
	perun_buffer_add_char(&line, ' ');
	for (size_t i = 0; i < table->fields.count; i++) {
		const struct cli_field *field = &table->fields.items[i];

		if (field->literal)
			perun_buffer_add_text(&line, field->literal);
		else
			cli_fields_center(&line, field->name,
					  field->width + (field->id == TYPE ? 2 : 0));
	}
	puts(line.data);
	perun_buffer_free(&line);
}

static void add_cell(struct perun_buffer *line, const struct cli_field *field,
		     const struct perun_entry *entry)
{
	char *value = value_of(entry, field->id), *boxed;
	bool cut = !field->limit && cli_columns(value) > field->width;

	if (cut) {
		cli_fields_pad(line, value, field->width - 1, field->fill);
		perun_buffer_add_text(line, "…");
	} else if (field->id == TYPE) {
		boxed = perun_format("[%s]", value);
		cli_fields_pad(line, boxed, field->width + 2, field->fill);
		perun_free(boxed);
	} else {
		cli_fields_pad(line, value, field->width, field->fill);
	}
	perun_free(value);
}

static enum cli_color type_color(const char *type)
{
	return strcmp(type, "memory") == 0  ? CLI_CYAN
	       : strcmp(type, "mixed") == 0 ? CLI_MAGENTA
	       : strcmp(type, "time") == 0  ? CLI_BLUE
					    : CLI_YELLOW;
}

static void print_row(struct cli *cli, const struct cli_table *table,
		      const struct perun_entry *entry, size_t number, char kind)
{
	struct perun_buffer line = {0};
	char tag[32];

	snprintf(tag, sizeof tag, "%zu@%c", number, kind);
	perun_buffer_printf(&line, " %s", cli_color(cli, kind == 'p' ? CLI_RED : CLI_GREEN));
	cli_fields_pad(&line, tag, tag_width(table), ' ');
	perun_buffer_printf(&line, "%s ", cli_color_end(cli));
	for (size_t i = 0; i < table->fields.count; i++) {
		const struct cli_field *field = &table->fields.items[i];

		if (field->literal) {
			perun_buffer_add_text(&line, field->literal);
			continue;
		}
		if (field->id == TYPE)
			perun_buffer_add_text(&line, cli_color(cli, type_color(entry->type)));
		add_cell(&line, field, entry);
		if (field->id == TYPE)
			perun_buffer_add_text(&line, cli_color_end(cli));
	}
	puts(line.data);
	perun_buffer_free(&line);
}

/* " 0@i [time]" and below it the other fields, indented. */
static void print_stacked(struct cli *cli, const struct cli_table *table,
			  const struct perun_entry *entry, size_t number, char kind)
{
	printf(" %s%zu@%c%s %s[", cli_color(cli, kind == 'p' ? CLI_RED : CLI_GREEN), number, kind,
	       cli_color_end(cli), cli_color(cli, type_color(entry->type)));
	cli_print_safe(entry->type);
	printf("]%s\n", cli_color_end(cli));
	for (size_t i = 0; i < table->fields.count; i++) {
		const struct cli_field *field = &table->fields.items[i];
		char *value;

		if (field->literal || field->id == TYPE)
			continue;
		value = value_of(entry, field->id);
		if (*value)
			printf("   %s\n", value);
		perun_free(value);
	}
}

void cli_table_print(struct cli *cli, struct cli_table *table, const struct perun_entries *entries,
		     char kind)
{
	enum { RULE_EVERY = 5 };

	fit(cli, table);
	for (size_t i = 0; table->stacked && i < entries->count; i++)
		print_stacked(cli, table, perun_entries_at(entries, i), i, kind);
	if (table->stacked)
		return;
	print_rule(table);
	print_header(table);
	print_rule(table);
	for (size_t i = 0; i < entries->count; i++) {
		print_row(cli, table, perun_entries_at(entries, i), i, kind);
		if (i % RULE_EVERY == 0 || i + 1 == entries->count)
			print_rule(table);
	}
}
