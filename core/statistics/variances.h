/* SPDX-License-Identifier: BSD-3-Clause */
/* What the variances of many that are alike say of the variance of each. Internal. */
#ifndef PERUN_CORE_STATISTICS_VARIANCES_H
#define PERUN_CORE_STATISTICS_VARIANCES_H

#include <stddef.h>

/*
 * The degrees of freedom of the prior that variances of `freedom` degrees each are drawn about: as many as make their
 * scatter that of F (by its moments, where Smyth, "Linear models and empirical Bayes methods for assessing differential
 * expression", 2004, section 6, fits logarithms); at most those of all of them.
 */
double variances_freedom(const double *variances, size_t count, double freedom);

#endif
