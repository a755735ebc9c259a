/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the names of directories of experiments, which are points: perun model --parse-point. */
#include <math.h>

#include <perun/lib/experiment.h>

#include "tests/fuzz/fuzz.h"

void fuzz_point_name(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *name = perun_strndup((const char *)data, size);
	struct perun_point_name point;
	int status = perun_point_name_parse(ctx, name, &point);

	MUST(status == PERUN_OK || (status == PERUN_INPUT && perun_ctx_error(ctx)));
	if (status == PERUN_OK) {
		MUST(point.count > 0 && point.count <= PERUN_POINT_PARAMETERS);
		for (size_t i = 0; i < point.count; i++)
			MUST(*point.names[i] && isfinite(point.values[i]));
		perun_point_name_clear(&point);
	}
	perun_free(name);
	perun_ctx_free(ctx);
}
