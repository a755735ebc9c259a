/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzz targets of formats for results of benchmarks share: what is read has measurements. */
#ifndef PERUN_TESTS_FUZZ_BENCHMARK_H
#define PERUN_TESTS_FUZZ_BENCHMARK_H

#include <math.h>

#include "perun/format.h"
#include "tests/fuzz/must.h"

static inline void check_benchmark(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *amount, *uid, *order, *type;

	MUST(table && perun_table_rows(table) > 0);
	amount = perun_table_column(table, "amount");
	uid = perun_table_column(table, "uid");
	order = perun_table_column(table, "order");
	type = perun_table_column(table, "type");
	MUST(amount && uid && order && type);
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		MUST(isfinite(perun_column_double(amount, row)));
		MUST(perun_column_int64(order, row) >= 0);
		MUST(!perun_column_absent(uid, row) && !perun_column_absent(type, row));
	}
}

static inline int fuzz_benchmark(const char *format, const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_input *input = perun_input_from_memory("fuzz", data, size);
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, format, NULL, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	if (profile)
		check_benchmark(profile);
	perun_input_close(input);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return 0;
}

#endif
