/* SPDX-License-Identifier: BSD-3-Clause */
/* perun query: SQL over a private database that holds what the store has. */
#include <config.h>

#include <string.h>

#include "commands/common/output.h"
#include "data.h"
#include "schema.h"

const struct perun_option query_options[] = {
	{.name = "query",
	 .metavar = "SQL",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "a SELECT over the tables and views of perun-export(1); - reads it from standard "
		 "input"},
	{.name = "schema", .help = "print the tables and views instead"},
	{.name = "csv", .help = "print CSV"},
	{.name = "json", .help = "print JSON"},
	{.name = "range",
	 .aliases = "-r",
	 .metavar = "REV..REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "the versions after the first up to the second; all up to the head by default"},
	{0}};

static int check_use(struct perun_ctx *ctx, const struct perun_options *options)
{
	bool schema = perun_option_flag(options, "schema");

	if (perun_option_flag(options, "csv") && perun_option_flag(options, "json"))
		return perun_fail(ctx, PERUN_USAGE, "--csv and --json exclude each other");
	if (!schema && !perun_option_string(options, "query"))
		return perun_fail(ctx, PERUN_USAGE,
				  "expected a SELECT; --schema prints the tables");
	if (schema && perun_option_string(options, "query"))
		return perun_fail(ctx, PERUN_USAGE, "--schema takes no query");
	return PERUN_OK;
}

#ifdef HAVE_SQLITE3

#include <stdio.h>

#include "database.h"
#include "rows.h"

/* More text than anybody writes is refused. */
enum { MAX_QUERY = 1 << 20 };

/* What a statement may do: read what is there, and compute. */
struct guard {
	bool findings; /* it reads them */
	bool values;   /* or what profiles say */
};

/* Tables that hold no values; most of the time goes into those of the others. */
static bool is_of_profiles(const char *table)
{
	return strcmp(table, "versions") == 0 || strcmp(table, "machines") == 0 ||
	       strcmp(table, "profiles") == 0;
}

static int authorize(void *data, int action, const char *first, const char *second,
		     const char *database, const char *view)
{
	struct guard *guard = data;

	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_READ:
		guard->findings |= first && strcmp(first, "findings") == 0;
		guard->values |= !first || !is_of_profiles(first);
		return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return second && strcmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static int read_standard_input(struct perun_ctx *ctx, struct perun_buffer *text)
{
	size_t got = 1;

	while (got && text->length <= MAX_QUERY) {
		got = fread(perun_buffer_reserve(text, 4096), 1, 4096, stdin);
		text->length += got;
	}
	perun_buffer_add(text, "", 0);
	return text->length > MAX_QUERY
		       ? perun_fail(ctx, PERUN_INPUT, "the query has more than %d bytes", MAX_QUERY)
		       : PERUN_OK;
}

/* Only blanks and semicolons may follow the statement. */
static bool is_single(const char *rest)
{
	return rest[strspn(rest, " \t\r\n;")] == '\0';
}

static int compile(struct database *database, const char *text, sqlite3_stmt **statement)
{
	const char *rest;
	int code = sqlite3_prepare_v2(database->handle, text, -1, statement, &rest);

	if (code == SQLITE_AUTH)
		return perun_fail(database->ctx, PERUN_USAGE,
				  "a query may only read: expected a SELECT");
	if (code != SQLITE_OK) {
		char *why = perun_printable(sqlite3_errmsg(database->handle));
		int status = perun_fail(database->ctx, PERUN_USAGE,
					"%s; --schema prints the tables", why);

		perun_free(why);
		return status;
	}
	if (!*statement)
		return perun_fail(database->ctx, PERUN_USAGE,
				  "the query is empty: expected a SELECT");
	/* Of some statements, as VACUUM, nobody asks the authorizer. */
	if (!sqlite3_stmt_readonly(*statement) || sqlite3_column_count(*statement) == 0)
		return perun_fail(database->ctx, PERUN_USAGE,
				  "a query may only read: expected a SELECT");
	if (!is_single(rest))
		return perun_fail(database->ctx, PERUN_USAGE,
				  "expected one statement, got several");
	return PERUN_OK;
}

/* The query is compiled before anything is read, so that a slip costs nothing, and for what it reads. */
static int look(struct database *database, const char *text, struct guard *guard)
{
	sqlite3_stmt *statement = NULL;
	int status;

	sqlite3_set_authorizer(database->handle, authorize, guard);
	status = compile(database, text, &statement);
	sqlite3_finalize(statement);
	sqlite3_set_authorizer(database->handle, NULL, NULL);
	return status;
}

static int answer(struct database *database, const char *text,
		  const struct perun_command_call *call)
{
	struct guard guard = {0};
	sqlite3_stmt *statement = NULL;
	int status;

	sqlite3_set_authorizer(database->handle, authorize, &guard);
	status = compile(database, text, &statement);
	if (!status && perun_option_flag(call->options, "json"))
		status = rows_print_json(database, statement, call);
	else if (!status && perun_option_flag(call->options, "csv"))
		status = rows_write_csv(database, statement, call->output);
	else if (!status)
		status = rows_print_table(database, statement, call);
	sqlite3_finalize(statement);
	return status;
}

int data_query(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const char *given = perun_option_string(call->options, "query");
	const char *range = perun_option_string(call->options, "range");
	struct perun_buffer text = {0};
	struct perun_store *store;
	struct database database = {0};
	struct guard guard = {0};
	int status = check_use(ctx, call->options);

	if (!status && perun_option_flag(call->options, "schema")) {
		perun_command_page(call);
		perun_output_text(call->output, data_schema);
		return PERUN_OK;
	}
	if (!status)
		status = perun_command_store(call, ctx, true, &store);
	if (!status && strcmp(given, "-") == 0)
		status = read_standard_input(ctx, &text);
	else if (!status)
		perun_buffer_add_text(&text, given);
	if (!status)
		status = database_open(ctx, NULL, &database);
	if (!status)
		status = look(&database, text.data ? text.data : "", &guard);
	database.no_values = !guard.values;
	if (!status)
		status = database_fill(&database, store, range);
	if (!status && guard.findings)
		status = database_fill_findings(&database, store, range);
	if (!status)
		status = answer(&database, text.data, call);
	database_close(&database);
	perun_buffer_free(&text);
	return status;
}

#else

int data_query(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	int status = check_use(ctx, call->options);

	if (!status && perun_option_flag(call->options, "schema")) {
		perun_output_text(call->output, data_schema);
		return PERUN_OK;
	}
	return status ? status
		      : perun_fail(ctx, PERUN_MISSING,
				   "this perun was built without SQLite, which queries need");
}

#endif
