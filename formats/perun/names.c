/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of keys and columns that mean something in Perun JSON. */
#include <string.h>

#include "names.h"

#define PREFIX "key "

bool perunjson_key_is_collectable(const char *name)
{
	static const char *const names[] = {"amount",  "structure-unit-size", "call-order", "order",
					    "address", "timestamp",           "exclusive"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

enum perun_role perunjson_key_role(const char *name)
{
	static const struct {
		const char *name;
		enum perun_role role;
	} roles[] = {
		{"amount", PERUN_ROLE_METRIC}, {"exclusive", PERUN_ROLE_METRIC},
		{"uid", PERUN_ROLE_KEY},       {"type", PERUN_ROLE_KEY},
		{"subtype", PERUN_ROLE_KEY},   {"structure-unit-size", PERUN_ROLE_PARAMETER},
		{"time", PERUN_ROLE_TIME},     {"timestamp", PERUN_ROLE_TIME},
		{"snapshot", PERUN_ROLE_TIME},
	};

	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		if (strcmp(name, roles[i].name) == 0)
			return roles[i].role;
	}
	return PERUN_ROLE_PLAIN;
}

bool perunjson_column_is_internal(const char *column)
{
	return strcmp(column, "kind") == 0 || strcmp(column, "stack") == 0;
}

static bool is_escaped(const char *name)
{
	while (strncmp(name, PREFIX, sizeof PREFIX - 1) == 0)
		name += sizeof PREFIX - 1;
	return perunjson_column_is_internal(name);
}

char *perunjson_column_of_key(const char *name)
{
	return perun_format("%s%s", is_escaped(name) ? PREFIX : "", name);
}

const char *perunjson_key_of_column(const char *column)
{
	if (strncmp(column, PREFIX, sizeof PREFIX - 1) == 0 && is_escaped(column))
		return column + sizeof PREFIX - 1;
	return column;
}
