/* SPDX-License-Identifier: BSD-3-Clause */
/* Averages over windows that move along a series. */
#ifndef MOVING_AVERAGE_H
#define MOVING_AVERAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Row i has the rows [i - width + 1, i], or, centred, [i - width / 2, i + (width - 1) / 2], as far as
 * they exist; NaN where these are fewer than `least`. As pandas' rolling().
 */
struct movingaverage_window {
	size_t width, least;
	bool center;
};

void movingaverage_mean(const struct movingaverage_window *window, const double *y, size_t count,
			double *out);
void movingaverage_median(const struct movingaverage_window *window, const double *y, size_t count,
			  double *out);
/* With the weights of a window (below); rows of weight 0 count towards `least`, as others do. */
void movingaverage_weighted_mean(const struct movingaverage_window *window, const double *weights,
				 const double *y, size_t count, double *out);
/* Each row counts (1 - alpha) times as much as the next one, as pandas' ewm(adjust=True). */
void movingaverage_exponential(double alpha, size_t least, const double *y, size_t count,
			       double *out);

/*
 * The symmetric windows of scipy.signal.windows, by name (F. Harris, "On the Use of Windows for Harmonic
 * Analysis with the Discrete Fourier Transform", 1978; A. Nuttall, "Some Windows with Very Good Sidelobe
 * Behavior", 1981, for nuttall; Y. Ha, J. Pearce, "A New Window and Comparison to Standard Windows",
 * 1989, for barthann). False when unknown.
 */
bool movingaverage_window_weights(const char *name, size_t width, double *weights);

#endif
