/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of profiles for perun status. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/print/listing.h"
#include "commands/common/fields.h"
#include "commands/common/profiles.h"
#include "views/common/text.h"

static const char *const field_names[] = {"type",     "time",     "source",    "cmd",
					  "args",     "workload", "collector", "postprocessors",
					  "checksum", "realpath", "labels",    NULL};
enum {
	TYPE,
	TIME,
	SOURCE,
	CMD,
	ARGS,
	WORKLOAD,
	COLLECTOR,
	POSTPROCESSORS,
	CHECKSUM,
	REALPATH,
	LABELS
};

struct cli_table {
	struct commands_fields fields; /* none: the columns of commands_add_profiles() */
	size_t most;                   /* the longest list measured */
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
	char time[32], *labels, *safe;

	if (id == LABELS) {
		labels = commands_labels(entry);
		safe = perun_printable(labels);
		perun_free(labels);
		return safe;
	}
	if (id == TIME) {
		commands_format_time(entry->time, time);
		return perun_strdup(time);
	}
	return perun_printable(texts[id] ? texts[id] : "");
}

int cli_table_new(struct cli *cli, const char *format, struct cli_table **table)
{
	int status;

	*table = perun_alloc_zero(1, sizeof **table);
	if (!format)
		return PERUN_OK;
	status = commands_fields_parse(cli->ctx, format, field_names, "format.status",
				       &(*table)->fields);
	if (status) {
		perun_free(*table);
		*table = NULL;
		return status;
	}
	for (size_t i = 0; i < (*table)->fields.count; i++) {
		struct commands_field *field = &(*table)->fields.items[i];

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
	commands_fields_free(&table->fields);
	perun_free(table);
}

void cli_table_measure(struct cli_table *table, const struct perun_entries *entries)
{
	if (entries->count > table->most)
		table->most = entries->count;
	for (size_t i = 0; i < table->fields.count; i++) {
		struct commands_field *field = &table->fields.items[i];

		if (!field->name || field->limit)
			continue;
		for (size_t row = 0; row < entries->count; row++) {
			char *value = value_of(perun_entries_at(entries, row), field->id);
			size_t width = views_width(value);

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
		const struct commands_field *field = &table->fields.items[i];

		width += field->literal ? views_width(field->literal) : field->width;
		width += field->name && field->id == TYPE ? 2 : 0;
	}
	return width;
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
	commands_fields_center(&line, "id", tag_width(table));
	perun_buffer_add_char(&line, ' ');
	for (size_t i = 0; i < table->fields.count; i++) {
		const struct commands_field *field = &table->fields.items[i];

		if (field->literal)
			perun_buffer_add_text(&line, field->literal);
		else
			commands_fields_center(&line, field->name,
					       field->width + (field->id == TYPE ? 2 : 0));
	}
	puts(line.data);
	perun_buffer_free(&line);
}

static void add_cell(struct perun_buffer *line, const struct commands_field *field,
		     const struct perun_entry *entry)
{
	char *value = value_of(entry, field->id), *boxed;

	if (field->id == TYPE) {
		boxed = perun_format("[%s]", value);
		commands_fields_pad(line, boxed, field->width + 2, field->fill);
		perun_free(boxed);
	} else {
		commands_fields_pad(line, value, field->width, field->fill);
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
	commands_fields_pad(&line, tag, tag_width(table), ' ');
	perun_buffer_printf(&line, "%s ", cli_color_end(cli));
	for (size_t i = 0; i < table->fields.count; i++) {
		const struct commands_field *field = &table->fields.items[i];

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

void cli_table_print(struct cli *cli, struct cli_table *table, const struct perun_entries *entries,
		     char kind)
{
	enum { RULE_EVERY = 5 };

	if (!table->fields.count) {
		const struct commands_screen screen = cli_screen(cli);
		struct perun_buffer text = {0};

		commands_add_profiles(&screen, entries, kind, &text);
		fputs(text.data ? text.data : "", stdout);
		perun_buffer_free(&text);
		return;
	}
	print_rule(table);
	print_header(table);
	print_rule(table);
	for (size_t i = 0; i < entries->count; i++) {
		print_row(cli, table, perun_entries_at(entries, i), i, kind);
		if (i % RULE_EVERY == 0 || i + 1 == entries->count)
			print_rule(table);
	}
}
