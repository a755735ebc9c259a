/* SPDX-License-Identifier: BSD-3-Clause */
/* lines: any output with measurements: a regular expression says which lines, and what in them is name, value and unit. */
#include <string.h>

#include <perun/lib/units.h>
#include <perun/regex.h>

#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"

enum { NAME, VALUE, UNIT, GROUPS, MAX_GROUPS = 32 };

struct options {
	char *pattern, *unit;
	size_t groups[GROUPS]; /* numbers of the groups "name", "value", "unit"; 0 = none */
};

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	struct perun_regex *regex;
	const struct options *options;
};

static const struct perun_option options[] = {
	{.name = "pattern",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "REGEX",
	 .help = "lines with measurements, with the groups (?<name>…), (?<value>…) and (?<unit>…)"},
	{.name = "unit",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "UNIT",
	 .help = "the unit of all values, where lines do not have one"},
	{.name = NULL},
};

/* The number of the group of a name: parentheses are counted as PCRE2 does. */
static size_t group_of(const char *pattern, const char *name)
{
	size_t number = 0, length = strlen(name);
	bool set = false;

	for (const char *at = pattern; *at; at++) {
		const char *after;

		if (*at == '\\' && at[1]) {
			at++;
			continue;
		}
		if (*at == '[')
			set = true;
		else if (*at == ']')
			set = false;
		if (*at != '(' || set)
			continue;
		after = at[1] == '?' ? at + 2 + (at[2] == 'P') : NULL;
		if (after && (*after != '<' || after[1] == '=' || after[1] == '!'))
			continue; /* it takes no part in the numbers */
		number++;
		if (after && strncmp(after + 1, name, length) == 0 && after[1 + length] == '>')
			return number;
	}
	return 0;
}

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	static const char *const names[GROUPS] = {"name", "value", "unit"};
	struct options *chosen = perun_alloc_zero(1, sizeof *chosen);
	const char *pattern = perun_option_string(given, "pattern");

	(void)ctx;
	(void)subcommand;
	chosen->pattern = perun_strdup(pattern);
	chosen->unit = perun_strdup(perun_option_string(given, "unit"));
	for (size_t i = 0; pattern && i < GROUPS; i++)
		chosen->groups[i] = group_of(pattern, names[i]);
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	struct options *chosen = instance;

	perun_free(chosen->pattern);
	perun_free(chosen->unit);
	perun_free(chosen);
}

static char *take(const struct reading *reading, const struct perun_regex_group *groups,
		  const char *line, size_t which)
{
	const struct perun_regex_group *group = &groups[reading->options->groups[which]];

	if (!reading->options->groups[which] || group->first == SIZE_MAX)
		return NULL;
	return perun_strndup(line + group->first, group->end - group->first);
}

/* The time that a rate is named by: "s" of "Transfer/sec" and "events per second"; NULL: it is none. */
static const char *time_of_rate(const char *name)
{
	static const char per[] = " per ";
	const char *slash = name ? strrchr(name, '/') : NULL, *below = slash ? slash + 1 : NULL;

	for (const char *at = name; !below && at && (at = strstr(at, per)); at++)
		if (!strstr(at + 1, per))
			below = at + sizeof per - 1;
	if (!below || perun_unit_of(below).kind != PERUN_UNIT_TIME)
		return NULL;
	return *below == 's' ? "s" : below;
}

/*
 * The unit of a value, which the caller frees: that of the line, else that of the option. What is named by a rate, such as
 * "Transfer/sec: 606MB", is one.
 */
static char *unit_of(const struct reading *reading, const char *name, const char *unit)
{
	const char *time = time_of_rate(name);

	if (!unit)
		unit = reading->options->unit ? reading->options->unit : "";
	if (!time || strchr(unit, '/') || strstr(unit, "per") ||
	    perun_unit_of(unit).kind == PERUN_UNIT_TIME)
		return perun_strdup(unit);
	return perun_format("%s/%s", *unit ? unit : "ops", time);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	struct perun_regex_group groups[MAX_GROUPS];
	char *name, *value, *unit, *whole;
	double number;

	if (!perun_regex_find(reading->regex, line, length, groups, MAX_GROUPS))
		return PERUN_OK;
	name = take(reading, groups, line, NAME);
	value = take(reading, groups, line, VALUE);
	unit = take(reading, groups, line, UNIT);
	whole = unit_of(reading, name, unit);
	if (value && benchmark_grouped(value, &number) == strlen(value))
		benchmark_in_unit(reading->benchmark, name && *name ? name : "benchmark", "real",
				  NULL, whole, number);
	perun_free(whole);
	perun_free(name);
	perun_free(value);
	perun_free(unit);
	return PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .options = instance};
	struct perun_lines *lines;
	int status;

	if (!reading.options->pattern)
		return perun_fail(ctx, PERUN_USAGE,
				  "the format lines needs a pattern: --format-option "
				  "'pattern=(?<name>.*): (?<value>[0-9.]+) (?<unit>ms)'");
	if (!reading.options->groups[VALUE] || reading.options->groups[NAME] >= MAX_GROUPS ||
	    reading.options->groups[VALUE] >= MAX_GROUPS ||
	    reading.options->groups[UNIT] >= MAX_GROUPS)
		return perun_fail(ctx, PERUN_USAGE,
				  "the pattern needs a group (?<value>…), among its first %d",
				  MAX_GROUPS - 1);
	status = perun_regex_new(ctx, reading.options->pattern, 0, &reading.regex);
	if (status)
		return status;
	reading.benchmark = benchmark_begin(ctx, builder, "lines", input);
	lines = perun_lines_new(input, 0);
	status = read_each_line(ctx, lines, read_line, &reading);
	if (!status && perun_regex_exhausted(reading.regex))
		perun_warn(ctx, "%s: some lines take too much work to match and were skipped",
			   perun_input_name(input));
	perun_lines_free(lines);
	perun_regex_free(reading.regex);
	return benchmark_end(reading.benchmark, status);
}

/* The content does not say. */
static int probe_format(const struct perun_probe *probe)
{
	(void)probe;
	return 0;
}

static const char *const marks[] = {NULL};

FORMAT_PLUGIN(lines, "lines", "any output with measurements, by a pattern", options,
	      .open = open_format, .close = close_format, .contains = marks, .probe = probe_format,
	      .read = read_format);
