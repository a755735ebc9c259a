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
	enum perun_form form; /* in which it is drawn */
	const struct perun_options *options;
	const struct perun_profile *profile;
	struct perun_experiment *experiment;
	uint32_t metric; /* number among the experiment's */
	const char *unit;
	bool inclusive;  /* values include those of callees */
	size_t *series;  /* those of the metric, of the experiment */
	size_t count;    /* how many */
	size_t left_out; /* what overlaps with others, unless call paths are asked for */
	struct perun_scaling_model
		*growths; /* of each series of the experiment; segments 0 = none */
	enum perun_repeated repeated;
	size_t parameter;   /* along the horizontal axis */
	double *at;         /* a value for each parameter: where costs are predicted */
	double *low, *high; /* measured, of each parameter */
	size_t *chosen;     /* of `series`, the costliest first: what the chart shows */
	size_t chosen_count;
	bool is_before; /* the first of two: call paths that are asked for may be new in the second */
	struct scaling *before; /* what it is compared with; NULL = nothing */
	double whole;           /* what shares at `at` are shares of */
};

/* Read and model the experiment of a profile. scaling_free() also after a failure. */
int scaling_load(struct scaling *scaling, const struct perun_profile *profile);
void scaling_free(struct scaling *scaling);
/* Show another metric of the same experiment; PERUN_USAGE when no call path that is asked for has it. */
int scaling_select(struct scaling *scaling, uint32_t metric);

const char *scaling_name(const struct scaling *scaling, size_t i);
const struct perun_experiment_series *scaling_series(const struct scaling *scaling, size_t i);
const double *scaling_coordinate(const struct scaling *scaling,
				 const struct perun_measurement *measurement);
const struct perun_scaling_model *scaling_growth(const struct scaling *scaling, size_t i);
/* What the option `measure` says of a measurement. */
double scaling_measured(const struct scaling *scaling, const struct perun_measurement *measurement);
/* The model of series i at a coordinate; NaN where it has none. */
double scaling_predicted(const struct scaling *scaling, size_t i, const double *coordinate);
/* The same where it is a part of the whole: what overlaps with other call paths costs nothing of its own. */
double scaling_cost(const struct scaling *scaling, size_t i, const double *coordinate);
/* The series of a call path; SIZE_MAX = there is none. */
size_t scaling_find(const struct scaling *scaling, const char *name);
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
/* Whether no axis is to be logarithmic. */
bool scaling_has_linear_axes(const struct scaling *scaling);
/* What one metric has in a figure: its first chart and row, how many there are of both, and which shows what dominates. */
struct scaling_parts {
	size_t chart, charts, row, rows;
	size_t dominant; /* number among its charts; SIZE_MAX = none */
};
/* What the chosen call paths are predicted to cost over two parameters, in space. */
void scaling_draw_surface(const struct scaling *scaling, struct views_figure *figure);
/* Which call path costs most at which values of two parameters. */
void scaling_draw_dominant(const struct scaling *scaling, struct views_figure *figure);
/* Of the chosen call paths: measured against predicted, and how far they are apart. */
void scaling_draw_fit(const struct scaling *scaling, struct views_figure *figure);
void scaling_draw_residuals(const struct scaling *scaling, struct views_figure *figure);
/* The curve of a call path's model, and what was measured, in a chart over the parameter of the axis. */
void scaling_add_curve(const struct scaling *scaling, size_t i, const char *name, unsigned color,
		       bool dashed, struct views_chart *chart);
void scaling_add_points(const struct scaling *scaling, size_t i, const char *name, unsigned color,
			struct views_chart *chart);
/* Axes, their scales and, where that is beyond, up to where it was measured. */
void scaling_finish_curves(const struct scaling *scaling, struct views_chart *chart);
/* "where n = 40": the other parameters; the caller frees it. */
char *scaling_others(const struct scaling *scaling);
/* Cells of a map. */
enum { SCALING_COLUMNS = 48, SCALING_ROWS = 36 };
/* Edges of a map over the parameter of the axis and another one; values by `value`. */
void scaling_fill_map(const struct scaling *scaling, size_t other,
		      double (*value)(const double *at, void *data), void *data,
		      struct views_heat *heat);
/* Two experiments: curves of both, the map of their ratio, the tree with both. */
void scaling_draw_comparison(const struct scaling *after, struct views_figure *figure,
			     struct scaling_parts *parts);
void scaling_list_comparison(const struct scaling *after, struct views_list *list);
/* The same place and range of both, and in `after` the call paths that differ most. */
int scaling_match(struct scaling *before, struct scaling *after);
/* The charts of the figure, and the tree with the shares of call paths. */
void scaling_draw(const struct scaling *scaling, struct views_figure *figure,
		  struct scaling_parts *parts);
void scaling_list(const struct scaling *scaling, struct views_list *list);
/* For each line of the tree: i is the call path, SIZE_MAX for a line without one. */
typedef void scaling_visit(void *data, size_t i, const char *name, unsigned depth);
void scaling_walk(const struct scaling *scaling, scaling_visit *visit, void *data);
/* For the script of the page: the parameters; and of the metric that is shown its models. Appended. */
void scaling_page_start(const struct scaling *scaling, struct perun_buffer *data);
void scaling_page_metric(const struct scaling *scaling, const struct scaling_parts *parts,
			 struct perun_buffer *data);

extern const struct perun_option scaling_options[];
extern const unsigned char scaling_page_js[];
extern const unsigned long scaling_page_js_size;

#endif
