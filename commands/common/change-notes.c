/* SPDX-License-Identifier: BSD-3-Clause */
/* What may follow the line of a change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "change-line.h"

/* Neighbouring intervals whose changes differ by less are one. */
#define ROUNDED 0.005

/* As many digits as a reader of a range needs. */
static void add_end(struct perun_buffer *text, double value)
{
	perun_buffer_printf(text, "%.4g", value);
}

static bool same_change(const struct perun_interval_change *one,
			const struct perun_interval_change *other)
{
	return one->result == other->result &&
	       fabs(one->relative - other->relative) < ROUNDED * fabs(one->relative);
}

void commands_add_intervals(const struct commands_screen *screen, const struct perun_change *change,
			    struct perun_buffer *text)
{
	struct perun_buffer words = {0};

	for (size_t i = 0; i < change->interval_count; i++) {
		const struct perun_interval_change *first = perun_change_interval(change, i);
		const struct perun_interval_change *last = first;

		if (first->result == PERUN_RESULT_NO_CHANGE || !isfinite(first->relative))
			continue;
		while (i + 1 < change->interval_count &&
		       same_change(first, perun_change_interval(change, i + 1)))
			last = perun_change_interval(change, ++i);
		perun_buffer_add_text(&words, words.length ? ", from " : "from ");
		add_end(&words, first->from);
		perun_buffer_add_text(&words, " to ");
		add_end(&words, last->to);
		perun_buffer_printf(&words, ": %+.3g %%", 100 * first->relative);
	}
	if (words.length)
		commands_add_wrapped(screen, words.data, 4, 4, text);
	perun_buffer_free(&words);
}

/* What nobody says the direction of; how to say it. */
void commands_add_direction(const struct perun_change *change, struct perun_buffer *text)
{
	char *metric = perun_printable(commands_change_metric(change));

	perun_buffer_printf(text,
			    "is more %s better? perun history '%s' --better higher (lower) keeps "
			    "it\n",
			    metric, metric);
	perun_free(metric);
}

void commands_add_explanation(const struct commands_screen *screen,
			      const struct perun_change *change, struct perun_buffer *text)
{
	char *safe = perun_printable(change->explanation ? change->explanation : "");

	if (*safe)
		commands_add_wrapped(screen, safe, 4, 4, text);
	perun_free(safe);
}
