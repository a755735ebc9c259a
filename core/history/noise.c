/* SPDX-License-Identifier: BSD-3-Clause */
/* How measurements of a metric vary though nothing changed: the table of perun-check(1). */
#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/statistics.h>
#include <perun/lib/units.h>
#include <perun/query.h>

#include "core/history/values.h"
#include "core/profile/words.h"

/* What a sampling profiler's tick is where a profile does not say: 10 ms, as most take a hundred a second. */
#define USUAL_TICK 0.01
/* Rows that are single samples show what one is. */
#define MIN_ROWS 20

/* Metrics that a program repeats exactly: a word of the name or of the unit. */
static const char *const exact_words[] = {
	"alloc", "allocs", "allocations", "allocated", "instructions", "instruction", "ir",
	"calls", "call",   "insn",        "insns",     "bytecode",     "size",        "b/op"};
/* Words that take it back: memory in use, times, rates, what caches and clocks do. */
static const char *const noisy_words[] = {"rss",    "time", "peak", "resident", "inuse",
					  "misses", "miss", "rate", "cycles",   "latency"};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool has_word(const char *text, const char *const *list, size_t count)
{
	const uint32_t letters = perun_first_letters(list, count);

	if (letters & perun_letter_bit(*text) &&
	    perun_word_is_among(text, strlen(text), list, count))
		return true;
	while (*text) {
		size_t length = 0;

		while (is_letter(text[length]))
			length++;
		if (letters & perun_letter_bit(*text) &&
		    perun_word_is_among(text, length, list, count))
			return true;
		text += length + (length == 0);
	}
	return false;
}

#define HAS_WORD(text, list) has_word(text, list, sizeof(list) / sizeof *(list))

static bool is_exact_by_name(const struct perun_metric *metric)
{
	return (HAS_WORD(metric->name, exact_words) || HAS_WORD(metric->unit, exact_words)) &&
	       !HAS_WORD(metric->name, noisy_words) &&
	       perun_unit_of(metric->unit).kind != PERUN_UNIT_TIME;
}

static const struct perun_json *about(const struct perun_profile *profile,
				      const struct perun_metric *metric)
{
	return perun_json_get(perun_json_get(perun_profile_document(profile), "metrics"),
			      metric->name);
}

/* ---- load --------------------------------------------------------------------------------------- */

#define LOAD       "/machine/cpu/load"
#define PROCESSORS "/machine/cpu/total"

double perun_load_of(const struct perun_profile *profile)
{
	double load = perun_strtod(perun_profile_text(profile, LOAD), NULL);
	double processors = perun_strtod(perun_profile_text(profile, PROCESSORS), NULL);

	return load > 0 && processors > 0 ? load / processors : 0;
}

