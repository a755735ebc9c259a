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

/* The power of two that values are multiplied by: 1 if they are whole, else the largest that fits. */
static int choose_factor(struct perun_ctx *ctx, struct weighing *w)
{
	bool whole;
	double sum = survey(w, &whole);
	int exponent = 0;

	if (isinf(sum))
		return perun_fail(ctx, PERUN_INPUT,
				  "column \"%s\" holds values that are infinite or add up to it",
				  perun_column_info(w->weight->values)->name);
	frexp(sum, &exponent);
	exponent = whole && exponent <= 62 ? 0 : 62 - exponent;
	if (exponent > 1000) /* a sum of next to nothing */
		exponent = 1000;
	w->factor = ldexp(1, exponent);
	w->stacks->scale[w->index] = ldexp(1, -exponent);
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

static void add_span(struct weighing *w, const struct perun_span *span, const perun_id *ids)
{
	struct perun_stacks *stacks = w->stacks;
	const uint64_t *kept = stacks->kept, *rows = w->weight->rows;
	const struct perun_cut *cuts = stacks->cuts;
	const int64_t *values = whole_values(w, span);
	uint64_t *sums = (uint64_t *)stacks->sums + w->index;

	for (size_t i = 0; i < span->count; i++) {
		size_t row = span->first + i;
		perun_id id = ids[i];
		uint64_t value = (uint64_t)values[i], absolute = value;

		if (value == 0 || id == PERUN_NO_ID || (kept && !perun_bit(kept, row)) ||
		    (rows && !perun_bit(rows, row)) ||
		    (cuts && cuts[id].first == PERUN_CUT_DROPPED))
			continue;
		if (values[i] < 0)
			absolute = 0 - value;
		sums[id * stacks->weights] += value;
		stacks->live[id / 64] |= UINT64_C(1) << id % 64;
		w->sum += value;
		w->absolute += absolute;
		w->overflow |= absolute > INT64_MAX || w->absolute > INT64_MAX;
	}
}

static int weigh_one(struct perun_ctx *ctx, struct weighing *w)
{
	enum perun_type type = perun_column_info(w->weight->values)->type;
	struct perun_span span, stack_span;

	w->stacks->scale[w->index] = 1;
	w->stacks->weighed[w->index] = w->weight->rows ? NULL : w->weight->values;
	if (type != PERUN_TYPE_INT64 && type != PERUN_TYPE_UINT64 && type != PERUN_TYPE_DOUBLE)
		return perun_fail(ctx, PERUN_USAGE, "column \"%s\" holds no numbers",
				  perun_column_info(w->weight->values)->name);
	if (type == PERUN_TYPE_DOUBLE && choose_factor(ctx, w))
		return perun_ctx_status(ctx);
	for (size_t row = 0;
	     perun_column_span_copy(w->weight->values, row, &span, w->block) &&
	     perun_column_span_copy(w->stacks->column, row, &stack_span, (int64_t *)w->ids);
	     row = span.first + span.count)
		add_span(w, &span, stack_span.ids);
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
