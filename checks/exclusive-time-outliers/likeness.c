/* SPDX-License-Identifier: BSD-3-Clause */
/* How alike two names are. */
#include <config.h>

#include <string.h>

#include "checks/exclusive-time-outliers/times.h"

/* Longer names are compared by this many bytes, so that the effort stays small. */
#define MAX_LENGTH 256

struct piece {
	const char *text;
	size_t length;
};

/* The longest common piece: where it begins in both, and its length. */
static size_t longest_common(struct piece a, struct piece b, size_t *lengths, size_t *in_a,
			     size_t *in_b)
{
	size_t best = 0;

	/* lengths[j + 1]: of the common piece that ends at a[i] and b[j]. */
	memset(lengths, 0, (b.length + 1) * sizeof *lengths);
	for (size_t i = 0; i < a.length; i++) {
		for (size_t j = b.length; j-- > 0;) {
			lengths[j + 1] = a.text[i] == b.text[j] ? lengths[j] + 1 : 0;
			if (lengths[j + 1] > best ||
			    (lengths[j + 1] == best && best && *in_a == i + 1 - best)) {
				best = lengths[j + 1];
				*in_a = i + 1 - best;
				*in_b = j + 1 - best;
			}
		}
	}
	return best;
}

static size_t matched(struct piece a, struct piece b, size_t *lengths)
{
	size_t in_a = 0, in_b = 0, length;

	if (a.length == 0 || b.length == 0)
		return 0;
	length = longest_common(a, b, lengths, &in_a, &in_b);
	if (length == 0)
		return 0;
	return length +
	       matched((struct piece){a.text, in_a}, (struct piece){b.text, in_b}, lengths) +
	       matched((struct piece){a.text + in_a + length, a.length - in_a - length},
		       (struct piece){b.text + in_b + length, b.length - in_b - length}, lengths);
}

double exclusive_likeness(const char *a, const char *b)
{
	struct piece one = {a, strnlen(a, MAX_LENGTH)}, other = {b, strnlen(b, MAX_LENGTH)};
	size_t *lengths = perun_alloc_zero(other.length + 1, sizeof *lengths);
	size_t common = matched(one, other, lengths), all = one.length + other.length;

	perun_free(lengths);
	return all ? 2.0 * (double)common / (double)all : 1;
}
