/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the results of checks. */
#include <config.h>

#include <string.h>

#include <perun/check.h>

static const struct {
	const char *name, *words;
	bool fails;
	int sign; /* -1 degradation, 1 optimization */
} results[PERUN_RESULTS] = {
	[PERUN_RESULT_NOT_IN_TARGET] = {"NotInTarget", "gone", false, 0},
	[PERUN_RESULT_SEVERE_OPTIMIZATION] = {"SevereOptimization", "faster", false, 1},
	[PERUN_RESULT_OPTIMIZATION] = {"Optimization", "faster", false, 1},
	[PERUN_RESULT_MAYBE_OPTIMIZATION] = {"MaybeOptimization", "maybe faster", false, 0},
	[PERUN_RESULT_TOTAL_OPTIMIZATION] = {"TotalOptimization", "faster", false, 1},
	[PERUN_RESULT_NO_CHANGE] = {"NoChange", "no change", false, 0},
	[PERUN_RESULT_UNKNOWN] = {"Unknown", "changed", false, 0},
	[PERUN_RESULT_TOTAL_DEGRADATION] = {"TotalDegradation", "slower", true, -1},
	[PERUN_RESULT_MAYBE_DEGRADATION] = {"MaybeDegradation", "maybe slower", false, 0},
	[PERUN_RESULT_DEGRADATION] = {"Degradation", "slower", true, -1},
	[PERUN_RESULT_SEVERE_DEGRADATION] = {"SevereDegradation", "slower", true, -1},
	[PERUN_RESULT_NOT_IN_BASELINE] = {"NotInBaseline", "new", false, 0},
	[PERUN_RESULT_INCONCLUSIVE] = {"Inconclusive", "undecided", false, 0},
};

const char *perun_result_name(enum perun_result result)
{
	return (unsigned)result < PERUN_RESULTS ? results[result].name : "Unknown";
}

const char *perun_result_words(enum perun_result result)
{
	return (unsigned)result < PERUN_RESULTS ? results[result].words : "changed";
}

enum perun_result perun_result_from_name(const char *name)
{
	unsigned result = 0;

	while (result < PERUN_RESULTS && strcmp(results[result].name, name) != 0)
		result++;
	return (enum perun_result)result;
}

bool perun_result_fails(enum perun_result result)
{
	return (unsigned)result < PERUN_RESULTS && results[result].fails;
}

bool perun_result_is_change(enum perun_result result)
{
	return perun_result_is_degradation(result) || perun_result_is_optimization(result);
}

bool perun_change_is_failure(const struct perun_change *change)
{
	return change->result == PERUN_RESULT_UNKNOWN && change->to_target &&
	       strcmp(change->to_target, PERUN_CHANGE_FAILED) == 0;
}

const char *perun_change_words(const struct perun_change *change)
{
	return perun_change_is_failure(change) ? PERUN_CHANGE_FAILED
					       : perun_result_words(change->result);
}

bool perun_result_is_degradation(enum perun_result result)
{
	return (unsigned)result < PERUN_RESULTS && results[result].sign < 0;
}

bool perun_result_is_optimization(enum perun_result result)
{
	return (unsigned)result < PERUN_RESULTS && results[result].sign > 0;
}
