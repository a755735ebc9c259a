/* SPDX-License-Identifier: BSD-3-Clause */
/* interleaved BASE HEAD COMMAND...: whether a program is slower in one directory than in another. */
#include <stdio.h>

#include <perun/lib/interleave.h>

static void print(const struct perun_interleave *interleave,
		  const struct perun_interleave_result *result)
{
	static const char *const words[] = {[PERUN_VERDICT_INCREASE] = "slower",
					    [PERUN_VERDICT_DECREASE] = "faster",
					    [PERUN_VERDICT_SAME] = "the same",
					    [PERUN_VERDICT_UNDECIDED] = "inconclusive"};
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	const struct perun_interleave_session *session = &result->sessions[result->count - 1];
	const struct perun_verdict *verdict = &session->first.verdict;

	printf("%s: %s by %s, %.4g %s -> %.4g %s, %zu pairs of runs\n", facts->command,
	       words[result->answer], facts->metric, verdict->before,
	       perun_interleave_unit(facts->metric), verdict->after,
	       perun_interleave_unit(facts->metric), session->count);
}

int main(int argc, char **argv)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const struct perun_interleave_options options = {.struct_size = sizeof options,
							 .collector = "time",
							 .warmup = 1,
							 .max_pairs = 20,
							 .threshold = 0.05};
	struct perun_interleave_result result = {0};
	struct perun_interleave *interleave = NULL;
	int status;

	if (argc < 4 || perun_lib_version() != PERUN_LIB_VERSION)
		status = perun_fail(ctx, PERUN_USAGE, "usage: interleaved BASE HEAD COMMAND...");
	else
		status = perun_interleave_new(ctx, argv + 3, &options, &interleave);
	if (!status)
		status = perun_interleave_compare(ctx, interleave,
						  (const char *const[]){argv[1], argv[2]}, &result);
	if (!status)
		print(interleave, &result);
	else
		fprintf(stderr, "interleaved: %s\n", perun_ctx_error(ctx));
	if (!status && result.answer == PERUN_VERDICT_INCREASE)
		status = PERUN_DEGRADED;
	perun_interleave_result_free(&result);
	perun_interleave_free(interleave);
	perun_ctx_free(ctx);
	return status;
}
