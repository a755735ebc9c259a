/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of perun model share: an experiment with its models, and the forms it is printed in. */
#ifndef PERUN_COMMAND_MODEL_H
#define PERUN_COMMAND_MODEL_H

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/experiment.h>

#include "views/common/bars.h"

/* ---- the call tree (model-tree.c) ------------------------------------------------------------ */

enum { MODEL_NONE = UINT32_MAX };

/* A part of a call path. Numbers of nodes and call paths; MODEL_NONE = none. */
struct model_node {
	char *name;
	uint32_t callpath; /* MODEL_NONE: only others begin with it */
	uint32_t parent, first_child, last_child, next;
	unsigned depth;
};

/* Nodes in order of the tree from the root on, children in order of first appearance. */
struct model_tree {
	struct model_node *nodes;
	size_t count;
	uint32_t *order;  /* the nodes, each before its children */
	uint32_t *series; /* [callpath * metrics + metric]: number of the series */
};
void model_tree_init(struct model_tree *tree, const struct perun_experiment *experiment);
void model_tree_clear(struct model_tree *tree);

/* ---- a run ----------------------------------------------------------------------------------- */

/* What a call path costs at the point of --at. */
struct model_cost {
	struct perun_prediction prediction;
	double own;   /* without the call paths below */
	double share; /* of own in the sum over all call paths, 0..1 */
	double below; /* share together with all call paths below */
};

/* Metrics that follow from times at several numbers of processors: places after the experiment's own. */
enum model_derived { MODEL_COST, MODEL_SPEEDUP, MODEL_EFFICIENCY, MODEL_DERIVED };

/* With --scaling. */
struct model_scaling {
	size_t parameter, time, first; /* of processors; the metric; the first derived one */
	bool strong, detected;
	bool summed;                  /* values are those of all processors together */
	bool has_unit;                /* of the time: then costs are core-hours */
	double hours;                 /* of one unit of the time, or 1 */
	double threshold;             /* of efficiency, 0..1 */
	double least, most, farthest; /* processors: measured, and looked at */
	double falls;                 /* where efficiency falls below the threshold, or NaN */
	double whole_falls; /* the same by the model of the whole program, not the sum of all */
	double *at;         /* a value for each parameter */
	struct perun_experiment *whole;      /* the whole program; NULL without --scaling */
	struct perun_scaling_model *growths; /* its */
};

/* What to measure next; without the option there is no target. */
struct model_next {
	double *target;
	size_t wanted, count, rivals;
	size_t series, left_out; /* call paths asked about; of these, without known forms */
	double spread;
	struct perun_next_point dearer; /* what one measurement beyond the budget is worth */
	struct perun_next_point *points;
	double *room;
};

struct model_run {
	struct perun_ctx *ctx;
	const char *title; /* of one of several experiments, or NULL */
	bool elsewhere;    /* one of several, which lacks the point of --at: nothing is predicted */
	const struct perun_command_call *call;
	struct perun_canvas canvas; /* where it is printed */
	const struct perun_options *options;
	struct perun_profile *profile;
	struct perun_experiment *experiment;
	struct perun_scaling_model *growths; /* of each series */
	enum perun_repeated repeated;
	struct model_tree tree;
	double *at;               /* the point of --at, or NULL */
	double level;             /* of confidence, 0..1 */
	struct model_cost *costs; /* of each series, with `at` */
	double *below;            /* [node * metrics + metric]: shares with all below, with `at` */
	uint32_t *ranking;        /* series, the largest share first, metric by metric; with `at` */
	struct model_scaling scaling;
	struct model_next next;
};

/* The values of an option as a NULL-terminated array; free it (not the texts) with perun_free(). */
const char **model_strings(const struct perun_options *options, const char *name);

/* Prints to the run's output: formats; and a text of the outside world, without what could drive a terminal. */
void model_print(const struct model_run *run, const char *format, ...) PERUN_PRINTF(2, 3);
void model_print_safe(const struct model_run *run, const char *text);
/* A heading, of the level of the whole. */
void model_print_title(const struct model_run *run, const char *title);

/* "f", or of two segments "f for p<=8\ng for p>=16". Appends. */
void model_print_formula(const struct model_run *run, const struct perun_scaling_model *growth,
			 enum perun_spelling spelling, struct perun_buffer *text);
/* Appends "p=4,n=8". */
void model_print_point(const struct model_run *run, const double *point, struct perun_buffer *text);

/* ---- input (input.c, kinds.c) ---------------------------------------------------------------- */

/* Profiles [first, first + count), of one command with arguments and a workload that differ in numbers alone. */
struct model_kind {
	char *words; /* "./app --size=N" */
	size_t first, count;
};

/* The profiles that words of the command line name. */
struct model_input {
	struct perun_ctx *ctx;
	const struct perun_command_call *call;
	const struct perun_options *options;
	const char **settings; /* of the format */
	struct perun_lookup *lookup;
	bool has_many; /* all profiles of a version or run, which may be of several kinds */
	struct perun_profile **profiles;
	const char **names;
	size_t count;
	struct model_kind *kinds; /* none: all of them make one experiment */
	size_t kind_count;
};
/* Free `*input` also after a failure. */
int model_input_read(struct perun_ctx *ctx, const struct perun_command_call *call,
		     const char *const *words, size_t count, struct model_input **input);
