/* SPDX-License-Identifier: BSD-3-Clause */
/* What one, two or three runs on a side can say: by how much such measurements differ without a cause. */
#ifndef PERUN_CORE_STATISTICS_FEW_RUNS_H
#define PERUN_CORE_STATISTICS_FEW_RUNS_H

#include <stddef.h>

/* With fewer runs on a side than this, their own spread says too little. */
#define FEW_RUNS 4

/*
 * Chance that the medians of `runs` runs of an unchanged program differ by at least this (the absolute logarithm of
 * their ratio), and its inverse.
 */
double few_runs_p(size_t runs, double change);
double few_runs_change(size_t runs, double p);

#endif
