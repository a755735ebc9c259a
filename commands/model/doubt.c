/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model: models that the data do not settle, and what to measure next. */
#include <config.h>

#include "model.h"

void model_doubt(const struct model_run *run, size_t series, struct model_doubt *doubt)
{
	const struct perun_scaling_model *growth = &run->growths[series];
	struct perun_observations observations;

	*doubt = (struct model_doubt){0};
	if (!(growth->warnings & (PERUN_MODEL_FEW_POINTS | PERUN_MODEL_TIE)))
		return;
	doubt->next = perun_alloc_zero(run->experiment->parameters, sizeof *doubt->next);
	perun_experiment_observations(run->experiment, series, run->repeated, &observations);
	if (!perun_scaling_model_next_point(growth, &observations, doubt->next,
					    &doubt->difference)) {
		perun_free(doubt->next);
		doubt->next = NULL;
	}
	perun_observations_clear(&observations);
}

bool model_is_below_zero(const struct model_run *run, size_t series)
{
	const struct perun_experiment *experiment = run->experiment;
	const struct perun_experiment_series *what = &experiment->series[series];

	if (!run->at || !(run->costs[series].prediction.value < 0))
		return false;
	for (size_t k = 0; k < what->count; k++)
		if (experiment->measurements[what->first + k].mean < 0)
			return false;
	return true;
}

void model_doubt_clear(struct model_doubt *doubt)
{
	perun_free(doubt->next);
}
