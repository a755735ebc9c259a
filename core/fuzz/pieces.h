/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces that an input is made of: lines, words, values of JSON, elements of XML, fields. */
#ifndef PERUN_CORE_FUZZ_PIECES_H
#define PERUN_CORE_FUZZ_PIECES_H

#include <perun/context.h>

struct fuzz_piece {
	size_t first, end; /* bytes */
};

/* At most FUZZ_MAX_PIECES of an input, in the order in which they begin. {0} is empty. */
enum { FUZZ_MAX_PIECES = 1 << 16 };
struct fuzz_pieces {
	struct fuzz_piece *items;
	size_t count, capacity;
};
void fuzz_pieces_free(struct fuzz_pieces *pieces);

enum fuzz_content {
	FUZZ_BYTES = 1, /* anything */
	FUZZ_TEXT = 2,
	FUZZ_JSON = 4,
	FUZZ_XML = 8,
	FUZZ_CSV = 16
};
/* What an input may be taken for, by its bytes; FUZZ_BYTES is always among it. */
unsigned fuzz_content_of(const char *bytes, size_t size);

/* One way to take an input apart. */
struct fuzz_structure {
	const char *name;      /* "line", of the rule "repeat line" */
	unsigned contents;     /* for which it is used */
	const char *separator; /* between a piece and its copy */
	const char *before,
		*after; /* what nests a piece in another one of its kind; NULL = it cannot be */
	void (*find)(const char *bytes, size_t size, struct fuzz_pieces *pieces);
};
/* Structure `i`; NULL after the last. */
const struct fuzz_structure *fuzz_structure_at(size_t i);

#endif
