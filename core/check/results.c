/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the results of checks. */
#include <config.h>

#include <string.h>

#include <perun/check.h>
#include <perun/lib/compare.h>
#include <perun/lib/units.h>

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

/* ---- words ----------------------------------------------------------------------------------- */

/* What becomes more and less, each by itself and after "maybe". */
static const struct wording {
	const char *more, *maybe_more, *less, *maybe_less;
} timed = {"slower", "maybe slower", "faster", "maybe faster"},
  bytes = {"more", "maybe more", "less", "maybe less"},
  counted = {"more", "maybe more", "fewer", "maybe fewer"},
  other = {"higher", "maybe higher", "lower", "maybe lower"};

/* The number that an amount such as "115.69ms" begins with, and its unit. */
static bool take_amount(const char *text, double *number, const char **unit)
{
	char *end = NULL;

	if (!text)
		return false;
	*number = perun_strtod(text, &end);
	*unit = end + strspn(end, " ");
	return end != text;
}

/* Of "ms/frame" the first unit decides, and what is per time is a speed. */
static const struct wording *wording_of(const struct perun_change *change, const char *unit)
{
	char numerator[32];
	size_t length = strcspn(unit, "/");
	enum perun_unit_kind kind;

	if (unit[length] && perun_unit_of(unit + length + 1).kind == PERUN_UNIT_TIME)
		return &timed;
	if (length >= sizeof numerator)
		return &other;
	memcpy(numerator, unit, length);
	numerator[length] = 0;
	kind = perun_unit_of(numerator).kind;
	if (kind == PERUN_UNIT_TIME)
		return &timed;
	if (kind == PERUN_UNIT_BYTES)
		return &bytes;
	/* Profiles of the Python program may name no unit. */
	if (!length)
		return change->type && strstr(change->type, "time") ? &timed : &other;
	/* "instructions", "objects": a noun that is counted, and no symbol such as "%" or "W". */
	return length > 2 && strspn(numerator, "abcdefghijklmnopqrstuvwxyz-_") == length ? &counted
											 : &other;
}

/* How a change is worded; NULL = what became of it is no more or less of an amount. */
static const struct wording *find_wording(const struct perun_change *change, bool *rises)
{
	const char *unit, *before_unit;
	double before, after;

	if (!take_amount(change->from_baseline, &before, &before_unit) ||
	    !take_amount(change->to_target, &after, &unit))
		return NULL;
	if (strcmp(unit, before_unit) != 0)
		after *= (double)perun_unit_factor(unit, before_unit);
	*rises = after > before;
	return before != after ? wording_of(change, unit) : NULL;
}

bool perun_change_is_timed(const struct perun_change *change)
{
	bool rises;
	const struct wording *wording = find_wording(change, &rises);

	return !wording || wording == &timed;
}

const char *perun_change_words(const struct perun_change *change)
{
	bool rises, maybe = change->result == PERUN_RESULT_MAYBE_DEGRADATION ||
			    change->result == PERUN_RESULT_MAYBE_OPTIMIZATION;
	const struct wording *wording;

	if (perun_change_is_failure(change))
		return PERUN_CHANGE_FAILED;
	if (!maybe && !perun_result_is_change(change->result))
		return perun_result_words(change->result);
	wording = find_wording(change, &rises);
	/* What is slower is said of rates as well, which fall. */
	if (!wording || wording == &timed)
		return perun_result_words(change->result);
	if (rises)
		return maybe ? wording->maybe_more : wording->more;
	return maybe ? wording->maybe_less : wording->less;
}

bool perun_result_is_degradation(enum perun_result result)
{
	return (unsigned)result < PERUN_RESULTS && results[result].sign < 0;
}

bool perun_result_is_optimization(enum perun_result result)
{
	return (unsigned)result < PERUN_RESULTS && results[result].sign > 0;
}
