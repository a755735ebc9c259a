/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells as JSON values and where paths lead in them. */
#include <config.h>

#include <string.h>

#include "core/profile/flatten.h"
#include "core/query/cell.h"
#include "core/query/paths.h"

bool perun_column_is_item(const struct perun_column *column)
{
	const struct perun_column_info *info = perun_column_info(column);

	if (info->type == PERUN_TYPE_STACK && strcmp(info->name, "stack") == 0)
		return !perun_table_column(perun_column_table(column), "trace");
	return info->type != PERUN_TYPE_ROW;
}

struct perun_json *perun_cell_value(const struct perun_column *column, size_t row)
{
	struct perun_buffer text = {0};
	struct perun_json *value;

	if (perun_column_absent(column, row))
		return NULL;
	perun_column_print_json(column, row, &text);
	/* Text that a reader stored as JSON although it is none counts as a string. */
	if (perun_json_parse(NULL, text.data, text.length, NULL, &value))
		value = perun_json_string(text.data, text.length);
	perun_buffer_free(&text);
	return value;
}

/* ---- different cells -------------------------------------------------------------------------- */

static uint32_t *distinct_ids(const struct perun_column *column, size_t *count)
{
	const struct perun_profile *profile = perun_table_profile(perun_column_table(column));
	size_t ids = perun_pool_size(profile, perun_column_info(column)->type), capacity = 0;
	uint64_t *seen = perun_selection_new(ids, false);
	uint32_t *rows = NULL;
	struct perun_span span;

	*count = 0;
	for (size_t row = 0; perun_column_span(column, row, &span); row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			perun_id id = span.ids[i];

			if (perun_bit(span.absent, i) || id >= ids || perun_bit(seen, id))
				continue;
			seen[id / 64] |= (uint64_t)1 << id % 64;
			PERUN_GROW(rows, *count, capacity);
			rows[(*count)++] = (uint32_t)(span.first + i);
		}
	}
	perun_free(seen);
	return rows;
}

uint32_t *perun_distinct_cells(const struct perun_column *column, size_t *count)
{
	struct perun_groups *groups;
	uint32_t *rows;

	*count = 0;
	if (perun_type_is_pooled(perun_column_info(column)->type))
		return distinct_ids(column, count);
	if (perun_group_by(NULL, perun_column_table(column), &column, 1, NULL, &groups))
		return NULL;
	rows = perun_alloc(groups->count * sizeof *rows);
	for (size_t i = 0; i < groups->count; i++) {
		if (!perun_column_absent(column, groups->first_row[i]))
			rows[(*count)++] = groups->first_row[i];
	}
	perun_groups_free(groups);
	return rows;
}

/* ---- paths ------------------------------------------------------------------------------------ */

const struct perun_column *perun_path_column(const struct perun_table *table, const char *path,
					     const char **rest)
{
	const struct perun_column *column = perun_table_column(table, path);
	char *name = perun_strdup(path), *colon;

	*rest = path + strlen(path);
	while (!column && (colon = strrchr(name, ':'))) {
		*colon = '\0';
		column = perun_table_column(table, name);
		*rest = path + strlen(name);
	}
	perun_free(name);
	return column;
}

/* The member of an object, or the value of the pair of that name in an array of pairs. */
static const struct perun_json *member(const struct perun_json *value, const char *key,
				       size_t length)
{
	if (perun_json_type(value) != PERUN_JSON_TYPE_ARRAY)
		return perun_json_get_n(value, key, length);
	if (!perun_items_is_object(value))
		return NULL;
	for (size_t i = 0; i < perun_json_count(value); i++) {
		const struct perun_json *pair = perun_json_at(value, i);
		size_t name_length;
		const char *name = perun_json_as_string(perun_json_get(pair, "name"), &name_length);

		if (name && name_length == length && memcmp(name, key, length) == 0)
			return perun_json_get(pair, "value");
	}
	return NULL;
}

void perun_walk_path(const struct perun_json *value, const char *rest, struct perun_json *found)
{
	size_t length;

	while (value && *rest == ':') {
		rest++;
		if (*rest == ':') { /* every element */
			if (perun_json_type(value) != PERUN_JSON_TYPE_ARRAY)
				return;
			for (size_t i = 0; i < perun_json_count(value); i++)
				perun_walk_path(perun_json_at(value, i), rest, found);
			return;
		}
		/* Keys may hold colons themselves: all that is left, if there is such a key. */
		length = strlen(rest);
		if (!member(value, rest, length))
			length = strcspn(rest, ":");
		value = member(value, rest, length);
		rest += length;
	}
	if (value)
		perun_json_append(found, perun_json_clone(value));
}
