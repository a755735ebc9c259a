/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of time and timeit. */
#include <math.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/console/timed.h"

int timed_probe(const struct perun_probe *probe)
{
	if (probe_has(probe, "Command being timed: \""))
		return 90;
	if ((probe_has(probe, "elapsed ") && probe_has(probe, "maxresident)k")) ||
	    (probe_has(probe, " loops, best of ") && probe_has(probe, " per loop")) ||
	    probe_has(probe, " per loop (mean \xc2\xb1 std. dev. of "))
		return 85;
	if ((probe_has(probe, "real\t") && probe_has(probe, "\nuser\t") &&
	     probe_has(probe, "\nsys\t")) ||
	    (probe_has(probe, "real ") && probe_has(probe, "\nuser ") &&
	     probe_has(probe, "\nsys ")) ||
	    (probe_has(probe, "s user ") && probe_has(probe, "s system ") &&
	     probe_has(probe, "% cpu ") && probe_has(probe, " total")) ||
	    (probe_has(probe, " real ") && probe_has(probe, " user ") &&
	     probe_has(probe, " sys\n")))
		return 60;
	return 0;
}

void timed_end(struct timed *timed)
{
	perun_free(timed->command);
}

/* ---- parts of lines --------------------------------------------------------------------------- */

/* What follows the words a line begins with; NULL: it begins otherwise. */
static char *after(char *line, const char *words)
{
	size_t length = strlen(words);

	return strncmp(line, words, length) == 0 ? line + length : NULL;
}

size_t timed_clock(const char *text, double *seconds)
{
	const char *at = text;

	for (*seconds = 0;; at++) {
		size_t length = strspn(at, "0123456789.");
		char *part = perun_strndup(at, length), *end;
		double value = perun_strtod(part, &end);
		bool good = length && !*end;

		perun_free(part);
		if (!good)
			return 0;
		*seconds = *seconds * 60 + value;
		at += length;
		if (*at != ':')
			return (size_t)(at - text);
	}
}

/* "0m1.234s" of bash, "1.23" of POSIX */
static bool read_minutes(const char *text, double *seconds)
{
	double minutes = 0;
	size_t length = benchmark_grouped(text, seconds);

	if (length && text[length] == 'm') {
		minutes = *seconds;
		text += length + 1;
		length = benchmark_grouped(text, seconds);
		if (!length || text[length] != 's' || text[length + 1])
			return false;
		*seconds += 60 * minutes;
		return true;
	}
	return length && !text[length];
}

static const char *uid(const struct timed *timed)
{
	return timed->command ? timed->command : "command";
}

static void add_time(const struct timed *timed, const char *subtype, double seconds)
{
	benchmark_time(timed->benchmark, uid(timed), subtype, seconds);
}

static void add_memory(const struct timed *timed, double bytes)
{
	benchmark_value(timed->benchmark, uid(timed), "max_rss", "B", false, bytes);
}

/* ---- kinds of lines --------------------------------------------------------------------------- */

/* time -v of GNU: a line for each fact */
static bool take_fact(struct timed *timed, char *line)
{
	static const struct {
		const char *words, *subtype; /* NULL: memory */
	} facts[] = {{"User time (seconds): ", "user"},
		     {"System time (seconds): ", "sys"},
		     {"Elapsed (wall clock) time (h:mm:ss or m:ss): ", "real"},
		     {"Maximum resident set size (kbytes): ", NULL}};
	char *rest = after(line, "Command being timed: \"");
	double value;

	if (rest) {
		rest[strcspn(rest, "\n")] = '\0';
		if (*rest && rest[strlen(rest) - 1] == '"')
			rest[strlen(rest) - 1] = '\0';
		perun_free(timed->command);
		timed->command = perun_strdup(rest);
		return true;
	}
	rest = after(line, "Exit status: ");
	if (rest && strcmp(rest, "0") != 0) {
		benchmark_failed(timed->benchmark, uid(timed), line);
		return true;
	}
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		rest = after(line, facts[i].words);
		if (!rest || !timed_clock(rest, &value))
			continue;
		if (facts[i].subtype)
			add_time(timed, facts[i].subtype, value);
		else
			add_memory(timed, value * 1024);
		return true;
	}
	return false;
}

/* "real 0m1.234s" of shells, "sys 0.00" of POSIX */
static bool take_shell(const struct timed *timed, char *line)
{
	static const char *const subtypes[] = {"real", "user", "sys"};

	for (size_t i = 0; i < sizeof subtypes / sizeof *subtypes; i++) {
		char *rest = after(line, subtypes[i]);
		double seconds;

		if (!rest || (*rest != '\t' && *rest != ' ') ||
		    !read_minutes(rest + strspn(rest, " \t"), &seconds))
			continue;
		add_time(timed, subtypes[i], seconds);
		return true;
	}
	return false;
}

