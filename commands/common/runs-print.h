/* SPDX-License-Identifier: BSD-3-Clause */
/* What is printed of runs. */
#ifndef COMMANDS_COMMON_RUNS_PRINT_H
#define COMMANDS_COMMON_RUNS_PRINT_H

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/cells.h>

/* "Run 20261126-141703-1a2b: 36 cells at 3 versions" */
void runs_print_plan(const struct perun_command_call *call, const struct perun_run_cells *cells,
		     bool resumed);
/* A run as JSON; `status` may be NULL. */
struct perun_json *runs_describe(const struct perun_run_cells *cells,
				 const struct perun_run_status *status);
/* The cells without a profile, one a line, at most `limit` (0 = all). */
void runs_print_gaps(const struct perun_command_call *call, const struct perun_run_cells *cells,
		     const struct perun_run_status *status, size_t limit);
/* Machines on which cells took longer than on the others, one a line. */
void runs_print_slow_nodes(const struct perun_command_call *call,
			   const struct perun_run_cells *cells);
/* All machines as JSON. */
struct perun_json *runs_describe_nodes(const struct perun_run_cells *cells);
/* Wait, collect, print what came of it; a status that says what is incomplete. */
int runs_finish(struct perun_ctx *ctx, const struct perun_command_call *call,
		struct perun_store *store, struct perun_run_cells *cells, bool json);
/* Go on with a run that this process measures, and say what came of it. */
int runs_measure(struct perun_ctx *ctx, const struct perun_command_call *call,
		 struct perun_store *store, struct perun_run_cells *cells, bool json);
/* PERUN_INPUT with how many cells have no profile; PERUN_OK where all have. */
int runs_complete(struct perun_ctx *ctx, const struct perun_run_status *status);
/* A cell as JSON. */
struct perun_json *runs_describe_cell(const struct perun_run_cells *cells, size_t number);
/* "time of ./prog -x in.txt", with what comes from outside made printable; the caller's. */
char *runs_title(const struct perun_cell *cell);

#endif