void model_input_free(struct model_input *input); /* NULL is fine */
/* Whether a profile makes an experiment alone. */
bool model_is_experiment(const struct perun_profile *profile);
/* Find the kinds, and leave out what is of none of them. */
int model_input_group(struct model_input *input);
/* How many experiments there are; one at least. */
size_t model_input_count(const struct model_input *input);
/* What one of several is of; NULL of the only one. */
const char *model_input_title(const struct model_input *input, size_t which);
/* The experiment of `other` that is of the same kind; SIZE_MAX = none. */
size_t model_input_find(const struct model_input *input, size_t which,
			const struct model_input *other);
/* An experiment: the one that was named, or that profiles make, then `*gathered`. */
int model_input_make(const struct model_input *input, size_t which, struct perun_profile **profile,
		     bool *gathered);

/* ---- predictions (model-cost.c) -------------------------------------------------------------- */

/* Read --at and --level and, with --at, predict and rank. */
int model_predict(struct model_run *run);
/* Whether --at, if it is given, says where each parameter of the experiment is, and nothing of others. */
bool model_has_point(const struct model_run *run);
/* Predict one series at a point, with the run's level. */
void model_predict_one(const struct model_run *run, size_t series, const double *at,
		       struct perun_prediction *prediction);

/* Whether the values of a metric contain those of the call paths below. */
bool model_is_inclusive(const struct model_run *run, size_t metric);

/* ---- --scaling (scaling.c, scaling-print.c) -------------------------------------------------- */

/* Whether derived metrics are asked for. */
bool model_wants_scaling(const struct perun_options *options, const struct perun_profile *profile);
/* How the format put the values of processes together ("strong": summed), or NULL. */
const char *model_put_together(const struct perun_profile *profile);
/* Add speed-up, efficiency and cost to the metrics of the experiment, and make that of the whole program. */
int model_scaling_add(struct model_run *run);
/* Model the whole program, and find where its efficiency falls below the threshold. */
int model_scaling_fit(struct model_run *run, const struct perun_modeler_options *modeler);
void model_scaling_clear(struct model_run *run);
/* Speed-up and efficiency are no costs: they have no shares. */
bool model_is_ratio(const struct model_run *run, size_t metric);
/* A value of a series, of times and bytes with a unit. Appended. */
void model_add_value(const struct model_run *run, size_t series, double value,
		     struct perun_buffer *out);
void model_scaling_print(const struct model_run *run);
void model_scaling_json(const struct model_run *run, struct perun_json_writer *json);

/* ---- doubts (model-doubt.c) ------------------------------------------------------------------ */

/* Why a model is not certain, and where to measure next: `next` is NULL if there is nothing to say. */
struct model_doubt {
	double *next;
	double difference; /* of the formula and the runner-up there, in relation to the larger */
};
void model_doubt(const struct model_run *run, size_t series, struct model_doubt *doubt);
/* With --at: whether the formula falls below zero there, where no measurement is. */
bool model_is_below_zero(const struct model_run *run, size_t series);
void model_doubt_clear(struct model_doubt *doubt);

/* ---- --next (next.c, expression.c) ----------------------------------------------------------- */

/* Fill run->next. */
int model_next_find(struct model_run *run);
void model_next_clear(struct model_next *next);
void model_next_print(const struct model_run *run);
void model_next_json(const struct model_run *run, struct perun_json_writer *json);
/* The value of --cost at a point, where t is `total`. */
int model_expression(struct perun_ctx *ctx, const struct perun_experiment *experiment,
		     const char *text, const double *point, double total, double *value);

/* ---- forms of output ------------------------------------------------------------------------- */

int model_json(const struct model_run *run);
/* For other JSON: a writer to standard output, in the object of the document, and parts of objects. */
struct perun_json_writer *model_json_start(const struct model_run *run);
void model_write_number(struct perun_json_writer *json, const char *key, double number);
void model_write_point(struct perun_json_writer *json, const struct model_run *run, const char *key,
		       const double *point);
/* The beginning of an object: the series' call path and metric. */
void model_write_name(struct perun_json_writer *json, const struct model_run *run, size_t series);
/* An object: the model of a metric of the whole program. */
void model_write_whole(struct perun_json_writer *json, const struct model_run *run, size_t series);
/* An object: the model of a series and what it predicts. */
void model_write_side(struct perun_json_writer *json, const struct model_run *run, size_t series,
		      const struct perun_prediction *prediction);
int model_table(const struct model_run *run);
int model_markdown(const struct model_run *run);
/* --print WORD: as Extra-P prints it; a WORD with braces is a format for a line for each model. */
int model_text(const struct model_run *run, const char *word);
int model_format(const struct model_run *run, const char *text);

/* ---- --compare (model-compare.c) ------------------------------------------------------------- */

/* Fail where two experiments do not have the same parameters. */
int model_check_parameters(const struct model_run *before, const struct model_run *after);
/* How the growth of each call path differs from that in `before`, which has the same parameters. */
int model_compare(const struct model_run *before, const struct model_run *after);

#endif
