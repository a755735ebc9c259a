/* SPDX-License-Identifier: BSD-3-Clause */
/* Words in headings, and units. */
#include <string.h>
#include <strings.h>

#include <perun/context.h>

#include "formats/table/headings.h"

enum { MOST = 28 };

static const char *const words[QUANTITY + 1][MOST] = {
	[NAME] = {"name", "benchmark", "test", "case", "bench", "label", "function", "method",
		  "task", "command"},
	[VALUE] = {"value", "amount", "result", "mean", "median", "time", "duration", "elapsed",
		   "seconds", "real"},
	[UNIT] = {"unit", "units"},
	[METRIC] = {"metric", "measure", "measurement"},
	[BETTER] = {"better"}, /* "lower" or "higher" */
	[OTHER] = {"repeat",     "run",     "iteration", "sample",    "index", "i",       "commit",
		   "revision",   "sha",     "date",      "timestamp", "runs",  "samples", "id",
		   "iterations", "version", "flags",     "flag",      "note",  "notes",   "comment",
		   "comments",   "status",  "(index)",   "its",       "revs"},
	[PARAMETER] = {"n",           "threads",        "nthreads",   "num_threads", "clients",
		       "concurrency", "connections",    "subject",    "variant",     "scenario",
		       "dataset",     "implementation", "impl",       "algorithm",   "param",
		       "params",      "parameter",      "parameters", "arg",         "args",
		       "arguments",   "cores",          "processes",  "ranks",       "nodes",
		       "workers"},
	[QUANTITY] = {"size", "length", "len", "batch", "set", "level", "depth", "count"},
};

static bool is_word(const char *text, size_t length, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == length && strncasecmp(text, *words, length) == 0)
			return true;
	return false;
}

char *heading_split(const char *heading, char **unit)
{
	static const char *const units[] = {"ns", "us", "ms", "sec", "seconds", "s", NULL};
	size_t length = strlen(heading);
	const char *open = strpbrk(heading, "([");

	if (open && open > heading && strchr(")]", heading[length - 1])) {
		*unit = perun_strndup(open + 1, (size_t)(heading + length - 1 - (open + 1)));
		length = (size_t)(open - heading);
		while (length && heading[length - 1] == ' ')
			length--;
		return perun_strndup(heading, length);
	}
	for (const char *word = strchr(heading, '_'); word; word = strchr(word + 1, '_')) {
		size_t size = strcspn(word + 1, "_");
		const char *rest = word + 1 + size;

		/* An "s" between others may be anything. */
		if (word == heading || !is_word(word + 1, size, units) || (*rest && size == 1))
			continue;
		*unit = perun_strndup(word + 1, size);
		return perun_format("%.*s%s", (int)(word - heading), heading, rest);
	}
	*unit = perun_strdup("");
	while (length && heading[length - 1] == ' ')
		length--;
	return perun_strndup(heading, length);
}

bool heading_is(const char *heading, int kind)
{
	const char *dot = strrchr(heading, '.'), *last = dot && dot[1] ? dot + 1 : heading;
	char *unit, *metric = heading_split(last, &unit);
	bool is = is_word(metric, strlen(metric), words[kind]);

	perun_free(metric);
	perun_free(unit);
	return is;
}

bool heading_says_value(const char *heading)
{
	char *unit, *metric = heading_split(heading, &unit);
	bool says = *unit || heading_is(heading, VALUE);

	perun_free(metric);
	perun_free(unit);
	return says;
}

bool heading_ends_in(const char *heading, int kind)
{
	size_t start = strlen(heading);

	while (start && heading[start - 1] != ' ' && heading[start - 1] != '_' &&
	       heading[start - 1] != '-')
		start--;
	return start && is_word(heading + start, strlen(heading + start), words[kind]);
}
