/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of performance as lists and summaries. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/listing.h"

/* Marks and counts leave severe and total ones out in the Python program; here they count. */
static void count_changes(const struct perun_stored_change *changes, size_t count, size_t *better,
			  size_t *worse)
{
	*better = *worse = 0;
	for (size_t i = 0; i < count; i++) {
		*better += perun_result_is_optimization(changes[i].change.result);
		*worse += perun_result_is_degradation(changes[i].change.result);
	}
}

size_t cli_change_marks(const struct perun_stored_change *changes, size_t count,
			struct perun_buffer *marks)
{
	size_t better, worse;

	count_changes(changes, count, &better, &worse);
	for (size_t i = 0; i < better; i++)
		perun_buffer_add_char(marks, '+');
	for (size_t i = 0; i < worse; i++)
		perun_buffer_add_char(marks, '-');
	return better + worse;
}

/* Changes that tell something: also those that are neither better nor worse. */
static size_t count_told(const struct perun_stored_change *changes, size_t count)
{
	size_t told = 0;

	for (size_t i = 0; i < count; i++)
		told += changes[i].change.result != PERUN_RESULT_NO_CHANGE;
	return told;
}

void cli_print_change_summary(struct cli *cli, const struct perun_stored_change *changes,
			      size_t count, bool both)
{
	size_t better, worse;

	count_changes(changes, count, &better, &worse);
	printf("%zu changes", count_told(changes, count));
	if (better + worse > 0) {
		printf(" | %s", cli_color(cli, CLI_GREEN));
		cli_repeat("+", better);
		fputs(cli_color(cli, CLI_RED), stdout);
		cli_repeat("-", worse);
		fputs(cli_color_end(cli), stdout);
	}
	putchar('\n');
	if (both)
		printf("%zu optimizations(+), %zu degradations(-)\n", better, worse);
}

/* ---- the list -------------------------------------------------------------------------------- */

static enum cli_color result_color(enum perun_result result)
{
	if (perun_result_is_degradation(result))
		return CLI_RED;
	return perun_result_is_optimization(result) ? CLI_GREEN : CLI_BLUE;
}

static void add_safe(struct perun_buffer *text, const char *words)
{
	char *safe = perun_printable(words ? words : "");

	perun_buffer_add_text(text, safe);
	perun_free(safe);
}

static void add_intervals(struct cli *cli, const struct perun_change *change,
			  struct perun_buffer *text)
{
	bool any = false;

	for (size_t i = 0; i < change->interval_count; i++) {
		const struct perun_interval_change *interval = &change->intervals[i];
		char from[64], to[64], rate[64];

		if (interval->result == PERUN_RESULT_NO_CHANGE)
			continue;
		cli_format_rate(interval->from, from);
		cli_format_rate(interval->to, to);
		cli_format_rate(interval->relative, rate);
		perun_buffer_printf(text, "%s<%s, %s> %s%sx%s;", any ? " " : "  └ ", from, to,
				    cli_color(cli, result_color(interval->result)), rate,
				    cli_color_end(cli));
		any = true;
	}
	if (any)
		perun_buffer_add_char(text, '\n');
}

static void add_change(struct cli *cli, const struct perun_stored_change *stored,
		       struct perun_buffer *text)
{
	const struct perun_change *change = &stored->change;
	char rate[64], number[64];

	cli_format_rate(change->rate, rate);
	perun_buffer_printf(text, "└ %s%s", cli_color(cli, result_color(change->result)), rate);
	if (change->relative != 0) {
		cli_format_rate(change->relative, number);
		perun_buffer_printf(text, "ms (%s%%)", number);
	} else {
		perun_buffer_add_char(text, 'x');
	}
	perun_buffer_printf(text, "%s: ", cli_color_end(cli));
	add_safe(text, change->type);
	perun_buffer_printf(text, " %s%s%s from: ", cli_color(cli, result_color(change->result)),
			    perun_result_words(change->result), cli_color_end(cli));
	add_safe(text, change->from_baseline);
	perun_buffer_add_text(text, " -> to: ");
	add_safe(text, change->to_target);
	if (change->confidence_type && *change->confidence_type &&
	    strcmp(change->confidence_type, "no") != 0) {
		cli_format_rate(change->confidence_rate, number);
		perun_buffer_add_text(text, " (with confidence ");
		add_safe(text, change->confidence_type);
		perun_buffer_printf(text, " = %s)", number);
	}
	if (stored->command && *stored->command) {
		perun_buffer_add_text(text, " ($ ");
		add_safe(text, stored->command);
		perun_buffer_add_char(text, ')');
	}
	perun_buffer_add_char(text, '\n');
	add_intervals(cli, change, text);
}

void cli_add_change_list(struct cli *cli, const struct perun_stored_change *changes, size_t count,
			 struct perun_buffer *text)
{
	bool *done = perun_alloc_zero(count + 1, sizeof *done);

	if (count == 0)
		perun_buffer_add_text(text, "no changes found\n");
	for (size_t i = 0; i < count; i++) {
		if (done[i])
			continue;
		perun_buffer_printf(text, "at %s", cli_color(cli, CLI_BOLD));
		add_safe(text, changes[i].change.location);
		perun_buffer_printf(text, "%s:\n", cli_color_end(cli));
		for (size_t j = i; j < count; j++) {
			if (done[j] ||
			    strcmp(changes[j].change.location, changes[i].change.location) != 0)
				continue;
			add_change(cli, &changes[j], text);
			done[j] = true;
		}
		perun_buffer_add_char(text, '\n');
	}
	perun_free(done);
}
