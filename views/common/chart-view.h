/* SPDX-License-Identifier: BSD-3-Clause */
/* What the views share that draw charts of the resources of one profile. */
#ifndef PERUN_VIEWS_COMMON_CHART_VIEW_H
#define PERUN_VIEWS_COMMON_CHART_VIEW_H

#include "views/common/chart-table.h"
#include "views/common/chart.h"

/* A picture while it is made; its members are cleared when it is drawn. */
struct views_chart_work {
	const struct perun_options *options;
	struct views_table table;
	bool all_metrics; /* of an experiment: the view distinguishes them by another option than `by` */
	struct views_numbers of;         /* what is shown */
	struct views_numbers along;      /* of points: what lies along the horizontal axis */
	struct views_categories by, per; /* what is distinguished; what has places of its own */
};

/*
 * Open the profile, load what is drawn and draw it. A failure to load says which profile it is. `work` is the
 * first member of what the view knows; `instance` is what views_open_chart() made.
 */
struct views_chart_maker {
	int (*load)(struct views_chart_work *work);
	int (*draw)(struct views_chart_work *work, const char *name,
		    const struct perun_canvas *canvas);
};
int views_show_chart(const struct views_chart_maker *maker, struct views_chart_work *work,
		     void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
		     const char *name, const struct perun_canvas *canvas);

/* perun_view_ops.open: the options are the instance. */
int views_open_chart(struct perun_ctx *ctx, const struct perun_options *options,
		     const char *subcommand, void **instance);

/* ---- values of several rows as one ------------------------------------------------------------- */

/* A figure of the values of `work->of`, of which those of each place in `per`, and of each part in `by`, become one. */
struct views_aggregates {
	enum perun_aggregate function;
	bool parts;           /* `by` has parts; else there is one for each place */
	const char *relation; /* of the values to the key: "per", "through" */
	const char *key;
	const char *file; /* the name of the page */
	char *subtitle;   /* freed when it is drawn */
	/* Set up the axis and add series of the cells, places * parts, which it may change. */
	void (*add)(struct views_chart_work *work, double *cells, struct views_chart *chart);
};
/* Load what an option "of" names: numbers, or codes of what is counted. */
int views_aggregates_load(struct views_chart_work *work, enum perun_aggregate function);
/* What categories are limited by: the values, NULL = the number of rows. */
const double *views_aggregates_weights(const struct views_chart_work *work,
				       enum perun_aggregate function);
int views_aggregates_draw(struct views_chart_work *work, const struct views_aggregates *aggregates,
			  const struct perun_canvas *canvas);

/* Elements of perun_view_ops, and of tables of options. */
#define VIEWS_FUNCTION_OPTION(help_text)                                                    \
	{                                                                                   \
		.name = "function", .metavar = "FUNCTION", .type = PERUN_OPTION_CHOICE,     \
		.flags = PERUN_OPTION_POSITIONAL,                                           \
		.choices = "sum mean count nunique median min max", .default_value = "sum", \
		.help = help_text                                                           \
	}
#define VIEWS_CHART_OPS(show_function)                                                     \
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON, \
	.minimum = 1, .maximum = 1, .show = show_function
#define VIEWS_KEY_OPTION(option_name, option_aliases, help_text)                  \
	{                                                                         \
		.name = option_name, .aliases = option_aliases, .metavar = "KEY", \
		.type = PERUN_OPTION_STRING, .help = help_text                    \
	}
#define VIEWS_LIMIT_OPTION(most, help_text)                                                     \
	{                                                                                       \
		.name = "limit", .aliases = "-n", .metavar = "N", .type = PERUN_OPTION_INTEGER, \
		.ranged = true, .minimum = 1, .maximum = 1000, .default_value = most,           \
		.help = help_text                                                               \
	}

#endif
