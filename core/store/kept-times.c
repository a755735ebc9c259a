/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of samples that were kept as labels. */
#include <string.h>

#include "core/store/kept-times.h"

bool perun_has_kept_times(const struct perun_profile *profile)
{
	const struct perun_column *times =
		perun_table_column(perun_resources(profile), PERUN_KEPT_TIMES);
	const struct perun_column_info *info = times ? perun_column_info(times) : NULL;

	return info && info->type == PERUN_TYPE_INT64 && info->role == PERUN_ROLE_TIME &&
	       info->unit && strcmp(info->unit, "nanoseconds") == 0;
}

/* What a set of labels says. */
struct set {
	perun_id rest; /* the set without the time */
	int64_t time;
	bool has_time;
};

static void read_set(const struct perun_profile *profile, struct perun_builder *builder,
		     perun_id id, struct set *set)
{
	size_t count, kept = 0;
	const struct perun_label *labels = perun_profile_labels(profile, id, &count);
	struct perun_label *rest = perun_alloc_zero(count + 1, sizeof *rest);

	for (size_t i = 0; i < count; i++) {
		if (!set->has_time && labels[i].text == PERUN_NO_ID &&
		    strcmp(perun_profile_string(profile, labels[i].key, NULL), PERUN_KEPT_TIMES) ==
			    0) {
			set->has_time = true;
			set->time = labels[i].number;
		} else {
			rest[kept++] = labels[i];
		}
	}
	set->rest = set->has_time ? perun_builder_labels(builder, rest, kept) : id;
	perun_free(rest);
}

/* Events that a sample is not of are 0 in a format in which all samples have values of all metrics. */
static void restore_absent(const struct perun_profile *profile, struct perun_table_builder *table)
{
	const struct perun_table *rows = perun_resources(profile);

	for (size_t i = 0; i < perun_table_columns(rows); i++) {
		const struct perun_column *column = perun_table_column_at(rows, i);
		const struct perun_column_info *info = perun_column_info(column);
		struct perun_column_builder *cells = perun_table_find_column(table, info->name);

		if (info->role != PERUN_ROLE_METRIC || info->type != PERUN_TYPE_INT64)
			continue;
		for (size_t row = 0; row < perun_table_rows(rows); row++) {
			if (perun_column_absent(column, row) || perun_column_int64(column, row))
				continue;
			perun_table_rewind(table, row);
			perun_column_set_absent(cells);
		}
	}
	perun_table_rewind(table, perun_table_rows(rows));
}

static void restore_times(const struct perun_profile *profile, struct perun_builder *builder,
			  const struct perun_column *labels)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *sets =
		perun_table_find_column(table, perun_column_info(labels)->name);
	struct perun_column_builder *times =
		perun_table_add_column(table, &(struct perun_column_info){.name = PERUN_KEPT_TIMES,
									  .unit = "nanoseconds",
									  .type = PERUN_TYPE_INT64,
									  .role = PERUN_ROLE_TIME});
	size_t count = perun_profile_label_sets(profile), rows = perun_table_builder_rows(table);
	struct set *known = perun_alloc_zero(count + 1, sizeof *known);

	for (size_t i = 0; i < count; i++)
		read_set(profile, builder, (perun_id)i, &known[i]);
	perun_table_rewind(table, 0);
	for (size_t row = 0; row < rows; row++) {
		perun_id id = perun_column_absent(labels, row) ? PERUN_NO_ID
							       : perun_column_id(labels, row);

		if (id != PERUN_NO_ID && known[id].has_time) {
			perun_column_set_id(sets, PERUN_TYPE_LABELS, known[id].rest);
			perun_column_set_int64(times, known[id].time);
		}
		perun_table_end_row(table);
	}
	perun_free(known);
}

int perun_restore_kept_times(struct perun_ctx *ctx, struct perun_profile **profile)
{
	const struct perun_column *labels = perun_table_column(perun_resources(*profile), "labels");
	struct perun_profile *restored = NULL;
	struct perun_builder *builder;
	int status;

	if (!labels || perun_column_info(labels)->type != PERUN_TYPE_LABELS)
		return PERUN_OK;
	builder = perun_builder_from(*profile);
	restore_times(*profile, builder, labels);
	restore_absent(*profile, perun_builder_table(builder, "resources"));
	status = perun_builder_finish(ctx, builder, &restored);
	perun_profile_unref(*profile);
	*profile = restored;
	return status;
}
