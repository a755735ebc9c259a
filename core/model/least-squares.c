/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares with a few columns. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/model/model.h"

/*
 * Householder's triangularization (Golub and Van Loan, Matrix Computations, 4th ed., algorithm 5.2.1)
 * of the matrix with the values as its last column, which so become Q'v.
 */
void perun_triangularize(double *work, size_t rows, size_t columns)
{
	for (size_t k = 0; k < columns && k < rows; k++) {
		double *column = work + k * rows, norm = 0, alpha, beta;

		for (size_t i = k; i < rows; i++)
			norm += column[i] * column[i];
		norm = sqrt(norm);
		if (norm == 0)
			continue;
		alpha = column[k] > 0 ? -norm : norm;
		column[k] -= alpha;
		beta = -1 / (alpha * column[k]);
		for (size_t j = k + 1; j <= columns; j++) {
			double *other = work + j * rows, sum = 0;

			for (size_t i = k; i < rows; i++)
				sum += column[i] * other[i];
			sum *= beta;
			for (size_t i = k; i < rows; i++)
				other[i] -= sum * column[i];
		}
		column[k] = alpha;
		for (size_t i = k + 1; i < rows; i++)
			column[i] = 0;
	}
}

/*
 * One-sided Jacobi rotations (ibid., section 8.6.3): makes the columns of r (n by n, one after another)
 * orthogonal, and `v` the rotations, so that r_old = r_new * v'.
 */
static void rotate_to_orthogonal(double *r, double *v, size_t n)
{
	for (int sweep = 0; sweep < 60; sweep++) {
		bool done = true;

		for (size_t p = 0; p < n; p++) {
			for (size_t q = p + 1; q < n; q++) {
				double a = 0, b = 0, c = 0, zeta, t, cosine, sine;

				for (size_t i = 0; i < n; i++) {
					a += r[p * n + i] * r[p * n + i];
					b += r[q * n + i] * r[q * n + i];
					c += r[p * n + i] * r[q * n + i];
				}
				if (!(fabs(c) > DBL_EPSILON * sqrt(a) * sqrt(b)))
					continue;
				done = false;
				zeta = (b - a) / (2 * c);
				t = (zeta > 0 ? 1 : -1) / (fabs(zeta) + hypot(1, zeta));
				cosine = 1 / hypot(1, t);
				sine = cosine * t;
				for (size_t i = 0; i < n; i++) {
					double x = r[p * n + i], y = r[q * n + i];

					r[p * n + i] = cosine * x - sine * y;
					r[q * n + i] = sine * x + cosine * y;
					x = v[p * n + i];
					y = v[q * n + i];
					v[p * n + i] = cosine * x - sine * y;
					v[q * n + i] = sine * x + cosine * y;
				}
			}
		}
		if (done)
			return;
	}
}

/*
 * Columns that add less than that to the largest one are taken to depend on it: half the distance from 1 to the next
 * number, as LAPACK's dgelsd has it when it is asked for the precision of the machine, and Extra-P with it.
 */
#define MIN_SIZE (DBL_EPSILON / 2)

/* The solution of least norm of r * x = b, r upper triangular in the first rows of `work`. */
static void solve(const double *work, size_t rows, size_t n, double *solution)
{
	double r[PERUN_COLUMNS * PERUN_COLUMNS] = {0}, v[PERUN_COLUMNS * PERUN_COLUMNS] = {0};
	double sizes[PERUN_COLUMNS], largest = 0;
	const double *b = work + n * rows;
	bool full = n <= rows;

	for (size_t j = 0; j < n; j++) {
		v[j * n + j] = 1;
		for (size_t i = 0; i <= j && i < rows; i++)
			r[j * n + i] = work[j * rows + i];
	}
	rotate_to_orthogonal(r, v, n);
	for (size_t j = 0; j < n; j++) {
		sizes[j] = 0;
		for (size_t i = 0; i < n; i++)
			sizes[j] += r[j * n + i] * r[j * n + i];
		sizes[j] = sqrt(sizes[j]);
		largest = sizes[j] > largest ? sizes[j] : largest;
	}
	for (size_t j = 0; j < n; j++)
		full &= sizes[j] > MIN_SIZE * largest;
	memset(solution, 0, n * sizeof *solution);
	if (full) { /* substituting back is more exact where columns differ much in size */
		for (size_t j = n; j-- > 0;) {
			double sum = b[j];

			for (size_t k = j + 1; k < n; k++)
				sum -= work[k * rows + j] * solution[k];
			solution[j] = sum / work[j * rows + j];
		}
		return;
	}
	for (size_t j = 0; j < n; j++) {
		double along = 0;

		if (!(sizes[j] > MIN_SIZE * largest))
			continue;
		for (size_t i = 0; i < n && i < rows; i++)
			along += r[j * n + i] / sizes[j] * b[i];
		for (size_t i = 0; i < n; i++)
			solution[i] += v[j * n + i] * along / sizes[j];
	}
}

void perun_least_squares(const double *matrix, const double *values, size_t rows, size_t columns,
			 double *work, double *solution)
{
	memcpy(work, matrix, rows * columns * sizeof *work);
	memcpy(work + rows * columns, values, rows * sizeof *work);
	perun_triangularize(work, rows, columns);
	solve(work, rows, columns, solution);
}
