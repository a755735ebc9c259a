/* SPDX-License-Identifier: BSD-3-Clause */
/* perun history: a metric over the versions of a branch, with its changes. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perun/command.h>
#include <perun/lib/units.h>

#include "commands/common/change-line.h"
#include "commands/common/output.h"
#include "views/common/text.h"
#include "history.h"

const struct perun_option history_options[] = {
	COMMANDS_RANGE_OPTIONS,
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
	 .help = "draw the last N measured versions; changes are looked for in all"},
	COMMANDS_BETTER_OPTION,
	COMMANDS_METHOD_OPTION,
	COMMANDS_THRESHOLD_OPTION,
	{.name = "form",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "terminal svg html json",
	 .help = "what is made; without it by the name of the output, else terminal"},
	{.name = "output",
	 .aliases = "-o",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "where SVG and HTML go, standard output by default"},
	{.name = "explain", .help = "print how each change was found"},
	{.name = "json", .help = "print JSON"},
	COMMANDS_ACROSS_MACHINES_OPTION,
	COMMANDS_MACHINE_OPTION,
	{0}};

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The first members of each version's values, which all strands have in common. */
static struct perun_buffer *describe_versions(const struct perun_history *history)
{
	size_t count = perun_version_line_count(perun_history_line(history));
	struct perun_buffer *texts = perun_alloc_zero(count + 1, sizeof *texts);

	for (size_t i = 0; i < count; i++) {
		const struct perun_minor_version *version = commands_history_version(history, i);
		char *subject = commands_history_subject(history, i);
		struct perun_json *members[] = {commands_text(version->checksum),
						commands_text(subject),
						commands_json_time(version->date)};
		static const char *const names[] = {"version", "subject", "date"};

		for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
			perun_buffer_printf(&texts[i], "          \"%s\": ", names[m]);
			perun_json_print(members[m], &texts[i], PERUN_JSON_COMPACT, 0);
			perun_buffer_add_text(&texts[i], ",\n");
			perun_json_free(members[m]);
		}
		perun_free(subject);
	}
	return texts;
}

static void add_number(struct perun_buffer *out, double number)
{
	char text[PERUN_JSON_NUMBER_SIZE] = "null";

	if (isfinite(number))
		perun_json_print_double(number, text);
	perun_buffer_add_text(out, text);
}

static void add_values(const struct perun_strand *strand, const struct perun_buffer *versions,
		       struct perun_buffer *out)
{
	perun_buffer_add_char(out, '[');
	for (size_t i = 0; i < strand->count; i++) {
		double low, high;

		perun_strand_interval(strand, i, &low, &high);
		perun_buffer_printf(out, "%s\n        {\n", i ? "," : "");
		perun_buffer_add(out, versions[i].data, versions[i].length);
		perun_buffer_add_text(out, "          \"median\": ");
		add_number(out, strand->values[i]);
		perun_buffer_add_text(out, ",\n          \"interval\": [");
		add_number(out, low);
		perun_buffer_add_text(out, ", ");
		add_number(out, high);
		perun_buffer_printf(out, "],\n          \"runs\": %zu",
				    strand->starts[i + 1] - strand->starts[i]);
		if (strand->failed && strand->failed[i]) {
			struct perun_json *why = commands_text(strand->failed[i]);

			perun_buffer_add_text(out, ",\n          \"failed\": ");
			perun_json_print(why, out, PERUN_JSON_COMPACT, 0);
			perun_json_free(why);
		}
		perun_buffer_add_text(out, "\n        }");
	}
	perun_buffer_add_text(out, "\n      ]");
}

static struct perun_json *fact_strand(const struct history_found *found,
				      const struct perun_strand *strand)
{
	const struct perun_history *history = found->history;
	struct perun_json *fact = commands_json_strand(strand, strand->changes, strand->higher);

	perun_json_set(fact, "metric", commands_text(strand->metric));
	perun_json_set(fact, "unit", commands_text(strand->unit));
	perun_json_set(fact, "location", commands_text(strand->location));
	perun_json_set(fact, "command", commands_text(strand->command));
	perun_json_set(fact, "machine", commands_text(perun_history_machine(history)));
	perun_json_set(fact, "values", perun_json_text(""));
	for (size_t i = 0; i < strand->changes->count; i++) {
		char *reason = perun_acknowledged_change(found->known, perun_history_line(history),
							 strand, &strand->changes->points[i]);

		perun_json_set(commands_json_point_at(fact, i), "known", commands_text(reason));
		perun_json_set(commands_json_point_at(fact, i), "commits",
			       commands_json_commits(found->ctx, found->store, history, strand,
						     strand->changes->points[i].index));
		perun_free(reason);
	}
	return fact;
}

