/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `short`: what changed between two profiles, on one screen. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/bars.h"
#include "views/common/facts.h"
#include "views/common/plugin.h"
#include "views/common/rows.h"
#include "views/common/text.h"

enum { MAX_METRICS = 8, MAX_FACTS_TOLD = 6, AMOUNT = 10, SHARE = 9 };

static const struct perun_option short_options[] = {
	VIEWS_DATA_OPTIONS,
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1000,
	 .default_value = "5",
	 .help = "at most N changes"},
	{.name = "normalize",
	 .help = "scale the first profile to the sum of the second: compare shares"},
	{0}};

struct writing {
	const struct perun_canvas *canvas;
	struct perun_buffer *out;
	const struct views_pair *pair;
	size_t width;
};

static int short_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static void add_right(struct perun_buffer *out, const char *text, size_t width)
{
	const size_t taken = views_width(text);

	views_add_repeated(out, " ", taken < width ? width - taken : 0);
	perun_buffer_add_text(out, text);
}

static void add_relative(const struct writing *writing, long double base, long double new,
			 bool higher_is_better)
{
	struct perun_buffer text = {0};
	const bool worse = higher_is_better ? new < base : new > base;

	if (base == 0 && new != 0)
		perun_buffer_add_text(&text, "new");
	else if (base != 0 && new == 0)
		perun_buffer_add_text(&text, "gone");
	else
		views_add_share(&text, base != 0 ? (new - base) / fabsl(base) : 0, true);
	if (new != base)
		views_add_color(writing->out, writing->canvas, worse ? VIEWS_RED : VIEWS_GREEN);
	add_right(writing->out, text.data, SHARE);
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
	perun_buffer_free(&text);
}

static void add_amount(const struct writing *writing, long double amount,
		       const struct perun_unit *unit, bool sign)
{
	struct perun_buffer text = {0};

	views_add_amount(&text, amount, unit, sign, writing->canvas->ascii);
	add_right(writing->out, text.data, AMOUNT);
	perun_buffer_free(&text);
}

static void add_title(const struct writing *writing, const char *title)
{
	perun_buffer_add_char(writing->out, '\n');
	views_add_color(writing->out, writing->canvas, VIEWS_BOLD);
	perun_buffer_add_text(writing->out, title);
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
	perun_buffer_add_char(writing->out, '\n');
}

/* Metrics of both beside the one that is shown. */
static void add_levels(const struct writing *writing, struct perun_profile *const *profiles,
		       struct views_levels levels[2])
{
	size_t count, written = 0;
	const struct perun_metric *const *metrics = perun_metrics(profiles[1], &count);

	for (size_t i = 0; i < count && written < MAX_METRICS; i++) {
		const struct perun_metric *base = perun_metric(profiles[0], metrics[i]->name);
		const long double factor =
			base ? perun_unit_factor(base->unit, metrics[i]->unit) : 0;
		struct perun_unit unit = perun_unit_of(metrics[i]->unit);
		long double sums[2];

		if (factor == 0 ||
		    strcmp(metrics[i]->name, writing->pair->data[1].metric->name) == 0)
			continue;
		sums[0] = views_level(&levels[0], base) * factor;
		sums[1] = views_level(&levels[1], metrics[i]);
		if (sums[0] == 0 && sums[1] == 0)
			continue;
		if (!written++)
			add_title(writing, "Other metrics");
		add_amount(writing, sums[0], &unit, false);
		add_amount(writing, sums[1], &unit, false);
		add_relative(writing, sums[0], sums[1],
			     perun_metric_higher(metrics[i], PERUN_BETTER_UNKNOWN));
		perun_buffer_add_text(writing->out, "  ");
		views_add_fitted(writing->out, metrics[i]->name, writing->width - 31,
				 writing->canvas->ascii);
		views_add_unit(writing->out, " in ", &unit, metrics[i]->name, writing->canvas);
		perun_buffer_add_char(writing->out, '\n');
	}
}