/* "0.00user 0.01system 0:01.23elapsed 0%CPU (0avgtext+0avgdata 1628maxresident)k" of GNU */
static bool take_gnu(const struct timed *timed, const char *line)
{
	static const char *const units[] = {"user ", "system ", "elapsed "};
	const char *memory = strstr(line, "avgdata ");
	double values[3], kbytes;

	for (size_t i = 0; i < 3; i++) {
		size_t length = timed_clock(line, &values[i]);

		line += length;
		if (!length || strncmp(line, units[i], strlen(units[i])) != 0)
			return false;
		line += strlen(units[i]);
	}
	add_time(timed, "real", values[2]);
	add_time(timed, "user", values[0]);
	add_time(timed, "sys", values[1]);
	if (memory && benchmark_grouped(memory + strlen("avgdata "), &kbytes))
		add_memory(timed, kbytes * 1024);
	return true;
}

/* The number that ends just before `words`; NAN = there is none. */
static double before(const char *line, const char *words)
{
	const char *end = strstr(line, words), *at = end;
	double value;

	while (at && at > line && strchr("0123456789.:", at[-1]))
		at--;
	return at && at < end && timed_clock(at, &value) ? value : NAN;
}

/* "sleep 1  0.00s user 0.00s system 0% cpu 1.002 total" of zsh, "1.00 real  0.00 user  0.00 sys" of BSD */
static bool take_line_of_all(struct timed *timed, char *line)
{
	bool zsh = strstr(line, "% cpu ") != NULL;
	double real = before(line, zsh ? " total" : " real "),
	       user = before(line, zsh ? "s user " : " user "),
	       sys = before(line, zsh ? "s system " : " sys");
	char *name = zsh ? strstr(line, "s user ") : NULL;

	if (!isfinite(real) || !isfinite(user) || !isfinite(sys))
		return false;
	while (name && name > line && name[-1] != ' ')
		name--;
	while (name && name > line && name[-1] == ' ')
		name--;
	if (name && name > line) {
		perun_free(timed->command);
		timed->command = perun_strndup(line, (size_t)(name - line));
	}
	add_time(timed, "real", real);
	add_time(timed, "user", user);
	add_time(timed, "sys", sys);
	return true;
}

/* A number and its unit, which ends before `stop`: "1.22 usec per loop". */
static bool read_per_loop(const char *text, const char *stop, double *seconds)
{
	size_t length = benchmark_grouped(text, seconds);
	const char *end = strstr(text, stop);
	char *unit;
	bool good;

	if (!length || text[length] != ' ' || !end || end < text + length + 1)
		return false;
	unit = perun_strndup(text + length + 1, (size_t)(end - (text + length + 1)));
	if (strcmp(unit, "usec") == 0 || strcmp(unit, "msec") == 0 || strcmp(unit, "nsec") == 0)
		strcpy(unit + 1, "s");
	good = benchmark_to_seconds(seconds, unit);
	perun_free(unit);
	return good;
}

/* "200000 loops, best of 5: 1.22 usec per loop", "1.2 us ± 3 ns per loop (mean ± std. dev. of 7 runs, 1,000,000 loops each)" */
static bool take_loops(const struct timed *timed, const char *line)
{
	const char *best = strstr(line, " best of "), *colon = best ? strstr(best, ": ") : NULL;
	const char *runs = strstr(line, "std. dev. of "), *margin = strstr(line, " \xc2\xb1 ");
	double seconds, deviation, count;

	if (colon && read_per_loop(colon + 2, " per loop", &seconds)) {
		benchmark_time(timed->benchmark, "timeit", "real", seconds);
		return true;
	}
	if (!runs || !margin || !read_per_loop(line, " \xc2\xb1 ", &seconds))
		return false;
	benchmark_time(timed->benchmark, "timeit", "real", seconds);
	if (read_per_loop(margin + strlen(" \xc2\xb1 "), " per loop", &deviation) &&
	    benchmark_grouped(runs + strlen("std. dev. of "), &count))
		benchmark_deviation(timed->benchmark, "time(real)", "timeit",
				    deviation / seconds / sqrt(count));
	return true;
}

bool timed_take(struct timed *timed, char *line)
{
	if (take_fact(timed, line) || take_shell(timed, line))
		return true;
	/* Most lines are others. */
	if (line_find(line, "per loop", 0))
		return take_loops(timed, line);
	return line_find(line, "user ", 0) &&
	       (take_gnu(timed, line) || take_line_of_all(timed, line));
}
