/* SPDX-License-Identifier: BSD-3-Clause */
/* How probable it is that a change is guilty, from machine code and costs. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/dissect/evidence.h"
#include "core/dissect/file-kinds.h"

/* The weight of a change in a file that nothing is built from, or in code that is built to the same. */
#define LOW_WEIGHT 0.02
/* What a change weighs more that explains all of the costs. */
#define FULL_WEIGHT 40.0
/* Samples point to a change that explains this part of the costs. */
#define POINTED 0.1
/* The part of a cost that is explained by what a function calls, or what calls it. */
#define NEIGHBOUR 0.5

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_name(int c)
{
	return isalnum(c) || c == '_';
}

bool evidence_function_name(const char *line, const char **name, size_t *length)
{
	for (const char *open = strchr(line, '('); open; open = strchr(open + 1, '(')) {
		const char *end = open, *start;

		while (end > line && isspace((unsigned char)end[-1]))
			end--;
		for (start = end; start > line && is_name((unsigned char)start[-1]);)
			start--;
		/* A method's receiver comes first. */
		if (start == end || isdigit((unsigned char)*start) ||
		    (end - start == 4 && strncmp(start, "func", 4) == 0))
			continue;
		*name = start;
		*length = (size_t)(end - start);
		return true;
	}
	return false;
}

/* Whether all lines are within a function: they are indented, and not for a preprocessor. */
static bool is_inside(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n"), blanks = strspn(text, " \t\r");

		if (blanks < length && (!blanks || text[blanks] == '#'))
			return false;
		text += length + (text[length] == '\n');
	}
	return true;
}

/* The function that a change is in, if it is in one. */
static bool find_context(const struct perun_dissect_change *change, const char **name,
			 size_t *length)
{
	return change->kind == PERUN_DISSECT_CHANGE_LINES && is_inside(change->removed) &&
	       is_inside(change->added) && evidence_function_name(change->function, name, length);
}

static bool is_built_the_same(const struct functions *functions,
			      const struct perun_dissect_change *change)
{
	const struct function *function = NULL;
	const char *name;
	size_t length;

	if (find_context(change, &name, &length))
		function = functions_find(functions, name, length);
	return function && function->common && !function->changed;
}

/* ---- what explains costs --------------------------------------------------------------------- */

/* What is known of the functions that have costs. */
struct scores {
	const struct costs *costs;
	bool *changed;   /* its code */
	bool *hunks;     /* changes are in it */
	bool *explained; /* it is changed, or calls one that is */
	double *values;  /* the part of the slowdown that a change of it explains */
	double all;
};

static double rise(const double costs[2])
{
	return fmax(costs[1] - costs[0], 0);
}

static void mark_changed(const struct changes *changes, const struct functions *functions,
			 struct scores *scores)
{
	const struct costs *costs = scores->costs;

	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_dissect_function *function = NULL;
		const char *name;
		size_t length;

		if (find_context(&changes->items[i], &name, &length))
			function = costs_find(costs, name, length);
		if (function)
			scores->hunks[function - costs->functions] = true;
	}
	for (size_t i = 0; i < costs->function_count; i++) {
		size_t length;
		const char *name = function_last_name(costs->functions[i].name, &length);
		const struct function *function = functions_find(functions, name, length);

		/* One that is inlined everywhere is changed where its source is. */
		scores->changed[i] = function ? function->changed : scores->hunks[i];
		scores->explained[i] = scores->changed[i];
		scores->all += rise(costs->functions[i].self);
	}
}

static void explain(struct scores *scores)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < scores->costs->call_count; i++) {
			const struct function_calls *call = &scores->costs->calls[i];

			if (scores->explained[call->callee] && !scores->explained[call->caller])
				more = scores->explained[call->caller] = true;
		}
	}
}

