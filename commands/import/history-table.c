/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories that are a table with a column of commits or dates: CSV, TSV, JSON. */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <perun/lib/hash.h>

#include "history.h"

/* Of a table in JSON: each row may lack most of them. */
#define MAX_KEYS 4096

static const char *const commit_words[] = {
	"commit", "commit_hash", "commit_id",  "commit_sha", "commithash", "sha",
	"sha1",   "git_sha",     "git_commit", "git_hash",   "git_rev",    "githash",
	"hash",   "rev",         "revision",   "changeset",  "version",    NULL};
static const char *const date_words[] = {"date",        "datetime",    "timestamp",
					 "commit_date", "commit_time", "created_at",
					 "time",        "day",         NULL};
/* What says more of a commit, a build or a run, and nothing of what was measured. */
static const char *const other_words[] = {
	"branch",     "ref",     "message",   "subject", "author",       "email", "url",   "repo",
	"repository", "build",   "committer", "tag",     "pull_request", "pr",    "flags", "note",
	"notes",      "comment", "comments",  NULL};
/* Without one of these a workload is the name of what was measured. */
static const char *const name_words[] = {"name",  "benchmark", "test",     "case",
					 "bench", "label",     "function", "method",
					 "task",  "command",   NULL};

/* What distinguishes the histories of one table. */
enum { COMMAND, WORKLOAD, MACHINE, IDENTITIES };
static const char *const identity_words[IDENTITIES + 1] = {"command", "workload", "machine", NULL};

/* A table: cells are texts, or for JSON values as they are printed. */
struct table {
	struct history_source *source;
	char **headings;
	size_t count; /* of headings */
	size_t heading_room;
	size_t commit, date; /* columns; SIZE_MAX = there is none */
	size_t identities[IDENTITIES];
	bool *left_out; /* of columns, from what is read */
	bool json, chosen;
	char **groups;  /* of each entry: its commit or date, and what identifies it */
	size_t *places; /* a hash table of entries' numbers + 1 by these */
	size_t size, row;
};

/* ---- columns ---------------------------------------------------------------------------------- */

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasecmp(text, *words) == 0)
			return true;
	return false;
}

static size_t find_heading(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->headings[i], name) == 0)
			return i;
	return SIZE_MAX;
}

/* The first heading that the earliest of the words fits. */
static size_t guess_heading(const struct table *table, const char *const *words)
{
	for (; *words; words++)
		for (size_t i = 0; i < table->count; i++)
			if (strcasecmp(table->headings[i], *words) == 0)
				return i;
	return SIZE_MAX;
}

static bool is_identity(const struct table *table, size_t column)
{
	for (size_t i = 0; i < IDENTITIES; i++)
		if (table->identities[i] == column)
			return true;
	return false;
}

