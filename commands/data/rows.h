/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a statement as a table, as CSV and as JSON. */
#ifndef PERUN_COMMANDS_DATA_ROWS_H
#define PERUN_COMMANDS_DATA_ROWS_H

#include "database.h"

/* A heading and a line for each row. Texts that CSV or a spreadsheet would take for something else are in quotes. */
int rows_write_csv(struct database *database, sqlite3_stmt *statement, struct perun_output *output);
/* Columns as wide as their widest cell; numbers to the right. */
int rows_print_table(struct database *database, sqlite3_stmt *statement,
		     const struct perun_command_call *call);
/* {"columns": [...], "rows": [[...], ...]} */
int rows_print_json(struct database *database, sqlite3_stmt *statement,
		    const struct perun_command_call *call);

#endif
