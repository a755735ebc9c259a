/* SPDX-License-Identifier: BSD-3-Clause */
/* All forms that explain the data nearly as well as the one that was found, and what they say of other points. */
#ifndef PERUN_CORE_MODEL_FORMS_H
#define PERUN_CORE_MODEL_FORMS_H

#include "core/model/form-fitting.h"

/*
 * Fit all forms to the observations and ask them at `places` points, `at`. False, and nothing to clear, when the
 * forms of this model are not known.
 */
bool perun_forms_fit(const struct perun_scaling_model *growth,
		     const struct perun_observations *observations, const double *at, size_t places,
		     struct perun_forms *forms);
void perun_forms_clear(struct perun_forms *forms);
double perun_form_value(const struct perun_forms *forms, size_t form, size_t place);
/* Of what a form says at two places, or at one, the covariance. */
double perun_form_covariance(const struct perun_forms *forms, size_t form, size_t one,
			     size_t other);

#endif
