/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be beyond the data: between two quantiles of the mixture of what all forms predict. */
#include <math.h>

#include "core/model/forms.h"
#include "perun/lib/statistics.h"

/* Student's distribution by Wallace's approximation (JASA 54, 1959), good to a few thousandths. */
static double below(double t, double freedom)
{
	double z = (8 * freedom + 1) / (8 * freedom + 3) * sqrt(freedom * log1p(t * t / freedom));

	return perun_normal_cdf(t < 0 ? -z : z);
}

/*
 * Errors of forms take the weights of the points as known, though how noise grows with what is measured is estimated
 * from the same few points. Chosen on sums of any two terms, so that nine of ten truths are inside at twice the range.
 * Of four parameters fewer forms are tried.
 */
#define WIDER         1.15
#define WIDER_OF_FOUR 1.35

/* Of the mixture at a place. `errors`: of each form there. */
static double quantile(const struct perun_forms *forms, size_t place, const double *errors,
		       double p)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < forms->count; i++) {
		low = fmin(low, perun_form_value(forms, i, place) - 100 * errors[i]);
		high = fmax(high, perun_form_value(forms, i, place) + 100 * errors[i]);
	}
	for (int step = 0; step < 60 && high - low > 1e-6 * fmax(fabs(low), fabs(high)); step++) {
		double middle = low + (high - low) / 2, sum = 0;

		for (size_t i = 0; i < forms->count; i++) {
			const struct perun_form *form = &forms->forms[i];
			double value = perun_form_value(forms, i, place);

			if (form->share > 1e-5)
				sum += form->share *
				       (errors[i] > 0
						? below((middle - value) / errors[i], form->freedom)
						: middle >= value);
		}
		*(sum < p ? &low : &high) = middle;
	}
	return low + (high - low) / 2;
}

bool perun_form_ranges(const struct perun_scaling_model *growth,
		       const struct perun_observations *observations, const double *at,
		       size_t places, double level, double *low, double *high)
{
	double wider = observations->parameters > 3 ? WIDER_OF_FOUR : WIDER, *errors;
	struct perun_forms forms;
	bool found;

	if (!perun_forms_fit(growth, observations, at, places, &forms))
		return false;
	errors = perun_alloc_zero(forms.count, sizeof *errors);
	for (size_t k = 0; k < places; k++) {
		for (size_t i = 0; i < forms.count; i++)
			errors[i] = wider * sqrt(perun_form_covariance(&forms, i, k, k));
		low[k] = quantile(&forms, k, errors, (1 - level) / 2);
		high[k] = quantile(&forms, k, errors, (1 + level) / 2);
	}
	found = forms.count > 0;
	perun_free(errors);
	perun_forms_clear(&forms);
	return found;
}
