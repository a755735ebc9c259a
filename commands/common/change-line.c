/* SPDX-License-Identifier: BSD-3-Clause */
/* A change in a line: the same words wherever one is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/compare.h>
#include <perun/lib/units.h>

#include "change-line.h"
#include "views/common/text.h"
#include "wrapped.h"

/* From this factor on it is printed beside the percentage. */
#define FACTOR 2
/* And from this one on instead of it, as are its bounds: nobody reads +23,180 %. */
#define FACTOR_ALONE 100
/* What few runs show by chance: no p is printed above. */
#define MAX_P 0.5
/* A smaller p is a bound. */
#define MIN_P 1e-6
/* What a text of four digits may differ from the number it was made from. */
#define ROUNDED 0.01

const char *commands_change_metric(const struct perun_change *change)
{
	return change->metric && *change->metric ? change->metric : change->type;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The number that an amount begins with; where it ends. */
static size_t number_of(const char *amount, double *number)
{
	return perun_json_scan_double(amount, strlen(amount), number);
}

/* Digits in groups of three, where a number is whole; others as they are. */
static void add_number(struct perun_buffer *text, const char *number, size_t length)
{
	size_t digits = strspn(number, "0123456789");

	for (size_t i = 0; i < length; i++) {
		if (digits == length && i > 0 && (length - i) % 3 == 0)
			perun_buffer_add_char(text, ',');
		perun_buffer_add_char(text, number[i]);
	}
}

/* From here on rates have a prefix, as all have whose numbers are written with an exponent. */
#define LARGE_RATE 1e6

/* "577 MB/s" of "5.77e+08 B/s", "1.206 G/s" of "1.206e+09/s"; false where a number is best read as it is. */
static bool add_prefixed(struct perun_buffer *text, double number, const char *digits,
			 size_t length, const char *unit)
{
	static const char prefixes[] = "kMGTPE";
	bool long_number = memchr(digits, 'e', length) && fabs(number) >= 1;
	size_t step = 0;

	if (!long_number && !(strchr(unit, '/') && fabs(number) >= LARGE_RATE))
		return false;
	for (number /= 1e3; fabs(number) >= 999.95 && prefixes[step + 1]; step++)
		number /= 1e3;
	unit += strspn(unit, " ");
	perun_buffer_printf(text, "%.4g %c%s%s", number, prefixes[step],
			    strlen(unit) > 3 && !strchr(unit, '/') ? " " : "", unit);
	return true;
}

void commands_add_amount(struct perun_buffer *text, const char *amount)
{
	char *safe = perun_printable(amount ? amount : "");
	double number;
	size_t length = number_of(safe, &number);
	unsigned char next = (unsigned char)safe[length];

	if (length && add_prefixed(text, number, safe, length, safe + length)) {
		perun_free(safe);
		return;
	}
	add_number(text, safe, length);
	/* As views write it: "12 count" says no more than "12". */
	if (length && strcmp(safe + length + strspn(safe + length, " "), "count") == 0)
		safe[length] = next = '\0';
	if (length && ((next | 0x20) >= 'a' || next == '%'))
		perun_buffer_add_char(text, ' ');
	perun_buffer_add_text(text, safe + length);
	perun_free(safe);
}

void commands_add_value(struct perun_buffer *text, double value, const char *unit)
{
	struct perun_buffer amount = {0};

	perun_add_amount(&amount, value, unit ? unit : "");
	commands_add_amount(text, amount.data);
	perun_buffer_free(&amount);
}

bool commands_change_amounts(const struct perun_change *change, double *before, double *after)
{
	const char *from = change->from_baseline, *to = change->to_target;
	size_t a = number_of(from, before), b = number_of(to, after);
	long double factor;

	if (!a || !b)
		return false;
	from += a + strspn(from + a, " ");
	to += b + strspn(to + b, " ");
	factor = strcmp(from, to) == 0 ? 1 : perun_unit_factor(to, from);
	*after *= (double)factor;
	return factor > 0;
}

double commands_amount_scale(const char *amount)
{
	double number;
	const char *unit = amount + number_of(amount, &number);
	double factor = (double)perun_unit_of(unit + strspn(unit, " ")).factor;

	return factor > 0 ? factor : 1;
}

double commands_change_quotient(const struct perun_change *change)
{
	double before, after, quotient;

	if (!commands_change_amounts(change, &before, &after) || !(before > 0) || !(after >= 0))
		return NAN;
	quotient = after / before;
	/* The rate is the exact one where the method means that by it. */
	return fabs(change->rate - quotient) <= ROUNDED * quotient ? change->rate : quotient;
}

/* Three digits and a sign. */
static void add_percent(struct perun_buffer *text, double share)
{
	double percent = 100 * share;

	if (fabs(percent) < 0.005)
		percent = 0;
	perun_buffer_printf(text, fabs(percent) >= 100 ? "%+.0f" : "%+.3g", percent);
}

bool commands_add_size(struct perun_buffer *text, const struct perun_change *change, bool unicode)
{
	double quotient = commands_change_quotient(change);

	if (!isfinite(quotient))
		return false;
	if (quotient >= FACTOR_ALONE) {
		perun_buffer_printf(text, "%.0f%s", quotient, unicode ? "×" : "x");
		return true;
	}
	add_percent(text, quotient - 1);
	perun_buffer_add_text(text, " %");
	if (quotient >= FACTOR)
		perun_buffer_printf(text, quotient >= 99.5 ? ", %.0f%s" : ", %.2g%s", quotient,
				    unicode ? "×" : "x");
	return true;
}

bool commands_add_interval(struct perun_buffer *text, const struct perun_change *change,
			   bool unicode)
{
	struct perun_buffer low = {0}, high = {0};
	bool is_wide =
		change->low < change->high && isfinite(change->low) && isfinite(change->high);
	bool alone = commands_change_quotient(change) >= FACTOR_ALONE;

	/* Nothing costs less than nothing. */
	if (alone) {
		perun_buffer_printf(&low, "%.0f", fmax(change->low + 1, 0));
		perun_buffer_printf(&high, "%.0f", change->high + 1);
	} else {
		add_percent(&low, fmax(change->low, -1));
		add_percent(&high, change->high);
	}
	/* What a program repeats exactly, or nearly so, has none. */
	is_wide = is_wide && strcmp(low.data, high.data) != 0;
	if (is_wide)
		perun_buffer_printf(text, "95 %% CI %s%s%s%s", low.data, unicode ? "…" : "..",
				    high.data,
				    !alone    ? " %"
				    : unicode ? "×"
					      : "x");
	perun_buffer_free(&low);
	perun_buffer_free(&high);
	return is_wide;
}

bool commands_add_p(struct perun_buffer *text, const struct perun_change *change)
{
	double p = change->confidence_rate;

	if (!change->confidence_type || strcmp(change->confidence_type, "p_value") != 0 ||
	    !(p < MAX_P))
		return false;
	perun_buffer_printf(text, p < MIN_P ? "p < 1e-6" : "p = %.1g", p);
	return true;
}

/* ---- names ------------------------------------------------------------------------------------- */

char *commands_place(const char *location)
{
	static const char unknown[] = "unreachable:", no_line[] = ":0";
	size_t length = strlen(location), start = strcspn(location, ":") + 1;
	bool is_bracketed = location[0] == '[' && start > 2 && location[start - 2] == ']';

	if (length < start + strlen(no_line) || strcmp(location + length - 2, no_line) != 0)
		return perun_strdup(location);
	length -= start + strlen(no_line);
	if (strncmp(location, unknown, strlen(unknown)) == 0)
		return perun_strndup(location + start, length);
	if (is_bracketed)
		return perun_format("%.*s %.*s", (int)length, location + start, (int)start - 1,
				    location);
	return perun_strdup(location);
}

/* ---- the line -------------------------------------------------------------------------------- */

static bool is_checksum(const char *text)
{
	size_t digits = strspn(text, "0123456789abcdef");

	return (digits == 40 || digits == 64) && text[digits] == '\0';
}

static void add_part(struct commands_parts *parts, enum views_color color, const char *words)
{
	commands_add_part(parts, color, words, 2);
}

static void add_safe_part(struct commands_parts *parts, const char *before, const char *given)
{
	char *safe, *words;

	given = given ? given + strspn(given, " ") : "";
	if (!*given)
		return;
	safe = perun_printable(given);
	words = perun_format("%s%s", before, safe);
	add_part(parts, VIEWS_PLAIN, words);
	perun_free(words);
	perun_free(safe);
}

static enum views_color color_of(enum perun_result result)
{
	if (perun_result_is_degradation(result))
		return VIEWS_RED;
	return perun_result_is_optimization(result) ? VIEWS_GREEN : VIEWS_BLUE;
}

static bool is_amount(const char *text)
{
	return text && *text && strcmp(text, "-") != 0;
}

static void add_amounts(struct commands_parts *parts, const struct perun_change *change)
{
	const char *to = change->to_target;
	struct perun_buffer words = {0};

	if (is_amount(change->from_baseline))
		commands_add_amount(&words, change->from_baseline);
	/* That it failed is said already. */
	if (perun_change_is_failure(change))
		to = NULL;
	if (is_amount(change->from_baseline) && is_amount(to))
		perun_buffer_add_text(&words, parts->screen->unicode ? " → " : " -> ");
	if (is_amount(to))
		commands_add_amount(&words, to);
	add_part(parts, VIEWS_PLAIN, words.data ? words.data : "");
	perun_buffer_free(&words);
}

/* By how much, and how sure that is. */
static void add_sizes(struct commands_parts *parts, const struct perun_change *change)
{
	struct perun_buffer size = {0}, interval = {0}, p = {0};

	if (commands_add_size(&size, change, parts->screen->unicode) &&
	    commands_add_interval(&interval, change, parts->screen->unicode))
		perun_buffer_printf(&size, " (%s)", interval.data);
	add_part(parts, color_of(change->result), size.data ? size.data : "");
	if (perun_result_is_change(change->result) && commands_add_p(&p, change))
		add_part(parts, VIEWS_PLAIN, p.data);
	if (strcmp(change->confidence_type ? change->confidence_type : "", "r_square") == 0) {
		perun_buffer_printf(&p, "R%s %.2g", parts->screen->unicode ? "²" : "^2",
				    change->confidence_rate);
		add_part(parts, VIEWS_PLAIN, p.data);
	}
	perun_buffer_free(&p);
	perun_buffer_free(&interval);
	perun_buffer_free(&size);
}

/* Whether the amounts name the metric: "1004 req/sec". */
static bool is_unit(const struct perun_change *change, const char *metric)
{
	const char *text = is_amount(change->to_target) ? change->to_target : change->from_baseline;
	double number;
	size_t length = number_of(text, &number);

	return length && strcmp(text + length + strspn(text + length, " "), metric) == 0;
}

static bool is_default_method(const char *method)
{
	return !method || !*method || strcmp(method, PERUN_DEFAULT_METHOD) == 0;
}

bool commands_is_program(const char *location, const char *command)
{
	size_t length = strlen(location);

	return strncmp(location, command, length) == 0 &&
	       (command[length] == '\0' || command[length] == ' ');
}

void commands_add_change_line(const struct commands_screen *screen,
			      const struct commands_change_line *line, struct perun_buffer *text)
{
	const struct perun_change *change = line->change;
	struct commands_parts parts = {screen,           text,
				       line->indent,     0,
				       line->indent + 2, screen->width ? screen->width : SIZE_MAX};

	if (line->indent)
		perun_buffer_printf(text, "%*s", (int)line->indent, "");
	if (line->version && *line->version) {
		char *safe = perun_printable(line->version);

		if (is_checksum(safe))
			safe[8] = '\0';
		add_part(&parts, VIEWS_YELLOW, safe);
		parts.indent = 10;
		perun_free(safe);
	}
	add_part(&parts, color_of(change->result), perun_change_words(change));
	if (!line->of || !commands_is_program(change->location, line->of)) {
		char *place = commands_place(change->location);

		add_safe_part(&parts, "", place);
		perun_free(place);
	}
	if (!is_unit(change, commands_change_metric(change)))
		add_safe_part(&parts, "", commands_change_metric(change));
	add_amounts(&parts, change);
	if (change->result != PERUN_RESULT_NOT_IN_BASELINE &&
	    change->result != PERUN_RESULT_NOT_IN_TARGET)
		add_sizes(&parts, change);
	add_safe_part(&parts, "$ ", line->command);
	if (!is_default_method(change->method))
		add_safe_part(&parts, "by ", change->method);
	add_safe_part(&parts, "", line->subject);
	add_safe_part(&parts, "known: ", line->known);
	perun_buffer_add_char(text, '\n');
}

void commands_add_open(const struct commands_screen *screen, const char *version, size_t count,
		       const char *names, size_t more, struct perun_buffer *out)
{
	const char *them = count == 1 ? "it" : "them";
	struct perun_buffer text = {0};
	char *safe = perun_printable(names);

	perun_buffer_printf(&text, "%.8s%sundecided: %zu metric%s (%s%s): ", version ? version : "",
			    version ? " " : "", count, count == 1 ? "" : "s", safe,
			    count > PERUN_MAX_OPEN_NAMES ? ", ..." : "");
	if (more > PERUN_VERDICT_MAX_MORE_RUNS)
		perun_buffer_printf(&text,
				    "no reasonable number of runs would settle %s, a quieter "
				    "machine may",
				    them);
	else if (more)
		perun_buffer_printf(&text, "about %zu more run%s per side should settle %s", more,
				    more == 1 ? "" : "s", them);
	else
		perun_buffer_printf(&text, "more runs, or a quieter machine, may settle %s", them);
	commands_add_wrapped(screen, text.data, 0, 10, out);
	perun_free(safe);
	perun_buffer_free(&text);
}

void commands_add_open_name(const char *command, const char *location, const char *metric,
			    bool several, struct perun_buffer *names)
{
	bool named = !command || !commands_is_program(location, command);
	char *place = named ? commands_place(location) : perun_strdup("");

	perun_buffer_printf(names, "%s%s%s%s", names->length ? ", " : "", place, *place ? " " : "",
			    metric);
	if (several && command)
		perun_buffer_printf(names, " of %s", command);
	perun_free(place);
}

/* Whether they are of different commands, so that a metric alone names none of them. */
static bool several_commands(const struct perun_stored_change *items, const size_t *order,
			     size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const char *one = items[order[0]].command, *other = items[order[i]].command;

		if (strcmp(one ? one : "", other ? other : "") != 0)
			return true;
	}
	return false;
}

