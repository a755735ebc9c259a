/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `extrap`: models of growth become rows of the table of models. */
#ifndef PERUN_POSTPROCESS_EXTRAP_H
#define PERUN_POSTPROCESS_EXTRAP_H

#include <perun/lib/experiment.h>

/* Append the models of all series to the tables "models" and "model_terms". */
void extrap_store(const struct perun_experiment *experiment,
		  const struct perun_scaling_model *growths, enum perun_repeated repeated,
		  struct perun_builder *builder);

#endif
