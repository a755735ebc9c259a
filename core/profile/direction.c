/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether higher or lower values of a metric are better, as far as its unit or its name says so. */
#include <ctype.h>
#include <string.h>

#include "core/profile/model.h"
#include "core/profile/words.h"

static const char *const higher_words[] = {
	"throughput", "bandwidth", "fps",     "speedup", "ops",   "qps",    "rps",
	"tps",        "iops",      "hitrate", "hits",    "score", "goodput"};
static const char *const lower_words[] = {
	"time",   "latency",  "duration",   "memory",      "misses",       "miss",
	"cycles", "elapsed",  "allocs",     "allocations", "instructions", "overhead",
	"faults", "switches", "migrations", "size",        "rss",          "clock"};
/* Units of costs: times and amounts of memory. */
static const char *const cost_units[] = {"ns",           "us",           "\xc2\xb5s",
					 "\xce\xbcs",    "ms",           "s",
					 "sec",          "min",          "h",
					 "secs",         "seconds",      "second",
					 "nsec",         "usec",         "msec",
					 "minutes",      "hours",        "nanoseconds",
					 "microseconds", "milliseconds", "b",
					 "kb",           "mb",           "gb",
					 "kib",          "mib",          "gib",
					 "byte",         "bytes",        "kilobytes",
					 "megabytes",    "cycles",       "instructions",
					 "ir",           "allocs"};
/* What a rate is per: so much in that time is better. */
static const char *const times[] = {"s",  "sec", "secs", "second", "seconds", "ms",
				    "us", "ns",  "min",  "minute", "h",       "hour"};

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* "MB/s", "req per sec", "items_per_second" are rates; "ns/op", "us per frame" are costs of a thing. */
static enum perun_direction of_quotient(const char *text)
{
	const char *slash = strrchr(text, '/'), *below = slash ? slash + 1 : NULL;
	size_t length = strlen(text);

	for (size_t i = 0; !below && i + 5 < length; i++) {
		if ((text[i] == 'p' || text[i] == 'P') && strncasecmp(text + i, "per", 3) == 0 &&
		    i > 0 && !is_letter(text[i - 1]) && !is_letter(text[i + 3]))
			below = text + i + 4;
	}
	if (!below)
		return PERUN_BETTER_UNKNOWN;
	length = 0;
	while (is_letter(below[length]))
		length++;
	if (PERUN_WORD_IS_AMONG(below, length, times))
		return PERUN_BETTER_HIGHER;
	length = 0;
	while (is_letter(text[length]))
		length++;
	return PERUN_WORD_IS_AMONG(text, length, cost_units) ? PERUN_BETTER_LOWER
							     : PERUN_BETTER_UNKNOWN;
}

/* "p99-ns", "wait_us": costs that end in their unit. */
static enum perun_direction of_suffix(const char *text)
{
	size_t length = strlen(text), first = length;

	while (first > 0 && is_letter(text[first - 1]))
		first--;
	if (first == 0 || length - first < 2 || (text[first - 1] != '-' && text[first - 1] != '_'))
		return PERUN_BETTER_UNKNOWN;
	return PERUN_WORD_IS_AMONG(text + first, length - first, cost_units) ? PERUN_BETTER_LOWER
									     : PERUN_BETTER_UNKNOWN;
}

/* The first word of the text that says something; "hit rate" is two. */
static enum perun_direction of_words(const char *text)
{
	while (*text) {
		size_t length = 0;

		while (is_letter(text[length]))
			length++;
		if (PERUN_WORD_IS_AMONG(text, length, higher_words))
			return PERUN_BETTER_HIGHER;
		if (PERUN_WORD_IS_AMONG(text, length, lower_words))
			return PERUN_BETTER_LOWER;
		if (length == 3 && strncasecmp(text, "hit", 3) == 0 &&
		    strncasecmp(text + length + (text[length] != '\0'), "rate", 4) == 0)
			return PERUN_BETTER_HIGHER;
		text += length + (length == 0);
	}
	return PERUN_BETTER_UNKNOWN;
}

enum perun_direction perun_direction_by_name(const char *name, const char *unit)
{
	enum perun_direction direction = of_quotient(unit);

	if (direction == PERUN_BETTER_UNKNOWN)
		direction = of_quotient(name);
	if (direction == PERUN_BETTER_UNKNOWN)
		direction = of_words(unit);
	if (direction == PERUN_BETTER_UNKNOWN &&
	    PERUN_WORD_IS_AMONG(unit, strlen(unit), cost_units))
		direction = PERUN_BETTER_LOWER;
	if (direction == PERUN_BETTER_UNKNOWN)
		direction = of_suffix(unit);
	if (direction == PERUN_BETTER_UNKNOWN)
		direction = of_words(name);
	return direction == PERUN_BETTER_UNKNOWN ? of_suffix(name) : direction;
}
