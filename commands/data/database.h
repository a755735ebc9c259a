/* SPDX-License-Identifier: BSD-3-Clause */
/* A database that a store is written to: opening, statements, transactions. */
#ifndef PERUN_COMMANDS_DATA_DATABASE_H
#define PERUN_COMMANDS_DATA_DATABASE_H

#include <sqlite3.h>

#include <perun/command.h>
#include <perun/lib/history.h>

struct database {
	struct perun_ctx *ctx;
	sqlite3 *handle;
	const char *
		path; /* borrowed, for messages; NULL = a private one that goes when it is closed */
	bool made;    /* by us: removed when nothing was written to it */
	bool same;    /* what it has is what the store has */
	bool no_values;        /* nobody asks for them: the caller's word, before it is filled */
	size_t added, removed; /* profiles */
	size_t again; /* of both, those that were there before: versions are read as a whole */
};

/*
 * Open or make the database at `path` and begin a transaction; NULL is a private one. PERUN_INPUT where something else
 * has the name, or a newer perun wrote it. To be closed also after a failure.
 */
int database_open(struct perun_ctx *ctx, const char *path, struct database *database);
/* Make everything last that was written. */
int database_commit(struct database *database);
/* What was not committed is dropped. */
void database_close(struct database *database);

/* Fail with what SQLite says. */
int database_fail(struct database *database);
/* Run statements without a result. */
int database_run(struct database *database, const char *statements);
/* A statement to be stepped through many times; freed by sqlite3_finalize(), which takes NULL. */
int database_prepare(struct database *database, const char *text, sqlite3_stmt **statement);
/* Run a statement whose parameters are bound, and reset it. */
int database_step(struct database *database, sqlite3_stmt *statement);
/* The first column of the first row as a number; `missing` where there is none. Resets the statement. */
int database_find(struct database *database, sqlite3_stmt *statement, int64_t missing,
		  int64_t *number);
/* Bind a text that outlives the step. */
void database_bind_text(sqlite3_stmt *statement, int parameter, const char *text);
/* Bind a number; NULL where it is not finite. */
void database_bind_number(sqlite3_stmt *statement, int parameter, double number);

/*
 * Make versions, profiles and values those of the line: what is new is added, what is gone is removed. `range` as for
 * perun_version_line_load().
 */
int database_fill(struct database *database, struct perun_store *store, const char *range);
/* Then the findings: only where anything changed since the database was written. */
int database_fill_findings(struct database *database, struct perun_store *store, const char *range);
/*
 * The number of the strand of these names, which is made where there is none; `*factor` turns values in `unit` into
 * those of the strand.
 */
struct strand_names {
	const char *command, *workload, *metric, *unit, *location;
	enum perun_value_kind kind;
	enum perun_noise noise;
	enum perun_direction better;
	bool inclusive;
};
struct strand_finder {
	struct database *database;
	sqlite3_stmt *find, *insert;
	struct known_strand *known; /* in the order they were met */
	size_t count, capacity;
	size_t *places; /* by id: the one of `known` after it; 0 = not met */
	size_t place_count, place_capacity;
	size_t hint; /* where the next one is likely to be */
};
int strand_finder_open(struct database *database, struct strand_finder *finder);
void strand_finder_close(struct strand_finder *finder);
int strand_find(struct strand_finder *finder, const struct strand_names *names, int64_t *id,
		double *factor);

#endif
