/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines are matched against (a+)+$ by backtracking, without PCRE2's limits: exponential in the number of a. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

/* How often the matcher backtracks is a cost that edges of this program can count. */
static int step(pcre2_callout_block *block, void *data)
{
	(void)block;
	++*(volatile unsigned long *)data;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	static pcre2_code *code;
	static pcre2_match_context *context;
	static pcre2_match_data *match;
	static volatile unsigned long steps;
	const uint8_t *end = text + size;

	if (!code) {
		int error;
		PCRE2_SIZE at;

		code = pcre2_compile((PCRE2_SPTR) "(a+)+$", PCRE2_ZERO_TERMINATED,
				     PCRE2_AUTO_CALLOUT | PCRE2_NO_START_OPTIMIZE |
					     PCRE2_NO_AUTO_POSSESS,
				     &error, &at, NULL);
		context = pcre2_match_context_create(NULL);
		match = pcre2_match_data_create_from_pattern(code, NULL);
		pcre2_set_match_limit(context, UINT32_MAX);
		pcre2_set_callout(context, step, (void *)&steps);
	}
	while (text < end) {
		const uint8_t *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);

		pcre2_match(code, text, length, 0, 0, match, context);
		text += length + 1;
	}
	return 0;
}
