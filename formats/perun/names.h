/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of keys and columns that mean something in Perun JSON. */
#ifndef PERUN_FORMATS_PERUN_NAMES_H
#define PERUN_FORMATS_PERUN_NAMES_H

#include <perun/profile.h>

/* Whether the key varies within a resource type. */
bool perunjson_key_is_collectable(const char *name);
enum perun_role perunjson_key_role(const char *name);
/*
 * The column that holds a key: its name, but a file's own `kind` and `stack` must not meet the
 * columns that the reader adds: these become "key kind", "key stack" (and "key kind" "key key kind").
 * Caller frees.
 */
char *perunjson_column_of_key(const char *name);
/* The other way; points into `column`. */
const char *perunjson_key_of_column(const char *column);
/* A column that the reader added. */
bool perunjson_column_is_internal(const char *column);

#endif
