/* SPDX-License-Identifier: BSD-3-Clause */
/* Callers from a copy of a stack. */
#include <string.h>

#include "collectors/common/unwind.h"

static bool read_word(const struct unwind_copy *copy, uint64_t address, uint64_t *word)
{
	if (address < copy->sp || address - copy->sp > copy->stack_size ||
	    copy->stack_size - (address - copy->sp) < sizeof *word)
		return false;
	memcpy(word, (const char *)copy->stack + (address - copy->sp), sizeof *word);
	return true;
}

size_t collectors_unwind(const struct unwind_copy *copy, unwind_rule *rule_at, void *data,
			 uint64_t *frames, size_t most)
{
	uint64_t ip = copy->ip, sp = copy->sp, bp = copy->bp, cfa;
	size_t count = 0;

	while (ip && count < most) {
		/* The innermost is not a return address. */
		uint64_t back = count ? ip : ip + 1;
		struct cfi_rule rule;

		frames[count++] = back;
		rule = rule_at(data, back);
		if (rule.base != CFI_SP && rule.base != CFI_BP)
			break;
		cfa = (rule.base == CFI_SP ? sp : bp) + (uint64_t)(int64_t)rule.cfa_offset;
		if (cfa <= sp || !read_word(copy, cfa - 8, &ip))
			break;
		if (rule.bp_offset &&
		    !read_word(copy, cfa + (uint64_t)(int64_t)rule.bp_offset, &bp))
			break;
		sp = cfa;
	}
	return count;
}
