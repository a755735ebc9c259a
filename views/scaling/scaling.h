/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: an experiment, the models of its call paths, and what they predict. */
#ifndef PERUN_VIEWS_SCALING_H
#define PERUN_VIEWS_SCALING_H

#include <perun/lib/experiment.h>
#include <perun/lib/model.h>
#include <perun/option.h>

#include "views/common/chart.h"

struct scaling {
	struct perun_ctx *ctx;
	const struct perun_options *options;
	const struct perun_profile *profile;
	struct perun_experiment *experiment;
	uint32_t metric; /* number among the experiment's */
	const char *unit;
	bool inclusive; /* values include those of callees */
	size_t *series; /* those of the metric, of the experiment */
	size_t count;   /* how many */
	struct perun_scaling_model
		*growths; /* of each series of the experiment; segments 0 = none */
	enum perun_repeated repeated;
	size_t parameter;   /* along the horizontal axis */
	double *at;         /* a value for each parameter: where costs are predicted */
	double *low, *high; /* measured, of each parameter */
	size_t *chosen;     /* of `series`, the costliest first: what the chart shows */
	size_t chosen_count;
	double whole; /* what shares at `at` are shares of */
};

/* Read and model the experiment of a profile. scaling_free() also after a failure. */
int scaling_load(struct scaling *scaling, const struct perun_profile *profile);
void scaling_free(struct scaling *scaling);

const char *scaling_name(const struct scaling *scaling, size_t i);
const struct perun_experiment_series *scaling_series(const struct scaling *scaling, size_t i);
const double *scaling_coordinate(const struct scaling *scaling,
				 const struct perun_measurement *measurement);
const struct perun_scaling_model *scaling_growth(const struct scaling *scaling, size_t i);
/* What the option `measure` says of a measurement. */
double scaling_measured(const struct scaling *scaling, const struct perun_measurement *measurement);
/* The model of series i at a coordinate; NaN where it has none. */
double scaling_predicted(const struct scaling *scaling, size_t i, const double *coordinate);
/* "p = 1024, n = 40". Appended. */
void scaling_add_at(const struct scaling *scaling, struct perun_buffer *out);
/* The model as people write it: "3.1 + 0.25 p log2 p", numbers shortened. Appended. */
void scaling_add_formula(const struct scaling *scaling, size_t i, struct perun_buffer *out);

/* The band that predictions of series i lie in, from `low` to `high` of the parameter of the axis. */
void scaling_band(const struct scaling *scaling, size_t i, double low, double high,
		  struct views_series *band);
/* The base for an axis of a parameter; 0 = linear. */
unsigned scaling_base(const struct scaling *scaling, size_t parameter);
/* The range of a parameter that is drawn: what was measured, and where it is asked for. */
void scaling_range(const struct scaling *scaling, size_t parameter, double *low, double *high);
/* What is at a share of the way from low to high. */
double scaling_between(double low, double high, unsigned base, double share);
/* Whether the option `chart` wants it, or, where it is not given, the view by itself. */
bool scaling_wants(const struct scaling *scaling, const char *chart);
/* Which call path costs most at which values of two parameters. */
void scaling_draw_dominant(const struct scaling *scaling, struct views_figure *figure);
/* Of the chosen call paths: measured against predicted, and how far they are apart. */
void scaling_draw_fit(const struct scaling *scaling, struct views_figure *figure);
void scaling_draw_residuals(const struct scaling *scaling, struct views_figure *figure);
/* The charts of the figure, and the tree with the shares of call paths. */
void scaling_draw(const struct scaling *scaling, struct views_figure *figure);
void scaling_list(const struct scaling *scaling, struct views_list *list);
/* For the page: its sliders, and the models for its script. */
void scaling_page(const struct scaling *scaling, struct perun_buffer *body,
		  struct perun_buffer *data);

extern const struct perun_option scaling_options[];
extern const unsigned char scaling_page_js[];
extern const unsigned long scaling_page_js_size;

#endif
