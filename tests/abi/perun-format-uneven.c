/* SPDX-License-Identifier: BSD-3-Clause */
/* A format that reads columns of unequal length. */
#include <stdlib.h>
#include <string.h>

#include <perun/format.h>
#include <perun/profile.h>

static int probe(const struct perun_probe *probe)
{
	return probe->size >= 6 && memcmp(probe->data, "uneven", 6) == 0 ? 100 : 0;
}

/* Two columns of FIRST and SECOND cells, of which ROWS are said to be rows. */
static int read_uneven(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	static const int64_t cells[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	const char *const names[] = {"FIRST", "SECOND"};

	(void)instance;
	(void)ctx;
	(void)input;
	for (int i = 0; i < 2; i++) {
		struct perun_column_info info = {
			.name = names[i], .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};

		perun_column_append_int64(perun_table_add_column(table, &info), cells,
					  (size_t)atoi(getenv(names[i])));
	}
	perun_table_end_rows(table, (size_t)atoi(getenv("ROWS")));
	return PERUN_OK;
}

static const struct perun_format_ops ops = {.probe = probe, .read = read_uneven};

PERUN_PLUGIN(format, uneven) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "uneven", "misbehaves"),
	PERUN_PLUGIN_OPS(ops),
};
