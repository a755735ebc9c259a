/* SPDX-License-Identifier: BSD-3-Clause */
/* What stacks weigh: the sums of their samples' values, as whole numbers. */
#include <math.h>
#include <string.h>

#include "core/callgraph/stacks.h"
#include "core/context/context.h"

/* One weight while it is summed. */
struct weighing {
	struct perun_stacks *stacks;
	const struct perun_weight *weight;
	size_t index;
	double factor; /* of a column of fractions */
	bool wrap;
	uint64_t sum, absolute; /* modulo 2^64 */
	bool overflow;
	int64_t *block;
	perun_id *ids;
};

/* ---- fractions -------------------------------------------------------------------------------- */

/* Whether all values are whole, and the sum of their absolute values; Inf if one is infinite. */
static double survey(const struct weighing *w, bool *whole)
{
	struct perun_span span;
	double sum = 0;

	*whole = true;
	for (size_t row = 0; perun_column_span_copy(w->weight->values, row, &span, w->block);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			if (isnan(span.doubles[i]))
				continue;
			sum += fabs(span.doubles[i]);
			if (span.doubles[i] != trunc(span.doubles[i]))
				*whole = false;
		}
	}
	return sum;
}

/*
 * The power of two that values are multiplied by: 1 if they are whole, else the largest that fits. Kept for the
 * metrics that follow, of which thousands may share a column.
 */
