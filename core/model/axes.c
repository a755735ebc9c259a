/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that a parameter was measured at, and the steps next to them. */
#include <math.h>
#include <string.h>

#include "core/model/model.h"

/* Steps are factors when these vary less, in relation to their mean, than the differences do. */
static bool steps_are_factors(const double *values, size_t count)
{
	double sums[2] = {0}, squares[2] = {0}, n = (double)count - 1;

	if (values[0] <= 0)
		return false;
	for (size_t i = 1; i < count; i++) {
		const double steps[2] = {values[i] - values[i - 1], values[i] / values[i - 1]};

		for (int k = 0; k < 2; k++) {
			sums[k] += steps[k];
			squares[k] += steps[k] * steps[k];
		}
	}
	return squares[1] / (sums[1] * sums[1]) - 1 / n <= squares[0] / (sums[0] * sums[0]) - 1 / n;
}

static void fill_axis(const struct perun_observations *observations, size_t parameter,
		      struct perun_axis *axis)
{
	size_t n = observations->count, used = 0;

	axis->values = perun_alloc_zero(n, sizeof *axis->values);
	axis->whole = true;
	for (size_t i = 0; i < n; i++) { /* a few values, many times each */
		double value = observations->coordinates[i * observations->parameters + parameter];
		size_t at = 0;

		while (at < used && axis->values[at] < value)
			at++;
		if (at < used && axis->values[at] == value)
			continue;
		memmove(axis->values + at + 1, axis->values + at, (used - at) * sizeof value);
		axis->values[at] = value;
		axis->whole &= floor(value) == value;
		used++;
	}
	axis->count = used;
	axis->factors = used >= 2 && steps_are_factors(axis->values, used);
}

double perun_axis_step(const struct perun_axis *axis, size_t k)
{
	const double *v = axis->values;
	size_t n = axis->count;
	double value;

	if (n < 2)
		return k == 0 && v[0] > 0 ? 2 * v[0] : NAN;
	if (k == 0)
		value = axis->factors ? v[n - 1] * (v[n - 1] / v[n - 2]) : 2 * v[n - 1] - v[n - 2];
	else if (k == 1)
		value = axis->factors ? v[0] * (v[0] / v[1]) : 2 * v[0] - v[1];
	else
		value = axis->factors ? sqrt(v[k - 2] * v[k - 1]) : (v[k - 2] + v[k - 1]) / 2;
	if (axis->whole)
		value = round(value);
	if (k == 1 && (value <= 0 || (v[0] >= 1 && value < 1)))
		return NAN;
	for (size_t i = 0; i < n; i++)
		if (v[i] == value)
			return NAN;
	return value;
}

struct perun_axis *perun_axes_new(const struct perun_observations *observations)
{
	struct perun_axis *axes = perun_alloc_zero(observations->parameters, sizeof *axes);

	for (size_t p = 0; p < observations->parameters; p++)
		fill_axis(observations, p, &axes[p]);
	return axes;
}

void perun_axes_free(struct perun_axis *axes, size_t count)
{
	for (size_t p = 0; p < count; p++)
		perun_free(axes[p].values);
	perun_free(axes);
}