/* ---- terminal -------------------------------------------------------------------------------- */

struct plot {
	const struct perun_command_call *call;
	double low, high; /* values at both ends */
	size_t width;     /* columns */
	size_t text;      /* columns for the subject */
	size_t amount;    /* columns of the longest value */
};

static size_t column_of(const struct plot *plot, double value)
{
	/* Halves, for the difference may be more than a double holds. */
	double range = plot->high / 2 - plot->low / 2;
	double share = range > 0 ? (value / 2 - plot->low / 2) / range : 0.5;

	return (size_t)(share * (double)(plot->width - 1) + 0.5);
}

static size_t columns_of(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += (text[i] & 0xC0) != 0x80;
	return columns;
}

/* " 1.001 µs  ", in the columns that there are for it. */
static void print_amount(const struct plot *plot, double value, const char *unit)
{
	struct perun_buffer amount = {0};
	size_t columns;

	commands_add_value(&amount, value, unit);
	columns = columns_of(amount.data, amount.length);
	perun_output_text(plot->call->output, " ");
	commands_print_safe(plot->call, amount.data);
	perun_output_printf(plot->call->output, "%*s",
			    (int)(columns < plot->amount ? plot->amount - columns : 0) + 1, "");
	perun_buffer_free(&amount);
}

static void print_value(const struct plot *plot, const struct perun_strand *series, size_t i,
			const char *subject)
{
	const struct perun_command_call *call = plot->call;
	bool unicode = call->unicode;
	size_t at = column_of(plot, series->values[i]), first, last;
	struct perun_buffer shown = {0};
	double low, high;

	perun_strand_interval(series, i, &low, &high);
	first = column_of(plot, fmax(low, plot->low));
	last = column_of(plot, fmin(high, plot->high));
	commands_print_color(call, VIEWS_YELLOW);
	perun_output_printf(call->output, "%.8s", series->labels[i]);
	commands_print_color(call, VIEWS_PLAIN);
	print_amount(plot, series->values[i], series->unit);
	for (size_t column = 0; column < plot->width; column++) {
		const char *mark = unicode ? "●" : "o";

		if (column != at)
			mark = column < first || column > last ? " " : unicode ? "─" : "-";
		perun_output_text(call->output, mark);
	}
	views_add_clipped(&shown, subject ? subject : "", plot->text, !unicode);
	perun_output_printf(call->output, " %s\n", shown.length ? shown.data : "");
	perun_buffer_free(&shown);
}

static void print_change(const struct perun_command_call *call, const struct history_found *found,
			 const struct perun_strand *strand, size_t i)
{
	const struct perun_change_point *point = &strand->changes->points[i];
	char *reason = perun_acknowledged_change(found->known, perun_history_line(found->history),
						 strand, point);
	struct commands_change_line line = {0};

	/* The line of its value, which follows, has the subject. */
	line.known = reason;
	commands_print_point(call, strand, point, &line);
	history_print_explanation(call, strand, point);
	commands_print_commits(found->ctx, found->store, call, found->history, strand,
			       point->index);
	perun_free(reason);
}

