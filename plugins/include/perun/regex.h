/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular expressions: RE2's and Perl's syntax over PCRE2, with its limits set.
 * Threads: an expression belongs to one thread at a time.
 */
#ifndef PERUN_REGEX_H
#define PERUN_REGEX_H

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_regex;

enum perun_regex_flags {
	PERUN_REGEX_WHOLE = 1, /* the whole text must match */
	PERUN_REGEX_NO_CASE = 2,
	/*
	 * The syntax that RE2 has, no more: back references, look-around and the like are refused, "$" is
	 * the end of the text alone. What RE2 spells differently is understood.
	 */
	PERUN_REGEX_RE2 = 4
};

/*
 * Compile. Fails with PERUN_USAGE: what is wrong, where. Texts to match are UTF-8; bytes that are not
 * match nothing but do no harm. The owner frees it.
 */
PERUN_EXPORT int perun_regex_new(struct perun_ctx *ctx, const char *expression, unsigned flags,
				 struct perun_regex **regex);
PERUN_EXPORT void perun_regex_free(struct perun_regex *regex); /* NULL is fine */
/*
 * Whether it matches (anywhere, unless WHOLE). A text on which matching takes more work than the
 * limits allow does not match, and perun_regex_exhausted() says so from then on. Belongs to one
 * thread.
 */
PERUN_EXPORT bool perun_regex_matches(struct perun_regex *regex, const char *text, size_t length);
/*
 * The same, and where: bytes [first, end) of the whole match in groups[0], of the parenthesized groups
 * after it; SIZE_MAX for groups that took no part and for those the expression does not have. The
 * layout of a group is fixed.
 */
struct perun_regex_group {
	size_t first, end;
};
PERUN_EXPORT bool perun_regex_find(struct perun_regex *regex, const char *text, size_t length,
				   struct perun_regex_group *groups, size_t count);
PERUN_EXPORT bool perun_regex_exhausted(const struct perun_regex *regex);
/* The expression as it was given; owned by regex. */
PERUN_EXPORT const char *perun_regex_text(const struct perun_regex *regex);

#ifdef __cplusplus
}
#endif
#endif
