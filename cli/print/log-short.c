/* SPDX-License-Identifier: BSD-3-Clause */
/* perun log --short: a line for each version, in the columns that have something to say or those of a format. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/print/listing.h"
#include "cli/print/log-short.h"
#include "commands/common/commits.h"
#include "commands/common/fields.h"
#include "commands/common/profiles.h"
#include "views/common/text.h"

static const char *const field_names[] = {"checksum", "stats", "desc",    "changes", "author",
					  "email",    "date",  "parents", "labels",  NULL};
enum { CHECKSUM, STATS, DESC, CHANGES, AUTHOR, EMAIL, DATE, PARENTS, LABELS };
enum { NUMBERS = 4 };

/*
 * Rows are kept as texts one after another until all widths are known: the values of the fields in
 * order, each with a NUL; the field stats is left empty, its numbers are in `counts`.
 */
struct row {
	size_t offset;
	size_t counts; /* index + 1 into counts, 0 = no profiles */
};

struct cli_short {
	struct commands_columns *columns; /* NULL = a format says which */
	struct commands_screen screen;
	struct commands_fields fields;
	struct row *rows;
	size_t count, capacity;
	struct perun_buffer texts;
	size_t (*counts)[NUMBERS];
	size_t counts_count, counts_capacity;
};

int cli_short_new(struct cli *cli, struct cli_short **rows)
{
	char *format = cli_layout(cli, "format.shortlog");
	struct cli_short *made = perun_alloc_zero(1, sizeof *made);
	int status = PERUN_OK;

	made->screen = cli_screen(cli);
	if (format)
		status = commands_fields_parse(cli->ctx, format, field_names, "format.shortlog",
					       &made->fields);
	else
		made->columns = commands_columns_new(commands_commit_columns);
	perun_free(format);
	*rows = made;
	for (size_t i = 0; !status && i < made->fields.count; i++) {
		struct commands_field *field = &made->fields.items[i];

		if (!field->name)
			continue;
		field->width = strlen(field->name);
		if (field->limit > field->width)
			field->width = field->limit;
	}
	if (status) {
		perun_free(made);
		*rows = NULL;
	}
	return status;
}

