/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of windows. */
#include <math.h>
#include <string.h>

#include "moving-average.h"

static const double blackman[] = {0.42, 0.5, 0.08, 0};
static const double hamming[] = {0.54, 0.46, 0, 0};
static const double blackman_harris[] = {0.35875, 0.48829, 0.14128, 0.01168};
static const double nuttall[] = {0.3635819, 0.4891775, 0.1365995, 0.0106411};

/* A sum of cosines over [-pi, pi]. */
static double cosines(const double *factors, size_t i, size_t width)
{
	double angle = -M_PI + 2 * M_PI * (double)i / (double)(width - 1), sum = 0;

	for (int k = 0; k < 4; k++)
		sum += factors[k] * cos(k * angle);
	return sum;
}

static double weight_boxcar(size_t i, size_t width)
{
	(void)i;
	(void)width;
	return 1;
}

static double weight_blackman(size_t i, size_t width)
{
	return cosines(blackman, i, width);
}

static double weight_hamming(size_t i, size_t width)
{
	return cosines(hamming, i, width);
}

static double weight_blackmanharris(size_t i, size_t width)
{
	return cosines(blackman_harris, i, width);
}

static double weight_nuttall(size_t i, size_t width)
{
	return cosines(nuttall, i, width);
}

static double weight_triang(size_t i, size_t width)
{
	double from_end = (double)(i < width - 1 - i ? i : width - 1 - i) + 1;

	return width % 2 ? 2 * from_end / (double)(width + 1) : (2 * from_end - 1) / (double)width;
}

static double weight_bartlett(size_t i, size_t width)
{
	double at = 2 * (double)i / (double)(width - 1);

	return at <= 1 ? at : 2 - at;
}

static double weight_parzen(size_t i, size_t width)
{
	double at = fabs((double)i - (double)(width - 1) / 2), half = (double)width / 2;
	double share = at / half;

	if (at > (double)(width - 1) / 4)
		return 2 * pow(1 - share, 3);
	return 1 - 6 * share * share + 6 * share * share * share;
}

static double weight_bohman(size_t i, size_t width)
{
	double at = fabs(2 * (double)i / (double)(width - 1) - 1);

	if (i == 0 || i == width - 1)
		return 0;
	return (1 - at) * cos(M_PI * at) + sin(M_PI * at) / M_PI;
}

static double weight_barthann(size_t i, size_t width)
{
	double at = fabs((double)i / (double)(width - 1) - 0.5);

	return 0.62 - 0.48 * at + 0.38 * cos(2 * M_PI * at);
}

bool movingaverage_window_weights(const char *name, size_t width, double *weights)
{
	static const struct {
		const char *name;
		double (*weight)(size_t i, size_t width);
	} windows[] = {{"boxcar", weight_boxcar},     {"triang", weight_triang},
		       {"blackman", weight_blackman}, {"hamming", weight_hamming},
		       {"bartlett", weight_bartlett}, {"parzen", weight_parzen},
		       {"bohman", weight_bohman},     {"blackmanharris", weight_blackmanharris},
		       {"nuttall", weight_nuttall},   {"barthann", weight_barthann}};

	for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
		if (strcmp(windows[k].name, name) != 0)
			continue;
		for (size_t i = 0; i < width; i++)
			weights[i] = width == 1 ? 1 : windows[k].weight(i, width);
		return true;
	}
	return false;
}
