/* SPDX-License-Identifier: BSD-3-Clause */
/* What may follow the line of a change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "change-line.h"
#include "views/common/bars.h"

static void format_rate(double value, char text[64])
{
	char number[PERUN_JSON_NUMBER_SIZE], rounded[400];

	if (isfinite(value)) {
		/* The decimal rounding of printf is exact, as Python's round() is. */
		snprintf(rounded, sizeof rounded, "%.2f", value);
		value = perun_strtod(rounded, NULL);
	}
	perun_json_print_double(value, number);
	if (isnan(value) || isinf(value))
		snprintf(text, 64, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	else
		snprintf(text, 64, "%s", number);
}

void commands_add_intervals(const struct commands_screen *screen, const struct perun_change *change,
			    struct perun_buffer *text)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas, .color = screen->color};
	bool any = false;

	for (size_t i = 0; i < change->interval_count; i++) {
		const struct perun_interval_change *interval = perun_change_interval(change, i);
		bool worse = perun_result_is_degradation(interval->result);
		char from[64], to[64], rate[64];

		if (interval->result == PERUN_RESULT_NO_CHANGE)
			continue;
		format_rate(interval->from, from);
		format_rate(interval->to, to);
		format_rate(interval->relative, rate);
		perun_buffer_printf(text, "%s%s to %s: ", any ? ", from " : "    from ", from, to);
		views_add_color(text, &canvas, worse ? VIEWS_RED : VIEWS_GREEN);
		perun_buffer_printf(text, "%s%s", rate, screen->unicode ? "×" : "x");
		views_add_color(text, &canvas, VIEWS_PLAIN);
		any = true;
	}
	if (any)
		perun_buffer_add_char(text, '\n');
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