static void print_failed(const struct perun_command_call *call, const struct perun_strand *series,
			 size_t i)
{
	commands_print_color(call, VIEWS_YELLOW);
	perun_output_printf(call->output, "%.8s", series->labels[i]);
	commands_print_color(call, VIEWS_PLAIN);
	perun_output_text(call->output, " " PERUN_CHANGE_FAILED ": ");
	commands_print_safe(call, series->failed[i]);
	perun_output_text(call->output, "\n");
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

/* "2 changes in 220 measured versions, the first not drawn (--last 220); noise 1.2 ms". */
static void print_end(const struct perun_command_call *call, const struct perun_strand *strand,
		      size_t first)
{
	size_t changes = strand->changes->count, measured = perun_strand_measured(strand);
	size_t earlier = 0;
	struct perun_buffer noise = {0};

	while (earlier < changes && strand->changes->points[earlier].index < first)
		earlier++;
	if (earlier)
		perun_buffer_add_text(&noise, ", the first ");
	if (earlier > 1)
		perun_buffer_printf(&noise, "%zu ", earlier);
	if (earlier)
		perun_buffer_printf(&noise, "not drawn (--last %zu)", measured);
	/* Few samples have medians of 0, which show none. */
	if (measured > 1 && isfinite(strand->changes->noise) && strand->changes->noise > 0) {
		perun_buffer_add_text(&noise, "; noise ");
		commands_add_value(&noise, strand->changes->noise, strand->unit);
	}
	perun_output_printf(call->output, "%zu change%s in %zu measured version%s%s\n\n", changes,
			    changes == 1 ? "" : "s", measured, measured == 1 ? "" : "s",
			    noise.data ? noise.data : "");
	perun_buffer_free(&noise);
}

/* How the values from `first` on are drawn in the width of the screen. */
static struct plot plot_of(const struct perun_command_call *call, const struct perun_strand *series,
			   size_t first)
{
	struct plot plot = {.call = call, .low = INFINITY, .high = -INFINITY};
	struct perun_buffer amount = {0};
	size_t room;

	for (size_t i = first; i < series->count; i++) {
		size_t columns;

		if (isnan(series->values[i]))
			continue;
		plot.low = fmin(plot.low, series->values[i]);
		plot.high = fmax(plot.high, series->values[i]);
		perun_buffer_clear(&amount);
		commands_add_value(&amount, series->values[i], series->unit);
		columns = columns_of(amount.data, amount.length);
		plot.amount = columns > plot.amount ? columns : plot.amount;
	}
	perun_buffer_free(&amount);
	/* Checksum, value, and the spaces between. */
	room = call->width > plot.amount + 30 ? call->width - plot.amount - 11 : 19;
	plot.width = room * 3 / 5;
	plot.text = room - plot.width - 1;
	return plot;
}

static void draw(const struct perun_command_call *call, const struct history_found *found,
		 const struct perun_strand *strand, size_t last)
{
	const struct perun_strand *series = strand;
	size_t first = first_drawn(series, last), change = 0;
	struct plot plot = plot_of(call, series, first);

	commands_print_color(call, VIEWS_BOLD);
	commands_print_safe(call, strand->location);
	commands_print_color(call, VIEWS_PLAIN);
	perun_output_text(call->output, *strand->location ? ", " : "");
	commands_print_safe(call, series->metric);
	if (*strand->command) {
		perun_output_text(call->output, " ($ ");
		commands_print_safe(call, strand->command + strspn(strand->command, " "));
		perun_output_text(call->output, ")");
	}
	perun_output_text(call->output, "\n");
	for (size_t i = first; i < series->count; i++) {
		char *subject;

		while (change < strand->changes->count && strand->changes->points[change].index < i)
			change++;
		if (change < strand->changes->count && strand->changes->points[change].index == i)
			print_change(call, found, strand, change);
		if (series->failed && series->failed[i])
			print_failed(call, series, i);
		if (isnan(series->values[i]))
			continue;
		subject = commands_history_subject(found->history, i);
		print_value(&plot, series, i, subject);
		perun_free(subject);
	}
	if (strand->changes->trend.found)
		commands_print_trend(call, series, &strand->changes->trend);
	print_end(call, strand, first);
}

static int write_picture(struct perun_ctx *ctx, const struct perun_command_call *call,
			 const char *form, const struct history_found *found)
{
	const char *path = perun_option_string(call->options, "output");
	struct perun_buffer text = {0};
	struct perun_output *output;
	int status;

	if (strcmp(form, "svg") == 0)
		history_svg(found, &text);
	else
		history_html(found, &text);
	status = perun_output_open(ctx, path ? path : "-", &output);
	if (!status) {
		perun_output_write(output, text.data, text.length);
		status = perun_output_commit(ctx, output);
		perun_output_close(output);
	}
	perun_buffer_free(&text);
	return status;
}

/* The form that is asked for, or that a name of a file asks for. */
static int choose_form(struct perun_ctx *ctx, const struct perun_command_call *call,
		       const char **form)
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
			ctx, PERUN_USAGE,
			"%s: a history is written as SVG or HTML; choose with --form or by the "
			"name of --output",
			path);
	return PERUN_OK;
}

/*
 * The values of thousands of versions and hundreds of strands are most of the document: they are written as text in the
 * places that it has for them. No JSON text has the newline that the mark begins with.
 */