void cli_short_free(struct cli_short *rows)
{
	if (!rows)
		return;
	commands_fields_free(&rows->fields);
	commands_columns_free(rows->columns);
	perun_buffer_free(&rows->texts);
	perun_free(rows->rows);
	perun_free(rows->counts);
	perun_free(rows);
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Append text with control characters taken out; most texts have none. */
static void add_safe(struct perun_buffer *texts, const char *text, size_t length)
{
	bool plain = true;

	for (size_t i = 0; plain && i < length; i++)
		plain = (unsigned char)text[i] >= ' ' && (unsigned char)text[i] < 0x7f;
	if (plain) {
		perun_buffer_add(texts, text, length);
	} else {
		char *copy = perun_strndup(text, length), *safe = perun_printable(copy);

		perun_buffer_add_text(texts, safe);
		perun_free(safe);
		perun_free(copy);
	}
}

/* Changes that are known are no news. */
static void add_marks_of(const struct perun_stored_findings *stored, struct perun_buffer *texts)
{
	size_t count;
	struct perun_stored_change *news = commands_news(stored, &count);

	cli_change_marks(news, count, texts);
	perun_free(news);
}

static void add_value(struct perun_buffer *texts, int id, const struct perun_minor_version *version,
		      const struct perun_entries *entries,
		      const struct perun_stored_findings *stored)
{
	struct perun_buffer labels = {0};
	char time[32];

	switch (id) {
	case CHECKSUM:
		add_safe(texts, version->checksum, strlen(version->checksum));
		break;
	case DESC:
		add_safe(texts, version->description, strcspn(version->description, "\r\n"));
		break;
	case CHANGES:
		add_marks_of(stored, texts);
		break;
	case AUTHOR:
		add_safe(texts, version->author, strlen(version->author));
		break;
	case EMAIL:
		add_safe(texts, version->email, strlen(version->email));
		break;
	case DATE:
		commands_format_time(version->date, time);
		perun_buffer_add_text(texts, time);
		break;
	case PARENTS:
		for (size_t i = 0; i < version->parent_count; i++)
			perun_buffer_printf(texts, "%s%.8s", i ? " " : "", version->parents[i]);
		break;
	case LABELS:
		commands_list_labels(entries, &labels);
		add_safe(texts, labels.data ? labels.data : "", labels.length);
		perun_buffer_free(&labels);
		break;
	default: /* stats: counted when all is known */
		break;
	}
}

/* All, and those of each type that has a column. */
static void count(const struct perun_entries *entries, size_t numbers[NUMBERS])
{
	static const char *const types[NUMBERS] = {"", "memory", "mixed", "time"};

	memset(numbers, 0, NUMBERS * sizeof *numbers);
	numbers[0] = entries->count;
	for (size_t i = 0; i < entries->count; i++)
		for (size_t k = 1; k < NUMBERS; k++)
			numbers[k] += strcmp(perun_entries_at(entries, i)->type, types[k]) == 0;
}

void cli_short_add(struct cli_short *rows, const struct perun_minor_version *version,
		   const struct perun_entries *entries, const struct perun_stored_findings *stored)
{
	struct row row = {.offset = rows->texts.length};

	if (rows->columns) {
		struct perun_buffer kinds = {0};

		commands_add_kinds(entries, false, &kinds);
		commands_add_commit(rows->columns, &rows->screen, version, kinds.data, stored);
		commands_collect_methods(stored->changes.items, stored->changes.count,
					 &rows->texts);
		perun_buffer_free(&kinds);
		return;
	}
	if (entries->count) {
		PERUN_GROW(rows->counts, rows->counts_count, rows->counts_capacity);
		count(entries, rows->counts[rows->counts_count++]);
		row.counts = rows->counts_count;
	}
	for (size_t i = 0; i < rows->fields.count; i++) {
		struct commands_field *field = &rows->fields.items[i];
		size_t start = rows->texts.length, width;

		if (!field->name)
			continue;
		add_value(&rows->texts, field->id, version, entries, stored);
		perun_buffer_add_char(&rows->texts, '\0');
		if (field->limit || field->id == STATS)
			continue;
		width = views_width(rows->texts.data + start);
		field->width = width > field->width ? width : field->width;
	}
	PERUN_GROW(rows->rows, rows->count, rows->capacity);
	rows->rows[rows->count++] = row;
}

/* ---- printing -------------------------------------------------------------------------------- */

static int digits(size_t number)
{
	int count = 1;

	while (number >= 10) {
		number /= 10;
		count++;
	}
	return count;
}

/* How wide each number of the statistics gets. */
static void measure(const struct cli_short *rows, int widths[NUMBERS])
{
	for (size_t i = 0; i < NUMBERS; i++)
		widths[i] = 1;
	for (size_t i = 0; i < rows->counts_count; i++) {
		const size_t *numbers = rows->counts[i];

		for (size_t j = 0; j < NUMBERS; j++) {
			if (digits(numbers[j]) > widths[j])
				widths[j] = digits(numbers[j]);
		}
	}
}

static void add_stats(struct cli *cli, const size_t numbers[NUMBERS], const int widths[NUMBERS],
		      struct perun_buffer *line)
{
	static const enum cli_color colors[] = {CLI_PLAIN, CLI_CYAN, CLI_MAGENTA, CLI_BLUE};
	for (size_t i = 0; i < NUMBERS; i++)
		perun_buffer_printf(line, "%s%s%*zu%s", i ? "|" : "", cli_color(cli, colors[i]),
				    widths[i], numbers[i], cli_color_end(cli));
	perun_buffer_add_text(line, " profiles");
}

static size_t stats_width(const int widths[NUMBERS])
{
	return (size_t)(widths[0] + widths[1] + widths[2] + widths[3]) + strlen("||| profiles");
}

/* The Python program centers the changes in two more columns than they need. */
static size_t width_of(const struct commands_field *field, const int widths[NUMBERS])
{
	if (field->id == STATS)
		return stats_width(widths);
	return field->width + (field->id == CHANGES ? 2 : 0);
}

static void print_header(struct cli *cli, const struct cli_short *rows, const int widths[NUMBERS])
{
	struct perun_buffer line = {0};

	for (size_t i = 0; i < rows->fields.count; i++) {
		const struct commands_field *field = &rows->fields.items[i];

		if (field->literal)
			perun_buffer_add_text(&line, field->literal);
		else
			commands_fields_center(
				&line, field->id == STATS ? "a|m|x|t profiles" : field->name,
				width_of(field, widths));
	}
	printf("%s%s%s\n", cli_color(cli, CLI_BOLD), line.data ? line.data : "",
	       cli_color_end(cli));
	perun_buffer_free(&line);
}

static void add_marks(struct cli *cli, const char *marks, size_t width, struct perun_buffer *line)
{
	size_t better = strspn(marks, "+"), length = strlen(marks);

	if (length)
		perun_buffer_printf(line, "%s%.*s%s%s%s", cli_color(cli, CLI_GREEN), (int)better,
				    marks, cli_color(cli, CLI_RED), marks + better,
				    cli_color_end(cli));
	for (; length < width; length++)
		perun_buffer_add_char(line, ' ');
}

static void add_row(struct cli *cli, const struct cli_short *rows, const struct row *row,
		    const int widths[NUMBERS], struct perun_buffer *line)
{
	const char *value = rows->texts.data + row->offset;

	for (size_t i = 0; i < rows->fields.count; i++) {
		const struct commands_field *field = &rows->fields.items[i];

		if (field->literal) {
			perun_buffer_add_text(line, field->literal);
			continue;
		}
		if (field->id == STATS && row->counts)
			add_stats(cli, rows->counts[row->counts - 1], widths, line);
		else if (field->id == STATS)
			commands_fields_center(line, "--no--profiles--", stats_width(widths));
		else if (field->id == CHANGES)
			add_marks(cli, value, width_of(field, widths), line);
		else
			commands_fields_pad(line, value, field->width, field->fill);
		value += strlen(value) + 1;
	}
	perun_buffer_add_char(line, '\n');
}

void cli_short_print(struct cli *cli, struct cli_short *rows)
{
	enum { BLOCK = 1 << 16 };
	int widths[NUMBERS];
	struct perun_buffer lines = {0};

	if (rows->columns) {
		commands_columns_print(rows->columns, &rows->screen, 0, &lines);
		if (rows->texts.length)
			perun_buffer_printf(&lines, "%s\n", rows->texts.data);
		fwrite(lines.data ? lines.data : "", 1, lines.length, stdout);
		perun_buffer_free(&lines);
		return;
	}
	measure(rows, widths);
	print_header(cli, rows, widths);
	for (size_t i = 0; i < rows->count; i++) {
		add_row(cli, rows, &rows->rows[i], widths, &lines);
		if (lines.length >= BLOCK) {
			fwrite(lines.data, 1, lines.length, stdout);
			perun_buffer_clear(&lines);
		}
	}
	if (lines.length)
		fwrite(lines.data, 1, lines.length, stdout);
	perun_buffer_free(&lines);
}