static int choose_factor(struct perun_ctx *ctx, struct weighing *w)
{
	struct perun_stacks *stacks = w->stacks;
	bool whole;
	double sum;
	int exponent = 0;

	if (stacks->surveyed == w->weight->values) {
		w->factor = stacks->factor;
		stacks->scale[w->index] = 1 / stacks->factor;
		return PERUN_OK;
	}
	sum = survey(w, &whole);
	if (isinf(sum))
		return perun_fail(ctx, PERUN_INPUT,
				  "column \"%s\" holds values that are infinite or add up to it",
				  perun_column_info(w->weight->values)->name);
	frexp(sum, &exponent);
	exponent = whole && exponent <= 62 ? 0 : 62 - exponent;
	if (exponent > 1000) /* a sum of next to nothing */
		exponent = 1000;
	stacks->surveyed = w->weight->values;
	stacks->factor = w->factor = ldexp(1, exponent);
	stacks->scale[w->index] = ldexp(1, -exponent);
	return PERUN_OK;
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* The values of a span as whole numbers, in w->block; false when one does not fit. */
static const int64_t *whole_values(struct weighing *w, const struct perun_span *span)
{
	enum perun_type type = perun_column_info(w->weight->values)->type;

	if (type == PERUN_TYPE_INT64)
		return span->int64s;
	for (size_t i = 0; i < span->count; i++) {
		if (type == PERUN_TYPE_UINT64) {
			w->overflow |= span->uint64s[i] > INT64_MAX;
			w->block[i] = (int64_t)span->uint64s[i];
		} else {
			double value = span->doubles[i] * w->factor;

			w->block[i] = isnan(value) ? 0 : llrint(value);
		}
	}
	return w->block;
}

/* `all`: of all rows, nothing is left out. */
static inline __attribute__((always_inline)) void add_value(struct weighing *w, size_t row,
							    perun_id id, int64_t value, bool all)
{
	struct perun_stacks *stacks = w->stacks;
	uint64_t absolute = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	if (value == 0 || id == PERUN_NO_ID)
		return;
	if (!all && ((stacks->kept && !perun_bit(stacks->kept, row)) ||
		     (w->weight->rows && !perun_bit(w->weight->rows, row)) ||
		     (stacks->cuts && stacks->cuts[id].first == PERUN_CUT_DROPPED)))
		return;
	((uint64_t *)stacks->sums)[id * stacks->weights + w->index] += (uint64_t)value;
	stacks->live[id / 64] |= UINT64_C(1) << id % 64;
	w->sum += (uint64_t)value;
	w->absolute += absolute;
	w->overflow |= absolute > INT64_MAX || w->absolute > INT64_MAX;
}

static void add_span(struct weighing *w, const struct perun_span *span, const perun_id *ids)
{
	const int64_t *numbers = whole_values(w, span);

	if (w->stacks->kept || w->weight->rows || w->stacks->cuts) {
		for (size_t i = 0; i < span->count; i++)
			add_value(w, span->first + i, ids[i], numbers[i], false);
	} else {
		for (size_t i = 0; i < span->count; i++)
			add_value(w, span->first + i, ids[i], numbers[i], true);
	}
}

static void add_rows(struct weighing *w)
{
	const struct perun_column *values = w->weight->values;
	struct perun_span span, stacks;

	for (size_t row = 0;
	     perun_column_span_copy(values, row, &span, w->block) &&
	     perun_column_span_copy(w->stacks->column, row, &stacks, (int64_t *)w->ids);
	     row = span.first + span.count)
		add_span(w, &span, stacks.ids);
}

/* Whether few rows are selected: then cells are read one by one. */
static bool selects_few(const struct weighing *w)
{
	size_t selected = 0;

	for (size_t word = 0; w->weight->rows && word * 64 < w->stacks->rows; word++)
		selected += (size_t)__builtin_popcountll(w->weight->rows[word]);
	return w->weight->rows && selected < w->stacks->rows / 32;
}

/* Of thousands of metrics that share a column, each has few rows: no others are touched. */
static void add_selected(struct weighing *w)
{
	const struct perun_column *values = w->weight->values;
	enum perun_type type = perun_column_info(values)->type;

	for (size_t word = 0; word * 64 < w->stacks->rows; word++) {
		for (uint64_t bits = w->weight->rows[word]; bits; bits &= bits - 1) {
			size_t row = word * 64 + (size_t)__builtin_ctzll(bits);
			int64_t whole;

			if (type == PERUN_TYPE_DOUBLE) {
				double value = perun_column_double(values, row) * w->factor;

				whole = isnan(value) ? 0 : llrint(value);
			} else if (type == PERUN_TYPE_UINT64) {
				whole = (int64_t)perun_column_uint64(values, row);
				w->overflow |= whole < 0;
			} else {
				whole = perun_column_int64(values, row);
			}
			add_value(w, row, perun_column_id(w->stacks->column, row), whole, false);
		}
	}
}

static int weigh_one(struct perun_ctx *ctx, struct weighing *w)
{
	enum perun_type type = perun_column_info(w->weight->values)->type;

	w->stacks->scale[w->index] = 1;
	w->stacks->weighed[w->index] = w->weight->rows ? NULL : w->weight->values;
	if (type != PERUN_TYPE_INT64 && type != PERUN_TYPE_UINT64 && type != PERUN_TYPE_DOUBLE)
		return perun_fail(ctx, PERUN_USAGE, "column \"%s\" holds no numbers",
				  perun_column_info(w->weight->values)->name);
	if (type == PERUN_TYPE_DOUBLE && choose_factor(ctx, w))
		return perun_ctx_status(ctx);
	if (selects_few(w))
		add_selected(w);
	else
		add_rows(w);
	if (w->overflow && !w->wrap)
		return perun_fail(ctx, PERUN_INPUT,
				  "the values of column \"%s\" add up to more than 2^63",
				  perun_column_info(w->weight->values)->name);
	w->stacks->sum[w->index] = (int64_t)w->sum;
	w->stacks->absolute[w->index] = (int64_t)w->absolute;
	return PERUN_OK;
}

int perun_stacks_weigh(struct perun_ctx *ctx, struct perun_stacks *stacks,
		       const struct perun_weight *weights, size_t count, unsigned flags)
{
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	perun_id *ids = perun_alloc(PERUN_SPAN_ROWS * sizeof(int64_t));
	int status = PERUN_OK;

	if (count == 0 || count > PERUN_WEIGHTS)
		status = perun_fail(ctx, PERUN_USAGE, "%zu weights; 1 to %d are possible", count,
				    PERUN_WEIGHTS);
	perun_stacks_forget_paths(stacks);
	perun_free(stacks->sums);
	perun_free(stacks->live);
	stacks->weights = status ? 0 : count;
	stacks->sums = perun_alloc_large_zero(stacks->stack_count * stacks->weights + 1,
					      sizeof *stacks->sums);
	stacks->live = perun_alloc_zero(stacks->stack_count / 64 + 1, sizeof *stacks->live);
	for (size_t i = 0; i < count && !status; i++) {
		struct weighing w = {.stacks = stacks,
				     .weight = &weights[i],
				     .index = i,
				     .factor = 1,
				     .wrap = flags & PERUN_WEIGH_WRAP,
				     .block = block,
				     .ids = ids};

		status = weigh_one(ctx, &w);
	}
	perun_free(ids);
	perun_free(block);
	return status;
}

double perun_stacks_scale(const struct perun_stacks *stacks, size_t i)
{
	return stacks->scale[i];
}

int64_t perun_stacks_sum(const struct perun_stacks *stacks, size_t i)
{
	return stacks->sum[i];
}

int64_t perun_stacks_absolute_sum(const struct perun_stacks *stacks, size_t i)
{
	return stacks->absolute[i];
}