void commands_add_undecided(const struct commands_screen *screen, const char *version,
			    const struct perun_stored_change *items, const size_t *order,
			    size_t count, struct perun_buffer *out)
{
	const bool several = several_commands(items, order, count);
	struct perun_buffer names = {0};
	size_t more = 0;

	for (size_t i = 0; i < count; i++) {
		const struct perun_stored_change *item = &items[order[i]];
		const struct perun_change *change = item->change;

		more = change->more > more ? change->more : more;
		if (i >= PERUN_MAX_OPEN_NAMES)
			continue;
		commands_add_open_name(item->command, change->location,
				       commands_change_metric(change), several, &names);
	}
	commands_add_open(screen, version, count, names.data, more, out);
	perun_buffer_free(&names);
}

/* Whether a list "judged by a, b" names a method. */
static bool is_named(const char *list, const char *method)
{
	size_t length = strlen(method);

	while ((list = strstr(list, method))) {
		if (list[-1] == ' ' && (list[length] == ',' || !list[length]))
			return true;
		list += length;
	}
	return false;
}

void commands_collect_methods(const struct perun_stored_change *items, size_t count,
			      struct perun_buffer *text)
{
	for (size_t i = 0; i < count; i++) {
		char *safe = perun_printable(items[i].change->method);

		if (*safe && !is_named(text->data ? text->data : "", safe))
			perun_buffer_printf(text, "%s%s", text->length ? ", " : "judged by ", safe);
		perun_free(safe);
	}
}

void commands_add_methods(const struct perun_stored_change *items, size_t count,
			  struct perun_buffer *text)
{
	struct perun_buffer methods = {0};

	commands_collect_methods(items, count, &methods);
	if (methods.length)
		perun_buffer_printf(text, "%s\n", methods.data);
	perun_buffer_free(&methods);
}
