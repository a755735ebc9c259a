/* SPDX-License-Identifier: BSD-3-Clause */
/* Where two builds of a program spend their time. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/history.h>

#include "core/context/clock.h"
#include "core/dissect/costs.h"
#include "core/dissect/functions.h"

/* Each side is sampled until it has this number of samples, or this many runs or seconds. */
#define ENOUGH_SAMPLES 300
#define MAX_RUNS       10
#define MAX_SECONDS    1.0

/* The frames of a stack, the innermost first. */
#define MAX_FRAMES 256

struct stack {
	size_t functions[MAX_FRAMES], lines[MAX_FRAMES], count;
};

/* ---- functions and lines --------------------------------------------------------------------- */

static size_t function_at(struct costs *costs, const char *name)
{
	for (size_t i = 0; i < costs->function_count; i++) {
		if (strcmp(costs->functions[i].name, name) == 0)
			return i;
	}
	PERUN_GROW(costs->functions, costs->function_count, costs->function_capacity);
	costs->functions[costs->function_count] = (struct perun_dissect_function){
		.struct_size = sizeof *costs->functions, .name = perun_strdup(name)};
	return costs->function_count++;
}

static void add_call(struct costs *costs, size_t caller, size_t callee)
{
	for (size_t i = 0; i < costs->call_count; i++) {
		if (costs->calls[i].caller == caller && costs->calls[i].callee == callee)
			return;
	}
	PERUN_GROW(costs->calls, costs->call_count, costs->call_capacity);
	costs->calls[costs->call_count++] = (struct function_calls){caller, callee};
}

static size_t line_at(struct costs *costs, const char *file, int64_t line)
{
	for (size_t i = 0; i < costs->line_count; i++) {
		if (costs->lines[i].line == (size_t)line && strcmp(costs->lines[i].file, file) == 0)
			return i;
	}
	PERUN_GROW(costs->lines, costs->line_count, costs->line_capacity);
	costs->lines[costs->line_count] =
		(struct perun_dissect_line){.struct_size = sizeof *costs->lines,
					    .file = perun_strdup(file),
					    .line = (size_t)line};
	return costs->line_count++;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* [{"function": "f", "source": "f.c", "line": 3}, …]: the form of the collector's traces. */
static void read_stack(const struct perun_json *trace, struct costs *costs, struct stack *stack)
{
	stack->count = 0;
	for (size_t i = 0; i < perun_json_count(trace) && stack->count < MAX_FRAMES; i++) {
		const struct perun_json *frame = perun_json_at(trace, i);
		const char *name = perun_json_as_string(perun_json_get(frame, "function"), NULL);
		const char *file = perun_json_as_string(perun_json_get(frame, "source"), NULL);
		int64_t line = 0;

		if (!name)
			continue;
		stack->functions[stack->count] = function_at(costs, name);
		stack->lines[stack->count++] =
			file && perun_json_as_int64(perun_json_get(frame, "line"), &line) &&
					line > 0
				? line_at(costs, file, line)
				: SIZE_MAX;
	}
}

static bool is_before(const size_t *list, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (list[k] == list[i])
			return true;
	}
	return false;
}

/* A function or line in a stack twice has its costs once. */
static void add_stack(const struct stack *stack, int side, double cost, struct costs *costs)
{
	for (size_t i = 0; i < stack->count; i++) {
		if (i == 0)
			costs->functions[stack->functions[i]].self[side] += cost;
		else if (stack->functions[i] != stack->functions[i - 1])
			add_call(costs, stack->functions[i], stack->functions[i - 1]);
		if (!is_before(stack->functions, i))
			costs->functions[stack->functions[i]].total[side] += cost;
		if (stack->lines[i] != SIZE_MAX && !is_before(stack->lines, i))
			costs->lines[stack->lines[i]].cost[side] += cost;
	}
}

static int add_profile(struct perun_ctx *ctx, struct perun_profile *profile, int side, size_t runs,
		       struct costs *costs)
{
	const struct perun_table *rows = perun_resources(profile);
	const struct perun_column *amounts = perun_table_column(rows, "amount"),
				  *traces = perun_table_column(rows, "trace");
	struct stack *stack = perun_alloc_zero(1, sizeof *stack);
	int status = PERUN_OK;