/* By the headings, and for dates by the first row: a column "time" may be what was measured. */
static int choose_columns(struct table *table, char *const *cells)
{
	const char *commit = table->source->commit_column, *date = table->source->date_column;
	int64_t ignored;

	table->chosen = true;
	table->commit = commit ? find_heading(table, commit) : guess_heading(table, commit_words);
	table->date = SIZE_MAX;
	if (date)
		table->date = find_heading(table, date);
	for (size_t w = 0; !date && table->date == SIZE_MAX && date_words[w]; w++)
		for (size_t i = 0; i < table->count; i++)
			if (strcasecmp(table->headings[i], date_words[w]) == 0 && cells[i] &&
			    history_parse_date(cells[i], &ignored))
				table->date = i;
	/* Of a library, perhaps; a tag only where nothing else says the commit. */
	if (!commit && table->commit != SIZE_MAX && table->date != SIZE_MAX &&
	    strcasecmp(table->headings[table->commit], "version") == 0)
		table->commit = SIZE_MAX;
	if ((commit && table->commit == SIZE_MAX) || (date && table->date == SIZE_MAX))
		return perun_fail(table->source->ctx, PERUN_INPUT, "there is no column '%s'",
				  commit && table->commit == SIZE_MAX ? commit : date);
	if (table->commit == SIZE_MAX && table->date == SIZE_MAX)
		return perun_fail(table->source->ctx, PERUN_INPUT,
				  "no column of commits or dates; name one with --commit COLUMN or "
				  "--date COLUMN");
	for (size_t i = 0; i < IDENTITIES; i++)
		table->identities[i] = find_heading(table, identity_words[i]);
	/* A command may be what is measured. */
	if (find_heading(table, "name") == SIZE_MAX)
		table->identities[COMMAND] = SIZE_MAX;
	if (guess_heading(table, name_words) == SIZE_MAX)
		table->identities[WORKLOAD] = SIZE_MAX;
	table->left_out = perun_alloc_zero(table->count, sizeof *table->left_out);
	for (size_t i = 0; i < table->count; i++)
		table->left_out[i] = i == table->commit || i == table->date ||
				     is_identity(table, i) ||
				     is_one_of(table->headings[i], other_words) ||
				     is_one_of(table->headings[i], commit_words);
	return PERUN_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void add_cell(struct perun_buffer *line, const char *cell)
{
	bool quoted = strpbrk(cell, ",\"\t;|\r\n") != NULL;

	if (!quoted) {
		perun_buffer_add_text(line, cell);
		return;
	}
	perun_buffer_add_char(line, '"');
	for (; *cell; cell++) {
		if (*cell == '"')
			perun_buffer_add_char(line, '"');
		/* The reader of tables has one line for a row. */
		perun_buffer_add_char(line, *cell == '\n' || *cell == '\r' ? ' ' : *cell);
	}
	perun_buffer_add_char(line, '"');
}

/* A line of CSV without what says only which commit it is. */
static void add_csv(const struct table *table, char *const *cells, struct history_entry *entry)
{
	struct perun_buffer *line = &entry->text;
	const char *separator = "";

	for (size_t i = 0; i < table->count; i++) {
		if (table->left_out[i])
			continue;
		perun_buffer_add_text(line, separator);
		add_cell(line, cells[i] ? cells[i] : "");
		separator = ",";
	}
	perun_buffer_add_char(line, '\n');
}

static void add_json(const struct table *table, char *const *cells, struct history_entry *entry)
{
	struct perun_buffer *line = &entry->text;
	const char *separator = "{";

	for (size_t i = 0; i < table->count; i++) {
		if (table->left_out[i] || !cells[i])
			continue;
		perun_buffer_add_text(line, separator);
		perun_json_quote(line, table->headings[i], strlen(table->headings[i]));
		perun_buffer_printf(line, ":%s", cells[i]);
		separator = ",";
	}
	perun_buffer_add_text(line, *separator == '{' ? "{}\n" : "}\n");
}

static size_t *find_place(const struct table *table, const char *group)
{
	size_t at = (size_t)perun_hash_text(group, strlen(group)) & (table->size - 1);

	while (table->places[at] && strcmp(table->groups[table->places[at] - 1], group) != 0)
		at = (at + 1) & (table->size - 1);
	return &table->places[at];
}

static void grow(struct table *table)
{
	size_t count = table->source->count;

	if (table->size > 2 * count + 2)
		return;
	table->size = table->size ? table->size * 2 : 1024;
	table->groups = perun_realloc_array(table->groups, table->size, sizeof *table->groups);
	perun_free(table->places);
	table->places = perun_alloc_zero(table->size, sizeof *table->places);
	for (size_t i = 0; i < count; i++)
		*find_place(table, table->groups[i]) = i + 1;
}

/* What is kept of a row besides its measurements; the texts are its own. */
struct row {
	char *commit, *when;
	char *identities[IDENTITIES];
	int64_t date;
};

static struct history_entry *new_entry(struct table *table, const struct row *row)
{
	struct history_entry *entry = history_add(table->source);
	struct perun_buffer key = {0};

	if (!entry)
		return NULL;
	perun_buffer_add_text(&key, row->commit ? table->source->name : row->when);
	for (size_t i = 0; i < IDENTITIES; i++)
		if (row->identities[i])
			perun_buffer_printf(&key, " %s", row->identities[i]);
	entry->key = perun_buffer_take(&key);
	entry->commit = perun_strdup(row->commit);
	entry->date = row->date;
	entry->format = "table";
	entry->command = perun_strdup(row->identities[COMMAND]);
	entry->workload = perun_strdup(row->identities[WORKLOAD] ? row->identities[WORKLOAD]
								 : table->source->name);
	if (row->identities[MACHINE] && *row->identities[MACHINE])
		entry->machine = perun_strdup(row->identities[MACHINE]);
	if (!table->json)
		add_csv(table, table->headings, entry);
	return entry;
}

/* The entry that a row belongs to; NULL after a failure. */
static struct history_entry *find_entry(struct table *table, const struct row *row)
{
	struct perun_buffer group = {0};
	struct history_entry *entry;
	size_t *place;

	perun_buffer_add_text(&group, row->commit ? row->commit : row->when);
	for (size_t i = 0; i < IDENTITIES; i++)
		perun_buffer_printf(&group, "\n%s", row->identities[i] ? row->identities[i] : "");
	grow(table);
	place = find_place(table, group.data);
	if (*place) {
		perun_buffer_free(&group);
		return &table->source->entries[*place - 1];
	}
	entry = new_entry(table, row);
	if (!entry) {
		perun_buffer_free(&group);
		return NULL;
	}
	*place = table->source->count;
	table->groups[*place - 1] = perun_buffer_take(&group);
	return entry;
}

/* The text of a cell, of JSON the one in its quotes. The caller frees it. */
static char *plain_text(const struct table *table, const char *cell)
{
	struct perun_json *value = NULL;
	char *text;

	if (!cell || !table->json || *cell != '"')
		return perun_strdup(cell);
	perun_json_parse(NULL, cell, strlen(cell), NULL, &value);
	text = perun_strdup(perun_json_as_string(value, NULL));
	perun_json_free(value);
	return text;
}

static char *cell_text(const struct table *table, char *const *cells, size_t column)
{
	return column == SIZE_MAX ? NULL : plain_text(table, cells[column]);
}

static int check_row(const struct table *table, struct row *row)
{
	bool commits = table->commit != SIZE_MAX;
	const char *name = commits ? row->commit : row->when;

	if (!name || !*name)
		return perun_fail(table->source->ctx, PERUN_INPUT,
				  "row %zu: expected a %s, found nothing", table->row,
				  commits ? "commit" : "date");
	if (row->when && !history_parse_date(row->when, &row->date) && !commits)
		return perun_fail(table->source->ctx, PERUN_INPUT,
				  "row %zu: expected a date such as 2024-01-31T12:00:00Z, found "
				  "'%s'",
				  table->row, row->when);
	return PERUN_OK;
}

static int add_row(struct table *table, char *const *cells)
{
	struct row row = {.commit = cell_text(table, cells, table->commit),
			  .when = cell_text(table, cells, table->date)};
	struct history_entry *entry = NULL;
	int status;

	for (size_t i = 0; i < IDENTITIES; i++)
		row.identities[i] = cell_text(table, cells, table->identities[i]);
	status = check_row(table, &row);
	if (!status && !(entry = find_entry(table, &row)))
		status = PERUN_INPUT;
	if (entry && table->json)
		add_json(table, cells, entry);
	else if (entry)
		add_csv(table, cells, entry);
	perun_free(row.commit);
	perun_free(row.when);
	for (size_t i = 0; i < IDENTITIES; i++)
		perun_free(row.identities[i]);
	return status;
}

static int take_row(struct table *table, char *const *cells, char *const *texts)
{
	int status = table->chosen ? PERUN_OK : choose_columns(table, texts);

	table->row++;
	return status ? status : add_row(table, cells);
}

static void add_heading(struct table *table, const char *text)
{
	PERUN_GROW(table->headings, table->count, table->heading_room);
	table->headings[table->count++] = perun_strdup(text);
}

/* ---- CSV -------------------------------------------------------------------------------------- */

static char find_separator(const char *text, const char *end)
{
	static const char separators[] = ",\t;|";
	size_t counts[sizeof separators - 1] = {0}, best = 0;

	for (; text < end && *text != '\n'; text++) {
		const char *found = *text ? strchr(separators, *text) : NULL;

		if (found)
			counts[found - separators]++;
	}
	for (size_t i = 1; i < sizeof separators - 1; i++)
		if (counts[i] > counts[best])
			best = i;
	return separators[best];
}

/* The cells of a record: where each begins in `text`. */
struct record {
	struct perun_buffer text;
	size_t *starts;
	size_t count, room;
};

/* One record, which may have line breaks in quotes; returns where it ends, NULL: a quote does not. */
static const char *split_record(const char *at, const char *end, char separator,
				struct record *record)
{
	struct perun_buffer *text = &record->text;

	perun_buffer_clear(text);
	record->count = 0;
	for (;;) {
		PERUN_GROW(record->starts, record->count, record->room);
		record->starts[record->count++] = text->length;
		while (at < end && *at == ' ')
			at++;
		if (at < end && *at == '"') {
			for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"'));
			     at++) {
				at += *at == '"';
				perun_buffer_add_char(text, *at);
			}
			if (at++ >= end)
				return NULL;
		}
		for (; at < end && *at != separator && *at != '\n'; at++)
			if (*at != '\r')
				perun_buffer_add_char(text, *at);
		perun_buffer_add_char(text, '\0');
		if (at >= end || *at == '\n')
			return at < end ? at + 1 : end;
		at++;
	}
}

