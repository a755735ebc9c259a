/* SPDX-License-Identifier: BSD-3-Clause */
/* Where to measure so that a formula and its rival can be distinguished. */
#include <math.h>
#include <string.h>

#include "core/model/model.h"

struct advice {
	const struct perun_scaling_model *growth;
	struct perun_axis *axes;
	size_t parameters;
	double *trial, *at;
	double best;
};

/* Try the candidates of one parameter, the others at their least or greatest values. */
static void try_axis(struct advice *advice, size_t parameter, bool greatest)
{
	const struct perun_axis *axis = &advice->axes[parameter];

	for (size_t p = 0; p < advice->parameters; p++) {
		const struct perun_axis *other = &advice->axes[p];

		advice->trial[p] = other->values[greatest ? other->count - 1 : 0];
	}
	for (size_t k = 0; k < axis->count + 1; k++) {
		double a, b, difference;

		advice->trial[parameter] = perun_axis_step(axis, k);
		if (isnan(advice->trial[parameter]))
			continue;
		a = perun_scaling_model_value(advice->growth, advice->trial);
		b = perun_formula_value(advice->growth->runner_up, advice->trial);
		difference = fabs(a - b) / fmax(fabs(a), fabs(b));
		if (!(difference > advice->best))
			continue;
		advice->best = difference;
		memcpy(advice->at, advice->trial, advice->parameters * sizeof *advice->at);
	}
}

/* One step up of the parameter with the fewest values, the others as small as they were. */
static bool one_more_value(struct advice *advice)
{
	size_t fewest = 0;
	double value;

	for (size_t p = 0; p < advice->parameters; p++) {
		advice->at[p] = advice->axes[p].values[0];
		if (advice->axes[p].count < advice->axes[fewest].count)
			fewest = p;
	}
	value = perun_axis_step(&advice->axes[fewest], 0);
	advice->at[fewest] = value;
	return isfinite(value);
}

bool perun_scaling_model_next_point(const struct perun_scaling_model *growth,
				    const struct perun_observations *observations, double *at,
				    double *difference)
{
	size_t n = observations->parameters;
	struct advice advice = {.growth = growth,
				.axes = perun_axes_new(observations),
				.parameters = n,
				.trial = perun_alloc_zero(n, sizeof *advice.trial),
				.at = at};
	bool found;

	if (growth->runner_up) {
		for (size_t p = 0; p < n; p++)
			for (int greatest = 0; greatest < 2; greatest++)
				try_axis(&advice, p, greatest);
		found = advice.best > 0;
		*difference = advice.best;
	} else {
		found = one_more_value(&advice);
		*difference = NAN;
	}
	perun_axes_free(advice.axes, n);
	perun_free(advice.trial);
	return found;
}
