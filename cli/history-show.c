/* SPDX-License-Identifier: BSD-3-Clause */
/* perun history: a metric over the versions of a branch, with its changes. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <perun/format.h>

#include "cli/facts.h"
#include "cli/history.h"

const struct perun_option cli_history_options[] = {
	CLI_RANGE_OPTIONS,
	{.name = "location",
	 .metavar = "UID",
	 .type = PERUN_OPTION_STRING,
	 .help = "only this function"},
	{.name = "last",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "50",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e9,
	 .help = "draw so many measured versions; changes are looked for in all"},
	CLI_BETTER_OPTION,
	CLI_METHOD_OPTION,
	CLI_THRESHOLD_OPTION,
	{.name = "form",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "terminal svg html json",
	 .help = "what is made; without it told from the name of the output, else terminal"},
	{.name = "output",
	 .aliases = "-o",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "where SVG and HTML go, standard output by default"},
	{.name = "json", .help = "print JSON"},
	CLI_MACHINES_OPTION,
	CLI_MACHINE_OPTION,
	{0}};

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *fact_values(const struct perun_history *history, const struct perun_strand *series)
{
	json_t *values = json_array();

	for (size_t i = 0; i < series->count; i++) {
		json_t *value = json_object(), *interval = json_array();
		char *subject = cli_history_subject(history, i);
		double low, high;

		cli_strand_interval(series, i, &low, &high);
		json_array_append_new(interval, cli_fact_number(low));
		json_array_append_new(interval, cli_fact_number(high));
		json_object_set_new(value, "version", cli_fact_text(series->labels[i]));
		json_object_set_new(value, "subject", cli_fact_text(subject));
		json_object_set_new(value, "date",
				    cli_fact_time(cli_history_version(history, i)->date));
		json_object_set_new(value, "median", cli_fact_number(series->values[i]));
		json_object_set_new(value, "interval", interval);
		json_object_set_new(
			value, "runs",
			json_integer((json_int_t)(series->starts[i + 1] - series->starts[i])));
		json_array_append_new(values, value);
		perun_free(subject);
	}
	return values;
}

static json_t *fact_strand(const struct perun_history *history,
			   const struct perun_acknowledgements *known,
			   const struct perun_strand *strand)
{
	json_t *fact = cli_fact_series(strand, strand->changes, strand->higher);
	json_t *points = json_object_get(fact, "change_points");

	json_object_set_new(fact, "metric", cli_fact_text(strand->metric));
	json_object_set_new(fact, "unit", cli_fact_text(strand->unit));
	json_object_set_new(fact, "location", cli_fact_text(strand->location));
	json_object_set_new(fact, "command", cli_fact_text(strand->command));
	json_object_set_new(fact, "machine", cli_fact_text(perun_history_machine(history)));
	json_object_set_new(fact, "values", fact_values(history, strand));
	for (size_t i = 0; i < strand->changes->count; i++) {
		char *reason = perun_acknowledged_change(known, perun_history_line(history), strand,
							 &strand->changes->points[i]);

		json_object_set_new(json_array_get(points, i), "known", cli_fact_text(reason));
		json_object_set_new(
			json_array_get(points, i), "commits",
			cli_fact_commits(history, strand, strand->changes->points[i].index));
		perun_free(reason);
	}
	return fact;
}

/* ---- terminal -------------------------------------------------------------------------------- */

struct plot {
	struct cli *cli;
	double low, high; /* values at both ends */
	size_t width;     /* columns */
	size_t text;      /* columns for the subject */
};

static size_t column_of(const struct plot *plot, double value)
{
	/* Halves, for the difference may be more than a double holds. */
	double range = plot->high / 2 - plot->low / 2;
	double share = range > 0 ? (value / 2 - plot->low / 2) / range : 0.5;

	return (size_t)(share * (double)(plot->width - 1) + 0.5);
}

static void print_value(const struct plot *plot, const struct perun_strand *series, size_t i,
			const char *subject)
{
	bool unicode = cli_has_unicode();
	size_t at = column_of(plot, series->values[i]), first, last, shown;
	char *safe = perun_printable(subject);
	double low, high;

	cli_strand_interval(series, i, &low, &high);
	first = column_of(plot, fmax(low, plot->low));
	last = column_of(plot, fmin(high, plot->high));
	printf("%s%.8s%s %-10.4g ", cli_color(plot->cli, CLI_YELLOW), series->labels[i],
	       cli_color_end(plot->cli), series->values[i]);
	for (size_t column = 0; column < plot->width; column++) {
		const char *mark = unicode ? "●" : "o";

		if (column != at)
			mark = column < first || column > last ? " " : unicode ? "─" : "-";
		fputs(mark, stdout);
	}
	putchar(' ');
	/* As many whole characters as there is room for. */
	for (shown = 0; safe[shown]; shown++) {
		if ((safe[shown] & 0xC0) != 0x80) {
			char kept = safe[shown];
			size_t columns;

			safe[shown] = '\0';
			columns = cli_columns(safe);
			safe[shown] = kept;
			if (columns >= plot->text)
				break;
		}
	}
	printf("%.*s\n", (int)shown, safe);
	perun_free(safe);
}

static void print_change(struct cli *cli, const struct perun_history *history,
			 const struct perun_acknowledgements *known,
			 const struct perun_strand *strand, size_t i)
{
	const struct perun_change_point *point = &strand->changes->points[i];
	char *reason = perun_acknowledged_change(known, perun_history_line(history), strand, point);

	cli_repeat(cli_has_unicode() ? "─" : "-", 3);
	putchar(' ');
	cli_print_point(cli, strand, point, strand->higher);
	if (reason) {
		fputs("    known: ", stdout);
		cli_print_safe(reason);
		putchar('\n');
	}
	perun_free(reason);
}