#define VALUES_MARK "\n      \"values\": \"\""

static void print_strands(const struct perun_command_call *call, const struct history_found *found)
{
	const struct perun_history *history = found->history;
	size_t count;
	const struct perun_strand **shown = history_shown(found, &count);
	struct perun_json *series = perun_json_array(), *document = perun_json_object();
	struct perun_buffer *versions = describe_versions(history), text = {0}, out = {0};
	const char *from, *mark;

	for (size_t s = 0; s < count; s++)
		perun_json_append(series, fact_strand(found, shown[s]));
	perun_json_set(document, "series", series);
	perun_json_print(document, &text, PERUN_JSON_INDENTED, 2);
	perun_json_free(document);
	from = text.data;
	for (size_t s = 0; (mark = strstr(from, VALUES_MARK)); s++) {
		const char *end = mark + strlen(VALUES_MARK);

		perun_buffer_add(&out, from, (size_t)(end - 2 - from));
		add_values(shown[s], versions, &out);
		from = end;
	}
	perun_buffer_printf(&out, "%s\n", from);
	perun_output_write(call->output, out.data, out.length);
	for (size_t i = 0; i < perun_version_line_count(perun_history_line(history)); i++)
		perun_buffer_free(&versions[i]);
	perun_free(versions);
	perun_free(shown);
	perun_buffer_free(&text);
	perun_buffer_free(&out);
}

/* Of functions without a change the costliest are drawn, the rest is a number. */
#define MAX_UNCHANGED 10

static bool is_unchanged_function(const struct perun_strand *strand)
{
	bool counted = strand->recorded && strand->noise == PERUN_NOISE_EXACT;

	return (strand->stacks || counted) && !strand->whole && !strand->changes->count;
}

static double largest_of(const struct perun_strand *strand)
{
	double largest = 0;

	for (size_t i = 0; i < strand->count; i++)
		largest = strand->values[i] > largest ? strand->values[i] : largest;
	return largest;
}

static int by_cost(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a < b) - (a > b);
}

/* What a function without a change costs at least to be drawn; how many cost less. */
static double least_drawn(const struct perun_strand *const *shown, size_t count, size_t *left)
{
	double *costs = perun_alloc((count + 1) * sizeof *costs), least = 0;
	size_t unchanged = 0;

	for (size_t s = 0; s < count; s++) {
		if (is_unchanged_function(shown[s]))
			costs[unchanged++] = largest_of(shown[s]);
	}
	*left = 0;
	if (unchanged > MAX_UNCHANGED) {
		qsort(costs, unchanged, sizeof *costs, by_cost);
		least = costs[MAX_UNCHANGED - 1];
		for (size_t i = 0; i < unchanged; i++)
			*left += costs[i] < least;
	}
	perun_free(costs);
	return least;
}

static void draw_all(const struct perun_command_call *call, const struct history_found *found)
{
	size_t count, left;
	const struct perun_strand **shown = history_shown(found, &count);
	double least = least_drawn(shown, count, &left);

	perun_command_page(call);
	/* What a program costs comes before what its functions do. */
	for (size_t i = 0; i < 2 * count; i++) {
		const struct perun_strand *strand = shown[i % count];

		if (strand->whole == (i < count) &&
		    (!is_unchanged_function(strand) || largest_of(strand) >= least))
			draw(call, found, strand,
			     (size_t)perun_option_integer(call->options, "last"));
	}
	if (left)
		perun_output_printf(call->output,
				    "%zu function%s without a change cost%s less: --location NAME "
				    "shows one\n",
				    left, left == 1 ? "" : "s", left == 1 ? "s" : "");
	history_print_method(call);
	perun_free(shown);
}

int history_show(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct history_found found;
	const char *form;
	int status = choose_form(ctx, call, &form);

	if (status)
		return status;
	status = history_find(ctx, call, perun_option_string(call->options, "location"), true,
			      &found);
	if (!status)
		status = history_find_changes(ctx, call, found.history);
	if (!status)
		perun_history_note_moved(ctx, found.history);
	if (!status && strcmp(form, "json") == 0)
		print_strands(call, &found);
	else if (!status && strcmp(form, "terminal") == 0)
		draw_all(call, &found);
	else if (!status)
		status = write_picture(ctx, call, form, &found);
	history_found_free(&found);
	return status;
}
