/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a statement, printed. */
#include <config.h>

#ifdef HAVE_SQLITE3

#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "commands/common/columns.h"
#include "commands/common/output.h"
#include "csv.h"
#include "rows.h"

/* The next row in `*more`; what SQLite says where there is a problem. */
static int next(struct database *database, sqlite3_stmt *statement, bool *more)
{
	int code = sqlite3_step(statement);

	*more = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? PERUN_OK : database_fail(database);
}

/* A cell as text: numbers with all their digits, bytes in hexadecimal digits. */
static void add_cell(struct perun_buffer *text, sqlite3_stmt *statement, int column)
{
	char digits[PERUN_JSON_NUMBER_SIZE];
	const unsigned char *bytes;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		return;
	case SQLITE_FLOAT:
		perun_json_print_double(sqlite3_column_double(statement, column), digits);
		perun_buffer_add_text(text, digits);
		return;
	case SQLITE_BLOB:
		bytes = sqlite3_column_blob(statement, column);
		for (int i = 0; i < sqlite3_column_bytes(statement, column); i++)
			perun_buffer_printf(text, "%02x", bytes[i]);
		return;
	default:
		perun_buffer_add_text(text, (const char *)sqlite3_column_text(statement, column));
	}
}

/* ---- csv -------------------------------------------------------------------------------------- */

static void add_csv_row(struct perun_buffer *line, sqlite3_stmt *statement)
{
	struct perun_buffer cell = {0};
	int count = sqlite3_column_count(statement);

	for (int i = 0; i < count; i++) {
		perun_buffer_clear(&cell);
		perun_buffer_add_text(&cell, "");
		add_cell(&cell, statement, i);
		csv_add_field(line, cell.data ? cell.data : "", i + 1 < count ? ',' : '\n');
	}
	perun_buffer_free(&cell);
}

int rows_write_csv(struct database *database, sqlite3_stmt *statement, struct perun_output *output)
{
	struct perun_buffer line = {0};
	int count = sqlite3_column_count(statement), status;
	bool more;

	for (int i = 0; i < count; i++)
		csv_add_field(&line, sqlite3_column_name(statement, i), i + 1 < count ? ',' : '\n');
	status = perun_output_write(output, line.data, line.length);
	while (!status && !(status = next(database, statement, &more)) && more) {
		perun_buffer_clear(&line);
		add_csv_row(&line, statement);
		status = perun_output_write(output, line.data, line.length);
	}
	perun_buffer_free(&line);
	return status;
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void add_table_cell(struct commands_columns *list, sqlite3_stmt *statement, int column)
{
	struct perun_buffer text = {0};

	if (sqlite3_column_type(statement, column) == SQLITE_FLOAT) {
		/* People read six digits; CSV and JSON have all. */
		perun_buffer_printf(&text, "%.6g", sqlite3_column_double(statement, column));
	} else {
		add_cell(&text, statement, column);
	}
	/* A list leaves out what has no value, an answer has the columns that were asked for. */
	commands_columns_add(list, text.data && *text.data ? text.data : "-", VIEWS_PLAIN);
	perun_buffer_free(&text);
}

int rows_print_table(struct database *database, sqlite3_stmt *statement,
		     const struct perun_command_call *call)
{
	const struct commands_screen screen = commands_screen(call);
	int count = sqlite3_column_count(statement), status;
	struct commands_column *columns = perun_alloc_zero((size_t)count + 1, sizeof *columns);
	struct commands_columns *list;
	struct perun_buffer text = {0};
	bool more;

	for (int i = 0; i < count; i++)
		columns[i].name = perun_strdup(sqlite3_column_name(statement, i));
	list = commands_columns_new(columns);
	while (!(status = next(database, statement, &more)) && more) {
		for (int i = 0; i < count; i++)
			add_table_cell(list, statement, i);
	}
	if (!status) {
		commands_columns_print(list, &screen, 0, &text);
		perun_command_page(call);
		perun_output_write(call->output, text.data, text.length);
	}
	perun_buffer_free(&text);
	commands_columns_free(list);
	for (int i = 0; i < count; i++)
		perun_free((void *)columns[i].name);
	perun_free(columns);
	return status;
}

/* ---- json ------------------------------------------------------------------------------------- */

static struct perun_json *json_cell(sqlite3_stmt *statement, int column)
{
	struct perun_buffer text = {0};
	struct perun_json *cell;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		return perun_json_null();
	case SQLITE_INTEGER:
		return perun_json_int64(sqlite3_column_int64(statement, column));
	case SQLITE_FLOAT:
		return commands_number(sqlite3_column_double(statement, column));
	default:
		add_cell(&text, statement, column);
		cell = perun_json_text(text.data ? text.data : "");
		perun_buffer_free(&text);
		return cell;
	}
}

int rows_print_json(struct database *database, sqlite3_stmt *statement,
		    const struct perun_command_call *call)
{
	struct perun_json *document = perun_json_object(), *columns = perun_json_array();
	struct perun_json *rows = perun_json_array();
	int count = sqlite3_column_count(statement), status;
	bool more;

	for (int i = 0; i < count; i++)
		perun_json_append(columns, perun_json_text(sqlite3_column_name(statement, i)));
	while (!(status = next(database, statement, &more)) && more) {
		struct perun_json *row = perun_json_array();

		for (int i = 0; i < count; i++)
			perun_json_append(row, json_cell(statement, i));
		perun_json_append(rows, row);
	}
	perun_json_set(document, "columns", columns);
	perun_json_set(document, "rows", rows);
	if (!status)
		commands_print_json(call, document);
	else
		perun_json_free(document);
	return status;
}

#endif
