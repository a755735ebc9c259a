/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the detection of changes share. Internal. */
#ifndef PERUN_CORE_CHANGEPOINT_SEGMENTS_H
#define PERUN_CORE_CHANGEPOINT_SEGMENTS_H

#include <perun/changepoint.h>

/* Places of changes, ascending: each the first value after it. */
struct changepoint_list {
	size_t *at;
	size_t count, capacity;
};

void changepoint_list_add(struct changepoint_list *list, size_t at);
void changepoint_list_remove(struct changepoint_list *list, size_t i);

/* ---- scores.c -------------------------------------------------------------------------------- */

/* Normal scores of values by their ranks, equal ones alike, with a mean square of 1. */
void changepoint_scores(const double *values, size_t count, double *scores);
/* Correlation of neighbours, from differences, so that changes of the level matter little; >= 0. */
double changepoint_correlation(const double *scores, size_t count);

/* ---- seeds.c --------------------------------------------------------------------------------- */

/* Candidates: more than will be left. */
void changepoint_candidates(const double *scores, size_t count, double correlation, double penalty,
			    struct changepoint_list *candidates);

/* ---- select.c -------------------------------------------------------------------------------- */

/* What a change must gain, for a series of this length. */
double changepoint_penalty(size_t count);
/*
 * Take away the candidates that explain too little, and put the others in their best places. `last`: the
 * scores end where the series ends.
 */
void changepoint_select(const double *scores, size_t count, double penalty, bool last,
			struct changepoint_list *list);
/*
 * m log(RSS of the other / RSS of the one) of two sets of residuals. Both have the smaller of their
 * correlations: what one model leaves as levels must not pass for memory of the noise.
 */
double changepoint_gain(const double *one, const double *other, size_t count);

/* ---- the methods: values without gaps -------------------------------------------------------- */

void changepoint_segments(const double *values, size_t count, struct changepoint_list *list,
			  double *slope);
void changepoint_e_divisive(const double *values, size_t count, struct changepoint_list *list);
void changepoint_step(const double *values, size_t count, struct changepoint_list *list);
void changepoint_t_test(const double *values, size_t count, struct changepoint_list *list);

#endif
