/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening a database, and its statements. */
#include <config.h>

#ifdef HAVE_SQLITE3

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/path.h>

#include "database.h"
#include "schema.h"

/* Milliseconds that another writer is waited for. */
enum { PATIENCE = 10000 };
/* Virtual machine steps between two looks at whether the user wants to stop. */
enum { STEPS = 100000 };

int database_fail(struct database *database)
{
	int code = database->handle ? sqlite3_errcode(database->handle) : SQLITE_NOMEM;
	const char *path = database->path ? database->path : "the database";

	if (code == SQLITE_INTERRUPT)
		return PERUN_CANCELLED;
	if (code == SQLITE_NOTADB)
		return perun_fail(database->ctx, PERUN_INPUT,
				  "%s is not a database of perun export; write to a new file",
				  path);
	if (code == SQLITE_BUSY)
		return perun_fail(database->ctx, PERUN_INPUT,
				  "%s is in use by another program for %d s now", path,
				  PATIENCE / 1000);
	return perun_fail(database->ctx, PERUN_INPUT, "%s: %s", path,
			  database->handle ? sqlite3_errmsg(database->handle) : "out of memory");
}

int database_run(struct database *database, const char *statements)
{
	return sqlite3_exec(database->handle, statements, NULL, NULL, NULL) == SQLITE_OK
		       ? PERUN_OK
		       : database_fail(database);
}

int database_prepare(struct database *database, const char *text, sqlite3_stmt **statement)
{
	return sqlite3_prepare_v2(database->handle, text, -1, statement, NULL) == SQLITE_OK
		       ? PERUN_OK
		       : database_fail(database);
}

int database_step(struct database *database, sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);
	int status = code == SQLITE_DONE || code == SQLITE_ROW ? PERUN_OK : database_fail(database);

	sqlite3_reset(statement);
	return status;
}

int database_find(struct database *database, sqlite3_stmt *statement, int64_t missing,
		  int64_t *number)
{
	int code = sqlite3_step(statement);
	int status = code == SQLITE_DONE || code == SQLITE_ROW ? PERUN_OK : database_fail(database);

	*number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : missing;
	sqlite3_reset(statement);
	return status;
}

void database_bind_text(sqlite3_stmt *statement, int parameter, const char *text)
{
	sqlite3_bind_text(statement, parameter, text, -1, SQLITE_STATIC);
}

void database_bind_number(sqlite3_stmt *statement, int parameter, double number)
{
	if (isfinite(number))
		sqlite3_bind_double(statement, parameter, number);
	else
		sqlite3_bind_null(statement, parameter);
}

static int is_cancelled(void *data)
{
	const struct database *database = data;

	return perun_cancelled(database->ctx);
}

static int pragma(struct database *database, const char *text, int64_t *number)
{
	sqlite3_stmt *statement = NULL;
	int status = database_prepare(database, text, &statement);

	if (!status)
		status = database_find(database, statement, 0, number);
	sqlite3_finalize(statement);
	return status;
}

/* An empty file gets the schema; what is not ours is left alone. */
static int look(struct database *database)
{
	int64_t tables, application, version;
	int status = pragma(database, "SELECT count(*) FROM sqlite_master", &tables);

	if (!status)
		status = pragma(database, "PRAGMA application_id", &application);
	if (!status)
		status = pragma(database, "PRAGMA user_version", &version);
	if (status)
		return status;
	if (!tables && !application) {
		char *marks = perun_format("PRAGMA application_id = %d; PRAGMA user_version = %d",
					   DATA_APPLICATION, DATA_SCHEMA_VERSION);

		status = database_run(database, data_schema);
		if (!status)
			status = database_run(database, marks);
		perun_free(marks);
		return status;
	}
	if (application != DATA_APPLICATION)
		return perun_fail(database->ctx, PERUN_INPUT,
				  "%s is not a database of perun export; write to a new file",
				  database->path);
	if (version != DATA_SCHEMA_VERSION)
		return perun_fail(database->ctx, PERUN_INPUT,
				  "%s has version %lld of the schema, expected %d; write to a new "
				  "file",
				  database->path, (long long)version, DATA_SCHEMA_VERSION);
	return PERUN_OK;
}

/* Nothing that the schema of a foreign file says is run. */
static int open_handle(struct database *database)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	/* SQLite takes a leading "file:" or ":memory:" of a relative path for something else. */
	char *path = !database->path          ? perun_strdup("")
		     : *database->path == '/' ? perun_strdup(database->path)
					      : perun_format("./%s", database->path);
	int code = sqlite3_open_v2(path, &database->handle, flags, NULL);

	perun_free(path);
	if (code != SQLITE_OK)
		return database_fail(database);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_busy_timeout(database->handle, PATIENCE);
	sqlite3_progress_handler(database->handle, STEPS, is_cancelled, database);
	return database_run(database, "PRAGMA foreign_keys = ON");
}

int database_open(struct perun_ctx *ctx, const char *path, struct database *database)
{
	struct stat info;
	int status = PERUN_OK;

	*database = (struct database){.ctx = ctx, .path = path};
	if (path) {
		status = perun_path_check_output(ctx, path);
		/* SQLite writes through a link, which may have come with a project. */
		database->made = !status && lstat(path, &info) != 0 && errno == ENOENT;
		if (!status && !database->made && !S_ISREG(info.st_mode))
			status = perun_fail(ctx, PERUN_INPUT,
					    "%s is not a file; expected the name of a database",
					    path);
	}
	if (!status)
		status = open_handle(database);
	if (!status)
		status = database_run(database, "BEGIN IMMEDIATE");
	return status ? status : look(database);
}

int database_commit(struct database *database)
{
	int status = database_run(database, "COMMIT");

	if (!status)
		database->made = false;
	return status;
}

void database_close(struct database *database)
{
	if (database->handle && !sqlite3_get_autocommit(database->handle))
		sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(database->handle);
	database->handle = NULL;
	if (database->made)
		perun_path_unlink(database->path);
}

#endif
