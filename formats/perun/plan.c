/* SPDX-License-Identifier: BSD-3-Clause */
/* Which types a profile's resources are written as: the parts that both ways share. */
#include <stdlib.h>
#include <string.h>

#include "writing.h"

static int compare_fields(const void *a, const void *b)
{
	const struct field *x = *(struct field *const *)a, *y = *(struct field *const *)b;

	return strcmp(x->key, y->key);
}

void perunjson_plan_open(struct plan *plan, struct perun_ctx *ctx,
			 const struct perun_profile *profile)
{
	*plan = (struct plan){.ctx = ctx, .profile = profile, .table = perun_resources(profile)};
	plan->field_count = perun_table_columns(plan->table);
	plan->fields = perun_alloc_zero(plan->field_count + 1, sizeof *plan->fields);
	plan->sorted = perun_alloc_zero(plan->field_count + 1, sizeof(struct field *));
	for (size_t i = 0; i < plan->field_count; i++) {
		perunjson_field_open(&plan->fields[i], perun_table_column_at(plan->table, i));
		if (!plan->fields[i].internal)
			plan->sorted[plan->sorted_count++] = &plan->fields[i];
	}
	if (plan->sorted_count)
		qsort(plan->sorted, plan->sorted_count, sizeof(struct field *), compare_fields);
}

void perunjson_plan_close(struct plan *plan)
{
	for (size_t i = 0; i < plan->field_count; i++)
		perunjson_field_close(&plan->fields[i]);
	for (size_t i = 0; i < plan->layout_count; i++) {
		perun_free(plan->layouts[i]->collected);
		perun_free(plan->layouts[i]->persistent);
		perun_free(plan->layouts[i]);
	}
	perun_free(plan->layouts);
	perun_free(plan->fields);
	perun_free(plan->sorted);
	perun_free(plan->rows);
	perun_free(plan->types);
	perun_free(plan->resource_order);
	perun_free(plan->map_order);
	perun_builder_free(plan->names);
	perunjson_chunks_free(plan->chunks);
}
