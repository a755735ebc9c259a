/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines described by formats: "%checksum:6% (%stats%) %desc%". */
#ifndef COMMANDS_COMMON_FIELDS_H
#define COMMANDS_COMMON_FIELDS_H

#include <stddef.h>

#include <perun/context.h>

/*
 * A piece of a format: literal text (name NULL), or a field. In "%name:12f.%" 12 fixes the width (it
 * never gets less than the name's) and '.' fills up.
 */
struct commands_field {
	char *name;
	char *literal;
	size_t limit; /* 0 = as wide as the widest value */
	char fill;    /* ' ' unless given */
	size_t width; /* of the column, to be computed by the user of the fields */
	int id;       /* index into the names given to commands_fields_parse() */
};

struct commands_fields {
	struct commands_field *items;
	size_t count, capacity;
};

/* `names`: the fields there are, NULL-terminated; `key`: the setting the format comes from. */
int commands_fields_parse(struct perun_ctx *ctx, const char *format, const char *const *names,
			  const char *key, struct commands_fields *fields);
void commands_fields_free(struct commands_fields *fields);

/* Append a value cut or filled up to a width (in characters). */
void commands_fields_pad(struct perun_buffer *text, const char *value, size_t width, char fill);
/* Append it in the middle; an odd blank goes where the Python program's str.center() has it. */
void commands_fields_center(struct perun_buffer *text, const char *value, size_t width);

#endif
