/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules by which an input becomes another one. */
#ifndef PERUN_CORE_FUZZ_RULES_H
#define PERUN_CORE_FUZZ_RULES_H

#include "core/fuzz/operations.h"

struct fuzz_rule {
	char *name;                             /* "repeat line" */
	unsigned contents;                      /* inputs that it is for: enum fuzz_content */
	const struct fuzz_structure *structure; /* NULL = it works on bytes */
	unsigned operation;
	struct fuzz_user_rule user;
	uint64_t tried, used; /* how often; how often the input was kept */
	double score;         /* of late: used by tried, older ones count less */
};

struct fuzz_rules {
	struct fuzz_rule *items;
	size_t count, capacity;
	struct fuzz_dictionary dictionary;
};

/* All of Perun's own, and those of a file: YAML, {"REGEX": "REPLACEMENT", ...}. `file` may be NULL. */
int fuzz_rules_new(struct perun_ctx *ctx, const char *file, struct fuzz_rules *rules);
/* Words of a dictionary as libFuzzer and AFL have it: a line NAME="TEXT" or "TEXT" each. */
int fuzz_rules_dictionary(struct perun_ctx *ctx, const char *file, struct fuzz_rules *rules);
void fuzz_rules_free(struct fuzz_rules *rules);

/* A copy for another thread, as expressions belong to one at a time. */
int fuzz_rules_copy(struct perun_ctx *ctx, const struct fuzz_rules *rules, struct fuzz_rules *copy);

/*
 * Choose a rule for such contents: one of seven is any of them, the others by their scores, so that what works is
 * done more often and what does not is not forgotten. SIZE_MAX if there is none.
 */
size_t fuzz_rules_choose(const struct fuzz_rules *rules, struct fuzz_random *random,
			 unsigned contents);
/* What came of it. */
void fuzz_rules_judge(struct fuzz_rules *rules, size_t rule, bool used);

/*
 * Append to `out`, empty before, what becomes of `input`; `other` is a second one, which may be the same. At most
 * `most` bytes. False when the rule has nothing to work on.
 */
bool fuzz_rule_apply(const struct fuzz_rules *rules, size_t rule, struct fuzz_random *random,
		     struct fuzz_bytes input, struct fuzz_bytes other, size_t most,
		     struct perun_buffer *out);

#endif