/* What a function costs more by itself, and in what it calls that is as it was: it calls that more often, or with more. */
static double own_rise(const struct scores *scores, size_t function)
{
	const struct costs *costs = scores->costs;
	double sum = rise(costs->functions[function].self);

	for (size_t i = 0; i < costs->call_count; i++) {
		if (costs->calls[i].caller == function && costs->calls[i].callee != function &&
		    !scores->explained[costs->calls[i].callee])
			sum += rise(costs->functions[costs->calls[i].callee].total);
	}
	return sum;
}

static void score(struct scores *scores)
{
	const struct costs *costs = scores->costs;

	for (size_t i = 0; i < costs->function_count; i++) {
		if (scores->changed[i])
			scores->values[i] += own_rise(scores, i);
	}
	/* A function as it was costs more: what it calls gives it more to do, or what calls it does. */
	for (size_t i = 0; i < costs->call_count; i++) {
		size_t caller = costs->calls[i].caller, callee = costs->calls[i].callee;

		if (!scores->changed[caller] && scores->changed[callee])
			scores->values[callee] += NEIGHBOUR * own_rise(scores, caller);
		else if (scores->changed[caller] && !scores->changed[callee] &&
			 scores->explained[callee])
			scores->values[caller] += NEIGHBOUR * own_rise(scores, callee);
	}
}

/* The highest score of a function that changed though no change is in it. */
static double score_outside(const struct scores *scores)
{
	double most = 0;

	for (size_t i = 0; i < scores->costs->function_count; i++) {
		if (scores->changed[i] && !scores->hunks[i])
			most = fmax(most, scores->values[i]);
	}
	return most;
}

/* Whether a change is in each function that changed: then others have changed none. */
static bool are_all_within(const struct changes *changes, const struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++) {
		bool within = !functions->items[i].changed;

		for (size_t k = 0; !within && k < changes->count; k++) {
			const char *name;
			size_t length;

			within = find_context(&changes->items[k], &name, &length) &&
				 strlen(functions->items[i].name) == length &&
				 memcmp(functions->items[i].name, name, length) == 0;
		}
		if (!within)
			return false;
	}
	return functions->count > 0;
}

static void add_scores(const struct changes *changes, const struct functions *functions,
		       const struct costs *costs, double *weights)
{
	size_t count = costs->function_count;
	struct scores scores = {.costs = costs,
				.changed = perun_alloc_zero(count + 1, sizeof(bool)),
				.hunks = perun_alloc_zero(count + 1, sizeof(bool)),
				.explained = perun_alloc_zero(count + 1, sizeof(bool)),
				.values = perun_alloc_zero(count + 1, sizeof(double))};

	mark_changed(changes, functions, &scores);
	explain(&scores);
	score(&scores);
	for (size_t i = 0; scores.all > 0 && i < changes->count; i++) {
		const struct perun_dissect_function *function = NULL;
		const char *name;
		size_t length;
		bool inside = find_context(&changes->items[i], &name, &length);
		double value = 0;

		if (inside)
			function = costs_find(costs, name, length);
		if (function)
			value = scores.values[function - costs->functions];
		else if (!inside)
			value = score_outside(&scores);
		if (weights[i] >= 1)
			weights[i] += FULL_WEIGHT * fmin(value / scores.all, 1);
	}
	perun_free(scores.changed);
	perun_free(scores.hunks);
	perun_free(scores.explained);
	perun_free(scores.values);
}

void evidence_weigh(const struct changes *changes, const struct functions *functions,
		    const struct costs *costs, double *weights, bool *acquitted)
{
	bool within = are_all_within(changes, functions);

	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_dissect_change *change = &changes->items[i];
		const char *name;
		size_t length;

		acquitted[i] = change_is_plain(change) || is_built_the_same(functions, change) ||
			       file_is_text(change->file) || file_is_test(change->file) ||
			       (within && !find_context(change, &name, &length));
		weights[i] = acquitted[i] ? LOW_WEIGHT : 1;
	}
	if (costs->function_count)
		add_scores(changes, functions, costs, weights);
}

bool evidence_points(double weight)
{
	return weight >= 1 + POINTED * FULL_WEIGHT;
}