static void add_metrics(const struct writing *writing, struct perun_profile *const *profiles)
{
	struct views_levels levels[2] = {0};
	int status = PERUN_OK;

	for (int i = 0; i < 2 && !status; i++)
		status = views_levels_of(writing->pair->data[i].ctx, profiles[i], &levels[i]);
	if (!status)
		add_levels(writing, profiles, levels);
	views_levels_clear(&levels[0]);
	views_levels_clear(&levels[1]);
}

static void add_changes(const struct writing *writing, struct views_rows *rows, size_t limit)
{
	const struct views_data *new = &writing->pair->data[1];
	size_t written = 0;

	views_rows_sort(rows, VIEWS_BY_DELTA);
	for (size_t i = 0; i < rows->count && written < limit; i++) {
		const struct views_row *row = &rows->items[i];

		if (row->self[0] == row->self[1])
			break;
		if (!written++)
			add_title(writing, "Largest changes");
		add_amount(writing, row->self[1] - row->self[0], &new->unit, true);
		add_relative(writing, row->self[0], row->self[1], views_higher_is_better(new));
		perun_buffer_add_text(writing->out, "  ");
		views_add_fitted(writing->out, row->name, writing->width - 21,
				 writing->canvas->ascii);
		perun_buffer_add_char(writing->out, '\n');
	}
	if (!written)
		perun_buffer_printf(writing->out, "\nNo %s changed.\n", views_title(new));
}

/* Load and clocks always differ. */
static bool is_worth_reporting(const struct views_fact *fact)
{
	static const char *const sections[] = {"header", "machine", "collector_info",
					       "environment"};

	if (!fact->differs || strcmp(fact->name, "load") == 0 || strstr(fact->name, "time") ||
	    strcmp(fact->name, "duration") == 0)
		return false;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		if (strcmp(fact->section, sections[i]) == 0)
			return true;
	}
	return false;
}

static void add_facts(const struct writing *writing, struct perun_profile *const *profiles)
{
	struct views_facts facts;
	size_t written = 0, all = 0;

	views_facts_of(profiles, &facts);
	for (size_t i = 0; i < facts.count; i++) {
		const struct views_fact *fact = &facts.items[i];
		struct perun_buffer line = {0};

		if (!is_worth_reporting(fact) || all++ >= MAX_FACTS_TOLD)
			continue;
		if (!written++)
			add_title(writing, "Measured differently");
		perun_buffer_printf(&line, "%s %s: %s, now %s", fact->section, fact->name,
				    fact->texts[0] ? fact->texts[0] : "nothing",
				    fact->texts[1] ? fact->texts[1] : "nothing");
		views_add_clipped(writing->out, line.data, writing->width, writing->canvas->ascii);
		perun_buffer_add_char(writing->out, '\n');
		perun_buffer_free(&line);
	}
	if (all > written)
		perun_buffer_printf(writing->out, "and %zu more\n", all - written);
	views_facts_clear(&facts);
}

static int short_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		      const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	const struct perun_options *options = instance;
	struct views_pair pair;
	struct views_rows rows = {0};
	struct perun_buffer out = {0};
	const struct writing writing = {.canvas = canvas,
					.out = &out,
					.pair = &pair,
					.width = canvas->width > 40 ? canvas->width : 40};
	int status = views_open_pair(ctx, options, profiles, names, &pair);

	(void)count;
	if (!status)
		status = views_rows_of_pair(ctx, &pair, &rows);
	if (!status) {
		views_add_pair_heading(&pair, canvas, &out);
		add_changes(&writing, &rows, (size_t)perun_option_integer(options, "limit"));
		add_metrics(&writing, profiles);
		add_facts(&writing, profiles);
		status = perun_output_write(canvas->output, out.data, out.length);
	}
	views_rows_free(&rows);
	views_close_pair(&pair);
	perun_buffer_free(&out);
	return status;
}

VIEW_PLUGIN(short, "short", "what changed between two profiles, in short", short_options,
	    .open = short_open, .forms = PERUN_FORM_TERMINAL, .minimum = 2, .maximum = 2,
	    .show = short_show);
