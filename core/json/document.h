/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a JSON document. */
#ifndef PERUN_JSON_DOCUMENT_H
#define PERUN_JSON_DOCUMENT_H

#include "perun/json.h"

struct json_member {
	char *key; /* NUL-terminated */
	size_t length;
	uint64_t hash; /* only where the object has an index */
	struct perun_json *value;
};

/* Of a value that is not an array or object, the bytes beyond what its type uses do not exist. */
struct perun_json {
	enum perun_json_type type;
	bool digits; /* an integer as text */
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
		};
	};
};

#endif
