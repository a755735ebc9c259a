/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV of `pytest-benchmark compare --csv`: a line for each benchmark, in seconds; parameters have columns "param:n". */
#include <math.h>
#include <string.h>

#include "formats/common/result-table.h"
#include "formats/pytest-benchmark/text.h"

/* "t.py::test_sort[10-fast]", as pytest names it. The caller frees it. */
static char *name_of(const struct result_table *table)
{
	static const char parameter[] = "param:";
	struct perun_buffer name = {0};
	size_t count = 0;

	perun_buffer_add_text(&name, result_table_value(table, "name", NULL, NULL));
	for (size_t i = 0; i < result_table_columns(table); i++) {
		const char *cell = result_table_cell(table, i);

		if (*cell &&
		    strncmp(result_table_heading(table, i), parameter, sizeof parameter - 1) == 0)
			perun_buffer_printf(&name, "%s%s", count++ ? "-" : "[", cell);
	}
	if (count)
		perun_buffer_add_char(&name, ']');
	return perun_buffer_take(&name);
}

static int take_row(void *data, const struct result_table *table)
{
	static const char *const values[] = {"mean", "median", "min"};
	struct benchmark *benchmark = data;
	double seconds, deviation, rounds;
	char *uid = name_of(table);
	size_t i = 0;

	while (i < 3 && !result_table_number(table, values[i], &seconds))
		i++;
	if (i < 3) {
		benchmark_time(benchmark, uid, "real", seconds);
		benchmark_samples(benchmark, "time(real)");
	}
	if (i == 0 && result_table_number(table, "stddev", &deviation) &&
	    result_table_number(table, "rounds", &rounds))
		benchmark_deviation(benchmark, "time(real)", uid,
				    deviation / seconds / sqrt(rounds));
	perun_free(uid);
	return PERUN_OK;
}

int pytest_benchmark_read_csv(struct perun_ctx *ctx, struct perun_input *input,
			      struct benchmark *benchmark)
{
	return result_table_read(ctx, input, "name", take_row, benchmark);
}
