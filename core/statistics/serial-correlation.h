/* SPDX-License-Identifier: BSD-3-Clause */
/* How far neighbouring values of two samples may depend on each other, and a test of a shift that allows for it. */
#ifndef PERUN_CORE_STATISTICS_SERIAL_CORRELATION_H
#define PERUN_CORE_STATISTICS_SERIAL_CORRELATION_H

#include <stddef.h>

/* The residuals of two samples, one after the other in the order they were measured; borrowed. */
struct residuals {
	const double *values;
	size_t n, m;
	double limit; /* residuals beyond are clipped to it */
};

struct serial_correlation {
	double measured; /* correlation of neighbours, without the bias of small samples */
	double allowed;  /* what the test allows for, 0 to 0.95 */
	double width; /* at least 1: how many times as large as of independent values the z of a shift must be */
};

void serial_correlation_of(const struct residuals *residuals, struct serial_correlation *found);

/*
 * z of Student's test of a shift, with the means and the variance of the clipped residuals. `shift` is the
 * difference of the places that the residuals are about.
 */
double serial_student_z(const struct residuals *residuals, double shift);

/* Variance of the mean of n values of an AR(1) process, over that of independent ones. */
double serial_inflation(double r, double n);

#endif
