/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of a JSON value: its values with their paths. */
#ifndef PERUN_CORE_PROFILE_FLATTEN_H
#define PERUN_CORE_PROFILE_FLATTEN_H

#include "perun/json.h"

struct perun_item {
	char *path;                      /* "uid:function" */
	char *text;                      /* as Python's str() has it */
	const struct perun_json *scalar; /* NULL: the flat text of an object or array */
};

struct perun_items {
	struct perun_item *items;
	size_t count, capacity;
	size_t budget; /* bytes that may still be spent */
};

/*
 * Add the items of a value named `path`. What nests deeper doubles its text with each level, so
 * there is a budget of bytes for all items of a list: what exceeds it is left out. Set it first.
 */
#define PERUN_ITEMS_BUDGET ((size_t)16 << 20)
void perun_items_add(struct perun_items *items, const char *path, const struct perun_json *value);
/* Add the items of each member of an object. */
void perun_items_add_members(struct perun_items *items, const struct perun_json *object);
void perun_items_free(struct perun_items *items);
/* An object, or an array of {"name", "value"}, which counts as one. */
bool perun_items_is_object(const struct perun_json *value);

#endif
