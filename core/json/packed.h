/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large containers: a few bytes for each value until somebody looks at it, in blocks that can be read without each other.
 *
 * A block holds members or elements one after the other. Names that follow each other begin and end alike ("BenchmarkA1 [py3]",
 * "BenchmarkA2 [py3]"): a key is how many bytes it has in common with the one before at its beginning and at its end, up to
 * JSON_SHARED each, how many are between them, and these. A value is a mark and what that says. Counts are in base 128, the lowest
 * digits first, 128 added to all but the last.
 */
#ifndef PERUN_JSON_PACKED_H
#define PERUN_JSON_PACKED_H

#include <pthread.h>
#include <stdatomic.h>

#include "document.h"

enum { JSON_SHARED = 127, JSON_COUNT_SIZE = 10, JSON_SHAPES = 8, JSON_SHAPE_KEYS = 64 };

enum json_mark {
	JSON_MARK_NULL,
	JSON_MARK_FALSE,
	JSON_MARK_TRUE,
	JSON_MARK_KEY,    /* a text: the same as the key */
	JSON_MARK_BEFORE, /* the same as the value before, which has no container in a container */
	JSON_MARK_TEXT,
	JSON_MARK_DIGITS,
	JSON_MARK_INTEGER, /* its sign is the lowest bit of the count that follows */
	JSON_MARK_REAL,    /* its bytes */
	JSON_MARK_ARRAY,   /* how many elements, and these */
	JSON_MARK_OBJECT, /* how many members, their keys, and their values; the keys are a shape from now on */
	JSON_MARK_LARGE,     /* the same, but no shape */
	JSON_MARK_LIKE,      /* which of the last shapes of the block, and the values */
	JSON_MARK_OTHER,     /* which of the values that are not in a block */
	JSON_MARK_DECIMAL,   /* and up to JSON_DECIMALS more: an integer over that power of ten */
	JSON_MARK_SMALL = 32 /* from here on: integers from 0 on */
};

enum { JSON_DECIMALS = 9 };

struct json_block {
	size_t first, count; /* which members or elements */
	size_t size;
	void *_Atomic
		made; /* struct json_frozen_member or struct perun_json of each; NULL: nobody has looked at one */
	unsigned char bytes[];
};

/* The block that is gone through last, in memory of its own. */
struct json_passing {
	struct json_arena *arena;
	const struct json_block *block;
	void *made;
};

struct json_packed {
	struct json_list head; /* `count` is right when it is settled, `index` when it is indexed */
	enum perun_json_type type;
	_Atomic bool settled; /* whether keys are repeated is known */
	_Atomic bool indexed; /* somebody looked for a key */
	struct json_list *
		made; /* settled: all of it, where there is little or a key is repeated; else NULL */
	size_t count; /* repeated keys too */
	struct json_block **blocks;
	size_t block_count;
	struct perun_json
		*others; /* not in a block: long texts, and containers that are packed themselves */
	size_t other_count;
	struct json_passing passing;
};

/* From this length on a text of a document that is packed is in the memory that is kept. */
enum { JSON_LONG_TEXT = 4096 };

/* Who packs. */
struct json_packer;
/*
 * A container in memory that goes with `arena`, which is that of the document. The packed one is in `kept`; if that is another
 * arena, so are long texts and packed containers that are given, and they stay there. Else all is copied.
 */
struct json_packer *json_packer_new(struct json_arena *arena, struct json_arena *kept,
				    enum perun_json_type type);
/* `key`: NULL in an array. */
void json_pack(struct json_packer *packer, const char *key, size_t length,
	       const struct perun_json *value);
/* One that stays where it is. */
void json_pack_other(struct json_packer *packer, const char *key, size_t length,
		     const struct perun_json *value);
/* A number, a text, and an object of texts; all but the last key are NUL-terminated. */
void json_pack_number(struct json_packer *packer, const char *key, double number);
void json_pack_text(struct json_packer *packer, const char *key, const char *text);
void json_pack_texts(struct json_packer *packer, const char *key, size_t length,
		     const char *const *names, const char *const *texts, size_t count);
struct json_packed *json_packer_end(struct json_packer *packer); /* frees it */

/* A value of what is packed. */
struct perun_json json_packed_value(struct json_packed *packed);

/*
 * Member or element i of any container, and its key (NULL in an array), for who goes through all of them: what was given before is
 * gone with another block. `passing` begins as zeroes; who has it frees its arena.
 */
const struct perun_json *json_pass(const struct perun_json *value, struct json_passing *passing,
				   size_t i, const struct json_text **key);
static inline struct json_packed *json_packed_of(const struct perun_json *value)
{
	return (struct json_packed *)value->list;
}

#endif