	for (size_t row = 0; amounts && traces && !status && row < perun_table_rows(rows); row++) {
		perun_id id = perun_column_id(traces, row);
		double amount = perun_column_double(amounts, row);
		struct perun_json *trace = NULL;
		size_t length;
		const char *text;

		if (id == PERUN_NO_ID || !(amount > 0))
			continue;
		text = perun_profile_string(profile, id, &length);
		status = perun_json_parse(ctx, text, length, NULL, &trace);
		if (!status) {
			read_stack(trace, costs, stack);
			add_stack(stack, side, amount / (double)runs, costs);
		}
		perun_json_free(trace);
	}
	perun_free(stack);
	return status;
}

static double sum_column(struct perun_profile *profile, const char *name)
{
	const struct perun_table *rows = perun_resources(profile);
	const struct perun_column *column = perun_table_column(rows, name);
	double sum = 0;

	for (size_t row = 0; column && row < perun_table_rows(rows); row++)
		sum += perun_column_double(column, row);
	return sum;
}

static int sample_side(struct perun_ctx *ctx, struct perun_interleave *interleave,
		       const char *directory, int side, struct costs *costs)
{
	struct perun_profile *profiles[MAX_RUNS];
	size_t runs = 0;
	double samples = 0, amount = 0, start = clock_now();
	int status = PERUN_OK;

	while (!status && runs < MAX_RUNS && samples < ENOUGH_SAMPLES &&
	       (!runs || clock_now() - start < MAX_SECONDS)) {
		status = perun_interleave_sample(ctx, interleave, directory, &profiles[runs]);
		if (!status) {
			samples += sum_column(profiles[runs], "samples");
			amount += sum_column(profiles[runs++], "amount");
		}
	}
	if (samples > 0)
		costs->sample[side] = amount / samples / (double)runs;
	for (size_t i = 0; i < runs; i++) {
		if (!status)
			status = add_profile(ctx, profiles[i], side, runs, costs);
		perun_profile_unref(profiles[i]);
	}
	return status;
}

static int compare_moved(const void *one, const void *other)
{
	const struct moved_function *a = one, *b = other;

	if (a->by != b->by)
		return a->by > b->by ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void sort_moved(struct costs *costs)
{
	costs->moved = perun_alloc_zero(costs->function_count + 1, sizeof *costs->moved);
	for (size_t i = 0; i < costs->function_count; i++) {
		const double *self = costs->functions[i].self;

		costs->functions[i].noise = perun_is_sampling_noise(self, costs->sample);
		costs->moved[i] = (struct moved_function){fabs(self[1] - self[0]), i};
	}
	if (costs->function_count)
		qsort(costs->moved, costs->function_count, sizeof *costs->moved, compare_moved);
}

int costs_read(struct perun_ctx *ctx, struct perun_interleave *interleave,
	       const char *const directories[2], struct costs *costs)
{
	int status = PERUN_OK;

	*costs = (struct costs){0};
	for (int side = 0; !status && side < 2; side++)
		status = sample_side(ctx, interleave, directories[side], side, costs);
	if (status && status != PERUN_CANCELLED && !perun_cancelled(ctx)) {
		costs_free(costs);
		perun_ctx_clear(ctx);
		status = PERUN_OK;
	}
	sort_moved(costs);
	return status;
}

const struct perun_dissect_function *costs_find(const struct costs *costs, const char *name,
						size_t length)
{
	for (size_t i = 0; length && i < costs->function_count; i++) {
		size_t size;
		const char *last = function_last_name(costs->functions[i].name, &size);

		if (size == length && memcmp(last, name, length) == 0)
			return &costs->functions[i];
	}
	return NULL;
}

void costs_free(struct costs *costs)
{
	for (size_t i = 0; i < costs->function_count; i++)
		perun_free((char *)costs->functions[i].name);
	for (size_t i = 0; i < costs->line_count; i++)
		perun_free((char *)costs->lines[i].file);
	perun_free(costs->functions);
	perun_free(costs->moved);
	perun_free(costs->calls);
	perun_free(costs->lines);
	*costs = (struct costs){0};
}
