/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's two JSON formats. */
#ifndef EXTRAP_JSON_H
#define EXTRAP_JSON_H

#include <perun/lib/experiment.h>
#include <perun/format.h>
#include <perun/json.h>

/* Read either; which one it is shows at "measurements". */
int extrapjson_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder);
/* The older one, whose parts refer to each other by ids. `parts`: an object of its lists. */
int extrapjson_read_old(struct perun_ctx *ctx, const struct perun_json *parts,
			struct perun_builder *builder, const struct perun_experiment_rows *rows);
int extrapjson_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output);

#endif