char *perun_busy_words(const struct perun_profile *profile)
{
	double load = perun_load_of(profile);
	double processors = perun_strtod(perun_profile_text(profile, PROCESSORS), NULL);

	if (!(load > 1))
		return NULL;
	return perun_format("load %.3g on %.0f processor%s", load * processors, processors,
			    processors == 1 ? "" : "s");
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The median of the rows, where rows are single samples of a clock or a counter: most are the same; else 0. */
static double common_row(const struct perun_profile *profile, const struct perun_metric *metric)
{
	size_t rows = perun_table_rows(perun_resources(profile)), count = 0, same = 0;
	const uint32_t *own =
		metric->selector[0] ? perun_metric_rows(profile, metric, &rows) : NULL;
	double *values = perun_alloc((rows + 1) * sizeof *values), median = 0;

	for (size_t i = 0; i < rows; i++) {
		size_t row = own ? own[i] : i;

		if (!perun_metric_has_row(metric, row))
			continue;
		values[count] = perun_column_double(metric->values, row);
		count += isfinite(values[count]);
	}
	if (count >= MIN_ROWS) {
		median = perun_select_in_place(values, count, count / 2);
		for (size_t i = 0; i < count; i++)
			same += values[i] == median;
		if (same < count / 2)
			median = 0;
	}
	perun_free(values);
	return median > 0 ? median : 0;
}

/* The period of the document, where it is one of this metric's unit; else 0. */
static double stated_period(const struct perun_profile *profile, const struct perun_metric *metric)
{
	const struct perun_json *document = perun_profile_document(profile);
	const struct perun_json *header = perun_json_get(document, "header");
	const char *unit = perun_json_as_string(
		perun_json_get(perun_json_get(header, "period_type"), "unit"), NULL);
	double amount = 0;

	/* Our collector of the processor's time says it in a member of its own. */
	if (perun_json_as_double(perun_json_path(document, "/cpu/period"), &amount))
		unit = "ns";
	else if (!perun_json_as_double(perun_json_get(header, "period"), &amount))
		return 0;
	if (!unit || !*unit || !(amount > 0))
		return 0;
	return amount * (double)perun_unit_factor(unit, metric->unit);
}

/* What takes the place of `end` in the name of a metric gives the name of another: that one, or NULL. */
static const struct perun_metric *companion(const struct perun_profile *profile,
					    const struct perun_metric *metric, const char *end,
					    const char *other_end)
{
	size_t length = strlen(metric->name), tail = strlen(end);
	const struct perun_metric *other;
	char *name;

	if (length < tail || strcmp(metric->name + length - tail, end) != 0)
		return NULL;
	name = perun_format("%.*s%s", (int)(length - tail), metric->name, other_end);
	other = perun_metric(profile, name);
	perun_free(name);
	return other;
}

/*
 * What one sample adds to a metric, where another of the same rows says how many samples each has: `scale` of its unit
 * are one. Rows differ in it, and sums of random numbers of different terms scatter as if all were of the mean of their
 * squares by their mean. 0 = not known.
 */
static double sample_by(const struct perun_profile *profile, const struct perun_metric *metric,
			const struct perun_metric *other, double scale)
{
	size_t rows = perun_table_rows(perun_resources(profile));
	double sum = 0, squares = 0;

	for (size_t row = 0; row < rows; row++) {
		double value, samples;

		if (!perun_metric_has_row(metric, row) || !perun_metric_has_row(other, row))
			continue;
		value = perun_column_double(metric->values, row);
		samples = perun_column_double(other->values, row) / scale;
		if (!(value > 0) || !(samples > 0))
			continue;
		sum += value;
		squares += value * value / samples;
	}
	return sum > 0 ? squares / sum : 0;
}

/* Bytes of allocations of which one is sampled (Go, gperftools, jemalloc); 0 = each is counted, or it is no such profile. */
static double heap_period(const struct perun_profile *profile, const struct perun_metric *metric)
{
	double period = 0;

	if (perun_unit_of(metric->unit).kind != PERUN_UNIT_BYTES)
		return 0;
	if (!perun_json_as_double(perun_json_get(about(profile, metric), "sample"), &period))
		period = stated_period(profile, metric);
	return period > 1 ? period : 0;
}

/* The same of what one sampled allocation, or a sampled event of another kind, adds to a metric beside it. */
static double sample_beside(const struct perun_profile *profile, const struct perun_metric *metric)
{
	const struct perun_metric *other = companion(profile, metric, "objects", "space");
	double scale;

	if (other) {
		scale = heap_period(profile, other);
		return scale > 0 ? sample_by(profile, metric, other, scale) : 0;
	}
	other = companion(profile, metric, "delay", "contentions");
	if (!other)
		other = companion(profile, metric, "_event", "_sample");
	if (!other)
		return 0;
	scale = stated_period(profile, other);
	return sample_by(profile, metric, other, scale > 0 ? scale : 1);
}

/* What one sample adds to a metric: what the document says, else what the rows show, else what is usual; 0 = not known. */
static double sample_of(const struct perun_profile *profile, const struct perun_metric *metric)
{
	const enum perun_unit_kind kind = perun_unit_of(metric->unit).kind;
	double amount = 0;

	if (!perun_json_as_double(perun_json_get(about(profile, metric), "sample"), &amount))
		amount = sample_beside(profile, metric);
	if (!(amount > 0))
		amount = stated_period(profile, metric);
	if (amount > 0)
		return amount;
	if (kind != PERUN_UNIT_BYTES)
		amount = common_row(profile, metric);
	if (amount > 0)
		return amount;
	if (kind == PERUN_UNIT_COUNT)
		return 1;
	return kind == PERUN_UNIT_TIME ? USUAL_TICK * (double)perun_unit_factor("s", metric->unit)
				       : 0;
}

/* What one sample adds where a profile of stacks is known to sample what a program repeats exactly; else 0. */
static double sample_of_exact(const struct perun_profile *profile,
			      const struct perun_metric *metric)
{
	double period = heap_period(profile, metric);

	return period > 0 ? period : sample_beside(profile, metric);
}

enum perun_noise perun_noise_of(const struct perun_profile *profile,
				const struct perun_metric *metric, double *sample)
{
	const char *said =
		perun_json_as_string(perun_json_get(about(profile, metric), "noise"), NULL);

	*sample = 0;
	if (said && strcmp(said, "timed") == 0)
		return PERUN_NOISE_TIMED;
	if (said && strcmp(said, "exact") == 0)
		return PERUN_NOISE_EXACT;
	if (!said && !perun_has_stacks(perun_resources(profile)))
		return is_exact_by_name(metric) ? PERUN_NOISE_EXACT : PERUN_NOISE_TIMED;
	if (!said && is_exact_by_name(metric)) {
		*sample = sample_of_exact(profile, metric);
		return *sample > 0 ? PERUN_NOISE_SAMPLED : PERUN_NOISE_EXACT;
	}
	*sample = sample_of(profile, metric);
	if (!said && *sample == 0 && perun_unit_of(metric->unit).kind == PERUN_UNIT_BYTES)
		return PERUN_NOISE_EXACT;
	return *sample > 0 ? PERUN_NOISE_SAMPLED : PERUN_NOISE_TIMED;
}

bool perun_is_sampling_noise(const double values[2], const double samples[2])
{
	double variance = fabs(values[0]) * samples[0] + fabs(values[1]) * samples[1];

	return fabs(values[1] - values[0]) < 2 * sqrt(variance);
}
