/* SPDX-License-Identifier: BSD-3-Clause */
/* A history as a profile, as check plugins look at it. */
#include <string.h>

#include <perun/json.h>
#include <perun/lib/history.h>

static const char *metric_of(const struct perun_strand *strand)
{
	return strand->metric ? strand->metric : "value";
}

/* The table of all versions, and which direction is good. */
static void add_versions(struct perun_builder *builder, const struct perun_strand *strand)
{
	struct perun_table_builder *table = perun_builder_table(builder, "versions");
	struct perun_json *metrics = perun_json_object(), *metric = perun_json_object();
	struct perun_column_builder *checksum =
		perun_table_add_column(table, &(struct perun_column_info){.name = "checksum",
									  .type = PERUN_TYPE_STRING,
									  .role = PERUN_ROLE_KEY});

	for (size_t i = 0; i < strand->count; i++) {
		const char *label = strand->labels[i];

		perun_column_set_id(checksum, PERUN_TYPE_STRING,
				    perun_builder_text(builder, label ? label : ""));
		perun_table_end_row(table);
	}
	perun_json_set(metric, "better", perun_json_text(strand->higher ? "higher" : "lower"));
	perun_json_set(metrics, metric_of(strand), metric);
	perun_json_set(perun_builder_document(builder), "metrics", metrics);
}

/* What is measured once is its own only repeat. */
static void add_strand(struct perun_builder *builder, const struct perun_strand *strand,
		       struct perun_column_builder *uid, struct perun_column_builder *version,
		       struct perun_column_builder *amount, struct perun_table_builder *table)
{
	perun_id location = perun_builder_text(builder, strand->location);

	for (size_t i = 0; i < strand->count; i++) {
		for (size_t j = strand->starts[i]; j < strand->starts[i + 1]; j++) {
			perun_column_set_id(uid, PERUN_TYPE_STRING, location);
			perun_column_set_int64(version, (int64_t)i);
			perun_column_set_double(amount, strand->repeats[j]);
			perun_table_end_row(table);
		}
	}
}

/* The history of all strands of the command that the first of them is of. */
int perun_strands_profile(struct perun_ctx *ctx, const struct perun_strand *const *strands,
			  size_t count, struct perun_profile **profile)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *uid = perun_table_add_column(
		table, &(struct perun_column_info){
			       .name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY});
	struct perun_column_builder *version =
		perun_table_add_column(table, &(struct perun_column_info){.name = "version",
									  .type = PERUN_TYPE_INT64,
									  .role = PERUN_ROLE_KEY});
	struct perun_column_builder *amount = perun_table_add_column(
		table, &(struct perun_column_info){.name = metric_of(strands[0]),
						   .unit = strands[0]->unit,
						   .type = PERUN_TYPE_DOUBLE,
						   .role = PERUN_ROLE_METRIC});

	add_versions(builder, strands[0]);
	for (size_t s = 0; s < count; s++) {
		if (strcmp(strands[s]->command, strands[0]->command) == 0)
			add_strand(builder, strands[s], uid, version, amount, table);
	}
	return perun_builder_finish(ctx, builder, profile);
}
