/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of a sweep: a profile that holds measurements of several workloads or parameters. */
#include <stdlib.h>
#include <string.h>

#include "core/history/cases.h"

/* More cases are not lines that anybody looks at one by one, but the axis of a model. */
#define MAX_CASES 64
#define MAX_KEYS  16

/* The columns that distinguish cases; how many. */
static size_t find_keys(const struct perun_table *resources, const struct perun_column **keys)
{
	/* What generators of workloads leave; the size of the structure is the same then. */
	const struct perun_column *workload = perun_table_column(resources, "workload");
	size_t count = 0;

	if (workload) {
		keys[0] = workload;
		return 1;
	}
	for (size_t i = 0; i < perun_table_columns(resources) && count < MAX_KEYS; i++) {
		const struct perun_column *column = perun_table_column_at(resources, i);
		const struct perun_column_info *info = perun_column_info(column);

		/* That of a function's argument differs from call to call. */
		if (info->role == PERUN_ROLE_PARAMETER &&
		    strcmp(info->name, "structure-unit-size") != 0)
			keys[count++] = column;
	}
	return count;
}

static char *make_text(const struct perun_cases *cases, size_t number)
{
	const struct perun_groups *groups = cases->groups;
	struct perun_buffer text = {0};
	char *printable;

	for (size_t k = 0; k < groups->key_count; k++) {
		const struct perun_column_info *info = perun_column_info(groups->keys[k]);

		if (perun_column_absent(groups->keys[k], groups->first_row[number]))
			continue;
		if (text.length)
			perun_buffer_add_char(&text, ' ');
		/* A point says the names of its parameters. */
		if (info->type != PERUN_TYPE_POINT)
			perun_buffer_printf(&text, "%s=", info->name);
		perun_column_print(groups->keys[k], groups->first_row[number], &text);
	}
	printable = perun_printable(text.data ? text.data : "");
	perun_buffer_free(&text);
	return printable;
}

int perun_cases_find(struct perun_ctx *ctx, const struct perun_table *resources,
		     struct perun_cases *cases)
{
	const struct perun_column *keys[MAX_KEYS];
	size_t count = find_keys(resources, keys);
	int status = PERUN_OK;

	*cases = (struct perun_cases){.count = 1};
	if (count)
		status = perun_group_by(ctx, resources, keys, count, NULL, &cases->groups);
	if (status || !cases->groups)
		return status;
	/* A case has its name also where it is the only one: another one may come. */
	if (cases->groups->count == 0 || cases->groups->count > MAX_CASES) {
		perun_groups_free(cases->groups);
		cases->groups = NULL;
		return PERUN_OK;
	}
	cases->count = cases->groups->count;
	cases->texts = perun_alloc_zero(cases->count, sizeof *cases->texts);
	for (size_t i = 0; i < cases->count; i++)
		cases->texts[i] = make_text(cases, i);
	return PERUN_OK;
}

void perun_cases_free(struct perun_cases *cases)
{
	for (size_t i = 0; cases->texts && i < cases->count; i++)
		perun_free(cases->texts[i]);
	perun_free(cases->texts);
	perun_groups_free(cases->groups);
	*cases = (struct perun_cases){0};
}

uint32_t perun_case_of(const struct perun_cases *cases, uint32_t row)
{
	return cases->groups ? cases->groups->group_of_row[row] : 0;
}

const char *perun_case_text(const struct perun_cases *cases, uint32_t number)
{
	return cases->texts ? cases->texts[number] : "";
}

static int compare_rows(const void *one, const void *other, void *data)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	uint32_t case_a = perun_case_of(data, a), case_b = perun_case_of(data, b);

	if (case_a != case_b)
		return case_a < case_b ? -1 : 1;
	return a < b ? -1 : a > b;
}

void perun_cases_sort(const struct perun_cases *cases, uint32_t *rows, const size_t *starts,
		      size_t groups)
{
	for (size_t g = 0; cases->groups && g < groups; g++)
		qsort_r(rows + starts[g], starts[g + 1] - starts[g], sizeof *rows, compare_rows,
			(void *)cases);
}
