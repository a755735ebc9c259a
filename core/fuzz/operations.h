/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rule does: to bytes, to pieces, to what an expression matches. */
#ifndef PERUN_CORE_FUZZ_OPERATIONS_H
#define PERUN_CORE_FUZZ_OPERATIONS_H

#include <perun/lib/program.h>
#include <perun/regex.h>

#include "core/fuzz/pieces.h"
#include "core/fuzz/random.h"

struct fuzz_bytes {
	const char *bytes;
	size_t size;
};

/* Words of any bytes, one after the other in `text`. {0} has none. */
struct fuzz_dictionary {
	struct perun_buffer text;
	size_t *ends; /* of each word in it */
	size_t count, capacity;
};
void fuzz_dictionary_add(struct fuzz_dictionary *dictionary, struct fuzz_bytes word);
struct fuzz_bytes fuzz_dictionary_at(const struct fuzz_dictionary *dictionary, size_t i);
void fuzz_dictionary_free(struct fuzz_dictionary *dictionary);

/* A rule that the user gave: what matches is replaced; \0 to \9 are the groups. */
struct fuzz_user_rule {
	struct perun_regex *regex;
	char *replacement;
};

/* One change that is being made. */
struct fuzz_change {
	struct fuzz_random *random;
	struct fuzz_bytes input, other;
	size_t most; /* bytes of what it becomes */
	const struct fuzz_dictionary *dictionary;
	const struct fuzz_structure *structure; /* of a change of pieces */
	struct fuzz_pieces pieces;
	struct perun_buffer *out;
};

/* False = there was nothing to work on. */
struct fuzz_operation {
	const char *name;
	bool (*apply)(struct fuzz_change *change);
	bool nests; /* only where pieces may be in another one */
};

/* Operation `i` on bytes, or on pieces; NULL after the last. */
const struct fuzz_operation *fuzz_byte_operation(size_t i);
const struct fuzz_operation *fuzz_piece_operation(size_t i);
bool fuzz_apply_user_rule(struct fuzz_change *change, const struct fuzz_user_rule *rule);

#endif
