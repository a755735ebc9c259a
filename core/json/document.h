/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a JSON document. */
#ifndef PERUN_JSON_DOCUMENT_H
#define PERUN_JSON_DOCUMENT_H

#include "arena.h"
#include "perun/json.h"

/* From this many members on, an object has an index of its keys. */
#define JSON_INDEX_FROM 12

struct json_member {
	char *key; /* NUL-terminated */
	size_t length;
	struct perun_json *value;
};

/* Of a value that is not an array or object, the bytes beyond what its type uses do not exist. */
struct perun_json {
	enum perun_json_type type;
	bool digits; /* an integer as text */
	/*
	 * Where the value is: in the arena of a document, of which one value is the root, or in memory of its own. The
	 * lists of a container of an arena are there too until it is changed: `frozen`.
	 */
	bool in_arena, root, frozen;
	union {
		bool boolean;
		int64_t integer;
		double real;
		struct {            /* STRING, and INT beyond 64 bits */
			char *text; /* NUL-terminated */
			size_t length;
		};
		struct { /* ARRAY: items; OBJECT: members, and an index in large ones */
			union {
				struct perun_json **items;
				struct json_member *members;
			};
			size_t count, capacity;
			uint32_t *index; /* open addressing; member + 1, 0 = free */
			size_t index_size;
			struct json_arena *arena; /* NULL: not in one */
		};
	};
};

uint64_t json_hash_key(const char *key, size_t length);
/* The size of an index for that many members. */
size_t json_index_size(size_t count);

#endif
