/* SPDX-License-Identifier: BSD-3-Clause */
/* A predicate made ready to be tested on many cells; for the files of this folder. */
#ifndef PERUN_CORE_QUERY_MATCH_H
#define PERUN_CORE_QUERY_MATCH_H

#include "core/query/cell.h"
#include "perun/regex.h"

struct perun_matcher {
	enum perun_predicate predicate; /* never a negation */
	bool negated;
	const char *value; /* borrowed */
	size_t length;
	struct perun_cell number; /* the value, if it reads as a number */
	struct perun_regex *regex;
};

/* `value` NULL only for predicates that take none. */
int perun_matcher_init(struct perun_ctx *ctx, struct perun_matcher *matcher,
		       enum perun_predicate predicate, const char *value);
void perun_matcher_clear(struct perun_matcher *matcher);
/* Whether the cell fulfils it; `text` is room for its text. Returns a status. */
int perun_matcher_test(struct perun_ctx *ctx, const struct perun_matcher *matcher,
		       struct perun_cell *cell, struct perun_buffer *text, bool *fulfilled);

/* A glob over a whole text, in time of the product of their lengths. */
bool perun_glob(const char *pattern, const char *text, size_t length);
/* Whether the pattern is whole: brackets closed, nothing after a last backslash missing. */
bool perun_glob_valid(const char *pattern);

#endif
