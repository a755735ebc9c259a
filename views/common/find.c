/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that a user means by a word. */
#include <config.h>

#include <string.h>

#include "views/common/tree.h"

/* Keep the rows whose name is the word, or if there is none, those that the expression matches. */
static int keep_matching(const struct views_data *data, const char *words, struct views_rows *rows)
{
	struct perun_regex *regex = NULL;
	bool exact = false;
	size_t kept = 0;
	int status = PERUN_OK;

	for (size_t i = 0; i < rows->count && !exact; i++)
		exact = strcmp(rows->items[i].name, words) == 0;
	if (!exact)
		status = perun_regex_new(data->ctx, words, 0, &regex);
	for (size_t i = 0; i < rows->count; i++) {
		struct views_row *row = &rows->items[i];

		if (!status && (exact ? strcmp(row->name, words) == 0
				      : perun_regex_matches(regex, row->name, strlen(row->name))))
			rows->items[kept++] = *row;
		else
			views_row_clear(row);
	}
	rows->count = kept;
	perun_regex_free(regex);
	return status;
}

int views_find_functions(const struct views_data *data, const char *words,
			 struct views_rows *functions)
{
	struct views_data by_name = *data;
	int status;

	if (!data->stacks)
		return perun_fail(data->ctx, PERUN_INPUT,
				  "%s has no stacks: nothing is known of who calls whom",
				  data->name);
	by_name.by = PERUN_BY_FUNCTION;
	status = views_rows_of(&by_name, functions);
	if (!status)
		status = keep_matching(data, words, functions);
	if (!status && functions->count == 0)
		status = perun_fail(data->ctx, PERUN_INPUT, "no function of %s matches %s",
				    data->name, words);
	views_rows_sort(functions, VIEWS_BY_TOTAL);
	return status;
}
