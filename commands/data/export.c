/* SPDX-License-Identifier: BSD-3-Clause */
/* perun export: a database, tables as CSV, or the history of the measurements. */
#include <config.h>

#include <fnmatch.h>
#include <string.h>

#include <perun/json.h>

#include "commands/common/output.h"
#include "data.h"
#include "schema.h"

const struct perun_option export_options[] = {
	{.name = "output",
	 .metavar = "OUT",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "the database, which is brought up to date where it is there; with --history "
		 "where "
		 "to write, - is standard output"},
	{.name = "csv",
	 .metavar = "DIR",
	 .type = PERUN_OPTION_PATH,
	 .help = "write the tables of the database as CSV into this directory"},
	{.name = "history",
	 .metavar = "FORMAT",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "csv github-action-benchmark",
	 .help = "write the values alone: a table, or the data.js of github-action-benchmark"},
	{.name = "range",
	 .aliases = "-r",
	 .metavar = "REV..REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "the versions after the first up to the second; all up to the head by default"},
	{.name = "json", .help = "print as JSON what was written"},
	{0}};

static int check_use(struct perun_ctx *ctx, const struct perun_options *options)
{
	const char *output = perun_option_string(options, "output");
	bool csv = perun_option_string(options, "csv");

	if (csv && perun_option_string(options, "history"))
		return perun_fail(ctx, PERUN_USAGE, "--csv and --history exclude each other");
	if (csv && output)
		return perun_fail(ctx, PERUN_USAGE,
				  "--csv names where to write; %s is one name too many", output);
	if (!csv && !output)
		return perun_fail(ctx, PERUN_USAGE,
				  "expected the name of a database, --csv DIR or --history FORMAT");
	if (!csv && strcmp(output, "-") == 0)
		return perun_fail(ctx, PERUN_USAGE,
				  "a database is a file: expected a name, not standard output");
	if (!csv && fnmatch("?*.csv", output, 0) == 0)
		return perun_fail(ctx, PERUN_USAGE,
				  "%s would be a database of SQLite: --history csv %s writes a "
				  "table of the values, --csv DIR all tables",
				  output, output);
	return PERUN_OK;
}

#ifdef HAVE_SQLITE3

#include "database.h"
#include "rows.h"

static int write_table(struct database *database, const char *table, struct perun_output *directory)
{
	char *query = perun_format("SELECT * FROM %s ORDER BY 1, 2", table);
	char *name = perun_format("%s.csv", table);
	struct perun_output *file;
	sqlite3_stmt *rows = NULL;
	int status = database_prepare(database, query, &rows);

	if (!status)
		status = perun_output_child(database->ctx, directory, name, false, &file);
	if (!status)
		status = rows_write_csv(database, rows, file);
	sqlite3_finalize(rows);
	perun_free(query);
	perun_free(name);
	return status;
}

static int write_tables(struct database *database, const char *path)
{
	struct perun_output *directory = NULL;
	int status = perun_output_open_directory(database->ctx, path, &directory);

	for (size_t i = 0; !status && data_tables[i]; i++)
		status = write_table(database, data_tables[i], directory);
	if (!status)
		status = perun_output_commit(database->ctx, directory);
	perun_output_close(directory);
	return status;
}

static int count_versions(struct database *database, int64_t *count)
{
	sqlite3_stmt *query = NULL;
	int status = database_prepare(database, "SELECT count(DISTINCT version_id) FROM profiles",
				      &query);

	if (!status)
		status = database_find(database, query, 0, count);
	sqlite3_finalize(query);
	return status;
}

static void print_facts(const struct perun_command_call *call, const struct database *database,
			const char *path, bool csv, int64_t versions)
{
	struct perun_json *document = perun_json_object();
	size_t added = database->added - database->again;
	size_t removed = database->removed - database->again;

	if (perun_option_flag(call->options, "json")) {
		perun_json_set(document, "path", commands_text(path));
		perun_json_set(document, "format", perun_json_text(csv ? "csv" : "sqlite"));
		perun_json_set(document, "versions", perun_json_int64(versions));
		perun_json_set(document, "added", perun_json_int64((int64_t)added));
		perun_json_set(document, "removed", perun_json_int64((int64_t)removed));
		commands_print_json(call, document);
		return;
	}
	perun_json_free(document);
	if (csv)
		return;
	if (added || removed)
		perun_output_printf(call->output, "%zu %s added, %zu removed\n", added,
				    added == 1 ? "profile" : "profiles", removed);
	else
		perun_output_text(call->output, "nothing new\n");
}

int data_export(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const char *csv = perun_option_string(call->options, "csv");
	const char *path = csv ? NULL : perun_option_string(call->options, "output");
	const char *range = perun_option_string(call->options, "range");
	struct perun_store *store;
	struct database database;
	int64_t versions = 0;
	int status;

	if (!csv && perun_option_string(call->options, "history"))
		return data_export_history(ctx, call);
	status = check_use(ctx, call->options);
	if (!status)
		status = perun_command_store(call, ctx, true, &store);
	if (status)
		return status;
	status = database_open(ctx, path, &database);
	if (!status)
		status = database_fill(&database, store, range);
	if (!status)
		status = database_fill_findings(&database, store, range);
	if (!status)
		status = count_versions(&database, &versions);
	if (!status && csv)
		status = write_tables(&database, csv);
	if (!status)
		status = database_commit(&database);
	database_close(&database);
	if (!status)
		print_facts(call, &database, csv ? csv : path, csv, versions);
	return status;
}

#else

int data_export(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	int status;

	if (!perun_option_string(call->options, "csv") &&
	    perun_option_string(call->options, "history"))
		return data_export_history(ctx, call);
	status = check_use(ctx, call->options);
	return status ? status
		      : perun_fail(ctx, PERUN_MISSING,
				   "this perun was built without SQLite, which databases need");
}

#endif
