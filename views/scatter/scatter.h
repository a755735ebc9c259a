/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scatter`: points of resources, curves of models. */
#ifndef PERUN_VIEWS_SCATTER_H
#define PERUN_VIEWS_SCATTER_H

#include "views/common/chart-table.h"

/*
 * The curves of the models of each chart's uid, which is its title, as series of it: those over the keys
 * that are drawn. The first series of a chart are its points.
 */
int scatter_add_models(struct perun_ctx *ctx, const struct perun_profile *profile, const char *per,
		       const char *of, struct views_figure *figure);

#endif
