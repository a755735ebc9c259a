/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of commands that run a program alternately. */
#include "interleave-options.h"

int commands_interleave_new(struct perun_ctx *ctx, const struct perun_options *options,
			    char *const *argv, struct perun_interleave **interleave)
{
	static const char *const passed[][2] = {
		{"pin", "--pin"}, {"input", "--input"}, {"timeout", "--timeout"}};
	const char *words[8] = {NULL};
	struct perun_interleave_options how = {
		.struct_size = sizeof how,
		.collector = words,
		.warmup = (size_t)perun_option_integer(options, "warmup"),
		.pairs = (size_t)perun_option_integer(options, "repeat"),
		.max_pairs = (size_t)perun_option_integer(options, "most"),
		.budget = perun_option_given(options, "budget")
				  ? perun_option_number(options, "budget")
				  : 0,
		.threshold = perun_option_number(options, "threshold") / 100,
		.seeded = perun_option_given(options, "seed"),
		.seed = (uint64_t)perun_option_integer(options, "seed")};
	size_t count = 0;

	if (perun_option_given(options, "metric"))
		how.metric = perun_option_string(options, "metric");
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
		if (!perun_option_given(options, passed[i][0]))
			continue;
		words[count++] = passed[i][1];
		words[count++] = perun_option_string_at(options, passed[i][0], 0);
	}
	if (perun_option_flag(options, "ignore-status"))
		words[count] = "--ignore-status";
	return perun_interleave_new(ctx, argv, &how, interleave);
}

const char **commands_words(const struct perun_options *options, const char *name)
{
	size_t count = perun_option_count(options, name);
	const char **words = perun_alloc_zero(count + 1, sizeof *words);

	for (size_t i = 0; i < count; i++)
		words[i] = perun_option_string_at(options, name, i);
	return words;
}
