/* SPDX-License-Identifier: BSD-3-Clause */
/* What one, two or three runs on a side can say: by how much such measurements differ without a cause. */
#ifndef PERUN_CORE_STATISTICS_FEW_RUNS_H
#define PERUN_CORE_STATISTICS_FEW_RUNS_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer runs on a side than this, their own spread says too little. */
#define FEW_RUNS 4
/*
 * How much one process deviates from the next, as a share, however long each runs: of a hundred single runs of unchanged
 * programs all but one are within RARE_Z of these deviations.
 */
#define BETWEEN_PROCESSES 0.0385

/*
 * Chance that the medians of `runs` runs of an unchanged program differ by at least this (the absolute logarithm of
 * their ratio), and its inverse.
 */
double few_runs_p(size_t runs, double change);
double few_runs_change(size_t runs, double p);
/*
 * A change with this p is one however many others are tested with it: a hundred unchanged benchmarks together show one
 * in two of a hundred pairs of sessions.
 */
double few_runs_certain_p(size_t runs);
/*
 * What `count` changes between the same two versions (logarithms of ratios) show of the noise of each. Many show how
 * unchanged ones scatter; rises and falls, of a few the largest, show how far the machine moves them, and so does what the
 * calmest of a few changed by.
 */
struct few_noise {
	size_t count;
	double scatter; /* of many, a share; NaN = they are a few */
	double middle, rise, fall;
	double busy;  /* as a logarithm; 0 = not known */
	double apart; /* what those that moved together differ by; NaN = they are too few, or many */
};
struct few_noise few_runs_noise(const double *changes, size_t count);
/*
 * The floor of one of these changes, of the median of `runs` runs to that of `others`, as a share; the fewer count. Among a
 * few, a factor of 1.6 of single runs, 1.45 of two, 1.35 of three remains above it; among many that moved together as well.
 */
double few_runs_floor(const struct few_noise *noise, double change, size_t runs, size_t others,
		      bool carried);
/*
 * The deviation of the difference of two medians, of `runs` and of `others` values (the fewer count), which carry their standard errors, as shares; one
 * that carries none (0) deviates as any single run does. 0 = both carry none.
 */
double few_runs_carried(double before, double after, size_t runs, size_t others);
/*
 * The standard error, as a share, of a time that was measured while `load` processes competed for each processor; 0 =
 * all of them found one.
 */
double few_runs_loaded(double load);

#endif
