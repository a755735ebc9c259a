/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * divan prints a tree of benchmarks with columns of values:
 *
 *     crate          fastest       │ slowest       │ median        │ mean          │ samples │ iters
 *     ├─ group                     │               │               │               │         │
 *     │  ╰─ sort     1.2 µs        │ 1.9 µs        │ 1.3 µs        │ 1.35 µs       │ 100     │ 3200
 *     │              812.5 Mitem/s │ 513.1 Mitem/s │ 750 Mitem/s   │ 722.2 Mitem/s │         │
 *     ╰─ list        300 ns        │ 500 ns        │ 310 ns        │ 315 ns        │ 100     │ 100
 *                    alloc:        │               │               │               │         │
 *                      2           │ 2             │ 2             │ 2             │         │
 *                      96 B        │ 96 B          │ 96 B          │ 96 B          │         │
 */
#include <string.h>

#include "formats/cargo-bench/divan.h"
#include "formats/common/characters.h"

#define BAR    "\xe2\x94\x82" /* │ */
#define BRANCH "\xe2\x94\x9c" /* ├ */
#define LAST   "\xe2\x95\xb0" /* ╰ */
#define LINE   "\xe2\x94\x80" /* ─ */

enum { MEDIAN = 2 /* the column of */ };

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The cell of a column, from where values begin. The caller frees it. */
static char *cell_at(const char *values, size_t column)
{
	const char *bar;

	while (column-- && (bar = strstr(values, BAR)))
		values = bar + strlen(BAR);
	bar = strstr(values, BAR);
	return characters_trimmed(values, bar ? (size_t)(bar - values) : strlen(values));
}

void divan_free(struct divan *divan)
{
	for (size_t i = 0; i < divan->depth; i++)
		perun_free(divan->path[i]);
	perun_free(divan->uid);
	perun_free(divan->section);
	memset(divan, 0, sizeof *divan);
}

/* "crate      fastest  │ slowest  │ median …" */
static bool take_headings(struct divan *divan, const char *line)
{
	const char *fastest = strstr(line, "fastest "), *slowest = strstr(line, BAR " slowest ");

	if (!fastest || !slowest || fastest > slowest || !strstr(slowest, BAR " median "))
		return false;
	divan_free(divan);
	divan->column = characters_in(line, (size_t)(fastest - line));
	divan->path[divan->depth++] = characters_trimmed(line, (size_t)(fastest - line));
	return true;
}

/* Bytes of what is drawn before a name; `*depth`: how far in it is. 0: the line has no name. */
static size_t read_branch(const char *line, size_t *depth)
{
	size_t at = 0;

	*depth = 1;
	for (;;) {
		if (starts(line + at, BRANCH LINE " ") || starts(line + at, LAST LINE " "))
			return at + strlen(BRANCH LINE " ");
		if (starts(line + at, BAR "  "))
			at += strlen(BAR "  ");
		else if (starts(line + at, "   "))
			at += 3;
		else
			return 0;
		++*depth;
	}
}

static void take_name(struct divan *divan, const char *name, size_t length, size_t depth)
{
	struct perun_buffer uid = {0};

	while (divan->depth > depth)
		perun_free(divan->path[--divan->depth]);
	if (divan->depth < DIVAN_DEPTH)
		divan->path[divan->depth++] = characters_trimmed(name, length);
	for (size_t i = 0; i < divan->depth; i++)
		perun_buffer_printf(&uid, "%s%s", i ? "::" : "", divan->path[i]);
	perun_free(divan->uid);
	perun_free(divan->section);
	divan->section = NULL;
	divan->uid = perun_buffer_take(&uid);
}

/* What a unit with a prefix is of that unit: "KB" 1000 B, "KiB" 1024 B. 0: it is another unit. */
static double prefix_of(const char *unit, const char *base)
{
	static const char prefixes[] = "KMGTPE";
	double step = 1000, factor = 1;
	const char *prefix = *unit ? strchr(prefixes, *unit) : NULL;

	if (prefix && strcmp(unit, base) != 0) {
		unit++;
		if (*unit == 'i' && strcmp(unit, base) != 0)
			unit++, step = 1024;
		for (const char *at = prefixes; at <= prefix; at++)
			factor *= step;
	}
	return strcmp(unit, base) == 0 ? factor : 0;
}

/* "750 Mitem/s", "1.5 GB/s" */
static void add_rate(struct benchmark *benchmark, const char *uid, double value, const char *unit)
{
	static const char *const rates[][2] = {
		{"B/s", "rate"}, {"item/s", "items"}, {"char/s", "characters"}, {"Hz", "cycles"}};

	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
		double factor = prefix_of(unit, rates[i][0]);

		if (factor > 0)
			benchmark_value(benchmark, uid, rates[i][1], rates[i][0], true,
					value * factor);
	}
}

/* Of allocations there are the number and the bytes. */
static void add_count(const struct divan *divan, struct benchmark *benchmark, double value,
		      const char *unit)
{
	double factor = prefix_of(unit, "B");
	char *bytes = perun_format("%s bytes", divan->section);

	if (factor > 0)
		benchmark_value(benchmark, divan->uid, bytes, "B", false, value * factor);
	else
		benchmark_value(benchmark, divan->uid, divan->section, "", false,
				value * (*unit ? prefix_of(unit, "") : 1));
	perun_free(bytes);
}

/* `values`: from the column on, at which they begin. */
static void take_values(struct divan *divan, struct benchmark *benchmark, const char *values,
			bool named)
{
	char *first = cell_at(values, 0), *cell = cell_at(values, MEDIAN);
	size_t length = strlen(first), used;
	double value;

	if (!named && length && first[length - 1] == ':') {
		perun_free(divan->section);
		divan->section = perun_strndup(first, length - 1);
	}
	used = benchmark_grouped(cell, &value);
	if (used) {
		const char *unit = cell + used + strspn(cell + used, " ");

		if (named)
			benchmark_in_unit(benchmark, divan->uid, "real", NULL, unit, value);
		else if (divan->section)
			add_count(divan, benchmark, value, unit);
		else
			add_rate(benchmark, divan->uid, value, unit);
	}
	perun_free(first);
	perun_free(cell);
}

bool divan_line(struct divan *divan, struct benchmark *benchmark, const char *line)
{
	size_t drawn, depth, values;

	if (take_headings(divan, line))
		return true;
	if (!divan->column || !*line)
		return false;
	drawn = read_branch(line, &depth);
	values = characters_byte(line, divan->column);
	if (values < drawn || (!drawn && *line != ' ' && !starts(line, BAR))) {
		divan_free(divan);
		return false;
	}
	if (drawn)
		take_name(divan, line + drawn, values - drawn, depth);
	if (divan->uid)
		take_values(divan, benchmark, line + values, drawn);
	return true;
}