/* The first value to draw, so that `last` measured ones are. */
static size_t first_drawn(const struct perun_strand *series, size_t last)
{
	size_t i = series->count;

	while (i > 0 && last > 0) {
		i--;
		last -= !isnan(series->values[i]);
	}
	return i;
}

static void draw(struct cli *cli, const struct perun_history *history,
		 const struct perun_acknowledgements *known, const struct perun_strand *strand,
		 size_t last)
{
	const struct perun_strand *series = strand;
	size_t first = first_drawn(series, last), change = 0;
	size_t room = cli->width > 40 ? cli->width - 21 : 19;
	struct plot plot = {cli, INFINITY, -INFINITY, room * 3 / 5, room - room * 3 / 5 - 1};

	for (size_t i = first; i < series->count; i++) {
		plot.low = fmin(plot.low, series->values[i]);
		plot.high = fmax(plot.high, series->values[i]);
	}
	printf("%s", cli_color(cli, CLI_BOLD));
	cli_print_safe(strand->location);
	printf("%s, ", cli_color_end(cli));
	cli_print_safe(series->metric);
	if (series->unit && *series->unit) {
		fputs(" in ", stdout);
		cli_print_safe(series->unit);
	}
	if (*strand->command) {
		fputs(" ($ ", stdout);
		cli_print_safe(strand->command);
		putchar(')');
	}
	putchar('\n');
	for (size_t i = first; i < series->count; i++) {
		char *subject;

		while (change < strand->changes->count && strand->changes->points[change].index < i)
			change++;
		if (change < strand->changes->count && strand->changes->points[change].index == i)
			print_change(cli, history, known, strand, change);
		if (isnan(series->values[i]))
			continue;
		subject = cli_history_subject(history, i);
		print_value(&plot, series, i, subject);
		perun_free(subject);
	}
	if (strand->changes->trend.found)
		cli_print_trend(series, &strand->changes->trend);
	printf("%zu changes in %zu versions; noise %.3g\n\n", strand->changes->count, series->count,
	       strand->changes->noise);
}

static int write_picture(struct cli *cli, const struct cli_call *call, const char *form,
			 const struct perun_history *history)
{
	const char *path = perun_option_string(call->options, "output");
	struct perun_buffer text = {0};
	struct perun_output *output;
	int status;

	if (strcmp(form, "svg") == 0)
		cli_history_svg(history, &text);
	else
		cli_history_html(history, &text);
	status = perun_output_open(cli->ctx, path ? path : "-", &output);
	if (!status) {
		perun_output_write(output, text.data, text.length);
		status = perun_output_commit(cli->ctx, output);
		perun_output_close(output);
	}
	perun_buffer_free(&text);
	return status;
}

/* The form that is asked for, or that a name of a file asks for. */
static int choose_form(struct cli *cli, const struct cli_call *call, const char **form)
{
	const char *path = perun_option_string(call->options, "output");
	const char *suffix = path ? strrchr(path, '.') : NULL;

	*form = perun_option_string(call->options, "form");
	if (perun_option_flag(call->options, "json"))
		*form = "json";
	if (!*form && suffix && strcasecmp(suffix, ".svg") == 0)
		*form = "svg";
	if (!*form && suffix &&
	    (strcasecmp(suffix, ".html") == 0 || strcasecmp(suffix, ".htm") == 0))
		*form = "html";
	if (!*form)
		*form = "terminal";
	if (path && strcmp(path, "-") != 0 && strcmp(*form, "svg") != 0 &&
	    strcmp(*form, "html") != 0)
		return perun_fail(
			cli->ctx, PERUN_USAGE,
			"%s: a history is written as SVG or HTML; choose with --form or by the "
			"name of --output",
			path);
	return PERUN_OK;
}

int cli_history(struct cli *cli, const struct cli_call *call)
{
	struct perun_history_options query =
		cli_history_options_of(call, perun_option_string(call->options, "range"));
	struct perun_history *history;
	struct perun_acknowledgements *known = NULL;
	const char *form;
	bool json, terminal;
	json_t *series;
	int status = choose_form(cli, call, &form);

	if (status)
		return status;
	query.location = perun_option_string(call->options, "location");
	json = strcmp(form, "json") == 0;
	terminal = strcmp(form, "terminal") == 0;
	series = json ? json_array() : NULL;
	status = cli_history_load(cli, &query, &history);
	if (!status)
		status = perun_acknowledgements_load(cli->ctx, cli->store, &known);
	if (!status)
		status = cli_history_changes(cli, call, history);
	if (!status && terminal)
		cli_page(cli, "history");
	for (size_t s = 0; !status && s < perun_history_count(history); s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);

		if (json)
			json_array_append_new(series, fact_strand(history, known, strand));
		else if (terminal)
			draw(cli, history, known, strand,
			     (size_t)perun_option_integer(call->options, "last"));
	}
	if (!status && !json && !terminal)
		status = write_picture(cli, call, form, history);
	if (!status && json) {
		json_t *document = json_object();

		json_object_set(document, "series", series);
		cli_print_facts(document);
	}
	json_decref(series);
	perun_acknowledgements_free(known);
	perun_history_free(history);
	return status;
}
