/* SPDX-License-Identifier: BSD-3-Clause */
/* Which metrics a row carries, and which rows a metric has, without trying each metric on each row. */
#include <string.h>

#include "core/profile/model.h"

enum { NONE = UINT32_MAX };

void perun_metric_index_free(struct perun_metric_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->group_count; i++)
		perun_free(index->of_row[i]);
	perun_free(index->of_row);
	perun_free(index->wide);
	perun_free(index->rows);
	perun_free(index->starts);
	perun_free(index);
}

static bool is_long(const struct perun_metric *metric)
{
	return metric->selector[0] || metric->selector[1];
}

struct filling {
	const struct perun_metric_list *list;
	uint32_t *of_row;
	size_t first;
};

static void note_row(void *data, size_t row, perun_id number, const perun_id pair[2])
{
	const struct filling *filling = data;
	size_t metric = filling->first + number, was = filling->list->default_was;

	(void)pair;
	/* The default metric came first, and those before it moved on. */
	filling->of_row[row] = (uint32_t)(metric == was ? 0 : metric < was ? metric + 1 : metric);
}

static void index_group(const struct perun_metric_list *list, struct perun_metric_index *index,
			const struct perun_long_metrics *group, size_t rows)
{
	struct perun_pool *pairs = perun_pool_ref(group->pairs);
	struct filling filling = {list, perun_alloc((rows + 1) * sizeof *filling.of_row),
				  group->first};

	memset(filling.of_row, 0xff, rows * sizeof *filling.of_row);
	perun_metric_pairs(group->values, group->selectors, &pairs, note_row, &filling);
	perun_pool_unref(pairs);
	index->of_row[index->group_count++] = filling.of_row;
}

/* A counting sort of the rows by their metrics. */
static void sort_rows(const struct perun_metric_list *list, struct perun_metric_index *index,
		      size_t rows)
{
	size_t *ends;

	index->starts = perun_alloc_zero(list->count + 1, sizeof *index->starts);
	for (size_t i = 0; i < list->count; i++)
		index->starts[i + 1] =
			index->starts[i] + (is_long(&list->metrics[i]) ? list->metrics[i].rows : 0);
	index->rows = perun_alloc((index->starts[list->count] + 1) * sizeof *index->rows);
	ends = perun_memdup(index->starts, (list->count + 1) * sizeof *ends);
	for (size_t group = 0; group < index->group_count; group++) {
		const uint32_t *of_row = index->of_row[group];

		for (size_t row = 0; row < rows; row++)
			if (of_row[row] != NONE)
				index->rows[ends[of_row[row]]++] = (uint32_t)row;
	}
	perun_free(ends);
}

static const struct perun_metric_index *make_index(const struct perun_profile *profile,
						   struct perun_metric_list *list)
{
	struct perun_metric_index *index = perun_alloc_zero(1, sizeof *index), *other = NULL;
	size_t rows = perun_table_rows(perun_resources(profile));

	index->row_count = rows;
	index->wide = perun_alloc_zero(list->count + 1, sizeof *index->wide);
	index->of_row = perun_alloc_zero(list->group_count + 1, sizeof *index->of_row);
	for (size_t i = 0; i < list->count; i++)
		if (!is_long(&list->metrics[i]))
			index->wide[index->wide_count++] = i;
	for (size_t i = 0; i < list->group_count; i++)
		if (list->groups[i].selectors[0] || list->groups[i].selectors[1])
			index_group(list, index, &list->groups[i], rows);
	sort_rows(list, index, rows);
	/* Two threads may both look; the first one's index stays. */
	if (!atomic_compare_exchange_strong(&list->index, &other, index)) {
		perun_metric_index_free(index);
		index = other;
	}
	return index;
}

static const struct perun_metric_index *index_of(const struct perun_profile *profile,
						 struct perun_metric_list *list)
{
	const struct perun_metric_index *index = atomic_load(&list->index);

	return index ? index : make_index(profile, list);
}

const uint32_t *perun_metric_rows(const struct perun_profile *profile,
				  const struct perun_metric *metric, size_t *count)
{
	struct perun_metric_list *list = perun_metric_list(profile);
	const struct perun_metric_index *index;
	size_t number = (size_t)(metric - list->metrics);

	*count = perun_table_rows(perun_resources(profile));
	if (!is_long(metric))
		return NULL;
	index = index_of(profile, list);
	*count = index->starts[number + 1] - index->starts[number];
	return index->rows + index->starts[number];
}

size_t perun_metric_of_row(const struct perun_profile *profile, size_t row, size_t from)
{
	struct perun_metric_list *list = perun_metric_list(profile);
	const struct perun_metric_index *index = index_of(profile, list);
	size_t low = 0, high = index->wide_count, found = SIZE_MAX;

	if (row >= index->row_count)
		return found;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (index->wide[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < index->wide_count && found == SIZE_MAX; low++)
		if (!perun_column_absent(list->metrics[index->wide[low]].values, row))
			found = index->wide[low];
	for (size_t i = 0; i < index->group_count; i++) {
		uint32_t own = index->of_row[i][row];

		if (own != NONE && own >= from && own < found)
			found = own;
	}
	return found;
}

/* Put each row to the place that is the next of a metric it carries. */
static void place_rows(const struct perun_metric_list *list, const struct perun_metric_index *index,
		       const uint32_t *rows, size_t count, size_t *next, uint32_t *sorted)
{
	for (size_t i = 0; i < index->wide_count; i++) {
		const struct perun_column *values = list->metrics[index->wide[i]].values;

		for (size_t k = 0; k < count; k++)
			if (!perun_column_absent(values, rows[k]))
				sorted[next[index->wide[i]]++] = rows[k];
	}
	for (size_t i = 0; i < index->group_count; i++) {
		const uint32_t *of_row = index->of_row[i];

		for (size_t k = 0; k < count; k++)
			if (of_row[rows[k]] != NONE)
				sorted[next[of_row[rows[k]]]++] = rows[k];
	}
}

void perun_metric_sort_rows(const struct perun_profile *profile, const uint32_t *rows,
			    uint32_t **sorted, size_t **starts)
{
	struct perun_metric_list *list = perun_metric_list(profile);
	const struct perun_metric_index *index = index_of(profile, list);
	size_t *next;

	*starts = perun_alloc_zero(list->count + 1, sizeof **starts);
	for (size_t m = 0; m < list->count; m++)
		(*starts)[m + 1] = (*starts)[m] + list->metrics[m].rows;
	*sorted = perun_alloc(((*starts)[list->count] + 1) * sizeof **sorted);
	next = perun_memdup(*starts, (list->count + 1) * sizeof *next);
	place_rows(list, index, rows, index->row_count, next, *sorted);
	perun_free(next);
}
