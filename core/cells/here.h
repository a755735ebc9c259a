/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs whose cells this process measures itself, one after the other. */
#ifndef PERUN_CORE_CELLS_HERE_H
#define PERUN_CORE_CELLS_HERE_H

#include "core/cells/cells.h"
#include "core/store/store.h"

struct perun_run_result {
	struct perun_run_profile *profiles; /* texts are ours */
	size_t count, capacity;
	bool resumed;
	size_t kept; /* measurements that were done before this run was resumed */
};

struct here {
	struct run run;
	struct perun_run_cells *cells;
	bool *done;                  /* of each cell: nothing is left to do */
	bool apart;                  /* versions have files of their own */
	bool only;                   /* there is but one measurement in all */
	bool sweeps;                 /* a generator makes many workloads of one measurement */
	bool registers;              /* the profiles of a version, when it is done */
	size_t total, begun;         /* measurements of all versions, as far as is known */
	size_t timed;                /* that `spent` counts */
	double spent, since;         /* seconds; when the one that goes on began */
	size_t jobs, failed;         /* that were tried */
	size_t left_out;             /* versions that could not be measured at all */
	size_t hooks_failed;         /* after measurements; those before are failures of these */
	int worst;                   /* status of the first failure */
	char *last_failure;          /* of a measurement, in words */
	struct perun_saved *pending; /* new pending profiles of this version */
	size_t pending_count, pending_capacity;
	size_t kept_rows; /* of those that are in memory until they are registered */
	size_t saved;     /* profiles of all versions */
	struct perun_run_result *result;
};

/* ---- a version (here-version.c) -------------------------------------------------------------- */

/* Measure what is not done of it, register it where that is wanted, and note what could not be measured. */
int here_measure_version(struct here *here, size_t version);

/* ---- a cell (here-cell.c) -------------------------------------------------------------------- */

/*
 * Measure what is not measured of a cell, with the workloads of its version. With several in all a failure becomes a warning
 * and is counted; only interruption is returned.
 */
int here_measure(struct here *here, size_t number, const struct run_workloads *workloads);
/* Note the failure of the context for a cell that cannot be measured. */
void here_fail(struct here *here, size_t number, int status);
/*
 * What a cell left: an object {WORKLOAD: {"name": ..., "checksum": ...}} of the pending profiles that came to their place, the
 * caller's. `*ended`: done.json is there, `*done`: and says that all went well.
 */
struct perun_json *here_found(struct perun_store *store, const struct perun_run_cells *cells,
			      size_t number, bool *ended, bool *done);
/* Whether a pending profile is as it was saved; its path is the caller's. */
bool here_is_pending(struct perun_store *store, const struct perun_json *entry, char **path);

#endif
