/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells as JSON values and where paths lead in them; for the files of this folder. */
#ifndef PERUN_CORE_QUERY_PATHS_H
#define PERUN_CORE_QUERY_PATHS_H

#include "perun/query.h"

/*
 * Whether a column is part of the resource, as Perun's format has it: not what the model adds, rows
 * of other tables and the stacks that were made of column "trace".
 */
bool perun_column_is_item(const struct perun_column *column);
/* A cell as a document, NULL when it is absent. The caller frees it. */
struct perun_json *perun_cell_value(const struct perun_column *column, size_t row);
/*
 * The first row of each different present cell of a column, in order. The caller frees the array.
 */
uint32_t *perun_distinct_cells(const struct perun_column *column, size_t *count);
/* Whether the cells of a type may hold objects. */
static inline bool perun_type_nests(enum perun_type type)
{
	return type == PERUN_TYPE_JSON || type == PERUN_TYPE_LABELS || type == PERUN_TYPE_POINT;
}
/* The column that a path begins with, the longest name that fits; what follows it goes to `rest`. */
const struct perun_column *perun_path_column(const struct perun_table *table, const char *path,
					     const char **rest);
/*
 * Append clones of what `rest` leads to in a value ("" is the value itself, else it begins with ':')
 * to an array.
 */
void perun_walk_path(const struct perun_json *value, const char *rest, struct perun_json *found);

#endif