static int take_record(struct table *table, const struct record *record, uint64_t line)
{
	size_t count = record->count;
	char **cells = perun_alloc_zero(count, sizeof *cells);
	int status = PERUN_OK;

	for (size_t i = 0; i < count; i++)
		cells[i] = record->text.data + record->starts[i];
	if (!table->headings) {
		for (size_t i = 0; i < count; i++)
			add_heading(table, cells[i]);
	} else if (count != table->count) {
		status = perun_fail(table->source->ctx, PERUN_INPUT,
				    "line %llu: expected %zu fields, as there are headings, found "
				    "%zu",
				    (unsigned long long)line, table->count, count);
	} else {
		status = take_row(table, cells, cells);
	}
	perun_free(cells);
	return status;
}

static int read_csv(struct table *table, const char *at, const char *end)
{
	struct record record = {0};
	char separator = 0;
	uint64_t line = 1;
	int status = PERUN_OK;

	while (!status && at < end) {
		const char *begin = at;

		if (*at == '#' || *at == '\n' || *at == '\r') {
			at = memchr(at, '\n', (size_t)(end - at));
			at = at ? at + 1 : end;
			line++;
			continue;
		}
		separator = separator ? separator : find_separator(at, end);
		at = split_record(at, end, separator, &record);
		if (!at)
			status = perun_fail(table->source->ctx, PERUN_INPUT,
					    "line %llu: a quote has no end",
					    (unsigned long long)line);
		else
			status = take_record(table, &record, line);
		for (; at && begin < at; begin++)
			line += *begin == '\n';
	}
	perun_buffer_free(&record.text);
	perun_free(record.starts);
	return status;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* The headings are the keys of the first object. */
static int take_object(struct table *table, const struct perun_json *object)
{
	char **cells, **texts;
	int status;

	if (perun_json_type(object) != PERUN_JSON_TYPE_OBJECT)
		return perun_fail(table->source->ctx, PERUN_INPUT,
				  "expected an object for a row, found %s",
				  perun_json_type_name(perun_json_type(object)));
	if (!table->chosen && perun_json_count(object) > MAX_KEYS)
		return perun_fail(table->source->ctx, PERUN_INPUT, "rows with more than %d keys",
				  MAX_KEYS);
	for (size_t i = 0; !table->chosen && i < perun_json_count(object); i++)
		add_heading(table, perun_json_key_at(object, i, NULL));
	cells = perun_alloc_zero(table->count + 1, sizeof *cells);
	texts = perun_alloc_zero(table->count + 1, sizeof *texts);
	for (size_t i = 0; i < table->count; i++) {
		const struct perun_json *value = perun_json_get(object, table->headings[i]);
		struct perun_buffer text = {0};

		if (value)
			perun_json_print(value, &text, PERUN_JSON_COMPACT, 0);
		cells[i] = value ? perun_buffer_take(&text) : NULL;
		texts[i] = plain_text(table, cells[i]);
	}
	status = take_row(table, cells, texts);
	for (size_t i = 0; i < table->count; i++) {
		perun_free(cells[i]);
		perun_free(texts[i]);
	}
	perun_free(cells);
	perun_free(texts);
	return status;
}

/* An array of objects, or one object after the other. */
static int read_json(struct table *table, const char *text, size_t size)
{
	const struct perun_json_options options = {.struct_size = sizeof options, .sequence = true};
	struct perun_json_reader *reader =
		perun_json_reader_new_text(table->source->ctx, text, size, &options);
	enum perun_json_event event = PERUN_JSON_NULL;
	int status = PERUN_OK;

	table->json = true;
	while (!status && (event = perun_json_next(reader)) > PERUN_JSON_END) {
		struct perun_json *row = NULL;

		if ((event == PERUN_JSON_ARRAY_START && perun_json_depth(reader) == 1) ||
		    event == PERUN_JSON_ARRAY_END)
			continue;
		status = perun_json_read_value(reader, &row);
		if (!status)
			status = take_object(table, row);
		perun_json_free(row);
	}
	if (!status)
		status = perun_json_error(reader)->status;
	perun_json_reader_free(reader);
	return status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

int history_gather_table(struct history_source *source, const char *text, size_t size)
{
	struct table table = {.source = source};
	int status;

	source->kind = "table";
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		size -= 3;
	}
	if (memchr(text, '\0', size))
		status = perun_fail(source->ctx, PERUN_INPUT,
				    "expected a data.js, an export of Bencher, or a table with a "
				    "column of commits or dates");
	else if (size && strchr("{[", *text))
		status = read_json(&table, text, size);
	else
		status = read_csv(&table, text, text + size);
	for (size_t i = 0; i < table.count; i++)
		perun_free(table.headings[i]);
	perun_free(table.headings);
	perun_free(table.left_out);
	for (size_t i = 0; table.groups && i < source->count; i++)
		perun_free(table.groups[i]);
	perun_free(table.groups);
	perun_free(table.places);
	return status;
}
